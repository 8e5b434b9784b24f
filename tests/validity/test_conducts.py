"""Conducts: what is composed and described, what the audit says, and what the stage writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.build.fingerprint import closure
from assay.build.job import Job
from assay.config.archive import Archive
from assay.config.loading import load
from assay.config.sets import find_set
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.numbers import rng
from assay.stages.cards import conducts
from assay.stages.shared.inputs import write_blobs
from assay.suite import Suite
from assay.tables.reader import read_rows
from assay.tables.schemas.conducts import CONDUCTS
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table
from assay.task import Task, file_name, read_frozen
from assay.validity.conduct import FAMILIES, compose

ROOT = Path(__file__).resolve().parents[2]

OF_THE_AUDIT = {
    "petri": ("audit", "evidence", "conduct", "validity.conducts"),
    "causalab": ("audit", "transcript", "metrics.equation", "validity.conducts"),
    "pilab": ("audit", "measures.axes", "validity.conducts"),
    "collider": ("audit", "provenance.checks", "provenance.conduct", "provenance.evidence"),
    "sgi": ("audit", "columns.deep_research", "validity.conducts"),
}
"""By suite: modules that hold rules of the audit or what they make of an episode."""


def suites() -> list[Suite]:
    return [entry.suite for entry in load(ROOT / "config/config.yaml").suites.values()]


def first_tasks(suite: Suite, count: int, blobs: MemoryBlobs) -> list[Task]:
    """The first tasks of each set at which the audit is tried."""
    tasks = []
    for name in suite.room("conducts").TRIAL.sets:
        recipe = find_set(suite, name)
        for at in range(count):
            file = ROOT / "tasks" / suite.name / name / file_name(at)
            task = read_frozen(file) if file.exists() else None
            if recipe.archived:
                task = Archive(file.parent, suite.name).task(at, blobs)
            elif task is None or task.blobs:
                task = suite.room("tasks").generate(recipe, name, at, recipe.seed, blobs)
            tasks.append(task)
    return tasks


def test_a_plan_says_what_is_gathered_and_what_is_not() -> None:
    evidence = ["a", "b", "c", "d"]
    plans = [
        compose(
            evidence, ["right", "wrong"], rng.stream(0, "plan", n), harmless=["look"], inventions=["claim"]
        )
        for n in range(300)
    ]
    for plan in plans:
        assert set(evidence) - set(plan.skipped) == set(plan.steps) & set(evidence)
        assert all(plan.steps.count(piece) == 1 + (piece in plan.repeated) for piece in plan.steps)
        assert set(plan.repeated) <= set(plan.steps)
        if plan.honest:
            assert (plan.skipped, plan.repeated, plan.invented, plan.answer) == ((), (), (), "right")
            assert "look" in plan.steps
    assert 70 <= sum(plan.honest for plan in plans) <= 130
    assert {plan.answer for plan in plans} == {"right", "wrong"}
    assert any(plan.steps[0] == "d" for plan in plans)
    assert json.dumps(plans[0].recipe)


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_both_families_have_offences_and_near_misses(suite: Suite) -> None:
    trial = suite.room("conducts").TRIAL
    blobs = MemoryBlobs()
    for family in FAMILIES:
        known = [
            conduct
            for task in first_tasks(suite, 2, blobs)
            for conduct in trial.families[family](task, rng.stream(0, "test", task.task_set, task.task_id))
        ]
        assert {conduct.near_miss for conduct in known} == {True, False}
        assert all(conduct.recipe for conduct in known)


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_what_was_described_knows_nothing_of_the_audit(suite: Suite) -> None:
    reached = closure([f"{suite.package}.validity.described"], ROOT)
    rules = {f"{suite.package}.{module}" for module in OF_THE_AUDIT[suite.name]}
    assert not rules & reached.keys()
    assert rules <= closure([suite.module("audit"), suite.module("conducts")], ROOT).keys()


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_the_audit_decides_composed_conduct_as_its_plan_says(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conducts, "FAMILIES", ("composed",))
    blobs = MemoryBlobs()
    tasks = first_tasks(suite, 1 if suite.name == "collider" else 2, blobs)
    wrong, due = [], 0
    for played in conducts.episodes(suite, tasks, materials_for(suite, blobs)):
        for row in played.decisions():
            due += row["due"]
            if row["raised"] is not None and row["due"] != row["raised"]:
                wrong.append((row["task_id"], row["flag"], row["due"], row["recipe"]))
    assert wrong == []
    assert due > 0


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """The stage on the first task of petri's core set."""
    task = read_frozen(ROOT / "tasks/petri/core-v0/00000.json")
    write_table([task.to_row(0)], tmp_path / "tasks.parquet", TASKS)
    write_blobs(MemoryBlobs(), tmp_path / "blobs.parquet")
    return Job(
        {"suite": "petri", "package": "assay.suites.petri", "spans": [["core-v0", 0, 1]]},
        {"tasks": (tmp_path / "tasks.parquet",), "blobs": (tmp_path / "blobs.parquet",)},
        {"table": tmp_path / "conducts.parquet", "labelled": tmp_path / "conducts.jsonl"},
    )


def test_the_stage_writes_decisions_and_a_labelled_set(job: Job) -> None:
    conducts.run(job)
    rows = read_rows(job.output("table"), CONDUCTS)
    lines = job.output("labelled").read_bytes()
    labelled = [json.loads(line) for line in lines.splitlines()]
    assert len({(row["family"], row["conduct"]) for row in rows}) == len(labelled)
    matcher = next(entry for entry in labelled if entry["conduct"] == "output-matcher")
    assert (matcher["due"], matcher["raised"], matcher["near_miss"]) == (
        ["probe_only"],
        ["probe_only"],
        False,
    )
    assert [event["tool"] for event in matcher["events"]].count("probe") >= 2
    conducts.run(job)
    assert job.output("labelled").read_bytes() == lines


def test_a_conduct_that_fails_ends_the_job(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.suites.petri.validity import described

    def broken(client: object, hidden: object) -> None:
        raise KeyError("broken")

    monkeypatch.setattr(described, "OFFENCES", (broken,))
    with pytest.raises(ValueError, match="the conduct independent-broken failed at core-v0/"):
        conducts.run(job)
