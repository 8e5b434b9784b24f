"""Validation, the suite's own tables and its figure."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.suites.petri import playing
from tests.suites.petri.playing import MATERIALS

from assay import canonical, plotting
from assay.errors import UnknownName
from assay.suites.petri import figures, validation
from assay.suites.petri.settings import Settings


@pytest.fixture(scope="module")
def tables():
    return playing.tables({"ofat": 1, "random": 3, "contradictor": 1, "mute": 1})


def test_every_check_passes():
    settings = Settings().model_dump(mode="json")["validation"]
    rows = [row for name in validation.CHECKS for row in validation.check(name, settings, MATERIALS)]
    assert {row.check for row in rows} == set(validation.CHECKS)
    assert [row.statistic for row in rows if not row.passed] == []


def test_a_check_can_fail(monkeypatch):
    monkeypatch.setattr(
        validation, "_swarm", lambda seeds, **changes: validation.np.full((len(seeds), 5), 0.5)
    )
    rows = [r for name in validation.CHECKS for r in validation.check(name, {"seeds": 12}, MATERIALS)]
    assert not any(row.passed for row in rows)
    with pytest.raises(UnknownName, match="swarm-9"):
        validation.check("swarm-9", {"seeds": 12}, MATERIALS)


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
