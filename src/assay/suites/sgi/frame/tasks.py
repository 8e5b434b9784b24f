"""Tasks of version 1: an item of a registered family as a task, and back."""

from __future__ import annotations

from assay.protocol import Blobs, TaskSet
from assay.suites.sgi.frame.family import LEVELS, VERSION, Row
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.seeding import item_seed
from assay.task import Task

GENERATION = "v1"
"""The stratum that tells tasks of version 1 from those of v0: their numbers never stand in one column."""

SETS = {
    "dry-v1": TaskSet(
        40,
        205_619_599_618_885_048,
        "Dry experiments: programs that simulate what records decide, run on hidden data, eight a level.",
        {"family": "dry_experiment", "generation": GENERATION},
    ),
    "ideas-v1": TaskSet(
        40,
        5_048_800_574_624_328_684,
        "Ideas: plans of an investigation that are carried out in six hidden worlds, eight a level.",
        {"family": "idea_generation", "generation": GENERATION},
    ),
    "investigation-v1": TaskSet(
        10,
        6_151_888_772_732_308_784,
        "The inquiry: one hidden world through five stages, on one's own results and on a reference's.",
        {"family": "investigation", "generation": GENERATION},
    ),
    "reasoning-v1": TaskSet(
        40,
        932_745_258_384_016_613,
        "Experimental reasoning: which of ten mechanisms made the pictures of an instrument, eight a level.",
        {"family": "experimental_reasoning", "generation": GENERATION},
    ),
    "research-v1": TaskSet(
        40,
        600_426_234_190_106_766,
        "Deep research: a synthesis of conflicting evidence from a literature, eight a level.",
        {"family": "deep_research", "generation": GENERATION},
    ),
    "smoke-v1": TaskSet(
        6,
        6_984_372_247_956_364_326,
        "One item of each family at level 1: for a first look, in seconds.",
        {"generation": GENERATION},
        smoke=True,
        archived=True,
    ),
    "wet-v1": TaskSet(
        40,
        3_996_553_427_025_280_412,
        "Wet experiments whose prompts leave rules of the bench unsaid; `wet-v2` has taken its place.",
        {"family": "wet_experiment", "generation": GENERATION},
        archived=True,
    ),
    "wet-v2": TaskSet(
        40,
        1_929_046_499_191_496_096,
        "Wet experiments: protocols that are carried out on a simulated bench, eight a level.",
        {"family": "wet_experiment", "generation": GENERATION},
    ),
}


def level_of(index: int) -> int:
    """The level of an item of a set: they go round."""
    return LEVELS[index % len(LEVELS)]


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The task of that index, a function of its family, its index and the seed."""
    family = family_of(task_set.params["family"])
    row = family.generate(seed, index, level_of(index))
    return Task(
        suite="sgi",
        task_set=set_name,
        task_id=row["idx"].casefold(),
        seed=item_seed(seed, family.NAME, index),
        version=VERSION,
        strata={
            "family": family.NAME,
            "discipline": row["discipline"],
            "type": row[family.TYPE],
            "level": str(row["x_level"]),
            "generation": GENERATION,
        },
        public={"family": family.NAME, "columns": {name: row[name] for name in family.SHOWN}},
        hidden={name: value for name, value in row.items() if name not in family.SHOWN},
        blobs=tuple(blobs.put(data, media_type) for data, media_type in family.evidence(row)),
    )


def is_v1(row: Row) -> bool:
    """Whether an item is of version 1."""
    return bool(row.get("x_version") == VERSION)
