"""Fourth stage: what was asked, of whom, and how it went; every number names the rows it is made of."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.suites.sgi.lab.evaluation.builtin_metrics import HEADLINE

Row = Mapping[str, Any]

RESAMPLES = 10_000
WORST = 5
TRACE = 12
"""Calls of a worst item that are shown, the last ones."""

PUBLISHED_TOOLS: Mapping[str, int] = {
    "web_search": 539,
    "visit_webpage": 385,
    "final_answer": 358,
    "python_interpreter": 200,
    "wikipedia_search": 104,
}
"""Calls in the paper's own runs of agents (arXiv 2512.16969): other agents, other items."""

PUBLISHED_SPREAD = 21.28
"""In the paper the slowest model waited that many times as long for `visit_webpage` as the fastest."""


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


def metric_table(rows: Sequence[Row], specs: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row a family and metric, in the order of the plan."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        found[row["family"], row["metric"]].append(at)
    order = {name: at for at, name in enumerate(specs)}
    table = []
    for (family, metric), own in sorted(found.items(), key=lambda entry: (entry[0][0], order[entry[0][1]])):
        spec = specs[metric]
        table.append(
            {
                "family": family,
                "metric": metric,
                "title": spec["title"],
                "kind": "judge" if spec["kind"] == "rubric" else spec["kind"],
                "aggregate": spec["aggregate"],
                **aggregated([rows[at]["value"] for at in own], spec["aggregate"], family),
                "rows": own,
            }
        )
    return table


def groups(rows: Sequence[Row], custom: Sequence[str]) -> list[dict[str, Any]]:
    """The headline and the user's metrics by discipline, type and level."""
    found: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row["metric"] == HEADLINE or row["metric"] in custom:
            for by in ("discipline", "type", "level"):
                found[row["family"], row["metric"], by, row[by]].append(at)
    return [
        {
            "family": family,
            "metric": metric,
            "by": by,
            "group": group,
            **aggregated([rows[at]["value"] for at in own], "mean", family, by, group),
            "rows": own,
        }
        for (family, metric, by, group), own in sorted(found.items())
    ]


def failures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """How often what went wrong: an item below full marks counts by its status, label or error."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        if row["error"]:
            counts["error", str(row["error"]).partition(":")[0]].append(at)
        elif row["metric"] == HEADLINE and (row["value"] is None or row["value"] < 100):
            if row["status"] != "done":
                counts["status", row["status"]].append(at)
            else:
                for label in [x for x in str(row["rationale"]).split(", ") if x] or ["wrong"]:
                    counts["label", label].append(at)
    ordered = sorted(counts.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [{"kind": kind, "what": what, "items": len(own), "rows": own} for (kind, what), own in ordered]


def worst(rows: Sequence[Row], predictions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The items with the lowest headline below full marks, with what was done last and the reply's end."""
    by_idx = {(p["task_set"], p["task_id"]): p for p in predictions}
    own = [
        (-math.inf if row["value"] is None else row["value"], at)
        for at, row in enumerate(rows)
        if row["metric"] == HEADLINE and (row["value"] is None or row["value"] < 100)
    ]
    found = []
    for _, at in sorted(own)[:WORST]:
        row = rows[at]
        said = by_idx[row["task_set"], row["task_id"]]
        found.append(
            {
                "item": f"{row['task_set']}/{row['task_id']}",
                "value": row["value"],
                "status": row["status"],
                "label": row["rationale"] or row["error"],
                "calls": [
                    f"{call['tool']} {call['shown']}{'' if call['ok'] else ' (refused)'}"
                    for call in said["tools"][-TRACE:]
                ],
                "reply": said["raw"][-600:],
                "rows": [at],
            }
        )
    return found


def tool_usage(predictions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Calls a tool and their share; beside them the paper's."""
    counts = Counter(call["tool"] for said in predictions for call in said["tools"])
    total, published = sum(counts.values()), sum(PUBLISHED_TOOLS.values())
    return [
        {
            "tool": tool,
            "calls": counts[tool],
            "share": counts[tool] / total if total else None,
            "published_share": PUBLISHED_TOOLS[tool] / published if tool in PUBLISHED_TOOLS else None,
        }
        for tool in sorted({*counts, *PUBLISHED_TOOLS}, key=lambda tool: (-counts[tool], tool))
    ]


def cost(predictions: Sequence[Mapping[str, Any]], price: Mapping[str, float]) -> dict[str, Any]:
    """Calls, tokens and money of all predictions; tokens are null where nobody counted."""
    usage = [said["usage"] for said in predictions]
    tokens = {
        key: sum(u[key] for u in usage if u[key] is not None)
        if any(u[key] is not None for u in usage)
        else None
        for key in ("in", "out")
    }
    money = (
        None
        if tokens["in"] is None
        else ((tokens["in"] or 0) * price["tokens_in"] + (tokens["out"] or 0) * price["tokens_out"]) / 1e6
    )
    return {
        "calls": sum(u["calls"] for u in usage),
        "tokens_in": tokens["in"],
        "tokens_out": tokens["out"],
        "money": money,
    }


def report(
    settings: Mapping[str, Any],
    selection: Mapping[str, Any],
    plan: Mapping[str, Any],
    evaluation: Mapping[str, Any],
    price: Mapping[str, float],
) -> dict[str, Any]:
    """The report as a JSON value."""
    rows, predictions = evaluation["rows"], evaluation["predictions"]
    specs = {spec["id"]: spec for spec in (*plan["builtin"], *plan["custom"])}
    custom = [spec["id"] for spec in plan["custom"]]
    counts = {
        by: dict(sorted(Counter(said[by] for said in predictions).items()))
        for by in ("family", "discipline", "type", "level")
    }
    return {
        "settings": dict(settings),
        "subset": {
            "rationale": selection["rationale"],
            "items": len(selection["items"]),
            "matching": selection["matching"],
            "intent": selection["intent"],
            "counts": counts,
        },
        "metrics": metric_table(rows, specs),
        "tests": plan["tests"],
        "groups": groups(rows, custom),
        "failures": failures(rows),
        "worst": worst(rows, predictions),
        "tools": tool_usage(predictions),
        "published_spread_of_waiting": PUBLISHED_SPREAD,
        "cost": cost(predictions, price),
        "privileged": any(said["privileged"] for said in predictions),
    }
