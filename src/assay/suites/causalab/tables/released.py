"""The paper's released files as tasks: played by our solvers, beside the rows that the paper prints.

The files are read where they are and never copied into the repository. Each setting of the paper takes the
models of one file (`stem_of`) under the conditions of the setting's own set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.agents.solver import SolverAgent
from assay.config import yaml
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import AssayError
from assay.suite import suite
from assay.suites.causalab import tasks
from assay.suites.causalab.metrics.recovery import mean
from assay.suites.causalab.model.files import read_models
from assay.suites.causalab.model.scm import Model
from assay.task import Task

SETS = ("main-v0", "scaling-v0", "variants-v0")
"""The sets whose settings are those of the paper."""

SHOWN = (
    *("solved", "root_f1", "edge_precision", "edge_recall", "edge_f1", "shd"),
    *("freq_edge_f1", "freq_weight_f1", "imec_data"),
)
"""The metrics of the paper's tables; `solved` is shown as accuracy in percent."""

TASK_SET = "released"
"""The set that a task of a released file says it is of."""


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


def settings(folder: Path) -> Iterator[Setting]:
    """Yield every setting of the paper whose file is in a folder or below it.

    Raises:
        NoFiles: The folder has none of the files.
        ModelError: A file breaks a rule of the format.
    """
    files = {path.stem: path for path in sorted(folder.rglob("*.jsonl"))}
    found = False
    for set_name in SETS:
        cells: Sequence[tasks.Cell] = tasks.SETS[set_name].params["cells"]
        for place, cell in enumerate(cells):
            path = files.get(stem_of(cell))
            if path is not None:
                found = True
                # Any task of the setting lends its conditions.
                pattern = tasks.generate(tasks.SETS[set_name], set_name, place, tasks.SEED, MemoryBlobs())
                played = tuple(_task(pattern, model, n) for n, model in enumerate(read_models(path)))
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                yield Setting(cell["setting"], cell["nodes"], path, digest, played)
    if not found:
        raise NoFiles(
            f"{folder} has none of the released files", "name the folder that holds 3nodes.jsonl and so on"
        )


def _task(pattern: Task, model: Model, index: int) -> Task:
    public = {
        **pattern.public,
        "family": model.family,
        "variables": [[variable.name, variable.display] for variable in model.variables],
        "controllable": list(model.controllable),
    }
    task_id = f"{index:05d}-k{len(model.names)}-{pattern.strata['setting'].replace('_', '-')}"
    hidden = {"model": dict(model.raw)}
    made = replace(pattern, task_set=TASK_SET, task_id=task_id, public=public, hidden=hidden)
    tasks.verify(made)
    return made


def rows(
    folder: Path, agents: Sequence[str], names: Sequence[str] = (), published: Path | None = None
) -> Iterator[dict[str, Any]]:
    """Play the released files; yield a row for each setting and agent, after the rows that the paper prints.

    Args:
        folder: The folder with the files.
        agents: Solvers of the suite.
        names: The settings that are played; all if there are none.
        published: The file of quoted results.

    Yields:
        Setting, variables, source (`paper` or `ours`), agent, episodes, and the paper's metrics.
    """
    causalab = suite("causalab")
    blobs = MemoryBlobs()
    materials = materials_for(causalab, blobs)
    score = causalab.room("scoring").score
    quoted = [] if published is None else yaml.read_published(published)["rows"]
    for setting in settings(folder):
        if names and setting.name not in names:
            continue
        place = {"setting": setting.name, "nodes": setting.nodes, "file": setting.sha256[:12]}
        printed: dict[str, dict[str, Any]] = {}
        for row in quoted:
            if (row["setting"], row["nodes"]) == (setting.name, setting.nodes):
                values = {metric: row.get("accuracy" if metric == "solved" else metric) for metric in SHOWN}
                printed.setdefault(row["model"], {"rows": row["rows"], **values})
        for model, row in printed.items():
            yield {**place, "source": "paper", "agent": model, **row}
        for agent in agents:
            solver = causalab.find("solvers", "SOLVERS", agent)
            finals: list[dict[str, float | None]] = []
            for task in setting.tasks:
                episode = play(causalab, task, agent, SolverAgent(solver, task), 0, materials)
                every = score(task, episode, materials)
                finals.append({value.metric: value.value for value in every if value.step is None})
            means = {metric: mean([final.get(metric) for final in finals]) for metric in SHOWN}
            if means["solved"] is not None:
                means["solved"] *= 100
            yield {**place, "source": "ours", "agent": agent, "rows": len(finals), **means}
