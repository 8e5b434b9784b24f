"""Generated items: the right answer scores full, every named wrong one what it must, and nothing leaks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest
from scipy.stats import chi2, chisquare

from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns import column
from assay.suites.sgi.columns.profiles import PROFILES
from assay.suites.sgi.dry import bank
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.dry import wrong as wrong_code
from assay.suites.sgi.families import DISCIPLINES, FUNCTION_TYPES
from assay.suites.sgi.seeding import item_stream
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import parse_text
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import order, planner
from assay.suites.sgi.wet import wrong as wrong_protocols

SEEDS = 50


def scores(family: str, row: dict[str, object], reply: str, profile: str = "objective") -> dict[str, object]:
    return {value.metric: value.value for value in column.score(family, row, reply, profile)}  # type: ignore[arg-type]


@pytest.mark.parametrize("place", range(12), ids=[family.name for family in wet.FAMILIES])
def test_protocols(place: int) -> None:
    """A few seeds of each family, at all levels."""
    check_protocols(place, range(8))


@pytest.mark.full
@pytest.mark.parametrize("place", range(12), ids=[family.name for family in wet.FAMILIES])
def test_protocols_on_many_seeds(place: int) -> None:
    check_protocols(place, range(SEEDS))


def check_protocols(place: int, seeds: range) -> None:
    family = wet.FAMILIES[place]
    for seed in seeds:
        index = next(i for i in range(12) if wet.cell(seed, i)[0] is family)
        row = wet.generate(seed, index, 1 + seed % 4)
        wet.validate(row)
        for profile in PROFILES:
            full = scores("wet_experiment", row, wet.solve(row), profile)
            repeats = len({s.action for s in parse_text(row["answer"]).steps}) < len(row["x_params"])
            # The printed formula knows no repeated actions.
            assert full["ss"] == (0 if profile == "paper" and repeats else 1)
            assert full["pa"] == 1
        for name, make in wrong_protocols.WRONG.items():
            wrong = make(row)
            found = scores("wet_experiment", row, wrong.reply)
            assert (found["ss"], found["pa"]) == pytest.approx((wrong.ss, wrong.pa)), name
        steps = planner.plan(row["question"], row["action_pool"])
        assert scores("wet_experiment", row, wet.reply(steps))["headline"] == 1


def test_the_only_order_is_also_the_only_one_when_counted() -> None:
    for index in range(24):
        row = wet.generate(3, index, 1 + index % 2)
        n, pairs = len(row["x_params"]), [(a, b) for a, b in row["x_precedence"]]
        if n <= 12:
            assert order.extensions(n, pairs) == 1
            # Without one constraint there are others.
            assert order.extensions(n, pairs[:-1]) > 1 or order.only_extension(n, pairs[:-1]) is not None


def test_protocols_are_balanced() -> None:
    cells = Counter((family.name, level) for family, level in (wet.cell(5, i) for i in range(480)))
    assert set(cells.values()) == {10}
    assert len(cells) == 48


def uniform(counts: Mapping[object, int], expected: Mapping[object, float]) -> float:
    """The p value of counts against expected ones of the same sum."""
    keys = list(expected)
    assert counts.keys() <= expected.keys()
    found = chisquare([counts.get(key, 0) for key in keys], [expected[key] for key in keys])
    return float(found.pvalue)


@pytest.mark.parametrize("root", range(3))
def test_a_thousand_items_are_balanced(root: int) -> None:
    """By discipline, type and level of dry items, by family and level of wet ones: chi-square p > 0.01."""
    kinds, disciplines, levels = zip(*(dry.cell(root, index) for index in range(1000)), strict=True)
    families, wet_levels = zip(*(wet.cell(root, index) for index in range(1000)), strict=True)
    parts: list[tuple[Sequence[object], Sequence[object]]] = [
        (FUNCTION_TYPES, kinds),
        (DISCIPLINES, disciplines),
        (dry.LEVELS, levels),
        ([family.name for family in wet.FAMILIES], [family.name for family in families]),
        (wet.LEVELS, wet_levels),
    ]
    for values, found in parts:
        assert uniform(Counter(found), dict.fromkeys(values, 1000 / len(values))) > 0.01


def test_decoys_stand_anywhere_in_the_pool() -> None:
    counts: Counter[object] = Counter()
    expected: defaultdict[object, float] = defaultdict(float)
    for index in range(120):
        row = wet.generate(5, index)
        names = pool_names(row["action_pool"])
        quarter = {name: at * 4 // len(names) for at, name in enumerate(names)}
        counts.update(quarter[name] for name in row["x_decoys"])
        for at in quarter.values():
            expected[at] += len(row["x_decoys"]) / len(names)
    assert uniform(counts, expected) > 0.01


def test_conventions_are_drawn_evenly() -> None:
    """At level 1 one convention at random is unusual, the others are any: so each option has its share."""
    statistic, freedom = 0.0, 0
    for place, specification in enumerate(bank.SPECIFICATIONS):
        drawn = [
            dry._choices(specification, 1, item_stream(seed, "dry_experiment", 1, place, 0))
            for seed in range(300)
        ]
        for name, options in specification.conventions.items():
            forced = 1 / len(specification.conventions)
            counts = Counter(choices[name] for choices in drawn)
            for at, (code, _) in enumerate(options):
                share = (1 - forced) / len(options) + (forced / (len(options) - 1) if at else 0)
                statistic += (counts[code] - 300 * share) ** 2 / (300 * share) if share else 0.0
                assert share or not counts[code]
            freedom += len(options) - 1 - (forced == 1)
    assert chi2.sf(statistic, freedom) > 0.01


def test_the_bank_covers_types_and_disciplines() -> None:
    assert len(bank.BY_NAME) == len(bank.SPECIFICATIONS) >= 48
    kinds = Counter(s.type for s in bank.SPECIFICATIONS)
    assert kinds == dict.fromkeys(FUNCTION_TYPES, 8)
    assert all(bank.fitting(kind, d) for kind in FUNCTION_TYPES for d in DISCIPLINES)
    cells = Counter(dry.cell(5, i) for i in range(240))
    assert set(cells.values()) == {1}


@pytest.mark.parametrize("specification", bank.SPECIFICATIONS, ids=lambda s: s.name)
def test_functions(specification: bank.Specification) -> None:
    """Draws of each function: mutants caught, recall useless, all of it in this process."""
    passed = 0
    for seed in range(8):
        level = 1 + seed % 4
        stream = item_stream(seed, "dry_experiment", level, 0, 0)
        try:
            row = dry.draw(specification, specification.disciplines[0], level, 0, stream)
        except Rejected:
            continue
        passed += 1
        dry.validate(row)
        assert row["x_textbook"] < dry.TESTS
        assert min(row["x_mutant_failures"]) > 0
        assert wrong_code.retrieved(row["question"], row["incomplete_main_code"]) is specification
    assert passed >= 4


def test_code_in_the_sandbox() -> None:
    """Three items through the sandbox: the reference, and every named wrong solver."""
    for index in range(3):
        row = dry.generate(11, index)
        for profile in PROFILES:
            full = scores("dry_experiment", row, dry.solve(row), profile)
            assert (full["headline"], full["ser"]) == (1, 1)
        for name, make in wrong_code.WRONG.items():
            wrong = make(row)
            found = scores("dry_experiment", row, wrong.reply)
            assert found["tests_passed"] == pytest.approx(wrong.passes / 5), name


@pytest.mark.full
@pytest.mark.parametrize("kind", FUNCTION_TYPES)
def test_code_in_the_sandbox_on_many_seeds(kind: str) -> None:
    for seed in range(SEEDS):
        index = next(i for i in range(6) if dry.cell(seed, i)[0] == kind)
        row = dry.generate(seed, index)
        assert scores("dry_experiment", row, dry.solve(row))["headline"] == 1
        for name, make in wrong_code.WRONG.items():
            wrong = make(row)
            found = scores("dry_experiment", row, wrong.reply)
            assert found["tests_passed"] == pytest.approx(wrong.passes / 5), name
