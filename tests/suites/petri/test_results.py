"""Validation, and what judging loads."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tests.suites.petri.playing import MATERIALS

from assay import canonical
from assay.errors import UnknownName
from assay.suites.petri import validation
from assay.suites.petri.checks import morph, origin, swarm
from assay.suites.petri.settings import Settings


def test_every_check_passes():
    settings = Settings().model_dump(mode="json")["validation"]
    rows = [row for name in validation.CHECKS for row in validation.check(name, settings, MATERIALS)]
    assert {row.check for row in rows} == set(validation.CHECKS)
    assert [row.statistic for row in rows if not row.passed] == []


def wrong_metrics(config):
    """What no world would give: metrics that fail every comparison of its checks."""
    if "mutation" in config:  # only where few survive do many errors help
        return [100.0 if config["mutation"] > 0.05 else 0.0, 0.0, 0.0, 0.0, 0.0]
    if "kill" in config:  # pieces of middling size and number, more with more kill
        return [20.0, config["kill"], 1.0, 0.0, 0.2]
    return [0.5] * 5


def test_a_check_can_fail(monkeypatch):
    for world in (swarm, origin, morph):
        monkeypatch.setattr(
            world, "replicates", lambda name, config, seeds: np.array([wrong_metrics(config)] * len(seeds))
        )
    monkeypatch.setattr(origin.origin, "replicates", lambda *arguments: np.full((12, 5), 1.0))
    checks = [name for name in validation.CHECKS if name.startswith(("swarm-", "origin-", "morph-"))]
    rows = [r for name in checks for r in validation.check(name, {"seeds": 12}, MATERIALS)]
    assert [row.statistic for row in rows if row.passed] == []
    with pytest.raises(UnknownName, match="swarm-9"):
        validation.check("swarm-9", {"seeds": 12}, MATERIALS)


def test_scoring_and_audit_load_no_engine():
    program = (
        "import sys, assay.suites.petri.scoring, assay.suites.petri.audit; "
        "print([m for m in sys.modules if 'numba' in m or 'engines' in m or m.endswith('replicates')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, env={"PYTHONPATH": "src"}
    )
    assert canonical.loads(done.stdout.strip()) == []
