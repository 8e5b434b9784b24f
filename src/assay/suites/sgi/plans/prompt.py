"""The prompt of an idea on a response surface, and what a reader of it gets out of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers.rng import Stream
from assay.suites.sgi.frame.decision import Choices, Value
from assay.suites.sgi.plans.choices import kind_of, model_names
from assay.suites.sgi.plans.surface import natural, scaled

CALIBRATION = (0.05, 0.1, 0.2, 0.4, 0.8)


@cache
def manual() -> Mapping[str, Any]:
    """The file `manual.yaml`."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name("manual.yaml"))
    return found


def question(
    world: Mapping[str, Any],
    studies: Sequence[Mapping[str, Any]],
    given: Mapping[str, Value],
    aim: str,
    stream: Stream,
) -> str:
    """The whole prompt."""
    texts = manual()
    fill = {
        "aim": aim,
        "cheap": world["price"]["cheap"],
        "exact": world["price"]["exact"],
        "capacity": world["day_capacity"],
        "shuffling": world["price"]["shuffling"],
        "budget": world["budget"],
    }
    kind = world["kind"]
    own = texts if kind == "surface" else texts["questions"][kind]
    rules = [stream.choice(own[part]).format(**fill) for part in ("model", "rules")]
    rules += [stream.choice(texts[part]).format(**fill) for part in ("instruments", "scored")]
    if kind != "surface":
        rules.append(stream.choice(texts["conditions"]))
    stream.shuffle(rules)
    paragraphs = [stream.choice(own["intro"]).format(**fill), *rules, texts["form"]]
    lines = ["factor | unit | lowest | highest | usual"]
    for at, factor in enumerate(world["factors"]):
        usual = natural(world, at, world["usual"][at])
        lines.append(
            f"{factor['name']} | {factor['unit'] or '-'} | {factor['low']:g} | {factor['high']:g} | {usual:g}"
        )
    paragraphs.append("\n".join(lines))
    limit = world["saturation"]
    lines = [
        "instrument | scatter of a reading",
        *(f"{name} | {world['noise'][name]:.2g}" for name in ("cheap", "exact")),
    ]
    lines += ["", "true signal | shown by the cheap instrument"]
    lines += [f"{s:g} | {limit * s / (limit + s):.3g}" for s in CALIBRATION]
    paragraphs.append("\n".join(lines))
    for number, study in enumerate(studies, 1):
        title = stream.choice(texts["study"]["saturated"])
        head = heading(world)
        rows = [
            " | ".join(
                [
                    *(f"{x:g}" for x in run["setting"]),
                    str(run["day"]),
                    *(f"{reading:g}" for reading in run["readings"]),
                ]
            )
            for run in study["runs"]
        ]
        title = title.format(n=number, count=len(rows), instrument=study["instrument"])
        paragraphs.append("\n".join([title, head, *rows]))
    if given:
        names = list(given)
        stream.shuffle(names)
        lines = [f"- {label(world, name)}: {shown(world, name, given[name])}" for name in names]
        paragraphs.append("\n".join([stream.choice(texts["sheet_head"]), *lines]))
    return "\n\n".join(paragraphs)


def heading(world: Mapping[str, Any]) -> str:
    """The first line of the table of a study."""
    names = [factor["name"] for factor in world["factors"]]
    readings = [f"reading {n + 1}" for n in range(len(world["asked"]))] if world["kind"] == "graph" else []
    return " | ".join([*names, "day", *(readings or ["reading"])])


def label(world: Mapping[str, Any], name: str) -> str:
    """How the batch sheet calls a decision."""
    kind, _, number = name.partition(" ")
    factor = world["factors"][int(number) - 1]["name"] if number else ""
    return str(manual()["sheet"][kind].format(factor=factor))


def shown(world: Mapping[str, Any], name: str, value: Value) -> str:
    """How the batch sheet writes a value."""
    kind, _, number = name.partition(" ")
    if kind == "vary":
        return "varied" if value == "yes" else "held"
    if kind == "model":
        return model_names(world)[str(value)]
    return f"{natural(world, int(number) - 1, float(value)):g}" if kind == "place" else str(value)


def read_structure(text: str) -> dict[str, Any]:
    """Factors, prices and tables of a prompt, as far as a plan has to name them."""
    rows = [line.split(" | ") for line in text.splitlines()]
    start = next(at for at, row in enumerate(rows) if row[:2] == ["factor", "unit"]) + 1
    factors, usual = [], []
    questions = manual()["questions"]
    asked_ones = {factor["name"]: factor for of in questions.values() for factor in of["factors"]}
    kinds = {factor["name"]: kind for kind, of in questions.items() for factor in of["factors"]}
    for row in rows[start:]:
        if len(row) != 5:
            break
        factor = {"name": row[0], "unit": row[1], "low": float(row[2]), "high": float(row[3])}
        scale = asked_ones.get(row[0], {}).get("scale")
        factors.append(factor | ({"scale": scale} if scale else {}))
        usual.append(float(row[4]))
    names = [factor["name"] for factor in factors]
    kind = next((kinds[name] for name in names if name in kinds), "surface")
    mine = questions[kind]["factors"] if kind in questions else []
    asked = [names.index(factor["name"]) for factor in mine]
    world: dict[str, Any] = {"kind": kind, "asked": asked, "factors": factors, "usual": [], "true": 0}
    world["usual"] = [scaled(world, at, value) for at, value in enumerate(usual)]

    def found(pattern: str) -> float:
        match = re.search(pattern, text)
        return float(next(part for part in match.groups() if part)) if match else 1.0

    world["price"] = {
        "cheap": found(r"cheap costs ([\d.e+-]+)|costs ([\d.e+-]+) with the cheap"),
        "exact": found(r"exact ([\d.e+-]+)\. The cheap|and ([\d.e+-]+) with the exact"),
    }
    world["price"]["shuffling"] = found(r"costs ([\d.e+-]+) more")
    world["day_capacity"] = int(found(r"Up to (\d+) runs fit|makes (\d+) runs a day"))
    world["budget"] = found(r"budget is ([\d.e+-]+);|There is ([\d.e+-]+) to spend")
    world["noise"] = {row[0]: float(row[1]) for row in rows if len(row) == 2 and row[0] in ("cheap", "exact")}
    return world


def sheet(world: Mapping[str, Any], text: str, names: Sequence[str]) -> Choices:
    """The decisions that the batch sheet of a prompt gives."""
    labels = {label(world, name): name for name in names}
    given: Choices = {}
    for line in text.splitlines():
        key, colon, value = line.removeprefix("- ").rpartition(": ")
        name = labels.get(key)
        if not (line.startswith("- ") and colon and name):
            continue
        kind, _, number = name.partition(" ")
        if kind == "vary":
            given[name] = "yes" if value == "varied" else "no"
        elif kind == "model":
            given[name] = next(key for key, text in model_names(world).items() if text == value)
        elif kind == "place":
            near = scaled(world, int(number) - 1, float(value))
            grid = [float(x) for x in kind_of(name).grid()]
            best = min(grid, key=lambda x: abs(x - near))
            given[name] = best if abs(best - near) < 0.003 else near
        else:
            given[name] = value if kind_of(name).values else float(value)
    return given
