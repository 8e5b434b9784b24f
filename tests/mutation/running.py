"""Tests against mutants: collected once, then every mutant in a child of this process.

A child is a fork, made after everything is imported and compiled; it changes one function and runs the tests
that reach the changed statement until one fails: first who is quick, and who has killed before. So a mutant
costs what its tests cost.
"""

from __future__ import annotations

import functools
import gc
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from tests.mutation.modules import SUITES, Group
from tests.mutation.operators import MODULE, Mutant, Source
from tests.mutation.swapping import Swapping

SLOWEST = 4.0
"""Seconds of work: a test that takes longer is not used."""

AGAIN = 1.0
"""Seconds of work from which on a test is timed twice."""

LONGEST = 12.0
"""Seconds of work, when nothing is changed, that one mutant has to survive at most."""

PATIENCE = 5
"""Times as much work as unchanged, and a second more, a test may take; by the clock, some times that."""

MEMORY = 4 << 30

KILLED, TIMED_OUT, SURVIVED, UNREACHED = "killed", "timed out", "survived", "unreached"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, by which test, after how many tests."""

    status: str
    by: str = ""
    tests: int = 0
    seconds: float = 0.0


@dataclass
class _Item:
    item: pytest.Item
    seconds: float
    work: float
    begun: frozenset[tuple[str, int]]

    @property
    def name(self) -> str:
        return self.item.nodeid


class Running:
    """A plugin of pytest that, in place of its loop, judges mutants with the tests that were collected."""

    def __init__(
        self,
        group: Group,
        sources: Iterable[Source],
        mutants: list[Mutant],
        judged: Callable[[Mutant, Verdict], None],
        say: Callable[[str], None],
    ) -> None:
        self._group, self._sources, self._mutants = group, list(sources), mutants
        self._judged, self._say = judged, say
        self._reports: list[pytest.TestReport] = []
        self._kills: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        suite, without = self._group.suite, self._group.without
        items[:] = [
            item
            for item in items
            if (suite is None or _suite_of(item) in (None, suite))
            and not any(part in item.name for part in without)
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("a file of tests cannot be collected")
        for source in self._sources:  # some are imported by their first use only
            import_module(source.module)
        self._swapping = Swapping(self._sources)
        tests = self._unchanged(session)
        for source in self._sources:
            for function in source.functions:
                if not any(
                    one.begun & {(source.file, n.lineno) for n in function.node.body} for one in tests
                ):
                    self._say(f"no test reaches {source.file} {function.name}")
        _forget()
        gc.collect()
        gc.freeze()
        for mutant in self._mutants:
            verdict = self._judge(mutant, tests)
            self._kills[verdict.by] += 1
            self._judged(mutant, verdict)
        return True

    def _unchanged(self, session: pytest.Session) -> list[_Item]:
        """Every test once, with what it reaches; those that fail or take too long are left out."""
        tests: list[_Item] = []
        begun: set[tuple[str, int]] = set()
        left_out: list[str] = []
        start = time.perf_counter()
        with self._swapping.counted(begun):
            for item in session.items:
                passed, seconds, work = self._timed(item, begun)
                if passed and work > AGAIN:  # what it keeps for other tests is there now
                    passed, seconds, work = self._timed(item, begun)
                if not passed:
                    self._say(f"left out, since it fails or is skipped unchanged: {item.nodeid}")
                elif work > SLOWEST:
                    left_out.append(item.nodeid)
                elif begun:
                    tests.append(_Item(item, seconds, work, frozenset(begun)))
        count, took = f"{len(tests)} of {len(session.items)} tests", time.perf_counter() - start
        self._say(f"{count} reach the files, {took:.0f} s; {len(left_out)} take too long")
        for name in left_out:
            self._say(f"  too slow: {name}")
        return tests

    def _timed(self, item: pytest.Item, begun: set[tuple[str, int]]) -> tuple[bool, float, float]:
        """Whether it passes, in how many seconds by the clock and of work."""
        begun.clear()
        clock, work = time.perf_counter(), sum(os.times()[:4])
        passed = self._passes(item, None)
        return passed, time.perf_counter() - clock, sum(os.times()[:4]) - work

    def _passes(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        self._reports.clear()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        return bool(self._reports) and all(report.passed for report in self._reports)

    def _reaching(self, mutant: Mutant, tests: list[_Item]) -> list[_Item]:
        wanted = {(mutant.file, mutant.statement)}
        if mutant.function.startswith(MODULE):
            name = mutant.function.removeprefix(MODULE).strip()
            wanted = self._swapping.readers(name)
        # What no function of these files reads, those of others may.
        reaching = [test for test in tests if not wanted or test.begun & wanted]
        # First who is quick, and who has killed before.
        found = sorted(reaching, key=lambda t: (t.work / (1 + self._kills[t.name]), t.name))
        chosen: list[_Item] = []
        total = 0.0
        for test in found:
            total += test.work
            if chosen and total > LONGEST:
                break
            chosen.append(test)
        return chosen

    def _judge(self, mutant: Mutant, tests: list[_Item]) -> Verdict:
        chosen = self._reaching(mutant, tests)
        if not chosen or not self._swapping.knows(mutant):
            return Verdict(UNREACHED)
        patience = 60 + 4 * PATIENCE * sum(test.seconds for test in chosen)
        folder = tempfile.mkdtemp(prefix="mutant-")
        start = time.perf_counter()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._be(mutant, chosen, Path(folder), writer)
        os.close(writer)
        handle = os.pidfd_open(child)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        ended = bool(poll.poll(patience * 1000))
        if not ended:
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        ended = ended and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)
        os.close(handle)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read().decode()
        shutil.rmtree(folder, ignore_errors=True)
        seconds = time.perf_counter() - start
        if not ended:
            return Verdict(TIMED_OUT, tests=len(chosen), seconds=seconds)
        if told == "survived":
            return Verdict(SURVIVED, tests=len(chosen), seconds=seconds)
        return Verdict(KILLED, told, len(chosen), seconds)

    def _be(self, mutant: Mutant, chosen: list[_Item], folder: Path, told: int) -> None:
        """The child: never returns. Whatever ends it but a word of survival has killed the mutant."""
        by = ""
        try:
            os.setpgid(0, 0)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_AS, (_size() + MEMORY, resource.RLIM_INFINITY))
            os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
            chosen[0].item.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
            try:
                self._swapping.apply(mutant)
            except ValueError:
                by = "the code does not fit its closure"
            following = [*(test.item for test in chosen[1:]), None]
            for test, after in zip(chosen, following, strict=True):
                signal.setitimer(signal.ITIMER_PROF, 1 + PATIENCE * test.work)  # ends this process
                if by or not self._passes(test.item, after):
                    by = by or test.name
                    break
        except BaseException as problem:
            by = by or type(problem).__name__
        os.write(told, (by or "survived").encode())
        os._exit(0)


def _suite_of(item: pytest.Item) -> str | None:
    """The suite that a test is given as its parameter `name`."""
    callspec = getattr(item, "callspec", None)
    name = None if callspec is None else callspec.params.get("name")
    return name if name in SUITES else None


def _size() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _forget() -> None:
    """What the unchanged functions of the project left in caches, a mutant must compute itself."""
    for found in gc.get_objects():
        if isinstance(found, functools._lru_cache_wrapper) and found.__module__.startswith("assay."):
            found.cache_clear()


def run(
    group: Group,
    sources: Iterable[Source],
    mutants: list[Mutant],
    judged: Callable[[Mutant, Verdict], None],
    say: Callable[[str], None],
) -> int:
    """Judge mutants of a group with its tests; pytest's exit code."""
    from hypothesis import Phase, settings

    settings.register_profile(
        "mutants", derandomize=True, database=None, phases=(Phase.explicit, Phase.generate), deadline=None
    )
    settings.load_profile("mutants")
    options = ["-q", "-s", "--assert=plain", "--tb=no", "-m", "not full and not soak"]
    plugins = [part for name in ("xdist", "benchmark", "cacheprovider") for part in ("-p", f"no:{name}")]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        quiet = os.open(os.devnull, os.O_WRONLY)
        sys.stdout.flush()
        stdout, stderr = os.dup(1), os.dup(2)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            return int(
                pytest.main(
                    [*options, *plugins, f"--basetemp={folder}/pt", *group.tests],
                    [Running(group, sources, mutants, judged, say)],
                )
            )
        finally:
            os.dup2(stdout, 1)
            os.dup2(stderr, 2)
