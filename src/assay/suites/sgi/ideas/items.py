"""An item of idea generation in the released columns: a problem, what is known, and a hidden reference."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected, first_passing
from assay.suites.sgi.columns import idea_generation
from assay.suites.sgi.families import DISCIPLINES, item_name
from assay.suites.sgi.ideas.archetypes import SYSTEMS, Archetype, Programme, Step
from assay.suites.sgi.ideas.bank import ARCHETYPES
from assay.suites.sgi.metrics.embedding import words
from assay.suites.sgi.metrics.ideas import literal, stem
from assay.suites.sgi.research.vocabulary import author
from assay.suites.sgi.seeding import VERSION, permuted

LEVELS = (1, 2, 3, 4)
RELATED = {1: 4, 2: 5, 3: 6, 4: 8}
"""Texts of related work by level."""

HIDDEN_RELATED = 4

CONTRACT = """Propose an idea of your own, as one JSON object:
{"Idea": "300 to 700 characters", "ImplementationSteps": {"1": ".."}, "ImplementationOrder": ["1-2"],
 "Dataset": "..", "EvaluationMetrics": {"name": ".."}, "ExpectedOutcome": "..", "StepTypes": {"1": ".."}}
An item of the order is an edge between two steps. Types of steps are acquire, preprocess, represent, model,
constrain, optimise, calibrate, validate, ablate and analyse."""


def cell(root: int, index: int) -> tuple[Archetype, str, int]:
    """Archetype, discipline and level of an item: all pairs of the first two in 80 items, in root's order."""
    archetypes = permuted(root, "idea_generation", "archetypes", ARCHETYPES)
    disciplines = permuted(root, "idea_generation", "disciplines", DISCIPLINES)
    levels = permuted(root, "idea_generation", "levels", LEVELS)
    return (
        archetypes[index % 8],
        disciplines[(index + index // 40) % 10],
        levels[(index + index // 8) % 4],
    )


def generate(root: int, index: int, level: int | None = None) -> dict[str, Any]:
    """The item of that index, as a row of the released columns and our own (`x_...`).

    `TaskError` where no draw passes the rules.
    """
    archetype, discipline, own_level = cell(root, index)
    level = level or own_level
    attempt = partial(_draw, archetype, discipline, level, index)
    return first_passing(root, "idea_generation", index, level, archetype.name, attempt)


def _draw(archetype: Archetype, discipline: str, level: int, index: int, stream: Stream) -> dict[str, Any]:
    system, reading = SYSTEMS[discipline]
    own = stream.below(3)
    reference = archetype.programmes[own]
    others = [programme for at, programme in enumerate(archetype.programmes) if at != own]
    stream.shuffle(others)

    def said(text: str) -> str:
        filled = text.format(system=system, reading=reading)
        return filled[:1].upper() + filled[1:]

    plan, order = _plan(reference, level)
    steps, slots = _filled(plan, system, reading, stream)
    existing = {
        f"Solution {at}": " ".join([*programme.idea, programme.limit])
        for at, programme in enumerate(others, 1)
    }
    row: dict[str, Any] = {
        "idx": item_name("idea_generation", index),
        "discipline": discipline,
        "direction": archetype.name,
        "related_work": repr(_works(archetype.tried, system, reading, RELATED[level], stream)),
        "challenge": said(archetype.challenge),
        "limitation": said(archetype.limitation),
        "motivation": said(archetype.motivation),
        "task_objective": said(archetype.objective),
        "existing_solutions": repr(existing),
        "keywords": [forms[0] for forms in reference.keywords],
        "core_idea": " ".join(reference.idea),
        "implementation_steps": repr(steps),
        "implementation_order": order,
        "data": archetype.data,
        "evaluation_metrics": repr({name: f"target {target}" for name, target in archetype.metrics}),
        "expected_outcome": f"{reference.join.gives.capitalize()} that meets every target on unseen cases.",
        "related_work_test": repr(_works(archetype.unseen, system, reading, HIDDEN_RELATED, stream)),
        "x_level": level,
        "x_version": VERSION,
        "x_synonyms": [list(forms) for forms in reference.keywords],
        "x_step_types": {str(k): step.type for k, step in enumerate(plan, 1)},
        "x_slots": slots,
    }
    row["question"] = question(row)
    validate(row)
    return row


def _plan(programme: Programme, level: int) -> tuple[list[Step], list[str]]:
    """The steps of the reference and their edges: two sides branch off and join; more checks by level."""
    made = programme.join.gives
    plan = [
        Step(
            "acquire",
            "Collect {reading} of {system} for {q} as raw records.",
            "",
            "raw records",
            "h",
            (48, 72),
        ),
        Step(
            "preprocess",
            "Clean the raw records in windows of {q} into tidy segments.",
            "raw records",
            "tidy segments",
            "s",
            (20, 30, 60),
        ),
        *programme.sides,
        programme.join,
    ]
    order = ["1-2", "2-3", "2-4", "3-5", "4-5"]
    last = 5
    if level >= 3:
        plan.append(
            Step(
                "calibrate",
                f"Calibrate {made} on held out cases of {{q}} as stated confidence.",
                made,
                "stated confidence",
                "h",
                (5, 7),
            )
        )
        order.append(f"{last}-{last + 1}")
        last += 1
    plan.append(
        Step(
            "validate",
            f"Validate {made} on unseen cases of {{q}} and note error rates.",
            made,
            "error rates",
            "h",
            (11, 13),
        )
    )
    order.append(f"{last}-{last + 1}")
    last += 1
    if level == 4:
        plan.append(
            Step(
                "ablate",
                f"Ablate parts of {made} for {{q}} each and rank contributions.",
                made,
                "contributions",
                "min",
                (50, 70),
            )
        )
        order.append(f"{last - 2}-{last + 1}")
        last += 1
    if level >= 2:
        plan.append(
            Step(
                "analyse",
                "Analyse error rates in groups of {q} and write the findings.",
                "error rates",
                "findings",
                "h",
                (17, 19),
            )
        )
        order += [f"{last}-{last + 1}"] if level < 4 else [f"{last - 1}-{last + 1}", f"{last}-{last + 1}"]
    return plan, order


def _filled(
    plan: Sequence[Step], system: str, reading: str, stream: Stream
) -> tuple[dict[str, str], dict[str, list[list[str]]]]:
    """The texts of the steps with their quantities drawn, and the slots of each."""
    steps, slots = {}, {}
    for k, one in enumerate(plan, 1):
        quantity = f"{stream.choice(one.numbers)} {one.unit}"
        text = one.text.format(q=quantity, system=system, reading=reading)
        steps[str(k)] = text
        slots[str(k)] = [[one.takes or reading], [one.gives], [quantity]]
    return steps, slots


FINDINGS = (
    "The gain was visible but did not carry over to new sites.",
    "Results depend on settings that nobody reports.",
    "Accuracy suffices for a demonstration, hardly for practice.",
    "Half of the cases had to be left out.",
    "A repetition elsewhere gave a weaker outcome.",
    "It works while conditions stay the same.",
)


def _works(ways: Sequence[str], system: str, reading: str, count: int, stream: Stream) -> dict[str, str]:
    """Invented papers: who, when, with what, and how far it got."""
    found = {}
    for _ in range(count):
        name = f"{author(stream)} ({2004 + stream.below(18)})"
        way = stream.choice(list(ways))
        found[name] = f"They approach {system} by {way} on {reading}. {stream.choice(FINDINGS)}"
    return found


def question(row: Mapping[str, Any]) -> str:
    """The prompt, made of the item's context columns."""

    def listed(cell: str) -> str:
        return "\n".join(f"- {key}: {text}" for key, text in literal(cell).items())

    return "\n\n".join(
        [
            f"Related work\n{listed(row['related_work'])}",
            f"Challenge\n{row['challenge']}",
            f"Limitation\n{row['limitation']}",
            f"Motivation\n{row['motivation']}",
            f"Task\n{row['task_objective']}",
            f"Existing solutions\n{listed(row['existing_solutions'])}",
            CONTRACT,
        ]
    )


def _has(text: Sequence[str], form: str) -> bool:
    wanted = [stem(word) for word in words(form)]
    return any(list(text[k : k + len(wanted)]) == wanted for k in range(len(text) - len(wanted) + 1))


def validate(row: Mapping[str, Any]) -> None:
    """Check what an item promises; `Rejected` names the rule that it breaks.

    Nothing of the reference is in the prompt, no form of a keyword either; the reference has the full value
    of three dimensions, and is farther from known work than a copy of it.
    """
    prompt = str(row["question"])
    tokens = [stem(word) for word in words(prompt)]
    for forms in row["x_synonyms"]:
        if not 3 <= len(forms) <= 8:
            raise Rejected("the number of forms of a keyword")
        for form in forms:
            if _has(tokens, form):
                raise Rejected(f"the keyword form {form!r} is in the prompt")
    hidden = [row["core_idea"], row["data"], row["expected_outcome"]]
    for name in ("implementation_steps", "evaluation_metrics", "related_work_test"):
        hidden += [str(text) for text in literal(row[name]).values()]
    for text in hidden:
        if text in prompt:
            raise Rejected(f"{text[:40]!r} is in the prompt")
    parts, nearest, label = idea_generation.objective_parts(row, solve(row), "objective")
    for dimension in ("effectiveness", "detailedness", "feasibility"):
        if abs(parts[dimension] - 10.0) > 1e-9:
            raise Rejected(f"the reference has {parts[dimension]:.3f} of 10 in {dimension} ({label})")
    if nearest < 5.0:
        raise Rejected("the reference is too near to known work")
    for known in literal(row["existing_solutions"]).values():
        copy, _, _ = idea_generation.objective_parts(row, json.dumps({"Idea": known}), "objective")
        if copy["novelty"] >= parts["novelty"]:
            raise Rejected("a copy of known work is as novel as the reference")


def reply(
    row: Mapping[str, Any], idea: str, steps: Mapping[str, str], order: Sequence[str], **more: Any
) -> str:
    """A reply with this idea and plan, and the other parts of the reference unless given."""
    whole = {
        "Idea": idea,
        "ImplementationSteps": dict(steps),
        "ImplementationOrder": list(order),
        "Dataset": row["data"],
        "EvaluationMetrics": literal(row["evaluation_metrics"]),
        "ExpectedOutcome": row["expected_outcome"],
        "StepTypes": row["x_step_types"],
    }
    return json.dumps({**whole, **more}, ensure_ascii=False)


def solve(row: Mapping[str, Any]) -> str:
    """The reference as a reply: the upper anchor."""
    return reply(row, row["core_idea"], literal(row["implementation_steps"]), row["implementation_order"])
