"""How long the last build takes on other numbers of cores: its measured jobs, scheduled again.

The jobs and what each read come from Snakemake's records, the processor time of each from its provenance. A
schedule starts a job as soon as its inputs are there and a core is free, in the order in which jobs became
ready, as Snakemake does. It knows no bound of memory, disk or network, and takes a core of any machine to be
as fast as the one that was measured.
"""

from __future__ import annotations

import argparse
import ast
import base64
import heapq
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.errors import NotBuilt
from assay.layout import BUILT

CORES = (1, 2, 8, 32, 128, 1024)
"""The numbers of cores that are asked about where nobody names others."""

REMEDY = "build first, without the store so that every job is measured: ASSAY_STORE=off make reproduce"


@dataclass(frozen=True)
class MeasuredJob:
    """One job: its rule, its name, its processor time in seconds, and the jobs that it waits for.

    `items` are those of its shard: tasks, episodes or checks; 0 where it is no shard's job.
    """

    rule: str
    name: str
    seconds: float
    after: tuple[str, ...]
    restored: bool = False
    items: int = 0


@dataclass(frozen=True)
class Schedule:
    """What a number of cores needs: seconds from the first job to the last, and the share of them in use."""

    cores: int
    makespan: float
    efficiency: float


class Build:
    """The measured jobs of a build, by name."""

    def __init__(self, jobs: Mapping[str, MeasuredJob]) -> None:
        self.jobs = jobs

    @cached_property
    def work(self) -> float:
        """Seconds of all jobs."""
        return sum(job.seconds for job in self.jobs.values())

    @cached_property
    def order(self) -> list[str]:
        """The names of all jobs, each after those that it waits for."""
        found: dict[str, None] = {}
        for name in sorted(self.jobs):
            stack = [name]
            while stack:
                missing = [other for other in self.jobs[stack[-1]].after if other not in found]
                if missing:
                    stack += missing
                else:
                    found[stack.pop()] = None
        return list(found)

    @cached_property
    def critical_path(self) -> list[MeasuredJob]:
        """The chain of jobs that no number of cores shortens, first job first."""
        ends: dict[str, float] = {}
        before: dict[str, str | None] = {}
        for name in self.order:
            job = self.jobs[name]
            before[name] = max(job.after, key=lambda other: (ends[other], other), default=None)
            last = before[name]
            ends[name] = job.seconds + (ends[last] if last is not None else 0.0)
        path = []
        at = max(ends, key=lambda name: (ends[name], name), default=None)
        while at is not None:
            path.append(self.jobs[at])
            at = before[at]
        return path[::-1]

    def schedule(self, cores: int) -> Schedule:
        """The jobs on so many cores."""
        waiting = {name: len(self.jobs[name].after) for name in self.order}
        followers: dict[str, list[str]] = {name: [] for name in self.order}
        for name in self.order:
            for other in self.jobs[name].after:
                followers[other].append(name)
        place = {name: at for at, name in enumerate(self.order)}
        ready = [(0.0, place[name]) for name in self.order if not waiting[name]]
        heapq.heapify(ready)
        running: list[tuple[float, int]] = []
        now = 0.0
        while ready or running:
            while ready and len(running) < cores:
                _, at = heapq.heappop(ready)
                heapq.heappush(running, (now + self.jobs[self.order[at]].seconds, at))
            now, at = heapq.heappop(running)
            for name in followers[self.order[at]]:
                waiting[name] -= 1
                if not waiting[name]:
                    heapq.heappush(ready, (now, place[name]))
        return Schedule(cores, now, self.work / (cores * now) if now else 1.0)


def measured(root: Path) -> Build:
    """The jobs of the last build of a checkout; `NotBuilt` where there is none, or its records are gone."""
    producers: dict[str, str] = {}
    records: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for file in sorted((root / ".snakemake/metadata").rglob("*")):
        if file.is_file():
            output = base64.urlsafe_b64decode(file.name).decode()
            record = json.loads(file.read_bytes())
            # Jobs of one rule have logs of their own; a job with several outputs has a record for each.
            name = (record.get("log") or [output])[0]
            records.setdefault(name, (record, []))[1].append(output)
            producers[output] = name
    if BUILT not in producers:
        raise NotBuilt(f"{root}: no build is recorded here", REMEDY)
    jobs: dict[str, MeasuredJob] = {}
    wanted = [producers[BUILT]]
    while wanted:
        name = wanted.pop()
        if name in jobs:
            continue
        record, outputs = records[name]
        after = sorted({producers[path] for path in record["input"] if path in producers})
        jobs[name] = _job(root, name, record, sorted(outputs), after)
        wanted += after
    return Build(jobs)


def _job(
    root: Path, name: str, record: Mapping[str, Any], outputs: Sequence[str], after: Sequence[str]
) -> MeasuredJob:
    for output in outputs:
        try:
            told = json.loads((root / "results/provenance" / f"{output}.json").read_bytes())
        except FileNotFoundError:
            continue
        restored = told["how"] == "restored"
        items = _items(record.get("params", ()))
        return MeasuredJob(record["rule"], name, told["cpu_seconds"], tuple(after), restored, items)
    raise NotBuilt(f"{outputs[0]}: how it was made is not recorded", REMEDY)


def _items(params: Sequence[str]) -> int:
    """How many items the shard of a job holds, by the parameters that Snakemake recorded."""
    for param in params:
        text = ast.literal_eval(param)  # Snakemake keeps the parameters of a job as Python writes them
        if isinstance(text, str) and text.startswith("{"):
            told = json.loads(text)
            tasks = sum(last - first for _, first, last in told.get("spans", ()))
            if "attempts" in told:
                return len(told.get("recordings", ())) or tasks * told["attempts"]
            return tasks or len(told.get("checks", ()))
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay makespan`."""
    parser.add_argument(
        "cores", type=int, nargs="*", help=f"numbers of cores (default: {' '.join(map(str, CORES))})"
    )
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")
    parser.add_argument(
        "--configfile",
        type=Path,
        metavar="FILE",
        help="not the build itself but this configuration, at the costs of the jobs of that build",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def main(args: argparse.Namespace) -> int:
    """Schedule the last build again, and say what would shorten it; returns the exit code."""
    build = measured(args.root)
    if args.configfile is not None:
        from assay.config import load
        from assay.plan import Plan
        from assay.projection import projected

        build = projected(Plan(load(args.configfile)), build)
    schedules = [build.schedule(max(cores, 1)) for cores in args.cores or CORES]
    print(_json(build, schedules) if args.json else _text(build, schedules))
    return 0


def _by_rule(build: Build) -> list[tuple[str, int, float]]:
    """Rules with the number of their jobs and the seconds of all, the longest first."""
    rules: dict[str, list[float]] = {}
    for job in build.jobs.values():
        rules.setdefault(job.rule, []).append(job.seconds)
    return sorted(
        ((rule, len(times), sum(times)) for rule, times in rules.items()), key=lambda row: (-row[2], row[0])
    )


def _text(build: Build, schedules: Sequence[Schedule]) -> str:
    lines = [f"{len(build.jobs)} jobs, {build.work:.0f} s of one core"]
    if restored := sum(job.restored for job in build.jobs.values()):
        lines.append(f"note: {restored} of them were restored from the store, and their work is not in it")
    lines += ["", f"{'cores':>6} {'makespan':>10} {'efficiency':>10}"]
    lines += [f"{s.cores:>6} {s.makespan:>8.1f} s {s.efficiency:>9.0%}" for s in schedules]
    path = build.critical_path
    lines += ["", f"critical path, {sum(job.seconds for job in path):.1f} s:"]
    lines += [f"{job.seconds:>8.1f} s  {job.rule:<18} {_short(job.name)}" for job in path]
    lines += ["", "by rule:"]
    lines += [f"{seconds:>8.1f} s  {rule:<18} {count} jobs" for rule, count, seconds in _by_rule(build)]
    return "\n".join(lines)


def _short(name: str) -> str:
    """A job's log without what all of them have in common."""
    return name.removeprefix("results/logs/").removesuffix(".log")


def _json(build: Build, schedules: Sequence[Schedule]) -> str:
    value = {
        "jobs": len(build.jobs),
        "seconds": build.work,
        "restored": sum(job.restored for job in build.jobs.values()),
        "schedules": [vars(schedule) for schedule in schedules],
        "critical_path": [{"rule": j.rule, "job": j.name, "seconds": j.seconds} for j in build.critical_path],
        "rules": [{"rule": rule, "jobs": n, "seconds": s} for rule, n, s in _by_rule(build)],
    }
    return json.dumps(value, indent=1, ensure_ascii=False)
