"""Solvers, models and files of replies that answer items, and models that read the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay import canonical
from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.model import SCAFFOLD_SHA256, ModelAgent, writable
from assay.agents.ratelimit import RateLimit
from assay.agents.solver import SolverAgent
from assay.agents.transport import Reply, Request, Transport, TransportError
from assay.config.agents import JudgeEntry, ModelEntry
from assay.config.models import Config
from assay.config.sets import find_set
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.episodes.identity import Identity
from assay.errors import TableError, UnknownName
from assay.numbers.rng import Stream
from assay.protocol import Agent, Brief, Call, Materials, Question, TaskSet
from assay.sessions.opinion import json_object, request
from assay.suites.sgi.lab.evaluation.metric import builtin_metrics
from assay.suites.sgi.lab.evaluation.query import STRATA, Intent, understand, vocabulary
from assay.task import Task


@dataclass(frozen=True)
class _Live:
    """A connected model behind the limit of all of its requests."""

    transport: Transport
    limit: RateLimit

    def ask(self, asked: Request) -> Reply:
        return self.limit.ask(lambda: self.transport.ask(asked))


@dataclass(frozen=True)
class _Reciter:
    """Returns a reply that was made elsewhere, or an empty one if there is none."""

    reply: str | None

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        if self.reply is not None and brief.reply is not None:
            call(brief.reply, {"text": self.reply})


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

    def money(self, tokens_in: int, tokens_out: int) -> float:
        """The price of the model's tokens."""
        return configured.price(self._model).of(tokens_in, tokens_out) if self._model else 0.0

    def answer(self, task: Task, materials: Materials) -> dict[str, Any]:
        """The prediction for one item: a JSON value (see `metric.Evaluate`)."""
        agent: Agent
        privileged = False
        if self._replies is not None:
            names = (f"{task.task_set}/{task.task_id}", idx_of(task))
            agent = _Reciter(next((self._replies[name] for name in names if name in self._replies), None))
        elif self._model is not None:
            player = configured.player(self._model, find_set(self.suite, task.task_set))
            identity = Identity(self.name, task.suite, task.task_set, task.task_id, 0)
            live = connect(player, identity, materials.blobs, configured.endpoint(self._model))
            agent = ModelAgent(_Live(live, self._limit), player, lambda turn: None)
        else:
            agent, privileged = SolverAgent(self._solver, task, materials.blobs), self._solver.privileged
        episode = play(self.suite, task, self.name, agent, 0, materials)
        calls = [event for event in episode.events if event.kind == "call"]
        tokens = {"in": getattr(agent, "tokens_in", None), "out": getattr(agent, "tokens_out", None)}
        return {
            "idx": idx_of(task),
            "family": task.strata["family"],
            "model": self.name,
            "raw": episode.submission if isinstance(episode.submission, str) else "",
            "status": episode.status,
            "error": episode.reason,
            "privileged": privileged,
            "usage": {**tokens, "calls": len(calls)},
            "tools": [
                {"tool": call.tool, "ok": call.ok, "shown": canonical.dumps(call.arguments)[:120]}
                for call in calls
            ],
        }


def idx_of(task: Task) -> str:
    """The `idx` of a task's item."""
    return str(task.hidden.get("idx", task.task_id))


def read_replies(path: Path) -> dict[str, str]:
    """The replies of a file: a JSON object a line, with `idx` (or set/task id) and `raw`.

    Raises:
        TableError: If a line holds no reply, or the second one to an item.
    """
    found: dict[str, str] = {}
    at = 0
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            at += 1
            if line.strip():
                value = canonical.loads(line)
                idx, raw = value["idx"], value["raw"]
                if not isinstance(idx, str) or not isinstance(raw, str) or idx in found:
                    raise ValueError("idx and raw must be texts, and each idx stand once")
                found[idx] = raw
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise TableError(
            f"{path}, line {at}: no reply ({problem!r})",
            'each line is a JSON object: {"idx": "SGX_WetExperiment_0003", "raw": "the reply"}',
        ) from problem
    return found


class ModelReader:
    """Reads a query by asking a model; where its reply cannot be used, the stated vocabulary decides.

    Args:
        config: The configuration.
        name: A model or a judge of the configuration.

    Raises:
        UnknownName: If there is no such model.
        ConfigError: If its key is missing.
    """

    def __init__(self, config: Config, name: str) -> None:
        every: dict[str, Any] = {**config.agents, **config.judges}
        models = {n: entry for n, entry in every.items() if isinstance(entry, ModelEntry | JudgeEntry)}
        if name not in models:
            raise UnknownName(
                f"the configuration has no model {name!r}",
                f"its models are {', '.join(models) or 'none yet'}",
            )
        self.name, self._entry = name, models[name]
        if problem := configured.missing_key(name, self._entry):
            raise problem

    def __call__(self, text: str, types: Mapping[str, Iterable[str]]) -> Intent:
        """The intent of a query."""
        known: dict[str, Sequence[str]] = {
            **{stratum: [*vocabulary()[stratum]] for stratum in STRATA if stratum != "type"},
            "type": sorted({kind for kinds in types.values() for kind in kinds}),
            "metrics": [*builtin_metrics()],
        }
        titles = "\n".join(f"{spec.id}: {spec.title}" for spec in builtin_metrics().values())
        listed = "\n".join(f"{name}: {', '.join(values)}" for name, values in known.items())
        system = (
            "You turn a question about a benchmark into filters, and choose metrics that answer it. Reply "
            "with one JSON object; each key holds a list of these values and no others (an empty list: any), "
            f"and `n` a number or null.\n{listed}\n\nThe metrics are\n{titles}"
        )
        reply = json_object(self._asked(system, text)) or {}
        named = {name: reply[name] if isinstance(reply.get(name), list) else [] for name in known}
        kept = {name: tuple(v for v in values if v in named[name]) for name, values in known.items()}
        kinds = {stratum: kept[stratum] for stratum in STRATA if kept[stratum]}
        if not kinds:
            why = f"the stated vocabulary, since {self.name} named nothing that there is"
            return replace(understand(text, types), reader=why)
        dropped = sorted(str(v) for name, values in known.items() for v in named[name] if v not in values)
        without = f", without the unknown {', '.join(dropped)}" if dropped else ""
        n = reply.get("n")
        count = n if isinstance(n, int) and not isinstance(n, bool) and n > 0 else None
        return Intent(kinds, n=count, metrics=kept["metrics"], reader=self.name + without)

    def _asked(self, system: str, text: str) -> str:
        """The model's reply; empty where none can be had."""
        entry = self._entry
        player = (
            configured.judge(entry)
            if isinstance(entry, JudgeEntry)
            else configured.player(entry, TaskSet(1, 0, ""))
        )
        identity = Identity(self.name, "sgi", "evaluation", "query", 0)
        live = connect(player, identity, MemoryBlobs(), configured.endpoint(entry))
        limited = _Live(live, configured.limit(entry, 0, 0))
        try:
            reply = writable(limited.ask(request(Question(system, (text,)))))
        except TransportError:
            return ""
        return reply.text if reply.stop == "end" else ""
