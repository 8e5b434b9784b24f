"""Questions to judges about a reply, and how their answers are read.

As in the paper a judge is shown the reference of an item, since it is asked how the reply compares with
it. It is shown no score and no flag. Scores never rest on opinions: `judging.tables` shows what they add up
to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.episode import Episode
from assay.protocol import Materials, Opinion, Part, Question, Role
from assay.sessions.opinion import json_object
from assay.suites.sgi.items import item_of
from assay.suites.sgi.metrics.ideas import DIMENSIONS, KEYS
from assay.suites.sgi.reasoning.arms import lettered
from assay.task import Task

DATA_FILES = ("questions.yaml",)
LONGEST = 20_000
"""Characters of a text that a judge is shown."""

NO_DIMENSION = "none"
VOTES = ("votes-first", "votes-second")
MARKS = ("steps", "reasoning", "dry-quality")
"""Roles that end in a number between 0 and 1."""

_MARK = '{"mark": a number from 0 to 10, "reason": "..."}'
_VOTE = ", ".join(f'"{name}": "A" or "B"' for name in DIMENSIONS)
FORMS: Mapping[str, str] = {
    "steps": '{"steps": [true, false, ...], "reason": "..."}, one entry a step of the reply',
    **dict.fromkeys(("reasoning", "dry-quality"), _MARK),
    **dict.fromkeys(VOTES, f'{{{_VOTE}, "reason": "..."}}'),
}
"""The form of a judge's reply, by role."""

WON = tuple(
    " ".join(name for name, won in zip(DIMENSIONS, mask, strict=True) if won) or NO_DIMENSION
    for mask in product((False, True), repeat=len(DIMENSIONS))
)
"""Labels of the roles of votes: the dimensions in which the reply wins."""


@cache
def questions() -> Mapping[str, Any]:
    """The file `questions.yaml`."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


ROLES: Mapping[str, Role] = {
    name: Role(of["doc"], WON, reference=True)
    if name in VOTES
    else Role(of["doc"], ("marked",), 0.0, 1.0, reference=name != "dry-quality")
    for name, of in questions().items()
}


def question(role: str, task: Task, episode: Episode, materials: Materials) -> Question | None:
    """The question of a role about a reply; None for items of other families and empty replies."""
    asked, reply = questions()[role], episode.submission
    if task.public.get("family") != asked["family"] or not isinstance(reply, str) or not reply.strip():
        return None
    item = item_of(task)
    if role in VOTES and not any(item.get(key) for key in ("core_idea", "answer")):
        return None
    parts: list[Part] = [f"# {name}\n\n{_cut(_text(name, item))}" for name in asked["show"] if item.get(name)]
    mine = _cut(reply)
    if role in VOTES:
        pair = (mine, _cut(reference_idea(item)))
        first, second = pair if role == "votes-first" else pair[::-1]
        parts += [f"# Idea A\n\n{first}", f"# Idea B\n\n{second}"]
    else:
        parts.append(f"# Reply\n\n{mine}")
    if asked["family"] == "experimental_reasoning":
        parts += task.blobs
    return Question(f"{asked['system']}\n\nReply with one JSON object: {FORMS[role]}.", tuple(parts))


def opinion(role: str, text: str) -> Opinion | None:
    """What a judge's reply says; None where it is not in the form of its role."""
    said = json_object(text) or {}
    reason = said.get("reason", "")
    if not isinstance(reason, str):
        return None
    if role in VOTES:
        mine = "A" if role == "votes-first" else "B"
        given = [said.get(name) for name in DIMENSIONS]
        if any(vote not in ("A", "B") for vote in given):
            return None
        won = [name for name, vote in zip(DIMENSIONS, given, strict=True) if vote == mine]
        return Opinion(" ".join(won) or NO_DIMENSION, reason=reason)
    if role == "steps":
        marks = said.get("steps")
        if not isinstance(marks, list) or any(not isinstance(mark, bool) for mark in marks):
            return None
        return Opinion("marked", sum(marks) / len(marks) if marks else 0.0, reason)
    mark = said.get("mark")
    if isinstance(mark, bool) or not isinstance(mark, int | float) or not 0 <= mark <= 10:
        return None
    return Opinion("marked", mark / 10, reason)


def reference_idea(item: Mapping[str, Any]) -> str:
    """The reference of an idea in the form of a reply, so that the form does not tell which is which."""
    if "core_idea" not in item:
        return str(item["answer"])
    columns = ("core_idea", "implementation_steps", "implementation_order", "data", "evaluation_metrics")
    values = (item.get(name) for name in (*columns, "expected_outcome"))
    return json.dumps(dict(zip(KEYS, values, strict=True)), ensure_ascii=False, indent=1)


def _text(name: str, item: Mapping[str, Any]) -> str:
    value = item[name]
    if name == "options":
        return lettered(value)
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _cut(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}... ({left} more characters)"
