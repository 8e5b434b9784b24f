"""The report of an evaluation: query, agent, results. Each number links to the rows it was computed from."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.report import page
from assay.suites.sgi.lab.evaluation.metric import HEADLINE

DATA_FILES = ("report.html",)

COLUMNS = ("task_set", "task_id", "metric", "value", "status", "rationale", "error")
"""The columns of a row that the page shows."""

Row = Mapping[str, Any]

RESAMPLES = 10_000

WORST = 5
"""Items with the lowest headline that the report shows."""

PUBLISHED: Mapping[str, Any] = {
    "calls": {
        "web_search": 539,
        "visit_webpage": 385,
        "final_answer": 358,
        "python_interpreter": 200,
        "wikipedia_search": 104,
    },
    "spread_of_waiting": 21.28,
}
"""What the paper (arXiv 2512.16969) reports of its own agents on its own items: calls by tool, and how many
times as long the slowest model waited for `visit_webpage` as the fastest."""


def aggregated(values: Sequence[float | None], aggregate: str, *names: str) -> dict[str, Any]:
    """`value` with a 95 % bootstrap interval over items: null where a value is missing, which is counted."""
    known = [value for value in values if value is not None]
    missing = len(values) - len(known)
    if aggregate == "rate":
        known = [float(value > 0) for value in known]
    value = low = high = None
    if known and not missing:
        value = statistics.median(known) if aggregate == "median" else math.fsum(known) / len(known)
        if len(known) > 1 and aggregate != "median":
            low, high = bootstrap_interval(known, rng.stream(0, "sgi", "evaluation", *names), RESAMPLES)
    return {"n": len(values), "missing": missing, "value": value, "low": low, "high": high}


def _metrics(rows: Sequence[Row], specs: Mapping[str, Row]) -> list[dict[str, Any]]:
    """One entry a family and metric, in the order of the metrics."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        places[row["family"], row["metric"]].append(at)
    return [
        {
            "family": family,
            "metric": metric,
            **{name: specs[metric][name] for name in ("title", "kind", "aggregate")},
            **aggregated([rows[at]["value"] for at in ats], specs[metric]["aggregate"], family),
            "rows": ats,
        }
        for family in sorted({family for family, _ in places})
        for metric in specs
        if (ats := places.get((family, metric)))
    ]


def _groups(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The headline and the user's metrics by discipline, type and level."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row["metric"] == HEADLINE or row["kind"] == "code":
            for by in ("discipline", "type", "level"):
                places[row["family"], row["metric"], by, row[by]].append(at)
    return [
        {
            **dict(zip(("family", "metric", "by", "group"), key, strict=True)),
            **aggregated([rows[at]["value"] for at in ats], "mean", key[0], *key[2:]),
            "rows": ats,
        }
        for key, ats in sorted(places.items())
    ]


def _failures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """How often what went wrong: an item below full marks counts by its status, label or error."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row["error"]:
            places["error", str(row["error"]).partition(":")[0]].append(at)
        elif row["metric"] == HEADLINE and (row["value"] is None or row["value"] < 100):
            labels = [label for label in str(row["rationale"]).split(", ") if label] or ["wrong"]
            done = row["status"] == "done"
            for what in labels if done else [row["status"]]:
                places["label" if done else "status", what].append(at)
    ranked = sorted(places.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [{"kind": kind, "what": what, "items": len(at), "rows": at} for (kind, what), at in ranked]


def _worst(rows: Sequence[Row], predictions: Sequence[Row]) -> list[dict[str, Any]]:
    """The items with the lowest headline below full marks, with the last calls and the reply's end."""
    said = {(p["task_set"], p["task_id"]): p for p in predictions}
    ranked = sorted(
        (-math.inf if row["value"] is None else row["value"], at)
        for at, row in enumerate(rows)
        if row["metric"] == HEADLINE and (row["value"] is None or row["value"] < 100)
    )
    return [
        {
            "item": "/".join(key := (rows[at]["task_set"], rows[at]["task_id"])),
            "value": rows[at]["value"],
            "status": rows[at]["status"],
            "label": rows[at]["rationale"] or rows[at]["error"],
            "calls": [
                f"{call['tool']} {call['shown']}{'' if call['ok'] else ' (refused)'}"
                for call in said[key]["tools"][-12:]
            ],
            "reply": said[key]["raw"][-600:],
            "rows": [at],
        }
        for _, at in ranked[:WORST]
    ]


def tool_usage(predictions: Sequence[Row]) -> list[dict[str, Any]]:
    """Calls a tool and their share; beside them the paper's."""
    published = PUBLISHED["calls"]
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


def _cost(predictions: Sequence[Row], price: Mapping[str, float]) -> dict[str, Any]:
    """Calls, tokens and money of all predictions; tokens are null where nobody counted."""
    usage = [said["usage"] for said in predictions]
    counted = {key: [u[key] for u in usage if u[key] is not None] for key in ("in", "out")}
    tokens = {f"tokens_{key}": sum(values) if values else None for key, values in counted.items()}
    money = sum((tokens[key] or 0) * price.get(key, 0.0) for key in tokens) / 1e6
    known = tokens["tokens_in"] is not None
    return {"calls": sum(u["calls"] for u in usage), **tokens, "money": money if known else None}


def made(settings: Row, found: Mapping[str, Any], price: Mapping[str, float]) -> dict[str, Any]:
    """The report as a JSON value.

    Args:
        settings: What was asked of whom, in words.
        found: The results of the stages before.
        price: The price of a million tokens, `tokens_in` and `tokens_out`.
    """
    rows, predictions = found["evaluate"]["rows"], found["evaluate"]["predictions"]
    return {
        "settings": dict(settings),
        "subset": {key: found["select"][key] for key in ("rationale", "matching", "intent")},
        "metrics": _metrics(rows, {spec["id"]: spec for spec in found["metrics"]["metrics"]}),
        "tests": found["metrics"]["tests"],
        "groups": _groups(rows),
        "failures": _failures(rows),
        "worst": _worst(rows, predictions),
        "tools": tool_usage(predictions),
        "published": PUBLISHED,
        "cost": _cost(predictions, price),
        "privileged": any(said["privileged"] for said in predictions),
    }


def page_of(report: Row, rows: Sequence[Row]) -> str:
    """The report as a page without scripts, with the rows at its end."""
    template = page.environment(Path(__file__).parent).get_template(DATA_FILES[0])
    return template.render(report=report, rows=rows, columns=COLUMNS)
