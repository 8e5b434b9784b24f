"""The tables of every suite in small, made by a Python for aarch64: the same bytes as here.

`ASSAY_FOREIGN_PYTHON` names that Python, emulated or not; docs/determinism.md has a recipe. Left out are
what runs agents' code (an emulator offers no sandbox) and figures (matplotlib takes too long there).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflow.checkout import Checkout

FOREIGN = os.environ.get("ASSAY_FOREIGN_PYTHON", "")
SERVER = Path(__file__).with_name("foreign.py")

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not FOREIGN, reason="ASSAY_FOREIGN_PYTHON names no Python; docs/determinism.md"),
]

TABLES = ("tasks", "calibration", "episodes/*", "events/*", "scores/*", "audit/*")
NEEDS_A_SANDBOX = {f"results/sgi/{table}/oracle.parquet" for table in ("scores", "audit")}


@pytest.fixture
def there(smoke: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """A copy where nothing is built, whose programs the foreign Python runs."""
    checkout = smoke.copy(tmp_path / "there")
    checkout.remove("results", "reports", ".snakemake")
    for cache in [*checkout.root.rglob("__pycache__")]:
        shutil.rmtree(cache)
    address = str(tmp_path / "foreign")
    program = shlex.join([sys.executable, str(SERVER), address, "workflow/scripts"])
    checkout.replace("rules/plan.smk", "{{params.python:q}} workflow/scripts", program)
    command = [FOREIGN, str(SERVER), address]
    with subprocess.Popen(command, cwd=checkout.root, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
            yield checkout
        finally:
            server.kill()


def test_aarch64_makes_the_same_tables(smoke: Checkout, there: Checkout) -> None:
    machine = "import platform; print(platform.machine())"
    assert subprocess.check_output([FOREIGN, "-c", machine], text=True) == "aarch64\n"
    found = [path for table in TABLES for path in (smoke.root / "results").glob(f"*/{table}.parquet")]
    wanted = sorted({str(path.relative_to(smoke.root)) for path in found} - NEEDS_A_SANDBOX)
    assert len(wanted) > 20
    there.build(*wanted[1:], target=wanted[0], ASSAY_STORE="off")
    for path in wanted:
        assert (there.root / path).read_bytes() == (smoke.root / path).read_bytes(), path
