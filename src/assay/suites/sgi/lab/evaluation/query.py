"""The user's question: its text, its interpretation, and the items that answer it."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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

COUNT = re.compile(
    r"(?<!level )\b(\d{1,4})\s+(?:[\w-]+\s+){0,3}?"
    r"(?:items?|questions?|tasks?|problems?|protocols?|ideas?|experiments?|functions?|figures?)\b"
)
"""A number of items: up to three words may stand between the two."""


@cache
def vocabulary() -> Mapping[str, Any]:
    """The stated vocabulary: the words by which a query is understood without a model."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


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

    def matches(self, task: Task, without: str = "") -> bool:
        """Whether an item is wanted; `without` is a stratum, or `excluded`, that is not looked at."""
        values = {stratum: folded(task.strata.get(stratum, "")) for stratum in STRATA}
        if without != "excluded" and {*map(folded, self.excluded)} & {*values.values()}:
            return False
        return all(values[s] in map(folded, names) for s, names in self.kinds.items() if s != without)

    def __str__(self) -> str:
        parts = [
            ("of level " if s == "level" else "") + " or ".join(names) for s, names in self.kinds.items()
        ]
        return ", ".join([*parts, *([f"not {' or '.join(self.excluded)}"] if self.excluded else [])])


Reader = Callable[[str, Mapping[str, Iterable[str]]], Intent]
"""Understands a query; its second argument are the types that items of each family have."""


def understand(text: str, types: Mapping[str, Iterable[str]]) -> Intent:
    """The intent of a query by the stated vocabulary.

    A type of one word counts only where its family is named too: `data` alone says nothing. What stands after
    a negation, up to the next comma or "but", is left out.

    Raises:
        UnknownName: If the text is longer than `LONGEST`.
    """
    if len(text) > LONGEST:
        raise UnknownName(f"a question of {len(text)} characters", f"ask in at most {LONGEST}, or by options")
    said, denied = affirmed_and_denied(text)
    tables: dict[str, Any] = {stratum: vocabulary()[stratum] for stratum in STRATA if stratum != "type"}
    named = {stratum: _named(said, table) for stratum, table in tables.items()}
    if _named(said, {"all": vocabulary()["everything"]}):
        named["family"] = [*tables["family"]]
    pairs = sorted((kind, family) for family, kinds in types.items() for kind in kinds)
    clear = {*named["family"], *(types if len(types) == 1 else ())}
    tables["type"] = {kind: (kind,) for kind, family in pairs if len(words(kind)) > 1 or family in clear}
    named["type"] = _named(said, tables["type"])
    excluded = {name for table in tables.values() for name in _named(denied, table)}
    kinds = {stratum: tuple(n for n in named[stratum] if n not in excluded) for stratum in STRATA}
    number = COUNT.search(text.casefold())
    known = {stem(word) for phrase in (*_phrases(vocabulary()), *tables["type"]) for word in words(phrase)}
    unknown = (word for word in words(text) if stem(word) not in known and not word.isdigit())
    return Intent(
        {stratum: values for stratum, values in kinds.items() if values},
        tuple(_named(said, vocabulary()["aims"])),
        int(number[1]) if number else None,
        tuple(sorted(excluded)),
        tuple(dict.fromkeys(unknown)),
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


def _named(said: Sequence[str], table: Mapping[str, Sequence[str]]) -> list[str]:
    """The entries of a table of which a phrase is among the stems of a text, word after word."""
    text = f" {' '.join(said)} "
    return [
        name
        for name, phrases in table.items()
        if any(f" {' '.join(map(stem, words(phrase)))} " in text for phrase in phrases)
    ]


def _phrases(part: Any) -> Iterator[str]:
    """The phrases of a part of the vocabulary, of which `metrics`, `rates` and `published` are no part."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for name, inner in part.items():
            yield from () if name in ("metrics", "rates", "published") else _phrases(inner)
    else:
        yield from map(str, part)


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
    every = [read_frozen(path) for s in sets or known for path in sorted(folder(config, s).glob("*.json"))]
    if sets:
        return every
    counts = Counter((task.strata["family"], task.task_set) for task in every)
    order = sorted(counts, key=lambda pair: (-counts[pair], pair))
    largest = {*dict(reversed(order)).values()}
    return [task for task in sorted(every, key=lambda task: task.task_set) if task.task_set in largest]


def name_of(task: Task) -> str:
    """How an evaluation names a task."""
    return f"{task.task_set}/{task.task_id}"


def types_of(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """The types of each family's items."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        kinds[task.strata["family"]].add(task.strata["type"])
    return {family: sorted(found) for family, found in sorted(kinds.items())}


def select(
    text: str,
    tasks: Sequence[Task],
    read: Reader = understand,
    given: Mapping[str, Sequence[str]] | None = None,
    n: int | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """The items that a query asks for, sampled evenly from families, types and disciplines.

    Args:
        text: The query in words.
        tasks: The items to choose from.
        read: Who understands the query.
        given: Wanted values by stratum; they hold whatever the text says.
        n: The number of items; `None` where the text may say it.
        seed: Decides which of several items that would do are taken.

    Returns:
        A JSON value: `items` as set/task id, `intent`, how many are `matching`, and a `rationale`.

    Raises:
        UnknownName: If the query names nothing, or nothing that there is, or more items than there are.
    """
    stated = Intent(given or {})
    open_to = [task for task in tasks if stated.matches(task)]
    understood = read(text, types_of(open_to or tasks))
    intent = replace(understood, kinds={**understood.kinds, **stated.kinds}, n=n or understood.n)
    if not intent.kinds and not intent.excluded:
        raise UnknownName(f"the query {text!r} names no items", _nearest_words(text))
    matching = [task for task in open_to if intent.matches(task)]
    if not matching:
        filters = {**intent.kinds, "excluded": intent.excluded}
        told = [
            f"without {name} {', '.join(values)} there are {count}"
            for name, values in filters.items()
            if (count := sum(intent.matches(task, without=name) for task in tasks))
        ]
        there = ", ".join(sorted({task.strata["family"] for task in tasks}))
        raise UnknownName(f"no item is {intent}", "; ".join(told) or f"the items at hand are of {there}")
    if intent.n is not None and len(matching) < intent.n:
        raise UnknownName(
            f"{len(matching)} items are {intent}; {intent.n} were asked for",
            f"ask for {len(matching)}, or name more sets with --set",
        )
    taken = sample(matching, FEW if intent.n is None else intent.n, seed)
    rationale = (
        f"{len(taken)} of {len(matching)} items that are {intent}, evenly from families, types and "
        f"disciplines (seed {seed}); the query was read by {intent.reader}"
        + (f"; not understood: {', '.join(intent.unknown)}" if intent.unknown else "")
    )
    names = [name_of(task) for task in taken]
    return {"items": names, "intent": asdict(intent), "matching": len(matching), "rationale": rationale}


def sample(tasks: Sequence[Task], n: int, seed: int) -> list[Task]:
    """`n` tasks, or all if there are no more: always one whose family, type and discipline came least."""
    left = sorted(tasks, key=name_of)
    rng.stream(seed, "sgi", "evaluation", "items").shuffle(left)
    taken: list[Task] = []
    seen: Counter[tuple[str, str]] = Counter()

    def strata(task: Task) -> list[tuple[str, str]]:
        return [(task.strata["family"], task.strata.get(by, "")) for by in ("family", "type", "discipline")]

    while left and len(taken) < n:
        taken.append(min(left, key=lambda task: [seen[key] for key in strata(task)]))
        left.remove(taken[-1])
        seen.update(strata(taken[-1]))
    return taken


def _nearest_words(text: str) -> str:
    """Words that mean something and look like those of the query."""
    known = sorted({phrase for part in (*STRATA, "aims") for phrase in _phrases(vocabulary().get(part, ()))})
    near = [
        match
        for word in text.casefold().split()
        if not _named([stem(word)], {"": known})
        for match in difflib.get_close_matches(word, known, 2, 0.75)
    ]
    if near:
        return f"did you mean {', '.join(dict.fromkeys(near))}?"
    return "name a family, discipline, type or level, e.g. 'wet protocols in chemistry', or --family"
