"""What a model is asked at test time, and the related works that each answer is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import UnknownName
from assay.numbers import rng
from assay.suites.sgi.items import item_of
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.retrieval import Ranking
from assay.task import read_frozen

FOLDER = Path("tasks/sgi/ideas-v0")
"""Items whose related works and reference are in words; plans of version 1 have none."""

FORM = (
    "Think first, then answer. Your whole reply has the form "
    "<think>your thoughts</think><answer>your JSON object</answer>"
)


@dataclass(frozen=True)
class Prompt:
    """A question, its item, and the related works that were retrieved for it."""

    text: str
    item: Mapping[str, Any]
    related: tuple[str, ...]


class Retriever:
    """Related works by BM25 over a corpus that stays as it is for the whole run; its digest names it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(sorted(texts.items()))
        self._ranking = Ranking(self._texts)
        self.sha256 = canonical.digest(self._texts)

    def search(self, text: str, n: int) -> tuple[str, ...]:
        """The `n` works that share most with a text."""
        return tuple(self._texts[name] for name in self._ranking.best(text, n))


def corpus(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The related works and existing solutions of items, all of which their prompts show."""
    return {
        f"{row['idx']} {title}": f"{title}: {text}"
        for row in rows
        for cell in ("related_work", "existing_solutions")
        for title, text in literal(row[cell]).items()
    }


def items(seed: int, n: int) -> list[Mapping[str, Any]]:
    """The first `n` items of the archived set, in an order that the seed decides.

    Raises:
        UnknownName: if the set has fewer items.
    """
    rows = [item_of(read_frozen(path)) for path in sorted(FOLDER.glob("*.json"))]
    if n > len(rows):
        raise UnknownName(f"{FOLDER} holds {len(rows)} items, not {n}", "ask for fewer: --set items.count=N")
    rng.stream(seed, "sgi", "learning", "items").shuffle(rows)
    return [*rows[:n]]


def prompts(seed: int, n: int, related: int, characters: int | None = None) -> tuple[list[Prompt], Retriever]:
    """The prompts of `n` archived items, and what they were retrieved from.

    `characters`: only the last so many of each prompt, for models that cannot read more.
    """
    rows = items(seed, n)
    retriever = Retriever(corpus(rows))
    found = []
    for row in rows:
        text = f"{row['question']}\n\n{FORM}\n"
        shown = text if characters is None else text[-characters:]
        found.append(Prompt(shown, row, retriever.search(row["task_objective"] + row["challenge"], related)))
    return found, retriever
