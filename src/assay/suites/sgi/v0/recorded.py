"""What solvers of version 0 did at its archived items, kept as their calls since their generators are gone.

These solvers knew the forms of the generated prompts: a planner of protocols, a reader of the literature, a
reader of pictures, and scripts that are wrong in one named way. They had no random numbers, so that the calls
that they made at an item are all that they ever do there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config import yaml
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.sgi import items
from assay.suites.sgi.families import Family

DATA_FILES = ("recorded.jsonl", "solvers.yaml")

Calls = Sequence[tuple[str, Any]]
"""The tool and the arguments of each call, in order."""

SHOWN: Mapping[Family, tuple[str, ...]] = {**items.SHOWN, "experimental_reasoning": ("question",)}
"""The columns that tell an item from all others of its family."""


def recorded(solver: str, family: Family, row: Mapping[str, Any]) -> Calls:
    """The calls of a solver at an item; none where it does nothing.

    Args:
        solver: its name.
        family: of the item.
        row: the item, or what is shown of it.
    """
    return _calls().get((solver, canonical.digest([family, *(row[name] for name in SHOWN[family])])), ())


@cache
def _calls() -> Mapping[tuple[str, str], Calls]:
    lines = Path(__file__).with_name("recorded.jsonl").read_text(encoding="utf-8").splitlines()
    found = map(canonical.loads, lines)
    return {(line["solver"], line["item"]): [tuple(call) for call in line["calls"]] for line in found}


NEEDS: Mapping[str, Callable[[Brief], bool]] = {
    "pictures": lambda brief: len(brief.parts) > 2 and not isinstance(brief.parts[2], str),
    "search": lambda brief: any(tool.name == "search" for tool in brief.tools),
    "table": lambda brief: len(brief.parts) == 3 and isinstance(brief.parts[2], str),
}
"""What a solver has to be given to do anything, beside the item."""


def solvers() -> dict[str, Solver]:
    """The recorded solvers by name; `privileged` are those that were told the truth to be wrong about it."""
    return {
        name: Solver(
            partial(play, name, needs=known.get("needs", "")), known["doc"], privileged=known["privileged"]
        )
        for name, known in yaml.read(Path(__file__).with_name("solvers.yaml")).items()
    }


def play(
    name: str, brief: Brief, call: Call, stream: Stream | None = None, hidden: Any = None, needs: str = ""
) -> None:
    """Make the calls that a solver made at the item of a brief; none at other items."""
    if needs and not NEEDS[needs](brief):
        return
    for family, columns in SHOWN.items():
        shown = dict(zip(columns, brief.parts, strict=False))
        # A picture is no column of a prompt: the brief is of another family.
        if len(shown) == len(columns) and all(isinstance(part, str | list) for part in shown.values()):
            for tool, arguments in recorded(name, family, shown):
                call(tool, arguments)
