"""Programs of agents, where a suite runs them: they do not get what they want, and no better score.

The sandbox has its own corpus of attacks. These go through the suites: months of pilab, scripts of collider,
the interpreter and the scored programs of sgi.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.protocol.conformance import Subject
from tests.reliability.attacks import Attack, Prey, of_form
from tests.reliability.hunting import Ground, Neighbour, calls_of, check_hunt, hunted, target, worth

from assay.sandbox import Policy
from assay.sessions.assessment import assess
from assay.suites.collider.tools import execution
from assay.suites.pilab import world as pilab
from assay.suites.sgi import interpreter
from assay.suites.sgi.dry import runs

PLACES = [("pilab", "reference-v0"), ("collider", "mock-v0"), ("sgi", "research-v0")]
PROGRAMS = of_form("program")
QUICK = ("reads-the-task", "environment-of-the-box", "connects", "speaks-the-protocol")
HARMLESS = Attack("harmless", "log", "program", "pass")

ENDED = frozenset(
    ("ok", "error", "refused", "timeout", "cpu", "memory", "output", "disk", "calls", "killed", "protocol")
)
"""The ways in which a block ends (docs/sandbox.md)."""

AT_A_LIMIT = frozenset(
    {"loops", "fills-memory", "fills-the-disk", "prints-for-ever", "recurses", "forks", "threads"}
)
"""Programs that must not end by themselves, or with what they wanted."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time that a test can wait for; `make soak` has those of the suites."""

    def soon(policy: Policy) -> Policy:
        return replace(policy, limits=replace(policy.limits, wall=6.0, cpu=2.0))

    for module in (pilab, execution, interpreter, runs):
        monkeypatch.setattr(module, "POLICY", soon(module.POLICY))


@cache
def neighbour() -> Neighbour:
    return Neighbour(target("petri", "core-v0", 1))


def run(ground: Ground, place: tuple[str, str], attack: Attack) -> str:
    """Play a program beside an honest episode; how its block ended."""
    subject = target(*place)
    brief, prey = subject.brief(subject.tasks[0]), ground.prey(subject)
    calls = calls_of(attack, subject, brief, prey)
    with neighbour().beside(), ground.watched(prey, prey.fill(attack.payload)):
        episode = hunted(subject, calls)
    check_hunt(subject, episode, brief, calls)
    ground.check_shown(subject, episode, code=True)
    (told, *_) = [event.parts[0] for event in episode.events if event.kind == "outside"]
    assert isinstance(told, dict)
    status = str(told["status"])
    assert status in ENDED, told
    assert attack.name not in AT_A_LIMIT or status != "ok", told
    harmless = hunted(subject, calls_of(HARMLESS, subject, brief, prey))
    assert worth(subject, episode) == worth(subject, harmless), "the program has changed the score"
    return status


def answer(subject: Subject, attack: Attack, prey: Prey) -> str:
    """A reply of sgi whose functions run the attack when a test calls them."""
    (names,) = [subject.tasks[0].public["columns"]["incomplete_functions"]]
    body = "\n".join("    " + line for line in prey.fill(attack.payload).split("\n"))
    functions = "\n\n\n".join(f"def {name}(*args, **kwargs):\n{body}\n    return 'nothing'" for name in names)
    return f"<answer>\n```python\n{functions}\n```\n</answer>"


def scored(ground: Ground, attack: Attack) -> Any:
    """What an answer is worth that runs the attack inside the tests of sgi."""
    subject = target("sgi", "dry-v0")
    prey = ground.prey(subject)
    calls = [("answer", {"text": answer(subject, attack, prey)})]
    with neighbour().beside(), ground.watched(prey, "\0" * 20):
        episode = hunted(subject, calls, honest=False)
        found = assess(subject.suite, subject.tasks[0], episode, subject.judging_materials())
    ground.check_shown(subject, episode, code=True)
    assert (episode.status, found.metrics["solved"], found.score) == ("done", 0, 0)
    return found.metrics


@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_some_programs(place: tuple[str, str], ground: Ground, impatient: None) -> None:
    for attack in PROGRAMS:
        if attack.name in QUICK[: 2 if place[0] == "collider" else None]:
            assert run(ground, place, attack)


@pytest.mark.full
@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_all_programs(place: tuple[str, str], ground: Ground, impatient: None) -> None:
    _all(ground, place)


@pytest.mark.soak
@pytest.mark.parametrize("place", PLACES, ids="/".join)
def test_all_programs_with_the_limits_of_the_suites(place: tuple[str, str], ground: Ground) -> None:
    _all(ground, place)


def _all(ground: Ground, place: tuple[str, str]) -> None:
    ended: Counter[str] = Counter()
    failed = []
    for attack in PROGRAMS:
        try:
            ended[run(ground, place, attack)] += 1
        except AssertionError as problem:
            failed.append(f"{attack.name}: {str(problem)[:500]}")
    print(f"{'/'.join(place)}: {len(PROGRAMS)} programs, {dict(ended)}", flush=True)
    assert not failed, "\n".join(failed)


@pytest.mark.full
def test_no_program_gains_a_test_of_sgi(ground: Ground, impatient: None) -> None:
    """Run inside the scored tests: it passes none, whatever it prints, reads or ends."""
    failed = []
    for attack in PROGRAMS:
        try:
            assert scored(ground, attack)["tests_passed"] == 0
        except AssertionError as problem:
            failed.append(f"{attack.name}: {str(problem)[:500]}")
    assert not failed, "\n".join(failed)
