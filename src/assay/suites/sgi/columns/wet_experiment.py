"""Wet experiments: SS and PA of a protocol, their mean, and how many of its steps are legal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from assay import canonical
from assay.suites.sgi.columns.profiles import UNDERSPECIFIED, Item, Profile, Value
from assay.suites.sgi.metrics.protocols import (
    NO_LITERALS,
    Parameters,
    paper_similarity,
    parameter_accuracy,
    references,
    released_accuracy,
    released_similarity,
    sequence_similarity,
    tokens,
)
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Program, parse, parse_released, parse_text, same_action


@lru_cache(maxsize=512)
def gold_program(answer: str) -> Program:
    """The reference of an item, as our parser reads it."""
    return parse_text(answer)


@lru_cache(maxsize=512)
def _released_gold(answer: str) -> Program:
    return parse_released(answer)


@lru_cache(maxsize=8)
def _parameters(answer: str, reply: str, literals: str) -> Parameters:
    """Two profiles ask for it, and to align the repeats of long protocols takes a tenth of a second."""
    return parameter_accuracy(gold_program(answer), parse(reply), canonical.loads(literals))


@lru_cache(maxsize=512)
def _pool(text: str) -> frozenset[str]:
    return frozenset(same_action(name) for name in pool_names(text))


def score(item: Item, reply: str, profile: Profile) -> Iterable[Value]:
    """`ss`, `pa` and their mean `headline`, then `valid` and `decoy_use`, each from 0 to 1."""
    if profile == "released":
        gold, given = _released_gold(item["answer"]), parse_released(reply)
        ours, theirs = ([step.action for step in program.steps] for program in (gold, given))
        ss, pa = released_similarity(ours, theirs), released_accuracy(gold, given)
        label, pa_label = "", ""
    else:
        gold, given = gold_program(item["answer"]), parse(reply)
        found = _parameters(item["answer"], reply, canonical.dumps(item.get("x_params", NO_LITERALS)))
        if profile == "paper":
            ss, label = paper_similarity(tokens(gold), tokens(given))
            pa, pa_label = found.paper, UNDERSPECIFIED
        else:
            ss, label = sequence_similarity(tokens(gold), tokens(given)), ""
            pa, pa_label = found.objective, ""
    yield Value("headline", (ss + pa) / 2, label)
    yield Value("ss", ss, label)
    yield Value("pa", pa, pa_label)
    if profile == "objective":
        yield Value("valid", float(is_valid(item, given)), ", ".join(given.issues))
        yield Value("decoy_use", decoy_use(item, given))


def is_valid(item: Item, program: Program) -> bool:
    """Whether there are steps, all of actions of the pool, and every reference is to an earlier step."""
    legal = _pool(item["action_pool"])
    known = bool(program.steps) and all(same_action(step.action) in legal for step in program.steps)
    return known and references(program)[1]


def decoy_use(item: Item, program: Program) -> float | None:
    """The share of steps whose action is in the pool but not in the reference; null without steps."""
    if not program.steps:
        return None
    needed = {same_action(step.action) for step in gold_program(item["answer"]).steps}
    decoys = _pool(item["action_pool"]) - needed
    return sum(same_action(step.action) in decoys for step in program.steps) / len(program.steps)
