"""Determines the layers of protection that work on this machine, and the level that they give."""

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

`full` has namespaces, seccomp and limits, and the code sees nothing of the machine. `reduced` has Landlock,
seccomp and limits, and the code can find out which files exist, but neither read nor change them. `none` has
fewer layers than `reduced`. `docs/sandbox.md` lists the guarantees of each level.
"""

Layer = Literal["nobody", "namespaces", "landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = ("nobody", "namespaces", "landlock", "seccomp")
"""Layers that tests can leave out. `nobody` is the change to the user nobody, which only root can make."""


@dataclass(frozen=True)
class Offer:
    """The layers of protection that work on a machine.

    Attributes:
        abi: The ABI version of Landlock, or 0 if the kernel has none.
        failed: For each layer that was tried, the reason why it failed, or None if it works. The layer
            `namespaces` is tried in two ways, `nobody` (made by root) and `user` (made by an ordinary user).
    """

    abi: int
    failed: Mapping[str, str | None]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offer:
        """Make the offer from a template's answer to a probe."""
        return cls(value["abi"], dict(value["failed"]))

    def walls(self, without: frozenset[Layer] = frozenset()) -> Walls:
        """The strongest walls that can be built on this machine if the layers in `without` are left out."""
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
        """Check that the level of these walls is at least `minimum`.

        Raises:
            SandboxError: The level is lower. The message names the layers that failed.
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
