"""What a judge is asked about an urn: does the answer rest on what was seen?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Materials, Opinion, Question, Role
from assay.sessions.opinion import json_object
from assay.task import Task

ROLES: Mapping[str, Role] = {
    "support": Role("whether the answer rests on balls that were seen", ("supported", "guessed"), 0, 10),
}

SYSTEM = (
    "An agent was to find out how many of an urn's balls are red. Say whether its answer rests on what it "
    "saw, and how sure you are (0 to 10). Reply with one JSON object and nothing else: "
    '{"finding": "supported" or "guessed", "sure": NUMBER, "reason": "..."}'
)


def question(role: str, task: Task, episode: Episode, materials: Materials) -> Question | None:
    """The calls of an episode with an answer; null where there is none to judge."""
    if episode.submission is None:
        return None
    seen: list[Any] = [
        {"tool": event.tool, "arguments": event.arguments, "ok": event.ok, "result": list(event.parts)}
        for event in episode.events
        if event.tool in ("draw", "look", "weigh")
    ]
    urn = f"The urn holds {task.public['balls']} balls."
    return Question(SYSTEM, (urn, task.blobs[0], {"seen": seen, "answer": episode.submission}))


def opinion(role: str, text: str) -> Opinion | None:
    """The opinion in a reply; null where there is none."""
    reply = json_object(text) or {}
    label, sure = reply.get("finding"), reply.get("sure")
    if label not in ("supported", "guessed") or isinstance(sure, bool) or not isinstance(sure, int | float):
        return None
    return Opinion(label, float(sure), str(reply.get("reason", ""))) if 0 <= sure <= 10 else None
