"""What the tests of hostile agents and of twins stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.reliability.hunting import Ground

from assay.suites.collider import orders


@pytest.fixture
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of collider are small: an attack needs the tool, not the physics."""
    few = {name: dict.fromkeys(sizes, 20) for name, sizes in orders.SIZES.items()}
    monkeypatch.setattr(orders, "SIZES", few)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Where attacks look for what they must not find."""
    found = Ground(tmp_path_factory.mktemp("ground"))
    yield found
    found.close()
