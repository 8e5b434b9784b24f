"""Kept samples: whole, in the form of their generators, and the same as what these make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.suites.collider.mocks import task_of

from assay.suites.collider import artefacts
from assay.suites.collider.chain import generation
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.problems import kept, orders
from assay.suites.collider.problems.kept import SAMPLES, ChangedSample, Kept

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)

BY_FILE = {sample.file.partition(".")[0]: sample for sample in SAMPLES}


@pytest.mark.parametrize("sample", SAMPLES, ids=list(BY_FILE))
def test_a_kept_sample_has_its_digest_and_its_events(sample: Kept) -> None:
    lines = kept.lines(sample)
    assert len(lines) == sample.events and sample.events % generation.CHUNK == 0
    assert [int(line.partition(",")[0]) for line in lines] == list(range(sample.events))
    assert f"../data/samples/{sample.file}" in kept.DATA_FILES


def test_a_changed_sample_is_refused() -> None:
    with pytest.raises(ChangedSample, match="is not the sample that was kept"):
        kept.lines(replace(SAMPLES[0], sha256="0" * 64))


@needs_chain
@pytest.mark.parametrize("sample", SAMPLES, ids=list(BY_FILE))
def test_the_generator_makes_the_same_events(sample: Kept) -> None:
    generator = generators.of_card(dict(sample.card))
    made = generator.lines(dict(sample.card), sample.seed, 1, 20)
    at = generation.CHUNK
    assert made == "".join(kept.lines(sample)[at : at + 20])


@needs_chain
def test_an_episode_reads_a_kept_sample_and_no_artefact() -> None:
    class Nothing:
        def get(self, key: Any) -> Any:
            raise AssertionError(key)

    sample = BY_FILE["TChiWg_700"]
    read = artefacts.sample(dict(sample.card), sample.seed, 1000, Nothing())
    assert read.data.count(b"\n") == 1001 and len(read.shards) == 2
    assert kept.of_card(sample.card, sample.seed, sample.events + 1) is None
    assert kept.of_card(sample.card, sample.seed + 1, 1) is None


@pytest.mark.parametrize("task_set, tasks", [("cms-v0", 10), ("objects-v1", 2)])
def test_what_the_solver_orders_is_kept(task_set: str, tasks: int) -> None:
    for index in range(tasks):
        task = task_of(task_set, index)
        order = orders.order_of("physicist", task_set, task.public)
        assert order is not None
        sample = kept.of_card(order.card, order.seed, order.events)
        assert sample is not None and order.events == sample.events
        assert artefacts.needs("episodes", task, "physicist") == ()
