"""The scale: what an urn weighs for each number of red balls. Many tasks share it."""

from __future__ import annotations

from pathlib import Path

from assay import canonical
from assay.protocol import Key, Materials
from assay.task import Task

SIZES = (8, 24)
"""The urns that validation weighs."""


def scale(balls: int) -> Key:
    """The key of the scale for urns of that size."""
    return Key("madeup", "scale", canonical.dumps({"balls": balls}))


def needs(stage: str, task: Task | None, agent: str) -> tuple[Key, ...]:
    """What a job of that stage will ask for, for one task (null: for the stage as a whole)."""
    if stage == "validation":
        return tuple(scale(balls) for balls in SIZES)
    if task is None or (stage == "episodes" and agent == "silent"):
        return ()
    return (scale(task.public["balls"]),)


def make(key: Key, materials: Materials, out: Path) -> None:
    """Write the artefact of that key: the weights in grams, in order of the number of red balls.

    The scale is coarse: four numbers of red balls share a weight.
    """
    balls = canonical.loads(key.params)["balls"]
    weights = [100 * balls + 10 * (red // 4) for red in range(balls + 1)]
    out.write_text(canonical.dumps(weights), encoding="utf-8")


def read(file: Path) -> list[int]:
    """The weights that `make` wrote."""
    weights: list[int] = canonical.loads(file.read_bytes())
    return weights
