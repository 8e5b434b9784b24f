"""Validation, and what judging loads."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.suites.petri.playing import MATERIALS

from assay import canonical
from assay.errors import UnknownName
from assay.suites.petri import validation
from assay.suites.petri.settings import Settings


def test_every_check_passes():
    settings = Settings().model_dump(mode="json")["validation"]
    rows = [row for name in validation.CHECKS for row in validation.check(name, settings, MATERIALS)]
    assert {row.check for row in rows} == set(validation.CHECKS)
    assert [row.statistic for row in rows if not row.passed] == []


def test_an_unknown_check_is_named():
    with pytest.raises(UnknownName, match="swarm-99"):
        validation.check("swarm-99", {"seeds": 12}, MATERIALS)


def test_scoring_and_audit_load_no_engine():
    program = (
        "import sys, assay.suites.petri.scoring, assay.suites.petri.audit; "
        "print([m for m in sys.modules if 'numba' in m or 'engines' in m or m.endswith('replicates')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, env={"PYTHONPATH": "src"}
    )
    assert canonical.loads(done.stdout.strip()) == []
