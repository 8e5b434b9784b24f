"""The tests' own checkouts: what they start does not outlive them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.workflow.checkout import ROOT

PROGRAM = """
import os, signal, sys
from pathlib import Path
from tests.workflow.checkout import Checkout
print(Checkout(Path(sys.argv[1])).start("sleep", "1000").pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_build_ends_with_the_tests_that_started_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    state = Path("/proc") / done.stdout.strip() / "stat"
    until = time.monotonic() + 20
    while state.exists() and state.read_text().split()[2] != "Z" and time.monotonic() < until:
        time.sleep(0.05)
    assert not state.exists() or state.read_text().split()[2] == "Z", "the program still runs"
