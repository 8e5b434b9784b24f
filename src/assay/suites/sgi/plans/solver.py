"""A solver that is given the prompt alone: it fits the stated model to the published runs, then plans."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.suites.sgi.bench.decisions import Choices
from assay.suites.sgi.plans.choices import good, names_of
from assay.suites.sgi.plans.prompt import read_structure, sheet
from assay.suites.sgi.plans.surface import scaled

WIDEST = 0.75
"""A factor whose fitted width is larger does not matter."""

STARTS = 4


def read_studies(world: Mapping[str, Any], text: str) -> list[tuple[str, Any, Any, Any]]:
    """Of each study the instrument, scaled settings, days and readings."""
    head = " | ".join([*(factor["name"] for factor in world["factors"]), "day", "reading"])
    lines = text.splitlines()
    studies = []
    for at, line in enumerate(lines):
        if line != head:
            continue
        rows = []
        for other in lines[at + 1 :]:
            if " | " not in other:
                break
            rows.append([float(value) for value in other.split(" | ")])
        table = np.array(rows)
        settings = np.array([[scaled(world, n, x) for n, x in enumerate(row[:-2])] for row in rows])
        instrument = "exact" if "exact instrument" in lines[at - 1] else "cheap"
        studies.append((instrument, settings, table[:, -2].astype(int), table[:, -1]))
    return studies


def read_world(text: str) -> dict[str, Any]:
    """The world as the prompt tells it, its surface fitted to the published runs."""
    from scipy.optimize import least_squares

    world = read_structure(text)
    rows = [line.split(" | ") for line in text.splitlines()]
    start = next(at for at, row in enumerate(rows) if row[0] == "true signal") + 1
    pairs = [(float(row[0]), float(row[1])) for row in rows[start : start + 5]]
    world["saturation"] = float(np.median([s * seen / max(s - seen, 1e-6) for s, seen in pairs]))
    studies = read_studies(world, text)
    settings = np.concatenate([study[1] for study in studies])
    seen = np.concatenate([study[3] for study in studies])
    cheap = np.concatenate([np.full(len(study[3]), study[0] == "cheap") for study in studies])
    days = [(number, int(day)) for number, study in enumerate(studies) for day in study[2]]
    known = sorted(set(days))
    which = np.array([known.index(day) for day in days])
    noise = np.where(cheap, world["noise"]["cheap"], world["noise"]["exact"])
    count = settings.shape[1]

    def residuals(x: Any) -> Any:
        top, sharp, effect = x[:count], np.exp(x[count : 2 * count]), x[2 * count :]
        q = ((settings - top) ** 2 * sharp).sum(axis=1)
        signal = (1.0 + effect[which]) / (1.0 + q / 2.0)
        shown = np.where(cheap, world["saturation"] * signal / (world["saturation"] + np.abs(signal)), signal)
        return np.concatenate([(shown - seen) / noise, effect / 0.15, (x[count : 2 * count] - 1.0) / 2.5])

    low = np.concatenate([np.full(count, -0.1), np.full(count, -4.0), np.full(len(known), -0.8)])
    high = np.concatenate([np.full(count, 1.1), np.full(count, 6.0), np.full(len(known), 0.8)])
    usual = np.array(world["usual"])
    best = None
    for number in range(STARTS):
        side = [((at * 7 + number * 3) % 4) / 3.0 for at in range(count)]
        top = np.clip(
            0.5 * np.array(side) + 0.5 * (settings[int(np.argmax(seen))] if number % 2 else usual), 0, 1
        )
        x0 = np.concatenate([top, np.full(count, 1.5), np.zeros(len(known))])
        found = least_squares(residuals, x0, bounds=(low, high), loss="soft_l1", max_nfev=40)
        if best is None or found.cost < best.cost:
            best = found
        if best.cost < len(seen):  # chi square per run below 2: another start would find the same
            break
    assert best is not None
    width = [1.0 / math.sqrt(math.exp(value)) for value in best.x[count : 2 * count]]
    active = [at for at in range(count) if width[at] < WIDEST]
    effects = best.x[2 * count :]
    return {
        **world,
        "active": active or [int(np.argmin(width))],
        "top": [round(float(min(max(value, 0.0), 1.0)), 4) for value in best.x[:count]],
        "width": [round(value, 4) for value in width],
        "cross": 0.0,
        "dead": {"factors": [0, 1], "lean": [1.0, 1.0], "beyond": 9.0},
        "day_effect": round(float(np.std(effects)), 4),
        "key": 20_000_003,
    }


def solve(text: str) -> tuple[dict[str, Any], Choices]:
    """The world as understood, and decisions that do well in it."""
    world = read_world(text)
    return world, good(world, sheet(world, text, names_of(world)))
