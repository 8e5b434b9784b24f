"""One built copy of the checkout for all tests of whole runs, whichever worker needs it first."""

import fcntl
import os

import pytest
from tests.workflow.checkout import SMALL, Checkout


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The small configuration, recorded, judged and built. Do not change it: copy it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    done, checkout = shared / "built.done", Checkout(shared / "built")
    with (shared / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            checkout = Checkout.fresh(shared / "built")
            recorded = checkout.assay("record", "recorded", "--suite", "madeup", "--config", SMALL)
            assert recorded.code == 0, recorded.output
            checkout.build(cores="all")
            judged = checkout.assay("judge", "juror", "--config", SMALL)
            assert judged.code == 0, judged.output
            checkout.build(cores="all")
            done.touch()
    return checkout


@pytest.fixture
def copy(built, tmp_path):
    """A copy of it, for one test."""
    return built.copy(tmp_path / "checkout")
