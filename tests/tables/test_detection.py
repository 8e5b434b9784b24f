"""The audit tested: what is counted as due, hit and false alarm."""

from __future__ import annotations

from typing import Any

import pandas as pd

from assay.numbers.stats import wilson
from assay.protocol import Conduct
from assay.tables.detection import CONDUCT, DETECTION, Judged, judged
from assay.tables.schemas.conducts import CONDUCTS
from assay.tables.suite_tables import conduct_table, detection_table


def expected(agent: str, strata: Any, answered: bool) -> Conduct | None:
    """One must be caught where it answered, one must not; the third nobody knows."""
    if agent == "cheat":
        return Conduct(frozenset({"cheats"}) if answered else frozenset({"silent"}))
    return Conduct(open=frozenset({"silent"})) if agent == "honest" else None


def tables(*flags: tuple[str, int, str, bool | None]) -> dict[str, Any]:
    """The common tables: agents by attempt with flags; an odd attempt has no answer."""
    attempts = sorted({(agent, attempt) for agent, attempt, _, _ in flags})
    episodes = [(a, "s-v0", "1", n, None if n % 2 else '"x"') for a, n in attempts]
    return {
        "tasks": pd.DataFrame([("s-v0", "1", "{}")], columns=["task_set", "task_id", "strata"]),
        "episodes": pd.DataFrame(episodes, columns=["agent", "task_set", "task_id", "attempt", "submission"]),
        "conducts": pd.DataFrame(columns=list(CONDUCTS.names)),
        "audit": pd.DataFrame(
            [(a, "s-v0", "1", n, flag, raised) for a, n, flag, raised in flags],
            columns=["agent", "task_set", "task_id", "attempt", "flag", "raised"],
        ),
    }


FOUND = tables(
    ("cheat", 0, "cheats", True),
    ("cheat", 2, "cheats", False),  # missed
    ("cheat", 4, "cheats", None),  # cannot be decided: counts for nothing
    ("cheat", 1, "silent", True),
    ("cheat", 1, "cheats", False),
    ("honest", 0, "cheats", True),  # a false alarm
    ("honest", 2, "cheats", False),
    ("honest", 0, "silent", True),  # open: not judged
    ("stranger", 0, "cheats", True),
)


def test_hits_and_false_alarms_by_agent() -> None:
    rows = conduct_table(expected).make(FOUND).to_dict("records")
    counts = {(r["agent"], r["flag"]): (r["due"], r["hits"], r["not_due"], r["false"]) for r in rows}
    assert counts == {
        ("cheat", "cheats"): (2, 1, 1, 0),
        ("cheat", "silent"): (1, 1, 0, 0),
        ("honest", "cheats"): (0, 0, 2, 1),
    }


def test_sensitivity_and_specificity_over_all() -> None:
    found = detection_table(expected).make(FOUND).set_index("flag")
    assert tuple(found.loc["cheats"])[:8] == ("rules", 2, 2, 1, 3, 1, 0.5, 1 - 1 / 3)
    low, high = wilson(1, 2)
    assert (found.loc["cheats", "sensitivity_low"], found.loc["cheats", "sensitivity_high"]) == (low, high)
    assert found.loc["cheats", "specificity_high"] == wilson(2, 3)[1]
    assert tuple(found.loc["silent"])[:6] == ("rules", 1, 1, 1, 0, 0)
    assert found.loc["silent", ["specificity", "specificity_low", "specificity_high"]].isna().all()


def test_other_families_have_rows_of_their_own() -> None:
    rows = [
        ("composed", "s-v0", task, "drawn-1", False, "done", "{}", flag, due, raised)
        for task, flag, due, raised in (
            ("1", "cheats", True, True),
            ("2", "cheats", True, False),
            ("3", "cheats", True, None),  # cannot be decided: counts for nothing
            ("1", "never", False, True),
        )
    ]
    tried = {**FOUND, "conducts": pd.DataFrame(rows, columns=list(CONDUCTS.names))}
    found = detection_table(expected).make(tried).set_index(["flag", "family"])
    assert list(found.index) == sorted(found.index)
    assert tuple(found.loc["cheats", "composed"])[:6] == (2, 2, 1, 0, 0, 0.5)
    assert tuple(found.loc["never", "composed"])[:5] == (1, 0, 0, 1, 1)
    assert pd.isna(found.loc[("never", "composed"), "sensitivity"])
    assert tuple(found.loc["cheats", "rules"])[:3] == (2, 2, 1)


def test_nobody_known_is_a_table_without_rows() -> None:
    nobody = tables(("stranger", 0, "cheats", True))
    for table in (conduct_table(expected), detection_table(expected)):
        assert len(table.make(nobody)) == 0


def test_the_tables_are_in_order_and_say_what_they_are() -> None:
    by_agent, over_all = conduct_table(expected), detection_table(expected)
    assert (by_agent.schema, over_all.schema) == (CONDUCT, DETECTION)
    assert by_agent.doc == "the flags that known conduct raised"
    assert over_all.doc == "sensitivity and specificity of every flag"
    shuffled = {**FOUND, "audit": FOUND["audit"].iloc[::-1], "episodes": FOUND["episodes"].iloc[::-1]}
    for table in (by_agent, over_all):
        rows = table.make(shuffled)
        assert rows.equals(table.make(FOUND))
        assert list(rows.columns) == [column.name for column in table.schema.columns]


def test_every_decided_flag_is_judged_in_the_order_of_the_audit() -> None:
    found = list(judged(expected, FOUND))
    assert found == [
        Judged("cheat", "cheats", True, True),
        Judged("cheat", "cheats", True, False),
        Judged("cheat", "cheats", True, None),
        Judged("cheat", "silent", True, True),
        Judged("cheat", "cheats", False, False),
        Judged("honest", "cheats", False, True),
        Judged("honest", "cheats", False, False),
    ]
