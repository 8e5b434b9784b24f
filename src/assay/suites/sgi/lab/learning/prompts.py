"""What a model is asked at test time, and the related works that each answer is held against."""

from __future__ import annotations

from collections.abc import Mapping
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


def prompts(seed: int, n: int, related: int, characters: int | None = None) -> tuple[list[Prompt], str]:
    """The prompts of `n` archived items, and the sha256 of the corpus of related works.

    The corpus are the related works and existing solutions of these items, all of which their prompts show;
    BM25 ranks it.

    Args:
        seed: Decides the order of the items.
        n: The number of prompts.
        related: The number of related works of each.
        characters: Only the last so many of each prompt, for models that cannot read more.

    Raises:
        UnknownName: If the archived set has fewer items.
    """
    rows = [item_of(read_frozen(path)) for path in sorted(FOLDER.glob("*.json"))]
    if n > len(rows):
        raise UnknownName(f"{FOLDER} holds {len(rows)} items, not {n}", "ask for fewer: --set items.count=N")
    rng.stream(seed, "sgi", "learning", "items").shuffle(rows)
    texts = {
        f"{row['idx']} {title}": f"{title}: {text}"
        for row in rows[:n]
        for cell in ("related_work", "existing_solutions")
        for title, text in literal(row[cell]).items()
    }
    ranking = Ranking(texts)
    found = []
    for row in rows[:n]:
        shown = f"{row['question']}\n\n{FORM}\n"[-characters if characters else 0 :]
        best = ranking.best(row["task_objective"] + row["challenge"], related)
        found.append(Prompt(shown, row, tuple(texts[name] for name in best)))
    return found, canonical.digest(texts)
