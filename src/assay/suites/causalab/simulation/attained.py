"""What an optimal agent reaches in the sealed settings, as means over fresh tasks.

`curve` lets the best interventions (`metrics.attainable`) be made in tasks that no set has, and scores the
best guess after each. The means are kept in `data/attained.yaml`, since they take minutes; the long tier
computes them again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from assay.config import data
from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.metrics.attainable import CERTAIN, SHIFT, Known
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.metrics.recovery import agreement
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.simulation import sealed
from assay.suites.causalab.simulation.conditions import Setup, shown
from assay.suites.causalab.simulation.laboratory import Manipulator

DATA_FILES = ("../data/attained.yaml",)

SEED = 20_270_101
"""The seed of the fresh tasks, which no set has."""

TASKS = 150
"""Number of fresh tasks of each size and number of records."""

MOST = 8
"""Number of interventions after which a curve ends; its last value holds from there on."""

SETTINGS = ((3, 2), (4, 0), (4, 2), (4, 3), (5, 2), (6, 0), (6, 2), (6, 5), (7, 2))
"""Variables and records of the curves: those of the main setting and of the regimes with interventions."""


def curve(nodes: int, records: int, tasks: int = TASKS) -> list[tuple[float, float]]:
    """Return the mean F1 of all edges after 0, 1, ... interventions, each with its standard error."""
    columns: list[list[float]] = [[] for _ in range(MOST + 1)]
    for place in range(tasks):
        reached = _episode(nodes, records, place)
        for uses, values in enumerate(columns):
            values.append(reached[min(uses, len(reached) - 1)])
    return [_mean(values) for values in columns]


def _mean(values: list[float]) -> tuple[float, float]:
    middle = math.fsum(values) / len(values)
    spread = math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
    return round(middle, 4), round(math.sqrt(spread / len(values)), 4)


def _episode(nodes: int, records: int, place: int) -> list[float]:
    """Return the F1 after each intervention until the graph is certain."""
    cell = {"setting": f"attained-{records}", "nodes": nodes}
    model, crystals = sealed.draw(cell, place, records, SEED, SEED)
    names = model.properties
    crystal = Manipulator(model, crystals["manipulator"])
    seen = [shown(model.evaluate(bases), model.names) for bases in crystals["records"]]
    reactor = shown(model.evaluate(crystals["reactor"]), names)
    states: list[Values] = []
    targets: list[str] = []
    first_set = ""
    reached = []
    for _ in range(MOST + 1):
        evidence = Evidence(seen, tuple(states), tuple(targets))
        final = Known(names, evidence, (reactor,), first_set)
        graph, _ = beliefs.best_graph(final.belief)
        reached.append(agreement(beliefs.named(names, graph), model.edges).f1)
        now = Known(names, evidence, (), first_set)
        if now.entropy <= CERTAIN:
            break
        name, _ = now.best(names)
        value = SHIFT + (states[-1][name] if states else 0.0)
        if states:
            targets.append(name)
        else:
            first_set = name
        states.append(shown(crystal.intervene(name, round(value, 2)), model.names))
    return reached


@cache
def attained() -> Mapping[tuple[int, int], list[float]]:
    """Return the kept means by number of variables and of records."""
    kept = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, list[list[float]]])
    curves = {}
    for key, points in kept.items():
        nodes, _, records = key.partition(" variables, ")
        curves[int(nodes), int(records.removesuffix(" records"))] = [mean for mean, _ in points]
    return curves


def attainable_f1(setup: Setup, uses: int) -> float | None:
    """Return the mean F1 that an optimal agent reaches with a number of interventions, where it is known.

    It is not known in the embodied laboratory, which shows the start of the manipulator.
    """
    if setup.conditions.front != "text":
        return None
    points = attained().get((len(setup.model.names), setup.conditions.records))
    return None if points is None else points[min(uses, len(points) - 1)]
