"""The literature of an inquiry; a reader that fits its tables, and two that pick numbers from them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.config.data import read as read_data
from assay.numbers.portable import exp, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.investigation.enzyme import HALF, PAIRS, World, draw, log_uniform, share

DATA_FILES = ("decisions.yaml", "house.yaml", "texts.yaml")
SCATTER = 0.01
READERS = ("Aro", "Bex", "Cim", "Dov", "Elm")


@cache
def texts() -> Mapping[str, Any]:
    """The file `texts.yaml`."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name("texts.yaml"))
    return found


@cache
def decisions() -> Mapping[str, Decision]:
    """The file `decisions.yaml`."""
    found: dict[str, Decision] = read_data(Path(__file__).with_name("decisions.yaml"), dict[str, Decision])
    return found


def literature(world: World, level: int, stream: Stream) -> tuple[str, list[str]]:
    """The name of the enzyme, and documents about it and others in a drawn order."""
    names = stream.sample(texts()["enzymes"], 2 + level)
    pieces: list[tuple[str, dict[str, Any], list[tuple[float, float]], str]] = []
    readers = dict(zip(names, stream.sample(READERS, 5) * 2, strict=False))
    spoilt = stream.sample(READERS, 1)[0]
    factor = log_uniform(stream, 1.5, 3.0, 3)
    for at, name in enumerate(names):
        of = world if at == 0 else draw(stream, stream.choice(sorted(PAIRS)))
        pieces += _of_enzyme(of, name, readers, spoilt, factor, stream)
    order = list(range(len(pieces)))
    stream.shuffle(order)
    documents = []
    withdrawn = next(
        n
        for n, at in enumerate(order, 1)
        if pieces[at][3] == "withdrawn" and pieces[at][1]["enzyme"] == names[0]
    )
    for n, at in enumerate(order, 1):
        kind, fill, rows, _ = pieces[at]
        head = stream.choice(texts()[kind]).format(n=n, **fill)
        table = [f"{fill['columns'][0]} | {fill['columns'][1]}", *(f"{x:g} | {y:g}" for x, y in rows)]
        documents.append("\n".join([head, *table]))
    for form in (
        texts()["retraction"].format(n=len(documents) + 1, other=withdrawn),
        texts()["calibration"].format(n=len(documents) + 2, reader=spoilt, factor=f"{factor:g}"),
    ):
        documents.append(form)
    return names[0], documents


def _of_enzyme(
    of: World, name: str, readers: Mapping[str, str], spoilt: str, factor: float, stream: Stream
) -> list[tuple[str, dict[str, Any], list[tuple[float, float]], str]]:
    """Studies of one enzyme: below and above K, one that is withdrawn, the inhibitor, and stability."""
    units = texts()["units"]
    found = []

    def seen(value: float) -> float:
        return value * float(exp(SCATTER * float(norminv(stream.uniform()))))

    def study(kind: str, xs: Sequence[float], ys: Sequence[float], **fill: Any) -> None:
        x_unit, y_unit = stream.choice(sorted(units["substrate"])), stream.choice(sorted(units["rate"]))
        reader = spoilt if stream.below(2) else stream.choice([one for one in READERS if one != spoilt])
        wrong = factor if reader == spoilt else 1.0
        rows = [
            (
                float(f"{x / units['substrate'][x_unit]:.3g}"),
                float(f"{seen(y) * wrong / units['rate'][y_unit]:.3g}"),
            )
            for x, y in zip(xs, ys, strict=True)
        ]
        what = "substrate" if kind == "study" else "inhibitor"
        columns = (f"{what} ({x_unit})", f"rate ({y_unit})")
        mark = fill.pop("mark", "")
        if "substrate" in fill:
            s_unit = stream.choice(sorted(units["substrate"]))
            fill |= {"substrate": f"{fill['substrate'] / units['substrate'][s_unit]:.3g}", "unit": s_unit}
        found.append((kind, {"enzyme": name, "reader": reader, "columns": columns, **fill}, rows, mark))

    # Where a study began and ended says little of the constants: it varies over one decade and a half.
    top = log_uniform(stream, 0.2, 5)
    for low, high, mark in ((0.03, 0.4, ""), (0.2, 1.0, ""), (0.05, 1.0, "withdrawn")):
        amount = log_uniform(stream, 0.05, 2, 2)
        xs = _spaced(of["K"] * top * low, of["K"] * top * high)
        other = {**of, "K": of["K"] * (5.0 if stream.below(2) else 0.2)} if mark else of
        ys = [of["k"] * amount * float(share("competitive", x, 0.0, other)) for x in xs]
        study("study", xs, ys, amount=f"{amount:g}", mark=mark)
    for _ in range(2):
        amount = log_uniform(stream, 0.05, 2, 2)
        s = of["K"] * (0.02 if of["side"] == "low" else 60.0) * log_uniform(stream, 0.7, 1.4)
        least = of["Ki"] * log_uniform(stream, 0.1, 2)
        xs = _spaced(least, least * log_uniform(stream, 5, 12))
        ys = [of["k"] * amount * float(share(of["law"], s, x, of)) for x in xs]
        study("inhibition", xs, ys, amount=f"{amount:g}", substrate=s)
    unit = stream.choice(sorted(units["time"]))
    last = of["tau"] * log_uniform(stream, 0.12, 1.2)
    times = [last * (1 + n) / 6 for n in range(6)]
    rows = [
        (float(f"{t / units['time'][unit]:.3g}"), float(f"{seen(float(exp(-HALF * t / of['tau']))):.3g}"))
        for t in times
    ]
    found.append(("stability", {"enzyme": name, "columns": (f"time ({unit})", "activity left")}, rows, ""))
    return found


def _spaced(low: float, high: float) -> list[float]:
    """Six values, evenly on the scale of logarithms."""
    return [low * (high / low) ** (n / 5) for n in range(6)]


def read(question: str) -> dict[str, Any]:
    """What a careful reader gets out of the documents: constants by least squares, and the rivals left."""
    import numpy as np
    from scipy.optimize import least_squares

    documents = tables(question)
    rates = [(of["amount"], rows) for of, rows in documents if of["kind"] == "study"]
    inhibited = [
        (of["amount"], of["substrate"], rows) for of, rows in documents if of["kind"] == "inhibition"
    ]

    def off(x: Any) -> Any:
        k, half = np.exp(x)
        return np.array([math.log(k * a * s / (half + s) / y) for a, rows in rates for s, y in rows])

    def away(x: Any) -> Any:
        ki, scale = np.exp(x)
        rows = [(a * s / (half + s) / (1 + i / ki), y) for a, s, own in inhibited for i, y in own]
        return np.array([math.log(scale * k * rate / y) for rate, y in rows])

    def line(x: Any) -> Any:
        return np.array([math.exp(-HALF * t / math.exp(x[0])) - left for t, left in stable])

    k, half = np.exp(least_squares(off, np.log([0.2, 0.3]), x_scale=3.0).x)
    ki = float(np.exp(least_squares(away, np.log([_largest(inhibited), 1.0]), x_scale=3.0).x[0]))
    (stable,) = [rows for of, rows in documents if of["kind"] == "stability"]
    tau = math.exp(least_squares(line, [math.log(stable[-1][0])]).x[0])
    found = {"K": half, "Ki": ki, "k": k, "tau": tau}
    return {name: float(f"{value:.4g}") for name, value in found.items()} | {"rivals": _side(documents)}


def _largest(inhibited: Sequence[Any]) -> float:
    """The largest amount of inhibitor that was tried."""
    return float(max(i for *_, rows in inhibited for i, _ in rows))


def _side(documents: Sequence[tuple[Mapping[str, Any], Any]]) -> str:
    """Whether the inhibitor was tried with less substrate than any study of the rate, or with more."""
    usual = min(x for of, rows in documents if of["kind"] == "study" for x, _ in rows)
    return "low" if any(of["substrate"] < 10 * usual for of, _ in documents if "substrate" in of) else "high"


def tables(question: str) -> list[tuple[dict[str, Any], list[tuple[float, float]]]]:
    """The tables about the enzyme in mM, minutes and U/mL, corrected by the notices."""
    enzyme = enzyme_of(question)
    units = texts()["units"]
    withdrawn = re.search(r"the rates in document (\d+) ", question)
    notice = re.search(
        r"Notice on the reader (\w+): every rate that it has shown is ([\d.]+) times", question
    )
    assert withdrawn is not None and notice is not None
    found = []
    for block in question.split("\n\n"):
        lines = block.splitlines()
        if len(lines) < 3 or enzyme not in lines[0] or " | " not in lines[1]:
            continue
        if lines[0].partition(".")[0] == withdrawn[1]:
            continue
        (x_unit, y_unit) = (re.findall(r"\(([^)]+)\)", cell)[-1:] or [""] for cell in lines[1].split(" | "))
        pairs = [tuple(map(float, line.split(" | "))) for line in lines[2:]]
        if lines[1].startswith("time"):
            scale = units["time"][x_unit[0]]
            found.append(({"kind": "stability"}, [(x * scale, y) for x, y in pairs]))
            continue
        wrong = float(notice[2]) if notice[1] in lines[0] else 1.0
        sx, sy = units["substrate"][x_unit[0]], units["rate"][y_unit[0]] / wrong
        amount = re.search(r"([\d.e-]+) U/mL", lines[0])
        at = re.search(r"(?:at|substrate) ([\d.e+-]+) (mM|uM)", lines[0])
        own: dict[str, Any] = {
            "kind": "inhibition" if at else "study",
            "amount": float(amount[1]) if amount else 1.0,
        }
        if at:
            own["substrate"] = float(at[1]) * units["substrate"][at[2]]
        found.append((own, [(x * sx, y * sy) for x, y in pairs]))
    return found


def enzyme_of(question: str) -> str:
    """The enzyme that an inquiry is about."""
    match = re.search(r"about the enzyme (\w+):", question)
    return match[1] if match else ""


def halves(question: str) -> dict[str, Any]:
    """What patterns pick from single rows: where half of the largest number of a table is reached."""
    documents = tables(question)
    found: dict[str, Any] = {"rivals": _side(documents)}
    for of, rows in documents:
        top = max(y for _, y in rows)
        half = min(rows, key=lambda row: abs(row[1] - top / 2))[0]
        if of["kind"] == "study":
            found["K"] = max(half, found.get("K", 0.0))
            found["k"] = max(top / of["amount"], found.get("k", 0.0))
        else:
            found["Ki" if of["kind"] == "inhibition" else "tau"] = half
    return found


def ranges(question: str) -> dict[str, Any]:
    """What the ranges tell in which something was tried; rates as in `halves`."""
    documents = tables(question)
    tops = {kind: max(x for of, rows in documents if of["kind"] == kind for x, _ in rows) for kind in KINDS}
    middle = {name: tops[kind] for kind, name in KINDS.items()}
    return {**halves(question), **middle, "Ki": middle["Ki"] / 2}


KINDS: Mapping[str, str] = {"study": "K", "inhibition": "Ki", "stability": "tau"}
"""Which constant the largest value on the horizontal axis of a kind of table goes with."""
