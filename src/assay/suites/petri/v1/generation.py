"""Generation of tasks of the sets v1: everything that an agent is shown first, the changed parameter last.

No simulation is run. A task of tier L1 or L2 is drawn as follows: what is wanted (a band or a size class),
the direction, the size of the effect, a team of candidates that could all have caused it, their order, and
last, uniformly, the one of them that was changed. Nothing after that can reject the task, so each candidate
is equally likely given all that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.numbers import rng
from assay.protocol import TaskSet
from assay.suites.petri.questions.acceptance import broken
from assay.suites.petri.questions.answers import BUDGET, INTERACTIONS, choices
from assay.suites.petri.v1.ranges import WORLDS, target
from assay.suites.petri.v1.rules import VARIANT, question_of
from assay.suites.petri.v1.signatures import asked, public_of, signature_of
from assay.suites.petri.v1.stored import pairs
from assay.suites.petri.v1.stored.teams import LEAST_KEYS, able, band_of, places, size_class
from assay.task import Task

VERSION = 2

BANDS_OF = {"vector": ("easy",), "blind": ("easy", "moderate")}
"""Bands of the tasks that ask another question. In a vector task p is corrected for five metrics, too, so
that a smaller change would show in none of them."""

KEY_WORDS = 4
"""The key of a task's random numbers has this many words of 64 bits."""


def worlds(tier: str, members: int, bands: Sequence[str] | None = None) -> list[str]:
    """Return the worlds with teams of this size for at least two keys, one of which is in `bands`."""
    drawn = {name: places(name, tier, members) for name in WORLDS}
    return [
        name
        for name, keys in drawn.items()
        if len(keys) >= LEAST_KEYS and any(bands is None or key in bands for key in keys)
    ]


def generate(task_set: TaskSet, set_name: str, index: int, task_seed: int) -> Task:
    """Generate one task; its index says only which world it is in and which budget it has.

    Args:
        task_set: The set; `params` has `tier`, `members` and `budgets`.
        set_name: The set's name.
        index: The task's index.
        task_seed: The secret seed of the task.
    """
    tier, members = task_set.params["tier"], task_set.params["members"]
    question = task_set.params.get("question", "")
    bands = BANDS_OF.get(question)
    possible = pairs.worlds() if tier == "L3" else worlds(tier, members, bands)
    world = possible[index % len(possible)]
    budgets = task_set.params.get("budgets", [BUDGET])
    budget = budgets[index // len(possible) % len(budgets)]
    stream = rng.stream(task_seed, "petri", "v1")
    key = "".join(f"{stream.bits():016x}" for _ in range(KEY_WORDS))
    if tier == "L3":
        candidates, band, hidden = _two(world, tier, members, stream)
    else:
        candidates, band, hidden = _one(world, tier, members, stream, bands)
    task = Task(
        suite="petri",
        task_set=set_name,
        task_id=f"{index:05d}-{tier.lower()}-{world}",
        seed=task_seed,
        version=VERSION,
        strata={"tier": tier, "world": world, "band": band, "variant": VARIANT},
        public=public(tier, world, candidates, budget, proof=bool(task_set.params.get("proof"))),
        hidden={**hidden, "key": key, "band": band},
    )
    return asked(task, question, stream) if question else task


Drawn = tuple[list[str], str, dict[str, Any]]
"""Candidates, band and truth of a task."""


def _one(
    world: str, tier: str, members: int, stream: rng.Stream, bands: Sequence[str] | None = None
) -> Drawn:
    """Draw a task with one changed parameter, which is drawn last.

    If `bands` are given, its band is one of them.
    """
    of_world = {key: w for key, w in places(world, tier, members).items() if bands is None or key in bands}
    wanted = stream.choice(sorted(of_world))
    direction = stream.choice(sorted(of_world[wanted]))
    place = stream.choice(of_world[wanted][direction])
    candidates = list(stream.choice(place.teams))
    stream.shuffle(candidates)
    culprit = stream.choice(candidates)
    curve = able(world, direction, place.size)[culprit]
    hidden = {
        "drivers": [{"parameter": culprit, "value": curve.value_at(place.size)}],
        "direction": direction,
        "magnitude": size_class(place.size) if tier == "L2" else None,
        "interaction": None,
        "size": round(place.size, 4),
        "power": round(curve.power_at(place.size), 4),
    }
    return candidates, place.band, hidden


def _two(world: str, tier: str, members: int, stream: rng.Stream) -> Drawn:
    """Draw a task with two changed parameters from the table of the world."""
    row, cell = pairs.draw(world, stream)
    candidates = list(row.team)
    stream.shuffle(candidates)
    band = band_of(cell["power"])
    assert band is not None
    hidden = {
        "drivers": [{"parameter": p, "value": v} for p, v in zip(row.pair, cell["values"], strict=True)],
        "direction": None,
        "magnitude": None,
        "interaction": INTERACTIONS[cell["sign"] < 0],
        "size": cell["total"],
        "power": cell["power"],
    }
    return candidates, band, hidden


def public(tier: str, world: str, candidates: list[str], budget: int, *, proof: bool) -> dict[str, Any]:
    """Return the public half of a task; `proof` says that an answer counts only where it is proved."""
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
        **({"proof": True} if proof else {}),
    }


def verify(task: Task) -> None:
    """Compare a task with the stored curves, or at L3 with the table of its world.

    Raises:
        TaskError: The task's truth is not what they say, or not every candidate could have caused it.
    """
    try:
        public_half, hidden = task.public, task.hidden
        candidates, changed = (
            public_half["candidates"],
            {d["parameter"]: d["value"] for d in hidden["drivers"]},
        )
        (_verify_two if public_half["tier"] == "L3" else _verify_one)(task, changed)
    except (KeyError, TypeError, IndexError, ValueError) as problem:
        raise broken(task, f"its hidden part is incomplete ({problem})") from problem
    proof = bool(public_half.get("proof"))
    made = public(public_half["tier"], public_half["world"], candidates, public_half["budget"], proof=proof)
    question = question_of(public_half)
    if question:
        if hidden.get("signature") != signature_of(task):
            raise broken(task, "its signature is not what its seeds give")
        made = public_of(made, question, public_half["metrics"])
    if public_half != made:
        raise broken(task, "its public half is not that of its world")


def _verify_one(task: Task, changed: dict[str, float]) -> None:
    hidden, size = task.hidden, task.hidden["size"]
    could = able(task.public["world"], hidden["direction"], size)
    ((name, value),) = changed.items()
    if not {name} <= set(task.public["candidates"]) <= could.keys():
        raise broken(task, "a candidate cannot cause its effect")
    magnitude = size_class(size) if task.public["tier"] == "L2" else None
    if could[name].value_at(size) != value or magnitude != hidden["magnitude"]:
        raise broken(task, "its truth is not what the stored curves say")


def _verify_two(task: Task, changed: dict[str, float]) -> None:
    cell = pairs.find(task.public["world"], task.public["candidates"], changed)
    if cell is None or task.hidden["interaction"] != INTERACTIONS[cell["sign"] < 0]:
        raise broken(task, "its truth is not what the table of its world says")
