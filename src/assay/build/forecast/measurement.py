"""The measured jobs of a build, and an estimate of how long they take on other numbers of cores.

The jobs and their inputs come from Snakemake's records, and the processor time of each job from its record in
`results/provenance/`. A schedule starts a job as soon as its inputs exist and a core is free, in the order in
which jobs became ready, as Snakemake does. It assumes that memory, disk and network do not limit the build,
and that each core is as fast as the measured one.
"""

from __future__ import annotations

import ast
import base64
import heapq
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.build.paths import BUILT
from assay.errors import NotBuilt

REMEDY = "build first, without the store so that every job is measured: ASSAY_STORE=off make reproduce"


@dataclass(frozen=True)
class MeasuredJob:
    """A job of a build.

    Attributes:
        rule: The rule of Snakemake.
        name: The path of its log.
        seconds: Its processor time in seconds.
        after: The names of the jobs whose outputs it reads.
        restored: Whether its outputs came from the store, so that `seconds` does not measure the work.
        items: The number of tasks, episodes or checks in its shard; 0 for a job that has no shard.
    """

    rule: str
    name: str
    seconds: float
    after: tuple[str, ...]
    restored: bool = False
    items: int = 0


@dataclass(frozen=True)
class Schedule:
    """The estimated schedule of a build on a number of cores.

    Attributes:
        cores: The number of cores.
        makespan: Seconds from the start of the first job to the end of the last.
        efficiency: The fraction of the time of all cores that is spent on jobs, between 0 and 1.
    """

    cores: int
    makespan: float
    efficiency: float


class Build:
    """The measured jobs of a build, by name."""

    def __init__(self, jobs: Mapping[str, MeasuredJob]) -> None:
        self.jobs = jobs

    @cached_property
    def work(self) -> float:
        """The processor time of all jobs in seconds."""
        return sum(job.seconds for job in self.jobs.values())

    @cached_property
    def order(self) -> list[str]:
        """The names of all jobs, each after the jobs that it waits for."""
        ordered: dict[str, None] = {}
        for name in sorted(self.jobs):
            stack = [name]
            while stack:
                missing = [other for other in self.jobs[stack[-1]].after if other not in ordered]
                if missing:
                    stack += missing
                else:
                    ordered[stack.pop()] = None
        return list(ordered)

    @cached_property
    def critical_path(self) -> list[MeasuredJob]:
        """The longest chain of jobs that wait for each other, in order; more cores do not shorten it."""
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
        """Return the schedule of the jobs on this number of cores."""
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
    """Return the jobs of the last build of a checkout.

    Raises:
        NotBuilt: If there is no build, or its records are missing.
    """
    producers: dict[str, str] = {}
    records: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for file in sorted((root / ".snakemake/metadata").rglob("*")):
        if file.is_file():
            output = base64.urlsafe_b64decode(file.name).decode()
            record = json.loads(file.read_bytes())
            # Snakemake keeps one record for each output. The outputs of one job have the same log, and each
            # job has its own log.
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
            provenance = json.loads((root / "results/provenance" / f"{output}.json").read_bytes())
        except FileNotFoundError:
            continue
        restored = provenance["how"] == "restored"
        items = _items(record.get("params", ()))
        return MeasuredJob(record["rule"], name, provenance["cpu_seconds"], tuple(after), restored, items)
    raise NotBuilt(f"{outputs[0]}: how it was made is not recorded", REMEDY)


def _items(params: Sequence[str]) -> int:
    """Return the number of items in the shard of a job, from the parameters that Snakemake recorded."""
    for param in params:
        text = ast.literal_eval(param)  # Snakemake records the parameters of a job as Python literals
        if isinstance(text, str) and text.startswith("{"):
            config = json.loads(text)
            tasks = sum(last - first for _, first, last in config.get("spans", ()))
            if "attempts" in config:
                return len(config.get("recordings", ())) or tasks * config["attempts"]
            return tasks or len(config.get("checks", ()))
    return 0
