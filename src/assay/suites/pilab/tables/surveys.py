"""Tables over many worlds: sweeps of policies and ablations, census, legibility, entry, scoops, variance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.numbers.stats import wilson
from assay.protocol import Tables
from assay.suites.pilab.calibration import BINS, MONTHS
from assay.suites.pilab.measures import axes
from assay.suites.pilab.tables import quoted_runs
from assay.suites.pilab.tables.leaderboard import of_impact
from assay.suites.pilab.tables.readings import (
    Sweep,
    by_set,
    frame,
    geometric_mean,
    grouped,
    interval,
    log_impact,
    mean,
    median,
    pooled,
    runs,
    sweeps,
)
from assay.suites.pilab.tables.schemas import SCHEMAS

SWEEP = SCHEMAS["sweep"]
CONTRASTS = SCHEMAS["contrasts"]
CENSUS = SCHEMAS["census"]
LEGIBILITY = SCHEMAS["legibility"]
ENTRY = SCHEMAS["entry"]
SCOOPS = SCHEMAS["scoops"]
VARIANCE = SCHEMAS["variance"]
QUOTED = SCHEMAS["quoted"]

PAPER = "paper"


def sweep(tables: Tables) -> Any:
    quoted = _quoted_ablations(tables)
    rows = []
    for swept in sweeps(tables):
        for run in swept.runs:
            impacts = swept.values("impact", run)
            collapsed = sum(swept.values("collapsed", run))
            rows.append(
                (
                    swept.task_set,
                    run,
                    len(impacts),
                    *of_impact(impacts, collapsed, swept.task_set, run),
                    mean(swept.values("papers", run)),
                    mean(swept.values("grants", run)),
                    quoted.get("default" if run == "baseline" else run),
                )
            )
    return frame(rows, SWEEP)


def _quoted_ablations(tables: Tables) -> dict[str, float]:
    return {
        name: float(row["mean"])
        for published in tables["published"]
        for name, row in published["ablations"].items()
    }


def contrasts(tables: Tables) -> Any:
    quoted = _quoted_ablations(tables)
    rows = []
    for swept in sweeps(tables):
        if not swept.has("impact", "baseline"):
            continue
        base = swept.values("impact", "baseline")
        for run in swept.runs:
            if run == "baseline":
                continue
            ours = swept.values("impact", run)
            differences = [a - b for a, b in zip(ours, base, strict=True)]
            whole = math.fsum(differences)
            rows.append(
                (
                    swept.task_set,
                    run,
                    len(ours),
                    mean(differences),
                    *interval(differences, swept.task_set, run, "baseline"),
                    _ratio(mean(ours), mean(base)),
                    _ratio(geometric_mean(ours), geometric_mean(base)),
                    sum(d > 0 for d in differences) / len(differences),
                    sum(d == 0 for d in differences) / len(differences),
                    max(differences, key=abs) / whole if whole else None,
                    _ratio(quoted.get(run), quoted.get("default")),
                )
            )
    return frame(rows, CONTRASTS)


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


Kind = tuple[str, float, float, float]
"""A run in the census: its archetype, IMPACT, number of hires and number of quits."""


def census(tables: Tables) -> Any:
    rows: list[tuple[Any, ...]] = []
    for task_set, group in by_set(pooled(tables)).items():
        kinds: list[Kind] = [
            (axes.archetype(r), r["summary"]["impact"], axes.hires(r), float(r["summary"]["students_quit"]))
            for r in (run.record for run in group)
        ]
        rows += _kinds(task_set, "agents", kinds)
    for swept in sweeps(tables):
        for run in swept.runs:
            columns = ("collapsed", "hires", "papers", "impact", "quits")
            values = zip(*(swept.values(column, run) for column in columns), strict=True)
            kinds = [
                (axes.census(collapsed > 0, int(hired), int(papers), impact), impact, hired, quits)
                for collapsed, hired, papers, impact, quits in values
            ]
            rows += _kinds(swept.task_set, run, kinds)
    for published in tables["published"]:
        whole = sum(row["runs"] for row in published["census"].values())
        rows += [
            (PAPER, PAPER, name, row["runs"], row["runs"] / whole, row["impact"], row["hires"], row["quits"])
            for name, row in published["census"].items()
        ]
    return frame(rows, CENSUS)


def _kinds(task_set: str, source: str, kinds: Sequence[Kind]) -> Iterator[tuple[Any, ...]]:
    for name in axes.ARCHETYPES:
        same = [kind for kind in kinds if kind[0] == name]
        yield (
            task_set,
            source,
            name,
            len(same),
            len(same) / len(kinds),
            median([kind[1] for kind in same]),
            mean([kind[2] for kind in same]),
            mean([kind[3] for kind in same]),
        )


def legibility(tables: Tables) -> Any:
    rows: list[tuple[Any, ...]] = []

    def add(task_set: str, source: str, month: int, n: int, value: float | None) -> None:
        rows.append((task_set, source, month, n, value, *axes.spearman_interval(value, n)))

    for task_set, group in by_set(pooled(tables)).items():
        impacts = [run.impact for run in group]
        for month in range(1, 61):
            counts = [float(axes.citations_at(run.record, month)) for run in group]
            add(task_set, "agents", month, len(group), axes.spearman(counts, impacts))
    for swept in sweeps(tables):
        for run_name in swept.runs:
            for month in MONTHS:
                measure = f"citations_{month:02d}"
                if swept.has(measure, run_name):
                    counts = swept.values(measure, run_name)
                    value = axes.spearman(counts, swept.values("impact", run_name))
                    add(swept.task_set, run_name, month, len(counts), value)
    for published in tables["published"]:
        for month, value in published["legibility"].items():
            add(PAPER, PAPER, int(month), 36, float(value))
    return frame(rows, LEGIBILITY)


def entry(tables: Tables) -> Any:
    labels, onsets = {}, {}
    for row in tables["calibration"].itertuples(index=False):
        if row.measure == "boom_topic":
            labels[row.task_set, row.task_id] = row.label
        elif row.measure == "boom_onset":
            onsets[row.task_set, row.task_id] = row.value
    rows = []
    for run in runs(tables):
        task = (run.task_set, run.task_id)
        if task in labels:
            entered = axes.entry(run.record, labels[task])
            rows.append((*task, run.agent, run.attempt, labels[task], onsets[task], entered, run.impact))
    return frame(rows, ENTRY)


BIN_NAMES = tuple(
    f"below {high:g}" if low == 0 else f"from {low:g}" if high > 50 else f"{low:g} to {high:g}"
    for low, high in BINS
)


def scoops(tables: Tables) -> Any:
    rows: list[tuple[Any, ...]] = []
    for task_set, group in by_set(pooled(tables)).items():
        started = [project for run in group for project in run.record["projects"]]
        for name, (low, high) in zip(BIN_NAMES, BINS, strict=True):
            inside = [project["scooped"] > 0 for project in started if low <= project["hot_at_start"] < high]
            rows.append(_scooped(task_set, "agents", name, len(inside), sum(inside)))
    for swept in sweeps(tables):
        for run_name in swept.runs:
            for at, name in enumerate(BIN_NAMES):
                if swept.has(f"projects_hot{at}", run_name):
                    projects = int(sum(swept.values(f"projects_hot{at}", run_name)))
                    hits = int(sum(swept.values(f"scooped_hot{at}", run_name)))
                    rows.append(_scooped(swept.task_set, run_name, name, projects, hits))
    for published in tables["published"]:
        for name, (share, n) in zip(BIN_NAMES, published["scoops"], strict=True):
            rows.append((PAPER, PAPER, name, n, share, *wilson(share * n, n)))
    return frame(rows, SCOOPS)


def _scooped(task_set: str, source: str, name: str, n: int, hits: int) -> tuple[Any, ...]:
    return (task_set, source, name, n, hits / n if n else None, *wilson(hits, n))


def variance(tables: Tables) -> Any:
    """Return the table `variance` for our agents (first attempts), swept policies, and the paper's models.

    Agents of known conduct and the oracle are left out. The oracle knows the future of the field, and the
    value of this knowledge would be counted as a difference between agents.
    """
    rows: list[tuple[Any, ...]] = []
    logs: dict[str, list[list[float]]] = {}
    for (task_set, _), group in grouped([run for run in pooled(tables) if run.attempt == 0]):
        logs.setdefault(task_set, []).append([log_impact(run.impact) for run in group])
    for task_set, table in logs.items():
        rows += _shares(task_set, "agents", table)
    for swept in sweeps(tables):
        policies = [run for run in ("baseline", "steward", "ambitious") if run in swept.runs]
        rows += _shares(
            swept.task_set,
            "policies",
            [[log_impact(value) for value in swept.values("impact", run)] for run in policies],
        )
    for published in tables["published"]:
        models = quoted_runs.runs(published).values()
        rows += _shares(PAPER, PAPER, [[log_impact(run.impact) for run in of_model] for of_model in models])
    return frame(rows, VARIANCE)


def _shares(task_set: str, source: str, table: list[list[float]]) -> list[tuple[Any, ...]]:
    """Return one row if the table is complete and has at least two rows and two columns, else no row."""
    if len(table) < 2 or len({len(row) for row in table}) != 1 or len(table[0]) < 2:
        return []
    return [(task_set, source, len(table), len(table[0]), *axes.variance_shares(table))]


SAME_SEEDS = ("lab-00000", "lab-00001", "lab-00002")
"""The reference tasks with the three seeds of the paper's quoted runs."""


def quoted(tables: Tables) -> Any:
    ours: dict[str, list[float]] = {}
    for run in pooled(tables):
        if run.task_set == "reference-v0" and run.task_id in SAME_SEEDS:
            ours.setdefault(run.agent, []).append(run.impact)
    means = [math.fsum(values) / len(values) for _, values in sorted(ours.items())]
    rows = []
    for published in tables["published"]:
        for model, group in quoted_runs.runs(published).items():
            of = published["axes"][model]
            impact = math.fsum(run.impact for run in group) / len(group)
            rows.append(
                (
                    model,
                    impact,
                    geometric_mean([run.impact for run in group]),
                    sum(run.collapsed for run in group) / len(group),
                    of["publications"],
                    of["grants"],
                    of["conversion"],
                    of["hit_rate"],
                    of["utilization"],
                    sum(value < impact for value in means) / len(means) if means else None,
                )
            )
    return frame(rows, QUOTED)


def swept(tables: Tables) -> Sweep | None:
    """Return the sweep of the set with the most tasks, or `None` if no set was swept."""
    return max(sweeps(tables), key=lambda sweep: len(sweep.tasks), default=None)
