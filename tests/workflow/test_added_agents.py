"""Agents that a user adds beside the frozen ones: they change nobody's numbers, and hide no difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.workflow.builds import once
from tests.workflow.checkout import REAL, Checkout

from assay.build.store import FROZEN_VIEW
from assay.suite import suite
from assay.verdict.manifest import read_manifest

SMALL_AGENTS = "config/test/small-agents.yaml"
REAL_AGENTS = "config/test/real-agents.yaml"

ADDED_TO_SMALL = """
  another: {kind: solver, solver: guess, suites: {madeup: all}, attempts: 3, seconds: 1}
  partial:
    kind: model
    transport: {kind: fake, script: "tests.agents.scripts:urn"}
    suites: {madeup: [madeup-v0]}
"""

ADDED_TO_REAL = """
  another:
    kind: solver
    solver: exact
    suites: {causalab: [variants-v0]}
  another-sweep: {kind: solver, solver: random, suites: {petri: all}, attempts: 3}
  another-lab: {kind: solver, solver: ambitious, suites: {pilab: [reference-v0]}}
  another-yield: {kind: solver, solver: total-rate, suites: {collider: all}}
  another-protocol: {kind: solver, solver: chance, suites: {sgi: all}}
  scripted-scientist:
    kind: model
    suites: {petri: all}
    transport: {kind: fake, script: petri}
"""


def with_added(checkout: Checkout, root: Path, agents: str, added: str) -> Checkout:
    """A copy with these agents, built."""
    copy = checkout.copy(root)
    text = (copy.root / agents).read_text()
    at = text.index("\n", text.index("agents:"))
    (copy.root / agents).write_text(text[:at] + added.rstrip() + text[at:])
    return copy


@pytest.fixture(scope="session")
def added_build(built: Checkout, tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Checkout]:
    """The small build, frozen, and with two added agents, one of them partial. Copy them."""

    def make(root: Path) -> None:
        root.mkdir()
        frozen = built.copy(root / "frozen")
        frozen.freeze()
        checkout = with_added(frozen, root / "added", SMALL_AGENTS, ADDED_TO_SMALL)
        recorded = checkout.assay("record", "partial", "--tasks", "2", "--config", checkout.config)
        assert recorded.code == 0, recorded.output
        checkout.build(cores="2")
        verdict(checkout)

    root = once(tmp_path_factory, "added_build", make)
    return Checkout(root / "frozen"), Checkout(root / "added")


@pytest.fixture
def small(added_build: tuple[Checkout, Checkout], tmp_path: Path) -> Checkout:
    """A copy of the build with added agents, for one test."""
    return added_build[1].copy(tmp_path / "checkout")


def verdict(checkout: Checkout) -> dict[str, Any]:
    """What `assay verify --json` says; its exit code is the verdict's."""
    run = checkout.assay("verify", "--json")
    found: dict[str, Any] = json.loads(run.output)
    assert run.code == found["exit_code"]
    return found


def rows(path: Path, without: set[str], columns: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows of a table that name none of these agents."""
    return [row for row in pq.read_table(path).to_pylist() if not any(row[c] in without for c in columns)]


def check_tables(before: Checkout, after: Checkout, added: set[str]) -> int:
    """Compare every table of two builds but for rows of added agents; returns how many are compared.

    The data of figures are left out: their rows are marks, and an added agent moves axes.
    """
    manifest = read_manifest(before.root / "results/built.json")
    compared = 0
    for path, entry in manifest.files.items():
        if entry.kind != "table" or "/figures/" in path:
            continue
        names = pq.read_schema(after.root / path).names
        columns = tuple(name for name in ("agent", "first", "second") if name in names)
        assert rows(before.root / path, set(), columns) == rows(after.root / path, added, columns), path
        compared += 1
    return compared


def test_added_agents_change_no_row_of_others_and_everything_frozen_is_compared(
    added_build: tuple[Checkout, Checkout],
) -> None:
    frozen_copy, small = added_build
    added = {"another", "partial"}
    # The table of tiers pools all agents and names the best: it describes the frozen ones alone.
    assert check_tables(frozen_copy, small, added) > 10
    assert (
        "another" in pq.read_table(small.root / "results/madeup/tables/answers.parquet")["agent"].to_pylist()
    )
    found = verdict(small)
    assert (found["verdict"], found["exit_code"], found["added"]) == ("identical", 0, sorted(added))
    frozen = read_manifest(small.root / "results/MANIFEST").files
    states = {entry["path"]: entry["state"] for entry in found["files"]}
    assert {states[path] for path in frozen} == {"identical", "identical for frozen agents"}
    assert states["reports/index.html"] == "identical for frozen agents"
    page = (small.root / "reports/verdict.html").read_text()
    assert "Agents were added to the frozen ones: another, partial." in page
    # The site that people read shows the added agents.
    assert "another" in (small.root / "reports/index.html").read_text()
    assert "another" not in (small.root / FROZEN_VIEW / "reports/index.html").read_text()


def test_a_changed_figure_is_named_in_spite_of_added_agents(small: Checkout) -> None:
    small.replace("tests/protocol/madeup/drawings/scores.py", 'xlabel="mean score"', 'xlabel="average score"')
    small.build(cores="2")
    found = verdict(small)
    assert (found["verdict"], found["exit_code"]) == ("differs", 1)
    differing = {entry["path"]: entry for entry in found["files"] if entry["state"] == "differs"}
    assert "reports/figures/madeup/scores.svg" in differing
    assert differing["reports/figures/madeup/scores.svg"]["detail"].startswith("over the frozen agents")
    assert "results/madeup/tables/answers.parquet" not in differing


def test_agents_are_frozen_by_a_build_that_says_so(small: Checkout) -> None:
    refused = small.assay("freeze")
    assert refused.code == 2
    assert "does not list another, partial" in refused.output
    small.build("--config", "freezing=true", cores="2")
    found = verdict(small)
    assert (found["verdict"], found["exit_code"]) == ("identical where comparable", 3)
    assert found["not_compared"] == sum(entry["state"] == "not compared" for entry in found["files"]) > 0
    assert (
        f"identical where comparable; {found['not_compared']} files not compared"
        in (small.root / "reports/verdict.html").read_text()
    )
    assert small.assay("freeze").code == 0
    small.build(cores="2")  # without the word: the manifest lists them now
    assert verdict(small)["verdict"] == "identical"
    assert small.to_do() == frozenset()


@pytest.mark.full  # six minutes of a build; the test above does the same on a made-up suite
def test_added_agents_of_every_suite_change_no_row_of_others(real: Checkout, tmp_path: Path) -> None:
    frozen = real.copy(tmp_path / "frozen")
    frozen.freeze()
    after = with_added(frozen, tmp_path / "after", REAL_AGENTS, ADDED_TO_REAL)
    recorded = after.assay("record", "scripted-scientist", "--tasks", "1", "--config", REAL)
    assert recorded.code == 0, recorded.output
    after.build(cores="2")
    added = {
        line.split(":")[0].strip()
        for line in ADDED_TO_REAL.splitlines()
        if line.startswith("  ") and line[2] != " "
    }
    assert check_tables(frozen, after, added) > 100
    found = verdict(after)
    assert (found["verdict"], found["exit_code"], found["added"]) == ("identical", 0, sorted(added))
    # No table that has no column of agents was missed: what shows an added agent is declared.
    for name in ("petri", "causalab", "pilab", "collider", "sgi"):
        for table, spec in suite(name).room("analysis").TABLES.items():
            path = after.root / f"results/{name}/tables/{table}.parquet"
            if path.exists():
                text = {c.name for c in spec.schema.columns if c.type == "string"} - set(
                    spec.schema.agent_columns
                )
                for row in pq.read_table(path).to_pylist():
                    assert not any(row[column] in added for column in text), (name, table)
