"""`assay record`: let models play their tasks once, and record the sessions.

The command can be run again at any time: finished sessions are not repeated, and all others are continued
where they stopped. `--dry-run` prints how many requests there will be and what they may cost.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from assay.agents import configured
from assay.agents.player import Player
from assay.agents.ratelimit import RateLimit
from assay.config.agents import ModelEntry, RecordedTransport
from assay.config.loading import load
from assay.config.models import Config
from assay.config.released import declaration
from assay.console import say
from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.protocol import Materials
from assay.sessions import asking
from assay.sessions.programs.catalogue import size
from assay.sessions.record import Outcome, record
from assay.sessions.recording import PASSING, Identity, Recording, find, read
from assay.sessions.taskfiles import find_task
from assay.suite import Suite
from assay.task import Task


@dataclass(frozen=True)
class Session:
    """One attempt of a model at one task."""

    suite: Suite
    task: Task
    identity: Identity
    materials: Materials
    player: Player


@dataclass(frozen=True)
class Sweep:
    """All sessions of one model, recorded or not."""

    agent: str
    entry: ModelEntry
    sessions: tuple[Session, ...]
    recordings: Path

    @cached_property
    def limit(self) -> RateLimit:
        """The rate limit and the budget of its requests; tokens used in earlier sessions count."""
        used = [_used(read(path)) for _, path in find(self.recordings, self.agent)]
        return configured.limit(self.entry, sum(each[0] for each in used), sum(each[1] for each in used))

    def finished(self) -> dict[Identity, Recording]:
        """Return the recordings of the sessions that are complete and are not played again."""
        paths = {session.identity: session.identity.path(self.recordings) for session in self.sessions}
        recorded = {identity: read(path) for identity, path in paths.items() if path.exists()}
        return {
            identity: recording
            for identity, recording in recorded.items()
            if recording.end is not None and recording.end["status"] not in PASSING
        }

    def announce(self) -> None:
        """Print the number of sessions, how many are finished, and what the others may cost."""
        finished = self.finished()
        left = [session.player for session in self.sessions if session.identity not in finished]
        print(f"{self.agent}: {len(self.sessions)} sessions, {len(finished)} finished, {len(left)} to record")
        if not left:
            return
        turns, tokens = sum(s.limits.turns for s in left), sum(s.limits.tokens for s in left)
        price = configured.price(self.entry)
        dearest = max(price.tokens_in, price.tokens_out) / 1e6
        bounds = [(session.limits.tokens * dearest, session.limits.money) for session in left]
        cost = sum(most if money is None else min(most, money) for most, money in bounds)
        budget, limit, why = self.entry.budget, self.limit, "the limits of an episode, times the sessions"
        if budget.tokens is not None and budget.tokens - limit.tokens < tokens:
            tokens, why = max(0, budget.tokens - limit.tokens), "what is left of the budget"
            cost = min(cost, tokens * dearest)
        if budget.money is not None and budget.money - limit.money < cost:
            cost, why = max(0.0, budget.money - limit.money), "what is left of the budget"
        print(
            f"at most {turns:,} requests and {tokens:,} tokens"
            + (f" for {cost:,.2f}" if dearest else "")
            + f" ({why})"
        )
        if finished:
            share = len(left) / len(finished)
            used = [_used(recording) for recording in finished.values()]
            tokens_in, tokens_out = (round(share * sum(tokens[n] for tokens in used)) for n in (0, 1))
            requests = round(share * sum(len(recording.turns) for recording in finished.values()))
            print(
                f"likely {requests:,} requests,"
                f" {tokens_in:,} tokens read and {tokens_out:,} written"
                + (f", {price.of(tokens_in, tokens_out):,.2f}" if dearest else "")
                + " (as in the finished sessions)"
            )

    def do(self) -> int:
        """Record the missing sessions concurrently; returns how many sessions are still not complete."""
        statuses: Counter[str] = Counter()
        fresh = repeated = 0
        limit = self.limit
        with ThreadPoolExecutor(self.entry.access.episodes) as threads:
            waiting = {threads.submit(self._record, session, limit): session for session in self.sessions}
            for number, (session, outcome) in enumerate(limit.completed(waiting)):
                statuses[outcome.status] += 1
                fresh += outcome.played
                repeated += outcome.repeated
                say(f"{number + 1} of {len(self.sessions)}: {session.identity.name}: {outcome}")
        summary = ", ".join(f"{status} {count}" for status, count in sorted(statuses.items()))
        print(f"{self.agent}: {statuses.total()} sessions, {fresh} of them now: {summary}")
        print(f"requests repeated because an interruption had lost their reply: {repeated}")
        again = sum(statuses[status] for status in PASSING)
        if again:
            print(f"{again} sessions came to no end of their own: run `assay record {self.agent}` again")
        return again

    def _record(self, session: Session, limit: RateLimit) -> Outcome:
        if limit.stopped:
            raise CancelledError
        return record(
            session.suite,
            session.task,
            session.identity,
            session.player,
            session.materials,
            self.recordings,
            endpoint=configured.endpoint(self.entry),
            limit=limit,
        )


def _used(recording: Recording) -> tuple[int, int]:
    """Return the number of tokens read and the number written, over all turns."""
    usages = [turn["usage"] for turn in recording.turns]
    return sum(usage["tokens_in"] for usage in usages), sum(usage["tokens_out"] for usage in usages)


def plan(
    config: Config,
    agent: str,
    suite: str | None = None,
    task_set: str | None = None,
    *,
    tasks: int | None = None,
    turns: int | None = None,
    attempts: int | None = None,
    recordings: Path | None = None,
) -> Sweep:
    """Return the sessions that a model has to play.

    Args:
        config: The configuration.
        agent: The name of the model.
        suite: Only this suite.
        task_set: Only this set.
        tasks: Only this number of tasks of each set, from the first.
        turns: An upper bound for the number of replies in a session, in addition to the model's limit.
        attempts: The number of attempts at each task; by default, that of the agent.
        recordings: The folder of the recordings; by default, that of the configuration.

    Raises:
        UnknownName: If the configuration has no such model, or there is no task to record.
    """
    entry = _entry(config, agent)
    sessions: list[Session] = []
    for name, sets in sorted(entry.suites.items()):
        if name not in config.suites or suite not in (None, name):
            continue
        of_suite = config.suites[name]
        shared = KeyedArtefacts(of_suite.suite, (), MemoryBlobs())
        for each in sorted(of_suite.file.sets):
            if (sets == "all" or each in sets) and task_set in (None, each):
                player = configured.player(entry, declaration(of_suite.suite, each))
                fewer = min(turns or player.limits.turns, player.limits.turns)
                player = replace(player, limits=replace(player.limits, turns=fewer))
                for index in range(size(of_suite, each))[:tasks]:
                    blobs = MemoryBlobs()
                    task = find_task(of_suite, f"{each}/{index}", blobs)
                    for attempt in range(attempts or entry.attempts):
                        identity = Identity(agent, name, each, task.task_id, attempt)
                        materials = Materials(blobs, shared)
                        sessions.append(Session(of_suite.suite, task, identity, materials, player))
    if not sessions:
        raise UnknownName(
            "there is no task to record here",
            "correct --suite and --set, or the `suites` of the agent in the configuration",
        )
    return Sweep(agent, entry, tuple(sessions), recordings or config.project.recordings)


def _entry(config: Config, agent: str) -> ModelEntry:
    entry = config.agents.get(agent)
    if agent in config.judges:
        raise UnknownName(f"{agent} judges and does not play", f"ask it: assay judge {agent}")
    if entry is None:
        raise UnknownName(
            f"{config.project.agents} has no agent {agent!r}",
            f"add it there; its models are {', '.join(models(config)) or 'none yet'}",
        )
    if not isinstance(entry, ModelEntry):
        raise UnknownName(f"{agent} is a solver", "solvers play inside `make reproduce`; record models")
    if isinstance(entry.transport, RecordedTransport):
        raise UnknownName(
            f"{agent} plays through another interface, and cannot be asked",
            "use `assay mcp --record`, `assay import` or `assay.open_task(..., record=True)`",
        )
    return entry


def models(config: Config) -> list[str]:
    """Return the names of the models that `assay record` can ask, sorted.

    Models that were recorded through another interface are left out.
    """
    return sorted(
        name
        for name, entry in config.agents.items()
        if isinstance(entry, ModelEntry) and not isinstance(entry.transport, RecordedTransport)
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    asking.add_arguments(parser, "model")
    parser.add_argument("--tasks", type=int, help="only so many tasks of each set")
    parser.add_argument("--turns", type=int, help="only so many replies an episode")
    parser.add_argument("--attempts", type=int, help="episodes a task (default: the agent's)")
    parser.add_argument("--recordings", type=Path, help="another folder than the configuration's")


def main(args: argparse.Namespace) -> int:
    """Record the missing sessions; returns 0 if every session is complete, else 1."""
    config = load(args.config)

    def sweep(name: str) -> Sweep:
        return plan(
            config,
            name,
            args.suite,
            args.task_set,
            tasks=args.tasks,
            turns=args.turns,
            attempts=args.attempts,
            recordings=args.recordings,
        )

    return asking.ask(args, config, "model", models(config), sweep)
