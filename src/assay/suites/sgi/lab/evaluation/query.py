"""What a user asks for, and the words by which a query is understood."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.errors import UnknownName
from assay.suites.sgi.metrics.embedding import words
from assay.suites.sgi.metrics.ideas import stem

DATA_FILES = ("vocabulary.yaml",)
LONGEST = 10_000
"""Characters of a question."""


@dataclass(frozen=True)
class Query:
    """A user's question; what is given beside the text holds whatever the text says.

    `n` is the number of items, null where the text may say it; `seed` decides which of equals are taken.
    Raises `UnknownName` where the text is too long to be looked through.
    """

    text: str
    families: tuple[str, ...] = ()
    disciplines: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    n: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise UnknownName(
                f"a question of {len(self.text)} characters", f"ask in at most {LONGEST}, or by options"
            )


@dataclass(frozen=True)
class Intent:
    """What a query wants: items of these kinds (empty: any) and what shall be measured (empty: all).

    `excluded` are kinds that it does not want, `unknown` are words that nothing here understands.
    """

    families: tuple[str, ...] = ()
    disciplines: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    aims: tuple[str, ...] = ()
    n: int | None = None
    excluded: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Intent:
        """The intent of its JSON value."""
        lists = {name: tuple(found) for name, found in value.items() if name != "n"}
        return cls(**lists, n=value["n"])

    def empty(self) -> bool:
        """Whether it asks for nothing in particular."""
        return not (self.families or self.disciplines or self.types or self.levels or self.excluded)


@cache
def table(name: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of a part of `vocabulary.yaml`, by what they mean."""
    return {str(key): tuple(phrases) for key, phrases in _vocabulary()[name].items()}


@cache
def _vocabulary() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


COUNT = re.compile(
    r"(?<!level )\b(\d{1,4})\s+(?:[\w-]+\s+){0,3}?"
    r"(?:items?|questions?|tasks?|problems?|protocols?|ideas?|experiments?|functions?|figures?)\b"
)
"""A number of items: up to three words may stand between the two."""


def understand(query: Query, types: Mapping[str, Iterable[str]]) -> Intent:
    """The intent of a query by rules; `types` are the types that items of each family have.

    A type of one word counts only where its family is named too: `data` alone says nothing. What stands after
    a negation, up to the next comma or "but", is left out.
    """
    said, denied = affirmed_and_denied(query.text)
    families = _named(said, table("families"))
    if any(occurs(said, phrase) for phrase in _vocabulary()["everything"]):
        families = tuple(table("families"))
    wanted = query.families or families
    every_type = {kind: family for family, kinds in types.items() for kind in kinds}
    known = {
        kind: (kind,)
        for kind, family in sorted(every_type.items())
        if len(words(kind)) > 1 or family in wanted
    }
    excluded = {
        name
        for part in (table("families"), table("disciplines"), table("levels"), known)
        for name in _named(denied, part)
    }
    families, disciplines, kinds, levels = (
        tuple(name for name in found if name not in excluded)
        for found in (families, *(_named(said, t) for t in (table("disciplines"), known, table("levels"))))
    )
    number = COUNT.search(query.text.casefold())
    return Intent(
        query.families or families,
        query.disciplines or disciplines,
        query.types or kinds,
        query.levels or levels,
        _named(said, table("aims")),
        query.n if query.n is not None else int(number[1]) if number else None,
        tuple(sorted(excluded)),
        tuple(_not_understood(query.text, known)),
    )


def affirmed_and_denied(text: str) -> tuple[list[str], list[str]]:
    """The stems of a text in two lists: what it asks for, and what it says it does not want.

    A stem that belongs to no word, `|`, stands between clauses, so that no phrase reaches across.

    Example:
        >>> affirmed_and_denied("not physics, but energy")[1]
        ['|', 'physic']
    """
    negators, turns = (set(_vocabulary()[name]) for name in ("negators", "turns"))
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


def _not_understood(text: str, types: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The words of a text that are part of no phrase that is known here."""
    own = _vocabulary()
    phrases = [phrase for name in ("everything", "negators", "turns") for phrase in own[name]]
    phrases += [*vocabulary(), *(kind for kinds in types.values() for kind in kinds)]
    known = {part for phrase in phrases for part in stems(phrase)} | set(stems(own["plain"]))
    for word in dict.fromkeys(words(text)):
        if stem(word) not in known and not word.isdigit():
            yield word


def vocabulary() -> list[str]:
    """All words and phrases that mean something in a query."""
    parts = (table(name) for name in ("families", "disciplines", "levels", "aims"))
    return sorted({phrase for part in parts for phrases in part.values() for phrase in phrases})


def stems(text: str) -> list[str]:
    """The words of a text without their endings."""
    return [stem(word) for word in words(text)]


def occurs(said: list[str], phrase: str) -> bool:
    """Whether a phrase is among the stems of a text, word after word."""
    wanted = stems(phrase)
    n = len(wanted)
    return n > 0 and any(said[k : k + n] == wanted for k in range(len(said) - n + 1))


def _named(said: list[str], table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The entries of a table of which a phrase occurs."""
    return tuple(name for name, phrases in table.items() if any(occurs(said, phrase) for phrase in phrases))
