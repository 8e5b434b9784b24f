"""An item is the first of its draws that breaks no rule of its family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import TaskError
from assay.suites.sgi.families import Family
from assay.suites.sgi.seeding import ItemStream, item_seed, item_stream

MOST_ATTEMPTS = 200


class Rejected(Exception):
    """A draw that breaks a rule; the text names the rule."""


def first_passing(
    root: int, family: Family, index: int, level: int, name: str, draw: Callable[[ItemStream], dict[str, Any]]
) -> dict[str, Any]:
    """The first draw that raises no `Rejected`, each from the stream of its attempt.

    `name` says what is drawn, for the `TaskError` where none of `MOST_ATTEMPTS` passes.
    """
    seed = item_seed(root, family, index)
    failed = ""
    for attempt in range(MOST_ATTEMPTS):
        try:
            return draw(item_stream(seed, family, level, index, attempt))
        except Rejected as rejected:
            failed = str(rejected)
    raise TaskError(
        f"no {name} item of level {level} passes in {MOST_ATTEMPTS} draws; the last broke: {failed}",
        "take another seed",
    )
