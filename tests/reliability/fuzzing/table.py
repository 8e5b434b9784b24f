"""The table of doors: all tests of what comes in from outside go through it, so that a new door is one row.

What is no row is no door: readers of what Assay itself has just generated (pictures and listings of sgi's own
items, literatures of its research tasks), and Snakemake's own records.
"""

from __future__ import annotations

import functools

from tests.reliability.fuzzing import arrivals, causalab, collider, pilab, sgi, spine, tools
from tests.reliability.fuzzing.door import Door


@functools.lru_cache
def doors() -> dict[str, Door]:
    """The rows by name, those with most inputs first."""
    rooms = (spine, arrivals, tools, causalab, pilab, collider, sgi)
    rows = [door for room in rooms for door in room.rows()]
    found = {door.name: door for door in rows}
    if len(found) < len(rows):
        raise ValueError("two doors have one name")
    return dict(sorted(found.items(), key=lambda row: -row[1].weight))


def quotas(inputs: int, names: list[str]) -> dict[str, int]:
    """How many of so many inputs each door gets: one in 500 whatever it costs, the rest by its weight."""
    known = doors()
    least = max(1, inputs // 500)
    left = max(0, inputs - least * len(names))
    total = sum(known[name].weight for name in names)
    return {name: least + left * known[name].weight // total for name in names}
