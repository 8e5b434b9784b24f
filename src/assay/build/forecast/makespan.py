"""`assay makespan`: estimate how long a build takes on other numbers of cores."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from assay.build.forecast.measurement import Build, Schedule, measured
from assay.build.forecast.projection import projected
from assay.build.planning.plan import Plan
from assay.config.loading import load

CORES = (1, 2, 8, 32, 128, 1024)
"""The default numbers of cores."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cores", type=int, nargs="*", help=f"numbers of cores (default: {' '.join(map(str, CORES))})"
    )
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")
    parser.add_argument(
        "--configfile",
        "--config",
        dest="configfile",
        type=Path,
        metavar="FILE",
        help="not the build itself but this configuration, at the costs of the jobs of that build",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def main(args: argparse.Namespace) -> int:
    """Schedule the jobs of the last build, or of another configuration, and print the result.

    Returns:
        The exit code, 0.
    """
    build = measured(args.root)
    if args.configfile is not None:
        build = projected(Plan(load(args.configfile)), build)
    schedules = [build.schedule(max(cores, 1)) for cores in args.cores or CORES]
    print(_json(build, schedules) if args.json else _text(build, schedules))
    return 0


def _by_rule(build: Build) -> list[tuple[str, int, float]]:
    """Return each rule with the number of its jobs and their total seconds, longest first."""
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
    """Return the path of a job's log without the folder and the suffix that all logs have in common."""
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
