"""What a user asks for: a query in words, what is understood of it, and the items that answer it."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.config.models import SuiteConfig
from assay.errors import UnknownName
from assay.numbers import rng
from assay.sessions.taskfiles import folder
from assay.suites.sgi.families import folded
from assay.suites.sgi.metrics.embedding import words
from assay.suites.sgi.metrics.ideas import stem
from assay.task import Task, read_frozen

DATA_FILES = ("vocabulary.yaml",)

LONGEST = 10_000
"""The largest number of characters of a query."""

FEW = 8
"""The number of items where nobody says how many."""

STRATA = ("family", "discipline", "type", "level")

Phrases = Mapping[str, Sequence[str]]
"""Phrases by what they mean."""


@cache
def vocabulary() -> Mapping[str, Any]:
    """The stated vocabulary: the words by which a query is understood without a model."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


@dataclass(frozen=True)
class Query:
    """A user's question.

    Attributes:
        text: The question in words.
        given: Wanted values by stratum; they hold whatever the text says.
        n: The number of items; `None` where the text may say it.
        seed: Decides which of several items that would do are taken.

    Raises:
        UnknownName: If the text is longer than `LONGEST`.
    """

    text: str
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    n: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise UnknownName(
                f"a question of {len(self.text)} characters", f"ask in at most {LONGEST}, or by options"
            )


@dataclass(frozen=True)
class Intent:
    """What a query wants.

    Attributes:
        kinds: Wanted values by stratum; a stratum that is missing may have any value.
        aims: What shall be measured; empty for everything.
        n: The number of items.
        excluded: Values of any stratum that are not wanted.
        unknown: Words that nothing here understands.
        metrics: Ids of metrics, where a model chose them.
        reader: Who understood the query: the stated vocabulary, or a model and what became of its reply.
    """

    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aims: Sequence[str] = ()
    n: int | None = None
    excluded: Sequence[str] = ()
    unknown: Sequence[str] = ()
    metrics: Sequence[str] = ()
    reader: str = "the stated vocabulary"


Reader = Callable[[Query, Mapping[str, Iterable[str]]], Intent]
"""Understands a query; its second argument are the types that items of each family have."""

COUNT = re.compile(
    r"(?<!level )\b(\d{1,4})\s+(?:[\w-]+\s+){0,3}?"
    r"(?:items?|questions?|tasks?|problems?|protocols?|ideas?|experiments?|functions?|figures?)\b"
)
"""A number of items: up to three words may stand between the two."""


def understand(query: Query, types: Mapping[str, Iterable[str]]) -> Intent:
    """The intent of a query by the stated vocabulary.

    A type of one word counts only where its family is named too: `data` alone says nothing. What stands after
    a negation, up to the next comma or "but", is left out.
    """
    said, denied = affirmed_and_denied(query.text)
    tables: dict[str, Phrases] = {stratum: vocabulary()[stratum] for stratum in STRATA if stratum != "type"}
    named = {stratum: _named(said, table) for stratum, table in tables.items()}
    if any(occurs(said, phrase) for phrase in vocabulary()["everything"]):
        named["family"] = [*tables["family"]]
    wanted = query.given.get("family") or named["family"]
    tables["type"] = {
        kind: (kind,)
        for kind, family in sorted((kind, family) for family, kinds in types.items() for kind in kinds)
        if len(words(kind)) > 1 or family in wanted
    }
    named["type"] = _named(said, tables["type"])
    excluded = {name for table in tables.values() for name in _named(denied, table)}
    kinds = {s: query.given.get(s) or [n for n in named[s] if n not in excluded] for s in STRATA}
    number = COUNT.search(query.text.casefold())
    return Intent(
        {stratum: tuple(values) for stratum, values in kinds.items() if values},
        tuple(_named(said, vocabulary()["aims"])),
        query.n if query.n is not None else int(number[1]) if number else None,
        tuple(sorted(excluded)),
        tuple(_not_understood(query.text, tables["type"])),
    )


def affirmed_and_denied(text: str) -> tuple[list[str], list[str]]:
    """The stems of a text in two lists: what it asks for, and what it says it does not want.

    A stem that belongs to no word, `|`, stands between clauses, so that no phrase reaches across.

    Example:
        >>> affirmed_and_denied("not physics, but energy")[1]
        ['|', 'physic']
    """
    negators, turns = (set(vocabulary()[name]) for name in ("negators", "turns"))
    lists: tuple[list[str], list[str]] = ([], [])
    general = False
    for clause in re.split(r"[,;.!?:()]", text.casefold()):
        denying = False
        for word in re.findall(r"[a-z0-9]+(?:'t)?", unicodedata.normalize("NFKC", clause)):
            general = general or word in ("everything", "anything", "all")
            if word in negators or word.endswith("n't") or (word == "but" and general):
                denying, general = True, False
                lists[1].append("|")
            elif word in turns:
                denying = False
            else:
                lists[denying].append(stem(word))
        lists[0].append("|")
    return lists


def _meanings() -> list[str]:
    """All phrases that mean something in a query."""
    parts = (vocabulary()[name] for name in ("family", "discipline", "level", "aims"))
    return sorted({phrase for part in parts for phrases in part.values() for phrase in phrases})


def _not_understood(text: str, types: Iterable[str]) -> list[str]:
    """The words of a text that are part of no phrase that is known here."""
    known = vocabulary()
    phrases = [*_meanings(), *types, known["plain"]]
    phrases += [phrase for name in ("everything", "negators", "turns") for phrase in known[name]]
    stems_known = {part for phrase in phrases for part in stems(phrase)}
    return [w for w in dict.fromkeys(words(text)) if stem(w) not in stems_known and not w.isdigit()]


def stems(text: str) -> list[str]:
    """The words of a text without their endings."""
    return [stem(word) for word in words(text)]


def occurs(said: Sequence[str], phrase: str) -> bool:
    """Whether a phrase is among the stems of a text, word after word."""
    wanted = stems(phrase)
    n = len(wanted)
    return n > 0 and any(said[k : k + n] == wanted for k in range(len(said) - n + 1))


def _named(said: Sequence[str], table: Phrases) -> list[str]:
    """The entries of a table of which a phrase occurs."""
    return [name for name, phrases in table.items() if any(occurs(said, phrase) for phrase in phrases)]


def open_tasks(config: SuiteConfig, sets: Sequence[str] = ()) -> list[Task]:
    """The frozen items that an evaluation may choose from.

    Args:
        config: The suite's configuration.
        sets: The sets; empty for the largest set of each family, which is its column.

    Raises:
        UnknownName: If there is no such frozen set.
    """
    known = [name for name, kind in config.file.sets.items() if kind == "frozen"]
    if strange := [name for name in sets if name not in known]:
        raise UnknownName(f"sgi has no frozen set {strange[0]!r}", f"its sets are {', '.join(known)}")
    tasks = [
        read_frozen(path) for name in sets or known for path in sorted(folder(config, name).glob("*.json"))
    ]
    if sets:
        return tasks
    counts = Counter((task.strata["family"], task.task_set) for task in tasks)
    order = sorted(counts, key=lambda pair: (-counts[pair], pair))
    largest = {*dict(reversed(order)).values()}
    return [task for task in sorted(tasks, key=lambda task: task.task_set) if task.task_set in largest]


def name_of(task: Task) -> str:
    """How an evaluation names a task."""
    return f"{task.task_set}/{task.task_id}"


def types_of(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """The types of each family's items."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        kinds[task.strata["family"]].add(task.strata["type"])
    return {family: sorted(found) for family, found in sorted(kinds.items())}


def select(query: Query, tasks: Sequence[Task], read: Reader = understand) -> dict[str, Any]:
    """The items that a query asks for, sampled in turn from each family, type and discipline.

    Returns:
        A JSON value: `items` as set/task id, `intent`, how many are `matching`, and a `rationale`.

    Raises:
        UnknownName: If the query names nothing, or nothing that there is, or more items than there are.
    """
    intent = read(query, types_of(tasks))
    if not intent.kinds and not intent.excluded:
        raise UnknownName(f"the query {query.text!r} names no items", _nearest_words(query.text))
    matching = [task for task in tasks if _matches(task, intent)]
    if not matching:
        raise UnknownName(f"no item is {_told(intent)}", _nearest_filters(intent, tasks))
    if intent.n is not None and len(matching) < intent.n:
        raise UnknownName(
            f"{len(matching)} items are {_told(intent)}; {intent.n} were asked for",
            f"ask for {len(matching)}, or name more sets with --set",
        )
    taken = sample(matching, FEW if intent.n is None else intent.n, query.seed)
    rationale = (
        f"{len(taken)} of {len(matching)} items that are {_told(intent)}, in turn from each family, type and "
        f"discipline (seed {query.seed}); the query was read by {intent.reader}"
        + (f"; not understood: {', '.join(intent.unknown)}" if intent.unknown else "")
    )
    names = [name_of(task) for task in taken]
    return {"items": names, "intent": asdict(intent), "matching": len(matching), "rationale": rationale}


def sample(tasks: Sequence[Task], n: int, seed: int) -> list[Task]:
    """`n` tasks, or all if there are no more: in turn one of each family, type and discipline."""
    strata: dict[tuple[str, ...], list[Task]] = defaultdict(list)
    for task in tasks:
        strata[tuple(task.strata[key] for key in ("family", "type", "discipline"))].append(task)
    order = sorted(strata)
    rng.stream(seed, "sgi", "evaluation", "strata").shuffle(order)
    # A family has its turn before another type of the last one has.
    seen: Counter[str] = Counter()
    turns = []
    for key in order:
        turns.append((seen[key[0]], key))
        seen[key[0]] += 1
    queues = []
    for _, key in sorted(turns, key=lambda turn: turn[0]):
        queues.append(sorted(strata[key], key=name_of))
        rng.stream(seed, "sgi", "evaluation", *key).shuffle(queues[-1])
    rounds = range(max(map(len, queues), default=0))
    return [queue[at] for at in rounds for queue in queues if at < len(queue)][:n]


def _matches(task: Task, intent: Intent, without: str = "") -> bool:
    values = {stratum: folded(task.strata.get(stratum, "")) for stratum in STRATA}
    if without != "excluded" and {*map(folded, intent.excluded)} & {*values.values()}:
        return False
    wanted = ((s, {*map(folded, names)}) for s, names in intent.kinds.items() if s != without)
    return all(values[stratum] in names for stratum, names in wanted)


def _told(intent: Intent) -> str:
    """The filters of an intent in words."""
    parts = [("of level " if s == "level" else "") + " or ".join(names) for s, names in intent.kinds.items()]
    return ", ".join([*parts, *([f"not {' or '.join(intent.excluded)}"] if intent.excluded else [])])


def _nearest_filters(intent: Intent, tasks: Sequence[Task]) -> str:
    """What to leave out: each filter without which there are items, with their number."""
    filters = {**intent.kinds, "excluded": intent.excluded}
    counts = {name: sum(_matches(task, intent, without=name) for task in tasks) for name in filters}
    there = ", ".join(sorted({task.strata["family"] for task in tasks}))
    return (
        "; ".join(
            f"without {name} {', '.join(filters[name])} there are {count}"
            for name, count in counts.items()
            if count and filters[name]
        )
        or f"the items at hand are of {there}"
    )


def _nearest_words(text: str) -> str:
    """Words that mean something and look like those of the query."""
    known = _meanings()
    near = [
        match
        for word in text.casefold().split()
        if not any(occurs(stems(word), phrase) for phrase in known)
        for match in difflib.get_close_matches(word, known, 2, 0.75)
    ]
    if near:
        return f"did you mean {', '.join(dict.fromkeys(near))}?"
    return "name a family, discipline, type or level, e.g. 'wet protocols in chemistry', or --family"
