"""The error rate, the ceiling of a world, and hours of mentoring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.suites.pilab import episodes

from assay import canonical
from assay.suites.pilab.experiments import ceilings
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.measures import records
from assay.suites.pilab.scoring import _failed_blocks
from assay.suites.pilab.tables import shares
from assay.suites.pilab.validity import CEILINGS
from assay.task import read_frozen

ROOT = Path(__file__).parents[3]


def test_the_error_rate_counts_blocks() -> None:
    blocks = ("print(lab.attention()['left'])", "1/0", "recruit.offer('nobody')", "def broken(", "print(1)")

    def plays(brief: Any, call: Any) -> None:
        for block in blocks:
            call("run_code", {"code": f"```python\n{block}\n```"})

    episode, _ = episodes.play(plays)
    assert _failed_blocks(episode) == pytest.approx(3 / 5)
    nothing, _ = episodes.play(lambda brief, call: None)
    assert _failed_blocks(nothing) is None


def runs_of(seed: int) -> dict[str, Any]:
    record = records.record(play(POLICIES["baseline"], seed, mode="closed"), 60)
    row = {"task_set": "closed-v1", "task_id": "lab-00000", "agent": "baseline", "attempt": 0}
    row |= {"privileged": False, "tokens_in": None, "tokens_out": None, "status": "done"}
    row["submission"] = canonical.dumps(record)
    return {"episodes": pd.DataFrame([row]), "kinds": {"baseline": "solver"}, "record": record}


def test_hours_of_mentoring_by_number_and_by_fate() -> None:
    of = runs_of(104)
    table = shares.mentoring(of).set_index("people")
    months = [rows for _, rows in of["record"]["mentoring"] if rows]
    counts = [name for name in table.index if "researcher" in name]
    assert sum(table.cases[name] for name in counts) == len(months)
    assert table.hours.max() <= 8
    fates = {"quit", "stayed"} & set(table.index)
    researchers = [p for p in of["record"]["people"] if p["role"] in ("phd", "postdoc")]
    assert 0 < sum(table.cases[name] for name in fates) <= len(researchers)


def test_an_agent_beside_the_ceiling() -> None:
    of = runs_of(104)
    table = shares.ceilings(of)
    most = ceilings.known()["closed-v1", "lab-00000"]
    assert table.share[0] == pytest.approx(of["record"]["summary"]["impact"] / most)


def test_every_world_has_a_ceiling() -> None:
    worlds = {
        (name, read_frozen(path).task_id)
        for name in ceilings.SETS
        for path in (ROOT / "tasks" / "pilab" / name).glob("0*.json")
    }
    assert set(ceilings.known()) == worlds


def test_the_cards_tell_the_mean_ceiling() -> None:
    assert set(CEILINGS) == set(ceilings.SETS)
    values = [value for (task_set, _), value in ceilings.known().items() if task_set == "closed-v1"]
    assert CEILINGS["closed-v1"] == pytest.approx(sum(values) / len(values))


def test_more_rollouts_never_find_less() -> None:
    few, more = (ceilings.ceiling(3001, "closed", rollouts) for rollouts in (1, 4))
    assert few <= more
    assert more > impact(play(POLICIES["steward"], 3001, mode="closed"))


@pytest.mark.full
def test_the_ceilings_are_those_that_the_search_finds() -> None:
    tasks = [
        read_frozen(path)
        for name in ceilings.SETS
        for path in sorted((ROOT / "tasks" / "pilab" / name).glob("0*.json"))
    ]
    assert ceilings.write(tasks) == ceilings.FILE.read_text(encoding="utf-8")
