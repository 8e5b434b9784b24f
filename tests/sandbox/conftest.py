"""The sandbox's tests run in `make test-full` until their figures have been taken on a quiet machine."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.full)
