"""`assay verify`: compare what is built with the frozen manifest, explain a difference, repair files."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from pathlib import Path

from assay.build.links import SITE
from assay.build.paths import LEADERBOARD
from assay.errors import NotBuilt
from assay.verdict import remake
from assay.verdict.verify import Verdict, verify


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
    parser.add_argument(
        "--statement", type=Path, metavar="FILE", help="write the verdict as an in-toto statement"
    )
    parser.add_argument(
        "--key", type=Path, help="sign the statement with this private key (assay ledger key new FILE)"
    )
    parser.add_argument("--cores", default="all", help="for --explain and --repair (default: all)")
    parser.add_argument(
        "--configfile",
        "--config",
        dest="configfile",
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
    if args.statement is not None:
        _state(args, verdict)
    return verdict.exit_code


def _state(args: argparse.Namespace, verdict: Verdict) -> None:
    """Write the statement about a rebuild: what was compared, the verdicts, and the rows of each agent."""
    from assay.admission import statements
    from assay.tables.reader import read_rows
    from assay.tables.schemas.leaderboard import LEADERBOARD as SCHEMA

    manifest = args.root / verdict.frozen
    try:
        sha256 = hashlib.sha256(manifest.read_bytes()).hexdigest()
    except OSError as problem:
        raise NotBuilt(f"{manifest} cannot be read ({problem.strerror})", "restore it from git") from problem
    rows = read_rows(args.root / LEADERBOARD, SCHEMA)
    value = statements.of_rebuild(sha256, verdict.by_suite, statements.row_digests(rows))
    envelope = statements.unsigned(value) if args.key is None else statements.sign(value, args.key)
    statements.write({**envelope, "platform": statements.platform_facts()}, args.statement)
    signed = "not signed" if args.key is None else f"signed with {args.key}"
    print(f"{args.statement}: a statement about {len(verdict.by_suite)} suites, {signed}", file=sys.stderr)
