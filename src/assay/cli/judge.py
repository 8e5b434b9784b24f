"""`assay judge`: ask judges about built episodes, each question once, and record the replies.

The command can be run again at any time: it asks only questions that have no reply, or whose recorded reply
answers a different question. `make reproduce` then makes the table `opinions` from the recorded replies.
"""

from __future__ import annotations

import argparse
import fcntl
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay import canonical
from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.model import writable
from assay.agents.ratelimit import RateLimit
from assay.agents.transport import Request, TransportError
from assay.build.job import Job
from assay.build.planning.plan import Plan
from assay.config.agents import JudgeEntry
from assay.config.loading import load, suite_of
from assay.config.models import Config
from assay.console import say
from assay.episodes.identity import Identity
from assay.errors import NotBuilt, RecordingError, UnknownName
from assay.protocol import Materials
from assay.sessions import asking, opinion
from assay.sessions.opinion import SCAFFOLD_SHA256, Case, Recorded
from assay.sessions.record import PROVENANCE, Noted, Notes
from assay.stages.opinions import questions
from assay.stages.shared.inputs import materials_of
from assay.writing import write_whole


@dataclass(frozen=True)
class Asked:
    """A question to a judge about an episode.

    Attributes:
        case: The judge, its role and the episode.
        request: The question as a request to the model.
        materials: The contents and artefacts that the question refers to.
        answered: Whether a reply to this question is recorded.
        stale: Whether the recorded reply is to an earlier form of the question.
    """

    case: Case
    request: Request
    materials: Materials
    answered: bool
    stale: bool


@dataclass(frozen=True)
class Session:
    """All questions to one judge."""

    judge: str
    entry: JudgeEntry
    questions: tuple[Asked, ...]
    recordings: Path

    @property
    def left(self) -> list[Asked]:
        """The questions without a recorded reply, including those that are too long to be asked."""
        return [asked for asked in self.questions if not asked.answered]

    def too_long(self, asked: Asked) -> bool:
        """Whether a question has more tokens, by an estimate, than the judge's limit."""
        return opinion.length(asked.request) > self.entry.limits.tokens

    def limit(self) -> RateLimit:
        """Return the rate limit and the budget of its requests; tokens of recorded replies count."""
        kept = [_read(path) for path in sorted((self.recordings / self.judge).rglob("*.json"))]
        used = [recorded.reply for recorded in kept if recorded is not None]
        return configured.limit(
            self.entry, sum(reply.tokens_in for reply in used), sum(reply.tokens_out for reply in used)
        )

    def announce(self) -> None:
        """Print the number of questions, how many have a reply, and what the others may cost."""
        left = self.left
        stale = sum(asked.stale for asked in left)
        print(
            f"{self.judge}: {len(self.questions)} questions, {len(self.questions) - len(left)} answered"
            f" before, {len(left)} to ask"
            + (f" ({stale} of them anew, as the question changed)" if stale else "")
        )
        now = [asked for asked in left if not self.too_long(asked)]
        if len(now) < len(left):
            print(f"{len(left) - len(now)} are longer than {self.entry.limits.tokens} tokens and not asked")
        if now:
            read = sum(opinion.length(asked.request) for asked in now)
            most = self.entry.decoding.max_tokens
            written = None if most is None else most * len(now)
            price = configured.price(self.entry)
            cost = price.of(read, written or 0)
            print(
                f"{len(now):,} requests, about {read:,} tokens to read and "
                + ("an unknown number" if written is None else f"at most {written:,}")
                + " to write"
                + (f", {cost:,.2f}" if cost else "")
                + (" without what is written" if cost and written is None else "")
            )

    def do(self) -> int:
        """Ask the unanswered questions concurrently; returns how many are still unanswered."""
        with _held(self.recordings / self.judge):
            return self._ask_all()

    def _ask_all(self) -> int:
        outcomes: Counter[str] = Counter()
        limit, left = self.limit(), self.left
        with ThreadPoolExecutor(self.entry.access.requests) as threads:
            waiting = {threads.submit(_ask, self, asked, limit): asked for asked in left}
            for number, (asked, outcome) in enumerate(limit.completed(waiting)):
                outcomes[outcome.partition(":")[0]] += 1
                say(f"{number + 1} of {len(left)}: {_name(asked.case)}: {outcome}")
        summary = "".join(f", {outcome} {count}" for outcome, count in sorted(outcomes.items()))
        print(f"{self.judge}: {len(self.questions)} questions, {len(left)} of them now{summary}")
        again = len(left) - outcomes["answered"]
        if again:
            print(f"{again} questions have no reply: run `assay judge {self.judge}` again")
        return again


def plan(config: Config, judge: str, suite: str | None = None, task_set: str | None = None) -> Session:
    """Return the questions to a judge about the built episodes.

    Args:
        config: The configuration.
        judge: The name of the judge.
        suite: Only this suite.
        task_set: Only this set.

    Raises:
        NotBuilt: If a table with episodes is missing.
        UnknownName: If there is no such judge, or no episode that it could judge.
        RecordingError: If a recorded reply cannot be read.
    """
    entry = _entry(config, judge)
    asked: list[Asked] = []
    files = Plan(config)
    files.check()
    recordings = config.project.recordings
    for name in sorted(entry.judges):
        if name not in config.suites or suite not in (None, name):
            continue
        job = _job(files, name, judge)
        materials = materials_of(job)
        for case, request in questions(job, materials):
            if task_set in (None, case.task_set):
                kept = _read(case.path(recordings))
                answered = (
                    kept is not None and kept.case == case and kept.answers(request, entry.model_facts())
                )
                asked.append(Asked(case, request, materials, answered, kept is not None and not answered))
    if not asked:
        raise UnknownName(
            f"there is no episode that {judge} could judge here",
            "correct --suite and --set, or `judges` of its entry in the configuration",
        )
    return Session(judge, entry, tuple(asked), recordings)


def _job(files: Plan, suite: str, judge: str) -> Job:
    """Return the job that replays the opinions in a build, with its inputs and without outputs.

    Raises:
        NotBuilt: If one of its inputs is missing.
    """
    paths = {
        "tasks": files.inputs.tasks_of_opinions(suite, judge),
        "blobs": files.inputs.blobs_of_opinions(suite, judge),
        "episodes": files.inputs.judged("episodes", suite, judge),
        "events": files.inputs.judged("events", suite, judge),
    }
    missing = [path for each in paths.values() for path in each if not Path(path).is_file()]
    if missing:
        raise NotBuilt(
            f"{missing[0]} is missing: a judge is asked about episodes that are built",
            "run `make reproduce` first, then `assay judge`, then `make reproduce` again",
        )
    inputs = {name: tuple(map(Path, each)) for name, each in paths.items()}
    return Job(canonical.loads(files.parameters.opinions_config(suite, judge)), inputs, {})


def _read(path: Path) -> Recorded | None:
    """Return the reply recorded in a file, or `None` if there is no file.

    Raises:
        RecordingError: If the file is not a valid recording.
    """
    try:
        return opinion.parse(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as problem:
        raise RecordingError(
            f"{path}: {problem}", "restore the file from git, or remove it to have the judge asked again"
        ) from problem


def _entry(config: Config, judge: str) -> JudgeEntry:
    if judge in config.judges:
        return config.judges[judge]
    if judge in config.agents:
        raise UnknownName(f"{judge} plays and does not judge", "give it an entry of `kind: judge`")
    raise UnknownName(
        f"{config.project.agents} has no judge {judge!r}",
        f"add it there; its judges are {', '.join(sorted(config.judges)) or 'none yet'}",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    asking.add_arguments(parser, "judge")


def main(args: argparse.Namespace) -> int:
    """Ask the unanswered questions; returns 0 if every question has a reply, else 1."""
    config = load(args.config)
    if args.suite is not None:
        suite_of(config, args.suite, args.config)
    known = sorted(config.judges)
    return asking.ask(
        args, config, "judge", known, lambda name: plan(config, name, args.suite, args.task_set)
    )


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock the folder of a judge's recordings, so that no two processes pay for the same question.

    Raises:
        RecordingError: If another process holds the lock.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise RecordingError(
                f"another process asks the judge of {folder}", "wait until it is done"
            ) from problem
        yield
    finally:
        os.close(fd)


def _ask(session: Session, asked: Asked, limit: RateLimit) -> str:
    """Ask one question and record the reply.

    Returns:
        `answered`, or the reason why there is no reply: `too long: ...` or `transport: ...`.
    """
    if session.too_long(asked):
        return f"too long: about {opinion.length(asked.request)} tokens, see `limits` of the judge"
    case, player = asked.case, configured.judge(session.entry)
    identity = Identity(case.judge, case.suite, case.task_set, case.task_id, case.attempt)
    notes = Notes(case.path(PROVENANCE).with_suffix(".jsonl"), session.recordings)
    try:
        live = connect(player, identity, asked.materials.blobs, configured.endpoint(session.entry))
        reply = writable(Noted(live, notes, limit, _name(case)).ask(0, asked.request))
    except TransportError as problem:
        return f"transport: {problem}"
    kept = Recorded(case, asked.request.sha256, SCAFFOLD_SHA256, session.entry.model_facts(), reply)
    write_whole(case.path(session.recordings), kept.text())
    return "answered"


def _name(case: Case) -> str:
    return f"{case.suite}/{case.task_set}/{case.task_id} {case.agent} attempt {case.attempt} as {case.role}"
