"""Flags of an episode, which say how its result came about. Flags never change the score.

They cover the failures that section 5.5 and appendix A of the paper name. `graph_wrong_answer_right` and
`idle_failure` need the truth; the others are decided from the log and the conditions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Conduct, Flag, FlagSpec, Materials
from assay.suites.causalab.beyond.rules import INAPPLICABLE
from assay.suites.causalab.metrics.equation import consistency, only_fitted
from assay.suites.causalab.metrics.recovery import agreement
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup, setup_of
from assay.suites.causalab.simulation.reactor import solvable
from assay.suites.causalab.transcript import Transcript, transcript_of
from assay.task import Task

FLAGS: Mapping[str, FlagSpec] = {
    "graph_wrong_answer_right": FlagSpec(
        "the prediction was accepted, but the edges of the hypothesis are not those of the mechanism"
    ),
    "inconsistent_commitment": FlagSpec(
        "when the manipulator was left, the hypothesis contradicted the agent's own evidence, or had no value"
    ),
    "idle_failure": FlagSpec(
        "the episode failed although it can be solved, with half of the interventions or more unused"
    ),
    "lost_history": FlagSpec(
        "an item of past_data that was there in one record is missing in a later one, or no record holds "
        "the result of an intervention although records follow it"
    ),
    "curve_fitting": FlagSpec(
        "the equation that the agent commits to passes through all of its data, but is outside the declared "
        "family, or is the least-squares solution where the data leave the coefficients open"
    ),
    "out_of_range": FlagSpec("a property was set beyond 1000 in size, which drowns any disturbance"),
    "checked": FlagSpec(
        "what came of the table of residuals (revised, continued, ignored; empty where none was shown)",
        "statement",
    ),
}

HALF = 0.5
CENT = 0.0051
FAR = 1000.0

CONDUCT: Mapping[str, frozenset[str]] = {
    "honest": frozenset(),
    "fluke": frozenset({"graph_wrong_answer_right"}),
    "contradictor": frozenset({"inconsistent_commitment"}),
    "quitter": frozenset({"inconsistent_commitment", "idle_failure"}),
    "forgetful": frozenset({"lost_history"}),
    "fitter": frozenset({"curve_fitting"}),
    "mute": frozenset({"idle_failure"}),
}
"""The exact flags that each scripted agent must raise on a linear model without hidden disturbance."""


BY_OUTCOME = frozenset({"graph_wrong_answer_right", "idle_failure"})

EMBODIED: Mapping[str, frozenset[str]] = {
    "visitor": frozenset({"lost_history"}),
    "mute": frozenset({"idle_failure"}),
}
"""`CONDUCT` for the embodied front end, whose four-variable targets are all within the reactor's range."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """Return the flags that an episode of a scripted agent must raise, or None for any other agent."""
    if strata["setting"] == "embodied":
        return Conduct(EMBODIED[agent]) if agent in EMBODIED else None
    if agent == "exact-far" and strata["setting"].startswith("hidden"):
        return Conduct(frozenset({"out_of_range"}), frozenset(FLAGS) - {"out_of_range", "lost_history"})
    if agent == "mute" and strata["setting"].removeprefix("sealed-") in INAPPLICABLE:
        return Conduct(CONDUCT[agent])
    if agent not in CONDUCT or strata["setting"] not in ("main", "conduct"):
        return None
    # In the main setting a target may be beyond the reactor's range. Then no prediction can be accepted, so
    # the flags that depend on the outcome are left open.
    open_ = BY_OUTCOME if strata["setting"] == "main" else frozenset()
    return Conduct(CONDUCT[agent], open_)


def audit(task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
    """Yield every flag of one episode; its value is None if the conditions leave nothing to decide."""
    setup = setup_of(task)
    transcript = transcript_of(setup, episode)
    edges = agreement(transcript.final.edges, setup.model.edges)
    yield Flag(
        "graph_wrong_answer_right", transcript.completed and edges.f1 < 1, evidence={"f1": round(edges.f1, 6)}
    )
    # Errors of measurement contradict every equation.
    undecided = "consistent" in setup.inapplicable
    yield Flag("inconsistent_commitment", None) if undecided else _commitment(transcript)
    yield _idle(setup, transcript)
    lost = _first_loss(transcript)
    lost = _never_noted(transcript) if lost is None else lost
    yield Flag("lost_history", lost is not None, evidence={"step": lost})
    seen = _seen_before(transcript)
    fitted = only_fitted(transcript.committed(), setup.model.family, seen)
    yield Flag("curve_fitting", fitted, evidence={"items": len(seen)})
    far = [done.step for done in transcript.interventions if abs(done.value) > FAR]
    yield Flag("out_of_range", bool(far), evidence={"steps": far[:10]})
    yield Flag("checked", None, _after_check(transcript))


def _commitment(transcript: Transcript) -> Flag:
    """Compare the hypothesis at the opening of the reactor with the states observed until then."""
    if not transcript.written:
        return Flag("inconsistent_commitment", False)
    seen = _seen_before(transcript)
    if not seen:
        return Flag("inconsistent_commitment", None)
    residuals = consistency(transcript.committed(), seen)
    share = residuals.inconsistent_share or 0.0
    return Flag("inconsistent_commitment", share > 0, evidence={"share": round(share, 6), "items": len(seen)})


def _seen_before(transcript: Transcript) -> list[Values]:
    """Return the states observed until the reactor was opened."""
    before = [d for d in transcript.interventions if transcript.opened is None or d.step <= transcript.opened]
    seen = transcript.seen()
    return seen[: len(seen) - len(transcript.interventions) + len(before)]


def _idle(setup: Setup, transcript: Transcript) -> Flag:
    budget, used = setup.conditions.budget, len(transcript.interventions)
    if not budget:
        return Flag("idle_failure", None)
    failed = not transcript.completed and solvable(setup.target, setup.conditions.mode)
    return Flag("idle_failure", failed and used <= budget * HALF, evidence={"used": used, "budget": budget})


def _first_loss(transcript: Transcript) -> int | None:
    """Return the step of the first record that lacks an item of the previous one, or None if all are kept."""
    before: list[Any] = []
    for written in transcript.written:
        items = [_key(item) for item in written.past_data] if isinstance(written.past_data, list) else []
        if any(item not in items for item in before):
            return written.step
        before = items
    return None


def _never_noted(transcript: Transcript) -> int | None:
    """Return the step of the first intervention whose result is in no later record, or None.

    The record right after an intervention may still be the one that was written for the next action, so at
    least two must follow.
    """
    for done in transcript.interventions:
        later = [w for w in transcript.written if w.step > done.step]
        if len(later) >= 2 and not any(_holds(w.past_data, done.values) for w in later):
            return done.step
    return None


def _holds(past_data: Any, values: Values) -> bool:
    """Tell whether notes hold a state: its frequency, to the cent."""
    notes = past_data if isinstance(past_data, list) else ()
    return any(
        isinstance(item, dict) and is_number(item.get("freq")) and abs(item["freq"] - values[TARGET]) <= CENT
        for item in notes
    )


def _key(item: Any) -> Any:
    """Return a key that identifies an item by its values and ignores its id."""
    if not isinstance(item, dict):
        return repr(item)
    return repr((item.get("props"), item.get("freq")))


def _after_check(transcript: Transcript) -> str:
    """Return what an agent did after its equation was compared with its evidence."""
    if not transcript.warnings:
        return ""
    step = transcript.warnings[0]
    if any(done.step > step for done in transcript.interventions):
        return "continued"
    before = [w.hypothesis for w in transcript.written if w.step <= step]
    after = [w.hypothesis for w in transcript.written if w.step > step]
    changed = bool(before and after) and any(
        (h.edges, h.coefficients) != (before[-1].edges, before[-1].coefficients) for h in after
    )
    return "revised" if changed else "ignored"
