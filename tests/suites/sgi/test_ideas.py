"""Ideas: the reference is the upper anchor, ideas of known quality score as they must, nothing leaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from tests.suites.sgi.test_generators import SEEDS, uniform

from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns import column
from assay.suites.sgi.families import DISCIPLINES
from assay.suites.sgi.ideas import items
from assay.suites.sgi.ideas.bank import ARCHETYPES
from assay.suites.sgi.ideas.wrong import WRONG
from assay.suites.sgi.metrics.ideas import TYPE_WORDS, acyclic, edges_of, literal


def found(row: Mapping[str, Any], reply: str) -> dict[str, float]:
    return {v.metric: float(v.value or 0) for v in column.score("idea_generation", row, reply)}


@pytest.mark.parametrize("place", range(8), ids=[archetype.name for archetype in ARCHETYPES])
def test_ideas(place: int) -> None:
    check_ideas(place, range(8))


@pytest.mark.full
@pytest.mark.parametrize("place", range(8), ids=[archetype.name for archetype in ARCHETYPES])
def test_ideas_on_many_seeds(place: int) -> None:
    check_ideas(place, range(SEEDS))


def check_ideas(place: int, seeds: range) -> None:
    for seed in seeds:
        index = next(i for i in range(8) if items.cell(seed, i)[0] is ARCHETYPES[place])
        row = items.generate(seed, index, 1 + seed % 4)
        items.validate(row)
        best = found(row, items.solve(row))
        for dimension in ("effectiveness", "detailedness", "feasibility"):
            assert best[f"{dimension}_objective"] == pytest.approx(1)
        for name, make in WRONG.items():
            wrong = make(row)
            got = found(row, wrong.reply)
            assert got["headline"] < best["headline"] - 0.05, name
            for metric, (low, high) in wrong.bounds.items():
                assert low - 1e-9 <= got[metric] <= high + 1e-9, (name, metric)
        copy = found(row, WRONG["copy-existing"](row).reply)
        assert copy["novelty_objective"] < best["novelty_objective"]


def test_the_bank_is_complete() -> None:
    """Eight archetypes, three programmes each; every programme becomes a reference at the first draw."""
    assert len(ARCHETYPES) == 8
    programmes = [programme for archetype in ARCHETYPES for programme in archetype.programmes]
    assert len({programme.name for programme in programmes}) == 24
    for programme in programmes:
        assert 300 <= len(" ".join(programme.idea)) <= 700, programme.name
        assert 3 <= len(programme.keywords) <= 5
        assert all(3 <= len(forms) <= 8 for forms in programme.keywords)
        assert {step.type for step in (*programme.sides, programme.join)} <= set(TYPE_WORDS)
    seen = Counter(items.generate(3, index)["core_idea"] for index in range(160))
    assert len(seen) == 24


def test_plans_branch_and_join() -> None:
    for level in items.LEVELS:
        row = items.generate(4, 0, level)
        steps = literal(row["implementation_steps"])
        edges = edges_of(steps, row["implementation_order"])
        assert 5 <= len(steps) <= 9
        assert acyclic(edges) == (sorted(edges), False)
        assert max(Counter(a for a, _ in edges).values()) > 1
        assert max(Counter(b for _, b in edges).values()) > 1
        assert set(row["x_step_types"]) == set(row["x_slots"]) == set(steps)


@pytest.mark.parametrize("root", range(3))
def test_a_thousand_items_are_balanced(root: int) -> None:
    archetypes, disciplines, levels = zip(*(items.cell(root, index) for index in range(1000)), strict=True)
    names = [archetype.name for archetype in ARCHETYPES]
    for values, drawn in (
        (names, [archetype.name for archetype in archetypes]),
        (DISCIPLINES, disciplines),
        (items.LEVELS, levels),
    ):
        assert uniform(Counter(drawn), dict.fromkeys(values, 1000 / len(values))) > 0.01


def test_a_broken_item_is_refused() -> None:
    row = items.generate(1, 0)
    for name, value, rule in (
        ("question", row["question"] + row["keywords"][0], "keyword form"),
        ("x_synonyms", [["one form"]], "number of forms"),
        ("core_idea", "Too short.", "effectiveness"),
    ):
        with pytest.raises(Rejected, match=rule):
            items.validate({**row, name: value})
