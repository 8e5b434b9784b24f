"""The suite's figures: who is shown in them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from assay import plotting
from assay.suites.collider.drawings import reproductions
from assay.suites.collider.drawings.comparisons import LOOKS, _shown_agents


def test_every_recorded_agent_is_shown_beside_the_solvers() -> None:
    """A model that somebody adds must not be missing because nobody gave it a look."""
    episodes = pd.DataFrame(
        [("flat", "solver"), ("mock-editor", "solver"), ("z-model", "recording"), ("a-model", "recording")],
        columns=["agent", "source"],
    )
    assert _shown_agents({"episodes": episodes}) == [*LOOKS, "a-model", "z-model"]


def test_a_cut_flow_stands_beside_the_names_of_its_own_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two regions of one paper with other cuts have a panel each."""
    facts = {name: {"paper": "CMS-1", "id": f"1_sim-{name}"} for name in ("a", "b", "c")}
    reproduced = [
        SimpleNamespace(
            result=SimpleNamespace(task_set="cms-v0", task_id=name, agent="physicist"),
            facts=facts[name],
            generated=100,
        )
        for name in facts
    ]
    cuts = {"a": ("generated", "jets"), "b": ("generated", "jets"), "c": ("generated", "leptons", "jets")}
    rows = [
        {"task_set": "cms-v0", "task_id": name, "agent": "physicist", "label": label, "events": 100 - 10 * n}
        for name, labels in cuts.items()
        for n, label in enumerate(labels)
    ]
    monkeypatch.setattr(reproductions, "_shown", lambda tables: reproduced)
    monkeypatch.setattr(reproductions, "cut_flows", lambda tables: pd.DataFrame(rows))
    nothing: Any = None
    with plotting.style():
        panels = reproductions.cut_flow(nothing).axes
    names = [tuple(tick.get_text() for tick in axes.get_yticklabels()) for axes in panels]
    lengths = [[len(line.get_xdata()) for line in axes.lines] for axes in panels]
    assert (names, lengths) == ([cuts["a"], cuts["c"]], [[2, 2], [3]])
