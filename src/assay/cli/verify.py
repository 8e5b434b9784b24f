"""`assay verify`: compare what is built with the frozen manifest, explain a difference, repair files."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from assay.build.links import SITE
from assay.verdict import remake
from assay.verdict.verify import verify


class _Bar:
    """A progress bar for hashing, shown after one second if standard error is a terminal."""

    def __init__(self) -> None:
        self._start, self._shown = time.monotonic(), False

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._start > 1:
            self._shown = True
            print(f"\rhashed {done / 1e9:.1f} of {total / 1e9:.1f} GB", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: this folder)")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--explain", metavar="FILE", help="make FILE again aside, and say what differs and who is right"
    )
    choice.add_argument(
        "--repair",
        metavar="FILE",
        nargs="*",
        help="delete FILE (default: all that differ or are missing), make them again, then verify",
    )
    parser.add_argument("--cores", default="all", help="for --explain and --repair (default: all)")
    parser.add_argument(
        "--configfile",
        action="append",
        default=[],
        help="for --explain and --repair: the configuration of the build, where it is not the default one",
    )


def main(args: argparse.Namespace) -> int:
    """Verify the build, explain a difference, or repair files and then verify; returns the exit code."""
    if args.explain is not None or args.repair is not None:
        builder = remake.snakemake(args.cores, args.configfile)
        print("running snakemake; this takes as long as the build does", file=sys.stderr)
        if args.explain is not None:
            explanation = remake.explain(args.root, args.explain, builder)
            print(explanation.json() if args.json else explanation.text())
            return explanation.exit_code
        remake.repair(args.root, args.repair, builder)
    bar = _Bar()
    verdict = verify(args.root, progress=bar)
    bar.close()
    if (args.root / SITE).is_dir():
        from assay.report import verdict_page  # imports Jinja, which is not needed without a site

        verdict_page.write(args.root, verdict)
    print(verdict.json() if args.json else verdict.text())
    return verdict.exit_code
