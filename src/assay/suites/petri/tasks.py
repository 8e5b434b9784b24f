"""Tasks: a hidden change is drawn until one passes all acceptance tests ("gates").

A task is a pure function of its seed and its cell (tier, world, wanted band, and at L2 the size, at L3 the
sign). The method follows section 3.2 of the paper; the curves of `experiments.curves` control the difficulty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import Blobs, TaskSet
from assay.suites.petri import boundary
from assay.suites.petri.boundary import narrow
from assay.suites.petri.boundary import tasks as boundary_tasks
from assay.suites.petri.experiments.curves import Step, menu
from assay.suites.petri.experiments.oracle import SAMPLE
from assay.suites.petri.questions.acceptance import (
    Draft,
    Driver,
    Findings,
    Rejected,
    broken,
    draft_of,
    examine,
    examine_seeds,
    gated_by_pairs,
    oracle_delta,
    representative,
)
from assay.suites.petri.questions.answers import (
    BUDGET,
    INTERACTIONS,
    REPLICATES,
    asks_for_signature,
    choices,
    magnitude,
    variant_of,
)
from assay.suites.petri.questions.sets import SETS as V0_SETS
from assay.suites.petri.questions.signatures import check_variant, true_signature
from assay.suites.petri.v1 import generation as held
from assay.suites.petri.v1.rules import is_held
from assay.suites.petri.v1.sets import SETS as V1_SETS
from assay.suites.petri.worlds import WORLDS, Side, World
from assay.task import Task

SETS: Mapping[str, TaskSet] = {**V0_SETS, **V1_SETS}
"""The task sets by name."""

VERSION = 1

TRIES = 200
LONG_TRIES = 500
"""Number of tries for hard L3 tasks: a hard and an easy driver with the wanted sign are rare."""

BLIND_LIMIT = 0.42
"""Largest mean power of a randomly drawn value for a parameter to count as hard to find."""

DECOYS = 2


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """Generate one task of a set.

    Args:
        task_set: The set; `params["cells"]` says what is wanted of each task.
        set_name: The set's name, which is part of the names of its random streams.
        index: The task's index; the set's cells are used in order and repeated.
        seed: The seed of the set.
        blobs: Not used by this suite.

    Returns:
        The first draft of the cell that passes all gates, as a task.

    Raises:
        TaskError: No draft passes the gates.
    """
    # A one-way function, so that a published task does not reveal the seed of its set.
    task_seed = rng.stream(seed, "petri", set_name, index).bits() >> 11
    if task_set.params.get("held"):
        return held.generate(task_set, set_name, index, task_seed)
    cells = task_set.params["cells"]
    cell = cells[index % len(cells)]
    if cell["tier"] == boundary.TIER:
        if task_set.params.get("narrow"):
            return narrow.generate(cell, set_name, index, task_seed)
        return boundary_tasks.generate(cell, set_name, index, task_seed)
    variant = variant_of(task_set.params)
    version = task_set.params.get("version", VERSION)
    draft, findings, tries = _search(cell, task_seed, variant, version)
    world = WORLDS[draft.world]
    candidates = [*draft.tests, *draft.decoys]
    rng.stream(task_seed, "petri", "candidates").shuffle(candidates)
    named = {"variant": variant} if variant else {}
    return Task(
        suite="petri",
        task_set=set_name,
        task_id=f"{index:05d}-{draft.tier.lower()}-{draft.world}",
        seed=task_seed,
        version=version,
        strata={"tier": draft.tier, "world": draft.world, "band": draft.band, **named},
        public={
            "tier": draft.tier,
            "world": draft.world,
            "metrics": list(world.metrics),
            **({} if asks_for_signature(named) else {"target": draft.metric}),
            "control": world.control,
            "candidates": candidates,
            "choices": choices(draft.tier, variant, list(world.metrics)),
            "budget": BUDGET,
            **named,
        },
        hidden={
            "drivers": [{"parameter": d.parameter, "value": d.value, "test": d.test} for d in draft.drivers],
            "decoys": [{"parameter": name, "test": value} for name, value in draft.decoys.items()],
            "direction": findings.direction,
            "magnitude": findings.magnitude,
            "interaction": INTERACTIONS[findings.interaction < 0] if findings.interaction else None,
            "seeds": list(draft.seeds),
            "tries": tries,
            "band": findings.band,
            "power": findings.power,
            "cliffs_delta": round(oracle_delta(draft, SAMPLE), 4),
            "evidence": findings.evidence,
            **({"signature": true_signature(draft)} if asks_for_signature(named) else {}),
        },
    )


def verify(task: Task) -> None:
    """Run the acceptance tests of a task again.

    A task of an archived set passed all of them while its set was frozen, and its hash is committed. Of such
    a task only what its own seeds show is run again, so that a changed engine is noticed; what the oracle's
    many seeds show is left to the committed calibration (`measured`).

    Raises:
        TaskError: The task fails a gate, or its truth or evidence is not what its seeds give.
    """
    archived = is_archived(task)
    if task.public["tier"] == boundary.TIER:
        verify_boundary = narrow.verify if "runs" in task.public else boundary_tasks.verify
        (boundary_tasks.verify_roughly if archived else verify_boundary)(task)
        return
    if is_held(task.public):
        held.verify(task)
        return
    draft, hidden = draft_of(task), task.hidden
    try:
        seen = examine_seeds(draft) if archived else examine(draft)
        check_variant(draft, variant_of(task.public))
    except Rejected as rejected:
        raise broken(task, f"it fails the gate {rejected.gate!r}") from rejected
    if asks_for_signature(task.public) and hidden["signature"] != true_signature(draft):
        raise broken(task, "its signature is not what its seeds give")
    made = asdict(seen)
    sign = made.pop("interaction")
    stated = {key: hidden[key] for key in made}
    if archived:
        stated["evidence"] = {
            **stated["evidence"],
            "change": {"harness": stated["evidence"]["change"]["harness"]},
        }
    if made != stated or sign != draft.sign:
        raise broken(task, "its truth or evidence is not what its seeds give")
    if sorted(task.public["candidates"]) != sorted([*draft.tests, *draft.decoys]):
        raise broken(task, "its candidates are not its drivers and decoys")


def is_archived(task: Task) -> bool:
    """Tell whether a task belongs to a set whose files are the input."""
    task_set = SETS.get(task.task_set)
    return task_set is not None and task_set.archived


def _search(
    cell: Mapping[str, Any], seed: int, variant: str = "", version: int = VERSION
) -> tuple[Draft, Findings, int]:
    """Return the first draft that passes all gates, its findings, and the number of drafts tried."""
    failed: Counter[str] = Counter()
    most = LONG_TRIES if (cell["tier"], cell["band"]) == ("L3", "hard") else TRIES
    for attempt in range(most):
        draft = _draw(cell, rng.stream(seed, "petri", "try", attempt))
        draft = replace(draft, paired=gated_by_pairs(variant, version))
        try:
            findings = examine(draft)
            check_variant(draft, variant)
            return draft, findings, attempt + 1
        except Rejected as rejected:
            failed[rejected.gate] += 1
    gate, times = failed.most_common(1)[0]
    raise TaskError(
        f"no {cell['band']} {cell['tier']} task of the world {cell['world']} was found in {most} tries; "
        f"the gate that failed most often is {gate!r} ({times} times)",
        "take another seed, another band for this cell, or other ranges in suites/petri/data/worlds",
    )


def _draw(cell: Mapping[str, Any], stream: rng.Stream) -> Draft:
    world = WORLDS[cell["world"]]
    metric = world.targets[cell["tier"]]
    world = world.toward(metric)
    drivers: list[Driver] = []
    for band in _driver_bands(cell):
        pool = _pool(cell, metric, band)
        taken = {driver.parameter for driver in drivers}
        drivers.append(_driver(cell, world, pool, taken, stream))
    names = {driver.parameter for driver in drivers}
    inert = [p for p in world.parameters if p.decoys and p.name not in names]
    decoys = {p.name: p.rounded(stream.choice(p.decoys)) for p in stream.sample(inert, DECOYS)}
    block = 0
    while True:
        source = stream.child("block", block)
        seeds = tuple(source.bits() >> 11 for _ in range(REPLICATES))
        if representative(world, metric, seeds, SAMPLE):
            break
        block += 1
    return Draft(
        tier=cell["tier"],
        world=world.name,
        band=cell["band"],
        magnitude=cell.get("magnitude"),
        sign=cell.get("sign", 0),
        drivers=tuple(drivers),
        decoys=decoys,
        seeds=seeds,
    )


def _driver_bands(cell: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the band of each driver; at L3 the first has the cell's band and the second is easy."""
    return (cell["band"], "easy") if cell["tier"] == "L3" else (cell["band"],)


Pool = Mapping[str, Mapping[Side, Sequence[Step]]]


def _pool(cell: Mapping[str, Any], metric: str, band: str) -> Pool:
    """Return the steps with the wanted band and size, by parameter and side.

    A hard driver (at L1 and L2 also a moderate one) should be hard to find with any test value, and not only
    have a hidden value near control. It is therefore drawn from parameters for which a randomly drawn value
    has little power, if there are any.
    """
    world = WORLDS[cell["world"]].toward(metric)
    wanted = cell.get("magnitude")
    fitting = {
        name: {
            side: kept
            for side, steps in sides.items()
            if (kept := [s for s in steps if s.band == band and wanted in (None, magnitude(s.change))])
        }
        for name, sides in menu(world.name, metric).items()
    }
    pool = {name: sides for name, sides in fitting.items() if sides}
    if band == "hard" or (band == "moderate" and cell["tier"] != "L3"):
        elusive = {
            name: sides for name, sides in pool.items() if (world.parameter(name).blind or 0) <= BLIND_LIMIT
        }
        pool = elusive or pool
    return pool


def _driver(cell: Mapping[str, Any], world: World, pool: Pool, taken: set[str], stream: rng.Stream) -> Driver:
    """Draw a driver: the parameter first, then the side, then the value."""
    names = sorted(set(pool) - taken)
    if not names:
        raise TaskError(
            f"no parameter of the world {world.name} can be a driver of a {cell['band']} {cell['tier']} task",
            "choose another band for this cell, or other ranges in suites/petri/data/worlds",
        )
    parameter = world.parameter(stream.choice(names))
    side = stream.choice(sorted(pool[parameter.name]))
    values = [step.value for step in pool[parameter.name][side]]
    if cell["tier"] == "L1":
        value = stream.choice(values)
    else:
        low, high = min(values), max(values)
        value = parameter.rounded(low + (high - low) * stream.uniform())
    return Driver(parameter.name, value, parameter.rounded(parameter.tests[side]))
