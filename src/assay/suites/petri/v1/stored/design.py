"""The table of tasks at tier L3: how often each kind of cell is drawn, by a linear program.

    python -m assay.suites.petri.v1.stored.design origin

reads `origin.cells.json` and writes `origin.l3.json`. The sign of an interaction mostly follows from the
pair of parameters and their directions, and the total effect tells the pair. So cells are not drawn evenly
but with weights that leave a reader of this table, who knows the candidates and the total effect, next to
nothing to win. The committed table is what tasks are made from; another solver may find other weights of the
same value.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.suites.petri.v1.stored.curves import FOLDER
from assay.suites.petri.v1.stored.library import Cell, as_json, cells

MEMBERS = 4
WIDTH = 0.04
"""Width of a bin of the total effect: one arm's standard error, so that a probe tells no more than the
bin."""

PAIR_POINTS = (0.0, 12.0, 30.0)
SIGN_POINTS = 25.0

MOST_OF_TEAM = 0.50
MOST_OF_BIN = 0.25
MOST_OF_PAIR = 0.34
"""Largest shares: of a team; of a team and bin; of a pair in a team and bin. Only two teams of origin can
keep all other limits, so that a team may have half of the tasks."""

SIGNS = (0.45, 0.55)
"""Share of positive signs, given a team."""

SHARES = (0.40, 0.60)
"""Share of tasks in which a candidate is in the pair, given a team."""

MOST_VALUE = 30.5
"""Largest expected points of a reader; chance is 25.5. A world whose table is worth more has no tier L3."""

LEAST_WEIGHT = 1e-6

Team = tuple[str, ...]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Group:
    """One variable of the program: cells of one team, bin, pair, directions and sign."""

    team: Team
    bin: int
    pair: Pair
    dirs: tuple[str, str]
    sign: int

    @property
    def place(self) -> tuple[Team, int]:
        return self.team, self.bin


class Rows:
    """Sparse rows of a linear program."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, float]] = []
        self.bounds: list[float] = []

    def add(self, row: Mapping[int, float], bound: float) -> None:
        """Add a row with its bound."""
        at = len(self.bounds)
        self.entries += [(at, column, value) for column, value in row.items() if value]
        self.bounds.append(bound)

    def matrix(self, columns: int) -> Any:
        """Return the rows as a sparse matrix."""
        from scipy.sparse import csr_matrix

        rows, cols, values = zip(*self.entries, strict=True)
        return csr_matrix((values, (rows, cols)), shape=(len(self.bounds), columns))


def solve(groups: list[Group]) -> tuple[float, np.ndarray] | None:
    """Return the expected points of a reader and the weight of each group; None if there is no solution."""
    from scipy.optimize import linprog

    places = sorted({group.place for group in groups})
    teams = sorted({group.team for group in groups})
    first_pair = len(groups)
    first_sign = first_pair + len(places)
    columns = first_sign + len(places)
    of_place: defaultdict[Any, list[int]] = defaultdict(list)
    of_team: defaultdict[Any, list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        of_place[group.place].append(i)
        of_team[group.team].append(i)
    upper, equal = Rows(), Rows()
    for k, place in enumerate(places):
        team, members = place[0], of_place[place]
        for answer in combinations(team, 2):
            points = {i: PAIR_POINTS[len(set(answer) & set(groups[i].pair))] for i in members}
            upper.add({**points, first_pair + k: -1.0}, 0.0)
            of_pair = {i: (groups[i].pair == answer) - MOST_OF_PAIR for i in members}
            upper.add(of_pair, 0.0)
        for sign in (1, -1):
            points = {i: SIGN_POINTS * (groups[i].sign == sign) for i in members}
            upper.add({**points, first_sign + k: -1.0}, 0.0)
        upper.add(dict.fromkeys(members, 1.0), MOST_OF_BIN)
    for team in teams:
        members = of_team[team]
        upper.add(dict.fromkeys(members, 1.0), MOST_OF_TEAM)
        positive = {i: float(groups[i].sign > 0) for i in members}
        upper.add({i: v - SIGNS[1] for i, v in positive.items()}, 0.0)
        upper.add({i: SIGNS[0] - v for i, v in positive.items()}, 0.0)
        for name in team:
            inside = {i: float(name in groups[i].pair) for i in members}
            upper.add({i: v - SHARES[1] for i, v in inside.items()}, 0.0)
            upper.add({i: SHARES[0] - v for i, v in inside.items()}, 0.0)
    equal.add(dict.fromkeys(range(len(groups)), 1.0), 1.0)
    for dirs in (("up", "up"), ("down", "up"), ("down", "down")):
        chosen = {i: float(g.sign) for i, g in enumerate(groups) if tuple(sorted(g.dirs)) == dirs}
        if chosen:
            equal.add(chosen, 0.0)
    cost = np.zeros(columns)
    cost[first_pair:] = 1.0
    result = linprog(
        cost,
        A_ub=upper.matrix(columns),
        b_ub=upper.bounds,
        A_eq=equal.matrix(columns),
        b_eq=equal.bounds,
        bounds=(0, None),
        method="highs",
    )
    return (float(result.fun), result.x[: len(groups)]) if result.status == 0 else None


def table(world: str) -> tuple[float, list[Any]] | None:
    """Return the value of a world's table and its rows [weight, team, pair, cells]; None if there is none."""
    library: defaultdict[tuple[Pair, tuple[str, str], int, int], list[Cell]] = defaultdict(list)
    measured = json.loads((FOLDER / f"{world}.cells.json").read_text(encoding="utf-8"))
    for pair, cell in cells(world, measured):
        library[pair, cell.dirs, cell.sign, math.floor(cell.total / WIDTH)].append(cell)
    names = sorted({name for pair, *_ in library for name in pair})
    groups = [
        Group(team, place, pair, dirs, sign)
        for team in combinations(names, MEMBERS)
        for (pair, dirs, sign, place) in sorted(library)
        if set(pair) <= set(team)
    ]
    solved = solve(groups) if groups else None
    if solved is None:
        return None
    value, weights = solved
    kept = [(float(w), g) for w, g in zip(weights, groups, strict=True) if w > LEAST_WEIGHT]
    total = math.fsum(w for w, _ in kept)
    rows = [
        [
            round(w / total, 9),
            list(g.team),
            list(g.pair),
            [as_json(c) for c in library[g.pair, g.dirs, g.sign, g.bin]],
        ]
        for w, g in kept
    ]
    return value, rows


if __name__ == "__main__":
    for name in sys.argv[1:]:
        made = table(name)
        if made is None or made[0] > MOST_VALUE:
            print(f"{name}: no table ({'no solution' if made is None else f'worth {made[0]:.1f} points'})")
            continue
        text = json.dumps(made[1], sort_keys=True) + "\n"
        (FOLDER / f"{name}.l3.json").write_text(text, encoding="utf-8")
        print(f"{name}: {len(made[1])} groups, worth {made[0]:.1f} points to a reader")
