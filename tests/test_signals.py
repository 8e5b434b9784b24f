"""The tests themselves where SIGINT is ignored, as it is in the background of a script."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.signals import ignored


def test_sigint_ends_a_program_of_a_test() -> None:
    with subprocess.Popen(["sleep", "1000"]) as program:
        try:
            program.send_signal(signal.SIGINT)
            assert program.wait(30) == -signal.SIGINT
        finally:
            program.kill()


def test_it_does_so_where_the_tests_were_started_with_sigint_ignored() -> None:
    test = f"{__file__}::{test_sigint_ends_a_program_of_a_test.__name__}"
    with ignored(signal.SIGINT):
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test], capture_output=True, text=True
        )
    assert run.returncode == 0, run.stdout
