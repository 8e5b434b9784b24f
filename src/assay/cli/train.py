"""`assay train`: train the guessers of a suite again, and write or compare their files."""

from __future__ import annotations

import argparse

from assay.config.loading import load, suite_of
from assay.config.option import add_config
from assay.errors import UnknownName
from assay.sessions.training import guessers, train
from assay.writing import write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay train`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("guessers", nargs="*", help="names of shortcuts (default: all that are trained)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Train, then write or compare each file; returns 1 if a compared file differs, else 0.

    Raises:
        UnknownName: If the suite has no trained guesser of a name.
    """
    suite = suite_of(load(args.config), args.suite, args.config).suite
    known = guessers(suite)
    for name in args.guessers:
        if name not in known:
            raise UnknownName(
                f"the suite {suite.name} has no trained guesser {name!r}",
                f"choose one of {', '.join(sorted(known))}"
                if known
                else "declare it in GUESSERS of the room `shortcuts` (docs/validity.md)",
            )
    differs = False
    for name in args.guessers or sorted(known):
        text, file = train(suite, known[name]), known[name].file
        same = file.is_file() and file.read_text(encoding="utf-8") == text
        differs = differs or not same
        if not same and not args.check:
            write_whole(file, text)
        print(
            f"{name}: {file} {'is the same' if same else 'differs' if args.check else 'written'}", flush=True
        )
    return 1 if differs and args.check else 0
