"""Families beyond the paper's: what the world does, what the brief says, and what the solvers make of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from tests.suites.causalab.playing import SUITE, record, scores, scripted, solved

from assay import canonical
from assay.episodes.blobs import MemoryBlobs
from assay.errors import TaskError
from assay.suites.causalab.beyond.crystal import Crystal, quantiles
from assay.suites.causalab.beyond.rules import INAPPLICABLE, LIMIT, NOISE
from assay.suites.causalab.metrics.yoked import applies
from assay.suites.causalab.model.files import ModelError, model_of
from assay.suites.causalab.model.mechanism import curve
from assay.suites.causalab.model.scm import is_acyclic
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.tables.beyond import beyond
from assay.task import Task

SEED = 4243
"""A seed of no set."""

KINDS = tuple(INAPPLICABLE)


@cache
def fresh() -> dict[str, list[Task]]:
    """Fresh tasks of the recipe by setting."""
    room = SUITE.room("tasks")
    recipe = replace(room.SETS["beyond-v1"], seed=SEED)
    tasks: dict[str, list[Task]] = {kind: [] for kind in KINDS}
    for index in range(recipe.size):
        task = room.generate(recipe, "beyond-v1", index, SEED, MemoryBlobs())
        tasks[task.public["rules"]["kind"]].append(task)
    return tasks


def crystal(kind: str, place: int = 0) -> Crystal:
    manipulator = Setup(fresh()[kind][place]).laboratory().manipulator
    assert isinstance(manipulator, Crystal)
    return manipulator


# ------------------------------------------------------------ tasks and briefs


def test_there_are_five_tasks_of_each_setting_on_the_same_five_graphs() -> None:
    graphs = {kind: {t.hidden["model"]["graph_id"] for t in tasks} for kind, tasks in fresh().items()}
    assert {len(tasks) for tasks in fresh().values()} == {5}
    assert all(of_kind == graphs["continuous"] for of_kind in graphs.values())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_a_state_tells_causes_from_effects(kind: str) -> None:
    for of in fresh()[kind]:
        name = of.public["controllable"][0]
        texts = [record(op="intervene", property=name, value=50), record(op="open_reactor")]
        _, replies, brief = scripted(of, texts)
        facts: Any = brief.parts[0]
        for state in [*facts["records"], replies[0]["values"], replies[1]["reactor_properties"]]:
            assert list(state) == sorted(state)
            assert {type(value) for value in state.values()} == {float}
        assert "manipulator" not in facts
        public = canonical.dumps(of.public)
        assert str(of.hidden["crystals"]["disturbances"]) not in public and "seed" not in public


@pytest.mark.parametrize("kind", KINDS)
def test_the_brief_names_the_family_and_its_limits(kind: str) -> None:
    of = fresh()[kind][0]
    _, _, brief = scripted(of, [])
    facts: Any = brief.parts[0]
    told = str(brief.parts[1])
    assert facts["laboratory"]["setting"] == kind
    assert ("acyclic" in brief.system) == (kind != "cyclic")
    assert "-1000 to 1000" in told and facts["laboratory"]["settable_to"] == LIMIT
    assert ("noise_of_properties" in facts["laboratory"]) == (kind == "noise") == ("normal error" in told)
    assert ("latent cause" in told) == (kind == "confounded")
    assert ("releases it" in told) == (kind == "hold")


@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_of_equations_agree_with_what_is_evaluated(kind: str) -> None:
    for of in fresh()[kind]:
        setup = Setup(of)
        model, bases = setup.mechanism, of.hidden["crystals"]["manipulator"]
        state = model.evaluate(bases)
        for name in model.names:
            text = model.by_name[name].computation
            known = {**model.params, **{cause: state[cause] for cause in model.parents[name]}}
            if name != TARGET:
                known[f"base_{name}"] = bases[name]
            value = bases[name] if text is None else text.evaluate(known)
            assert value == pytest.approx(state[name], abs=0.1 if kind == "cyclic" else 0.006)


def test_only_cyclic_models_have_cycles_and_only_among_properties() -> None:
    for kind, tasks in fresh().items():
        for of in tasks:
            model = Setup(of).model
            assert is_acyclic(model.names, model.edges) == (kind != "cyclic")
            assert not model.children[TARGET]


def test_a_task_whose_rules_are_those_of_another_setting_is_refused() -> None:
    of = fresh()["noise"][0]
    rules = {**of.public["rules"], "kind": "hold"}
    with pytest.raises(TaskError, match="its rules are of the setting 'hold'"):
        SUITE.room("tasks").verify(replace(of, public={**of.public, "rules": rules}))


def test_a_model_file_without_a_weight_is_refused_with_its_name() -> None:
    raw = fresh()["interaction"][0].hidden["model"]
    missing = next(name for name in raw["params"] if name.startswith("coeff_"))
    params = {name: value for name, value in raw["params"].items() if name != missing}
    with pytest.raises(ModelError, match=missing):
        model_of({**raw, "params": params}, "here")


# ------------------------------------------------------------ the laboratory


def test_a_request_out_of_range_is_refused_alike_for_every_property() -> None:
    of = fresh()["continuous"][0]
    names = of.public["controllable"]
    acts = [record(op="intervene", property=name, value=1000.5) for name in names]
    _, replies, _ = scripted(of, acts)
    assert {reply["error"] for reply in replies} == {"out_of_range"}
    assert len({reply["message"] for reply in replies}) == 1


def test_a_property_that_is_held_is_cut_off_until_the_next_intervention() -> None:
    held = crystal("hold")
    model = held.mechanism
    effect = next(name for name in model.properties if set(model.parents[name]) & set(model.properties))
    cause = model.parents[effect][0]
    natural = dict(held.shown)
    assert held.intervene(effect, 123.0)[effect] == 123.0
    assert held.intervene(cause, 500.0)[effect] != natural[effect]
    other = next(name for name in model.properties if name not in (cause, *model.ancestors(cause)))
    again = held.intervene(other, natural[other])
    assert again[cause] == natural[cause]


def test_a_property_on_a_cycle_shows_the_value_asked_for_and_all_equations_hold() -> None:
    for place in range(5):
        of = crystal("cyclic", place)
        model = of.mechanism
        for name in model.properties:
            state = of.intervene(name, 321.0)
            assert state[name] == pytest.approx(321.0, abs=0.1)
            for other in model.properties:
                causes = sum(model.params[t.parameter] * state[t.parent] for t in model.terms(other))
                assert state[other] == pytest.approx(of.bases[other] + causes, abs=0.1)


def test_errors_have_the_stated_size_and_the_reactor_has_none() -> None:
    noisy = crystal("noise")
    name = noisy.mechanism.properties[0]
    readings = [noisy.intervene(name, 100.0) for _ in range(400)]
    for variable, spread in ((name, NOISE[0]), (TARGET, NOISE[1])):
        assert pd.Series([state[variable] for state in readings]).std() == pytest.approx(spread, rel=0.15)
    assert pd.Series([state[name] for state in readings]).mean() == pytest.approx(100.0, abs=0.5)
    setup = Setup(fresh()["noise"][0])
    assert setup.reactor == setup.mechanism.evaluate(setup.crystals["reactor"])  # type: ignore[index]


def test_errors_repeat_with_the_same_requests_and_with_no_others() -> None:
    """A task that is opened again must not let the errors of another history be subtracted."""
    first, again, other = crystal("noise"), crystal("noise"), crystal("noise")
    a, b = first.mechanism.properties[:2]
    assert first.intervene(a, 10.0) == again.intervene(a, 10.0)
    other.intervene(a, 20.0)
    after = [of.intervene(b, 5.0)[b] for of in (first, again, other)]
    assert after[0] == after[1] != after[2]


def test_the_latent_cause_acts_in_records_readings_and_the_reactor() -> None:
    setup = Setup(fresh()["confounded"][0])
    crystals: Any = setup.crystals
    affected = set(setup.model.raw["latent"])
    assert len(affected) == 2 and TARGET not in affected
    for shown, bases in ((setup.records[0], crystals["records"][0]), (setup.reactor, crystals["reactor"])):
        plain = setup.mechanism.evaluate(bases)
        assert {name for name in affected if shown[name] != plain[name]} == affected
    latent = crystal("confounded")
    roots = [name for name in latent.mechanism.properties if not latent.mechanism.parents[name]]
    states = [latent.intervene(roots[0], 50.0) for _ in range(3)]
    assert all(len({state[name] for state in states}) == 3 for name in affected)


def test_the_quantiles_are_those_of_a_normal_distribution() -> None:
    table = pd.Series(quantiles())
    assert table.mean() == pytest.approx(0.0, abs=1e-9) and table.std() == pytest.approx(1.0, abs=1e-3)


def test_the_curve_rises_throughout() -> None:
    values = [curve(n / 3) for n in range(-3000, 3001)]
    assert values == sorted(values) and curve(0.0) == 0.0


# ------------------------------------------------------------ hypotheses and scores


def test_hypotheses_may_hold_what_the_family_has_and_nothing_else() -> None:
    for kind in ("cyclic", "interaction", "continuous"):
        a, b = fresh()[kind][0].public["controllable"][:2]
        circle = {
            "edges": [{"from": a, "to": b}, {"from": b, "to": a}],
            "freq_equation": "",
            "coefficients": {},
        }
        into = {
            "edges": [{"from": a, "to": TARGET}, {"from": b, "to": TARGET}],
            "freq_equation": f"base + c_{a} * {a} + c_{b} * {b} + c_{a}_{b} * {a} * {b}",
            "coefficients": {"base": 1, f"c_{a}": 1, f"c_{b}": 1, f"c_{a}_{b}": 1},
        }
        texts = [record(hypothesis=stated, op="open_reactor") for stated in (circle, into)]
        _, replies, _ = scripted(fresh()[kind][0], texts)
        accepted = ["reprompt" not in reply for reply in replies]
        assert accepted == [kind == "cyclic", kind == "interaction"]


@pytest.mark.parametrize("kind", KINDS)
def test_metrics_that_say_nothing_are_empty_and_regret_stands_where_it_is_known(kind: str) -> None:
    of = fresh()[kind][0]
    result = scores(of, solved(of, "aware"))
    assert {name for name in INAPPLICABLE[kind] if result[name] is not None} == set()
    assert all(result[name] is not None for name in ("score", "edge_f1", "shd", "freq_edge_f1", "root_f1"))
    assert applies(Setup(of)) == (kind == "continuous")
    assert ("regret" in result) == (kind == "continuous")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "noise"])
def test_who_knows_the_family_finds_every_mechanism(kind: str) -> None:
    for of in fresh()[kind][:3]:
        result = scores(of, solved(of, "aware"))
        assert result["edge_f1"] == pytest.approx(1.0, abs=0.15 if kind == "confounded" else 0.0)
        assert (result["solved"], result["freq_weight_quad"]) == (1.0, 1.0)


def mean_score(kind: str, solver: str) -> float:
    return sum(scores(of, solved(of, solver))["score"] or 0.0 for of in fresh()[kind]) / 5


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "continuous"])
def test_knowing_the_family_is_worth_something(kind: str) -> None:
    assert mean_score(kind, "aware") > mean_score(kind, "unaware")


def test_whole_weights_are_worse_only_for_the_weights_they_lose() -> None:
    assert mean_score("continuous", "unaware") == 1.0 > mean_score("continuous", "whole-weights")


# ------------------------------------------------------------ the table


def test_the_table_pairs_every_agent_with_the_one_who_knows() -> None:
    tasks = [f"{n:05d}" for n in range(4)]
    rows = {"aware": (1.0, 1.0, 0.5, 1.0), "other": (0.5, 0.0, 0.5, 1.0)}
    keys = [
        (agent, task, value)
        for agent, values in rows.items()
        for task, value in zip(tasks, values, strict=True)
    ]
    common = {"task_set": "beyond-v1", "attempt": 0}
    frame = [{"agent": a, "task_id": t, **common} for a, t, _ in keys]
    tables = {
        "tasks": pd.DataFrame(
            [
                {"task_set": "beyond-v1", "task_id": t, "strata": '{"nodes": "5", "setting": "sealed-hold"}'}
                for t in tasks
            ]
        ),
        "episodes": pd.DataFrame([{**row, "status": "done", "privileged": False} for row in frame]),
        "scores": pd.DataFrame(
            [
                {**row, "profile": "default", "metric": "score", "step": None, "value": value}
                for row, (_, _, value) in zip(frame, keys, strict=True)
            ]
        ),
    }
    table = beyond(tables).set_index("agent")
    assert table.loc["other", "knowing"] == pytest.approx((0.5 + 1.0) / 4)
    assert (
        table.loc["other", "knowing_low"] < table.loc["other", "knowing"] < table.loc["other", "knowing_high"]
    )
    assert table.loc["aware", "tasks"] == 4 and pd.isna(table.loc["aware", "knowing"])
