"""Bad input at every door: only declared errors come out, within bounds of time and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.reliability.fuzzing import bounds, structured
from tests.reliability.fuzzing.campaign import through
from tests.reliability.fuzzing.door import ROOT
from tests.reliability.fuzzing.table import doors, quotas

SEED = int(os.environ.get("ASSAY_FUZZ_SEED", "1"))

QUICK = 3_000
"""Inputs in `make test`: spoilt ones only, without the dear doors."""

FULL = {"spoilt": 12_000, "structured": 2_000, "guided": 6_000}
"""Inputs in `make test-full`, by how they are made."""

SOAK = {"spoilt": 900_000, "structured": 20_000, "guided": 80_000}
"""Inputs in `make soak`."""

CHEAP = 10
"""The least weight of a door that is tried in `make test`; the others wait for the longer tiers."""

HERE = [name for name, door in doors().items() if not door.missing]


QUICK_DOORS = [name for name in HERE if doors()[name].weight >= CHEAP]


@pytest.mark.parametrize("name", QUICK_DOORS)
def test_a_few_inputs_at_every_cheap_door(name: str) -> None:
    findings = through(doors()[name], SEED, quotas(QUICK, QUICK_DOORS)[name]).findings.values()
    assert not findings, "\n".join(bounds.told(finding) for finding in findings)


def program(name: str, inputs: int, folder: Path) -> None:
    """Run one of the two programs, and hold it to its number of inputs and to finding nothing."""
    at = folder / "at"
    more = ["--at", str(at)] if name == "campaign" else []
    command = [
        sys.executable,
        "-m",
        f"tests.reliability.fuzzing.{name}",
        "--inputs",
        str(inputs),
        "--seed",
        str(SEED),
        *more,
    ]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    under_way = f"\nended over {at.read_text()}" if done.returncode < 0 and at.exists() else ""
    assert done.returncode == 0, done.stdout[-20_000:] + under_way
    (told,) = re.findall(r"^TOTAL (\d+) inputs .*, 0 findings", done.stdout, re.MULTILINE)
    assert int(told) >= 0.99 * inputs
    print(done.stdout)


@pytest.mark.full
def test_spoilt_inputs(tmp_path: Path) -> None:
    program("campaign", FULL["spoilt"], tmp_path)


@pytest.mark.full
def test_inputs_guided_by_coverage(tmp_path: Path) -> None:
    _atheris()
    program("guided", FULL["guided"], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", HERE)
def test_structured_inputs(name: str) -> None:
    structured.hold(doors()[name], quotas(FULL["structured"], HERE)[name], SEED)


@pytest.mark.soak
def test_very_many_spoilt_inputs(tmp_path: Path) -> None:
    program("campaign", SOAK["spoilt"], tmp_path)


@pytest.mark.soak
def test_very_many_inputs_guided_by_coverage(tmp_path: Path) -> None:
    _atheris()
    program("guided", SOAK["guided"], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", HERE)
def test_many_structured_inputs(name: str) -> None:
    structured.hold(doors()[name], quotas(SOAK["structured"], HERE)[name], SEED)


def _atheris() -> None:
    if find_spec("atheris") is None:
        pytest.skip("coverage-guided fuzzing needs atheris: make setup EXTRAS=fuzz")
