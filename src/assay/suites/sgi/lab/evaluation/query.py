"""What a user asks for, and the words by which a query is understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UnknownName
from assay.suites.sgi.families import DISCIPLINES
from assay.suites.sgi.metrics.embedding import words
from assay.suites.sgi.metrics.ideas import stem

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
    """What a query wants: items of these kinds (empty: any) and what shall be measured (empty: all)."""

    families: tuple[str, ...] = ()
    disciplines: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    aims: tuple[str, ...] = ()
    n: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Intent:
        """The intent of its JSON value."""
        lists = {name: tuple(found) for name, found in value.items() if name != "n"}
        return cls(**lists, n=value["n"])

    def empty(self) -> bool:
        """Whether it asks for nothing in particular."""
        return not (self.families or self.disciplines or self.types or self.levels)


EVERYTHING = ("everything", "all families", "whole suite", "all tasks", "all items")
"""Phrases that ask for all families."""

FAMILY_WORDS: Mapping[str, tuple[str, ...]] = {
    "deep_research": ("deep research", "literature", "retrieval", "retrieve", "papers", "search"),
    "idea_generation": ("idea generation", "ideas", "ideation", "hypotheses", "proposals", "brainstorming"),
    "dry_experiment": ("dry experiment", "dry", "code", "coding", "programming", "functions", "computation"),
    "wet_experiment": ("wet experiment", "wet", "protocol", "laboratory", "bench", "procedures"),
    "experimental_reasoning": ("experimental reasoning", "figures", "pictures", "images", "plots", "charts"),
}

DISCIPLINE_WORDS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in DISCIPLINES},
    "astronomy": ("astronomy", "astrophysics", "stars", "galaxies", "cosmology"),
    "chemistry": ("chemistry", "chemical", "synthesis", "reactions"),
    "earth": ("earth", "geology", "climate", "atmosphere", "ocean"),
    "energy": ("energy", "power grid", "batteries", "photovoltaics"),
    "information": ("information", "computer science", "machine learning"),
    "life": ("life", "biology", "cells", "genes", "medicine", "biomedical"),
    "material": ("material", "alloys", "crystals", "polymers"),
    "mathematics": ("mathematics", "maths"),
    "neuroscience": ("neuroscience", "neurons", "brain"),
    "physics": ("physics", "quantum", "optics", "mechanics"),
}

LEVEL_WORDS: Mapping[str, tuple[str, ...]] = {
    "1": ("level 1", "easiest", "easy"),
    "2": ("level 2", "easy", "moderate"),
    "3": ("level 3", "moderate", "hard", "difficult"),
    "4": ("level 4", "hardest", "hard", "difficult"),
}

AIM_WORDS: Mapping[str, tuple[str, ...]] = {
    "outcome": ("right", "correct", "accuracy", "answers", "outcome", "score", "how well", "performance"),
    "process": ("steps", "reasoning", "process", "order", "sequence", "intermediate"),
    "execution": ("execute", "executable", "tests", "crash", "run"),
    "parameters": ("parameters", "doses", "quantities", "amounts", "settings"),
    "originality": ("novel", "novelty", "original", "creative", "creativity", "innovation"),
    "planning": ("plan", "feasible", "feasibility", "detail", "detailed"),
    "restraint": ("decoy", "unneeded", "distractors", "stuffing"),
}
"""What may be measured, and the words for it."""


COUNT = re.compile(
    r"(?<!level )\b(\d{1,4})\s+(?:[\w-]+\s+){0,3}?"
    r"(?:items?|questions?|tasks?|problems?|protocols?|ideas?|experiments?|functions?|figures?)\b"
)
"""A number of items: up to three words may stand between the two."""


def understand(query: Query, types: Mapping[str, Iterable[str]]) -> Intent:
    """The intent of a query by rules; `types` are the types that items of each family have.

    A type of one word counts only where its family is named too: `data` alone says nothing.
    """
    said = stems(query.text)
    families: tuple[str, ...] = _named(said, FAMILY_WORDS)
    if any(occurs(said, phrase) for phrase in EVERYTHING):
        families = tuple(FAMILY_WORDS)
    wanted = query.families or families
    found_types = sorted(
        {
            kind
            for family, kinds in types.items()
            for kind in kinds
            if occurs(said, kind) and (len(words(kind)) > 1 or family in wanted)
        }
    )
    number = COUNT.search(query.text.casefold())
    return Intent(
        wanted,
        query.disciplines or _named(said, DISCIPLINE_WORDS),
        query.types or tuple(found_types),
        query.levels or _named(said, LEVEL_WORDS),
        _named(said, AIM_WORDS),
        query.n if query.n is not None else int(number[1]) if number else None,
    )


def vocabulary() -> list[str]:
    """All words and phrases that mean something in a query."""
    tables = (FAMILY_WORDS, DISCIPLINE_WORDS, LEVEL_WORDS, AIM_WORDS)
    return sorted({phrase for table in tables for phrases in table.values() for phrase in phrases})


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
