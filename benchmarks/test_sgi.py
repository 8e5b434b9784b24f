"""How fast sgi is: items of each family, scores of protocols, the five tests of one dry item."""

from __future__ import annotations

import pytest

from assay.suites.sgi import items
from assay.suites.sgi.columns import column
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.dry import runs
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet.wrong import WRONG

THOUSAND = 1000


@pytest.mark.benchmark(group="1,000 items of a family")
@pytest.mark.parametrize("family", ["wet_experiment", "dry_experiment"])
def test_items(benchmark, family):
    found = benchmark.pedantic(
        lambda: [items.generate(family, 1, index) for index in range(THOUSAND)], rounds=1
    )
    assert len({row["idx"] for row in found}) == THOUSAND


@pytest.mark.benchmark(group="10,000 protocols scored")
def test_protocols_scored(benchmark):
    rows = [wet.generate(1, index) for index in range(100)]
    replies = [(row, make(row).reply) for row in rows for make in WRONG.values()]
    wanted = (replies * (10_000 // len(replies) + 1))[:10_000]

    def score():
        return [list(column.score("wet_experiment", row, reply)) for row, reply in wanted]

    assert len(benchmark.pedantic(score, rounds=1)) == 10_000


@pytest.mark.benchmark(group="five tests of a dry item")
def test_dry_item(benchmark):
    row = dry.generate(1, 0)
    reply = dry.solve(row)

    def score():
        runs.run.cache_clear()
        runs._both_ways.cache_clear()
        return {value.metric: value.value for value in column.score("dry_experiment", row, reply)}

    assert benchmark.pedantic(score, rounds=5, warmup_rounds=1)["headline"] == 1
