"""Paired differences against SciPy, Inspect AI and known values."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from assay.numbers import bayes, passes, rankings, rng, student
from assay.numbers.paired import (
    Plan,
    clustered,
    compare,
    needed_tasks,
    percentile_interval,
    plan,
    sign_test,
    student_interval,
    studentised_interval,
)

random = np.random.default_rng(20261123)


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 4.7, 9, 30, 199, 5000])
def test_student_is_scipys(freedom: float) -> None:
    for t in (0.0, 0.01, 0.7, 1.0, 2.5, 8.0, 40.0):
        assert student.two_sided(-t, freedom) == student.two_sided(t, freedom)
        assert student.two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-10)
    assert student.quantile(0.05, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)
    assert student.two_sided(math.inf, freedom) == 0.0


def test_errors_and_tests_are_scipys_where_each_task_is_a_cluster() -> None:
    for tasks in (2, 5, 30):
        ours, theirs = random.normal(size=(2, tasks)).round(3)
        names = [f"task-{i}" for i in range(tasks)]
        result = compare(
            {name: [x] for name, x in zip(names, ours, strict=True)},
            {name: [x] for name, x in zip(names, theirs, strict=True)},
        )
        expected = stats.ttest_rel(ours, theirs)
        interval = expected.confidence_interval()
        assert result.difference == pytest.approx((ours - theirs).mean(), rel=1e-12)
        assert result.se == pytest.approx(stats.sem(ours - theirs), rel=1e-12)
        assert (result.interval.low, result.interval.high) == pytest.approx(
            (interval.low, interval.high), rel=1e-9
        )
        assert result.t == pytest.approx(expected.pvalue, rel=1e-9)
        exact = stats.wilcoxon((ours - theirs).round(6), method="exact")
        assert float(result.signed_rank.p) == pytest.approx(exact.pvalue, rel=1e-12)
        signs = stats.binomtest(int((ours > theirs).sum()), tasks)
        assert float(result.sign) == pytest.approx(signs.pvalue, rel=1e-12)


def test_attempts_at_one_task_are_one_observation() -> None:
    once = compare({"a": [1.0], "b": [0.0]}, {"a": [0.0], "b": [0.0]})
    often = compare({"a": [1.0] * 9, "b": [0.0] * 9}, {"a": [0.0], "b": [0.0]})
    assert (once.difference, once.se, once.tasks) == (often.difference, often.se, often.tasks)
    assert (once.attempts, often.attempts) == (4, 20)


def test_alike_tasks_in_a_cluster_add_nothing() -> None:
    ours = {"a1": [1.0], "a2": [1.0], "b1": [0.0], "b2": [0.0]}
    theirs = {task: [0.0] for task in ours}
    by_cluster = compare(ours, theirs, {task: task[0] for task in ours})
    assert by_cluster.clusters == 2
    assert by_cluster.se == pytest.approx(0.5)
    assert compare(ours, theirs).se == pytest.approx(math.sqrt(1 / 12))


def test_one_task_has_a_difference_and_no_error() -> None:
    result = compare({"a": [1.0], "z": [0.0]}, {"a": [0.25]})
    assert (result.difference, result.se, result.t, result.needed) == (0.75, None, None, None)
    assert student_interval(result.values).low is None
    assert studentised_interval(result.values, rng.stream(0, "one")).low is None
    assert percentile_interval(result.values, rng.stream(0, "one")).low is None
    with pytest.raises(ValueError, match="no task that both"):
        compare({"a": [1.0]}, {"b": [1.0]})


def test_equal_agents_are_no_reason_for_a_test() -> None:
    scores = {"a": [1.0], "b": [0.5], "c": [0.0]}
    result = compare(scores, scores)
    assert (result.difference, result.se, result.t, result.sign) == (0.0, 0.0, 1.0, 1)
    assert result.signed_rank.p == 1
    assert result.needed is None


def test_clustered_errors_are_those_of_inspect() -> None:
    scorer = pytest.importorskip("inspect_ai.scorer")
    for count, groups in ((40, 8), (60, 60), (31, 5)):
        values = random.choice([0.0, 0.25, 1.0], size=count).tolist()
        names = [f"cluster-{i}" for i in random.integers(0, groups, size=count)]
        samples = [
            scorer.SampleScore(score=scorer.Score(value=value), sample_id=i, sample_metadata={"world": name})
            for i, (value, name) in enumerate(zip(values, names, strict=True))
        ]
        assert clustered(values, names).error == pytest.approx(
            scorer.stderr(cluster="world")(samples), abs=1e-10
        )


def test_passes_are_those_of_inspect() -> None:
    scorer = pytest.importorskip("inspect_ai.scorer")
    for attempts in (1, 3, 7):
        for successes in range(attempts + 1):
            scores = [scorer.Score(value=float(i < successes)) for i in range(attempts)]
            for k in range(1, attempts + 1):
                at, every = scorer.pass_at(k)(scores).value, scorer.pass_k(k)(scores).value
                assert float(passes.once_in(k, successes, attempts)) == pytest.approx(at, abs=1e-10)
                assert float(passes.always_in(k, successes, attempts)) == pytest.approx(every, abs=1e-10)


def test_passes_are_means_over_all_choices_of_attempts() -> None:
    outcomes = [True, False, True, True, False]
    for k in range(1, 6):
        choices = list(combinations(outcomes, k))
        assert passes.once_in(k, 3, 5) == Fraction(sum(map(any, choices)), len(choices))
        assert passes.always_in(k, 3, 5) == Fraction(sum(map(all, choices)), len(choices))
    assert passes.over_tasks(passes.once_in, 3, {"a": [True]}) == (None, 0)
    with pytest.raises(ValueError, match="2 attempts say nothing about 3"):
        passes.once_in(3, 1, 2)


def test_the_bootstrap_draws_whole_clusters() -> None:
    of = clustered([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], "aabbcc")
    interval = percentile_interval(of, rng.stream(0, "b"))
    assert (interval.low, interval.high) == (0.0, 2.0)
    spread = clustered(random.normal(size=60), range(60))
    t, bootstrap = student_interval(spread), studentised_interval(spread, rng.stream(0, "b"))
    assert bootstrap.low == pytest.approx(t.low, abs=0.1 * (t.high - t.low))
    assert bootstrap.high == pytest.approx(t.high, abs=0.1 * (t.high - t.low))


def test_the_needed_tasks_have_the_power() -> None:
    tasks = needed_tasks(0.4, 1.0)
    noise = random.normal(0.4, 1.0, size=(4000, tasks))
    power = (stats.ttest_1samp(noise, 0.0, axis=1).pvalue < 0.05).mean()
    assert power == pytest.approx(0.8, abs=0.03)


def test_variance_is_split_into_tasks_and_attempts() -> None:
    tasks, attempts = 400, 4
    true = random.normal(0.1, 0.3, size=tasks)
    noise = random.normal(0.0, 0.5, size=(2, tasks, attempts))
    ours = {str(i): (true[i] + noise[0, i]).tolist() for i in range(tasks)}
    theirs = {str(i): noise[1, i].tolist() for i in range(tasks)}
    split = plan(ours, theirs)
    assert split.between == pytest.approx(0.09, rel=0.25)
    assert split.within == pytest.approx(0.5, rel=0.1)
    assert Plan(0.09, 0.5).tasks(0.1, 10) < Plan(0.09, 0.5).tasks(0.1, 1)


def test_the_sign_test_counts_both_tails() -> None:
    assert [sign_test(n, 3) for n in (3, 0)] == [1, Fraction(1, 4)]
    assert sign_test(0, 0) == 1


def test_the_share_of_alike_tasks_is_near_the_plain_posterior() -> None:
    many = {str(i): [i % 4 > 0] for i in range(200)}
    posterior = bayes.share(many)
    plain = stats.beta(151, 51)
    assert posterior.mean == pytest.approx(plain.mean(), abs=0.002)
    assert (posterior.low, posterior.high) == pytest.approx((plain.ppf(0.025), plain.ppf(0.975)), abs=0.003)


def test_attempts_that_repeat_one_another_tell_less() -> None:
    split = bayes.share({str(i): [i % 2 == 0] * 5 for i in range(8)})
    mixed = bayes.share({str(i): [True, False, True, False, bool(i % 2)] for i in range(8)})
    assert split.high - split.low > 1.3 * (mixed.high - mixed.low)
    with pytest.raises(ValueError, match="no attempt"):
        bayes.share({})


def test_the_posterior_of_a_difference_knows_its_scale() -> None:
    differences = random.normal(20.0, 10.0, size=80).tolist()
    posterior = bayes.difference(differences, 100.0)
    t = student_interval(clustered(differences, range(80)))
    assert posterior.mean == pytest.approx(sum(differences) / 80, abs=0.05)
    assert (posterior.low, posterior.high) == pytest.approx((t.low, t.high), abs=0.15)
    one = bayes.difference([90.0], 100.0)
    assert -100.0 < one.low < one.mean < one.high < 100.0
    with pytest.raises(ValueError, match="within the scale"):
        bayes.difference([2.0], 1.0)


def test_letters_tell_apart_exactly_the_significant_pairs() -> None:
    agents = list("abcdefg")
    for seed in range(30):
        stream = rng.stream(seed, "letters")
        beats = {pair for pair in combinations(agents, 2) if stream.below(3) == 0}
        groups = rankings.tie_groups(agents, beats)
        for pair in combinations(agents, 2):
            assert bool(set(groups[pair[0]]) & set(groups[pair[1]])) == (pair not in beats)
        for agent in agents:
            best, worst = rankings.rank_interval(agent, agents, beats)
            assert 1 <= best <= worst <= len(agents)


@pytest.mark.full
def test_intervals_cover_what_they_say() -> None:
    """The table of docs/comparison.md comes from `benchmarks/coverage.py`; this is one cell of it."""
    samples = random.normal(0.1, 0.4, size=(4000, 10))
    covered = 0
    for sample in samples:
        interval = student_interval(clustered(sample, range(10)))
        covered += interval.low <= 0.1 <= interval.high
    assert covered / 4000 == pytest.approx(0.95, abs=0.012)
