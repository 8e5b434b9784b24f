"""Formulas against what the benchmark's paper and its public code say."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import UnknownName
from assay.protocol import CheckRow, Materials
from assay.suites.sgi.checks import CHECKS as CHECKS
from assay.suites.sgi.metrics.protocols import released_similarity, sequence_similarity

PAPER = "SGI-Bench (arXiv 2512.16969)"


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """The comparisons of one check; `UnknownName` where there is none of that name."""
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    return list(CHECKS[name].rows(name))


def _row(
    check: str, statistic: str, value: float, low: float | None, high: float | None, **more: str
) -> CheckRow:
    passed = (low is None or low <= value) and (high is None or value <= high)
    return CheckRow(check, statistic, value, low, high, passed, **{"reference": PAPER, **more})


def released_order(name: str) -> Iterable[CheckRow]:
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
