"""The frame of version 1: tasks, rooms, planted agents and shortcuts of every registered family."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from assay import canonical
from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers import rng
from assay.protocol import Materials, Solver
from assay.suite import Suite
from assay.suites.sgi import audit, calibration, scoring, solvers, standings, tasks, viewer
from assay.suites.sgi.families import FAMILIES
from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame import tasks as v1
from assay.suites.sgi.frame.anchors import anchored, constant, frozen_house, house_text, percentile
from assay.suites.sgi.frame.attackers import ATTACKERS, Attack
from assay.suites.sgi.frame.family import LEVELS
from assay.suites.sgi.frame.prompts import CONTRACTS
from assay.suites.sgi.frame.registry import MODULES, family_of
from assay.suites.sgi.items import item_of
from assay.suites.sgi.validity.abilities import ABILITIES
from assay.suites.sgi.validity.shortcuts import SHORTCUTS
from assay.suites.sgi.validity.shortcuts.sound import SOUND
from assay.task import Task

SEED = 815
SETS = sorted(name for name, declared in v1.SETS.items() if not declared.archived)
BLOBS = MemoryBlobs()
MATERIALS = Materials(BLOBS, KeyedArtefacts(Suite("sgi", "assay.suites.sgi"), (), BLOBS))


@cache
def task(name: str, index: int) -> Task:
    """A task of a set's recipe, from the seed of the tests; as it is read from its file."""
    made = tasks.generate(v1.SETS[name], name, index, SEED, BLOBS)
    return Task.from_json(canonical.loads(canonical.dumps(made.to_json())))


def played(name: str, index: int, solver: Solver) -> Episode:
    """The episode of a solver."""
    suite = Suite("sgi", "assay.suites.sgi")
    return play(suite, task(name, index), "solver", SolverAgent(solver, task(name, index)), 0, MATERIALS)


def headline(name: str, index: int, episode: Episode) -> float:
    """The headline in points, in the default profile."""
    found = scoring.score(task(name, index), episode, MATERIALS)
    return next(float(s.value or 0) for s in found if s.metric == "score" and s.profile == "default")


@pytest.mark.parametrize("name", SETS)
def test_tasks_are_generated_verified_and_hide_their_truth(name: str) -> None:
    first = task(name, 0)
    tasks.verify(first)
    assert first.strata["generation"] == "v1"
    assert [v1.level_of(index) for index in range(5)] == list(LEVELS)
    family = family_of(first.strata["family"])
    assert set(first.public["columns"]) == set(family.SHOWN)
    assert not set(first.hidden) & set(family.SHOWN)
    sentence = CONTRACTS[family.NAME]
    assert sentence in first.public["columns"]["question"]


@pytest.mark.parametrize("name", SETS)
def test_rooms_take_tasks_of_version_1(name: str) -> None:
    told = played(name, 0, solvers.SOLVERS["oracle"])
    assert told.status == "done"
    assert headline(name, 0, told) == pytest.approx(100, abs=0.01)
    assert {score.metric for score in scoring.score(task(name, 0), told, MATERIALS)} <= set(scoring.METRICS)
    flags = {flag.flag: flag.raised for flag in audit.audit(task(name, 0), told, MATERIALS)}
    assert set(flags) == set(audit.FLAGS)
    assert not any(flags.values())
    assert list(viewer.show(task(name, 0), told, (), (), MATERIALS))
    silent = played(name, 0, Solver(lambda brief, call, stream, hidden: None, "says nothing"))
    assert headline(name, 0, silent) == 0


@pytest.mark.parametrize("name", SETS)
def test_planted_abilities_play_without_the_reference_where_they_fail(name: str) -> None:
    assert headline(name, 0, played(name, 0, ABILITIES["able-100"])) == pytest.approx(100, abs=0.01)
    assert headline(name, 0, played(name, 0, ABILITIES["able-0"])) <= 10


@pytest.mark.parametrize("shortcut", sorted(SOUND))
def test_shortcuts_read_the_prompt_alone_and_get_little(shortcut: str) -> None:
    solver = SHORTCUTS[shortcut]
    assert not solver.privileged
    assert solver.exploits
    for name in SETS:
        episodes = [played(name, index, solver) for index in range(5)]  # one item of each level
        assert {episode.status for episode in episodes} <= {"done", "invalid"}
        mean = sum(headline(name, index, episode) for index, episode in enumerate(episodes)) / len(episodes)
        assert mean <= 25  # the ceilings are of larger samples, see test_acceptance.py


@pytest.mark.parametrize("name", SETS)
def test_calibration_measures_the_solver_and_chance(name: str) -> None:
    found = {m.measure: m.value for m in calibration.calibrate(task(name, 0), {"guesses": 3}, MATERIALS)}
    # Options of reasoning state two factors at level 1, an inquiry has an open decision a stage, others four.
    assert found["units"] == {"reasoning-v1": 2, "investigation-v1": 5}.get(name, 4)
    assert found["reference"] is not None


def test_the_brief_tells_the_family() -> None:
    for name in SETS:
        first = task(name, 0)
        shown = family_of(first.strata["family"]).SHOWN
        brief = SimpleNamespace(parts=tuple(first.public["columns"][column] for column in shown))
        assert solvers.family_of(brief) == first.strata["family"]  # type: ignore[arg-type]


def test_numbers_of_v0_and_v1_never_stand_in_one_column(monkeypatch: pytest.MonkeyPatch) -> None:
    families = FAMILIES
    arms = {"deep_research": "agent", "experimental_reasoning": "image"}
    old = {
        (f"{family}-v0", str(at)): {"family": family} | ({"arm": arms[family]} if family in arms else {})
        for family in families
        for at in range(3)
    }
    new = {
        (f"{family}-v1", str(at)): {"family": family, "generation": "v1"}
        for family in families
        for at in range(9)
    }
    partly = {key: value for key, value in new.items() if value["family"] != "deep_research"}
    for known, version in ((old, "v0"), (old | partly, "v0"), (old | new, "v1")):
        monkeypatch.setattr(standings, "strata", lambda tables, known=known: known)
        sets = standings.headline_sets({})
        assert sets == {family: f"{family}-{version}" for family in families}


# ------------------------------------------------------------ anchors and curves


def test_anchored_scores() -> None:
    anchors = {"zero": 0.4, "reference": 0.9}
    assert [round(anchored(raw, anchors), 6) for raw in (0.2, 0.4, 0.65, 0.9, 1.0)] == [0, 0, 0.5, 1, 1]
    assert percentile([float(n) for n in range(1, 41)], 95) == 38


def test_constants_of_words_counts_and_numbers() -> None:
    assert constant(["a", "b", "b"], even=False) == "b"
    assert constant(["0", "6", "5"], even=False) == "4"
    assert constant([1.0, 100.0], even=False) == 10
    assert constant([1.0, 100.0], even=True) == 50.5


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_frozen_constants_have_their_digest(name: str) -> None:
    house = frozen_house(family_of(name).HOUSE)
    assert canonical.digest(dict(house)) in house_text(house, 1)


def test_rank_correlation() -> None:
    assert curves.rank_correlation([1, 2, 3, 4]) == 1
    assert curves.rank_correlation([4, 3, 2, 1]) == -1
    series = [0.0, 0.0, 1.0, 2.0]
    expected = pd.Series(series).corr(pd.Series([0.0, 1.0, 2.0, 3.0]), method="spearman")
    assert curves.rank_correlation(series) == pytest.approx(expected)


@pytest.mark.parametrize("attacker", sorted(ATTACKERS))
def test_attackers_reply_whatever_they_know(attacker: str) -> None:
    for name in SETS:
        row, other = item_of(task(name, 0)), item_of(task(name, 1))
        family: Any = family_of(row["family"])
        for solved in ([], [other] if other["family"] == row["family"] else []):
            reply = ATTACKERS[attacker][0](Attack(family, row, solved, rng.stream(1, attacker)))
            assert 0 <= curves.points(family, row, reply) <= 100
