"""Wet experiments of version 1: the bench, its score, and attempts to score without the science."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.config import yaml
from assay.numbers import rng
from assay.suites.sgi.bench import score, solver
from assay.suites.sgi.bench.decisions import decisions, of_world
from assay.suites.sgi.bench.protocol import execute, read_number, read_steps, steps_of, text_of
from assay.suites.sgi.bench.simulator import kinetics
from assay.suites.sgi.bench.wet import Wet
from assay.suites.sgi.bench.world import draw, kernel_laws, quiet
from assay.suites.sgi.frame import curves, planted
from assay.suites.sgi.frame.attackers import ATTACKERS, Attack
from assay.suites.sgi.frame.family import OPEN_INFERENCES, Row
from assay.suites.sgi.text.program import parse

wet = Wet()
FORMS = yaml.read(Path(__file__).with_name("number_forms.yaml"))
SEED = 4711


@cache
def item(index: int, level: int) -> Row:
    """An item of the tests' seed."""
    return wet.generate(SEED, index, level)


def points(row: Row, reply: str) -> float:
    """The headline of a reply."""
    return curves.points(wet, row, reply)


def first(name: str, n: int) -> int:
    """The first wrong value."""
    return 0


def rewritten(row: Row, change: Any) -> str:
    """The reference with its steps changed by a function from steps to steps."""
    return text_of(change(read_steps(parse(row["answer"]))))


# ------------------------------------------------------------ score and kinetics


def test_worked_examples_of_the_score() -> None:
    assert score.log_d(0.1) == 0
    assert round(score.log_d(0.5), 4) == 0.6237
    assert [round(score.quantity_score(e), 4) for e in (0.04, 0.2, 0.8)] == [1, 0.4628, 0]


def test_substrate_product_and_waste_are_conserved() -> None:
    laws = kernel_laws(draw(rng.stream(1, "world"), 3))
    amounts = kinetics.empty()
    amounts[kinetics.SUBSTRATE], amounts[kinetics.ACTIVE], amounts[kinetics.METAL] = 40.0, 5.0, 100.0
    celsius = 22.0
    for target in (70.0, 4.0, 37.0):
        celsius, _ = kinetics.advance(amounts, 100.0, 6.5, celsius, celsius, target, 3.0, 61.3, laws)
        kept = amounts[[kinetics.SUBSTRATE, kinetics.PRODUCT, kinetics.SPOILED]]
        assert abs(kept.sum() - 40) < 1e-9
        assert (kept >= 0).all()
    assert amounts[kinetics.PRODUCT] + amounts[kinetics.SPOILED] > 0
    assert abs(amounts[kinetics.ACTIVE] + amounts[kinetics.DEAD] - 5) < 1e-9


def test_nothing_reacts_without_liquid() -> None:
    laws = kernel_laws(draw(rng.stream(1, "world"), 3))
    amounts = kinetics.empty()
    amounts[kinetics.SUBSTRATE], amounts[kinetics.ACTIVE] = 40.0, 5.0
    kinetics.advance(amounts, 0.0, 7.0, 22.0, 22.0, 60.0, 3.0, 100.0, laws)
    assert amounts[kinetics.SUBSTRATE] == 40


# ------------------------------------------------------------ items


@pytest.mark.parametrize("level", [1, 3, 5])
def test_items_keep_what_the_generator_promises(level: int) -> None:
    row = item(0, level)
    assert row == wet.generate(SEED, 0, level)
    wet.verify(row)
    wanted = OPEN_INFERENCES[level]
    assert len(row["x_inferences"]) == wanted if wanted else len(row["x_inferences"]) >= 16
    assert solver.sheet(row["question"]) == {name: row["x_right"][name] for name in row["x_given"]}
    assert not {one["id"] for one in row["x_inferences"]} & set(row["x_given"])
    assert points(row, row["answer"]) == pytest.approx(100, abs=0.01)


def test_the_reference_uses_the_pool_as_older_metrics_read_it() -> None:
    row = item(0, 1)
    found = {value.metric: value.value for value in wet.score(row, row["answer"], "objective")}
    assert {name: found[name] for name in ("ss", "pa", "valid", "decoy_use")} == {
        "ss": 1,
        "pa": 1,
        "valid": 1,
        "decoy_use": 0,
    }


def test_what_is_shown_does_not_depend_on_what_was_generated_before() -> None:
    first = wet.generate(SEED, 1, 1)
    wet.generate(SEED + 1, 0, 2)
    assert wet.generate(SEED, 1, 1) == first
    assert first["question"] != item(0, 1)["question"]


def test_a_prompt_names_no_right_value_that_its_sheet_does_not_give() -> None:
    row = item(0, 5)
    assert row["x_given"] == []
    assert "Batch sheet" not in row["question"]
    assert "batch sheet" not in row["question"]


def test_the_solver_reads_structure_and_scores_from_the_prompt_alone() -> None:
    row = item(0, 3)
    world = solver.read_world(row["question"])
    assert {name: world[name] for name in ("react", "separate", "assay", "hold")} == {
        name: row["x_world"][name] for name in ("react", "separate", "assay", "hold")
    }
    assert world["samples"].keys() == row["x_world"]["samples"].keys()
    assert (
        wet.raw(row, wet.solve([row["question"], row["action_pool"]])) > 0.5 * row["x_anchors"]["reference"]
    )


def test_planted_abilities_reach_from_nothing_to_everything() -> None:
    row = item(0, 3)
    assert points(row, planted.reply(wet, row, lambda name: False, "fallback", first)) <= 10
    every = planted.reply(wet, row, lambda name: True, "fallback", first)
    assert points(row, every) == pytest.approx(100, abs=0.01)
    wrong = planted.reply(wet, row, lambda name: False, "fallacy", first)
    assert points(row, wrong) <= 10


@pytest.mark.parametrize("name", ["gibberish", "prompt-copier", "textbook", "frozen-house", "format-only"])
def test_attackers_that_infer_nothing_get_nothing(name: str) -> None:
    row = item(0, 3)
    reply = ATTACKERS[name][0](Attack(wet, row, [item(0, 1)], rng.stream(1, name)))
    assert points(row, reply) <= 5


def test_what_is_written_from_the_prompt_alone_is_the_same_protocol() -> None:
    row = item(0, 3)
    shown = [row["question"], row["action_pool"]]
    assert wet.write(shown, wet.constants()) == wet.play(row, wet.house(row))


# ------------------------------------------------------------ attempts to score otherwise


def test_standard_that_is_handed_in_counts_as_an_impurity() -> None:
    row = item(0, 1)

    def spiked(steps: Any) -> Any:
        vessels = [step[2]["vessel"] for step in steps if step[1] == "Submit"]
        spikes = [
            (f"spike_{at}", "Transfer", {"source": "standard", "target": vessel, "volume": 5.0, "tip": "new"})
            for at, vessel in enumerate(vessels)
        ]
        at = next(n for n, step in enumerate(steps) if step[1] == "Submit")
        return [*steps[:at], *spikes, *steps[at:]]

    assert wet.raw(row, rewritten(row, spiked)) < row["x_anchors"]["reference"] - 0.1


def test_standard_alone_is_worth_nothing() -> None:
    row = item(0, 1)
    steps: list[Any] = [("v", "New Vessel", {"kind": "tube 1.5"})]
    first = next(iter(row["x_world"]["samples"]))
    for source, volume in ((first, 1.0), ("standard", 50.0)):
        steps.append(("t", "Transfer", {"source": source, "target": "v", "volume": volume, "tip": "new"}))
    steps.append(("s", "Submit", {"sample": first, "vessel": "v", "store": "desk"}))
    assert wet.raw(row, text_of(steps)) < 0.1
    assert points(row, text_of(steps)) == 0


def test_controls_are_valid_by_what_is_in_them() -> None:
    row = item(0, 1)

    def relabelled(steps: Any) -> Any:
        names = {"no enzyme": "no substrate", "no substrate": "no enzyme"}
        return [
            (
                out,
                action,
                {**given, "kind": names.get(given["kind"], given["kind"])}
                if action == "Declare Control"
                else given,
            )
            for out, action, given in steps
        ]

    result = score.outcome(execute(row["x_world"], read_steps(parse(rewritten(row, relabelled)))))
    assert not any(result["controls"].values())


def test_a_vessel_counts_once_in_a_rotor_and_is_dissolved_once() -> None:
    for index in range(20):
        world = quiet(draw(rng.stream(index, "spin"), 1))
        if world["separate"] == "column" and len(world["samples"]) == 1:
            break
    steps: list[Any] = [
        ("c", "New Vessel", {"kind": "column"}),
        ("t", "Transfer", {"source": "buffer", "target": "c", "volume": 100.0, "tip": "new"}),
        ("s", "Spin", {"vessels": ["c", "c"], "duration": 1.0}),
    ]
    assert execute(world, steps).accidents == {"unbalanced rotor"}


def test_two_samples_in_one_vessel_are_worth_nothing() -> None:
    index = next(n for n in range(40) if len(draw(rng.stream(n, "two"), 1)["samples"]) == 2)
    world = quiet(draw(rng.stream(index, "two"), 1))
    first, second = world["samples"]
    steps: list[Any] = [("v", "New Vessel", {"kind": "tube 1.5"})]
    for source in (first, second, "enzyme"):
        steps.append(("t", "Transfer", {"source": source, "target": "v", "volume": 20.0, "tip": "new"}))
    steps += [
        ("w", "Wait", {"duration": 30.0}),
        ("s", "Submit", {"sample": first, "vessel": "v", "store": "desk"}),
    ]
    assert execute(world, steps).submitted[first]["y"] == 0


def test_used_tips_carry_and_small_volumes_fall_short() -> None:
    world = quiet(draw(rng.stream(2, "tips"), 1))
    steps: list[Any] = [("a", "New Vessel", {"kind": "tube 1.5"}), ("b", "New Vessel", {"kind": "tube 1.5"})]
    steps += [
        ("t", "Transfer", {"source": "enzyme", "target": "a", "volume": 10.0, "tip": "new"}),
        ("t", "Transfer", {"source": "buffer", "target": "b", "volume": 10.0, "tip": "same"}),
        ("t", "Transfer", {"source": "buffer", "target": "a", "volume": 0.4, "tip": "new"}),
    ]
    bench = execute(world, steps)
    carried = bench.vessels["b"].liquid[[kinetics.ACTIVE, kinetics.DEAD]].sum()
    assert carried == pytest.approx(0.02 * 10 * world["enzyme"])
    assert bench.vessels["a"].volume == pytest.approx(10.28)


# ------------------------------------------------------------ forms of a reply


@pytest.mark.parametrize(("kind", "one", "other"), FORMS["same"])
def test_numbers_in_other_forms_are_the_same(kind: str, one: str, other: str) -> None:
    assert read_number(kind, one) == pytest.approx(read_number(kind, other), rel=1e-9)


@pytest.mark.parametrize(("kind", "one", "other"), FORMS["different"])
def test_near_misses_are_not(kind: str, one: str, other: str) -> None:
    assert read_number(kind, other) != pytest.approx(read_number(kind, one), rel=1e-6)


def test_a_right_protocol_in_another_form_scores_the_same() -> None:
    row = item(0, 1)
    reference = wet.raw(row, row["answer"])
    text = row["answer"]
    for other in (
        text.replace(" uL", " µL").replace(" degC", " °C").replace(" min", " minutes"),
        text.replace("<Transfer>", "Transfer").replace("<Incubate>", "Incubate"),
        "Here it is.\n\n"
        + text.replace("<answer>", "<answer>\n```python").replace("</answer>", "```\n</answer>"),
        text.replace("    volume=", "\tvolume = "),
        text.replace("Transfer>(", 'Transfer>(note="as planned", '),
    ):
        assert wet.raw(row, other) == pytest.approx(reference, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="out_1=<Transfer>()[]\"', .uL-5\nSpinabc", max_size=300))
def test_any_text_is_scored(text: str) -> None:
    row = item(0, 1)
    assert 0 <= wet.raw(row, f"<answer>{text}</answer>") <= 1
    wet.audit(row, text)


# ------------------------------------------------------------ decisions


def test_every_decision_has_values_labels_and_wrong_values() -> None:
    from assay.suites.sgi.bench.prompt import manual

    assert set(manual()["sheet"]) == set(decisions())
    for name, decision in decisions().items():
        grid = decision.grid()
        assert len(set(grid)) == len(grid) >= 2, name
        for right in grid:
            assert right not in decision.wrong(right).values()
            assert decision.wrong(right)


def test_protocols_do_not_name_what_the_pool_lacks() -> None:
    from assay.suites.sgi.bench.prompt import USED

    for index in range(12):
        world = draw(rng.stream(index, "pool"), 2)
        choices = {name: decision.textbook for name, decision in of_world(world).items()}
        steps = steps_of(world, choices)
        assert {action for _, action, _ in steps} <= USED[world["separate"]]
        assert np.isfinite(execute(world, steps).time)
