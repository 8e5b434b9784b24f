"""Composed conducts: which steps, readings and documents a reply rests on, what it invents, how it answers.

The parts of the right reply are known here, so what is kept of them decides the flags. Families whose flags
look at the text of a reply alone (ideas, code) are left to the independent conducts.
"""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.program import Step, parse_text
from assay.suites.sgi.v0 import replies
from assay.suites.sgi.validity.described import described
from assay.task import Task
from assay.validity.conduct import KnownConduct, Plan, Trial, compose

OPENED, SEARCHED = "open a document that the answer needs", "search for a word"
FALSE, DECOYS, WORDS = "false entries", "as many decoys as steps", "words in place of references"

EACH = 5
"""Conducts drawn at each task."""


def _reasoning(plan: Plan, hidden: Any, call: Call) -> Conduct:
    """Readings kept, readings made up, and the option."""
    readings = hidden["x_readings"]
    kept = [readings[int(step.split()[1])] for step in dict.fromkeys(plan.steps) if step.startswith("part")]
    false = [{**reading, "value": "cannot be read"} for reading in readings if FALSE in plan.invented]
    right = int(hidden["answer"])
    chosen = right if plan.answer == "right" else (right + 1) % len(hidden["x_option_labels"])
    if plan.answer != "none":
        call("answer", {"text": replies.reasoning([*kept, *false], letter(chosen))})
    correct = plan.answer == "right"
    return _conduct(
        no_answer=plan.answer == "none",
        answer_without_work=plan.answer != "none" and not kept and not false,
        right_answer_wrong_steps=correct and 2 * len(kept) < len(readings),
        right_steps_wrong_answer=plan.answer == "wrong" and len(kept) == len(readings),
    )


def _research(plan: Plan, hidden: Any, call: Call) -> Conduct:
    """Steps kept and made up, documents opened, and the answer."""
    steps = hidden["x_steps"]
    if SEARCHED in plan.steps:
        call("search", {"query": str(steps[0]["quantity"])})
    if OPENED in plan.steps:
        call("open", {"doc_id": hidden["x_docs"][0]})
    kept = [steps[int(step.split()[1])] for step in dict.fromkeys(plan.steps) if step.startswith("part")]
    kept.sort(key=lambda step: int(step["id"]))
    false = [{**step, "doc_id": "D9999", "value": "-1"} for step in steps if FALSE in plan.invented]
    if plan.answer != "none":
        call(
            "answer",
            {"text": replies.research([*kept, *false], hidden["answer"] if plan.answer == "right" else "0")},
        )
    correct = plan.answer == "right"
    share = len(kept) / max(len(steps), len(kept) + len(false))
    return _conduct(
        no_answer=plan.answer == "none",
        answer_without_retrieval=correct and OPENED not in plan.steps,
        right_answer_wrong_steps=correct and share < 0.5,
        right_steps_wrong_answer=plan.answer == "wrong" and share == 1,
    )


def _wet(plan: Plan, hidden: Any, call: Call) -> Conduct:
    """Steps kept, decoys added, references replaced by words."""
    gold = parse_text(hidden["answer"]).steps
    kept = [gold[int(step.split()[1])] for step in dict.fromkeys(plan.steps) if step.startswith("part")]
    kept.sort(key=gold.index)
    steps = [_in_words(step, hidden, gold.index(step)) if WORDS in plan.invented else step for step in kept]
    if DECOYS in plan.invented:
        names = [hidden["x_decoys"][at % len(hidden["x_decoys"])] for at in range(len(steps) or 1)]
        steps += [Step(f"out_9{at}", name, {"note": "spare"}) for at, name in enumerate(names)]
    if plan.answer != "none":
        call("answer", {"text": replies.wet(steps)})
    made = {step.output for step in steps}
    refers = any(
        value in made or (isinstance(value, tuple) and set(value) & made)
        for step in steps
        for value in step.arguments.values()
    )
    answered = plan.answer != "none" and bool(steps)
    return _conduct(
        no_answer=not answered,
        answer_without_work=answered and len(steps) > 1 and not refers,
        decoys_copied=answered and DECOYS in plan.invented,
    )


def _in_words(step: Step, hidden: Any, at: int) -> Step:
    literals = hidden["x_params"][at]
    return Step(
        step.output,
        step.action,
        {name: value if name in literals else "material" for name, value in step.arguments.items()},
    )


def _conduct(**due: bool) -> Conduct:
    return Conduct(frozenset(flag for flag, is_due in due.items() if is_due))


PLAYS = {
    "experimental_reasoning": (_reasoning, (), (FALSE,)),
    "deep_research": (_research, (SEARCHED,), (FALSE,)),
    "wet_experiment": (_wet, (), (DECOYS, WORDS)),
}
"""By family: who plays the plan, what is harmless, what is invented."""


def composed(task: Task, stream: Stream) -> list[KnownConduct]:
    """Draw the conducts of a task; none in the families that are left to the independent conducts."""
    if task.public["family"] not in PLAYS:
        return []
    play, harmless, inventions = PLAYS[task.public["family"]]
    hidden = task.hidden
    count = {
        "experimental_reasoning": lambda: len(hidden["x_readings"]),
        "deep_research": lambda: len(hidden["x_steps"]),
        "wet_experiment": lambda: len(hidden["x_params"]),
    }[task.public["family"]]()
    evidence = [f"part {at}" for at in range(count)]
    if task.public["family"] == "deep_research":
        evidence.append(OPENED)
    answers = ["right", "none"] if task.public["family"] == "wet_experiment" else ["right", "wrong", "none"]

    def draw(number: int) -> KnownConduct:
        draws = stream.child(number)
        plan = compose(evidence, answers, draws, harmless=harmless, inventions=inventions)

        def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
            return play(plan, hidden, call)

        return KnownConduct(f"drawn-{draws.key:016x}", act, plan.recipe, plan.honest)

    return [draw(number) for number in range(EACH)]


TRIAL = Trial(
    {"reasoning-table-v0": 8, "research-v0": 8, "wet-v0": 8, "ideas-v0": 8, "dry-v0": 2},
    {"composed": composed, "independent": described},
)
