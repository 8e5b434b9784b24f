"""The published runs, equal to the last digit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay.suites.pilab as package
from assay.suites.pilab.environment.parameters import AGENCIES, TOPIC_INDEX, VENUES, Parameters
from assay.suites.pilab.experiments.booms import ceiling
from assay.suites.pilab.experiments.runs import ABLATIONS, POLICIES, SEEDS, play
from assay.suites.pilab.interface import replays, views
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.measures import records
from assay.suites.pilab.policies.baseline import Baseline
from assay.suites.pilab.policies.oracle import best_topic

ACCEPTANCE: dict[str, Any] = json.loads(
    (Path(package.__file__).parent / "data/acceptance.json").read_text(encoding="utf-8")
)
REPLAYS = Path(__file__).parent / "replays"
EXPECTED: dict[str, Any] = json.loads((REPLAYS / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("policy", ["baseline", "oracle"])
def test_policy(policy: str, seed: int) -> None:
    expected = ACCEPTANCE[policy][str(seed)]
    found = records.outcome(play(POLICIES[policy], seed))
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("name", ABLATIONS)
def test_ablation(name: str) -> None:
    expected, ablation = ACCEPTANCE["ablations"][name], ABLATIONS[name]
    labs = [play(ablation.policy, seed, ablation.parameters) for seed in SEEDS]
    assert [papers.impact(lab) for lab in labs] == expected["impact"]
    assert [lab.collapse_month for lab in labs] == expected["collapse_month"]
    rounded = [views.summary(lab)["impact"] for lab in labs]
    assert round(float(np.mean(rounded)), 1) == expected["mean"]
    assert round(float(np.median(rounded)), 1) == expected["median"]


@pytest.mark.parametrize(
    "row",
    ACCEPTANCE["grid"],
    ids=lambda r: f"{r['target']}-{r['interviews']}-{r['tier']}-{r['follow_news']}",
)
def test_tuning_grid(row: dict[str, Any]) -> None:
    policy = Baseline(
        target=row["target"], interviews=row["interviews"], tier=row["tier"], follow_news=row["follow_news"]
    )
    labs = [play(lambda lab: policy, seed) for seed in (1001, 1002)]
    assert [papers.impact(lab) for lab in labs] == row["impact"]
    assert sum(lab.collapse_month is not None for lab in labs) == row["collapses"]


def test_no_grants() -> None:
    for seed, (month, budget) in ACCEPTANCE["hire-max"].items():
        lab = play(POLICIES["hire-max"], int(seed))
        assert (papers.impact(lab), lab.collapse_month, lab.budget) == (0, month, budget)


def test_doing_nothing() -> None:
    expected = ACCEPTANCE["idle"]
    lab = Lab(101, mode="released")
    while lab.month < lab.months:
        lab.close_month()
    assert lab.reputation == expected["reputation"]
    assert lab.field.climate == expected["climate"]
    for topic, crowd in expected["crowding"].items():
        assert lab.field.crowd[TOPIC_INDEX[topic]] == crowd
    assert (len(lab.events), len(lab.applicants)) == (expected["events"], expected["applicants"])
    kinds = [kind for _, kind, _, _ in lab.news]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == expected["news"]
    assert list(lab.preprints[-1][1]) == expected["preprints"]
    assert lab.conferences[-1] == (60, "CLAR", tuple(expected["clar"]))
    lab.close_month()
    assert (lab.over, lab.budget, papers.impact(lab)) == (True, 600_000, 0)


def test_field() -> None:
    for seed, (peak, topic, month) in ACCEPTANCE["peaks"].items():
        field = Lab(int(seed)).field
        rows = field.trajectory[1:61]
        assert max(max(row) for row in rows) == peak
        first = next(t for t, row in enumerate(rows, 1) if peak in row)
        assert (first, field.trajectory[first].index(peak)) == (month, TOPIC_INDEX[topic])
        assert len(field.trajectory) == 69
    for seed, phase in ACCEPTANCE["phase"].items():
        assert Lab(int(seed)).field.phase == phase
    for seed, month, topic, hot in ACCEPTANCE["hotness"]:
        assert Lab(seed).field.trajectory[month][TOPIC_INDEX[topic]] == hot
    alignment = [Lab(102).field.trajectory[t][TOPIC_INDEX["alignment"]] for t in range(5, 10)]
    assert [round(hot, 3) for hot in alignment] == [1.629, 1.678, 1.831, 5.756, 6.0]
    for agency, topic, preference in ACCEPTANCE["preferences"]:
        assert Lab(101).field.preferences[agency][TOPIC_INDEX[topic]] == preference


def test_the_first_month() -> None:
    first = {seed: Lab(seed) for seed in (101, 102, 103)}
    assert {seed: len(lab.applicants) for seed, lab in first.items()} == {101: 15, 102: 5, 103: 16}
    one, two = first[101].applicants["APP001"], first[101].applicants["APP002"]
    assert (one.pool, one.transcript, one.letter, one.interview) == ("local", 0.31, 0.40, 0.37)
    assert (one.ability, one.speed) == (0.3741244804672524, 1.1075827401132736)
    assert (one.resilience, one.independence) == (0.8332057240758928, 0.6311059633769898)
    assert one.growth == 1.2176349817499554
    assert (two.pool, two.transcript, two.letter, two.interview) == ("international", 0.97, 1.0, 0.92)
    assert two.ability == 0.9338135877498477
    one = first[102].applicants["APP001"]
    assert (one.pool, one.transcript, one.letter, one.interview) == ("nontraditional", 1.0, 0.88, 0.88)
    one = first[103].applicants["APP001"]
    assert (one.pool, one.transcript, one.letter, one.interview) == ("international", 0.41, 0.86, 0.59)
    assert {seed: lab.preprints[0][1] for seed, lab in first.items()} == {
        101: (10, 7, 3, 9, 2, 5, 1, 4),
        102: (9, 4, 10, 10, 3, 5, 3, 7),
        103: (11, 8, 6, 14, 6, 5, 1, 2),
    }
    kinds = {seed: [event.kind for event in lab.events.values()] for seed, lab in first.items()}
    assert kinds == {101: ["review_request"], 102: [], 103: ["review_request"]}


def test_trace_of_the_baseline() -> None:
    lab = play(POLICIES["baseline"], 104)
    rows = {
        row["month"]: (
            row["budget"],
            row["reputation"],
            row["researchers"],
            row["projects"],
            row["publications"],
            row["citations"],
            row["attention_used"],
            row["attention_pool"],
            row["climate"],
        )
        for row in lab.rows
    }
    assert rows[6] == (573300, 2.078, 3, 2, 0, 0, 21.0, 88, 1.118)
    assert rows[12] == (496200, 2.173, 3, 2, 2, 0, 15.0, 88, 0.854)
    assert rows[24] == (401300, 3.382, 4, 3, 4, 8, 34, 84, 1.037)
    assert rows[36] == (333000, 4.805, 4, 3, 6, 37, 34, 84, 1.134)
    assert rows[48] == (369300, 6.507, 3, 3, 11, 150, 29, 88, 0.861)
    assert rows[60] == (496666.67, 9.414, 3, 2, 14, 441, 35, 88, 1.223)
    counts = (lab.actions, lab.events, lab.news, lab.ledger, lab.proposals, lab.submissions)
    assert [len(items) for items in counts] == [260, 70, 388, 526, 16, 18]
    assert (len(lab.drafts), len(lab.projects)) == (16, 14)
    interviews = [args["ids"] for _, name, args in lab.actions if name == "recruit.interview"]
    assert [identifier[-3:] for identifier in interviews[0]] == ["010", "003", "006", "002", "004", "009"]
    offers = [args["id"] for month, name, args in lab.actions if name == "recruit.offer" and month == 1]
    assert offers == ["APP003", "APP010", "APP006"]
    dead = [lab.projects[identifier] for identifier in ("PJ001", "PJ002")]
    assert [(p.status, p.ended) for p in dead] == [("deadend", 9), ("deadend", 14)]
    assert [p.novelty for p in dead] == [1.0762878894549117, 0.6466489500869025]
    assert [p.progress for p in dead] == [8.60709799957016, 8.650323890099562]
    shown = {
        p.id: (p.venue, lab.drafts[p.draft].topic, p.published, p.citations, p.quality)
        for p in lab.publications.values()
    }
    assert shown["P001"] == ("W-SHOP", TOPIC_INDEX["ai4science"], 11, 2, 2.4283872653415672)
    assert shown["P002"] == ("W-SHOP", TOPIC_INDEX["ai4science"], 11, 4, 4.842436228579703)
    assert shown["P004"] == ("W-SHOP", TOPIC_INDEX["reasoning"], 20, 37, 4.313783020987539)
    assert shown["P007"] == ("NAIC", TOPIC_INDEX["reasoning"], 40, 228, 6.12206393164741)
    assert shown["P014"] == ("W-SHOP", TOPIC_INDEX["neuro_ai"], 51, 8, 5.96341599616093)


def test_trace_of_a_memberless_project() -> None:
    lab = play(POLICIES["baseline"], 101)
    rows = {r["month"]: (r["budget"], r["reputation"], r["researchers"], r["projects"]) for r in lab.rows}
    assert rows[12] == (579800, 2.284, 0, 1)
    assert rows[24] == (697466.67, 2.933, 0, 1)
    assert rows[36] == (1030066.67, 3.121, 2, 1)
    assert rows[48] == (1136200, 3.487, 3, 3)
    assert rows[60] == (1164016.67, 5.361, 4, 3)
    assert [(a.agency, a.start, a.end) for a in lab.awards.values()] == [
        ("AMP", 21, 44),
        ("BSF", 51, 86),
        ("AMP", 57, 80),
    ]
    assert (len(lab.actions), len(lab.drafts), len(lab.projects), len(lab.proposals)) == (213, 8, 9, 24)
    assert lab.members["S001"].left == 6
    assert lab.projects["PJ001"].status == "active"
    assert lab.projects["PJ001"].members == []


def test_oracle_enters_the_boom() -> None:
    for seed, topic in ((101, "reasoning"), (102, "alignment")):
        lab = play(POLICIES["oracle"], seed)
        started = [p.started for p in lab.projects.values() if p.topic == TOPIC_INDEX[topic]]
        assert started[0] == 5
    assert best_topic(Lab(101)) == TOPIC_INDEX["reasoning"]


def test_ceiling_of_a_paper() -> None:
    for month, value in ACCEPTANCE["ceiling"].items():
        assert ceiling(101, TOPIC_INDEX["reasoning"], int(month)) == value


@pytest.mark.parametrize("seed", ACCEPTANCE["ties"])
def test_ties_and_rounding(seed: str) -> None:
    assert papers.impact(play(POLICIES["baseline"], int(seed))) == ACCEPTANCE["ties"][seed]


def test_rounding_of_the_oracle() -> None:
    lab = play(POLICIES["oracle"], 2003)
    assert (papers.impact(lab), lab.budget) == (97.7827355697331, 393466.66666666674)
    lab = play(POLICIES["oracle"], 2020)
    assert (papers.impact(lab), lab.collapse_month, lab.budget) == (31, 37, -1300)
    lab = play(POLICIES["oracle"], 2405, Parameters(attention_budget=65.0))
    assert (papers.impact(lab), len(lab.actions)) == (667.788187033874, 270)
    idle = [(m, a["id"]) for m, name, a in lab.actions if name == "papers.polish" and a["hours"] == 0]
    assert idle == [(37, "D005")]


def test_interviews_stopped_midway() -> None:
    lab = play(POLICIES["baseline"], 2002, Parameters(attention_budget=16.0, attention_floor=16.0))
    assert (papers.impact(lab), lab.budget) == (58.81477504839118, 264600.0)
    assert (lab.reputation, len(lab.actions)) == (1.992206026621272, 180)


@pytest.mark.parametrize("name", EXPECTED)
def test_replay(name: str) -> None:
    expected = EXPECTED[name]
    lab = Lab(expected["seed"], Parameters(start_budget=float(expected["start_budget"])), "released")
    calls = replays.read_log(REPLAYS / name)
    assert len(calls) == expected["calls"]
    assert sum(not ok for _, _, _, ok in calls) == expected["errors"]
    assert replays.replay(lab, calls) == []
    assert lab.month == expected["final_month"]
    assert (lab.collapse_month is not None) == expected["collapsed"]
    assert papers.impact(lab) == expected["impact"]
    assert (lab.budget, lab.reputation) == (expected["budget"], expected["reputation"])
    if "statistics_sha256" in expected:
        assert replays.statistics_digest(lab) == expected["statistics_sha256"]


def test_a_bad_replay_is_found() -> None:
    name = "random_88.json"
    calls = replays.read_log(REPLAYS / name)
    calls[3] = (*calls[3][:3], not calls[3][3])
    lab = Lab(EXPECTED[name]["seed"], mode="released")
    assert [difference.at for difference in replays.replay(lab, calls)] == [3]


def test_venues_and_agencies_are_in_order() -> None:
    assert list(VENUES) == ["NAIC", "CLAR", "W-SHOP", "JMR"]
    assert list(AGENCIES) == ["BSF", "AMP", "TIF", "FEL"]


def test_hours_that_are_not_there_are_refused() -> None:
    """The published invariant of attention."""
    lab = Lab(101)
    client = LabClient(lab)
    assert client.attempt("grants.propose", "TIF-rolling", "theory", 200) is None
    assert client.attempt("grants.propose", "TIF-rolling", "theory", 90)
    assert client.attempt("field.attend_conference") is None


def test_an_offer_is_answered_by_month_five() -> None:
    lab = Lab(101)
    client = LabClient(lab)
    offered = [a["id"] for a in client.call("recruit.applicants")]
    made = [id_ for id_ in offered if client.attempt("recruit.offer", id_)]
    assert len(made) == 12  # the lab has no room for more
    while lab.month < 5:
        client.next_month()
    statuses = {lab.applicants[id_].status for id_ in made}
    assert statuses == {"joined", "declined"}
    assert {m.arrived for m in lab.members.values()} == {5}


def test_no_money_no_projection() -> None:
    lab = Lab(104, Parameters(start_budget=1.0))
    client = LabClient(lab)
    client.call("recruit.hire_ra")
    client.next_month()
    assert (lab.over, lab.collapse_month, papers.impact(lab)) == (True, 1, 0)
    with pytest.raises(Refused):
        client.next_month()


def test_a_budget_of_nothing_survives() -> None:
    lab = Lab(104, Parameters(start_budget=1800.0))
    client = LabClient(lab)
    client.call("recruit.hire_ra")
    client.next_month()
    assert (lab.over, lab.budget) == (False, 0)
