"""Acceptance of the sets v1 on fresh tasks: what agents and attackers score, and what must be uniform.

`assay petri accept` prints it. Tasks are made from a seed that is given, so that the published tasks are not
touched.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

from assay.agents.solver import SolverAgent
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers import rng
from assay.protocol import Json, Result, Solver
from assay.sessions.pacing import Pace
from assay.suites.petri import SUITE
from assay.suites.petri.experiments.replicates import mean
from assay.suites.petri.questions.answers import BUDGET
from assay.suites.petri.v1.arms import arms, runs_of_arm, shown
from assay.suites.petri.v1.runs import run
from assay.suites.petri.v1.stored.curves import power
from assay.suites.petri.v1.stored.teams import band_of
from assay.suites.petri.v1.world import HeldWorld
from assay.task import Task

CHANCE = {"L1": 40.0, "L2": 32.5}
"""Points of a guess without a call that names the changed parameter, with a direction that is right by
half."""

CHANCE_OF_PAIR = 25.5
"""Mean score of a guess at L3, with four candidates, by enumeration."""

ABOVE = 5.0
"""A shortcut may score this much above chance, and a standard error more."""

HONEST = {"L1": 88.0, "L2": 86.0, "L3": 80.0}
"""Least mean score of `controlled` on easy and moderate tasks."""

HELD_SIGNIFICANT = 0.065
"""Largest share of probes that hold the changed parameter with p < .05."""


OFF_TIME = 0.02
"""Largest distance from 1 of the ratio of two reply times."""


@dataclass(frozen=True)
class Played:
    """One episode: the band and the world of its task, and its metrics."""

    band: str
    world: str
    metrics: dict[str, float]


def chance(params: Mapping[str, Any]) -> float:
    """Return the mean score of a guess without a call at a set with these parameters."""
    if params.get("proof") or params.get("question"):
        return 0.0  # without a call nothing is proved
    return CHANCE_OF_PAIR if params["tier"] == "L3" else CHANCE[params["tier"]] / params["members"]


def tasks(name: str, seed: int, n: int) -> Iterator[Task]:
    """Yield fresh tasks of a set."""
    room, blobs = SUITE.room("tasks"), MemoryBlobs()
    recipe = replace(room.SETS[name], seed=seed)
    for index in range(n):
        yield room.generate(recipe, name, index, seed, blobs)


def episodes(name: str, solver: Solver, seed: int, n: int) -> Iterator[Played]:
    """Let a solver play fresh tasks of a set."""
    materials = materials_for(SUITE, MemoryBlobs())
    for task in tasks(name, seed, n):
        episode = play(SUITE, task, "accepted", SolverAgent(solver, task), 0, materials)
        scores = SUITE.room("scoring").score(task, episode, materials)
        metrics = {score.metric: score.value for score in scores if score.value is not None}
        yield Played(task.strata["band"], task.public["world"], metrics)


def agent_rows(name: str, agent: str, seed: int, n: int) -> list[dict[str, Any]]:
    """Return the mean score of an agent over all tasks, over those that are not hard, by band and by world.

    The bound of `controlled` is for four candidates and a budget of eight, over easy and moderate tasks; that
    of shortcuts is for all sets, over all tasks.
    """
    solvers = {**SUITE.room("solvers").SOLVERS, **SUITE.room("shortcuts").SHORTCUTS}
    params = SUITE.room("tasks").SETS[name].params
    usual = params["members"] == 4 and params["budgets"] == [BUDGET]
    made = list(episodes(name, solvers[agent], seed, n))
    kinds = {"all": made, "easy and moderate": [m for m in made if m.band != "hard"]}
    kinds |= {band: [m for m in made if m.band == band] for band in ("easy", "moderate", "hard")}
    kinds |= {world: [m for m in made if m.world == world] for world in sorted({m.world for m in made})}
    rows = []
    for kind, of_kind in kinds.items():
        if of_kind:
            row = {"agent": agent, "tasks of": kind, **_summary(of_kind)}
            if agent == "controlled" and kind == "easy and moderate" and usual:
                bound = HONEST[params["tier"]]
                row |= {"bound": bound, "accepted": row["score"] >= bound}
            if agent.startswith("shortcut-") and kind == "all":
                bound = round(chance(params) + ABOVE, 1)
                row |= {"bound": bound, "accepted": row["score"] <= bound + row["se"]}
            rows.append(row)
    return rows


def _summary(made: list[Played]) -> dict[str, Any]:
    scores = [m.metrics["score"] for m in made]
    mean = math.fsum(scores) / len(scores)
    spread = math.fsum((s - mean) * (s - mean) for s in scores) / max(1, len(scores) - 1)
    share = {
        "solved": [m.metrics["solved"] for m in made],
        "rigor": [float(m.metrics["rigor"] > 0) for m in made],
        "calls": [m.metrics["calls"] for m in made],
    }
    means = {key: round(math.fsum(values) / len(values), 3) for key, values in share.items()}
    return {"n": len(made), "score": round(mean, 2), "se": round(math.sqrt(spread / len(made)), 2), **means}


def posterior(name: str, seed: int, n: int) -> dict[str, Any]:
    """Test whether the changed parameter's place in the list, and its name in a team, are uniform
    (chi-square)."""
    from scipy.stats import chi2

    at: Counter[int] = Counter()
    named: defaultdict[Any, Counter[str]] = defaultdict(Counter)
    params = SUITE.room("tasks").SETS[name].params
    members, tier = params["members"], params["tier"]
    for task in tasks(name, seed, n):
        candidates = task.public["candidates"]
        for driver in task.hidden["drivers"]:
            at[candidates.index(driver["parameter"])] += 1
            named[task.public["world"], tuple(sorted(candidates))][driver["parameter"]] += 1
    square, degrees = 0.0, 0
    for (_, team), counts in named.items():
        expected = counts.total() / members
        if expected >= 5:
            square += math.fsum((counts[p] - expected) ** 2 / expected for p in team)
            degrees += members - 1
    expected = at.total() / members
    places = math.fsum((at[i] - expected) ** 2 / expected for i in range(members))
    p = {"place": float(chi2.sf(places, members - 1)), "name": float(chi2.sf(square, max(1, degrees)))}
    # At L3 the table of pairs keeps the shares of names within limits, which a test of the table checks.
    tested = [p["place"]] if tier == "L3" else list(p.values())
    return {"tasks": n, "p_place": p["place"], "p_name": p["name"], "accepted": min(tested) > 0.001}


def null(name: str, seed: int, n: int) -> dict[str, Any]:
    """Return how often a probe that holds the changed parameters has p < .05, at random legal values."""
    hits = 0
    for k, task in enumerate(tasks(name, seed, n)):
        stream = rng.stream(seed, "petri", "null", k)
        config = {}
        for driver in task.hidden["drivers"]:
            parameter = driver["parameter"]
            low, high = task.public["ranges"][parameter]
            value = low + (high - low) * stream.uniform()
            config[parameter] = round(value, task.public["decimals"][parameter])
        first, second = arms(task.public, task.hidden, "probe", {"config": config})
        p: Any = shown(first, second, task.public["budget"])["p"]
        hits += p < 0.05
    return {"probes": n, "significant": hits / n, "accepted": hits / n <= HELD_SIGNIFICANT}


def false_backing(name: str, seed: int, n: int) -> dict[str, Any]:
    """Return how often repeated forms of one question back a wrong candidate; at most 5 % and a standard
    error."""
    from assay.suites.petri.v1.solvers.acts import solver
    from assay.suites.petri.v1.solvers.shortcuts import shopper

    shopping = replace(solver(shopper), privileged=True)
    backed = sum(made.metrics["rigor"] > 0 for made in episodes(name, shopping, seed, n)) / n
    return {"episodes": n, "backed": backed, "accepted": backed <= 0.05 + math.sqrt(0.05 * 0.95 / n)}


def rating(name: str, seed: int, n: int, runs: int = 1000, world: str | None = None) -> dict[str, Any]:
    """Compare stored effects and powers of fresh tasks with independent runs of control and hidden world.

    Args:
        name: The set, of tier L1 or L2.
        seed: The seed of the tasks and of the runs.
        n: The number of tasks.
        runs: Runs of the hidden world; the control has three times as many.
        world: The only world to compare; None for all.

    Returns:
        Root mean square and mean of the difference in power, the share of tasks whose band changes, and the
        mean difference of the effect by world and parameter, which must lie within 2 % of control.
    """
    powers: list[float] = []
    bands = 0
    effects: defaultdict[str, list[float]] = defaultdict(list)
    for k, task in enumerate(tasks(name, seed, n)):
        hidden, of_task = task.hidden, task.public["world"]
        if world not in (None, of_task):
            continue
        stream = rng.stream(seed, "petri", "rating", k)
        changed = {d["parameter"]: d["value"] for d in hidden["drivers"]}
        before = run(of_task, {}, [stream.bits() >> 11 for _ in range(3 * runs)])
        after = run(of_task, changed, [stream.bits() >> 11 for _ in range(runs)])
        measured = power(before, after, 0.0, 1.0, "rating", k)
        powers.append(hidden["power"] - measured)
        bands += band_of(measured) != hidden["band"]
        change = (mean(after) - mean(before)) / abs(mean(before))
        sign = -1 if hidden["direction"] == "down" else 1
        effects[f"{of_task} {next(iter(changed))} {hidden['direction']}"].append(
            change - sign * hidden["size"]
        )
    return {
        "tasks": len(powers),
        "rms": round(math.sqrt(math.fsum(d * d for d in powers) / len(powers)), 4),
        "bias": round(math.fsum(powers) / len(powers), 4),
        "bands changed": round(bands / len(powers), 3),
        "effects": {key: [len(v), round(math.fsum(v) / len(v), 4)] for key, v in sorted(effects.items())},
    }


def timing(name: str, seed: int, n: int) -> dict[str, Any]:
    """Compare the time of a probe of the control with that of an experiment, as a live session passes them
    on.

    Returns:
        How far the median ratio of both times is from 1 for the worst changed parameter, with fixed reply
        times and without; and the number of tasks in which a reply was late, so that the machine was too slow
        for the fixed time. Such a session is marked, and does not count here.
    """
    ratios: dict[bool, defaultdict[str, list[float]]] = {fixed: defaultdict(list) for fixed in (True, False)}
    late = 0
    for task in tasks(name, seed, n):
        world = HeldWorld(task)
        aside: Json = {"config_a": {}, "config_b": {**_aside(task)}}
        requests: dict[str, Json] = {"experiment": aside, "probe": {"config": {}}}
        for tool, arguments in requests.items():
            _unseen(world, tool, arguments)  # compiles the engine
        for fixed in (True, False):
            pace = Pace.of(SUITE, task) if fixed else Pace({})
            runs_of_arm.cache_clear()
            seconds = {}
            for tool, arguments in requests.items():
                start = time.perf_counter()
                pace.call(partial(_unseen, world), tool, arguments)
                seconds[tool] = time.perf_counter() - start
            late += pace.late > 0
            if not pace.late:
                changed = "+".join(driver["parameter"] for driver in task.hidden["drivers"])
                ratios[fixed][changed].append(seconds["probe"] / seconds["experiment"])
    off = {
        fixed: max((abs(median(of_one) - 1) for of_one in of_all.values()), default=math.inf)
        for fixed, of_all in ratios.items()
    }
    return {
        "tasks": n,
        "off": round(off[True], 4),
        "off without": round(off[False], 3),
        "late": late,
        "accepted": off[True] <= OFF_TIME,
    }


def _unseen(world: Any, tool: str, arguments: Json) -> Result:
    """Call a world without a harness, which would add its own time."""
    result: Result = world.call(tool, arguments, None)
    return result


def _aside(task: Task) -> dict[str, float]:
    """Return one step of a parameter's value away from control, which hardly changes a run's time."""
    name = task.public["candidates"][0]
    _, high = task.public["ranges"][name]
    step = 10.0 ** -task.public["decimals"][name]
    control = task.public["control"][name]
    return {name: control + step if control + step <= high else control - step}
