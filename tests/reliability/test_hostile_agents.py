"""Attacks on every suite, through the doors that its agents have: logged, refused, and without a consequence.

Timing is no part of it: how long a call takes may tell an agent something, and is not looked at.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from tests.protocol.conformance import ROOT, Subject
from tests.reliability.attacks import ATTACKS, Attack, of_form
from tests.reliability.hunting import (
    NOTHING,
    SETS,
    Ground,
    Made,
    Neighbour,
    calls_of,
    carried_out,
    check_hunt,
    hunted,
    target,
    worth,
)

from assay.protocol import Brief

pytestmark = pytest.mark.usefixtures("few_events")

SEED = int(os.environ.get("ASSAY_HOSTILE_SEED", "14"))
QUICK = 2
"""Attacks by text and number that `make test` plays at a set of each suite, drawn anew for each."""

CALLS = 12
"""Calls of one episode of an attack, where the suite allows so few."""

PLACES = [("petri", "core-v0"), ("causalab", "main-v0"), ("pilab", "reference-v0"), ("collider", "mock-v0")]
PLACES += [("sgi", f"{family}-v0") for family in ("wet", "dry", "research", "ideas", "reasoning")]
"""A set of each kind of world."""

TASKS = int(os.environ.get("ASSAY_HOSTILE_TASKS", "3"))
"""Tasks of each set that `make soak` plays all attacks at."""

WORDS = of_form("text", "number", "record", "table", "file", "query")


@cache
def neighbour() -> Neighbour:
    """An honest episode of petri, which is beside every attack."""
    return Neighbour(target("petri", "core-v0", 1))


@cache
def alone(suite: str, task_set: str, index: int, made: str) -> Any:
    """What the honest episode is worth after these calls (JSON): those of an attack that were not refused."""
    subject = target(suite, task_set, index)
    return worth(subject, hunted(subject, json.loads(made)))


@cache
def brief_of(suite: str, task_set: str, index: int) -> Brief:
    subject = target(suite, task_set, index)
    return subject.brief(subject.tasks[0])


def test_the_table_is_what_it_says() -> None:
    """Each thing that an agent may be after is attacked by several ways, and no name stands twice."""
    names = [(attack.form, attack.name) for attack in ATTACKS]
    assert len(set(names)) == len(names) >= 100
    wanted = Counter(attack.wants for attack in ATTACKS)
    assert min(wanted.values()) >= 3, wanted


def attempt(ground: Ground, subject: Subject, attack: Attack) -> Counter[str]:
    """Play an attack in episodes of as many calls as the suite allows; how its calls ended."""
    brief = brief_of(subject.suite.name, subject.task_set, subject.indices[0])
    prey = ground.prey(subject)
    calls = calls_of(attack, subject, brief, prey)
    ended: Counter[str] = Counter({"no door": not calls})
    most = CALLS if brief.limits.get("calls", 1000) < 100 or "run_code" in brief.limits else 400
    for start in range(0, len(calls), most):
        ended += _episode(ground, subject, attack, brief, calls[start : start + most])
    return ended


def _unlike(one: Any, other: Any) -> list[tuple[Any, Any]]:
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    return [(one, other)] if one != other else []


def _episode(
    ground: Ground, subject: Subject, attack: Attack, brief: Brief, calls: list[Made]
) -> Counter[str]:
    prey = ground.prey(subject)
    with neighbour().beside(), ground.watched(prey, prey.fill(attack.payload)):
        episode = hunted(subject, calls)
    check_hunt(subject, episode, brief, calls)
    ground.check_shown(subject, episode, code=attack.form == "program")
    taken = carried_out(episode, len(calls))
    without = alone(subject.suite.name, subject.task_set, subject.indices[0], json.dumps(taken))
    found = worth(subject, episode)
    differ = [(a, b) for one, other in zip(found, without, strict=True) for a, b in _unlike(one, other)]
    assert found == without, f"refused calls have changed what the episode is worth: {str(differ)[:600]}"
    refused = sum(1 for call in taken if call == NOTHING) + len(calls) - len(taken)
    return Counter(refused=refused, taken=len(calls) - refused)


def hunt(ground: Ground, subject: Subject, attacks: Iterable[Attack]) -> Counter[str]:
    """Play these attacks at a task; how their calls ended, and what went wrong with which."""
    ended: Counter[str] = Counter()
    failed = []
    for attack in attacks:
        try:
            ended += attempt(ground, subject, attack)
        except AssertionError as problem:
            failed.append(f"{attack.form} {attack.name}: {str(problem)[:500]}")
    where = f"{subject.task_set}/{subject.indices[0]}"
    assert not failed, f"{where} (ASSAY_HOSTILE_SEED={SEED}):\n" + "\n".join(failed)
    print(f"{where}: {dict(ended)}", flush=True)
    return ended


@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_some_attacks(place: tuple[str, str], ground: Ground) -> None:
    drawn = random.Random(f"{SEED}/{place}").sample(WORDS, QUICK)
    hunt(ground, target(*place), drawn)


@pytest.mark.full
@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_all_attacks_by_words(place: tuple[str, str], ground: Ground) -> None:
    ended = hunt(ground, target(*place), WORDS)
    assert ended["refused"] > 100


@pytest.mark.soak
@pytest.mark.parametrize("place", SETS, ids="/".join)
def test_all_attacks_in_every_set(place: tuple[str, str], ground: Ground) -> None:
    for index in range(min(TASKS, len(list((ROOT / "tasks").joinpath(*place).iterdir())))):
        assert hunt(ground, target(*place, index), WORDS)["refused"] > 100
