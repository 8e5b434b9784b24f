"""The reference policy, ablations and what the tables are made from."""

from __future__ import annotations

import itertools
import math
import statistics
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.episodes.blobs import MemoryBlobs
from assay.suites.pilab.experiments.booms import boom
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.measures import axes, records
from assay.suites.pilab.tables import quoted_runs
from assay.suites.pilab.tasks import SETS, generate

PUBLISHED: Any = yaml.safe_load(
    (Path(__file__).parents[3] / "config" / "published" / "pilab.yaml").read_text(encoding="utf-8")
)


def outcomes(policy: str, seeds: range) -> list[tuple[float, bool]]:
    labs = [play(POLICIES[policy], seed, mode="mended") for seed in seeds]
    return [(impact(lab), lab.collapse_month is not None) for lab in labs]


def test_the_reference_policy_beats_the_baseline_on_the_reference_seeds() -> None:
    ours, theirs = (outcomes(policy, range(101, 109)) for policy in ("steward", "baseline"))
    assert sum(a > b for (a, _), (b, _) in zip(ours, theirs, strict=True)) >= 7
    assert statistics.mean(a for a, _ in ours) > 3 * statistics.mean(b for b, _ in theirs)
    assert sum(c for _, c in ours) <= sum(c for _, c in theirs)


@pytest.mark.full
def test_the_reference_policy_beats_baseline_and_oracle_on_a_hundred_others() -> None:
    seeds = range(4001, 4101)
    logs = {
        name: statistics.mean(math.log10(max(1.0, value)) for value, _ in outcomes(name, seeds))
        for name in ("steward", "baseline", "oracle")
    }
    assert logs["steward"] > logs["oracle"] + 0.3 > logs["baseline"] + 0.3


def test_a_policy_that_is_not_privileged_sees_no_lab() -> None:
    """It plays the same when it is made without one."""
    for name in ("baseline", "ambitious", "steward", "hire-max"):
        first = play(POLICIES[name], 102, mode="mended")
        second = play(lambda lab, name=name: POLICIES[name](None), 102, mode="mended")  # type: ignore[misc, arg-type]
        assert first.actions == second.actions


def test_what_follows_from_the_quoted_figures() -> None:
    found = quoted_runs.statistics(PUBLISHED)
    assert len(PUBLISHED["follows"]) == 23
    for name, (value, tolerance) in PUBLISHED["follows"].items():
        assert found[name] == pytest.approx(value, abs=tolerance + 1e-9), name
    assert sum(map(len, quoted_runs.runs(PUBLISHED).values())) == 36


def test_quoted_collapses_lose_their_projection() -> None:
    for run in itertools.chain.from_iterable(quoted_runs.runs(PUBLISHED).values()):
        assert not run.collapsed or run.impact == run.citations


def test_booms() -> None:
    found = {seed: boom(seed) for seed in (101, 102, 103)}
    assert [(b.topic, b.onset) for b in found.values()][:2] == [("reasoning", 50), ("alignment", 7)]
    assert [b.size for b in found.values()] == ["huge", "huge", "modest"]
    assert [b.time for b in found.values()] == ["late", "early", "late"]


def test_a_private_set_does_not_follow_its_seed() -> None:
    public, private = (
        [generate(SETS["reference-v0"], "reference-v0", n, seed, MemoryBlobs()) for n in range(3)]
        for seed in (101, 202)
    )
    assert [task.hidden["lab_seed"] for task in public] == [101, 102, 103]
    seeds = [task.hidden["lab_seed"] for task in private]
    assert min(seeds) > 2**32
    assert len({b - a for a, b in itertools.pairwise(seeds)}) == 2


def test_records_hold_what_the_run_did() -> None:
    lab = play(POLICIES["baseline"], 104)
    record = records.record(lab, lab.month)
    assert record["summary"]["impact"] == 1129.573551
    assert axes.hires(record) == len(lab.members)
    assert axes.archetype(record) == "boom-rider"
    assert axes.citations_at(record, 60) == 441
    assert axes.citations_at(record, 24) == 8
    assert axes.interview_coverage(record) == 1.0
    assert axes.dead_ends(record) == sum(p.status == "deadend" for p in lab.projects.values())
    for name, compute in axes.AXES.items():
        value = compute(record)
        assert value is None or math.isfinite(value), name


def test_a_run_that_is_not_over_is_finished_without_a_decision() -> None:
    lab = Lab(101)
    rest = records.finished(lab)
    assert (lab.month, lab.over, rest.month, rest.over) == (1, False, 60, True)
    assert rest.budget == 600_000
    lab.close_month()
    assert lab.month == 2


def test_census() -> None:
    assert axes.census(True, 9, 9, 5000) == "bankrupt"
    assert axes.census(False, 2, 9, 5000) == "never-built"
    assert axes.census(False, 9, 9, 800) == "boom-rider"
    assert axes.census(False, 8, 3, 799) == "overbuilt-churn"
    assert axes.census(False, 7, 3, 799) == "steady-modest"


def test_variance_shares_add_up() -> None:
    assert axes.variance_shares([[1.0, 2.0], [3.0, 4.0]]) == pytest.approx((0.8, 0.2, 0.0))
    assert axes.spearman([1, 2, 3, 4], [2, 4, 6, 8]) == pytest.approx(1)
    assert axes.spearman([1, 1, 1], [1, 2, 3]) is None
    assert axes.quantile([1, 2, 3, 4], 0.25) == 1.75
