"""Editing a room of a suite changes the source of the jobs that call it, and of no others: in every suite.

`test_reruns` shows on a built checkout that Snakemake does again exactly the jobs whose source has changed,
and what follows from them. Here is which source changes, for every room of every suite that `all` builds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from tests.workflow.checkout import ROOT

from assay.build import fingerprint
from assay.build.planning.plan import Plan
from assay.config.loading import load
from assay.config.models import Config
from assay.suite import ROOMS

CALLED_BY = {
    "settings": "",
    "tasks": "tasks site",
    "artefacts": "artefact calibration validation episodes sweep replay",
    "world": "episodes sweep replay",
    "solvers": "episodes sweep",
    "calibration": "calibration",
    "validation": "validation",
    "scoring": "scores sweep viewer site",
    "audit": "audit sweep viewer site",
    "opinion": "opinions",
    "analysis": "own_table figures site",
    "figures": "figures",
    "viewer": "viewer",
    "reporting": "leaderboard profile site",
}
"""By room: the rules of the jobs that call it; `replay` stands for the episodes of a model."""

AND_BY = {
    # Its checks generate tasks.
    ("causalab", "tasks"): "validation",
    ("collider", "tasks"): "validation",
    # Tables and figures name its flags, or its metrics.
    ("causalab", "audit"): "own_table figures",
    ("pilab", "audit"): "own_table figures",
    ("sgi", "audit"): "own_table figures",
    ("petri", "audit"): "figures",
    ("petri", "scoring"): "own_table figures",
    # They show its measures in its own bins.
    ("pilab", "calibration"): "own_table figures site",
}
"""Beyond that: rooms that jobs of other rooms import, and why."""

SUITES = sorted(yaml.safe_load((ROOT / "config/config.yaml").read_text())["suites"])

EDIT = "\nEDITED = 1\n"


def sources(config: Config, suite: str) -> dict[str, str]:
    """The source of a suite's jobs, by rule, of the checkout in the working directory as it is now."""
    fingerprint.forget()
    plan = Plan(config)
    of_agents = {plan.contents.config.agents[agent].kind: agent for agent in plan.contents.agents(suite)}
    found = {
        "tasks": plan.parameters.source("tasks", suite, "tasks"),
        "calibration": plan.parameters.source("calibration", suite, "calibration"),
        "validation": plan.parameters.source("validation", suite, "validation"),
        "scores": plan.parameters.source("scores", suite, "scoring"),
        "audit": plan.parameters.source("audit", suite, "audit"),
        "summary": plan.parameters.source("summary", suite),
        "own_table": plan.parameters.source("tables", suite, "analysis"),
        "figures": plan.parameters.source("figures", suite, "figures", "analysis"),
        "episodes": plan.parameters.player_source("episodes", suite, of_agents["solver"]),
        "sweep": plan.parameters.player_source("sweep", suite, of_agents["solver"], "scoring", "audit"),
        "replay": plan.parameters.player_source("episodes", suite, of_agents["model"]),
    }
    found |= {
        "viewer": plan.parameters.source("pages.viewer", suite, "viewer", "scoring", "audit"),
        "leaderboard": plan.parameters.standing_source("leaderboard", "reporting"),
        "profile": plan.parameters.standing_source("profile", "reporting"),
        "site": plan.parameters.standing_source(
            "pages.site", "reporting", "scoring", "audit", "tasks", "analysis"
        ),
    }
    if plan.contents.suite(suite).has("artefacts"):
        found["artefact"] = plan.parameters.source("artefact", suite, "artefacts")
    if plan.contents.suite(suite).has("opinion"):
        found["opinions"] = plan.parameters.source("opinions", suite, "opinion")
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of this checkout, to edit."""
    root = tmp_path_factory.mktemp("rooms") / "checkout"
    for folder in ("src", "workflow", "config", "envs"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.full
@pytest.mark.parametrize("suite", SUITES)
def test_a_room_is_the_source_of_the_jobs_that_call_it(
    checkout: Path, suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    config = load()
    rooms = config.suites[suite].suite
    before = sources(config, suite)
    for room in filter(rooms.has, ROOMS):
        file = checkout / "src" / Path(*rooms.module(room).split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        text = file.read_text()
        file.write_text(text + EDIT)
        after = sources(config, suite)
        file.write_text(text)
        changed = {rule for rule, source in before.items() if after[rule] != source}
        called = f"{CALLED_BY[room]} {AND_BY.get((suite, room), '')}".split()
        assert changed == set(called) & before.keys(), f"{suite}.{room}"
    assert sources(config, suite) == before
