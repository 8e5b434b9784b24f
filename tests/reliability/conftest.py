"""What the tests of hostile agents and of twins stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.reliability.hunting import Ground


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Where attacks look for what they must not find."""
    found = Ground(tmp_path_factory.mktemp("ground"))
    yield found
    found.close()
