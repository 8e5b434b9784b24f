"""A solver that is given the prompt alone: it reads tables, fits laws, and searches on its own bench."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.suites.sgi.bench.decisions import decisions
from assay.suites.sgi.bench.evidence import READER_ROWS, TABLES
from assay.suites.sgi.bench.fitting import fit
from assay.suites.sgi.bench.prompt import manual
from assay.suites.sgi.bench.search import good
from assay.suites.sgi.bench.simulator.measuring import reader
from assay.suites.sgi.bench.world import World, bank
from assay.suites.sgi.frame.decision import Choices

GROUPS: Sequence[tuple[str, ...]] = (
    ("heat", "saturation", "metal", "acidity"),
    ("stability",),
    ("quench",),
    ("product", "product-ph", "product-lot", "product-quench"),
)
"""Tables that have laws in common; all others are fitted one by one."""

PATTERNS: Mapping[str, str] = {
    "ramp": r"(?:at|by) ([\d.e+]+) degC(?:/min| each minute)",
    "hold": r"(?:stays|analysis lie) ([\d.]+) h",
    "density_a": r"(?:Solvent A has density|Densities: A) ([\d.]+)",
    "density_b": r"(?:solvent B|, B) ([\d.]+)\.",
}
LIMITS = re.compile(
    r"(?:Beyond|time allowed is|Limits are) ([\d.e+]+) min(?: or a cost of|, the budget| and) ([\d.e+]+)"
)


def cells(question: str) -> list[list[str]]:
    """All lines of tables."""
    return [line.split(" | ") for line in question.splitlines() if " | " in line]


def read_tables(question: str) -> dict[str, list[float]]:
    """The measured numbers of each table, in the generator's order."""
    lines = [line.strip() for line in question.splitlines()]
    found: dict[str, list[float]] = {}
    for name, table in TABLES.items():
        head = " | ".join(table.columns)
        title = manual()["titles"][name]
        starts = [
            at
            for at, line in enumerate(lines[1:], 1)
            if line == head and any(lines[at - 1].startswith(form.partition("{")[0]) for form in title)
        ]
        if not starts:
            continue
        rows = []
        for line in lines[starts[0] + 1 :]:
            if " | " not in line:
                break
            rows.append(line.split(" | "))
        if name in ("binding", "solubility"):
            found[name] = [float(row[-2]) for row in rows] + [float(row[-1]) for row in rows]
        else:
            found[name] = [float(row[-1]) for row in rows]
    return found


def read_structure(question: str) -> World:
    """What the prompt says of its modules, samples and devices, without a look at any law."""
    return _structure(question, read_tables(question))


def read_world(question: str) -> World:
    """The world as the prompt tells it, its laws fitted to the tables."""
    data = read_tables(question)
    world = _structure(question, data)
    grouped = {name for group in GROUPS for name in group}
    groups = [tuple(name for name in group if name in data) for group in GROUPS]
    groups += [(name,) for name in data if name not in grouped]
    for group in groups:
        laws = [law for name in group for law in TABLES[name].laws]
        if group == ("partition",):
            _partition(world, data)
        elif group:
            world |= fit(group, {**world, **dict.fromkeys(laws, 1.0)}, data, laws)
    _reader(world, question)
    return world


def _structure(question: str, data: Mapping[str, Sequence[float]]) -> World:
    react = "-".join(kind for kind, table in (("metal", "metal"), ("ph", "acidity")) if table in data)
    separate = "column" if "binding" in data else "extraction" if "partition" in data else "precipitation"
    world: World = {"react": react, "separate": separate, "noise_key": None}
    world["assay"] = "absorbance" if "L (1 - exp(-x/L))" in question else "fluorescence"
    for name, pattern in PATTERNS.items():
        match = re.search(pattern, question)
        if match is not None:
            world[name] = float(match[1])
    world["density"] = {"a": world.pop("density_a", 1.0), "b": world.pop("density_b", 1.0)}
    _stocks(world, question)
    limits = LIMITS.search(question)
    if limits is not None:
        world["limits"] = {"minutes": float(limits[1]), "cost": float(limits[2])}
    world["prices"] = dict(bank()["prices"])
    return world


def _stocks(world: World, question: str) -> None:
    world["samples"] = {}
    for row in cells(question):
        if row[0].startswith("sample "):
            names = ("substrate", "inhibitor", "chelator", "colour")
            world["samples"][row[0]] = dict(zip(names, map(float, row[1:5]), strict=True))
            world["sample_amount"] = float(row[5])
    world |= {"metal": 0.0}
    for name, pattern in (
        ("enzyme", r"catalyst, ([\d.e+-]+) U"),
        ("metal", r"metal, ([\d.e+-]+) mM"),
        ("quencher", r"quencher, ([\d.e+-]+) mM"),
    ):
        match = re.search(pattern, question)
        if match is not None:
            world[name] = float(match[1])


def _partition(world: World, data: Mapping[str, Sequence[float]]) -> None:
    """Whether the product is an acid or a base is whichever fits better."""
    laws = TABLES["partition"].laws
    best = math.inf
    for acid in (True, False):
        found = fit(("partition",), {**world, "acid": acid, **dict.fromkeys(laws, 1.0)}, data, laws)
        trial = {**world, "acid": acid, **found}
        table = TABLES["partition"]
        error = math.fsum(
            math.log(max(table.value(trial, row), 1e-12) / max(seen, 1e-12)) ** 2
            for row, seen in zip(table.rows(trial), data["partition"], strict=True)
        )
        if error < best:
            best = error
            world |= {"acid": acid, **found}


def _reader(world: World, question: str) -> None:
    """Limit and strength of the signal from the reader's table, by a grid on the limit."""
    rows = {
        (row[0], row[1]): [float(value) for value in row[2:]]
        for row in cells(question)
        if row[0] in ("product", "colour", "substrate") and len(row) == 5
    }
    best = math.inf
    for step in range(41):
        limit = 1.5 + 0.025 * step
        world_try = {"assay": world["assay"], "signal_limit": limit}
        error, eps = 0.0, {}
        for at in range(3):
            strength, off = _strength(
                world_try,
                [(mm, rows["product", f"{mm:g}"][at]) for what, mm in READER_ROWS if what == "product"],
            )
            error += off
            eps[f"w{at + 1}"] = {"product": strength} | {
                what: _strength(world_try, [(mm, rows[what, f"{mm:g}"][at])])[0]
                for what, mm in READER_ROWS
                if what != "product"
            }
        if error < best:
            best = error
            world |= {"signal_limit": limit, "eps": eps}


def _strength(world: Mapping[str, Any], points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The absorbance per mM that explains readings best, and the sum of squares that is left."""
    best, error = 0.0, math.inf
    for step in range(121):
        eps = 0.01 * 10 ** (step / 120 * 4.2)
        off = math.fsum((reader(world, eps * mm) - seen) ** 2 / (0.003**2) for mm, seen in points)
        if off < error:
            best, error = eps, off
    return best, error


def sheet(question: str) -> Choices:
    """The decisions that the batch sheet gives."""
    labels = {label: name for name, label in manual()["sheet"].items()}
    given: Choices = {}
    for line in question.splitlines():
        label, colon, value = line.removeprefix("- ").partition(": ")
        if line.startswith("- ") and colon and label in labels:
            name = labels[label]
            given[name] = value if decisions()[name].values else float(value)
    return given


def solve(question: str) -> tuple[World, Choices]:
    """The world as understood, and decisions that do well in it."""
    world = read_world(question)
    return world, good(world, sheet(question))
