"""Results as data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.comparison.results import results
from assay.errors import NotBuilt, UnknownName
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.scores import SCORES
from assay.tables.writer import write_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two agents in two sets of a suite."""
    for agent in ("one", "two"):
        rows: list[dict[str, Any]] = [
            {
                "suite": "urns",
                "task_set": task_set,
                "task_id": "a",
                "agent": agent,
                "attempt": 0,
                "profile": profile,
                "metric": metric,
                "step": step,
                "value": value,
                "label": "",
            }
            for task_set in ("large", "small")
            for profile, metric, step, value in (
                ("default", "rigor", None, 0.5),
                ("default", "score", None, 1.0),
                ("default", "score", 3, 0.25),
                ("strict", "score", None, 0.0),
            )
        ]
        path = tmp_path / "urns/scores" / f"{agent}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(rows, path, SCORES)
    flags = tmp_path / "urns/audit/one.parquet"
    flags.parent.mkdir()
    write_table([], flags, AUDIT)
    return tmp_path


def test_an_episode_has_one_row_for_the_headline(folder: Path) -> None:
    scores = results("urns", folder).scores()
    assert list(scores["agent"]) == ["one", "one", "two", "two"]
    assert set(scores["value"]) == {1.0}
    assert list(scores.columns) == list(SCORES.names)


def test_rows_are_chosen_by_agent_set_and_metric(folder: Path) -> None:
    urns = results("urns", folder)
    assert len(urns.scores(agent="two", task_set="small")) == 1
    assert len(urns.scores(agent=["one", "two"], metric=None)) == 8
    assert len(urns.scores(every_step=True)) == 12
    assert len(urns.flags(agent="one")) == 0


def test_what_is_not_there_is_named(folder: Path) -> None:
    urns = results("urns", folder)
    with pytest.raises(UnknownName, match="no agent 'three'"):
        urns.scores(agent="three")
    with pytest.raises(UnknownName, match="task_set 'huge'"):
        urns.scores(task_set="huge")
    with pytest.raises(NotBuilt, match="no results of cups"):
        results("cups", folder)
    with pytest.raises(NotBuilt, match="leaderboard"):
        urns.leaderboard()
