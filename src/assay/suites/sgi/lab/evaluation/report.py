"""The report of an evaluation: query, agent, results. Each number links to the rows it was computed from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.report import page
from assay.suites.sgi.lab.evaluation.metric import HEADLINE
from assay.suites.sgi.lab.evaluation.query import vocabulary
from assay.tables.tabulation import mean, median

DATA_FILES = ("report.html",)

COLUMNS = ("task_set", "task_id", "metric", "value", "status", "rationale", "error")
"""The columns of a row that the page shows."""

Row = Mapping[str, Any]

RESAMPLES = 10_000


def aggregated(values: Sequence[float | None], aggregate: str, *names: str) -> dict[str, Any]:
    """`value` with a 95 % bootstrap interval over items: null where a value is missing, which is counted."""
    known = [float(value > 0) if aggregate == "rate" else value for value in values if value is not None]
    missing = len(values) - len(known)
    value = low = high = None
    if not missing:
        value = median(known) if aggregate == "median" else mean(known)
        if len(known) > 1 and aggregate != "median":
            low, high = bootstrap_interval(known, rng.stream(0, "sgi", "evaluation", *names), RESAMPLES)
    return {"n": len(values), "missing": missing, "value": value, "low": low, "high": high}


def _means(rows: Sequence[Row], specs: Mapping[str, Row], by: str = "") -> list[dict[str, Any]]:
    """Return one entry for each family and metric, and for each value of the stratum `by` if one is given."""
    places: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if not by or row["metric"] == HEADLINE or row["kind"] == "code":
            places[row["family"], row["metric"], row[by] if by else ""].append(at)
    ordered = sorted(
        places.items(), key=lambda entry: (entry[0][0], [*specs].index(entry[0][1]), entry[0][2])
    )
    return [
        {
            "family": family,
            "metric": metric,
            "by": by,
            "group": group,
            "rows": ats,
            **{name: specs[metric][name] for name in ("title", "kind", "aggregate")},
            **aggregated([rows[at]["value"] for at in ats], specs[metric]["aggregate"], family, by, group),
        }
        for (family, metric, group), ats in ordered
    ]


def _failures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Count failures by kind: an item below full marks counts under its error, status or label."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        missed = row["metric"] == HEADLINE and row["value"] != 100
        if row["error"]:
            places["error", str(row["error"]).partition(":")[0]].append(at)
        elif missed and row["status"] != "done":
            places["status", row["status"]].append(at)
        elif missed:
            for label in filter(None, str(row["rationale"] or "wrong").split(", ")):
                places["label", label].append(at)
    ranked = sorted(places.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [{"kind": kind, "what": what, "items": len(at), "rows": at} for (kind, what), at in ranked]


def tool_usage(predictions: Sequence[Row]) -> list[dict[str, Any]]:
    """Calls a tool and their share; beside them the paper's."""
    published = vocabulary()["published"]["calls"]
    counts = Counter(call["tool"] for said in predictions for call in said["tools"])
    total = sum(counts.values())
    return [
        {
            "tool": tool,
            "calls": counts[tool],
            "share": counts[tool] / total if total else None,
            "published_share": published[tool] / sum(published.values()) if tool in published else None,
        }
        for tool in sorted({*counts, *published}, key=lambda tool: (-counts[tool], tool))
    ]


def made(settings: Row, stages: Mapping[str, Any], cost: Row) -> dict[str, Any]:
    """The report as a JSON value, from what was asked of whom, and the results of the stages before."""
    rows, predictions = stages["evaluate"]["rows"], [*stages["evaluate"]["predictions"].values()]
    specs = {spec["id"]: spec for spec in stages["metrics"]["metrics"]}
    return {
        "settings": dict(settings),
        "subset": {key: stages["select"][key] for key in ("rationale", "matching", "intent")},
        "metrics": _means(rows, specs),
        "tests": stages["metrics"]["tests"],
        "groups": [row for by in ("discipline", "type", "level") for row in _means(rows, specs, by)],
        "failures": _failures(rows),
        "tools": tool_usage(predictions),
        "published": vocabulary()["published"],
        "cost": dict(cost),
        "privileged": any(said["privileged"] for said in predictions),
    }


def page_of(report: Row, rows: Sequence[Row]) -> str:
    """The report as a page without scripts, with the rows at its end."""
    template = page.environment(Path(__file__).parent).get_template(DATA_FILES[0])
    return template.render(report=report, rows=rows, columns=COLUMNS)
