"""Two models whose every number is known, and the folder of released files where somebody has it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assay.suites.causalab.model.files import model_of, read_models
from assay.suites.causalab.model.scm import Model

ROOT = Path(__file__).parents[3]
TARGET = "resonanceFreq"


def raw(graph_id: str, order: list[str], edges: dict[tuple[str, str], int], bases: dict[str, float]) -> Any:
    """A linear model as it stands in a file."""
    short = {TARGET: "freq", "temperatureC": "temp"}
    nodes: dict[str, Any] = {}
    params: dict[str, float] = {}
    for name in order:
        parents = [a for a, b in edges if b == name]
        base = "base_freq" if name == TARGET else f"base_{name}"
        params[base] = bases.get(name, 20.0)
        nodes[name] = {"is_controllable": name != TARGET, "observable": True, "display_name": name}
        if name != TARGET:
            nodes[name]["base_value"] = {"type": "uniform", "min": 15.0, "max": 45.0}
        if parents:
            terms = []
            for parent in parents:
                key = f"coeff_{short.get(parent, parent)}_{short.get(name, name)}"
                params[key] = edges[parent, name]
                terms.append(f"{key} * {parent}")
            nodes[name]["computation"] = " + ".join([base, *terms])
    return {
        "graph_id": graph_id,
        "description": "",
        "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in edges],
        "params": params,
        "budget": 4 * (len(order) - 1),
    }


FIRST_RAW = raw(
    "4nodes_0",
    [TARGET, "quantumSize", "density", "moisture"],
    {("density", TARGET): 1, ("moisture", TARGET): 1, ("density", "quantumSize"): 1},
    {TARGET: 25.0},
)
"""The first released model of four variables, put together from its documented records."""

SECOND_RAW = raw(
    "4nodes_1",
    [TARGET, "ph", "moisture", "density"],
    {
        ("moisture", TARGET): 1,
        ("ph", TARGET): 2,
        ("density", TARGET): 2,
        ("ph", "moisture"): 1,
        ("density", "moisture"): 2,
        ("density", "ph"): 2,
    },
    {TARGET: 23.0},
)
"""The second one."""


def first() -> Model:
    return model_of(FIRST_RAW, "first")


def second(**more: Any) -> Model:
    return model_of({**SECOND_RAW, **more}, "second")


def hidden(affected: list[str], values: list[float]) -> dict[str, Any]:
    return {
        "enabled": True,
        "name": "h",
        "initial_value": 0,
        "value_space": values,
        "edge_weight": 1,
        "affected_nodes": affected,
    }


def released(name: str) -> list[Model]:
    """The models of a released file; the test is skipped where `ASSAY_CAUSALAB_FILES` names no folder."""
    folder = os.environ.get("ASSAY_CAUSALAB_FILES")
    if not folder:
        pytest.skip("ASSAY_CAUSALAB_FILES names no folder with the released files")
    result = sorted(Path(folder).rglob(f"{name}.jsonl"))
    if not result:
        pytest.skip(f"the folder has no {name}.jsonl")
    return read_models(result[0])
