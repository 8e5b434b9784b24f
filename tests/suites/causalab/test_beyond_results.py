"""The table of docs/causalab.md about the settings beyond the paper's families, computed again."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from tests.suites.causalab.playing import SUITE, materials, scores

from assay.agents.solver import SolverAgent
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suites.causalab.validity.shortcuts import SHORTCUTS

DOCUMENT = Path(__file__).parents[3] / "docs" / "causalab.md"

SEED, TASKS = 99, 210

AGENTS = ("aware", "unaware", "whole-weights", "shortcut-prior")


def documented() -> dict[str, list[str]]:
    """The cells of the table by setting."""
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+ / .+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    return {setting: cells.split(" | ") for setting, cells in rows}


def figures() -> dict[str, list[str]]:
    """F1 of all edges and accepted predictions of every agent, by setting."""
    room, solvers = SUITE.room("tasks"), {**SUITE.room("solvers").SOLVERS, **SHORTCUTS}
    recipe = replace(room.SETS["beyond-v1"], seed=SEED, size=TASKS)
    means: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for index in range(TASKS):
        of = room.generate(recipe, "beyond-v1", index, SEED, MemoryBlobs())
        for name in AGENTS:
            episode = play(SUITE, of, name, SolverAgent(solvers[name], of), 0, materials())
            result = scores(of, episode)
            pair = (result["edge_f1"] or 0.0, result["solved"] or 0.0)
            means[of.public["rules"]["kind"]][name].append(pair)
    return {kind: [_cell(by_agent[name]) for name in AGENTS] for kind, by_agent in means.items()}


def _cell(pairs: list[tuple[float, float]]) -> str:
    f1, solved = (math.fsum(column) / len(pairs) for column in zip(*pairs, strict=True))
    return f"{f1:.2f} / {solved:.2f}"


@pytest.mark.full
def test_the_documented_figures_are_those_of_fresh_tasks() -> None:
    assert documented() == figures()
