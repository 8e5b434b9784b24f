"""The limits and permissions of agents' code in a suite, and the least protection that it runs under."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.sandbox.level import Layer, Level
from assay.sandbox.limits import Limits


@dataclass(frozen=True)
class Policy:
    """The permissions of agents' code in a suite, and the protection that the suite requires.

    Attributes:
        limits: Limits of each block and of the box.
        distributions: The distributions whose packages can be imported, as can those that they require.
        preload: Modules that are imported once, before boxes are forked, to save time.
        minimum: The lowest level at which a box is opened. Use `none` only for code that you trust.
        tools_count: Whether the time in which tools answer counts as time of the block. Such tools have to
            end in time themselves, see `Box.time_left`.
        without: Layers that are left out in tests.
    """

    limits: Limits = field(default_factory=Limits)
    distributions: tuple[str, ...] = ("numpy",)
    preload: tuple[str, ...] = ("numpy",)
    minimum: Level = "reduced"
    tools_count: bool = False
    without: frozenset[Layer] = frozenset()
