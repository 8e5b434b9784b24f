"""`envs/install`: a signal ends an installation with all that it has started, in whichever state it is."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reliability.faults.killing import inside, kill
from tests.signals import BY_SIGNAL, ignored

ROOT = Path(__file__).resolve().parents[1]
PYTHON = f"""#!/bin/sh
case "$*" in *" venv "*) echo making >&2; sleep 1000; exit 1;; esac
exec "{sys.executable}" "$@"
"""
LIMIT = 30
"""Seconds until an installation must have ended: five are promised, where nothing else is at work."""


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A folder that looks like a checkout, with a Python that takes for ever to make an environment."""
    (tmp_path / "envs").mkdir()
    shutil.copy(ROOT / "envs/install", tmp_path / "envs")
    (tmp_path / "envs/base.lock").touch()
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    yield tmp_path
    for process in inside(tmp_path):  # of a test that fails
        kill(process)


def check_interrupted(
    checkout: Path, state: str, number: signal.Signals, ignore: tuple[signal.Signals, ...]
) -> None:
    """A signal ends the installation as soon as it has said that it is in this state."""
    with (
        ignored(*ignore),
        subprocess.Popen(
            ["envs/install"],
            cwd=checkout,
            env={**os.environ, "PYTHON": str(checkout / "python")},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stderr is not None
        while state not in (line := process.stderr.readline()):
            assert line, f"the installation has ended before it was {state}"
        process.send_signal(number)
        _, rest = process.communicate(timeout=LIMIT)
    assert (process.returncode, rest) == (128 + number, "interrupted; run again to continue\n")
    assert inside(checkout) == []


@pytest.mark.parametrize(("number", "ignore"), BY_SIGNAL)
def test_a_signal_ends_what_an_installation_has_started(
    checkout: Path, number: signal.Signals, ignore: tuple[signal.Signals, ...]
) -> None:
    check_interrupted(checkout, "making\n", number, ignore)
    with (checkout / ".cache/install.lock").open() as lock:  # the next installation need not wait
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize(("number", "ignore"), BY_SIGNAL[:2])
def test_a_signal_ends_an_installation_that_waits_for_another(
    checkout: Path, number: signal.Signals, ignore: tuple[signal.Signals, ...]
) -> None:
    (checkout / ".cache").mkdir()
    with (checkout / ".cache/install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check_interrupted(checkout, "waiting for another installation", number, ignore)
