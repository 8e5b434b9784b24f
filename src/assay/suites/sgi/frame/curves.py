"""How hard the levels of a family are: curves of planted agents, attackers against their ceilings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.numbers import rng
from assay.suites.sgi.frame.anchors import anchored
from assay.suites.sgi.frame.attackers import ATTACKERS, Attack
from assay.suites.sgi.frame.family import Family, Row
from assay.suites.sgi.frame.planted import Line, with_luck
from assay.validity.planted import Luck

ABILITIES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)


def points(family: Family, row: Row, reply: str) -> float:
    """The headline of a reply in points."""
    for value in family.score(row, reply, "objective"):
        if value.metric == "headline":
            return 100 * float(value.value or 0.0)
    return 100 * anchored(family.raw(row, reply), row["x_anchors"])


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


DRAWS = (1, 2)
"""Seeds of the planted agents' luck: each ability plays each item that often."""


def curve(family: Family, rows: Sequence[Row], line: Line, draws: Sequence[int] = DRAWS) -> list[float]:
    """Mean points of planted agents of the abilities `ABILITIES` over items, each played once a draw."""
    return [
        mean(
            [
                points(family, row, with_luck(family, row, _luck(row, share, draw), line))
                for row in rows
                for draw in draws
            ]
        )
        for share in ABILITIES
    ]


def _luck(row: Row, share: int, draw: int) -> Luck:
    return Luck(share, rng.stream(draw, row["idx"], row["x_level"]))


def attacked(family: Family, row: Row, solved: Sequence[Row], attacker: str, seed: int) -> float:
    """Points that an attacker gets for an item, with `solved` as the items whose truth it knows."""
    attack, _ = ATTACKERS[attacker]
    stream = rng.stream(seed, attacker, row["idx"])
    return points(family, row, attack(Attack(family, row, solved, stream)))


def attacks(family: Family, rows: Sequence[Row], solved: Sequence[Row], seed: int) -> dict[str, float]:
    """Mean points of each attacker over items."""
    return {name: mean([attacked(family, row, solved, name, seed) for row in rows]) for name in ATTACKERS}


def rank_correlation(values: Sequence[float]) -> float:
    """Spearman's correlation of values with their places; ties get their mean rank."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for place in order[at : end + 1]:
            ranks[place] = (at + end) / 2
        at = end + 1
    n = len(values)
    middle = (n - 1) / 2
    cross = math.fsum((i - middle) * (rank - middle) for i, rank in enumerate(ranks))
    spread = math.fsum((rank - middle) ** 2 for rank in ranks)
    return cross / math.sqrt(spread * math.fsum((i - middle) ** 2 for i in range(n))) if spread else 0.0


def constancy(rows: Sequence[Row]) -> dict[str, float]:
    """Of each inference the share of items whose right value is the usual one.

    Of words the share of the mode, of numbers the share within 25 % of the median.
    """
    seen: dict[str, list[Any]] = {}
    for row in rows:
        for one in row["x_inferences"]:
            seen.setdefault(one["id"], []).append(one["right"])
    shares = {}
    for name, values in seen.items():
        if isinstance(values[0], str):
            shares[name] = max(values.count(value) for value in set(values)) / len(values)
        else:
            median = sorted(values)[len(values) // 2]
            shares[name] = sum(abs(value - median) <= 0.25 * abs(median) for value in values) / len(values)
    return shares


def report(
    family: Family, rows: Sequence[Row], solved: Sequence[Row], seed: int, solver_items: int
) -> Iterator[tuple[str, Any]]:
    """All numbers of one level: what is measured, and its value."""
    yield "items", len(rows)
    yield "reference", mean([points(family, row, family.play(row, {})) for row in rows])
    for line in ("fallback", "fallacy"):
        values = curve(family, rows, line)
        yield line, [round(value, 1) for value in values]
        yield f"{line}_rank_correlation", round(rank_correlation(values), 4)
    yield "attackers", {name: round(value, 1) for name, value in attacks(family, rows, solved, seed).items()}
    solved_points = []
    shares = []
    for row in rows[:solver_items]:
        reply = family.solved(row)
        solved_points.append(points(family, row, reply))
        shares.append(family.raw(row, reply) / row["x_anchors"]["reference"])
    if shares:
        yield "solver", {"points": round(mean(solved_points), 1), "raw_share": round(mean(shares), 3)}
    yield "constancy", {name: round(share, 2) for name, share in sorted(constancy(rows).items())}
