"""The log of an episode, the same for every suite and every kind of agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from assay import canonical
from assay.parts import BlobRef, Part, Status

MOST_TOKENS = 1 << 40
"""Largest token count accepted for one reply; anything outside [0, MOST_TOKENS] is invalid."""

EventKind = Literal["call", "code", "outside", "file"]
"""The kind of an event.

* `call`: the agent called a tool.
* `code`: a block of code called a tool, within a call.
* `outside`: a value that cannot be reproduced, see `assay.protocol.Door`.
* `file`: a call changed a file of the workspace.
"""


@dataclass(frozen=True)
class Event:
    """A call, or a consequence of a call.

    Attributes:
        step: The number of the event, from 0.
        parent: The step of the call to which it belongs; `None` for a call of the agent.
        kind: The kind of event.
        tool: The tool that was called.
        arguments: The arguments of the call; for an event of the kind `file`, the path of the file.
        parts: The result.
        ok: Whether the call was carried out.
        error: Why the call was refused; `None` if it was carried out.
        charged: The amount that the call added to the tool's counter.
        ended: The status with which the call ended the episode, or `None`.
        fresh: Whether the call cleared the agent's context.
    """

    step: int
    parent: int | None
    kind: EventKind
    tool: str
    arguments: Any
    parts: tuple[Part, ...]
    ok: bool
    error: str | None
    charged: int
    ended: Status | None = None
    fresh: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the event as a JSON value."""
        return {**vars(self), "parts": encode_parts(self.parts)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Event:
        """Return the event that a JSON value describes.

        Raises:
            KeyError, TypeError: If it does not describe an event.
        """
        return cls(**{**value, "parts": decode_parts(value["parts"])})


@dataclass(frozen=True)
class Episode:
    """One attempt of one agent at one task, with its complete log.

    Attributes:
        suite: The suite of the task.
        task_set: The set of the task.
        task_id: The task.
        agent: The name of the agent.
        attempt: The number of the attempt, from 0.
        status: How the episode ended.
        reason: Why the episode ended, in words; empty if the status says it.
        submission: The submission that is scored; `None` if the agent made no submission.
        counters: The amount that was used of each counter.
        events: The log, in order of step.
        tokens_in: The tokens that a model read; `None` for a solver.
        tokens_out: The tokens that a model wrote; `None` for a solver.
        source: Whether a solver played the episode or a recording was replayed.
        scaffold_sha256: The hash (hex) that identifies the version of the loop around a model
            (`assay.agents.model`); `None` if another program or a solver played.
        privileged: Whether the agent received the hidden truth of the task.
    """

    suite: str
    task_set: str
    task_id: str
    agent: str
    attempt: int
    status: Status
    reason: str
    submission: Any
    counters: Mapping[str, int]
    events: tuple[Event, ...]
    tokens_in: int | None = None
    tokens_out: int | None = None
    source: Literal["solver", "recording"] = "solver"
    scaffold_sha256: str | None = None
    privileged: bool = False

    @cached_property
    def log_sha256(self) -> str:
        """The sha256 (hex) of the canonical text of all events."""
        return canonical.digest([event.to_json() for event in self.events])

    def calls(self, tool: str, *, ok: bool = True) -> tuple[Event, ...]:
        """Return the agent's calls of one tool, in order.

        Args:
            tool: The name of the tool.
            ok: Whether to return only calls that were not refused.
        """
        return tuple(e for e in self.events if e.kind == "call" and e.tool == tool and (e.ok or not ok))


def encode_parts(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return parts as JSON values, each of the form `{"text": ...}`, `{"blob": ...}` or `{"json": ...}`.

    Example:
        >>> encode_parts(("Drawn.", {"red": 1}))
        [{'text': 'Drawn.'}, {'json': {'red': 1}}]
    """
    return [
        {"text": p}
        if isinstance(p, str)
        else {"blob": {"sha256": p.sha256, "media_type": p.media_type, "size": p.size}}
        if isinstance(p, BlobRef)
        else {"json": p}
        for p in parts
    ]


def decode_parts(value: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """Return the parts that JSON values describe; the inverse of `encode_parts`."""
    return tuple(
        p["text"] if "text" in p else BlobRef(**p["blob"]) if "blob" in p else p["json"] for p in value
    )


def blobs_of(event: Event) -> list[str]:
    """Return the hashes of the pictures, files and long texts in the result of an event."""
    return [p.sha256 for p in event.parts if isinstance(p, BlobRef)]


_IDENTITY = ("suite", "task_set", "task_id", "agent", "attempt")
_PLAIN = ("status", "reason", "tokens_in", "tokens_out", "source", "scaffold_sha256", "privileged")
"""Fields of an episode that a row of the table `episodes` holds unchanged."""

_EVENT = tuple(field.name for field in fields(Event))


def episode_row(episode: Episode) -> dict[str, Any]:
    """Return the row of an episode in the table `episodes`."""
    return {
        **{name: getattr(episode, name) for name in (*_IDENTITY, *_PLAIN)},
        "submission": None if episode.submission is None else canonical.dumps(episode.submission),
        "counters": canonical.dumps(dict(episode.counters)),
        "n_events": len(episode.events),
        "log_sha256": episode.log_sha256,
    }


def event_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """Yield the rows of an episode in the table `events`."""
    identity = {name: getattr(episode, name) for name in _IDENTITY}
    for event in episode.events:
        yield {
            **identity,
            **vars(event),
            "arguments": canonical.dumps(event.arguments),
            "parts": canonical.dumps(encode_parts(event.parts)),
            "blobs": canonical.dumps(blobs_of(event)),
        }


def from_rows(row: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> Episode:
    """Return the episode that these rows describe.

    Args:
        row: Its row in the table `episodes`.
        events: Its rows in the table `events`, in order of step.
    """
    return Episode(
        **{name: row[name] for name in (*_IDENTITY, *_PLAIN)},
        submission=None if row["submission"] is None else canonical.loads(row["submission"]),
        counters=canonical.loads(row["counters"]),
        events=tuple(_event_of(row) for row in events),
    )


def _event_of(row: Mapping[str, Any]) -> Event:
    value = {name: row[name] for name in _EVENT}
    value["arguments"] = canonical.loads(row["arguments"])
    value["parts"] = decode_parts(canonical.loads(row["parts"]))
    return Event(**value)
