"""`assay fresh`: let a set's solvers play fresh tasks of its recipe, and keep their scores."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from assay.config.loading import load, suite_of
from assay.config.option import add_config
from assay.errors import ConfigError
from assay.numbers import rng
from assay.sessions.freshness import measure
from assay.validity.contamination import power
from assay.validity.fresh import TASKS, Fresh, read
from assay.writing import write_whole

FOLDER = Path("config/fresh")
"""The folder of the committed files."""

PAIRS = 1000
"""Simulated pairs of sets."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay fresh`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task_set", help="a set whose recipe the generator has")
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"how many fresh tasks (default {TASKS})")
    parser.add_argument(
        "--agents",
        nargs="+",
        default=[],
        help="who plays; the file keeps its other scores (default: the solvers of the set)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file differs")
    parser.add_argument(
        "--power",
        nargs=3,
        metavar=("PUBLIC", "FRESH", "SIZE"),
        help="play nothing: how often is an agent called contaminated that scores as PUBLIC in a public set "
        "and as FRESH in a fresh one, both of this size",
    )
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Play and write, compare, or simulate; returns 1 if a compared file differs, else 0."""
    file = FOLDER / args.suite / f"{args.task_set}.json"
    if args.power:
        public, blind, size = args.power
        print(f"{share(read(file), args.suite, public, blind, int(size)):.3f}")
        return 0
    loaded = load(args.config)
    suite = suite_of(loaded, args.suite, args.config).suite
    fresh = measure(loaded, suite, args.task_set, args.tasks, args.agents)
    if args.agents and file.is_file():
        fresh = added(read(file), fresh, file)
    return 1 if not keep(file, fresh.to_text(), check=args.check) and args.check else 0


def added(kept: Fresh, played: Fresh, file: Path) -> Fresh:
    """Return the scores of a file with those of agents that played the same tasks.

    Raises:
        ConfigError: If the agents of the file played another number of tasks.
    """
    if kept.tasks != played.tasks:
        raise ConfigError(
            f"{file} has the scores of {kept.tasks} tasks, and {played.tasks} were played",
            f"play as many (--tasks {kept.tasks}), or let all agents play (without --agents)",
        )
    return replace(played, roles={**kept.roles, **played.roles}, scores={**kept.scores, **played.scores})


def keep(file: Path, text: str, *, check: bool) -> bool:
    """Write a file, or compare it if `check`; says which, and returns whether it already had this text."""
    same = file.is_file() and file.read_text(encoding="utf-8") == text
    if not same and not check:
        write_whole(file, text)
    print(f"{file} {'is the same' if same else 'differs' if check else 'written'}")
    return same


def share(fresh: Fresh, suite: str, public: str, blind: str, size: int) -> float:
    """Return the share of simulated pairs of sets in which the agent is suspicious.

    Args:
        fresh: The played episodes.
        suite: The suite, which names the random stream.
        public: The agent whose scores are drawn for the public set.
        blind: The agent whose scores are drawn for the fresh set.
        size: Tasks of each simulated set.
    """
    stream = rng.stream(0, "contamination", suite, fresh.task_set, public, blind, size)
    return power(fresh.scores[public], fresh.scores[blind], size, stream, PAIRS)
