"""The common part of `assay record` and `assay judge`: arguments, the choice of models, and Ctrl-C."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from assay.agents import configured
from assay.agents.connection import disconnect
from assay.config.agents import LanguageModel
from assay.config.models import Config
from assay.config.option import add_config
from assay.errors import UnknownName


class Work(Protocol):
    """The requests to one model that a command makes."""

    @property
    def entry(self) -> LanguageModel:
        """The model's entry in the configuration."""

    def announce(self) -> None:
        """Print the amount of work, how much of it is done, and the possible cost of the rest."""

    def do(self) -> int:
        """Make the requests, and return how many are left."""


def add_arguments(parser: argparse.ArgumentParser, role: str) -> None:
    """Add the arguments that choose models of a role, `model` or `judge`."""
    parser.add_argument("names", nargs="*", metavar=role, help=f"{role}s of config/agents.yaml")
    parser.add_argument(
        "--all", action="store_true", help=f"every {role}; those whose key is absent are skipped"
    )
    parser.add_argument("--suite", help="only this suite")
    parser.add_argument("--set", dest="task_set", help="only this task set")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be asked and what it may cost; ask nothing"
    )
    add_config(parser)


def ask(
    args: argparse.Namespace, config: Config, role: str, known: Sequence[str], plan: Callable[[str], Work]
) -> int:
    """Ask the models that the arguments name.

    Args:
        args: The parsed arguments.
        config: The configuration.
        role: The role of the models, for messages: `model` or `judge`.
        known: The names of all models of this role.
        plan: Returns the requests to the model with a given name.

    Returns:
        The exit code: 0 if nothing is left to ask, 1 if something is, 130 after Ctrl-C.

    Raises:
        UnknownName: If the arguments name no model.
    """
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
            with _ctrl_c_once():
                left += work.do()
    except KeyboardInterrupt:
        print("interrupted; run again to continue", file=sys.stderr)
        return 128 + signal.SIGINT
    finally:
        disconnect()
    return int(left > 0)


@contextmanager
def _ctrl_c_once() -> Iterator[None]:
    """Let the first Ctrl-C stop the work in an orderly way, and the second one end the process.

    After the first, the program waits for replies to requests in progress and records them, because they are
    paid for.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A signal handler must not use `print`, because it may have interrupted another `print`.
    os.write(2, b"\ninterrupting: waits for the replies that are under way; Ctrl-C again drops them\n")
    raise KeyboardInterrupt
