"""The tests of scoring, audit, digest and replay notice small errors: nearly every one, every time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutation.explained import explained, stale
from tests.mutation.modules import MODULES, ROOT

SAMPLE = {"digest": 30, "replay": 30, "scoring": 6, "audit": 6}
"""Mutants a group in the short form: the first of those that the long form tries."""


def test_every_explanation_is_of_a_mutant_that_there_is() -> None:
    assert stale() == []
    assert all(len(reason) > 20 for reason in explained().values())


def of_module(module: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "tests.mutation", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.full
@pytest.mark.parametrize("module", MODULES)
def test_a_sample_of_mutants_is_killed(module: str) -> None:
    """All of them: the long form leaves none alive."""
    of_module(module, "--anew", "--strict", "--sample", str(SAMPLE[module]))


@pytest.mark.soak
@pytest.mark.parametrize("module", MODULES)
def test_the_mutants_are_killed(module: str) -> None:
    of_module(module, "--anew", "--explained")
