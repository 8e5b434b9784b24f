"""What all solvers read in a brief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.protocol import Brief, Call


@dataclass
class Player:
    """Calls to the world, and the facts of the brief."""

    brief: Brief
    call: Call

    @property
    def facts(self) -> Mapping[str, Any]:
        facts: Any = self.brief.parts[0]
        return dict(facts)

    @property
    def candidates(self) -> list[str]:
        return list(self.facts["candidates"])

    @property
    def tier(self) -> str:
        return str(self.facts["tier"])
