"""The suite's own tables: standings, contests, the floor, failures, and the audit tested."""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest
from tests.suites.petri import playing
from tests.suites.petri.playing import INDICES, episode, metrics, task

from assay.numbers.stats import wilcoxon
from assay.suites.petri import analysis, audit
from assay.suites.petri.tables.chance import expectation, possible_answers
from assay.suites.petri.tables.scopes import headline, scopes

SCOPE = "swarm-v0"


@pytest.fixture(scope="module")
def tables():
    attempts = {"ofat": 1, "adaptive": 1, "random": 3, "ofat-rand": 3, "contradictor": 1, "mute": 1}
    return playing.tables(attempts | {"assumer": 1, "misled": 1, "misjudger": 1})


def made(tables, name):
    spec = analysis.TABLES[name]
    frame = spec.make(tables)
    assert list(frame.columns) == list(spec.schema.names)
    assert not frame[list(spec.schema.key)].duplicated().any()
    return frame


def renamed(tables, names):
    """The same tables with tasks of other sets: task number i belongs to names[i % len(names)]."""
    where = {task(i).task_id: names[i % len(names)] for i in INDICES}
    return {
        name: frame.assign(task_set=frame["task_id"].map(where)) if "task_set" in frame else frame
        for name, frame in tables.items()
        if name != "published"
    } | {"published": tables["published"]}


def test_scopes_are_sets_and_the_thirty(tables):
    assert {scope: len(tasks) for scope, tasks in scopes(tables).items()} == {SCOPE: 6}
    assert headline(tables) == SCOPE
    frozen = renamed(tables, ["core-v0", "l2-v0", "l3-v0", "pilot-v0"])
    assert {scope: len(tasks) for scope, tasks in scopes(frozen).items()} == {
        "core-v0": 2,
        "frozen-30": 5,
        "l2-v0": 2,
        "l3-v0": 1,
        "pilot-v0": 1,
    }
    assert headline(frozen) == "frozen-30"
    rows = made(frozen, "tiers").set_index(["scope", "agent", "tier"])
    assert rows.loc[("frozen-30", "ofat", "all"), "episodes"] == 5


def test_tiers(tables):
    rows = made(tables, "tiers").set_index(["scope", "agent", "tier"]).loc[SCOPE]
    assert rows.loc[("ofat", "L1"), "score"] == 92.5
    assert rows.loc[("ofat", "all"), "score"] == pytest.approx((92.5 + 92.5 + 87.5) / 3)
    assert rows.loc[("ofat", "L3"), ["calls", "solved", "episodes"]].tolist() == [5, 1, 2]
    assert rows.loc[("ofat", "all"), "privileged"]
    guessing = rows.loc[("random", "all")]
    assert guessing["episodes"] == 18
    assert not guessing["privileged"]
    assert guessing["low"] < guessing["score"] < guessing["high"]
    assert rows.loc[("ofat", "all"), "low"] == rows.loc[("ofat", "all"), "high"]
    assert rows["tokens"].isna().all()


def test_tokens_are_counted_where_there_are_any(tables):
    episodes = tables["episodes"]
    spoken = episodes["agent"] == "mute"
    counted = episodes.assign(
        tokens_in=pd.Series(100.0, episodes.index).where(spoken),
        tokens_out=pd.Series(range(len(episodes)), dtype=float).where(spoken),
    )
    rows = made({**tables, "episodes": counted}, "tiers").set_index(["agent", "tier"])
    expected = 100 + counted.loc[spoken, "tokens_out"].mean()
    assert rows.loc[("mute", "all"), "tokens"] == pytest.approx(expected)
    assert math.isnan(rows.loc[("ofat", "all"), "tokens"])


def test_contests(tables):
    rows = made(tables, "contests").set_index("agent")
    assert list(rows.index) == ["ofat-rand", "random"], "who was told the truth is no rival"
    guessing = rows.loc["random"]
    agent_rows = [
        math.fsum(metrics(task(i), episode(i, "random", a))["score"] for a in range(3)) / 3 for i in INDICES
    ]
    other = [metrics(task(i), episode(i, "ofat"))["score"] for i in INDICES]
    assert guessing["margin"] == pytest.approx((sum(other) - sum(agent_rows)) / 6)
    assert guessing["p"] == float(wilcoxon([a - b for a, b in zip(other, agent_rows, strict=True)]).p)
    assert guessing["p"] == 2 / 64, "the reference is better on all six"
    assert (guessing["tasks"], guessing["better"], guessing["rank_sum"]) == (6, 6, 21)
    assert rows.loc["random", "p_holm"] == min(1, max(2 * rows["p"].min(), rows["p"].max()))


def test_ablation(tables):
    rows = made(tables, "ablation")
    ours = rows[rows["scope"] == SCOPE]
    draws = ours[(ours["agent"] == "ofat-rand") & ours["draw"].notna()]
    whole = ours[(ours["agent"] == "ofat-rand") & ours["draw"].isna()].iloc[0]
    assert draws["draw"].tolist() == [0, 1, 2]
    assert whole["score"] == pytest.approx(draws["score"].mean())
    for draw in range(3):
        scores = [metrics(task(i), episode(i, "ofat-rand", draw))["score"] for i in INDICES]
        assert draws["score"].tolist()[draw] == pytest.approx(sum(scores) / 6)
    best = max(draws["score"])
    contests = made(tables, "contests").set_index("agent")
    mean = made(tables, "tiers").set_index(["agent", "tier"]).loc[("random", "all"), "score"]
    assert contests.loc["random", "over_blind"] == pytest.approx(mean - best)
    quoted = rows[(rows["scope"] == "paper") & (rows["agent"] == "ofat-rand")]
    assert quoted["score"].tolist() == [pytest.approx(45.2, abs=0.05), 40.5, 47.5, 47.7]


def test_the_floor_is_computed_from_the_tasks(tables):
    rows = made(tables, "floor").set_index(["scope", "tier"]).loc[SCOPE]
    assert rows.loc["L1", "score"] == pytest.approx(40 / 3)
    assert rows.loc["L1", "solved"] == pytest.approx(1 / 6)
    assert rows.loc["L3", "score"] == 25.5
    assert rows.loc["L3", "solved"] == pytest.approx(1 / 12)
    # a small effect has one neighbour, a medium one two
    assert rows.loc["L2", "score"] == pytest.approx((14 + 1 / 6 + 15 + 5 / 18) / 2)
    measured = [metrics(task(i), episode(i, "random", a))["score"] for i in INDICES for a in range(3)]
    assert rows.loc["all", "measured"] == pytest.approx(sum(measured) / 18)
    assert abs(rows.loc["all", "measured"] - rows.loc["all", "score"]) < 4 * rows.loc["all", "error"]


@pytest.mark.parametrize("index", [0, 2, 4])
def test_guesses_come_as_often_as_the_floor_assumes(index):
    played = task(index)
    answers = list(possible_answers(played.public["tier"], played.public["candidates"]))
    drawn = [episode(index, "random", attempt).submission for attempt in range(300)]
    for guess in drawn:
        if "parameters" in guess:
            assert {**guess, "parameters": set(guess["parameters"])} in [
                {**a, "parameters": set(a["parameters"])} for a in answers
            ]
        else:
            assert guess in answers
    scores = [metrics(played, episode(index, "random", attempt))["score"] for attempt in range(300)]
    mean, variance, solved = expectation(played.public, played.hidden)
    assert abs(sum(scores) / 300 - mean) < 4 * math.sqrt(variance / 300)
    assert solved == Fraction(1, {"L1": 6, "L2": 18, "L3": 12}[played.public["tier"]])


def test_quoted(tables):
    rows = made(tables, "quoted").set_index(["agent", "tier"])
    assert rows.loc[("ofat", "all"), ["score", "ours"]].tolist() == [90.8, pytest.approx(90.833, abs=1e-3)]
    assert rows.loc[("glm-5.1", "L3"), ["score", "low", "high"]].tolist() == [53.2, 47.2, 56.6]
    assert math.isnan(rows.loc[("glm-5.1", "L3"), "ours"])
    assert len(rows) == 10 * 4


def test_taxonomy(tables):
    rows = made(tables, "taxonomy").set_index(["scope", "agent", "flag", "label"]).loc[SCOPE]
    assert rows.loc[("mute", "no_answer", "")].tolist() == [6, 6]
    assert rows.loc[("contradictor", "direction_error", "measured, contradicted")].tolist() == [4, 4]
    assert rows.loc[("contradictor", "interaction_error", "measured, contradicted")].tolist() == [2, 2]
    assert rows.loc[("ofat", "p_hacking", "")].tolist() == [0, 6]


def test_directions(tables):
    rows = made(tables, "directions").set_index(["scope", "agent"])
    assert rows.loc[(SCOPE, "contradictor")].tolist() == [4, 4, 0, 0, 0, 0, 4]
    assert rows.loc[(SCOPE, "assumer")].tolist() == [4, 4, 4, 0, 0, 0, 0]
    assert rows.loc[(SCOPE, "ofat")].tolist() == [4, 0, 0, 0, 0, 0, 0]
    assert rows.loc[(SCOPE, "misled"), "right_parameter"] == 0
    assert rows.loc[(SCOPE, "mute"), "right_parameter"] == 0
    paper = rows.loc[("paper", "six models")]
    assert (paper["errors"], paper["no_probe"], paper["indirect"], paper["contradicted"]) == (89, 37, 17, 35)


def test_difficulty_and_tracking(tables):
    rows = made(tables, "difficulty").set_index(["agent", "band"])
    assert rows.loc[("ofat", "hard"), ["tasks", "episodes", "solved"]].tolist() == [3, 3, 1]
    hard = [i for i in INDICES if task(i).strata["band"] == "hard"]
    blind = [metrics(task(i), episode(i, "ofat-rand", a))["score"] for i in hard for a in range(3)]
    assert rows.loc[("ofat-rand", "hard"), "score"] == pytest.approx(sum(blind) / 9)
    assert rows.loc[("ofat", "hard"), "power"] < 0.55 < rows.loc[("ofat", "easy"), "power"]

    solved = tables["scores"].copy()
    mine = (solved["agent"] == "mute") & (solved["metric"] == "solved")
    easy = {task(i).task_id for i in INDICES if task(i).strata["band"] != "hard"}
    solved.loc[mine, "value"] = solved.loc[mine, "task_id"].isin(easy).astype(float)
    rows = made({**tables, "scores": solved}, "tracking").set_index("agent")
    assert rows.loc["mute", ["solved", "failed", "delta", "p"]].tolist() == [3, 3, 1, pytest.approx(0.1)]
    assert rows.loc["ofat", ["solved", "failed"]].tolist() == [6, 0]
    assert math.isnan(rows.loc["ofat", "delta"])


def test_the_audit_is_tested(tables):
    rows = made(tables, "conduct").set_index(["agent", "flag"])
    assert rows.loc[("contradictor", "invalid_claim")].tolist()[:5] == [6, 6, 0, 0, 1]
    assert rows.loc[("ofat", "unbacked"), ["due", "not_due", "specificity"]].tolist() == [0, 6, 1]
    assert ("random", "wrong_parameter") not in rows.index, "what chance decides is not judged"
    assert rows.loc[("random", "unbacked"), ["due", "hits"]].tolist() == [18, 18]
    totals = made(tables, "detection").set_index("flag")
    assert set(totals.index) == {name for name, spec in audit.V0_FLAGS.items() if spec.kind == "flag"}
    assert (totals["hits"] == totals["due"]).all()
    assert (totals["specificity"] == 1).all()
    assert totals.loc["assumed_direction", "due"] == 6
    assert totals.loc["unbacked", "due"] == 18 + 6
    assert math.isnan(totals.loc["p_hacking", "sensitivity"]), "nobody here hacks"


def test_an_audit_that_errs_is_seen(tables):
    flags = tables["audit"].copy()
    at = flags.index[(flags["agent"] == "ofat") & (flags["flag"] == "over_testing")][0]
    flags["raised"] = flags["raised"].astype(object)
    flags.loc[at, "raised"] = True
    missed = flags.index[(flags["agent"] == "mute") & (flags["flag"] == "no_answer")][0]
    flags.loc[missed, "raised"] = False
    totals = made({**tables, "audit": flags}, "detection").set_index("flag")
    assert totals.loc["over_testing", "false"] == 1
    assert 0 < totals.loc["over_testing", "specificity"] < 1
    assert totals.loc["no_answer", "sensitivity"] == pytest.approx(5 / 6)
