"""The paper's released files as tasks, read where they are and never copied.

Each setting of the paper takes the models of one file (`stem_of`) under the conditions of that setting. The
names of the settings begin with `PREFIX`, so that no table pools them with those of generated graphs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError
from assay.suites.causalab import tasks
from assay.suites.causalab.model.files import read_models
from assay.suites.causalab.model.scm import Model
from assay.task import Task

SETS = ("main-v0", "scaling-v0", "variants-v0")
"""The sets whose settings are those of the paper."""

PREFIX = "released-"
"""Beginning of the names of the settings in tables."""


class NoFiles(AssayError):
    """A folder without the released files."""


@dataclass(frozen=True)
class Setting:
    """One setting of the paper with the file that holds its models."""

    name: str
    nodes: int
    path: Path
    sha256: str
    tasks: tuple[Task, ...]


def stem_of(cell: Mapping[str, Any]) -> str:
    """Return the name, without its ending, of the file that holds the models of a setting.

    >>> stem_of({"setting": "hidden_n1", "nodes": 4, "variant": "hidden_n1"})
    '4nodes_hidden_n1'
    """
    kind = "golden" if cell.get("golden") else cell.get("variant") or cell.get("family", "linear")
    return f"{cell['nodes']}nodes" + ("" if kind == "linear" else f"_{kind}")


def files(folder: Path) -> dict[str, Path]:
    """Return the released files in a folder or below it, by their names without the ending."""
    paths = {path.stem: path for path in sorted(folder.rglob("*.jsonl"))}
    stems = {stem_of(cell) for _, cell in _cells()}
    return {stem: path for stem, path in paths.items() if stem in stems}


def settings(folder: Path, set_name: str) -> Iterator[Setting]:
    """Yield every setting of the paper whose file is in a folder or below it.

    Args:
        folder: The folder.
        set_name: The name of the set that the tasks belong to.

    Raises:
        NoFiles: The folder has none of the files.
        ModelError: A file breaks a rule of the format; the message names file, line and field.
    """
    paths = files(folder)
    if not paths:
        raise NoFiles(
            f"{folder} has none of the released files", "name the folder that holds 3nodes.jsonl and so on"
        )
    models = {stem: read_models(path) for stem, path in paths.items()}
    sums = {stem: hashlib.sha256(path.read_bytes()).hexdigest() for stem, path in paths.items()}
    for pattern, cell in _cells():
        if (stem := stem_of(cell)) in paths:
            lent = pattern()
            played = tuple(_task(lent, set_name, model, n) for n, model in enumerate(models[stem]))
            yield Setting(cell["setting"], cell["nodes"], paths[stem], sums[stem], played)


def _cells() -> Iterator[tuple[Callable[[], Task], Mapping[str, Any]]]:
    """Yield every setting of the paper, and a function that returns one of its tasks, for its conditions."""
    for name in SETS:
        recipe = tasks.SETS[name]
        for place, cell in enumerate(recipe.params["cells"]):
            yield partial(tasks.generate, recipe, name, place, tasks.SEED, MemoryBlobs()), cell


def _task(pattern: Task, set_name: str, model: Model, index: int) -> Task:
    setting = pattern.strata["setting"]
    public = {
        **pattern.public,
        "family": model.family,
        "variables": [[variable.name, variable.display] for variable in model.variables],
        "controllable": list(model.controllable),
    }
    made = replace(
        pattern,
        task_set=set_name,
        task_id=f"{index:05d}-k{len(model.names)}-{setting.replace('_', '-')}",
        strata={**pattern.strata, "setting": f"{PREFIX}{setting}", "family": model.family},
        public=public,
        hidden={"model": dict(model.raw)},
    )
    tasks.verify(made)
    return made
