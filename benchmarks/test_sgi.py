"""How fast sgi is: items of each family, scores of replies, the five tests of one dry item."""

from __future__ import annotations

import itertools
import json

import pytest
from tests.suites.sgi import archived

from assay.numbers import rng
from assay.suites.sgi.columns import column
from assay.suites.sgi.dry import runs
from assay.suites.sgi.frame.registry import MODULES, family_of
from assay.suites.sgi.frame.tasks import level_of
from assay.suites.sgi.v0.recorded import recorded
from assay.suites.sgi.v0.replies import SOLUTIONS

THOUSAND = 1000


@pytest.mark.benchmark(group="10 items of a family")
@pytest.mark.parametrize("family", sorted(MODULES))
def test_items(benchmark, family):
    made = family_of(family).generate
    found = benchmark.pedantic(lambda: [made(1, at, level_of(at)) for at in range(10)], rounds=1)
    assert len({row["idx"] for row in found}) == 10


VOCABULARY = [
    "".join(word) for word in itertools.islice(itertools.product("abcdefg", repeat=5), 0, 16_000, 8)
]
"""Two thousand words."""


def sentences(stream, count):
    """Text of invented words, fourteen to a sentence."""
    words = [
        "".join(stream.choice("abcdefghijklmnop") for _ in range(4 + stream.below(5))) for _ in range(count)
    ]
    return " ".join(word + "." * (at % 14 == 13) for at, word in enumerate(words))


def idea(stream):
    """An item of idea generation with the usual amounts of text, and a maker of replies."""
    kinds = ("acquire", "preprocess", "represent", "model", "constrain", "validate", "analyse")

    def steps():
        return {str(k): f"{kind} {sentences(stream, 18)} at {k} nm" for k, kind in enumerate(kinds, 1)}

    def literal(count):
        return repr({str(k): sentences(stream, 80) for k in range(count)})

    order = ["1-2", "2-3", "2-4", "3-5", "4-5", "5-6", "6-7"]
    item = {
        "keywords": sentences(stream, 4).split(),
        "related_work": literal(6),
        "existing_solutions": literal(2),
        "related_work_test": literal(4),
        "implementation_steps": repr(steps()),
        "implementation_order": order,
        "x_step_types": {str(k): kind for k, kind in enumerate(kinds, 1)},
        "x_slots": {str(k): [[f"{k} nm"], ["film"], ["mask"]] for k in range(1, 8)},
    }

    def reply():
        parts = {"Idea": sentences(stream, 90), "ImplementationSteps": steps(), "ImplementationOrder": order}
        others = {"Dataset": "films", "EvaluationMetrics": {"a": "b"}, "ExpectedOutcome": "less noise"}
        return json.dumps(parts | others)

    return item, reply


def predictions(stream):
    """Ten thousand replies, as many of each family but the one whose code is run."""
    share = THOUSAND * 10 // 4
    rows = [archived.row("wet_experiment", index) for index in range(20)]
    solvers = ("renamed", "wrong-doses", "last-missing", "extra-first", "decoys-only")
    protocols = [
        ("wet_experiment", row, recorded(solver, "wet_experiment", row)[-1][1]["text"])
        for row in rows
        for solver in solvers
    ]
    values = [{"kind": "read", "doc_id": f"d{k}", "value": f"{k}.5"} for k in range(7)]
    research = {"answer": "4.13, 2.1", "x_response": [{"kind": "number"}] * 2, "x_steps": values}
    steps = [{"kind": "read", "source": f"d{k}", "value": f"{k}.{stream.below(10)}"} for k in range(7)]
    told = json.dumps({"steps": steps}) + " <answer>4.13, 2.1</answer>"
    readings = [{"panel": "a", "quantity": f"q{k}", "value": "5.0", "unit": "ms"} for k in range(4)]
    reasoning = {
        "answer": 2,
        "options": list(range(10)),
        "x_readings": [r | {"tol": "0.1"} for r in readings],
    }
    read = json.dumps({"readings": readings}) + "\\boxed{C}"
    found = [(protocols * (share // len(protocols) + 1))[:share]]
    found += [[("deep_research", research, sentences(stream, 100) + told) for _ in range(share)]]
    found += [[("experimental_reasoning", reasoning, sentences(stream, 300) + read) for _ in range(share)]]
    ideas = [idea(stream) for _ in range(50)]
    found += [
        [("idea_generation", item, reply()) for item, reply in ideas for _ in range(share // len(ideas))]
    ]
    return [one for family in found for one in family]


@pytest.mark.benchmark(group="10,000 predictions scored, code apart")
def test_predictions_scored(benchmark):
    wanted = predictions(rng.stream(1, "sgi", "benchmark"))

    def score():
        return [list(column.score(family, item, reply)) for family, item, reply in wanted]

    assert len(benchmark.pedantic(score, rounds=1)) == 10_000


@pytest.mark.benchmark(group="five tests of a dry item")
def test_dry_item(benchmark):
    row = archived.row("dry_experiment")
    reply = SOLUTIONS["dry_experiment"](row)

    def score():
        runs.run.cache_clear()
        runs._both_ways.cache_clear()
        return {value.metric: value.value for value in column.score("dry_experiment", row, reply)}

    assert benchmark.pedantic(score, rounds=5, warmup_rounds=1)["headline"] == 1
