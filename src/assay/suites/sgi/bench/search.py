"""Good decisions by coordinate search on the simulator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.sgi.bench.decisions import matters, of_world, textbook
from assay.suites.sgi.bench.protocol import execute, steps_of
from assay.suites.sgi.bench.score import outcome, worth
from assay.suites.sgi.frame.decision import Choices, Value, rounded

SWEEPS = 2


def good(world: Mapping[str, Any], given: Mapping[str, Value] | None = None, sweeps: int = SWEEPS) -> Choices:
    """Decisions that do well in a world; `given` ones stay. The best of the climbs from all starts."""
    given = dict(given or {})
    climbed = [_climbed(world, start, given, sweeps) for start in starts(world)]
    return max(climbed, key=lambda choices: _worth(world, choices))


def starts(world: Mapping[str, Any]) -> list[Choices]:
    """Where searches begin: the usual values without a stop, and the middle of each range.

    Two basins are common (one large column or two small ones, one solvent or the other), and one climb over
    single decisions does not leave the basin it starts in.
    """
    middle = {name: decision.at(0.5) for name, decision in of_world(world).items()}
    return [{**textbook(world), "stop": "none"}, {**middle, "stop": "none"}]


def _climbed(world: Mapping[str, Any], start: Choices, given: Mapping[str, Value], sweeps: int) -> Choices:
    """Coordinate search from one start: the grid of each decision first, then values beside the best one."""
    best: Choices = {**start, **given}
    value = _worth(world, best)
    open_ones = {name: d for name, d in of_world(world).items() if name not in given}
    for sweep in range(sweeps):
        improved = False
        for name, decision in open_ones.items():
            if not matters(name, best) or name == "balance":
                continue
            grid = list(decision.grid())
            if sweep and not decision.values:
                grid = _near(decision, float(best[name]))
            for candidate in grid:
                if candidate == best[name]:
                    continue
                trial = {**best, name: candidate}
                found = _worth(world, trial)
                if found > value + 1e-9:
                    best, value, improved = trial, found, True
        if sweep and not improved:
            break
    return {**settled(world, best), **given}


def _near(decision: Any, at: float) -> list[Value]:
    n = decision.points - 1
    if decision.even:
        step = (decision.high - decision.low) / n
        around = [at + step * share for share in (-1.0, -0.5, 0.5, 1.0)]
    else:
        step = (decision.high / decision.low) ** (1 / n)
        around = [at * step**share for share in (-1.0, -0.5, 0.5, 1.0)]
    return [rounded(max(decision.low, min(decision.high, value))) for value in around]


def settled(world: Mapping[str, Any], choices: Choices) -> Choices:
    """The same decisions with the one that follows from others: the balance of the rotor."""
    made = dict(choices)
    if "balance" in made:
        places = len(world["samples"]) * int(made.get("columns", 1))
        made["balance"] = "yes" if places % 2 else "no"
    return made


def _worth(world: Mapping[str, Any], choices: Choices) -> float:
    return worth(world, outcome(execute(world, steps_of(world, settled(world, choices)))))
