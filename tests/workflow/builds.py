"""Builds that many tests look at, each made once a session, by whichever worker needs it first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.workflow.checkout import SMOKE, Checkout

RECORDED = "scripted-experimentalist"
"""The agent of `SMOKE` whose recordings are in git."""


def fresh_smoke(root: Path) -> Checkout:
    """A copy of this checkout in which every suite, as small as it can be, is to be built."""
    checkout = Checkout.fresh(root, SMOKE)
    checkout.bring_recordings(RECORDED)
    return checkout


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder that `make` has filled; the other workers wait for it.

    `ASSAY_SMOKE`, after the name, names one that was filled before, from the same source.
    """
    if given := os.environ.get(f"ASSAY_{name.upper()}"):
        return Path(given)
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    done = shared / f"{name}.done"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(shared / name)
            done.touch()
    return shared / name
