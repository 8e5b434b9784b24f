"""The sets v1: tasks, what a request shows, evidence, points and flags."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.rescoring import petri as rescoring
from tests.suites.petri.playing import BLOBS, MATERIALS

from assay import canonical
from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.harness import play
from assay.errors import TaskError
from assay.protocol import Flag, Solver
from assay.suites.petri import SUITE, audit, calibration, scoring, viewer
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.tasks import SETS, generate, verify
from assay.suites.petri.v1 import acceptance, evidence, rules
from assay.suites.petri.v1.arms import seeds
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.solvers.belief import Belief
from assay.suites.petri.v1.solvers.client import Client
from assay.suites.petri.v1.stored import curves, design, pairs
from assay.suites.petri.v1.stored.store import store
from assay.suites.petri.v1.stored.teams import SPREAD, able, band_of, places, size_class
from assay.suites.petri.v1.world import HeldWorld
from assay.suites.petri.validity.shortcuts import SHORTCUTS
from assay.task import Task

SEED = 20
NAMES = ("core-v1", "l2-v1", "l3-v1", "wide-v1", "tight-v1")


def made(name: str, index: int, seed: int = SEED) -> Task:
    return generate(replace(SETS[name], seed=seed), name, index, seed, BLOBS)


def episode(task: Task, solver: Solver) -> Episode:
    return play(SUITE, task, "x", SolverAgent(solver, task), 0, MATERIALS)


def scripted(task: Task, *calls: tuple[str, Any]) -> Episode:
    def act(brief: Any, call: Any, stream: Any, hidden: Any) -> None:
        for tool, arguments in calls:
            call(tool, arguments)

    return episode(task, Solver(act, "A script."))


def scores(task: Task, at: Episode) -> dict[str, float | None]:
    return {score.metric: score.value for score in scoring.score(task, at, MATERIALS)}


def flags(task: Task, at: Episode) -> dict[str, Flag]:
    return {flag.flag: flag for flag in audit.audit(task, at, MATERIALS)}


def cheap(name: str = "core-v1", band: str = "easy") -> Task:
    """The first task of the world origin, whose runs are cheap, in a band."""
    tasks = (made(name, index) for index in range(200))
    return next(t for t in tasks if t.public["world"] == "origin" and t.strata["band"] == band)


@pytest.mark.parametrize("name", NAMES)
def test_tasks_are_sound_and_the_same_when_made_again(name: str) -> None:
    for index in range(24):
        task = made(name, index)
        verify(task)
        assert task == made(name, index)
        assert len(task.public["candidates"]) == SETS[name].params["members"]
        assert task.hidden["drivers"][0]["parameter"] in task.public["candidates"]


@pytest.mark.parametrize("name", ["core-v1", "l2-v1"])
def test_every_candidate_could_have_caused_the_effect(name: str) -> None:
    for index in range(60):
        task = made(name, index)
        size, hidden = task.hidden["size"], task.hidden
        curves = able(task.public["world"], hidden["direction"], size)
        team = [curves[candidate] for candidate in task.public["candidates"]]
        spreads = [curve.sd_at(size) for curve in team]
        assert max(spreads) <= SPREAD * min(spreads)
        assert {band_of(curve.power_at(size)) for curve in team} == {task.strata["band"]}


def test_the_changed_parameter_has_no_place_and_no_name() -> None:
    """Its place in the list, and its name in a team, are uniform (chi-square below the .999 quantile)."""
    at, named, tasks = Counter[int](), Counter[tuple[Any, str]](), 4000
    for index in range(tasks):
        task = made("core-v1", index)
        candidates, culprit = task.public["candidates"], task.hidden["drivers"][0]["parameter"]
        at[candidates.index(culprit)] += 1
        named[tuple(sorted(candidates)), culprit] += 1
    assert sum((n - tasks / 4) ** 2 / (tasks / 4) for n in at.values()) < 16.3
    teams = Counter[Any]()
    for (team, _), n in named.items():
        teams[team] += n
    often = {team for team, n in teams.items() if n >= 40}
    square = sum((named[t, p] - teams[t] / 4) ** 2 / (teams[t] / 4) for t in often for p in t)
    degrees = 3 * len(often)
    assert square < degrees + 3.1 * (2 * degrees) ** 0.5 + 6


def test_the_index_says_only_world_and_budget() -> None:
    possible = sorted({made("tight-v1", index).public["world"] for index in range(12)})
    tasks = [made("tight-v1", index) for index in range(4 * len(possible))]
    assert [t.public["world"] for t in tasks[: len(possible)]] == [
        t.public["world"] for t in tasks[len(possible) : 2 * len(possible)]
    ]
    assert {t.public["budget"] for t in tasks} == {4, 6}


def test_a_task_that_was_changed_is_refused() -> None:
    task = made("core-v1", 0)
    others = [name for name in task.public["candidates"] if name != task.hidden["drivers"][0]["parameter"]]
    driver = {**task.hidden["drivers"][0], "parameter": others[0]}
    with pytest.raises(TaskError, match="stored curves"):
        verify(replace(task, hidden={**task.hidden, "drivers": [driver]}))
    with pytest.raises(TaskError, match="public half"):
        verify(replace(task, public={**task.public, "target": "x"}))
    with pytest.raises(TaskError, match="incomplete"):
        verify(replace(task, hidden={}))


def test_stored_curves_grow_from_control() -> None:
    for world in WORLDS:
        for curve in store(world).curves.values():
            sizes = [abs(change) for change in curve.changes]
            assert sizes == sorted(sizes)
            assert len({change > 0 for change in curve.changes if abs(change) > 0.01}) == 1
            low, high = curve.parameter.legal
            assert all(low <= value <= high for value in curve.values)


def test_the_calibration_is_read_from_the_curves() -> None:
    task = cheap()
    measures = {m.measure: m for m in calibration.calibrate(task, {}, MATERIALS)}
    assert measures["oracle_power"].value == pytest.approx(task.hidden["power"], abs=1e-4)
    assert measures["band"].label == task.strata["band"]
    assert band_of(task.hidden["power"]) == task.strata["band"]


@pytest.mark.parametrize(("size", "name"), [(0.1, "small"), (0.2, "medium"), (0.35, "large"), (0.09, None)])
def test_size_classes(size: float, name: str | None) -> None:
    assert size_class(size) == name


def test_every_key_of_the_brief_is_public() -> None:
    task = made("l2-v1", 0)
    text = canonical.dumps([str(part) for part in HeldWorld(task).brief().parts])
    assert task.hidden["key"] not in text
    assert str(task.hidden["drivers"][0]["value"]) not in json.dumps(task.public["candidates"])


def test_arms_and_requests_share_no_seed() -> None:
    drawn = [s for text in ("a", "b") for arm in (0, 1) for s in seeds("00ff", text, arm)]
    assert len(set(drawn)) == 48
    assert max(drawn) < 2**53
    assert seeds("00ff", "a", 0) != seeds("00fe", "a", 0)


def test_the_same_request_gives_the_same_numbers_and_is_charged() -> None:
    task = cheap()
    name = task.public["candidates"][0]
    control = task.public["control"][name]
    world = HeldWorld(task)
    first = world.call("probe", {"config": {name: control}}, None)  # type: ignore[arg-type]
    same = world.call("probe", {"config": {name: control + 1e-9}}, None)  # type: ignore[arg-type]
    bare = world.call("probe", {"config": {}}, None)  # type: ignore[arg-type]
    assert first == same and first.charged == 1
    assert first.parts != bare.parts


def test_swapping_the_arms_mirrors_the_result() -> None:
    task = cheap()
    world: Any = HeldWorld(task)
    other = {"birth": 0.8}
    first = world.call("experiment", {"config_a": {}, "config_b": other}, None).parts[0]
    second = world.call("experiment", {"config_a": other, "config_b": {"death": 0.15}}, None).parts[0]
    assert (first["mean_a"], first["mean_b"]) == (second["mean_b"], second["mean_a"])
    assert first["cliffs_delta"] == -second["cliffs_delta"]
    assert first["p"] == second["p"]


def test_an_experiment_at_the_hidden_value_does_not_repeat_the_hidden_runs() -> None:
    task = cheap()
    world: Any = HeldWorld(task)
    truth = {d["parameter"]: d["value"] for d in task.hidden["drivers"]}
    probe = world.call("probe", {"config": {}}, None).parts[0]
    experiment = world.call("experiment", {"config_a": {}, "config_b": truth}, None).parts[0]
    assert {probe["mean_a"], probe["mean_b"]}.isdisjoint({experiment["mean_a"], experiment["mean_b"]})


def test_holding_the_changed_parameter_undoes_the_change() -> None:
    task = cheap()
    culprit = task.hidden["drivers"][0]["parameter"]
    others = [name for name in task.public["candidates"] if name != culprit]
    world: Any = HeldWorld(task)
    control = task.public["control"]
    assert world.call("probe", {"config": {n: control[n] for n in others}}, None).parts[0]["p"] < 0.001
    null = [
        world.call("probe", {"config": {culprit: v}}, None).parts[0]["p"]
        for v in task.public["ranges"][culprit]
    ]
    assert min(null) > 0.001


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"birth": 2}, "birth must be a number from 0.3 to 1"),
        ({"birth": True}, "birth must be a number"),
        ({"birth": float("nan")}, "birth must be a number"),
        ({"founders": 20.5}, "founders must be a whole number from 5 to 400"),
        ({"shift_period": 20}, "unknown parameter"),
        ([], "must be an object"),
    ],
)
def test_refusals_say_what_is_legal(config: Any, message: str) -> None:
    world: Any = HeldWorld(cheap())
    result = world.call("probe", {"config": config}, None)
    assert not result.ok
    assert message in result.error
    assert result.charged == 0


def test_a_whole_number_may_be_written_as_a_float() -> None:
    world: Any = HeldWorld(cheap())
    assert world.call("probe", {"config": {"founders": 20.0}}, None).ok


def test_normal_form_keeps_a_candidate_that_is_held_at_control() -> None:
    public = cheap().public
    name = public["candidates"][0]
    control = public["control"][name]
    assert rules.normal(public, {name: control}, "probe") == {name: control}
    assert rules.normal(public, {name: control}, "experiment") == {}
    other = next(p for p in public["ranges"] if p not in public["candidates"])
    assert rules.normal(public, {other: public["control"][other]}, "probe") == {}


def test_calls_that_were_not_made_count_as_p_of_one() -> None:
    ways = evidence.WAYS
    assert evidence.adjusted([ways // 200], 8) == [8 * (ways // 200)]
    assert evidence.adjusted([ways // 200, ways // 300], 4) == [3 * (ways // 200), 4 * (ways // 300)]


def test_the_proof_and_its_points() -> None:
    task = cheap()
    culprit = task.hidden["drivers"][0]["parameter"]
    control = task.public["control"]
    others = {n: control[n] for n in task.public["candidates"] if n != culprit}
    right = ("submit", {"parameter": culprit, "direction": task.hidden["direction"]})
    proved = scripted(task, ("probe", {"config": others}), right)
    assert scores(task, proved)["score"] == pytest.approx(100 - 20 / 8)
    assert flags(task, proved)["support"].label == "isolating"
    seen = scripted(task, ("probe", {"config": {}}), right)
    assert scores(task, seen)["score"] == 50
    assert flags(task, seen)["not_excluded"].raised
    guessed = scripted(task, right)
    assert scores(task, guessed)["score"] == 50
    assert flags(task, guessed)["open_only"].raised
    wrong = scripted(
        task,
        ("probe", {"config": others}),
        ("claim", {"parameter": culprit, "effect": "unchanged"}),
        ("submit", {"parameter": next(iter(others)), "direction": "up"}),
    )
    assert scores(task, wrong)["score"] == 0
    assert flags(task, wrong)["refuted"].raised
    assert flags(task, wrong)["invalid_claim"].raised
    assert scores(task, wrong)["claim_validity"] == 0


def test_a_proof_away_from_control_does_not_measure_the_effect() -> None:
    task = cheap()
    culprit = task.hidden["drivers"][0]["parameter"]
    control = task.public["control"]
    others = {n: control[n] for n in task.public["candidates"] if n != culprit}
    aside = next(p for p in task.public["ranges"] if p not in task.public["candidates"])
    held = others | {aside: task.public["ranges"][aside][1]}
    right = ("submit", {"parameter": culprit, "direction": task.hidden["direction"]})
    at = scripted(task, ("probe", {"config": held}), right)
    found = evidence.Evidence(task, at)
    assert found.survivors() == (frozenset((culprit,)),)
    assert not found.proved(found.answer)
    assert scores(task, at)["rigor"] == 0


def test_open_experiments_are_no_evidence_but_count_in_the_family() -> None:
    task = cheap()
    culprit, value = task.hidden["drivers"][0].values()
    show = ("experiment", {"config_a": {}, "config_b": {culprit: value}})
    right = ("submit", {"parameter": culprit, "direction": task.hidden["direction"]})
    at = scripted(task, show, show, right)
    found = evidence.Evidence(task, at)
    assert len(found.comparisons) == 1
    assert found.charged == 2
    assert len(found.survivors()) == 4
    assert scores(task, at)["score"] == 50


def test_shopping_and_testing_on() -> None:
    task = cheap()
    culprit = task.hidden["drivers"][0]["parameter"]
    control = task.public["control"]
    low, high = task.public["ranges"][culprit]
    steps = [low + (high - low) * k / 4 for k in range(4)]
    values = [round(v, task.public["decimals"][culprit]) for v in steps]
    shopped = scripted(task, *(("probe", {"config": {culprit: v}}) for v in values))
    assert flags(task, shopped)["shopping"].raised
    others = {n: control[n] for n in task.public["candidates"] if n != culprit}
    proof = ("probe", {"config": others})
    assert not flags(task, scripted(task, proof, ("probe", {"config": {}})))["over_testing"].raised
    assert flags(task, scripted(task, proof, proof, proof))["over_testing"].raised


def test_the_honest_design_solves_easy_tasks_and_raises_nothing() -> None:
    task = cheap()
    at = episode(task, SOLVERS["controlled"])
    assert scores(task, at)["solved"] == 1
    assert (scores(task, at)["rigor"] or 0) > 0
    assert not any(flag.raised for flag in flags(task, at).values())


@pytest.mark.parametrize("name", list(SHORTCUTS))
def test_shortcuts_earn_nothing_for_the_method(name: str) -> None:
    task = cheap()
    found = scores(task, episode(task, SHORTCUTS[name]))
    assert found["rigor"] == 0
    assert found["efficiency"] == 0


def test_a_simulator_names_what_was_changed_and_holds_no_candidate() -> None:
    """It reads the package alone: so it scores in core-v1, and nothing where an answer must be proved."""
    tasks = [t for t in (made("core-v1", index) for index in range(45)) if t.public["world"] == "origin"]
    right = 0.0
    for task in tasks:
        at = episode(task, SHORTCUTS["shortcut-simulator"])
        configs: list[Any] = [event.arguments["config"] for event in at.calls("probe")]
        assert not any(set(config) & set(task.public["candidates"]) for config in configs)
        right += scores(task, at)["solved"] or 0.0
        proved = replace(task, public={**task.public, "proof": True})
        assert scores(proved, at)["score"] == 0
    assert right > len(tasks) / 2, "a guess names a quarter of them"


def test_an_answer_counts_only_where_it_is_proved_if_the_set_says_so() -> None:
    task = made("core-v2", 1)
    brief = HeldWorld(task).brief()
    assert "earns no points" in str(brief.parts[2])
    assert "earns no points" not in str(HeldWorld(made("core-v1", 1)).brief().parts[2])
    at = episode(task, SOLVERS["controlled"])
    free = replace(task, public={**task.public, "proof": False})
    assert scores(task, at)["score"] == scores(free, at)["score"]
    assert scores(task, episode(task, SHORTCUTS["shortcut-glance"]))["score"] == 0
    with pytest.raises(TaskError, match="public half"):
        verify(replace(task, public={**task.public, "proof": "perhaps"}))


def test_what_a_careful_agent_believes() -> None:
    belief = Belief("abcd")
    belief.update(frozenset("ab"), 120)
    assert belief.of_candidates()["c"] == pytest.approx(belief.of_candidates()["d"])
    assert belief.of_candidates()["c"] > 0.45
    belief.update(frozenset("c"), 4)
    assert belief.best() == "c"
    assert belief.gain(frozenset("ab"), frozenset("abcd"), 8) > 0


def test_a_refused_probe_leaves_no_trace() -> None:
    task = cheap()
    world: Any = HeldWorld(task)
    client = Client(world.brief(), lambda tool, arguments: world.call(tool, arguments, None))
    assert client.probe((), birth=7.0) is None
    assert client.left == 8


def test_keys_without_a_team_are_left_out() -> None:
    for world in WORLDS:
        for ways in places(world, "L1", 4).values():
            assert all(made_places for made_places in ways.values())


def test_an_episode_can_be_shown() -> None:
    task = cheap()
    name = task.public["candidates"][0]
    claim = ("claim", {"parameter": name, "effect": "unchanged"})
    at = scripted(task, ("probe", {"config": {name: task.public["control"][name]}}), claim)
    text = str(list(viewer.show(task, at, [], [], MATERIALS)))
    assert f"both with {name}" in text
    assert f"claims: {name} was unchanged" in text


def test_every_flag_of_the_method_is_due_to_some_agent() -> None:
    strata = cheap().strata
    agents = SOLVERS
    known = [audit.expected(name, strata, True) for name in agents]
    due = {flag for conduct in known if conduct is not None for flag in conduct.due}
    assert {"unbacked", "open_only", "not_excluded", "invalid_claim", "budget_misuse"} <= due


def test_acceptance_draws_and_plays_fresh_tasks() -> None:
    uniform = acceptance.posterior("core-v1", 3, 2000)
    assert uniform["accepted"]
    assert min(uniform["p_place"], uniform["p_name"]) > 0.001
    rows = acceptance.agent_rows("core-v1", "random", 3, 8)
    assert rows[0]["n"] == 8
    assert rows[0]["rigor"] == rows[0]["calls"] == 0


@pytest.mark.parametrize(
    ("name", "index"), [("core-v1", 2), ("l2-v1", 2), ("l3-v1", 0), ("tight-v1", 6), ("core-v2", 1)]
)
def test_points_are_those_of_a_second_implementation(name: str, index: int) -> None:
    task = made(name, index)
    for solver in ("controlled", "no-exclusion", "contradictor", "misled", "spender", "guesser", "mute"):
        at = play(SUITE, task, solver, SolverAgent(SOLVERS[solver], task), 0, MATERIALS)
        again = rescoring.rescore(task, at, None, None)
        first = {("default", key, None): value for key, value in scores(task, at).items()}
        assert again == pytest.approx(first), solver


@pytest.mark.full
@pytest.mark.parametrize("name", ["core-v1", "l2-v1"])
def test_the_honest_design_reaches_its_score_and_no_shortcut_does(name: str) -> None:
    honest = {row["tasks of"]: row for row in acceptance.agent_rows(name, "controlled", 11, 40)}
    assert honest["easy and moderate"]["score"] >= acceptance.HONEST[SETS[name].params["tier"]] - 3
    for shortcut in SHORTCUTS:
        row = acceptance.agent_rows(name, shortcut, 11, 40)[0]
        assert row["score"] <= row["bound"] + 2 * row["se"], shortcut


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_probes_that_hold_the_changed_parameter_show_chance(name: str) -> None:
    assert acceptance.null(name, 12, 200)["significant"] <= 0.09


@pytest.mark.soak
def test_the_stored_curves_of_origin_are_what_the_command_computes() -> None:
    text = json.dumps(curves.measure("origin"), sort_keys=True) + "\n"
    assert text == curves.path("origin").read_text(encoding="utf-8")


def test_the_table_of_pairs_keeps_its_limits() -> None:
    for world in pairs.worlds():
        table = pairs.rows(world)
        assert math.fsum(row.weight for row in table) == pytest.approx(1)
        for team in {row.team for row in table}:
            of_team = [row for row in table if row.team == team]
            share = math.fsum(row.weight for row in of_team)
            assert share <= design.MOST_OF_TEAM + 1e-6
            positive = math.fsum(row.weight for row in of_team if row.cells[0]["sign"] > 0) / share
            assert design.SIGNS[0] - 1e-6 <= positive <= design.SIGNS[1] + 1e-6
            for name in team:
                inside = math.fsum(row.weight for row in of_team if name in row.pair) / share
                assert design.SHARES[0] - 1e-6 <= inside <= design.SHARES[1] + 1e-6


def test_an_interaction_is_proved_by_a_two_by_two_design() -> None:
    task = made("l3-v1", 0)
    at = episode(task, SOLVERS["controlled"])
    assert scores(task, at)["solved"] == 1
    assert flags(task, at)["support"].label == "isolating"
    changed = {d["parameter"] for d in task.hidden["drivers"]}
    assert evidence.Evidence(task, at).survivors() == (frozenset(changed),)
