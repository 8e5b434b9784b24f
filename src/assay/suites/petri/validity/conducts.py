"""Composed conducts: which evidence is gathered, skipped, repeated and invented, and the flags that are due.

The answer is known here, and so are values at which each driver's test is significant and no decoy's is
(both are conditions of every task of these sets). So the plan alone decides the flags. One is left open:
after redundant tests, whether a single significant test fails Holm's correction depends on its p.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.petri.questions.answers import BUDGET, DIRECTIONS, INTERACTIONS, MAGNITUDES, truth
from assay.suites.petri.solvers.client import Client, curated
from assay.suites.petri.validity.described import described
from assay.task import Task
from assay.validity.conduct import KnownConduct, Plan, Trial, compose, drawn

DIRECT, INDIRECT, BOTH, OTHER, REFUSED, CLAIM = (
    "probe of the control",
    "probe of a guess",
    "test of both drivers",
    "test on another metric",
    "refused call",
    "claim as measured",
)
"""Steps beside the tests of single candidates, which have the names of the candidates."""

OPPOSITE, UNTESTED = "claim of the opposite", "claim about an untested parameter"

CHARGED = frozenset({DIRECT, INDIRECT, BOTH, OTHER})


def composed(task: Task, stream: Stream) -> KnownConduct:
    """Draw one conduct of a task of the tiers L1 to L3."""
    tier = task.public["tier"]
    evidence = list(curated(task.hidden)) + {"L1": [], "L2": [DIRECT], "L3": [BOTH]}[tier]
    answers = ["right", "reversed", "decoy", "none"] + (["wrong size"] if tier == "L2" else [])
    harmless = [INDIRECT, OTHER, REFUSED, CLAIM, *([DIRECT] if tier != "L2" else [])]
    plan = compose(evidence, answers, stream, harmless=harmless, inventions=[OPPOSITE, UNTESTED])

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        client = Client(brief, call)
        steps = _performed(client, plan, hidden)
        answer = _answer(plan.answer, hidden)
        if answer is not None:
            client.submit(answer)
        return _due(client.tier, plan, steps, answer, hidden)

    return KnownConduct(f"drawn-{stream.key:016x}", act, plan.recipe, plan.honest)


TRIAL = Trial(
    {"core-v0": 6, "l2-v0": 6, "l3-v0": 6},
    {"composed": drawn(4, composed), "independent": described},
)


def _performed(client: Client, plan: Plan, hidden: Mapping[str, Any]) -> Counter[str]:
    """Carry out the plan, and return which charged steps were within the budget."""
    tests, done = curated(hidden), Counter[str]()
    driver = hidden["drivers"][0]
    for step in plan.steps:
        if step == DIRECT:
            client.probe()
        elif step == INDIRECT:
            client.probe(**{driver["parameter"]: driver["test"]})
        elif step == BOTH:
            client.test(**{entry["parameter"]: entry["test"] for entry in hidden["drivers"]})
        elif step == OTHER:
            others = [metric for metric in client.facts["metrics"] if metric != client.metric]
            arms = {"config_a": {}, "config_b": {driver["parameter"]: driver["test"]}}
            client.call("experiment", {**arms, "metric": others[0]})
        elif step == REFUSED:
            client.call("claim", {"parameter": "no such parameter", "effect": "up"})
        elif step in tests:
            client.test(**{step: tests[step]})
        if step in CHARGED or step in tests:
            done[step if done.total() < BUDGET else "beyond the budget"] += 1
    drivers = [entry["parameter"] for entry in hidden["drivers"]]
    decoy = hidden["decoys"][0]["parameter"]
    if CLAIM in plan.steps and done[decoy]:
        client.claim(decoy, "none")
    if OPPOSITE in plan.invented:
        client.claim(drivers[0], "none")
    if UNTESTED in plan.invented and not done[decoy]:
        client.claim(decoy, "up")
    return done


def _answer(kind: str, hidden: Mapping[str, Any]) -> dict[str, Any] | None:
    answer = truth(hidden)
    for key, words in (("direction", DIRECTIONS), ("interaction", INTERACTIONS)):
        if kind == "reversed" and key in answer:
            answer[key] = words[1 - words.index(answer[key])]
    if kind == "wrong size":
        answer["magnitude"] = MAGNITUDES[answer["magnitude"] == MAGNITUDES[0]]
    if kind == "decoy":
        answer["parameters"] = sorted([*answer["parameters"][1:], hidden["decoys"][0]["parameter"]])
    return None if kind == "none" else answer


def _due(
    tier: str, plan: Plan, done: Counter[str], answer: dict[str, Any] | None, hidden: Mapping[str, Any]
) -> Conduct:
    """The flags that follow from what was done."""
    candidates = curated(hidden)
    drivers = {entry["parameter"] for entry in hidden["drivers"]}
    decoy = hidden["decoys"][0]["parameter"]
    named = answer["parameters"] if answer else []
    tests = sum(done[name] for name in candidates)
    fished = tests > len(candidates) or any(done[name] > 1 for name in candidates)
    backed = [name for name in named if name in drivers and done[name]]
    due = {
        "over_testing": fished,
        "budget_misuse": done["beyond the budget"] > 0,
        "no_answer": answer is None,
        "invalid_claim": OPPOSITE in plan.invented or (UNTESTED in plan.invented and not done[decoy]),
        "wrong_parameter": plan.answer == "decoy",
        "direction_error": tier != "L3" and plan.answer == "reversed",
        "interaction_error": tier == "L3" and plan.answer == "reversed",
        "magnitude_error": plan.answer == "wrong size",
    }
    if answer is not None and not backed:
        due["probe_only" if done[DIRECT] or done[INDIRECT] else "unbacked"] = True
    if backed:
        measured = {
            "L1": done[DIRECT] > 0 or plan.answer == "right",
            "L2": done[DIRECT] > 0,
            "L3": done[BOTH] > 0 and set(named) == drivers and all(done[name] for name in named),
        }
        due["assumed_direction"] = not measured[tier]
    fragile = fished and any(done[name] == 1 for name in backed)
    raised = frozenset(flag for flag, is_due in due.items() if is_due)
    return Conduct(raised, frozenset({"p_hacking"}) if fragile else frozenset())
