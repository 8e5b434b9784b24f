"""The literature of an inquiry, and a reader of it that fits what the tables show."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers.portable import exp, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.investigation.enzyme import HALF, PAIRS, World, draw, log_uniform, share

DATA_FILES = ("texts.yaml",)
SCATTER = 0.02
READERS = ("Aro", "Bex", "Cim", "Dov", "Elm")


@cache
def texts() -> Mapping[str, Any]:
    """The file `texts.yaml`."""
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


def literature(world: World, level: int, stream: Stream) -> tuple[str, list[str]]:
    """The name of the enzyme, and documents about it and others in a drawn order."""
    names = stream.sample(texts()["enzymes"], 2 + level)
    pieces: list[tuple[str, dict[str, Any], list[tuple[float, float]], str]] = []
    readers = dict(zip(names, stream.sample(READERS, 5) * 2, strict=False))
    spoilt = stream.sample(READERS, 1)[0]
    factor = log_uniform(stream, 1.5, 3.0, 3)
    for at, name in enumerate(names):
        of = world if at == 0 else draw(stream)
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

    for low, high, mark in ((0.08, 0.7, ""), (1.5, 12.0, ""), (0.3, 4.0, "withdrawn")):
        amount = log_uniform(stream, 0.05, 2, 2)
        xs = [of["K"] * low * (high / low) ** (n / 5) for n in range(6)]
        other = {**of, "K": of["K"] * (5.0 if stream.below(2) else 0.2)} if mark else of
        ys = [of["k"] * amount * float(share("competitive", x, 0.0, other)) for x in xs]
        study("study", xs, ys, amount=f"{amount:g}", mark=mark)
    for _ in range(2):
        amount = log_uniform(stream, 0.05, 2, 2)
        s = of["K"] * (0.02 if of["side"] == "low" else 60.0) * log_uniform(stream, 0.7, 1.4)
        xs = [of["Ki"] * 0.025 * 10 ** (n / 5) for n in range(6)]
        ys = [of["k"] * amount * float(share(of["law"], s, x, of)) for x in xs]
        study("inhibition", xs, ys, amount=f"{amount:g}", substrate=s)
    unit = stream.choice(sorted(units["time"]))
    times = [of["tau"] * 0.08 * (1 + n) for n in range(6)]
    rows = [
        (float(f"{t / units['time'][unit]:.3g}"), float(f"{seen(float(exp(-HALF * t / of['tau']))):.3g}"))
        for t in times
    ]
    found.append(("stability", {"enzyme": name, "columns": (f"time ({unit})", "activity left")}, rows, ""))
    return found


def read(question: str) -> dict[str, Any]:
    """What a careful reader gets out of the documents: constants by least squares, and the rivals left."""
    import numpy as np
    from scipy.optimize import least_squares

    enzyme = re.search(r"say what is known of (\w+)", question)
    assert enzyme is not None
    documents = tables(question, enzyme[1])
    rates = [(of["amount"], rows) for of, rows in documents if of["kind"] == "study"]

    def off(x: Any) -> Any:
        k, half = np.exp(x)
        return np.array([math.log(k * a * s / (half + s) / y) for a, rows in rates for s, y in rows])

    k, half = np.exp(least_squares(off, np.log([0.2, 0.3])).x)
    inhibited = [
        (of["amount"], of["substrate"], rows) for of, rows in documents if of["kind"] == "inhibition"
    ]
    side = "low" if all(s < half for _, s, _ in inhibited) else "high"

    def away(x: Any) -> Any:
        ki, scale = np.exp(x)
        return np.array(
            [
                math.log(scale * k * a * s / (half + s) / (1 + i / ki) / y)
                for a, s, rows in inhibited
                for i, y in rows
            ]
        )

    ki = float(np.exp(least_squares(away, np.log([0.3, 1.0])).x[0]))
    (stable,) = [rows for of, rows in documents if of["kind"] == "stability"]
    slopes = [-t * HALF / math.log(left) for t, left in stable]
    found = {"K": half, "Ki": ki, "k": k, "tau": sorted(slopes)[len(slopes) // 2]}
    return {name: float(f"{value:.4g}") for name, value in found.items()} | {"rivals": sorted(PAIRS[side])}


def tables(
    question: str, enzyme: str, careful: bool = True
) -> list[tuple[dict[str, Any], list[tuple[float, float]]]]:
    """The tables about an enzyme in mM, minutes and U/mL; a careful reader minds notices."""
    units = texts()["units"]
    withdrawn = re.search(r"the rates in document (\d+) ", question)
    notice = re.search(
        r"Notice on the reader (\w+): every rate that it has shown is ([\d.]+) times", question
    )
    found = []
    for block in question.split("\n\n"):
        lines = block.splitlines()
        if len(lines) < 3 or enzyme not in lines[0] or " | " not in lines[1]:
            continue
        number = lines[0].partition(".")[0]
        if careful and withdrawn and number == withdrawn[1]:
            continue
        (x_unit, y_unit) = (re.findall(r"\(([^)]+)\)", cell)[-1:] or [""] for cell in lines[1].split(" | "))
        pairs = [tuple(map(float, line.split(" | "))) for line in lines[2:]]
        if lines[1].startswith("time"):
            scale = units["time"][x_unit[0]]
            found.append(({"kind": "stability"}, [(x * scale, y) for x, y in pairs]))
            continue
        wrong = float(notice[2]) if careful and notice and notice[1] in lines[0] else 1.0
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


def pick(question: str) -> dict[str, Any]:
    """What patterns pick from single rows, without a fit: the half of the largest rate in the first table."""
    enzyme = re.search(r"say what is known of (\w+)", question)
    assert enzyme is not None
    found: dict[str, Any] = {"K": 0.3, "Ki": 0.3, "k": 0.2, "tau": 45.0, "rivals": sorted(PAIRS["low"])}
    for of, rows in tables(question, enzyme[1], careful=False):
        top = max(y for _, y in rows)
        half = min(rows, key=lambda row: abs(row[1] - top / 2))[0]
        if of["kind"] == "study":
            found |= {"K": half, "k": top / of["amount"]}
        elif of["kind"] == "inhibition":
            found["Ki"] = half
        else:
            found["tau"] = half
    return found
