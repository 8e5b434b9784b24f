"""First stage: which items answer a query. Never a silent full set: what matches nothing is an error."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.errors import UnknownName
from assay.numbers import rng
from assay.suites.sgi.families import folded
from assay.suites.sgi.lab.evaluation.query import Intent, Query, occurs, stems, understand, vocabulary
from assay.task import Task

FEW = 8
"""Items where nobody says how many."""


@dataclass(frozen=True)
class Subset:
    """The items of an evaluation, as set/task id, and why they were taken."""

    items: tuple[str, ...]
    intent: Intent
    matching: int
    rationale: str

    def to_json(self) -> dict[str, Any]:
        """The subset as a JSON value."""
        return {
            "items": list(self.items),
            "intent": asdict(self.intent),
            "matching": self.matching,
            "rationale": self.rationale,
        }


def name_of(task: Task) -> str:
    """How an evaluation names a task."""
    return f"{task.task_set}/{task.task_id}"


Interpreter = Callable[[Query, Mapping[str, Sequence[str]]], Intent]
"""Intent analysis: the query and the types of each family give what is wanted."""


def types_of(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """The types of each family's items."""
    found: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        found[task.strata["family"]].add(task.strata["type"])
    return {family: sorted(kinds) for family, kinds in sorted(found.items())}


def select(query: Query, pool: Sequence[Task], interpret: Interpreter = understand) -> Subset:
    """The items of a pool that a query asks for: a stratified sample, decided by the query's seed."""
    intent = interpret(query, types_of(pool))
    if intent.empty():
        raise UnknownName(f"the query {query.text!r} names no items", _nearest_words(query.text))
    matching = [task for task in pool if _matches(task, intent)]
    if not matching:
        raise UnknownName(f"no item is {_told(intent)}", _nearest_filters(intent, pool))
    if intent.n is not None and len(matching) < intent.n:
        raise UnknownName(
            f"{len(matching)} items are {_told(intent)}; {intent.n} were asked for",
            f"ask for {len(matching)}, name more sets with --set, or make new items with --new-items SEED",
        )
    n = FEW if intent.n is None else intent.n
    taken = sample(matching, n, query.seed)
    rationale = (
        f"{len(taken)} of {len(matching)} items that are {_told(intent)}, in turn from each family, type and "
        f"discipline (seed {query.seed})"
        + (f"; not understood: {', '.join(intent.unknown)}" if intent.unknown else "")
    )
    return Subset(tuple(name_of(task) for task in taken), intent, len(matching), rationale)


def sample(tasks: Sequence[Task], n: int, seed: int) -> list[Task]:
    """`n` tasks, or all if there are no more: in turn one of each family, type and discipline."""
    strata: dict[tuple[str, ...], list[Task]] = defaultdict(list)
    for task in tasks:
        strata[tuple(task.strata[key] for key in ("family", "type", "discipline"))].append(task)
    order = sorted(strata)
    rng.stream(seed, "sgi", "evaluation", "strata").shuffle(order)
    # A family has its turn before another type of the last one has.
    seen: dict[str, int] = defaultdict(int)
    turns = []
    for key in order:
        turns.append((seen[key[0]], key))
        seen[key[0]] += 1
    queues = []
    for _, key in sorted(turns, key=lambda turn: turn[0]):
        own = sorted(strata[key], key=name_of)
        rng.stream(seed, "sgi", "evaluation", *key).shuffle(own)
        queues.append(own)
    taken: list[Task] = []
    while len(taken) < n and any(queues):
        for queue in queues:
            if queue and len(taken) < n:
                taken.append(queue.pop(0))
    return taken


FILTERS: Mapping[str, str] = {
    "families": "family",
    "disciplines": "discipline",
    "types": "type",
    "levels": "level",
}
"""The filters of an intent, and the strata that they are about."""


def _matches(task: Task, intent: Intent, without: str = "") -> bool:
    unwanted = {folded(value) for value in intent.excluded}
    if without != "excluded" and any(folded(task.strata.get(s, "")) in unwanted for s in FILTERS.values()):
        return False
    for name, stratum in FILTERS.items():
        wanted = {folded(value) for value in getattr(intent, name)}
        if wanted and name != without and folded(task.strata.get(stratum, "")) not in wanted:
            return False
    return True


def _told(intent: Intent) -> str:
    """The filters of an intent in words."""
    told = [
        ("of level " if name == "levels" else "") + " or ".join(getattr(intent, name))
        for name in FILTERS
        if getattr(intent, name)
    ]
    return ", ".join([*told, *([f"not {' or '.join(intent.excluded)}"] if intent.excluded else [])])


def _nearest_filters(intent: Intent, pool: Sequence[Task]) -> str:
    """What to leave out: each filter without which there are items, with their number."""
    found = []
    for name in (*FILTERS, "excluded"):
        count = sum(_matches(task, intent, without=name) for task in pool) if getattr(intent, name) else 0
        if count:
            found.append(f"without {name} {', '.join(getattr(intent, name))} there are {count}")
    there = sorted({task.strata["family"] for task in pool})
    return "; ".join(found) or f"the items at hand are of {', '.join(there)}"


def _nearest_words(text: str) -> str:
    """Words that mean something and look like those of the query."""
    known = vocabulary()
    near = [
        match
        for word in text.casefold().split()
        if not any(occurs(stems(word), phrase) for phrase in known)
        for match in difflib.get_close_matches(word, known, 2, 0.75)
    ]
    if near:
        return f"did you mean {', '.join(dict.fromkeys(near))}?"
    return "name a family, discipline, type or level, e.g. 'wet protocols in chemistry', or --family"
