"""Pictures of an item, and readings of them that refute options."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.numbers.rng import stream
from assay.suites.sgi.instruments import draw, simulate
from assay.suites.sgi.instruments.bank import Instrument, instruments
from assay.suites.sgi.instruments.candidates import AGREE, NOISE, OPTIONS
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.contracts import choice, json_object
from assay.suites.sgi.text.quantities import folded, plain, quantity

World = Mapping[str, Any]

READING = 0.03
"""Tolerance of a reading, as a share of the height of its panel."""

CLEAR = 3.0
"""Tolerances between a reading and what a refuted option predicts."""

ENOUGH = 5
"""Options that have to be refuted rightly for full validity."""


def shown_curves(world: World) -> tuple[Instrument, list[list[dict[str, Any]]]]:
    """The noisy curves of both specimens."""
    instrument = instruments()[world["instrument"]]
    clean = [simulate.curves(instrument, parameters) for parameters in world["parameters"]]
    noise = stream(int(world["key"]), "pictures")
    return instrument, [
        simulate.noisy(instrument, one, NOISE, noise.child(at)) for at, one in enumerate(clean)
    ]


@lru_cache(maxsize=16)
def pictures(text: str) -> list[bytes]:
    """The PNG files of a world, given as JSON: both specimens, and the control of both days."""
    world = json.loads(text)
    instrument, curves = shown_curves(world)
    drawn = [
        [
            (panel, shown, draw.limits(shown, height), f"{panel.title}{specimen + 1}")
            for panel, shown, height in zip(
                instrument.panels, one, simulate.heights(instrument, one), strict=True
            )
        ]
        for specimen, one in enumerate(curves)
    ]
    shown = [draw.drawn(panels[:-1]) for panels in drawn] + [draw.drawn([panels[-1] for panels in drawn])]
    return [draw.encoded(pixels) for pixels in shown]


def _predicted(world: World, option: Mapping[str, str], specimen: int) -> list[list[dict[str, Any]]]:
    """What an option lets one specimen show, if the other is as it is: pictures of all allowed mechanisms."""
    instrument, true = instruments()[world["instrument"]], world["mechanisms"]
    parameters, found = world["parameters"][specimen], []
    allowed = {
        factor: [option[factor].split(" / ")[specimen]]
        if " / " in option[factor]
        else [
            value
            for value in instrument.factors[factor]
            if (value == true[1 - specimen][factor]) == (option[factor] == AGREE)
        ]
        for factor in option
    }
    mechanisms: list[dict[str, str]] = [dict(true[specimen])]
    for factor, values in allowed.items():
        mechanisms = [{**mechanism, factor: value} for mechanism in mechanisms for value in values]
    for mechanism in mechanisms:
        ranges = instrument.ranges(mechanism)
        filled = {
            name: parameters[name] if low <= parameters.get(name, low - 1) <= high else 0.5 * (low + high)
            for name, (low, high) in ranges.items()
        }
        found.append(simulate.curves(instrument, filled))
    return found


@lru_cache(maxsize=256)
def readings(text: str) -> list[dict[str, Any]]:
    """Of each option of a world, given as JSON, the reading that refutes it most clearly; the clearest."""
    world = json.loads(text)
    return refutations(world, shown_curves(world)[1])


def refutations(world: World, shown: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Of each option of a world the reading that refutes it most clearly; the clearest of all options.

    Args:
        world: instrument, options, and the mechanisms and parameters of both specimens: the true ones, or
            those that a solver finds.
        shown: of either specimen what each panel shows.
    """
    instrument = instruments()[world["instrument"]]
    found: list[tuple[float, dict[str, Any]]] = []
    for at, option in enumerate(world["options"]):
        best: tuple[float, dict[str, Any]] = (0.0, {})
        for specimen in (0, 1):
            others = _predicted(world, option, specimen)
            heights = simulate.heights(instrument, list(shown[specimen]))
            for p, panel in enumerate(instrument.panels[:-1]):
                bound = READING * heights[p]
                x = simulate.places(panel)
                for name, y in shown[specimen][p].items():
                    gap = np.min([np.abs(other[p][name] - y) for other in others], axis=0) / bound
                    where = int(np.argmax(gap))
                    if gap[where] > best[0] + 1e-9:
                        record = {
                            "refutes": letter(at),
                            "picture": specimen + 1,
                            "panel": panel.title,
                            "quantity": f"{name} at {x[where]:.6g}",
                            "value": float(f"{y[where]:.4g}"),
                            "unit": panel.y[1],
                        }
                        best = (float(gap[where]), record)
        if best[0] >= CLEAR * 1.2:
            found.append(best)
    found.sort(key=lambda pair: -pair[0])
    return [record for _, record in found[: 2 * ENOUGH]]


def refuted(world: World, reply: str) -> tuple[int, int, bool]:
    """Options that are refuted rightly, readings given, and whether none speaks against the chosen option."""
    block = json_object(reply, ("readings",)) or {}
    records = block.get("readings")
    given = [record for record in records if isinstance(record, dict)] if isinstance(records, list) else []
    chosen = choice(reply).letter
    shown = shown_curves(world)[1] if given else []
    right = {str(record["refutes"]) for record in given[:100] if _is_right(world, shown, record)}
    against = chosen is None or any(str(record.get("refutes")) == chosen for record in given)
    # Without one right reading there is nothing that could be consistent.
    return len(right), len(given), bool(right) and not against


def _is_right(world: World, shown: Sequence[Sequence[dict[str, Any]]], record: Mapping[str, Any]) -> bool:
    """Whether a record reads its picture rightly and no picture that its option allows could show it."""
    instrument = instruments()[world["instrument"]]
    name, _, place = str(record.get("quantity", "")).rpartition(" at ")
    # Pictures show the panel A of specimen 1 as A1.
    panels = [panel.title for panel in instrument.panels[:-1]]
    title = str(record.get("panel")).strip().removesuffix(str(record.get("picture")))
    options = [letter(at) for at in range(OPTIONS)]
    numbers = [quantity(plain(folded(str(text)[:100]))) for text in (place, record.get("value", ""))]
    if (
        title not in panels
        or str(record.get("picture")) not in ("1", "2")
        or record.get("refutes") not in options
        or None in numbers
    ):
        return False
    at, specimen = panels.index(title), int(str(record["picture"])) - 1
    curves = shown[specimen][at]
    x, value = (float(number.value) for number in numbers if number is not None)
    places = simulate.places(instrument.panels[at])
    name = name.strip().casefold()
    if name not in curves or not places[0] <= x <= places[-1]:
        return False
    nearest_place = int(np.argmin(np.abs(places - x)))
    bound = READING * simulate.heights(instrument, list(shown[specimen]))[at]
    others = _predicted(world, world["options"][options.index(str(record["refutes"]))], specimen)
    return bool(abs(value - curves[name][nearest_place]) <= bound) and all(
        abs(value - other[at][name][nearest_place]) >= CLEAR * bound for other in others
    )
