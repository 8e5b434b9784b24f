"""Generation of tasks of the sets v1: everything that an agent is shown first, the changed parameter last.

No simulation is run. A task of tier L1 or L2 is drawn as follows: what is wanted (a band or a size class),
the direction, the size of the effect, a team of candidates that could all have caused it, their order, and
last, uniformly, the one of them that was changed. Nothing after that can reject the task, so each candidate
is equally likely given all that is shown.
"""

from __future__ import annotations

from typing import Any

from assay.numbers import rng
from assay.protocol import TaskSet
from assay.suites.petri.questions.acceptance import broken
from assay.suites.petri.questions.answers import BUDGET, choices
from assay.suites.petri.v1.ranges import WORLDS, target
from assay.suites.petri.v1.rules import VARIANT
from assay.suites.petri.v1.store import Curve
from assay.suites.petri.v1.teams import Place, able, places, size_class
from assay.task import Task

VERSION = 2

KEY_WORDS = 4
"""The key of a task's random numbers has this many words of 64 bits."""


def worlds(tier: str, members: int) -> list[str]:
    """Return the worlds that have tasks of a tier with this number of candidates."""
    return [name for name in WORLDS if places(name, tier, members)]


def generate(task_set: TaskSet, set_name: str, index: int, task_seed: int) -> Task:
    """Generate one task; its index says only which world it is in and which budget it has.

    Args:
        task_set: The set; `params` has `tier`, `members` and `budgets`.
        set_name: The set's name.
        index: The task's index.
        task_seed: The secret seed of the task.
    """
    tier, members = task_set.params["tier"], task_set.params["members"]
    possible = worlds(tier, members)
    world = possible[index % len(possible)]
    budgets = task_set.params.get("budgets", [BUDGET])
    budget = budgets[index // len(possible) % len(budgets)]
    stream = rng.stream(task_seed, "petri", "v1")
    key = "".join(f"{stream.bits():016x}" for _ in range(KEY_WORDS))
    found = places(world, tier, members)
    wanted = stream.choice(sorted(found))
    direction = stream.choice(sorted(found[wanted]))
    place = stream.choice(found[wanted][direction])
    candidates = list(stream.choice(place.teams))
    stream.shuffle(candidates)
    culprit = stream.choice(candidates)
    curve = able(world, direction, place.size)[culprit]
    value = curve.value_at(place.size)
    assert value is not None
    return _task(set_name, index, task_seed, tier, world, budget, candidates, place, curve, value, key)


def _task(
    set_name: str,
    index: int,
    task_seed: int,
    tier: str,
    world: str,
    budget: int,
    candidates: list[str],
    place: Place,
    curve: Curve,
    value: float,
    key: str,
) -> Task:
    return Task(
        suite="petri",
        task_set=set_name,
        task_id=f"{index:05d}-{tier.lower()}-{world}",
        seed=task_seed,
        version=VERSION,
        strata={"tier": tier, "world": world, "band": place.band, "variant": VARIANT},
        public=public(tier, world, candidates, budget),
        hidden={
            "drivers": [{"parameter": curve.parameter.name, "value": value}],
            "direction": place.direction,
            "magnitude": size_class(place.size) if tier == "L2" else None,
            "interaction": None,
            "key": key,
            "band": place.band,
            "size": round(place.size, 4),
            "power": round(curve.power_at(place.size), 4),
        },
    )


def public(tier: str, world: str, candidates: list[str], budget: int) -> dict[str, Any]:
    """Return the public half of a task."""
    described = WORLDS[world]
    return {
        "tier": tier,
        "world": world,
        "target": target(world),
        "control": described.control,
        "ranges": {p.name: list(p.legal) for p in described.parameters},
        "decimals": {p.name: p.decimals for p in described.parameters},
        "candidates": candidates,
        "choices": choices(tier),
        "budget": budget,
        "variant": VARIANT,
    }


def verify(task: Task) -> None:
    """Compare a task with the stored curves.

    Raises:
        TaskError: The task's truth is not what the curves say, or not every candidate could have caused it.
    """
    try:
        hidden = task.hidden
        world, size = task.public["world"], hidden["size"]
        could = able(world, hidden["direction"], size)
        name, value = hidden["drivers"][0]["parameter"], hidden["drivers"][0]["value"]
        team = set(task.public["candidates"])
        curve = could.get(name)
    except (KeyError, TypeError, IndexError) as problem:
        raise broken(task, f"its hidden part is incomplete ({problem})") from problem
    if curve is None or not team <= could.keys() or name not in team:
        raise broken(task, "a candidate cannot cause its effect")
    if curve.value_at(size) != value or (
        task.public["tier"] == "L2" and size_class(size) != hidden["magnitude"]
    ):
        raise broken(task, "its truth is not what the stored curves say")
    if task.public != public(task.public["tier"], world, task.public["candidates"], task.public["budget"]):
        raise broken(task, "its public half is not that of its world")
