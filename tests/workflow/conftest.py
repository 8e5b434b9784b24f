"""One built copy of the checkout with the made-up suite for all tests of whole runs."""

from pathlib import Path

import pytest
from tests.workflow.builds import once
from tests.workflow.checkout import SMALL, Checkout


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The small configuration, recorded, judged and built. Do not change it: copy it."""

    def make(root: Path) -> None:
        checkout = Checkout.fresh(root)
        recorded = checkout.assay("record", "recorded", "--suite", "madeup", "--config", SMALL)
        assert recorded.code == 0, recorded.output
        checkout.build(cores="all")
        judged = checkout.assay("judge", "juror", "--config", SMALL)
        assert judged.code == 0, judged.output
        checkout.build(cores="all")

    return Checkout(once(tmp_path_factory, "built", make))


@pytest.fixture
def copy(built, tmp_path):
    """A copy of it, for one test."""
    return built.copy(tmp_path / "checkout")
