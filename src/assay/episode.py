"""The episode log: one schema for every suite, whoever played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from assay import canonical
from assay.parts import BlobRef, Part, Status

MOST_TOKENS = 1 << 40
"""Largest token count accepted for one reply; anything outside [0, MOST_TOKENS] is invalid."""

EventKind = Literal["call", "code", "outside", "file"]
"""`call`: at the agent's door. `code`: nested, by a block of code. `outside`: a value that cannot be made
again. `file`: a file of the workspace that a call changed."""


@dataclass(frozen=True)
class Event:
    """One call, or one consequence of a call; `step` counts from 0, `parent` is the step it belongs to.

    `ended` is the status with which a call ended the episode; `fresh` says that the context began anew.
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
        """The event as a JSON value."""
        return {
            "step": self.step,
            "parent": self.parent,
            "kind": self.kind,
            "tool": self.tool,
            "arguments": self.arguments,
            "parts": encode_parts(self.parts),
            "ok": self.ok,
            "error": self.error,
            "charged": self.charged,
            "ended": self.ended,
            "fresh": self.fresh,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Event:
        """The event of a JSON value; `KeyError` or `TypeError` where it is not one."""
        return cls(**{**value, "parts": decode_parts(value["parts"])})


@dataclass(frozen=True)
class Episode:
    """One attempt of one agent at one task, and all that happened in it.

    `submission` is what is scored (null: nothing), `counters` what was drawn from each limit. Tokens are
    null for solvers. `scaffold_sha256` names the version of the loop around a model. A `privileged` agent
    was told the truth.
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
        """sha256 (hex) of the canonical text of all events."""
        return canonical.digest([event.to_json() for event in self.events])

    def calls(self, tool: str, *, ok: bool = True) -> tuple[Event, ...]:
        """The calls of one tool at the agent's door, in order; with `ok` only those that succeeded."""
        return tuple(e for e in self.events if e.kind == "call" and e.tool == tool and (e.ok or not ok))


def encode_parts(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Parts as JSON: `{"text": ...}`, `{"blob": ...}` or `{"json": ...}`."""
    return [
        {"text": p}
        if isinstance(p, str)
        else {"blob": {"sha256": p.sha256, "media_type": p.media_type, "size": p.size}}
        if isinstance(p, BlobRef)
        else {"json": p}
        for p in parts
    ]


def decode_parts(value: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The parts of their JSON form."""
    return tuple(
        p["text"] if "text" in p else BlobRef(**p["blob"]) if "blob" in p else p["json"] for p in value
    )


def blobs_of(event: Event) -> list[str]:
    """The hashes of the contents that an event shows."""
    return [p.sha256 for p in event.parts if isinstance(p, BlobRef)]


def episode_row(episode: Episode) -> dict[str, Any]:
    """The episode's row of the table `episodes`."""
    return {
        **_identity(episode),
        "status": episode.status,
        "reason": episode.reason,
        "submission": None if episode.submission is None else canonical.dumps(episode.submission),
        "counters": canonical.dumps(dict(episode.counters)),
        "n_events": len(episode.events),
        "tokens_in": episode.tokens_in,
        "tokens_out": episode.tokens_out,
        "source": episode.source,
        "privileged": episode.privileged,
        "scaffold_sha256": episode.scaffold_sha256,
        "log_sha256": episode.log_sha256,
    }


def event_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """The episode's rows of the table `events`."""
    identity = _identity(episode)
    for event in episode.events:
        yield {
            **identity,
            "step": event.step,
            "parent": event.parent,
            "kind": event.kind,
            "tool": event.tool,
            "arguments": canonical.dumps(event.arguments),
            "parts": canonical.dumps(encode_parts(event.parts)),
            "ok": event.ok,
            "error": event.error,
            "charged": event.charged,
            "ended": event.ended,
            "fresh": event.fresh,
            "blobs": canonical.dumps(blobs_of(event)),
        }


def from_rows(row: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> Episode:
    """The episode of its row and its events' rows (in order of step)."""
    return Episode(
        suite=row["suite"],
        task_set=row["task_set"],
        task_id=row["task_id"],
        agent=row["agent"],
        attempt=row["attempt"],
        status=row["status"],
        reason=row["reason"],
        submission=None if row["submission"] is None else canonical.loads(row["submission"]),
        counters=canonical.loads(row["counters"]),
        events=tuple(
            Event(
                step=e["step"],
                parent=e["parent"],
                kind=e["kind"],
                tool=e["tool"],
                arguments=canonical.loads(e["arguments"]),
                parts=decode_parts(canonical.loads(e["parts"])),
                ok=e["ok"],
                error=e["error"],
                charged=e["charged"],
                ended=e["ended"],
                fresh=e["fresh"],
            )
            for e in events
        ),
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        source=row["source"],
        scaffold_sha256=row["scaffold_sha256"],
        privileged=row["privileged"],
    )


def _identity(episode: Episode) -> dict[str, Any]:
    return {
        "suite": episode.suite,
        "task_set": episode.task_set,
        "task_id": episode.task_id,
        "agent": episode.agent,
        "attempt": episode.attempt,
    }
