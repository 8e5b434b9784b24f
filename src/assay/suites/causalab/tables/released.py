"""The paper's released files, played by our solvers, beside the rows that the paper prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.agents.solver import SolverAgent
from assay.config import yaml
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suite import suite
from assay.suites.causalab.metrics.recovery import mean
from assay.suites.causalab.simulation.released import settings

SHOWN = (
    *("solved", "root_f1", "edge_precision", "edge_recall", "edge_f1", "shd"),
    *("freq_edge_f1", "freq_weight_f1", "imec_data"),
)
"""The metrics of the paper's tables; `solved` is shown as accuracy in percent."""

TASK_SET = "released"
"""The name of the set that the tasks belong to, where none is configured."""


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
    for setting in settings(folder, TASK_SET):
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
                finals.append(
                    {
                        value.metric: value.value
                        for value in every
                        if value.step is None and value.profile == "default"
                    }
                )
            means = {metric: mean([final.get(metric) for final in finals]) for metric in SHOWN}
            if means["solved"] is not None:
                means["solved"] *= 100
            yield {**place, "source": "ours", "agent": agent, "rows": len(finals), **means}
