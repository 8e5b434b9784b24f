"""Scores and flags of a few dozen episodes are what they were, to the letter; and known conduct is found out.

What is frozen says that a rule has not changed, not that it is right: `tests/rescoring` says so of scores,
the conduct that every suite declares of flags. `python -m tests.judgements` freezes anew.
"""

from __future__ import annotations

import pytest

from assay.suite import suite
from tests.judgements.episodes import PLAYED, materials, part, parts, played, scripted
from tests.judgements.judging import frozen, judgement


@pytest.mark.parametrize(("name", "which"), [(name, which) for name in PLAYED for which in parts(name)])
def test_every_judgement_is_as_frozen(name: str, which: str) -> None:
    known = frozen(name)
    for called, task, episode in part(name, which):
        assert judgement(name, task, episode) == known[called], called


@pytest.mark.parametrize("name", PLAYED)
def test_nothing_frozen_is_left_over(name: str) -> None:
    assert {called.partition(" ")[0] for called in frozen(name)} == {
        *(f"{task_set}/{index}" for task_set, index, _ in scripted(name)),
        *(["made"] if any(which.startswith("made up") for which in parts(name)) else []),
    }


@pytest.mark.parametrize(
    ("name", "task_set", "index", "solver"), [(name, *one) for name in PLAYED for one in scripted(name)]
)
def test_known_conduct_raises_exactly_its_flags(name: str, task_set: str, index: int, solver: str) -> None:
    task, episode = played(name, task_set, index, solver)
    room = suite(name).room("audit")
    conduct = room.expected(solver, task.strata, episode.submission is not None)
    if conduct is None:
        pytest.skip("nothing is known of its conduct")
    found = [flag for flag in room.audit(task, episode, materials(name)) if conduct.judges(flag.flag)]
    assert {flag.flag for flag in found if flag.raised} == conduct.due - conduct.open
