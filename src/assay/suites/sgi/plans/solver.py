"""A solver that is given the prompt alone: it fits the stated model to the published runs, then plans."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.suites.sgi.frame.decision import Choices
from assay.suites.sgi.plans.choices import good, names_of
from assay.suites.sgi.plans.literature import MEAN_OF
from assay.suites.sgi.plans.prompt import heading, read_structure, sheet
from assay.suites.sgi.plans.questions import question_of
from assay.suites.sgi.plans.surface import scaled

WIDEST = 0.75
"""A factor whose fitted width is larger does not matter."""

STARTS = 4


def read_studies(world: Mapping[str, Any], text: str) -> list[tuple[str, Any, Any, Any]]:
    """Of each study the instrument, scaled settings, days and readings."""
    head, count = heading(world), len(world["factors"])
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
        settings = np.array([[scaled(world, n, x) for n, x in enumerate(row[:count])] for row in rows])
        instrument = "exact" if "exact instrument" in lines[at - 1] else "cheap"
        readings = table[:, count + 1 :]
        seen = readings if readings.shape[1] > 1 else readings[:, 0]
        studies.append((instrument, settings, table[:, count].astype(int), seen))
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
    noise = np.where(cheap, world["noise"]["cheap"], world["noise"]["exact"]) / math.sqrt(MEAN_OF)
    count = settings.shape[1]

    question = question_of(world)
    bounds = [] if question is None else list(question.PARAMETERS.values())
    names = [] if question is None else list(question.PARAMETERS)
    at_question = 2 * count + len(known)
    suits = np.array([0.0 if at in world["asked"] else 1.0 for at in range(count)])
    strength = seen.max(axis=1) if seen.ndim > 1 else seen

    def residuals(x: Any, turn: int, form: float) -> Any:
        top, sharp, effect = x[:count], np.exp(x[count : 2 * count]), x[2 * count : at_question]
        q = ((settings - top) ** 2 * sharp * suits).sum(axis=1)
        signal = (1.0 + effect[which]) / (1.0 + q / 2.0)
        if question is not None:
            hidden = {"form": form, **dict(zip(names, x[at_question:].tolist(), strict=True))}
            signal = (signal * question.signal(hidden, settings[:, world["asked"]], turn).T).T
        limit = world["saturation"]
        shown = np.where(cheap, limit * signal.T / (limit + np.abs(signal.T)), signal.T)
        off = ((shown - seen.T) / noise).ravel()
        prior = (x[count : 2 * count] - 1.0) / 2.5
        return np.concatenate([off, effect / 0.15, prior])

    low = np.concatenate([np.full(count, -0.1), np.full(count, -4.0), np.full(len(known), -0.8)])
    high = np.concatenate([np.full(count, 1.1), np.full(count, 6.0), np.full(len(known), 0.8)])
    low, high = (np.concatenate([ends, [b[n] for b in bounds]]) for n, ends in enumerate((low, high)))
    usual = np.array(world["usual"])
    best, turn, form = None, 0, 0.0
    for number in range(STARTS if question is None else 2 * max(2, question.TURNS)):
        side = [((at * 7 + number * 3) % 4) / 3.0 for at in range(count)]
        top = np.clip(
            0.5 * np.array(side) + 0.5 * (settings[int(np.argmax(strength))] if number % 2 else usual), 0, 1
        )
        middle = [low_end + 0.501 * (high_end - low_end) for low_end, high_end in bounds]
        x0 = np.concatenate([top, np.full(count, 1.5), np.zeros(len(known)), middle])
        law, shape = (0, 0) if question is None else (number // 2 % question.TURNS, number % 2)
        found = least_squares(
            residuals,
            x0,
            bounds=(low, high),
            loss="soft_l1",
            ftol=1e-4,
            max_nfev=20 if world["asked"] else 40,
            args=(law, float(shape)),
        )
        if best is None or found.cost < best.cost:
            best, turn, form = found, law, float(shape)
        if best.cost < seen.size:  # chi square per run below 2: another start would find the same
            break
    assert best is not None
    width = [1.0 / math.sqrt(math.exp(value)) for value in best.x[count : 2 * count]]
    condition = [at for at in range(count) if at not in world["asked"]]
    active = [at for at in condition if width[at] < WIDEST]
    effects = best.x[2 * count : at_question]
    return {
        **world,
        "active": active or [min(condition, key=lambda at: width[at])],
        "top": [round(float(min(max(value, 0.0), 1.0)), 4) for value in best.x[:count]],
        "width": [round(value, 4) for value in width],
        "cross": 0.0,
        "dead": {"factors": [0, 1], "lean": [1.0, 1.0], "beyond": 9.0},
        "day_effect": round(float(np.std(effects)), 4),
        "parameters": {"form": form}
        | {name: round(float(value), 4) for name, value in zip(names, best.x[at_question:], strict=True)},
        "true": turn,
        "key": 20_000_003,
    }


def solve(text: str) -> tuple[dict[str, Any], Choices]:
    """The world as understood, and decisions that do well in it."""
    world = read_world(text)
    return world, good(world, sheet(world, text, names_of(world)))
