"""What tests in several folders stand on: builds of all suites (copied, never changed), small samples."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from assay.suites.collider.problems import orders
from tests.workflow.builds import fresh_smoke, once
from tests.workflow.checkout import REAL, SMOKE, Checkout


def pytest_configure() -> None:
    """Hear SIGINT even where it was ignored at the start, as in the background of a script."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


LONGEST = ("tests/workflow/", "tests/report/test_figures_of_episodes.py", "tests/recipes/test_recipes.py")
"""Tests that build or start other tests: ten seconds and more of processor time each."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests: one that came last would run while the other workers wait."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Every suite as small as it can be, computed here, frozen, with a store."""

    def make(root: Path) -> None:
        checkout = fresh_smoke(root)
        checkout.build(cores="2")
        checkout.freeze()

    return Checkout(once(tmp_path_factory, "smoke", make), SMOKE)


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The real suites, a few tasks and agents each, computed here without a store."""

    def make(root: Path) -> None:
        checkout = Checkout.fresh(root, REAL)
        checkout.bring_recordings()
        checkout.build(cores="2", ASSAY_STORE="off")
        assert checkout.assay("verify").code in (0, 1, 2)  # writes the page with the verdict

    return Checkout(once(tmp_path_factory, "real", make), REAL)


@pytest.fixture
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of collider are small: what an event costs, a hundredth of a second, shows nothing here."""
    few = {name: dict.fromkeys(sizes, 20) for name, sizes in orders.SIZES.items()}
    monkeypatch.setattr(orders, "SIZES", few)
