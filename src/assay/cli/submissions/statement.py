"""`assay statement`: check signed statements about bundles and rebuilds, and show them side by side.

    assay statement check first.json second.json

docs/hosting.md describes the statements.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assay.admission import statements
from assay.admission.statements import StatementError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `assay statement`."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="COMMAND")
    doc = "check the signatures of statements, and show what they say side by side"
    check = commands.add_parser("check", help=doc, description=doc)
    check.add_argument("files", type=Path, nargs="+", metavar="FILE")
    check.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Print the statements; returns 0, or 1 if one does not hold or statements about rebuilds disagree."""
    try:
        rows = statements.side_by_side(args.files)
    except StatementError as problem:
        print(json.dumps({"problem": str(problem)}) if args.json else problem)
        return 1
    rebuilds = [row for row in rows if row["kind"] == "rebuild"]
    differing = sorted(
        {
            f"{what} {name}"
            for what in ("suites", "rows")
            for name in {name for row in rebuilds for name in row[what]}
            if len({row[what].get(name) for row in rebuilds}) > 1
        }
    )
    if args.json:
        print(json.dumps({"statements": rows, "differing": differing}, indent=1))
    else:
        print("\n".join(_lines(rows, rebuilds, differing)))
    return int(bool(differing))


def _lines(rows: list[dict[str, Any]], rebuilds: list[dict[str, Any]], differing: list[str]) -> list[str]:
    lines = [
        f"{row['file']}: {row['kind']} of {row['subject']}, the signature of key {row['key']} holds"
        for row in rows
    ]
    suites = sorted({suite for row in rebuilds for suite in row["suites"]})
    width = max((len(suite) for suite in suites), default=0)
    for suite in suites:
        verdicts = "  ".join(f"{row['suites'].get(suite, 'not built'):<26}" for row in rebuilds)
        lines.append(f"  {suite:<{width}}  {verdicts}".rstrip())
    if rebuilds:
        agents = len({agent for row in rebuilds for agent in row["rows"]})
        lines.append(
            f"they differ in {', '.join(differing)}" if differing else f"{agents} agents: equal rows"
        )
    return lines
