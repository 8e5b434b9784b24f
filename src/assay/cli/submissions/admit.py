"""`assay admit`: check a bundle of recordings, execute all of them again, and admit it where all is well.

Nothing is changed unless it is admitted. docs/hosting.md describes the checks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from assay.admission.admit import Verdict, admit
from assay.config.option import add_config
from assay.console import report
from assay.errors import AssayError

SECONDS_BETWEEN_REPORTS = 10.0

CANNOT_TELL = 2
"""The exit code where neither admission nor refusal could be decided."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay admit`."""
    parser.add_argument("file", type=Path, help="a bundle that `assay submit` wrote")
    parser.add_argument("--date", required=True, help="the date of the decision, YYYY-MM-DD")
    parser.add_argument("--ledger", type=Path, default=Path("ledger"), help="default: %(default)s")
    parser.add_argument("--by", default="host", help="who decides, for the ledger (default: %(default)s)")
    parser.add_argument("--workers", type=int, help="processes (default: one a core)")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the verdict.

    Returns:
        0 if the bundle is admitted, 1 if it is refused, 2 if it could not be decided.
    """
    last = time.monotonic()

    def progress(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > SECONDS_BETWEEN_REPORTS or done == of:
            last = time.monotonic()
            report(f"{done} of {of} recordings executed again")

    try:
        verdict = admit(
            args.file,
            args.ledger,
            args.config,
            date=args.date,
            by=args.by,
            workers=args.workers,
            progress=progress,
        )
    except AssayError as problem:
        if args.json:
            print(json.dumps({"verdict": "could not tell", "code": "error", "reasons": [str(problem)]}))
        print(problem, file=sys.stderr)
        return CANNOT_TELL
    print(json.dumps(verdict.to_json(), indent=1) if args.json else _text(args.file, verdict))
    return int(verdict.verdict == "refused")


def _text(file: Path, verdict: Verdict) -> str:
    lines = [f"{file}: {verdict.verdict}"]
    for reason in verdict.reasons:
        place = f"{reason.place}: " if reason.place else ""
        lines.append(f"  {reason.code}: {place}{reason.words}")
    if verdict.verdict != "refused":
        lines.append(f"  {verdict.episodes} recordings executed again, all equal")
        lines += [f"  {name}: mean score {score:.4g}" for name, score in verdict.scores.items()]
        lines.append(f"  evidence: {', '.join(verdict.rungs)}; next: make reproduce")
    return "\n".join(lines)
