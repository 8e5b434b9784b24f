"""Validation, the suite's own tables and its figure."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from tests.suites.petri.playing import INDICES, MATERIALS, episode, task

from assay import canonical, plotting
from assay.episode import episode_row
from assay.errors import UnknownName
from assay.stages.audit import flag_rows
from assay.stages.scores import score_rows
from assay.suites.petri import SUITE, analysis, figures, validation
from assay.suites.petri.checks import morph, origin, swarm
from assay.suites.petri.settings import Settings

AGENTS = ("ofat", "random", "contradictor", "mute")
ATTEMPTS = {"random": 3}


@pytest.fixture(scope="module")
def tables():
    played = [
        (task(i), episode(i, name, attempt))
        for name in AGENTS
        for i in INDICES
        for attempt in range(ATTEMPTS.get(name, 1))
    ]
    frames = {
        "tasks": [task(i).to_row(i) for i in INDICES],
        "episodes": [episode_row(e) for _, e in played],
        "scores": [row for t, e in played for row in score_rows(SUITE, t, e, MATERIALS)],
        "audit": [row for t, e in played for row in flag_rows(SUITE, t, e, MATERIALS)],
    }
    return {name: pd.DataFrame(rows) for name, rows in frames.items()}


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
    checks = [*swarm.CHECKS, *origin.CHECKS, *morph.CHECKS]
    rows = [r for name in checks for r in validation.check(name, {"seeds": 12}, MATERIALS)]
    assert [row.statistic for row in rows if row.passed] == []
    with pytest.raises(UnknownName, match="swarm-9"):
        validation.check("swarm-9", {"seeds": 12}, MATERIALS)


def test_tiers(tables):
    rows = analysis.tiers(tables).set_index(["agent", "tier"])
    assert rows.loc[("ofat", "L1"), "score"] == 92.5
    assert rows.loc[("ofat", "all"), "score"] == pytest.approx((92.5 + 92.5 + 87.5) / 3)
    assert rows.loc[("ofat", "L3"), ["calls", "solved", "episodes"]].tolist() == [5, 1, 2]
    guessing = rows.loc[("random", "all")]
    assert guessing["episodes"] == 18
    assert guessing["low"] < guessing["score"] < guessing["high"]
    assert rows.loc[("ofat", "all"), "low"] == rows.loc[("ofat", "all"), "high"]


def test_taxonomy(tables):
    rows = analysis.taxonomy(tables).set_index(["agent", "flag", "label"])
    assert rows.loc[("mute", "no_answer", "")].tolist() == [6, 6]
    assert rows.loc[("contradictor", "direction_error", "measured, contradicted")].tolist() == [4, 4]
    assert rows.loc[("contradictor", "interaction_error", "measured, contradicted")].tolist() == [2, 2]
    assert rows.loc[("ofat", "p_hacking", "")].tolist() == [0, 6]
    assert rows.index.is_unique


def test_conduct(tables):
    rows = analysis.conduct(tables)
    assert set(rows["agent"]) == {"ofat", "contradictor", "mute"}, "random is no agent of known conduct"
    assert (rows["hits"] == rows["due"]).all()
    assert (rows["false"] == 0).all()
    found = rows.set_index(["agent", "flag"])
    assert found.loc[("contradictor", "invalid_claim")].tolist() == [6, 6, 0, 0]
    assert found.loc[("contradictor", "direction_error")].tolist() == [4, 4, 0, 0]
    assert found.loc[("ofat", "unbacked")].tolist() == [0, 0, 6, 0]


def test_the_figure_is_drawn_with_equal_bytes(tables, tmp_path):
    spec = figures.FIGURES["score-by-tier"]
    texts = []
    for name in ("one.svg", "two.svg"):
        plotting.save_svg(spec.draw(tables), tmp_path / name, title="score", description=spec.alt)
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1]
    axes = spec.draw(tables).get_axes()
    assert [panel.get_title(loc="left") or panel.get_title() for panel in axes] == [
        "L1",
        "L2",
        "L3",
        "all tiers",
    ]
    assert axes[0].get_yticklabels()[0].get_text() == "ofat"


def test_scoring_and_audit_load_no_engine():
    program = (
        "import sys, assay.suites.petri.scoring, assay.suites.petri.audit; "
        "print([m for m in sys.modules if 'numba' in m or 'engines' in m or m.endswith('replicates')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, env={"PYTHONPATH": "src"}
    )
    assert canonical.loads(done.stdout.strip()) == []
