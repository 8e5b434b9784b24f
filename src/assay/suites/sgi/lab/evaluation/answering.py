"""Somebody answers items through the harness in which everybody plays, or from a file of replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay import canonical
from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.model import SCAFFOLD_SHA256, ModelAgent
from assay.agents.ratelimit import RateLimit
from assay.agents.solver import SolverAgent
from assay.agents.transport import Reply, Request, Transport
from assay.config.agents import ModelEntry
from assay.config.models import Config
from assay.config.sets import find_set
from assay.episode import Episode, encode_parts
from assay.episodes.harness import play
from assay.episodes.identity import Identity
from assay.episodes.presentation import text_of
from assay.errors import TableError
from assay.numbers.rng import Stream
from assay.protocol import Agent, Brief, Call, Materials, TaskSet
from assay.task import Task


class Answerer:
    """A solver or model of the configuration, or replies that were made elsewhere.

    Args:
        config: The configuration.
        name: Who answers.
        replies: The replies by `idx` or set/task id; `None` to let the solver or model of that name play.

    Raises:
        UnknownName: If there is no such solver.
        ConfigError: If the key of a model is missing.
    """

    def __init__(self, config: Config, name: str, replies: Mapping[str, str] | None = None) -> None:
        self.name, self._replies = name, replies
        self.suite = config.suites["sgi"].suite
        entry = config.agents.get(name) if replies is None else None
        self._model = entry if isinstance(entry, ModelEntry) else None
        if self._model is not None:
            if problem := configured.missing_key(name, self._model):
                raise problem
            self._limit = configured.limit(self._model, 0, 0)
        elif replies is None:
            self._solver = self.suite.solver(getattr(entry, "solver", None) or name)

    def facts(self) -> dict[str, Any]:
        """What decides the answers, besides the items: a JSON value."""
        player = self._model and configured.player(self._model, TaskSet(1, 0, ""))
        model = player and {**player.facts(), "scaffold": SCAFFOLD_SHA256}
        replies = None if self._replies is None else canonical.digest(dict(self._replies))
        return {"name": self.name, "model": model, "replies": replies}

    def answer(self, task: Task, materials: Materials) -> Episode:
        """The episode of one item."""
        agent: Agent
        if self._replies is not None:
            names = (name for name in (f"{task.task_set}/{task.task_id}", idx_of(task)))
            agent = _Reciter(next((self._replies[name] for name in names if name in self._replies), None))
        elif self._model is not None:
            player = configured.player(self._model, find_set(self.suite, task.task_set))
            identity = Identity(self.name, task.suite, task.task_set, task.task_id, 0)
            live = connect(player, identity, materials.blobs, configured.endpoint(self._model))
            agent = ModelAgent(_Limited(live, self._limit), player, lambda turn: None)
        else:
            agent = SolverAgent(self._solver, task)
        return replace(
            play(self.suite, task, self.name, agent, 0, materials),
            privileged=isinstance(agent, SolverAgent) and self._solver.privileged,
            tokens_in=getattr(agent, "tokens_in", None),
            tokens_out=getattr(agent, "tokens_out", None),
        )


@dataclass(frozen=True)
class _Limited:
    """A transport behind the limit of all requests of its model."""

    live: Transport
    limit: RateLimit

    def ask(self, request: Request) -> Reply:
        return self.limit.ask(lambda: self.live.ask(request))


@dataclass(frozen=True)
class _Reciter:
    """Gives a reply that was made elsewhere; nothing where there is none."""

    reply: str | None

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        if self.reply is not None and brief.reply is not None:
            call(brief.reply, {"text": self.reply})


def idx_of(task: Task) -> str:
    """The `idx` of a task's item."""
    return str(task.hidden.get("idx", task.task_id))


def read_replies(path: Path) -> dict[str, str]:
    """The replies of a file: a JSON object a line, with `idx` (or set/task id) and `raw`.

    Raises:
        TableError: If a line holds no reply, or the second one to an item.
    """
    remedy = 'each line is a JSON object: {"idx": "SGX_WetExperiment_0003", "raw": "the reply"}'
    found: dict[str, str] = {}
    lines: list[str] = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            lines.append(line)
            if line.strip():
                value = json.loads(line)
                idx, raw = value["idx"], value["raw"]
                if not isinstance(idx, str) or not isinstance(raw, str):
                    raise ValueError("idx and raw must be texts")
                if idx in found:
                    raise ValueError(f"{idx} has a reply already")
                found[idx] = raw
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as problem:
        raise TableError(f"{path}, line {len(lines)}: no reply ({problem!r})", remedy) from problem
    return found


def prediction(task: Task, episode: Episode) -> dict[str, Any]:
    """What metrics and the report are told of an episode: a JSON value."""
    calls = [event for event in episode.events if event.kind == "call"]
    return {
        "idx": idx_of(task),
        "family": task.strata["family"],
        "model": episode.agent,
        "sample": episode.attempt,
        "raw": episode.submission if isinstance(episode.submission, str) else "",
        "status": episode.status,
        "error": episode.reason,
        "privileged": episode.privileged,
        "usage": {"in": episode.tokens_in, "out": episode.tokens_out, "calls": len(calls)},
        "tools": [
            {
                "step": event.step,
                "tool": event.tool,
                "args_sha256": canonical.digest(event.arguments),
                "ok": event.ok,
                "out_chars": sum(len(text_of(part)) for part in event.parts),
                "shown": _short(canonical.dumps(event.arguments)),
            }
            for event in calls
        ],
        "trace_sha256": canonical.digest([encode_parts(event.parts) for event in episode.events]),
    }


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
