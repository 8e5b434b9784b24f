"""Generators and formulas against what the benchmark's paper and its public code say."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import UnknownName
from assay.protocol import CheckRow, Materials
from assay.suites.sgi.checks import CHECKS as CHECKS
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.metrics.protocols import released_similarity, sequence_similarity
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.reasoning.options import COUNT
from assay.suites.sgi.reasoning.reading import number
from assay.suites.sgi.research import items as research
from assay.suites.sgi.text.program import parse_text
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet.order import only_extension

PAPER = "SGI-Bench (arXiv 2512.16969)"


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """The comparisons of one check; `UnknownName` where there is none of that name."""
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    return list(CHECKS[name].rows(name, settings["items"]))


def _row(
    check: str, statistic: str, value: float, low: float | None, high: float | None, **more: str
) -> CheckRow:
    passed = (low is None or low <= value) and (high is None or value <= high)
    return CheckRow(check, statistic, value, low, high, passed, **{"reference": PAPER, **more})


def orders(name: str, items: int) -> Iterable[CheckRow]:
    """Whether each generated protocol has exactly one order."""
    only = 0
    for index in range(items):
        row = wet.generate(7, index)
        n = len(parse_text(row["answer"]).steps)
        only += only_extension(n, [(a, b) for a, b in row["x_precedence"]]) == list(range(n))
    yield _row(
        name,
        "share of protocols with exactly one linear extension",
        only / items,
        1.0,
        1.0,
        reference="construction of the generator (Kahn 1962)",
    )


def mutants(name: str, items: int) -> Iterable[CheckRow]:
    """Whether tests catch every planted mistake, and whether recall alone passes them."""
    caught = textbook = 0
    for index in range(items):
        row = dry.generate(7, index)
        dry.validate(row)
        caught += min(row["x_mutant_failures"]) > 0 and len(row["x_mutants"]) >= dry.MUTANTS
        textbook += row["x_textbook"] == dry.TESTS
    source = "construction of the generator (mutation testing)"
    yield _row(
        name, "share of items whose five mutants are all caught", caught / items, 1.0, 1.0, reference=source
    )
    yield _row(name, "share of items that the textbook passes", textbook / items, None, 0.0, reference=source)


def literature(name: str, items: int) -> Iterable[CheckRow]:
    """Whether each question has one answer in its literature."""
    sound = traps = 0
    for index in range(items):
        row = research.generate(7, index)
        research.validate(row)
        wrong = [trap["answer"] for trap in row["x_traps"] if trap["answer"] is not None]
        sound += len({*wrong, row["answer"]}) == len(wrong) + 1
        traps += len(wrong)
    source = "construction of the generator"
    yield _row(name, "share of items whose answers all differ", sound / items, 1.0, 1.0, reference=source)
    yield _row(name, "traps an item", traps / items, 2.0, None, reference=source)


def options(name: str, items: int) -> Iterable[CheckRow]:
    """Of the numbers below the right one 0 to 9 are equally likely: the band is 3.3 standard errors."""
    rows = [reasoning.generate(7, index) for index in range(items)]
    letters = Counter(row["answer"] for row in rows)
    spread = max(letters.values()) - min(letters[k] for k in range(COUNT))
    smaller = []
    for row in rows:
        values = [value for option in row["options"] if (value := number(option)) is not None]
        if len(values) == COUNT:  # the others are causes
            smaller.append(sum(value < values[row["answer"]] for value in values))
    band = 3.3 * math.sqrt((COUNT**2 - 1) / 12 / len(smaller))
    source = "construction of the generator"
    yield _row(name, "largest less smallest count of a letter", float(spread), 0.0, 2.0, reference=source)
    yield _row(
        name,
        "mean number of options below the right one",
        math.fsum(smaller) / len(smaller),
        (COUNT - 1) / 2 - band,
        (COUNT - 1) / 2 + band,
        reference=source,
    )


def released_order(name: str, items: int) -> Iterable[CheckRow]:
    """The order similarity of the public code beside the printed one."""
    orders = list(itertools.permutations("ABCD"))
    differ = sum(
        abs(released_similarity(a, b) - sequence_similarity([(x, 0) for x in a], [(x, 0) for x in b])) > 1e-9
        for a in orders
        for b in orders
    )
    yield _row(
        name,
        "pairs of orders of four actions, of 576, on which both differ",
        float(differ),
        296,
        296,
        caveat="read off the behaviour of the public code, not off its text",
    )
