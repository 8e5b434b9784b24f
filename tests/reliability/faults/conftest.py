"""What tests of faults stand on: a copy of the build of all suites, and chance."""

import random
from collections.abc import Callable

import pytest


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
