"""Builds that are killed again and again at random moments, and started again until they end."""

from __future__ import annotations

import base64
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.reliability.faults.smoke import PHASES, different, leftovers, outputs_of, records
from tests.workflow.checkout import Checkout

BUSY = 75
"""The exit code of a run that finds another one, or a job that outlived one, at work."""

INTERRUPTED = "interrupted"

SERVER = "the fork server"

VICTIMS = ("everything", "the run", "snakemake", SERVER, "a job", INTERRUPTED)
"""What is killed: the process group, or one process of it; an interrupted run is asked to end."""

ASKING = (signal.SIGTERM, signal.SIGINT)
"""Signals that ask a run to end."""

EARLY = 0.2
"""The share of kills that come within seconds of a start, most of them before any job."""

PATIENCE = 1800.0
"""Seconds, at most, that anything may take."""

GONE = 60.0
"""Seconds after which no forked job of a killed run may be alive; on an idle machine they are 4."""


class Hit(NamedTuple):
    """A kill or an interruption: whom, in which part of the build, and how many jobs were done by then.

    `forking` says whether the run had a fork server; a run of few jobs has none.
    """

    victim: str
    phase: str
    done: int
    forking: bool


class Process(NamedTuple):
    """A process below the run, and the program that it runs, if any."""

    pid: int
    program: str


class Build:
    """A build from nothing that is killed `kills` times on its way; `run` checks all that is promised."""

    def __init__(
        self,
        reference: Checkout,
        checkout: Checkout,
        chance: random.Random,
        say: Callable[[str], None],
        store: str,
    ) -> None:
        self.reference = reference
        self.checkout = checkout
        self.chance = chance
        self.say = say
        self.environment = {"ASSAY_STORE": "off"} if store == "off" else {}
        self._store = store
        self.hits: list[Hit] = []
        self.refusals = Counter[str]()
        self.again = 0
        self._total = len(records(reference))
        self._done: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._maimed = False
        self._log = checkout.root.parent / "run.log"
        self._kills = 0

    def run(self, kills: int) -> list[Hit]:
        """Kill and resume so often, then build to the end, and compare with the reference."""
        self._kills = kills
        clear(self.checkout, store=self._store == "new")
        for number in range(kills):
            early = self.chance.random() < EARLY
            goal = int(self._total * (number + self.chance.random()) / kills)
            if not self._wait(early=early, goal=goal):
                break  # it has come to its end
            self._kill(self.chance.choice(VICTIMS))
        self._finish()
        self._check_end()
        return self.hits

    def end(self) -> None:
        """End what is still at work, where a test fails."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pid in inside(self.checkout.root):
            kill(pid)

    # --- the run

    def _start(self) -> None:
        """Start a run, and wait for jobs of a killed one, or end them, as long as it is refused."""
        deadline = time.monotonic() + PATIENCE
        self._maimed = False
        while True:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    self.checkout.build_command("--keep-going", cores="2"),
                    cwd=self.checkout.root,
                    env=self.checkout.environment(**self.environment),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            while self._process.poll() is None and not descendants(self._process.pid, "snakemake"):
                time.sleep(0.1)
            if self._process.poll() != BUSY:
                return
            assert time.monotonic() < deadline, "jobs of a killed run are at work for ever"
            self._after_refusal()

    def _after_refusal(self) -> None:
        """Do what the message says: wait, or end what is left with `kill`."""
        said = self._said()
        found = re.search(
            r"a job that outlived its run is at work in this checkout \(process ([0-9 ]+)\)", said
        )
        assert found, said
        assert "remedy: wait until it has ended, or end it with kill" in said
        if self.chance.random() < 0.5:
            self.refusals["waited"] += 1
            time.sleep(0.3)
            return
        self.refusals["ended"] += 1
        for pid in found[1].split():
            try:
                os.kill(int(pid), signal.SIGTERM)
            except ProcessLookupError:
                continue

    def _alive(self) -> bool:
        """Whether a run is at work; one that has ended must have had a reason to."""
        if self._process is None:
            return False
        code = self._process.poll()
        if code is None:
            return True
        asked = [code_of for number in ASKING for code_of in (128 + number, -number)]
        if code not in (0, -signal.SIGKILL, *asked):
            assert self._maimed, self._said()
        assert "Traceback" not in self._said(), self._said()
        return False

    def _wait(self, *, early: bool, goal: int) -> bool:
        """Wait for a random moment in a run: false where the build has ended before it."""
        deadline = time.monotonic() + PATIENCE
        if not self._alive():
            if self._has_ended_well():
                return False
            self._start()
        assert self._process is not None
        if early:
            until = time.monotonic() + self.chance.uniform(0, 6)
            while self._process.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
        while self._process.poll() is None and not early and len(records(self.checkout)) < goal:
            assert time.monotonic() < deadline, f"no {goal} jobs in {PATIENCE} s"
            time.sleep(0.1)
        if not early:
            time.sleep(self.chance.uniform(0, 0.8))
        if self._process.poll() is not None:
            return self._wait(early=early, goal=goal)
        return True

    def _kill(self, victim: str) -> None:
        """Kill the whole group or one process of it, or interrupt the run."""
        assert self._process is not None
        run = self._process.pid
        at_work, snakemake, servers = jobs_of(run), snakemake_of(run), servers_of(run)
        if (victim == "a job" and not at_work) or (victim == SERVER and not servers):
            victim = "snakemake"
        if victim == "snakemake" and not snakemake:
            victim = "the run"
        phase = phase_of(at_work)
        if victim == INTERRUPTED:
            self._interrupt()
        elif victim == "everything":
            os.killpg(run, signal.SIGKILL)
        elif victim == "a job":
            chosen = self.chance.choice(at_work)
            phase = phase_of([chosen]) if chosen.program else phase
            kill(chosen.pid)
        else:
            kill({"the run": [run], "snakemake": snakemake, SERVER: servers}[victim][0])
        if phase == "planning" and len(records(self.checkout)) == self._total:
            phase = "ending"
        self._note_done()
        self.hits.append(Hit(victim, phase, len(self._done), bool(servers)))
        self.say(f"kill {len(self.hits)} of {self._kills}: {victim} in {phase}, {len(self._done)} jobs done")
        if victim in ("a job", SERVER):
            self._maimed = True
            return  # the run goes on with what does not need the jobs that were killed
        self._maimed |= victim == "snakemake"
        self._process.wait(PATIENCE)
        self._alive()
        self._process = None
        # The next run sometimes finds jobs that are still ending, and is refused.
        if servers and self.chance.random() < 0.5:
            deadline = time.monotonic() + GONE
            while inside(self.checkout.root):
                assert time.monotonic() < deadline, [command(pid) for pid in inside(self.checkout.root)]
                time.sleep(0.1)

    def _interrupt(self) -> None:
        """Ask the run to end: nothing of it is at work then, and nothing half-written is left."""
        assert self._process is not None
        self._process.send_signal(self.chance.choice(ASKING))
        self._process.wait(PATIENCE)
        if self._process.returncode <= 0:
            return  # it had just ended by itself, or had not begun
        assert self._said().endswith("interrupted; run again to continue\n"), self._said()
        assert inside(self.checkout.root) == []
        assert [name for name in leftovers(self.checkout) if "/incomplete/" not in name] == []

    def _finish(self) -> None:
        """Run until it ends well."""
        while not self._has_ended_well():
            if not self._alive():
                self._start()
            assert self._process is not None
            self._process.wait(PATIENCE)

    def _has_ended_well(self) -> bool:
        return self._process is not None and self._process.poll() == 0

    def _said(self) -> str:
        return self._log.read_text(errors="replace")

    # --- what has to hold

    def _note_done(self) -> None:
        """Remember which jobs have ended; those that had ended before must not have been done again."""
        # First the records, then the marks of jobs that have not ended, then the outputs: those of a job that
        # has failed are removed before its mark.
        now = records(self.checkout)
        marked = interrupted(self.checkout)
        self._check_not_again(now)
        for record, when in now.items():
            try:
                mine = outputs_of(self.checkout, record)
            except (OSError, ValueError):
                continue
            if marked.isdisjoint(mine) and all((self.checkout.root / path).exists() for path in mine):
                self._done.setdefault(record, when)

    def _check_not_again(self, now: dict[str, int]) -> None:
        again = {record for record, when in self._done.items() if now.get(record) != when}
        assert not again, f"done again without need: {sorted(again)}"

    def _check_end(self) -> None:
        """The same files as in the reference, in the same bytes; no job done twice, and nothing beside."""
        assert "Traceback" not in self._said(), self._said()
        now = records(self.checkout)
        self._check_not_again(now)
        assert self.checkout.manifest() == self.reference.manifest()
        assert different(self.checkout, self.reference) == []
        assert now.keys() == records(self.reference).keys()
        assert leftovers(self.checkout) == []
        assert inside(self.checkout.root) == []
        rest = self.checkout.do(*self.checkout.build_command("--dry-run"), **self.environment)
        assert rest.code == 0, rest.output
        assert "to be made again" not in rest.output, rest.output
        assert "Nothing to be done" in rest.output, rest.output
        if self._store != "off":
            stored = self.checkout.assay("store", "check")
            assert stored.output == "nothing is damaged\n"
            assert not (self.checkout.root / ".store/conflicts.log").exists()


def clear(checkout: Checkout, *, store: bool) -> None:
    """Remove everything that was built, and if so wished what is stored."""
    for name in ("results", "reports", ".snakemake", *([".store"] if store else [])):
        if (checkout.root / name).exists():
            checkout.remove(name)


def kill(pid: int) -> None:
    """SIGKILL to a process that may have ended just now."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def interrupted(checkout: Checkout) -> set[str]:
    """The outputs of jobs that Snakemake knows to have begun, and not to have ended."""
    folder = checkout.root / ".snakemake/incomplete"
    if not folder.exists():
        return set()
    return {base64.urlsafe_b64decode(file.name).decode() for file in folder.iterdir() if file.is_file()}


def phase_of(processes: list[Process]) -> str:
    """The part of a build in which these processes are at work: the latest of them."""
    programs = {process.program for process in processes} - {""}
    for phase in ("manifest", "report", "merging"):
        if programs & set(PHASES[phase]):
            return phase
    return "jobs" if programs else "planning"


def jobs_of(run: int) -> list[Process]:
    """The processes below a run, its Snakemake and its fork server."""
    apart = {*(process.pid for process in descendants(run, "snakemake")), *servers_of(run)}
    return [process for process in descendants(run) if process.pid not in apart]


def snakemake_of(run: int) -> list[int]:
    """The process of Snakemake below a run; none where it has not begun."""
    return [each.pid for each in descendants(run) if command(each.pid)[1:3] == ["-m", "snakemake"]]


def servers_of(run: int) -> list[int]:
    """The process below a run that forks jobs; none where the run has too few."""
    return [
        each.pid
        for each in descendants(run)
        if any(word.endswith("assay/build/forkserver.py") for word in command(each.pid)[1:2])
    ]


def descendants(pid: int, name: str = "") -> list[Process]:
    """The processes below one; with a name, those and the process itself whose command holds it."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    below, found = {pid}, []
    while True:
        more = {child for child, parent in parents.items() if parent in below} - below
        if not more:
            break
        below |= more
    for each in sorted(below if name else below - {pid}):
        words = command(each)
        if name and not any(name in word for word in words):
            continue
        stage = re.search(r"workflow/scripts/stage\.py[ \0]([\w.]+)", "\0".join(words))
        found.append(Process(each, stage[1] if stage else ""))
    return found


def command(pid: int) -> list[str]:
    """The words of the command line of a process; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def inside(root: Path) -> list[int]:
    """The processes that work in a folder."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                at = (folder / "cwd").readlink()
            except OSError:
                continue
            if at.is_relative_to(root):
                found.append(int(folder.name))
    return sorted(found)
