"""How far hostile code is held on this machine: which layers there are, and what they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.errors import SandboxError
from assay.sandbox.inside import landlock
from assay.sandbox.inside.confinement import Walls

Level = Literal["none", "reduced", "full"]
LEVELS: tuple[Level, ...] = ("none", "reduced", "full")
"""From the weakest to the strongest.

`full`: namespaces, seccomp and limits; nothing of the machine is in sight. `reduced`: Landlock, seccomp and
limits; files can be seen to exist, but neither read nor changed. `none`: less than that. `docs/sandbox.md`
lists the promises of each.
"""

Layer = Literal["nobody", "namespaces", "landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = ("nobody", "namespaces", "landlock", "seccomp")
"""What can be left out on purpose, by tests: also the change to the user nobody, where root could make it."""


@dataclass(frozen=True)
class Offer:
    """What a machine offers: `abi` of Landlock, and for each attempt why it `failed` (null: it works)."""

    abi: int
    failed: Mapping[str, str | None]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offer:
        """The offer that a template told."""
        return cls(value["abi"], dict(value["failed"]))

    def walls(self, without: frozenset[Layer] = frozenset()) -> Walls:
        """The strongest walls that can be built here, but for these layers."""
        ways = ("user",) if "nobody" in without else ("nobody", "user")
        namespaces = next((way for way in ways if self.failed[way] is None), "")
        return Walls(
            "" if "namespaces" in without else namespaces,
            self.failed["landlock"] is None and "landlock" not in without,
            self.failed["seccomp"] is None and "seccomp" not in without,
        )

    def level(self, walls: Walls) -> Level:
        """What these walls add up to."""
        if walls.namespaces and walls.seccomp:
            return "full"
        if walls.landlock and walls.seccomp and self.abi >= landlock.NEEDED:
            return "reduced"
        return "none"

    def demand(self, walls: Walls, minimum: Level) -> None:
        """Raise `SandboxError` where these walls are lower than the minimum."""
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
