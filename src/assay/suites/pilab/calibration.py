"""Calibration of worlds: the largest boom of each, and the results of scripted policies and ablations.

The policies play in this process, without the harness. A sweep over many seeds is the calibration of a large
task set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.protocol import Materials, Measure
from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.experiments.booms import boom
from assay.suites.pilab.experiments.runs import ABLATIONS, POLICIES, Ablation, play
from assay.suites.pilab.lab import papers
from assay.suites.pilab.measures import axes, records
from assay.task import Task

MONTHS = (12, 18, 24, 30, 36, 42, 48, 54, 60)
"""Months at which citations are counted, to show how early a run's final IMPACT can be predicted."""

BINS = ((0.0, 1.5), (1.5, 3.0), (3.0, 99.0))
"""Bins [low, high) of a topic's hotness when a project begins, for the share of projects that are scooped."""

WORLDS: Mapping[str, Ablation] = {
    **{name: Ablation(policy, PUBLISHED) for name, policy in POLICIES.items() if name != "do-nothing"},
    **{name: ablation for name, ablation in ABLATIONS.items() if name not in ("default", "ambitious")},
}
"""Runs by name: each policy in the published world, and each ablation of the paper."""

FULLY = ("baseline", "oracle", "steward")
"""Policies for which `calibrate` yields the axes and the counts by month as well."""


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Measure the largest boom of a task's world and the outcome of each run in it.

    Args:
        task: a task of the suite.
        settings: `runs`, the names of the policies and ablations in `WORLDS` that are played.
        materials: not used.

    Yields:
        Measures of the world's largest boom, then measures named `measure:run` for each run.
    """
    seed, mode = task.hidden["lab_seed"], task.public["mode"]
    horizon = task.public["months"]
    largest = boom(seed, horizon)
    yield Measure("boom_peak", largest.peak)
    yield Measure("boom_month", float(largest.month))
    yield Measure("boom_onset", float(largest.onset))
    yield Measure("boom_topic", label=largest.topic)
    for name in settings["runs"]:
        world = WORLDS[name]
        parameters = replace(world.parameters, months=min(horizon, world.parameters.months))
        lab = play(world.policy, seed, parameters, mode)
        yield Measure(f"impact:{name}", round(papers.impact(lab), records.DIGITS))
        yield Measure(f"collapsed:{name}", float(lab.collapse_month is not None))
        yield Measure(f"papers:{name}", float(len(lab.published())))
        yield Measure(f"hires:{name}", float(len(lab.members)))
        yield Measure(f"quits:{name}", float(sum(m.status == "quit" for m in lab.members.values())))
        yield Measure(f"grants:{name}", float(len(lab.awards)))
        if name not in FULLY:
            continue
        record = records.record(lab, lab.month)
        summary = record["summary"]
        yield Measure(f"proposals:{name}", float(len(record["proposals"])))
        yield Measure(f"citations:{name}", float(summary["citations"]))
        entry = axes.entry(record, largest.topic)
        yield Measure(f"entry:{name}", None if entry is None else float(entry))
        for axis, compute in axes.AXES.items():
            yield Measure(f"{axis}:{name}", compute(record))
        for month in MONTHS:
            yield Measure(f"citations_{month:02d}:{name}", float(axes.citations_at(record, month)))
        for at, (low, high) in enumerate(BINS):
            inside = [p for p in record["projects"] if low <= p["hot_at_start"] < high]
            yield Measure(f"projects_hot{at}:{name}", float(len(inside)))
            yield Measure(f"scooped_hot{at}:{name}", float(sum(p["scooped"] > 0 for p in inside)))
