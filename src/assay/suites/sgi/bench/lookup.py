"""An attacker: patterns written with the generator's source at hand, table rows picked, no law fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.suites.sgi.bench.decisions import of_world
from assay.suites.sgi.bench.evidence import TABLES
from assay.suites.sgi.bench.protocol import execute, steps_of
from assay.suites.sgi.bench.solver import cells, read_structure, read_tables, sheet
from assay.suites.sgi.bench.world import bank
from assay.suites.sgi.frame.decision import Choices, rounded

Rows = Sequence[tuple[tuple[float, ...], float]]


USUAL_SLACK = 2.1
"""Limits over what a reference takes, as an attacker who knows how limits are drawn would guess."""


def lookup(question: str, constants: Mapping[str, Any]) -> dict[str, Choices]:
    """Decisions by a look at single rows of tables, and by sums and ratios; all else is constant.

    Returns:
        `rows`: by tables alone; `rows and limits`: reaction time and catalyst such that the protocol fills
        the limits of time and cost as a reference would.
    """
    found = _rows(question, constants)
    return {"rows": found, "rows and limits": {**found, **_within(question, found)}}


def _within(question: str, choices: Choices) -> Choices:
    """Reaction time and catalyst that use up what a reference would use of the limits."""
    world: dict[str, Any] = {**dict.fromkeys(bank(), 1.0), **read_structure(question), "acid": True}
    strength = {"product": 1.0, "colour": 1.0, "substrate": 1.0}
    world["eps"] = {f"w{at}": strength for at in (1, 2, 3)}
    mine = {**{name: d.at(0.5) for name, d in of_world(world).items()}, **choices, **sheet(question)}
    bench = execute(world, steps_of(world, mine))  # time and cost do not depend on laws
    spare = {name: limit / USUAL_SLACK for name, limit in world["limits"].items()}
    minutes = float(mine["duration"]) + spare["minutes"] - bench.time
    per_unit = 1.5 * (len(world["samples"]) + 1)
    enzyme = float(mine["enzyme"]) + (spare["cost"] - bench.cost) / per_unit
    return {
        "duration": rounded(min(max(minutes, 2.0), 300.0)),
        "enzyme": rounded(min(max(enzyme, 0.6), 90.0)),
    }


def _rows(question: str, constants: Mapping[str, Any]) -> Choices:
    world, data = read_structure(question), read_tables(question)
    rows = {name: list(zip(TABLES[name].rows(world), data[name], strict=True)) for name in data}
    found: Choices = {**constants, **_reaction(world, rows, constants), **_end(world, data, rows)}
    if "binding" in data:
        found |= _column(data, rows)
    if "partition" in data:
        found |= _extraction(data, rows["partition"])
    if "solubility" in data:
        found |= _precipitation(data, rows["solubility"])
    places = len(world["samples"]) * int(found["columns"] if "binding" in data else 1)
    return {**found, "balance": "yes" if places % 2 else "no", **_reading(question)}


def _best(rows: Rows) -> float:
    return max(rows, key=lambda row: row[1])[0][0]


def _reaction(world: Mapping[str, Any], rows: Mapping[str, Rows], constants: Mapping[str, Any]) -> Choices:
    stable = [at[0] for at, left in rows["stability"] if left >= 0.9]
    found: Choices = {"temperature": float(max(stable, default=25.0))}
    found["stop"] = "quench" if min(left for _, left in rows["product-lot"]) < 0.7 else "none"
    if "acidity" in rows:
        found["ph"] = float(_best(rows["acidity"]))
    if "metal" in rows:
        sample = next(iter(world["samples"].values()))
        volume = sum(float(constants[name]) for name in ("sample_volume", "buffer_volume", "enzyme"))
        bound = sample["chelator"] * float(constants["sample_volume"])
        found["metal"] = rounded((bound + _best(rows["metal"]) * volume) / world["metal"])
    return found


def _end(world: Mapping[str, Any], data: Mapping[str, Sequence[float]], rows: Mapping[str, Rows]) -> Choices:
    left = next(share for at, share in rows["product"] if at[0] == 22)
    at_desk = (1 - left) * world["hold"] / 24
    ice, freezer = data["cold"]
    losses = {"ice": ice + 0.1 * at_desk, "freezer": freezer, "desk": at_desk}
    return {"store": min(losses, key=lambda place: losses[place])}


def _column(data: Mapping[str, Sequence[float]], rows: Mapping[str, Rows]) -> Choices:
    half = len(data["binding"]) // 2
    best = max(range(half), key=lambda at: data["binding"][at] - 0.7 * data["binding"][at + half])
    return {
        "ratio": float(rows["binding"][best][0][0]),
        "columns": str(max(1, min(4, round(5 / max(data["capacity"]))))),
        "dry": "yes" if sum(data["drying"]) / len(data["drying"]) < 0.08 else "no",
        "washes": str(max(0, min(6, round(0.25 / max(data["washing"][1], 0.02))))),
    }


def _extraction(data: Mapping[str, Sequence[float]], rows: Rows) -> Choices:
    half = len(rows) // 2
    sides = {"a": rows[:half], "b": rows[half:]}
    others = dict(zip("ab", data["partition-other"], strict=True))
    solvent = max(sides, key=lambda name: max(ratio for _, ratio in sides[name]) / others[name])
    ratios = [ratio for _, ratio in sides[solvent]]
    into = [at[0] for at, ratio in sides[solvent] if ratio >= 0.7 * max(ratios)]
    back = [at[0] for at, ratio in sides[solvent] if ratio <= max(0.3, 1.5 * min(ratios))]
    near = [float(min(values, key=lambda ph: abs(ph - 7))) for values in (into, back)]
    return {"solvent": solvent, "extraction_ph": near[0], "back_ph": near[1]}


def _precipitation(data: Mapping[str, Sequence[float]], rows: Rows) -> Choices:
    numbers = data["solubility"]
    half = len(numbers) // 2

    def apart(at: int) -> float:
        other = numbers[at + half]
        return (other if numbers[at] < 0.1 else 0.0) + 1e-3 * other / numbers[at]

    best = max(range(half), key=apart)
    share, celsius = rows[best][0][:2]
    return {"antisolvent": float(share), "chill": "freezer" if celsius < 0 else "desk", "spin_time": 8.0}


def _reading(question: str) -> Choices:
    table = {
        (row[0], row[1]): [float(x) for x in row[2:]]
        for row in cells(question)
        if len(row) == 5 and row[0] in ("product", "colour")
    }
    product, colour = table["product", "0.1"], table["colour", "0.05"]
    at = max(range(3), key=lambda n: product[n] / (abs(colour[n]) + 0.05))
    strength = max(product[at], 0.005) / 0.1
    standard = rounded(min(max(0.6 / strength, 0.004), 2))
    return {
        "wavelength": f"w{at + 1}",
        "standard": standard,
        "dilution": rounded(min(max(strength / 2, 1), 150)),
    }
