"""One build of all suites, as small as they can be, for all tests of faults."""

import fcntl
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.reliability.faults.smoke import SMOKE, build_smoke
from tests.workflow.checkout import Checkout


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """All suites, built and frozen, with a store. Do not change it: copy it.

    `ASSAY_SMOKE` names one that was built before, of the same source.
    """
    if "ASSAY_SMOKE" in os.environ:
        return Checkout(Path(os.environ["ASSAY_SMOKE"]), SMOKE)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    done = shared / "smoke.done"
    with (shared / "smoke.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            build_smoke(shared / "smoke")
            done.touch()
    return Checkout(shared / "smoke", SMOKE)


@pytest.fixture
def copy(smoke, tmp_path):
    """A copy of it, for one test."""
    return smoke.copy(tmp_path / "checkout")


@pytest.fixture
def chance(request) -> Callable[[int], random.Random]:
    """Random numbers of a seed, which is printed with a failure."""

    def seeded(seed: int) -> random.Random:
        print(f"{request.node.name}: seed {seed}")
        return random.Random(seed)

    return seeded
