"""`assay compare`: what can be said about two agents, or about all pairs of agents.

Scores come from results of Assay, from a table with one row an attempt, or from logs of Inspect AI.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assay.comparison.report import compare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay compare`."""
    parser.add_argument("first", nargs="?", help="one agent; without agents, all pairs are compared")
    parser.add_argument("second", nargs="?", help="the other; a difference is the first less the second")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--set", dest="task_set", help="a task set of Assay's results, e.g. petri/core-v0")
    source.add_argument(
        "--table", type=Path, help="a CSV or Parquet file: agent, task, score, one row an attempt"
    )
    source.add_argument("--log", type=Path, nargs="+", default=(), help="logs of Inspect AI")
    parser.add_argument(
        "--cluster", help="the column whose values cluster the tasks (default: `cluster`, else each task)"
    )
    parser.add_argument("--scorer", help="the scorer of logs that have several")
    parser.add_argument(
        "--metric", default="score", help="the metric of Assay's results (default: %(default)s)"
    )
    parser.add_argument("--results", type=Path, default=Path("results"), help="Assay's results")
    parser.add_argument("--json", action="store_true", help="print all values as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code, 0."""
    values = compare(
        args.first,
        args.second,
        task_set=args.task_set,
        table=args.table,
        logs=args.log,
        cluster=args.cluster,
        scorer=args.scorer,
        metric=args.metric,
        results=args.results,
    )
    if args.json:
        print(json.dumps(values, indent=1))
    else:
        print("\n".join(_pair(values) if args.first else _every_pair(values)))
    return 0


def _pair(values: dict[str, Any]) -> list[str]:
    first, second = values["first"], values["second"]
    lines = [
        f"{first} less {second}: {_number(values['difference'])}"
        + (
            f", 95 % interval {_interval([values['low'], values['high']])}"
            if values["se"] is not None
            else ""
        ),
        f"p {values['p']:.3g} ({values['method']})",
        f"{values['tasks']} tasks in {values['clusters']} clusters, {values['attempts']} attempts; "
        f"better in {values['better']}, worse in {values['worse']}, equal in {values['equal']}",
    ]
    for name, of in values["agents"].items():
        error = "" if of["se"] is None else f", standard error {_number(of['se'])}"
        lines.append(
            f"{name}: mean {_number(of['mean'])}{error}, {of['attempts']} attempts at {of['tasks']} tasks"
        )
    others = [f"{name} {_interval(ends)}" for name, ends in values["intervals"].items() if name != "t"]
    lines.append("other intervals: " + ", ".join(others))
    tests = ", ".join(
        f"{name.replace('_', ' ')} {p:.3g}" for name, p in values["tests"].items() if p is not None
    )
    lines.append(f"tests: p by {tests}")
    if values["needed"] is not None:
        lines.append(f"a difference of this size needs {values['needed']} tasks for 80 % power")
    for name, count in ((first, values["only_first"]), (second, values["only_second"])):
        if count:
            lines.append(f"left out: {count} tasks that only {name} played")
    return lines


def _every_pair(values: dict[str, Any]) -> list[str]:
    width = max(len(row["agent"]) for row in values["agents"])
    lines = [f"{'agent':{width}}  {'mean':>9}  {'error':>8}  ranks    group"]
    for row in values["agents"]:
        ranks = "{} to {}".format(*row["ranks"])
        error = "" if row["se"] is None else _number(row["se"])
        lines.append(
            f"{row['agent']:{width}}  {_number(row['mean']):>9}  {error:>8}  {ranks:7}  {row['group']}"
        )
    lines.append("agents that share a letter are not significantly different (signed-rank tests, Holm, .05)")
    return lines


def _number(value: float) -> str:
    return f"{value:.4g}"


def _interval(ends: list[float | None]) -> str:
    low, high = ("?" if end is None else _number(end) for end in ends)
    return f"[{low}, {high}]"
