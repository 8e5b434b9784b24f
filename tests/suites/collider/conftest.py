"""Generators that count what is asked of them."""

from __future__ import annotations

import pytest
from tests.suites.collider.handmade import Counting

from assay.suites.collider.generators import registry as generators


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(generators, "GENERATORS", {"counting": made.generator()})
    return made
