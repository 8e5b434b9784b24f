"""The option `--record`, with which benchmarks write the result files that docs/performance.md shows."""

from __future__ import annotations

import pytest
from benchmarks import measurements


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record", action="store_true", help="write benchmarks/results/ (see benchmarks/tables.py)"
    )


@pytest.fixture
def record(request: pytest.FixtureRequest) -> measurements.Record:
    """Return the function that records figures, which does nothing without `--record`.

    Commit and load are read before the benchmark starts, because the benchmark itself causes load.
    """
    if not request.config.getoption("--record"):
        return lambda table, figures: None
    commit, machine = measurements.commit(), measurements.machine()
    command = measurements.command(request.node.originalname, timed="benchmark" in request.fixturenames)

    def write(table: str, figures: measurements.Figures) -> None:
        measurements.write(table, measurements.Row(command, commit, machine, figures))

    return write
