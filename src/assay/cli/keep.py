"""`assay keep`: let probes play frozen sets, and keep their scores."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.cli.fresh import keep
from assay.config.loading import load, suite_of
from assay.config.option import add_config
from assay.sessions.freshness import measure_probes, players
from assay.validity.fresh import kept_path, read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay keep`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task_sets", nargs="+", metavar="SET", help="frozen sets that the probes play")
    parser.add_argument(
        "--shortcuts",
        nargs="*",
        metavar="NAME",
        help="shortcuts whose scores are kept beside those of planted abilities, or `all` (default: those in "
        "the file)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Play and write, or compare; returns 1 if a compared file differs, else 0."""
    config = load(args.config)
    suite = suite_of(config, args.suite, args.config)
    same = []
    for name in args.task_sets:
        file = Path(kept_path(args.suite, name))
        shortcuts = args.shortcuts
        if shortcuts is None:
            shortcuts = read(file).shortcuts if file.exists() else ()
        elif shortcuts == ["all"]:
            known = players(config, args.suite, name, fresh=False)
            shortcuts = [agent for agent, role in known.items() if role == "shortcut"]
        same.append(keep(file, measure_probes(config, suite, name, shortcuts).to_text(), check=args.check))
    return 1 if args.check and not all(same) else 0
