"""The level of protection on this machine: which layers work, and which level they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.errors import SandboxError
from assay.sandbox.inside import landlock
from assay.sandbox.inside.confinement import Walls

Level = Literal["none", "reduced", "full"]
LEVELS: tuple[Level, ...] = ("none", "reduced", "full")
"""The levels from the weakest to the strongest.

`full` has namespaces, seccomp and limits; nothing of the machine is visible. `reduced` has Landlock, seccomp
and limits; files can be seen to exist, but neither read nor changed. `none` is less than that.
`docs/sandbox.md` lists the promises of each.
"""

Layer = Literal["nobody", "namespaces", "landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = ("nobody", "namespaces", "landlock", "seccomp")
"""Layers that tests can leave out, including the change to the user nobody, which only root can make."""


@dataclass(frozen=True)
class Offer:
    """The layers of protection that a machine offers.

    Attributes:
        abi: The version of Landlock, 0 where there is none.
        failed: For each layer that was tried, the reason why it failed, None where it works.
    """

    abi: int
    failed: Mapping[str, str | None]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offer:
        """The offer from a template's answer."""
        return cls(value["abi"], dict(value["failed"]))

    def walls(self, without: frozenset[Layer] = frozenset()) -> Walls:
        """The strongest walls that can be built here without these layers."""
        ways = ("user",) if "nobody" in without else ("nobody", "user")
        namespaces = next((way for way in ways if self.failed[way] is None), "")
        return Walls(
            "" if "namespaces" in without else namespaces,
            self.failed["landlock"] is None and "landlock" not in without,
            self.failed["seccomp"] is None and "seccomp" not in without,
        )

    def level(self, walls: Walls) -> Level:
        """The level that these walls give."""
        if walls.namespaces and walls.seccomp:
            return "full"
        if walls.landlock and walls.seccomp and self.abi >= landlock.NEEDED:
            return "reduced"
        return "none"

    def demand(self, walls: Walls, minimum: Level) -> None:
        """Check that walls reach a minimum.

        Raises:
            SandboxError: Their level is lower; the message names the missing layers.
        """
        level = self.level(walls)
        if LEVELS.index(level) < LEVELS.index(minimum):
            missing = (
                "; ".join(f"{name}: {why}" for name, why in self.failed.items() if why) or "switched off"
            )
            raise SandboxError(
                f"code of unknown intent needs a sandbox of the level {minimum}, this machine offers {level}"
                f" ({missing})",
                "see `assay sandbox --check`; allow user namespaces, or use Linux 6.2 or newer; to run code"
                " that you trust all the same, set the minimum to none",
            )
