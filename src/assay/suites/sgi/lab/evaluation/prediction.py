"""Third stage, first half: somebody answers each item, through the harness in which everybody plays."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from assay.protocol import Agent, Blobs, Brief, Call, Json, Materials, Result
from assay.suite import Suite
from assay.task import Task


@dataclass(frozen=True)
class Answerer:
    """Who answers: a solver or model of the configuration, or replies that were made elsewhere."""

    name: str
    replies: Mapping[str, str] | None = None


@dataclass
class Answered:
    """One episode, and the seconds that each call at the agent's door took."""

    episode: Episode
    seconds: list[float] = field(default_factory=list)


class Desk:
    """Where answers are given: the suite, the answerer, and one limit for all requests of a model."""

    def __init__(self, config: Config, answerer: Answerer) -> None:
        self.config, self.answerer = config, answerer
        self.suite: Suite = config.suites["sgi"].suite
        entry = config.agents.get(answerer.name) if answerer.replies is None else None
        self.model: ModelEntry | None = entry if isinstance(entry, ModelEntry) else None
        if self.model is not None:
            problem = configured.missing_key(answerer.name, self.model)
            if problem is not None:
                raise problem
            self.limit: RateLimit = configured.limit(self.model, 0, 0)
        elif answerer.replies is None:
            self.solver = self.suite.find(
                "solvers", "SOLVERS", getattr(entry, "solver", None) or answerer.name
            )

    def facts(self) -> dict[str, Any]:
        """What decides the answers, besides the items: a JSON value."""
        answerer = self.answerer
        return {
            "name": answerer.name,
            "model": None
            if self.model is None
            else {
                "transport": self.model.transport.model_dump(mode="json"),
                "decoding": self.model.decoding.model_dump(exclude_none=True),
                "protocol": self.model.protocol,
                "scaffold": SCAFFOLD_SHA256,
            },
            "replies": None if answerer.replies is None else canonical.digest(dict(answerer.replies)),
        }

    def answer(self, task: Task, materials: Materials) -> Answered:
        """Let the answerer play one item."""
        agent: Agent
        privileged = False
        if self.answerer.replies is not None:
            agent = _Reciter(_reply_to(self.answerer.replies, task))
        elif self.model is not None:
            agent = self._model_agent(task, materials.blobs)
        else:
            agent, privileged = SolverAgent(self.solver, task), self.solver.privileged
        timed = _Timed(agent)
        episode = play(self.suite, task, self.answerer.name, timed, 0, materials)
        episode = replace(
            episode,
            privileged=privileged,
            tokens_in=getattr(agent, "tokens_in", None),
            tokens_out=getattr(agent, "tokens_out", None),
        )
        return Answered(episode, timed.seconds)

    def _model_agent(self, task: Task, blobs: Blobs) -> ModelAgent:
        assert self.model is not None
        player = configured.player(self.model, find_set(self.suite, task.task_set))
        identity = Identity(self.answerer.name, task.suite, task.task_set, task.task_id, 0)
        live = connect(player, identity, blobs, configured.endpoint(self.model))
        return ModelAgent(_Limited(live, self.limit), player, lambda turn: None)


@dataclass(frozen=True)
class _Limited:
    """A transport behind the limit of all its requests."""

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


class _Timed:
    """An agent whose calls are timed; the seconds go beside the results, never into them."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.seconds: list[float] = []

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        def timed(tool: str, arguments: Json) -> Result:
            began = time.perf_counter()
            try:
                return call(tool, arguments)
            finally:
                self.seconds.append(time.perf_counter() - began)

        self._agent.act(brief, timed, stream)


def _reply_to(replies: Mapping[str, str], task: Task) -> str | None:
    """The reply to a task, named by its `idx` or as set/task id."""
    idx = str(task.hidden.get("idx", task.task_id))
    return next((replies[n] for n in (f"{task.task_set}/{task.task_id}", idx) if n in replies), None)


def read_replies(path: Path) -> dict[str, str]:
    """The replies of a file: a JSON object a line, with `idx` (or set/task id) and `raw`."""
    remedy = 'each line is a JSON object: {"idx": "SGX_WetExperiment_0003", "raw": "the reply"}'
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise TableError(f"{path} cannot be read ({problem})", remedy) from problem
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            idx, raw = value["idx"], value["raw"]
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise TableError(f"{path}, line {number}: no reply ({problem!r})", remedy) from problem
        if not isinstance(idx, str) or not isinstance(raw, str):
            raise TableError(f"{path}, line {number}: idx and raw must be texts", remedy)
        if idx in found:
            raise TableError(f"{path}, line {number}: {idx} has a reply already", "leave one of them out")
        found[idx] = raw
    return found


def prediction(task: Task, answered: Answered) -> dict[str, Any]:
    """What metrics and the report are told of an episode: a JSON value."""
    episode = answered.episode
    calls = [event for event in episode.events if event.kind == "call"]
    return {
        "idx": str(task.hidden.get("idx", task.task_id)),
        "family": task.strata["family"],
        "model": episode.agent,
        "sample": episode.attempt,
        "raw": episode.submission if isinstance(episode.submission, str) else "",
        "status": episode.status,
        "error": episode.reason,
        "privileged": episode.privileged,
        "usage": {
            "in": episode.tokens_in,
            "out": episode.tokens_out,
            "calls": len(calls),
        },
        "tools": [
            {
                "step": event.step,
                "tool": event.tool,
                "args_sha256": canonical.digest(event.arguments),
                "ok": event.ok,
                "out_chars": sum(len(text_of(part)) for part in event.parts),
                "shown": _short(event.arguments),
            }
            for event in calls
        ],
        "trace_sha256": canonical.digest([encode_parts(event.parts) for event in episode.events]),
    }


def _short(value: Any) -> str:
    text = canonical.dumps(value)
    return text if len(text) <= 120 else text[:117] + "..."
