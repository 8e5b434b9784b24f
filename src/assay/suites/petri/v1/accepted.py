"""The committed table of acceptance: what agents, attackers and checks gave at fresh tasks of the sets v1.

`assay petri accepted` measures rows of it, and writes the page `docs/petri-acceptance.md`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.config import data
from assay.config.data import CLOSED, Count
from assay.suites.petri.v1 import acceptance

DATA_FILES = ("../data/acceptance.yaml", "../data/accepted.csv")

FIELDS = ("set", "seed", "measured", "of", "n", "value", "se", "bound", "holds", "solved", "rigor", "calls")
"""Columns: `value` is a mean score for agents, and what the check says for checks."""

Row = dict[str, str]


@dataclass(frozen=True)
class Planned:
    """What is measured at a set: the number of tasks for each agent and check; 0 leaves a check out."""

    __pydantic_config__ = CLOSED

    agents: Mapping[str, Count]
    drawn: Count
    held: Count = 0
    shopped: Count = 0
    rated: Mapping[str, Count] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """All sets with what is measured at them, on each of these seeds."""

    __pydantic_config__ = CLOSED

    seeds: tuple[Count, ...]
    sets: Mapping[str, Planned]


PLAN: Plan = data.read(Path(__file__).parent / DATA_FILES[0], Plan)


def measured(name: str, seed: int, only: Sequence[str] = ()) -> Iterator[Row]:
    """Yield the rows of a set and a seed; `only` names the agents and checks, if not all are wanted."""
    plan = PLAN.sets[name]
    for agent, n in plan.agents.items():
        if not only or agent in only:
            for row in acceptance.agent_rows(name, agent, seed, n):
                value = {"measured": agent, "of": row["tasks of"], "value": row["score"], **row}
                yield _row(name, seed, value)
    for check, rows in _checks(name, seed, plan).items():
        if not only or check in only:
            for row in rows:
                yield _row(name, seed, {"measured": check, "of": "all", **row})


def _checks(name: str, seed: int, plan: Planned) -> Mapping[str, Iterator[dict[str, Any]]]:
    """Return the rows of each check, which are computed when they are asked for."""
    return {
        "uniform": _uniform(name, seed, plan.drawn),
        "held": _share(acceptance.null, name, seed, plan.held, acceptance.HELD_SIGNIFICANT, 1000),
        "shopped": _share(acceptance.false_backing, name, seed, plan.shopped, 0.05, 200),
        "rated": (row for world, n in plan.rated.items() for row in _rated(name, seed, n, world)),
    }


def _uniform(name: str, seed: int, n: int) -> Iterator[dict[str, Any]]:
    result = acceptance.posterior(name, seed, n)
    for of in ("place", "name"):
        yield {"of": of, "n": n, "value": round(result[f"p_{of}"], 3), "accepted": result["accepted"]}


def _share(
    check: Callable[[str, int, int], dict[str, Any]], name: str, seed: int, n: int, bound: float, least: int
) -> Iterator[dict[str, Any]]:
    """Yield the share that a check finds in `n` tasks; its bound is one for at least `least` of them."""
    if n:
        result = check(name, seed, n)
        share = next(value for key, value in result.items() if key in ("significant", "backed"))
        bounded = {"bound": bound, "accepted": result["accepted"]} if n >= least else {}
        yield {"n": n, "value": round(share, 4), **bounded}


def _rated(name: str, seed: int, n: int, world: str) -> Iterator[dict[str, Any]]:
    result = acceptance.rating(name, seed, n, world=world)
    worst = max((abs(off) for _, off in result["effects"].values()), default=0.0)
    for of in ("rms", "bias", "bands changed"):
        yield {"of": f"{world}: {of}", "n": result["tasks"], "value": result[of]}
    yield {"of": f"{world}: largest error of an effect", "n": result["tasks"], "value": worst}


def _row(name: str, seed: int, values: Mapping[str, Any]) -> Row:
    holds = {True: "yes", False: "no"}.get(values.get("accepted", ""), "")
    every = {**values, "set": name, "seed": seed, "holds": holds}
    return {key: str(every.get(key, "")) for key in FIELDS}


def read(path: Path) -> list[Row]:
    """Return the rows of a table, none where there is no file."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))) if path.exists() else []


def committed() -> list[Row]:
    """Return the rows of the committed table."""
    return read(Path(__file__).parent / DATA_FILES[1])


def merged(old: Iterable[Row], new: Iterable[Row]) -> str:
    """Return both as CSV, sorted; a new row takes the place of all old ones of its set, seed and name."""
    fresh = list(new)
    again = {(row["set"], row["seed"], row["measured"]) for row in fresh}
    rows = [row for row in old if (row["set"], row["seed"], row["measured"]) not in again] + fresh
    sets = list(PLAN.sets)
    names = list(dict.fromkeys(name for plan in PLAN.sets.values() for name in plan.agents))
    checks = ["uniform", "held", "shopped", "rated"]

    def place(row: Mapping[str, Any]) -> tuple[int, str, int]:
        return sets.index(row["set"]), row["seed"], [*names, *checks].index(row["measured"])

    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=place))
    return text.getvalue()


CHECKS = {
    "uniform": "p of a chi-square test that the changed parameter is uniform among the candidates, by {of}",
    "held": "share of probes that hold the changed parameter and have p < .05",
    "shopped": "share of episodes in which eight forms of one question back a wrong candidate",
    "rated": "stored power less that of 1,000 runs ({of})",
}
"""What the value of a check says."""

HEAD = """# petri v1: acceptance on fresh tasks

What agents, attackers and checks gave at fresh tasks of the sets v1, by the seed of the tasks.
[petri-v1.md](petri-v1.md) explains the agents. Bounds of shortcuts are five points above chance, one standard
error allowed. `controlled` has its bound on easy and moderate tasks with four candidates and a budget of
eight. `assay petri accepted --write FILE` measures the table again. The table,
`src/assay/suites/petri/data/accepted.csv`, has all agents by band and by world, too.
"""


def _shown(row: Row) -> bool:
    """Tell whether the page shows a row: the table has all agents by band and by world, too."""
    further = {"controlled": ("easy and moderate", "hard"), "shortcut-tables": ("swarm", "origin", "morph")}
    return row["of"] in ("all", *further.get(row["measured"], ()))


def page(rows: Sequence[Row]) -> str:
    """Return the table as a page in Markdown, by set."""
    lines = [HEAD.rstrip()]
    for name in dict.fromkeys(row["set"] for row in rows):
        of_set = [row for row in rows if row["set"] == name]
        agents = [row for row in of_set if row["measured"] not in CHECKS and _shown(row)]
        lines += [
            "",
            f"## {name}",
            "",
            "| agent | tasks | seed | n | score | bound | solved | rigor | calls |",
        ]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for row in agents:
            score = f"{float(row['value']):.1f} ± {float(row['se']):.1f}"
            bound = f"{row['bound']}{'' if row['holds'] != 'no' else ' **missed**'}"
            cells = [row["measured"], row["of"], row["seed"], row["n"], score, bound]
            lines.append(f"| {' | '.join([*cells, row['solved'], row['rigor'], row['calls']])} |")
        lines += ["", "| check | seed | n | value | bound |", "|---|---|---|---|---|"]
        for row in of_set:
            if row["measured"] in CHECKS:
                what = CHECKS[row["measured"]].format(of=row["of"])
                bound = f"{row['bound']}{'' if row['holds'] != 'no' else ' **missed**'}"
                lines.append(f"| {what} | {row['seed']} | {row['n']} | {row['value']} | {bound} |")
    return "\n".join(lines) + "\n"
