"""`assay list`: the suites, task sets, tasks and agents of the configuration."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from assay.config.agents import SolverEntry
from assay.config.loading import load
from assay.config.models import Config, Generated
from assay.config.option import add_config
from assay.errors import UnknownName
from assay.sessions.programs.catalogue import checked_set, size, tasks

Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay list`."""
    parser.add_argument("what", choices=tuple(LISTS), help="what to list")
    parser.add_argument("within", nargs="?", metavar="suite[/set]", help="only of this suite, or of this set")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Print the list; returns 0."""
    config = load(args.config)
    suite, _, task_set = (args.within or "").partition("/")
    if task_set:
        checked_set(config, args.within, args.config)
    elif suite and suite not in config.suites:
        raise UnknownName(
            f"{args.config} has no suite {suite!r}", f"its suites are {', '.join(config.suites)}"
        )
    rows = LISTS[args.what](config, suite or None, task_set or None, args)
    if args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return 0
    for line in _columns(rows):
        print(line)
    return 0


def _suites(config: Config, suite: str | None, task_set: str | None, args: argparse.Namespace) -> list[Row]:
    return [
        {"suite": name, "sets": len(entry.file.sets), "tasks": sum(size(entry, s) for s in entry.file.sets)}
        for name, entry in config.suites.items()
        if suite in (None, name)
    ]


def _sets(config: Config, suite: str | None, task_set: str | None, args: argparse.Namespace) -> list[Row]:
    return [
        {
            "set": f"{name}/{each}",
            "tasks": size(entry, each),
            "kind": "generated" if isinstance(form, Generated) else form,
        }
        for name, entry in config.suites.items()
        if suite in (None, name)
        for each, form in entry.file.sets.items()
        if task_set in (None, each)
    ]


def _tasks(config: Config, suite: str | None, task_set: str | None, args: argparse.Namespace) -> list[Row]:
    return [
        {
            "suite": task.suite,
            "task": task.name,
            "task_id": task.task_id,
            "strata": task.strata,
        }
        for task in tasks(suite, task_set, config=args.config)
    ]


def _agents(config: Config, suite: str | None, task_set: str | None, args: argparse.Namespace) -> list[Row]:
    rows = []
    for name, entry in config.agents.items():
        sets = {each: wanted for each, wanted in entry.suites.items() if suite in (None, each)}
        if task_set is not None:
            sets = {each: wanted for each, wanted in sets.items() if wanted == "all" or task_set in wanted}
        if sets:
            role = entry.role_in(next(iter(sets))) if isinstance(entry, SolverEntry) else "model"
            rows.append(
                {
                    "agent": name,
                    "kind": entry.kind,
                    "role": role,
                    "attempts": entry.attempts,
                    "suites": {
                        each: list(wanted) if wanted != "all" else "all" for each, wanted in sets.items()
                    },
                }
            )
    return rows


LISTS: Mapping[str, Callable[[Config, str | None, str | None, argparse.Namespace], list[Row]]] = {
    "suites": _suites,
    "sets": _sets,
    "tasks": _tasks,
    "agents": _agents,
}


def _columns(rows: list[Row]) -> list[str]:
    """Return a header and one line a row, with aligned columns."""
    if not rows:
        return ["nothing"]
    texts = [[_text(value) for value in row.values()] for row in rows]
    table = [list(rows[0]), *texts]
    widths = [max(len(line[n]) for line in table) for n in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(
            f"{key}={','.join(inner) if isinstance(inner, list) else inner}" for key, inner in value.items()
        )
    return str(value)
