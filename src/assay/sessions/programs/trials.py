"""Plays a task set with a program of a user: a Python function, or a command that a shell could run.

A function takes an open session (`assay.sessions.session.TaskSession`) and makes its calls. A command reads
the conversation from standard input and writes one reply to standard output, once for each reply, as in the
transport `command` (`assay.agents.command`). Every attempt is an episode of its own, in a process of its own
if there are several workers. Nothing of a build is needed.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import shlex
import shutil
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.agents import command as commands
from assay.agents import configured
from assay.config.agents import CommandTransport, ModelEntry
from assay.config.loading import load, suite_of
from assay.config.places import PACKAGED, is_checkout
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError, ConfigError, RecordingError
from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.sessions.assessment import Assessment, assess
from assay.sessions.record import Noted, Notes, Session
from assay.sessions.recording import Recording, RecordingFile
from assay.sessions.session import TaskSession, identity_of, open_task
from assay.sessions.taskfiles import find_task

Function = Callable[[TaskSession], object]


@dataclass(frozen=True)
class Job:
    """One attempt at one task, as a worker process receives it.

    Attributes:
        program: `file.py:function`, or a command line.
        suite: The suite.
        task_set: The set.
        index: The place of the task in the set.
        attempt: The number of the attempt, from 0.
        agent: The name under which the episode is played.
        recordings: The folder in which the recording is kept; `None` to keep none.
        config: The path of the project's configuration.
    """

    program: str
    suite: str
    task_set: str
    index: int
    attempt: int
    agent: str
    recordings: Path | None
    config: Path


@dataclass(frozen=True)
class Trial:
    """What became of one attempt.

    Attributes:
        index: The place of the task in the set.
        task_id: The task.
        attempt: The number of the attempt, from 0.
        status: The status of the episode.
        reason: Why the episode ended; empty if the status says it.
        score: The headline score; `None` if the status says nothing about the agent's ability.
        raised: The flags that the audit raised.
        calls: The number of calls.
        failure: The traceback of the program, if it raised an exception.
    """

    index: int
    task_id: str
    attempt: int
    status: str
    reason: str
    score: float | None
    raised: tuple[str, ...]
    calls: int
    failure: str = ""


@dataclass(frozen=True)
class Score:
    """The score of a program in a set.

    Attributes:
        mean: The mean over episodes. An episode without a score counts as zero, because the program failed.
        low: The lower end of the 95 % interval, a bootstrap over tasks; `None` for a single task.
        high: The upper end.
        tasks: The number of tasks.
        episodes: The number of episodes.
        unscored: The number of episodes without a score.
    """

    mean: float
    low: float | None
    high: float | None
    tasks: int
    episodes: int
    unscored: int


def is_function(program: str) -> bool:
    """Return whether a program is a Python function in a file, and not a command line.

    Example:
        >>> is_function("my_agent.py:play"), is_function("python my_agent.py")
        (True, False)
    """
    file, _, name = program.rpartition(":")
    return file.endswith(".py") and name.isidentifier()


def check(program: str) -> None:
    """Check that a program can be started, before any episode is played.

    Raises:
        ConfigError: If it cannot.
        PlatformError: If this machine cannot hide the tasks from a command.
    """
    if is_function(program):
        _function(program)
    else:
        _transport(program)


def play_all(jobs: Sequence[Job], workers: int) -> Iterator[Trial]:
    """Play all jobs, and yield what became of each as soon as it is over.

    Args:
        jobs: The attempts to play.
        workers: The number of episodes that are played at once.
    """
    if workers == 1:
        yield from map(play_one, jobs)
        return
    # A new interpreter for each worker: threads of numerical libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting = [pool.submit(play_one, job) for job in jobs]
        try:
            for done in as_completed(waiting):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def play_one(job: Job) -> Trial:
    """Play one attempt, score and audit it."""
    failure = ""
    if is_function(job.program):
        assessment, failure = _play_function(job)
    else:
        assessment = _play_command(job)
    episode = assessment.episode
    calls = sum(event.kind == "call" for event in episode.events)
    return Trial(
        job.index,
        episode.task_id,
        job.attempt,
        episode.status,
        episode.reason,
        assessment.score,
        tuple(assessment.raised),
        calls,
        failure,
    )


def _play_function(job: Job) -> tuple[Assessment, str]:
    function = _function(job.program)
    failure = ""
    with open_task(
        job.suite,
        f"{job.task_set}/{job.index}",
        agent=job.agent,
        attempt=job.attempt,
        record=job.recordings is not None,
        config=job.config,
        pace=job.recordings is not None,  # measuring one's own agent needs no protection against timing it
    ) as session:
        try:
            function(session)
        except AssayError:
            raise
        except Exception as problem:
            failure = traceback.format_exc()
            session.stop("crashed", f"the program raised {type(problem).__name__}")
        return session.score(), failure


def _play_command(job: Job) -> Assessment:
    config = suite_of(load(job.config), job.suite, job.config)
    blobs = MemoryBlobs()
    task = find_task(config, f"{job.task_set}/{job.index}", blobs)
    identity = identity_of(task, job.agent, job.attempt)
    materials = materials_for(config.suite, blobs)
    transport = _transport(job.program)
    entry = ModelEntry(
        kind="model",
        suites={job.suite: [job.task_set]},
        transport=CommandTransport(kind="command", command=list(transport.command)),
    )
    player = configured.player(entry, config.suite.find("tasks", "SETS", job.task_set))
    with tempfile.TemporaryDirectory(prefix="assay-run-") as scratch:
        folder = job.recordings or Path(scratch)
        with RecordingFile(identity.path(folder)) as file:
            if file.path.stat().st_size:
                raise RecordingError(
                    f"{file.path} holds a session already", "choose another name, or move the file aside"
                )
            live = Noted(transport, Notes(Path(scratch, "notes"), folder), None, identity.name)
            session = Session(Recording(None, (), None), live, file.append)
            episode = session.play(config.suite, task, identity, player, materials)
        return assess(config.suite, task, episode, materials)


@cache
def _function(program: str) -> Function:
    """Import the function of a program `file.py:function`."""
    file, _, name = program.rpartition(":")
    path = Path(file)
    if not (_exists(file) and path.is_file()):
        raise ConfigError(f"there is no file {file}", "name the program as file.py:function, or as a command")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses look their module up by name
    if (beside := str(path.parent.absolute())) not in sys.path:
        sys.path.append(beside)  # the file may import modules beside it
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        place = traceback.extract_tb(problem.__traceback__)[-1]
        raise ConfigError(
            f"{file} cannot be imported: {problem!r} ({place.filename}:{place.lineno})",
            "correct the file",
        ) from problem
    function: Any = getattr(module, name, None)
    if not callable(function):
        raise ConfigError(
            f"{file} has no function {name!r}", f"define it: def {name}(session): session.call(...)"
        )
    return function  # type: ignore[no-any-return]


@cache
def _transport(program: str) -> commands.CommandTransport:
    """Return the transport that runs a command, from which the tasks are hidden."""
    words = words_of(program)
    if not words or shutil.which(words[0]) is None:
        raise ConfigError(
            f"{program!r} is neither file.py:function nor a command on PATH",
            "assay run my_agent.py:play petri/core-v1, or assay run 'my-program --option' petri/core-v1",
        )
    here = Path.cwd()
    hidden = [PACKAGED, *([here] if is_checkout(here) else [])]
    # The program starts in an empty folder, so paths of files must be absolute.
    words = [words[0], *(str(Path(word).absolute()) if _exists(word) else word for word in words[1:])]
    for word in map(Path, words):
        if word.is_absolute() and any(word.resolve().is_relative_to(each.resolve()) for each in hidden):
            raise ConfigError(
                f"the program cannot see {word}, because the folder with the tasks is hidden from it",
                "move the file to another folder",
            )
    commands.check_hiding(hidden)
    return commands.CommandTransport(tuple(words), tuple(hidden), (), 600.0)


def words_of(program: str) -> list[str]:
    """Return the words of a command line as a shell would.

    Raises:
        ConfigError: If a quotation is not closed.
    """
    try:
        return shlex.split(program)
    except ValueError as problem:
        raise ConfigError(
            f"{program!r} is no command line ({problem})", "close the quotation, or write \\' for a mark"
        ) from problem


def _exists(word: str) -> bool:
    """Return whether a word names a file; one that is too long for a name does not."""
    try:
        return Path(word).exists()
    except OSError:
        return False


def score_of(trials: Sequence[Trial]) -> Score:
    """Return mean and interval over the tasks; an episode without a score counts as zero."""
    by_task: defaultdict[int, list[float]] = defaultdict(list)
    for trial in trials:
        by_task[trial.index].append(trial.score or 0.0)
    means = [sum(values) / len(values) for _, values in sorted(by_task.items())]
    low = high = None
    if len(means) > 1:
        low, high = bootstrap_interval(means, rng.stream(0, "run"))
    episodes = [value for values in by_task.values() for value in values]
    unscored = sum(trial.score is None for trial in trials)
    return Score(sum(episodes) / len(episodes), low, high, len(means), len(episodes), unscored)


def flags_of(trials: Sequence[Trial]) -> Counter[str]:
    """Return in how many episodes the audit raised each flag."""
    return Counter(flag for trial in trials for flag in trial.raised)
