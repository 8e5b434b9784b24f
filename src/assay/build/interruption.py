"""Turn signals that ask a program to end into an exception in its main thread.

A shell without job control starts background commands with SIGINT ignored, and Python then installs no
handler of its own. A program that must end at SIGINT however it was started calls `listen`.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import NoReturn


class Interrupted(BaseException):
    """A signal asked the process to end.

    It does not derive from `Exception`, so that `except Exception` does not catch it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """The exit code by which a shell reports that this signal ended a program."""
        return 128 + self.number


SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""The signals by which a user, another program or a closing terminal ask a program to end."""


def run(module: str) -> NoReturn:
    """Run `main(arguments)` of a module as the program of this process, and end the process.

    The module is imported here, so that a signal during the import causes no traceback.

    Args:
        module: The dotted name of the module.
    """
    listen()
    try:
        code = import_module(module).main(sys.argv[1:])
    except Interrupted as interrupted:
        code = interrupted.exit_code
        with suppress(OSError):  # the terminal may be gone
            print("interrupted; run again to continue", file=sys.stderr, flush=True)
    sys.exit(code)


def listen() -> None:
    """Raise `Interrupted` at the first of the `SIGNALS`, and ignore those that follow.

    SIGINT raises the exception even if it was ignored at the start. SIGHUP does not, because `nohup` ignores
    it on purpose.
    """
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the cleanup.
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)
