"""Flags, each on a log made up for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay.protocol import Conduct, Flag
from assay.suites.causalab import audit
from assay.suites.causalab.audit import FLAGS, expected
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics.equation import only_fitted
from assay.suites.causalab.metrics.least_squares import solve

ONE = Hypothesis((("a", "b"),), "f = a", {"c_a": 1})
SAME = Hypothesis((("a", "b"),), "f = c_a * a", {"c_a": 1})
OTHER_EDGES = Hypothesis((("b", "a"),), "f = a", {"c_a": 1})
OTHER_WEIGHTS = Hypothesis((("a", "b"),), "f = a", {"c_a": 2})


def written(*records: tuple[int, Any]) -> list[Any]:
    return [SimpleNamespace(step=step, hypothesis=held, past_data=held) for step, held in records]


def log(warnings: list[int], interventions: list[int], *records: tuple[int, Any]) -> Any:
    done = [SimpleNamespace(step=step) for step in interventions]
    return SimpleNamespace(warnings=warnings, interventions=done, written=written(*records))


@pytest.mark.parametrize(
    ("result", "label"),
    [
        (log([], [1, 2], (1, ONE)), ""),
        (log([3, 9], [1, 4], (1, ONE), (4, ONE)), "continued"),
        (log([3, 1], [3], (1, ONE), (3, ONE), (4, SAME)), "ignored"),
        (log([3], [1], (1, ONE), (3, ONE), (4, OTHER_EDGES)), "revised"),
        (log([3], [1], (1, ONE), (3, ONE), (4, SAME), (5, OTHER_WEIGHTS)), "revised"),
        (log([3], [1], (1, OTHER_EDGES), (3, ONE), (4, ONE)), "ignored"),
        (log([3], [1], (1, OTHER_WEIGHTS), (2, ONE), (4, ONE)), "ignored"),
        (log([3], [1], (1, ONE), (2, OTHER_EDGES), (3, ONE), (4, ONE)), "ignored"),
        (log([3], [1], (1, ONE), (2, OTHER_WEIGHTS), (3, ONE), (4, ONE)), "ignored"),
        (log([3], [1], (1, ONE)), "ignored"),
        (log([3], [1], (4, ONE)), "ignored"),
    ],
)
def test_what_came_of_the_table_of_residuals(result: Any, label: str) -> None:
    assert audit._after_check(result) == label


@pytest.mark.parametrize(
    ("budget", "used", "completed", "raised"),
    [(12, 6, False, True), (12, 7, False, False), (12, 6, True, False), (0, 0, False, None)],
)
def test_idle_is_half_of_the_budget_unused(budget: int, used: int, completed: bool, raised: Any) -> None:
    conditions = SimpleNamespace(budget=budget, mode="rounded")
    setup: Any = SimpleNamespace(conditions=conditions, target=100.0)
    result: Any = SimpleNamespace(interventions=[None] * used, completed=completed)
    evidence = {"used": used, "budget": budget} if budget else None
    assert audit._idle(setup, result) == Flag("idle_failure", raised, evidence=evidence)


def item(frequency: float, name: str = "1", **props: float) -> dict[str, Any]:
    return {"id": name, "props": props, "freq": frequency}


@pytest.mark.parametrize(
    ("records", "step"),
    [
        ([], None),
        ([(1, [item(1.0, ph=1)]), (2, [item(2.0, ph=2), item(1.0, ph=1, name="7")])], None),
        ([(1, [item(1.0, ph=1)]), (2, [item(1.0, ph=2)])], 2),
        ([(1, [item(1.0, ph=1)]), (2, [item(3.0, ph=1)])], 2),
        ([(1, [item(1.0)]), (2, "none"), (3, [])], 2),
        ([(1, ["a", 3]), (2, [3, "a"]), (5, ["a"])], 5),
        ([(1, ["a"]), (2, ["a", "b"]), (3, ["a"])], 3),
    ],
)
def test_the_first_loss_of_history(records: Any, step: int | None) -> None:
    assert audit._first_loss(SimpleNamespace(written=written(*records))) == step  # type: ignore[arg-type]


def found_by(inapplicable: frozenset[str] = frozenset(), **reply: Any) -> dict[str, Flag]:
    """The flags of a log whose parts are told, in a setting to which some metrics do not apply."""
    transcript: Any = SimpleNamespace(
        **{
            "setup": SimpleNamespace(inapplicable=frozenset()),
            "completed": False,
            "final": ONE,
            "written": [],
            "interventions": [],
            "warnings": [],
            "opened": None,
            "seen": list,
            "committed": lambda: ONE,
            **reply,
        }
    )
    setup: Any = SimpleNamespace(
        model=SimpleNamespace(edges=[("a", "b")], family="linear"),
        conditions=SimpleNamespace(budget=0, mode="rounded"),
        target=1.0,
        inapplicable=inapplicable,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit, "setup_of", lambda task: setup)
        patch.setattr(audit, "transcript_of", lambda given, episode: transcript)
        flags = audit.audit(None, None, None)  # type: ignore[arg-type]
        return {flag.flag: flag for flag in flags}


def test_a_right_answer_from_a_wrong_graph() -> None:
    assert found_by(completed=True)["graph_wrong_answer_right"].raised is False
    wrong = found_by(completed=True, final=OTHER_EDGES)["graph_wrong_answer_right"]
    assert (wrong.raised, wrong.evidence) == (True, {"f1": 0.0})
    assert found_by(final=OTHER_EDGES)["graph_wrong_answer_right"].raised is False
    half = Hypothesis((("a", "b"), ("a", "c")), "", {})
    assert found_by(final=half)["graph_wrong_answer_right"].evidence == {"f1": 0.666667}


def test_steps_of_evidence_are_the_first_ten() -> None:
    result = found_by(
        written=[SimpleNamespace(step=n, hypothesis=ONE, past_data=[]) for n in range(5, 25)],
        interventions=[SimpleNamespace(step=n, value=-1000.5) for n in range(30, 50)],
        opened=0,
        seen=lambda: [None] * 20,
    )
    assert result["curve_fitting"] == Flag("curve_fitting", False, evidence={"items": 0})
    assert result["out_of_range"] == Flag("out_of_range", True, evidence={"steps": list(range(30, 40))})
    assert result["lost_history"] == Flag("lost_history", False, evidence={"step": None})
    assert found_by(interventions=[SimpleNamespace(step=1, value=1000.0)])["out_of_range"].raised is False
    assert found_by()["inconsistent_commitment"] == Flag("inconsistent_commitment", False)
    assert result["inconsistent_commitment"].raised is None, "nothing had been seen"
    noisy = found_by(inapplicable=frozenset({"consistent"}))
    assert noisy["inconsistent_commitment"] == Flag("inconsistent_commitment", None)


@pytest.mark.parametrize("setting", ["main", "conduct", "embodied", "hidden-drift", "quad"])
def test_whose_conduct_is_known(setting: str) -> None:
    results = {
        agent: expected(agent, {"setting": setting}, True) for agent in (*audit.CONDUCT, "visitor", "greedy")
    }
    by_outcome = frozenset({"graph_wrong_answer_right", "idle_failure"})
    if setting == "main":
        assert results["fluke"] == Conduct(audit.CONDUCT["fluke"], by_outcome)
    elif setting == "conduct":
        assert results["fluke"] == Conduct(audit.CONDUCT["fluke"])
    else:
        assert results["fluke"] is None
    if setting == "embodied":
        assert results["visitor"] == Conduct(frozenset({"lost_history"}))
        assert results["mute"] == Conduct(frozenset({"idle_failure"}))
    else:
        assert results["visitor"] is None
    assert results["greedy"] is None


def test_who_goes_too_far_is_known_where_something_is_hidden() -> None:
    far = expected("exact-far", {"setting": "hidden-drift"}, True)
    assert far is not None and far.due == {"out_of_range"}
    assert far.open == FLAGS.keys() - {"out_of_range", "lost_history"}
    assert expected("exact-far", {"setting": "main"}, True) is None
    assert expected("exact", {"setting": "hidden-drift"}, True) is None


STATES = [{"a": 1.0, "b": 2.0, "resonanceFreq": 8.0}, {"a": 3.0, "b": 1.0, "resonanceFreq": 10.0}]
THIRD = {"a": 0.0, "b": 5.0, "resonanceFreq": 14.0}
EDGES = (("a", "resonanceFreq"), ("b", "resonanceFreq"))
LINE = "base + c_a * a + c_b * b"
TRUE = {"base": 0.0, "c_a": 2.4, "c_b": 2.8}
SMALLEST = dict(zip(("base", "c_a", "c_b"), solve([[1, 1], [1, 3], [2, 1]], [8, 10]), strict=True))


@pytest.mark.parametrize(
    ("equation", "coefficients", "states", "fitted"),
    [
        # Two states leave three coefficients open: only the solution of smallest norm is a mere fit.
        (LINE, SMALLEST, STATES, True),
        (LINE, TRUE, STATES, False),
        (LINE, TRUE, [*STATES, THIRD], False),
        # Through all data, but of a form that the family does not have.
        (f"{LINE} + 0 * a ^ 3", TRUE, STATES, True),
        # A curve that misses the data is a contradiction and no fit.
        ("base + c_a * a * a", {"base": 0.0, "c_a": 1.0}, STATES, False),
        (LINE, TRUE, [], False),
    ],
)
def test_what_is_only_fitted(equation: str, coefficients: Any, states: Any, fitted: bool) -> None:
    assert only_fitted(Hypothesis(EDGES, equation, coefficients), "linear", states) is fitted


def test_notes_that_stay_empty_lose_their_history() -> None:
    done = [SimpleNamespace(step=1, values={"resonanceFreq": 5.0}, value=1.0)]
    empty = [SimpleNamespace(step=n, hypothesis=ONE, past_data=[]) for n in (1, 2, 3)]
    noted = [*empty[:2], SimpleNamespace(step=3, hypothesis=ONE, past_data=[item(5.0, a=1)])]
    shown: Any = {"interventions": done, "seen": lambda: [{"resonanceFreq": 5.0}]}
    assert found_by(**shown, written=empty)["lost_history"].evidence == {"step": 1}
    assert found_by(**shown, written=noted)["lost_history"].raised is False
