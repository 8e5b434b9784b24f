"""The inquiry: one world through five stages; errors propagate in one arm and not in the other."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers import rng
from assay.suite import suite
from assay.suites.sgi.investigation import enzyme, inquiry, players, stages
from assay.suites.sgi.investigation.documents import read
from assay.suites.sgi.investigation.inquiry import planted, score
from assay.suites.sgi.tasks import SETS, generate, verify
from assay.task import Task
from assay.validity.planted import Luck

SUITE = suite("sgi")
SEED = 31


@cache
def task(index: int) -> Task:
    return generate(SETS["investigation-v1"], "investigation-v1", index, SEED, MemoryBlobs())


def row(index: int) -> dict[str, Any]:
    return {**task(index).hidden, **task(index).public["columns"]}


def values(index: int, replies: dict[str, str]) -> dict[str, float]:
    return {one.metric: one.value or 0.0 for one in score(row(index), replies)}


def mean(found: list[dict[str, float]], *names: str) -> float:
    return float(np.mean([one[name] for one in found for name in names]))


class TestWorld:
    def test_the_product_is_that_of_a_finer_integration(self) -> None:
        """A plain sum over 20,000 steps agrees with the rule of order 4 for every law."""
        known = {"K": 0.4, "Ki": 0.7, "k": 0.3, "tau": 25.0}
        for law in ("competitive", "uncompetitive"):
            left, activity, step = 2.0, 1.5, 40 / 20_000
            for _ in range(20_000):
                left -= step * known["k"] * activity * float(enzyme.share(law, left, 0.9, known))
                activity *= 0.5 ** (step / known["tau"])
            assert float(enzyme.product(known, law, 2.0, 0.9, 1.5, 40.0)) == pytest.approx(
                2.0 - left, rel=1e-4
            )

    @pytest.mark.parametrize(("side", "s"), [("low", 1e-3), ("high", 1e3)])
    def test_rivals_agree_where_the_literature_looked(self, side: str, s: float) -> None:
        known = {"K": 1.0, "Ki": 1.0}
        a, b = (float(enzyme.share(law, s, 0.5, known)) for law in enzyme.PAIRS[side])
        assert a == pytest.approx(b, rel=0.01)

    def test_no_deviation_makes_product_out_of_nothing(self) -> None:
        world = row(0)["x_world"]
        best = enzyme.best_protocol(world, world, world["law"])
        for n in range(len(enzyme.DEVIATIONS)):
            assert (enzyme.curves(world, world, world["law"], best, n) < 1.5).all()


class TestArms:
    def test_the_reference_is_full_everywhere(self) -> None:
        found = values(0, planted(row(0), stages.everything))
        assert found["headline"] == pytest.approx(1, abs=1e-4)
        assert found["found_per_cost"] == pytest.approx(1, abs=1e-4)
        assert all(found[f"given_{stage}"] == pytest.approx(1, abs=1e-4) for stage in stages.STAGES[1:])
        verify(task(0))

    def test_an_error_in_reading_goes_through_all_that_follows(self) -> None:
        found = [values(n, planted(row(n), lambda name: not name.startswith("read "))) for n in range(3)]
        assert mean(found, *(f"given_{stage}" for stage in stages.STAGES[1:])) >= 0.9
        assert mean(found, *(f"chained_{stage}" for stage in stages.STAGES[1:])) <= 0.6

    def test_an_error_at_the_end_costs_nothing_before(self) -> None:
        found = values(0, planted(row(0), lambda name: not name.startswith("interpret ")))
        own = [found[f"chained_{stage}"] for stage in stages.STAGES]
        assert own == pytest.approx([1, 1, 1, 1, 0], abs=1e-4)

    def test_no_reply_leaves_an_empty_desk(self) -> None:
        found = values(0, {})
        assert found["headline"] == 0
        text = stages.question("interpret", row(0), {})
        assert "There is no estimate" in text and "There is no batch" in text


class TestEpisodes:
    def play(self, name: str, index: int = 0) -> tuple[Episode, dict[tuple[str, str], float | None]]:
        materials = materials_for(SUITE, MemoryBlobs())
        solver = SUITE.find("solvers", "SOLVERS", name)
        episode = play(SUITE, task(index), name, SolverAgent(solver, task(index)), 0, materials)
        found = list(SUITE.room("scoring").score(task(index), episode, materials))
        flags = {one.flag: one.raised for one in SUITE.room("audit").audit(task(index), episode, materials)}
        assert flags["no_answer"] is False
        list(SUITE.room("calibration").calibrate(task(index), {"guesses": 1}, materials))
        list(SUITE.room("viewer").show(task(index), episode, found, [], materials))
        return episode, {(one.profile, one.metric): one.value for one in found}

    def test_the_oracle(self) -> None:
        episode, found = self.play("oracle")
        assert episode.status == "done" and len(episode.submission) == len(inquiry.ORDER)
        assert found["default", "score"] == pytest.approx(100, abs=0.01)

    def test_a_solver_that_reads_the_texts_alone(self) -> None:
        _, found = self.play("planner")
        assert found["default", "score"] is not None and found["default", "score"] > 70

    def test_a_reader_of_the_documents_finds_the_constants(self) -> None:
        for n in range(3):
            world, known = row(n)["x_world"], read(row(n)["question"])
            assert known["rivals"] == world["rivals"]
            for name in stages.CONSTANTS:
                assert known[name] == pytest.approx(world[name], rel=0.3)

    def test_the_texts_hold_all_that_a_solver_needs(self) -> None:
        item = row(1)
        best = inquiry.reference(item)
        for stage in stages.STAGES[1:]:
            text = stages.question(stage, item, best)
            facts, shown = players.facts_in(text), players.shown_in(text)
            assert stages.act(stage, facts, shown, {}) == stages.act(stage, item, best, inquiry.truth(item))


@pytest.mark.parametrize(
    ("stage", "reply"),
    [
        ("read", '{"K": "a", "rivals": 5}'),
        ("read", '{"K": 1e99}'),
        ("propose", '{"factors": {}, "runs": [{"substrate": -1, "inhibitor": 1}]}'),
        ("propose", '{"runs": 7}'),
        ("bench", "a = <Dilute>(factor=)"),
        ("interpret", '{"batches": 3}'),
        ("compute", "   "),
    ],
)
def test_replies_that_say_nothing(stage: str, reply: str) -> None:
    assert stages.parsed(stage, reply) is None
    assert stages.raw(stage, row(0), None) == 0


def test_odd_letters_are_wrong_and_no_error() -> None:
    said = stages.parsed("interpret", json.dumps({"batches": ["", None, "?", "A", 5]}))
    assert len(said) == 5 and stages.raw("interpret", row(0), said) <= 1 / 6


@pytest.mark.full
def test_abilities_are_ranked() -> None:
    means = []
    for share in (0, 25, 50, 75, 100):
        lucks = [Luck(share, rng.stream(n, "able")) for n in range(10)]
        found = [values(n, planted(row(n), luck.right)) for n, luck in enumerate(lucks)]
        means.append(mean(found, "headline"))
    assert means == sorted(means) and means[0] < 0.1 and means[-1] > 0.99
