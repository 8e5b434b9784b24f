"""`assay abilities`: let planted abilities play frozen sets, and keep their scores."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli.fresh import keep
from assay.config.loading import load, suite_of
from assay.config.option import add_config
from assay.sessions.freshness import measure_abilities

FOLDER = Path("config/abilities")
"""The folder of the committed files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay abilities`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task_sets", nargs="+", metavar="SET", help="frozen sets that planted abilities play")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Play and write, or compare; returns 1 if a compared file differs, else 0."""
    config = load(args.config)
    suite = suite_of(config, args.suite, args.config)
    same = [
        keep(
            FOLDER / args.suite / f"{name}.json",
            measure_abilities(config, suite, name).to_text(),
            check=args.check,
        )
        for name in args.task_sets
    ]
    return 1 if args.check and not all(same) else 0
