"""What it takes to admit a bundle of 1,000 episodes of petri and causalab, without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_benchmark.fixture import BenchmarkFixture

import assay
from assay.admission import admit, archive, bundle
from assay.config.loading import load
from assay.numbers import rng
from assay.suite import suite

ROOT = Path(__file__).parents[1]
SETS: Mapping[str, Mapping[str, Any]] = {
    "petri": dict.fromkeys(
        ("pilot-v0", "core-v0", "l2-v0", "l3-v0", "l4-v0", "blind-v0", "smoke-v0"), "frozen"
    ),
    "causalab": {"scaling-v0": {"count": 105}, "variants-v0": {"count": 95}},
}
SOLVERS = {"petri": "ofat-rand", "causalab": "greedy"}
ATTEMPTS = 4
WORKERS = 2


def project(root: Path, *, with_agent: bool) -> Path:
    """Make a project with these sets in a folder, and return its configuration."""
    (root / "config").mkdir(parents=True)
    (root / "tasks").symlink_to(ROOT / "tasks")
    entry = {
        "kind": "model",
        "suites": {name: list(sets) for name, sets in SETS.items()},
        "transport": {"kind": "recorded"},
        "attempts": ATTEMPTS,
    }
    files = {
        "config": {"suites": {name: {"settings": f"config/{name}.yaml"} for name in SETS}},
        "agents": {"agents": {"stranger": entry} if with_agent else {}},
        **{name: {"sets": sets} for name, sets in SETS.items()},
    }
    for name, value in files.items():
        (root / f"config/{name}.yaml").write_text(yaml.safe_dump(value))
    return root / "config/config.yaml"


def record(config: Path) -> None:
    """Let a solver of each suite play all tasks, as a program that somebody else wrote."""
    loaded = load(config)
    for name, sets in SETS.items():
        solver = suite(name).solver(SOLVERS[name])
        for task_set in sets:
            for task in bundle.tasks_of(loaded.suites[name], task_set):
                for attempt in range(ATTEMPTS):
                    with assay.open_task(
                        name,
                        f"{task_set}/{task.task_id}",
                        agent="stranger",
                        attempt=attempt,
                        record=True,
                        config=config,
                        pace=False,
                    ) as session:
                        stream = rng.stream(attempt, "benchmark", task.task_id)
                        solver.act(session.brief, session.call, stream, None)


def test_admission_of_a_thousand_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: BenchmarkFixture
) -> None:
    away = project(tmp_path / "away", with_agent=True)
    monkeypatch.chdir(tmp_path / "away")
    record(away)
    names = [f"{name}/{task_set}" for name, sets in SETS.items() for task_set in sets]
    card = bundle.Card(name="Stranger", harness="a solver of Assay", deterministic=True)
    _, members = bundle.make(load(away), "stranger", names, card)
    file = tmp_path / "bundle"
    file.write_bytes(archive.pack(members))
    host = project(tmp_path / "host", with_agent=False)
    monkeypatch.chdir(tmp_path / "host")
    verdict = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: admit.admit(file, Path("ledger"), host, date="2026-03-01", workers=WORKERS)
    )
    assert verdict.verdict == "admitted with notes", verdict.reasons
    assert verdict.episodes >= 900
    benchmark.extra_info["episodes"] = verdict.episodes
