"""The harness: the only connection between an agent and a world.

An agent (a solver, the loop around a model, a replayed recording) calls tools by name and receives results;
agent and world exchange nothing else. The harness checks arguments, counts, enforces limits, and logs every
call as an event until the episode is over.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from assay import canonical, surrogates
from assay.episode import Episode, Event, EventKind
from assay.episodes.workspace import TemporaryWorkspace
from assay.errors import PlatformError, SandboxError, SourceError, WriteError
from assay.numbers import rng
from assay.protocol import (
    NEVER_SCORED,
    Agent,
    BlobRef,
    Brief,
    Call,
    Json,
    Materials,
    Part,
    Result,
    Status,
    Tool,
    World,
    refused,
)
from assay.suite import Suite
from assay.task import Task

INLINE_TEXT = 4096
"""Texts with more bytes are stored by hash, and the log holds the hash."""

MOST_CALLS = 10_000
"""The limit `calls` if a brief declares none, so that no agent can fill the disk with its log."""

MOST_EVENTS = 200_000
"""The largest number of events. A nested call beyond it ends the episode, so that the log stays small."""

REMEMBERED = 1000
"""Arguments of at most so many characters are checked once; longer ones hardly occur twice."""

DEEPEST = 100
"""The largest nesting depth of arguments. Python's recursion limit would depend on the caller's stack."""

MOST_LATE_CALLS = 1_000
"""The number of calls after the end of the episode that are refused.

The next one raises `EpisodeOver`, because an agent could ignore refusals forever.
"""

NOT_JSON = "the arguments of {} must be a JSON object with finite numbers"
"""The refusal of arguments that are not a JSON object; the log holds the name of their type instead."""

NOT_OF_THE_EPISODE = (WriteError, SourceError, PlatformError, SandboxError, MemoryError)
"""Exceptions that end the job, because neither agent nor world is at fault but the machine or the
checkout."""

Log = Callable[[Event], None]
Outside = Callable[[Callable[[Call], Json], Call], Json]


class EpisodeOver(BaseException):
    """Raised in an agent that makes a call after a limit or a defect has ended the episode.

    It is a `BaseException`, so that no `except Exception` in an agent's code catches it.
    """


@dataclass
class Harness:
    """One episode in progress.

    Attributes:
        world: The world.
        brief: What the agent receives before its first call.
        materials: The stores of contents and artefacts; long texts of the log are put into `materials.blobs`.
        workspace: The folder of the episode.
        log: Called with each event when it is complete, so nested calls come before the call around them.
        outside: Called as `outside(run, call)` for a value that cannot be reproduced, in place of
            `run(call)`. A replay returns recorded values.
        events: The events so far, in the order of their completion.
        counters: The amount that was used of each counter.
        status: How the episode ended; `None` while it is in progress.
        reason: Why the episode ended; empty if the status says it.
    """

    world: World
    brief: Brief
    materials: Materials
    workspace: TemporaryWorkspace
    log: Log | None = None
    outside: Outside | None = None
    events: list[Event] = field(default_factory=list, init=False)
    counters: dict[str, int] = field(init=False)
    status: Status | None = field(default=None, init=False)
    reason: str = field(default="", init=False)
    _next_step: int = field(default=0, init=False)
    _late_calls: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        counted = [tool.counter for tool in self.brief.tools if tool.counter is not None]
        self.counters = dict.fromkeys(["calls", *self.brief.limits, *counted], 0)
        self._tools = {tool.name: tool for tool in self.brief.tools}
        self._schemas = {tool.name: canonical.dumps(tool.schema) for tool in self.brief.tools}

    def call(self, tool: str, arguments: Json) -> Result:
        """Carry out a call of the agent.

        Args:
            tool: The name of the tool.
            arguments: Its arguments, a JSON object.

        Returns:
            The result. A call that does not fit the tool's schema, or comes after the end, is refused.

        Raises:
            EpisodeOver: If the call exceeds a limit, if a defect of the world or a limit ends the episode
                during the call, or if the agent made too many calls after the end.
        """
        if self.status is not None:
            self._late_calls += 1
            if self._late_calls > MOST_LATE_CALLS:
                raise EpisodeOver
            return refused("the episode is over")
        most = self.brief.limits.get("calls", MOST_CALLS)
        if self.counters["calls"] >= most:
            self._end("budget", f"more than {most} calls")
            raise EpisodeOver
        self.counters["calls"] += 1
        result = self._execute(tool, arguments, parent=None, kind="call")
        # A nested call may have ended the episode. The result of the outer call must then say so.
        return result if self.status is None else replace(result, ended=self.status)

    def _execute(self, name: str, arguments: Json, parent: int | None, kind: EventKind) -> Result:
        step = self._step()
        name = surrogates.replace(name)
        arguments, result = self._check(name, arguments, kind)
        if result is None:
            tool = self._tools[name]
            try:
                result = _sealed(self.world.call(name, arguments, _Door(self, step, tool)))
            except NOT_OF_THE_EPISODE:
                raise
            except EpisodeOver:
                # A nested call has ended the episode. The calls around it are also logged.
                self._write(
                    step, parent, kind, name, arguments, refused("the episode ended within this call")
                )
                raise
            except Exception as problem:
                # The text of an exception may contain the hidden truth, so the log gets only its type and
                # place.
                traceback.print_exc()
                self._write(step, parent, kind, name, arguments, refused("the world crashed"))
                self._end("crashed", f"{type(problem).__name__} in the tool {name}")
                raise EpisodeOver from problem
            if tool.counter is not None:
                self.counters[tool.counter] += result.charged
        self._write(step, parent, kind, name, arguments, result)
        for path, ref in self.workspace.changes(self.materials.blobs):
            self._append(Event(self._step(), step, "file", name, {"path": path}, (ref,), True, None, 0))
        if result.ended is not None:
            self._end(result.ended, "")
        return result

    def _check(self, name: str, arguments: Json, kind: EventKind) -> tuple[Json, Result | None]:
        """Return a copy of the arguments, and a refusal if the call must not reach the world, else `None`."""
        try:
            # A copy, so that later changes of the agent's objects reach neither the world nor the log.
            text = canonical.dumps(arguments)
            arguments = _parsed(text)
            if _deeper(arguments, DEEPEST):
                raise ValueError("nested too deeply")
        except (TypeError, ValueError, RecursionError):
            return {"not_json": type(arguments).__name__}, refused(NOT_JSON.format(name))
        audience = "agent" if kind == "call" else "code"
        tool = self._tools.get(name)
        if tool is None or tool.audience != audience:
            names = ", ".join(t.name for t in self.brief.tools if t.audience == audience)
            return arguments, refused(f"unknown tool {name[:100]!r}; the tools are {names}")
        if not _fits(self._schemas[name], text):
            problem = best_match(_validator(self._schemas[name]).iter_errors(arguments))
            return arguments, refused(_explain(name, problem))
        limit = None if tool.counter is None else self.brief.limits.get(tool.counter)
        if limit is not None and self.counters[tool.counter or ""] >= limit:
            spent = f"the budget is spent: all {limit} of the counter {tool.counter!r} are used"
            return arguments, refused(spent)
        return arguments, None

    def _step(self) -> int:
        self._next_step += 1
        return self._next_step - 1

    def _write(
        self, step: int, parent: int | None, kind: EventKind, tool: str, arguments: Json, result: Result
    ) -> None:
        parts = tuple(self._keep(part) for part in result.parts)
        self._append(
            Event(
                step=step,
                parent=parent,
                kind=kind,
                tool=tool,
                arguments=arguments,
                parts=parts,
                ok=result.ok,
                error=result.error,
                charged=result.charged,
                ended=result.ended,
                fresh=result.fresh,
            )
        )

    def _keep(self, part: Part) -> Part:
        """Return a part for the log: a long text is stored by hash, and data is copied."""
        if isinstance(part, BlobRef):
            return part
        if isinstance(part, str):
            data = part.encode()
            return self.materials.blobs.put(data, "text/plain") if len(data) > INLINE_TEXT else part
        return _copy(part)

    def _append(self, event: Event) -> None:
        self.events.append(event)
        if self.log is not None:
            self.log(event)

    def _end(self, status: Status, reason: str) -> None:
        if self.status is None:
            self.status, self.reason = status, reason


@dataclass(frozen=True)
class _Door:
    """The `Door` of the call whose event has the number `step`."""

    harness: Harness
    step: int
    tool: Tool

    def call(self, tool: str, arguments: Json) -> Result:
        if self.harness.status is not None:
            return refused("the episode is over")
        if self.harness._next_step >= MOST_EVENTS:
            self.harness._end("budget", f"more than {MOST_EVENTS} events")
            raise EpisodeOver
        return self.harness._execute(tool, arguments, parent=self.step, kind="code")

    def outside(self, run: Callable[[Call], Json]) -> Json:
        if self.tool.replay != "given":
            raise TypeError(f"the tool {self.tool.name} does not declare replay='given'")
        step = self.harness._step()
        call = replace(self, step=step).call
        log, name = self.harness._append, self.tool.name
        try:
            value = _copy(run(call) if self.harness.outside is None else self.harness.outside(run, call))
        except (Exception, EpisodeOver):
            log(Event(step, self.step, "outside", name, None, (), False, "it did not come to its end", 0))
            raise
        log(Event(step, self.step, "outside", name, None, (_copy(value),), True, None, 0))
        return value


class OpenEpisode:
    """An episode in progress, opened by `open_episode`.

    The function `play` lets an agent make the calls. A program with its own loop calls `harness` directly.

    Attributes:
        harness: The harness, which carries out the calls.
    """

    def __init__(
        self, task: Task, name: str, attempt: int, harness: Harness, scored_when_left: bool = False
    ) -> None:
        self.harness = harness
        self._scored_when_left = scored_when_left
        self._task = task
        self._name = name
        self._attempt = attempt
        self._finished: Episode | None = None

    def stop(self, status: Status, reason: str) -> None:
        """End the episode for a reason on the agent's side. This has no effect if the episode is over.

        In a world that scores every end (see `scored_when_left`), an agent cannot turn a bad episode into a
        missing one by a crash or a lost connection.
        """
        if self._scored_when_left and status in NEVER_SCORED:
            status, reason = "done", left(status, reason)
        self.harness._end(status, reason)

    def finish(self, enough: str = "") -> Episode:
        """End the episode, if it is not over yet, and return it.

        Args:
            enough: The reason why the agent stopped of its own accord. The status is then `done` if there is
                a submission, else `no_submission`.
        """
        if self._finished is None:
            self._finished = self._close(enough)
        return self._finished

    def _close(self, enough: str) -> Episode:
        harness, task = self.harness, self._task
        try:
            submission = _copy(harness.world.submission())
        except Exception as problem:
            traceback.print_exc()
            submission = None
            harness.status, harness.reason = "crashed", f"{type(problem).__name__} in the submission"
        if harness.status is None:
            harness._end("no_submission" if submission is None else "done", enough)
        return Episode(
            suite=task.suite,
            task_set=task.task_set,
            task_id=task.task_id,
            agent=self._name,
            attempt=self._attempt,
            status=harness.status or "no_submission",
            reason=harness.reason,
            submission=submission,
            counters=harness.counters,
            events=tuple(sorted(harness.events, key=lambda event: event.step)),
        )


def left(status: Status, reason: str) -> str:
    """Return the reason of an episode that is scored although its agent ended it with this status."""
    return f"left ({status}): {reason}"


def scored_when_left(suite: Suite, task: Task) -> bool:
    """Return whether an episode that its agent breaks off is scored from its state at that moment.

    The suite's room `world` may define `scored_when_left(task)`. Otherwise a crash of the agent and a lost
    connection leave the episode without a score.
    """
    declared = getattr(suite.room("world"), "scored_when_left", None)
    return declared is not None and bool(declared(task))


@contextmanager
def open_episode(
    suite: Suite,
    task: Task,
    name: str,
    attempt: int,
    materials: Materials,
    *,
    log: Log | None = None,
    outside: Outside | None = None,
) -> Iterator[OpenEpisode]:
    """Open the world of a task, with a harness, until the end of the `with` block.

    Args:
        suite: The suite of the task.
        task: The task.
        name: The name of the agent.
        attempt: The number of the attempt, from 0.
        materials: Contents by hash and artefacts by key.
        log: Called with each event when it is complete, see `Harness`.
        outside: Computes values that cannot be reproduced, see `Harness`.
    """
    with TemporaryWorkspace() as workspace:
        world = suite.room("world").open(
            task,
            materials,
            workspace,
            rng.stream(task.seed, task.suite, task.task_set, task.task_id, "world"),
        )
        try:
            harness = Harness(world, world.brief(), materials, workspace, log, outside)
            yield OpenEpisode(task, name, attempt, harness, scored_when_left(suite, task))
        finally:
            world.close()


def play(
    suite: Suite,
    task: Task,
    name: str,
    agent: Agent,
    attempt: int,
    materials: Materials,
    *,
    log: Log | None = None,
    outside: Outside | None = None,
) -> Episode:
    """Let an agent play one episode, and return it with its log.

    An exception in the agent or the world ends the episode with the status `crashed`. The reason then names
    the type and place of the exception, and the traceback is printed on standard error.

    Args:
        suite: The suite of the task.
        task: The task.
        name: The name of the agent; with the attempt it seeds the agent's random numbers.
        agent: The agent.
        attempt: The number of the attempt, from 0.
        materials: Contents by hash and artefacts by key.
        log: Called with each event when it is complete, see `Harness`.
        outside: Computes values that cannot be reproduced, see `Harness`.

    Example:
        >>> from pathlib import Path
        >>> from assay.agents.solver import SolverAgent
        >>> from assay.episodes.artefacts import materials_for
        >>> from assay.episodes.blobs import MemoryBlobs
        >>> from assay.task import read_frozen
        >>> causalab = Suite("causalab", "assay.suites.causalab")
        >>> task = read_frozen(Path("tasks/causalab/main-v0/00000.json"))
        >>> agent = SolverAgent(causalab.find("solvers", "SOLVERS", "exact"), task)
        >>> play(causalab, task, "exact", agent, 0, materials_for(causalab, MemoryBlobs())).status
        'done'
    """
    with open_episode(suite, task, name, attempt, materials, log=log, outside=outside) as episode:
        harness, enough = episode.harness, ""
        stream = rng.stream(0, task.suite, task.task_set, task.task_id, "agent", name, attempt)
        try:
            agent.act(harness.brief, harness.call, stream)
        except EpisodeOver:
            pass
        except NOT_OF_THE_EPISODE:
            raise
        except AgentStopped as stop:
            if stop.status is None:
                enough = stop.reason
            else:
                # The loop around a model takes a lost connection up again, so it is no end.
                harness._end(stop.status, stop.reason)
        except Exception as problem:
            traceback.print_exc()
            episode.stop("crashed", f"{type(problem).__name__} in the agent")
        return episode.finish(enough)


class AgentStopped(Exception):
    """Raised by an agent that stops, for example after a refusal, a cut reply or a lost connection.

    Attributes:
        status: The status of the episode; `None` if the agent stops of its own accord, see
            `OpenEpisode.finish`.
        reason: Why it stops, in words.
    """

    def __init__(self, status: Status | None, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def _copy(value: Json) -> Json:
    """Return a deep copy of a JSON value, or raise `TypeError` or `ValueError` if it is not JSON."""
    return _parsed(canonical.dumps(value))


def _parsed(text: str) -> Json:
    text.encode()  # refuses half of a surrogate pair, which no file could hold
    value: Json = canonical.loads(text)
    return value


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(canonical.loads(schema))


def _fits(schema: str, arguments: str) -> bool:
    """Return whether arguments fit a schema, both as canonical text.

    Agents repeat short calls thousands of times, and validation takes longer than most calls themselves.
    """
    check = _fits_schema if len(arguments) <= REMEMBERED else _fits_schema.__wrapped__
    return check(schema, arguments)


@lru_cache(maxsize=4096)
def _fits_schema(schema: str, arguments: str) -> bool:
    return bool(_validator(schema).is_valid(canonical.loads(arguments)))


def _deeper(value: Json, levels: int) -> bool:
    """Return whether lists and objects are nested in more than this number of levels."""
    layer: list[Any] = [value]
    for _ in range(levels + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


def _sealed(result: Result) -> Result:
    """Return a deep copy of a result, so that neither side sees later changes of the other."""
    parts = tuple(part if isinstance(part, BlobRef) else _copy(part) for part in result.parts)
    return replace(result, parts=parts, error=None if result.error is None else str(_copy(result.error)))


def _explain(tool: str, problem: ValidationError) -> str:
    """Return one sentence that names the wrong argument and what would be legal."""
    place = ".".join(str(key) for key in problem.absolute_path) or "arguments"
    message = problem.message if len(problem.message) <= 300 else problem.message[:300] + " ..."
    legal: Any = problem.schema.get("description") if isinstance(problem.schema, dict) else None
    return f"{tool}: {place}: {message}" + (f" ({legal})" if legal else "")
