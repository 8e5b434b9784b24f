"""What a model is asked at test time, and the related works that each answer is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay import canonical
from assay.suites.sgi.ideas import items
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.retrieval import Ranking

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


def prompts(seed: int, n: int, related: int, characters: int | None = None) -> tuple[list[Prompt], Retriever]:
    """The prompts of `n` generated items, and what they were retrieved from.

    `characters`: only the last so many of each prompt, for models that cannot read more.
    """
    rows = [items.generate(seed, index) for index in range(n)]
    retriever = Retriever(corpus(rows))
    found = []
    for row in rows:
        text = f"{row['question']}\n\n{FORM}\n"
        shown = text if characters is None else text[-characters:]
        found.append(Prompt(shown, row, retriever.search(row["task_objective"] + row["challenge"], related)))
    return found, retriever
