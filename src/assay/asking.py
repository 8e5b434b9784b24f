"""What `assay record` and `assay judge` have in common: whom they ask, and what they say before."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from assay.agents import configured
from assay.agents.connection import disconnect
from assay.config import Config, LanguageModel
from assay.errors import UnknownName


class Work(Protocol):
    """All that one model is to be asked."""

    @property
    def entry(self) -> LanguageModel:
        """The model in the configuration."""

    def announce(self) -> None:
        """Say how much there is, how much is done, and what the rest may cost."""

    def do(self) -> int:
        """Ask; returns how much is still left."""


def add_arguments(parser: argparse.ArgumentParser, role: str) -> None:
    """The arguments that choose among those who have this role: `model` or `judge`."""
    parser.add_argument("names", nargs="*", metavar=role, help=f"{role}s of config/agents.yaml")
    parser.add_argument(
        "--all", action="store_true", help=f"every {role}; those whose key is absent are skipped"
    )
    parser.add_argument("--suite", help="only this suite")
    parser.add_argument("--set", dest="task_set", help="only this task set")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be asked and what it may cost; ask nothing"
    )
    parser.add_argument("--config", type=Path, default=Path("config/config.yaml"))


def ask(
    args: argparse.Namespace, config: Config, role: str, known: Sequence[str], plan: Callable[[str], Work]
) -> int:
    """Ask those who are named, or all; returns 0 where nothing is left to ask, else 1."""
    names = known if args.all else args.names
    if not names:
        raise UnknownName(
            f"no {role} is named",
            f"name one of {', '.join(known) or f'{config.project.agents} (none yet)'}, or give --all",
        )
    left = 0
    try:
        for name in names:
            work = plan(name)
            work.announce()
            if args.dry_run:
                continue
            if problem := configured.missing_key(name, work.entry):
                if not args.all:
                    raise problem
                print(f"skipped {problem}")
                continue
            left += work.do()
    finally:
        disconnect()
    return int(left > 0)
