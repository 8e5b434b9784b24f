"""The whole way of a stranger's results: announced, sent, admitted, shown, removed, in the history."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from tests.workflow.checkout import SMALL, Checkout

pytestmark = pytest.mark.full

PLAY = """
import assay
for index in range(7):
    for attempt in range(2):
        if (index, attempt) == (3, 1):
            continue  # a session that is lost
        with assay.open_task(
            "madeup", f"madeup-v0/{index}", agent="stranger", attempt=attempt, record=True,
            config="config/test/small.yaml",
        ) as session:
            session.call("draw", {"n": 1 + attempt})
            session.call("answer", {"text": str(3 + attempt)})
"""

ENTRY = {
    "kind": "model",
    "suites": {"madeup": ["madeup-v0"]},
    "transport": {"kind": "recorded"},
    "attempts": 2,
}


def done(checkout: Checkout, *arguments: str) -> str:
    run = checkout.assay(*arguments, "--config", SMALL)
    assert run.code == 0, run.output
    return run.output


def row(checkout: Checkout, agent: str) -> dict[str, Any] | None:
    rows = pq.read_table(checkout.root / "results/leaderboard.parquet").to_pylist()
    return next((each for each in rows if each["agent"] == agent), None)


def history(checkout: Checkout) -> str:
    return re.sub(r"\s+", " ", (checkout.root / "reports/history.html").read_text())


def test_the_whole_way(built: Checkout, copy: Checkout, tmp_path: Path) -> None:
    away = built.copy(tmp_path / "away")
    shutil.rmtree(away.root / "recordings")
    path = away.root / "config/test/small-agents.yaml"
    path.write_text(yaml.safe_dump({"agents": {"stranger": ENTRY}}))
    (away.root / "play.py").write_text(PLAY)
    names = ("--sets", "madeup/madeup-v0")
    announced = ("ledger", "announce", "stranger", *names, "--attempts", "2", "--agents", str(path))
    done(copy, *announced, "--date", "2026-03-01")
    assert away.do(".venv/bin/python", "play.py").code == 0
    sent = str(tmp_path / "sent")
    done(away, "submit", "stranger", *names, "--out", sent, "--incomplete")
    assert "announced" in done(copy, "admit", sent, "--date", "2026-03-02")
    before = row(copy, "exact")
    copy.build()
    admitted = row(copy, "stranger")
    assert admitted is not None
    assert (admitted["tasks"], admitted["episodes"], admitted["missing"]) == (7, 14, 1)
    assert admitted["rungs"] == "replayed, announced"
    assert before is not None
    assert before["rungs"] == "played"
    assert "1 session missing, each counts as zero" in history(copy)
    done(copy, "ledger", "check")
    done(copy, "ledger", "remove", "1", "--date", "2026-03-03", "--reason", "withdrawn by its makers")
    copy.build()
    assert row(copy, "stranger") is None
    assert row(copy, "exact") == before
    assert "withdrawn by its makers" in history(copy)
    done(copy, "ledger", "check")
