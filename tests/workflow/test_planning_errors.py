"""What goes wrong before the first job is said in two lines, not in a traceback."""

from __future__ import annotations

import shutil

import pytest
from tests.workflow.checkout import Checkout
from tests.workflow.stand_in_slurm import install_plugin

FROZEN = "tests/protocol/tasks/madeup/madeup-v0/00003.json"


def break_source(checkout: Checkout) -> str:
    checkout.append("src/assay/episodes/harness.py", "\ndef broken(:\n")
    return "src/assay/episodes/harness.py, line "


def break_frozen_task(checkout: Checkout) -> str:
    (checkout.root / FROZEN).write_text("{\n")
    return f"{FROZEN} is not a frozen task"


def break_roots(checkout: Checkout) -> str:
    checkout.remove("workflow/scripts/stage.py")
    return "workflow/scripts/stage.py"


@pytest.mark.parametrize("damage", [break_source, break_frozen_task, break_roots])
def test_an_error_of_the_plan_ends_the_run_clearly(copy, damage):
    place = damage(copy)
    before = copy.manifest()
    run = copy.dry_run()
    assert run.code == 1
    *_, error, remedy = run.output.strip().splitlines()
    assert error.startswith("error: ")
    assert place in error
    assert remedy.startswith("remedy: ")
    assert "Traceback" not in run.output
    assert copy.manifest() == before


def test_recordings_that_no_entry_covers_are_named_once_and_stop_nothing(copy):
    """A cluster job plans anew: it does not say it again."""
    recordings = copy.root / "recordings"
    (agent,) = (folder for folder in recordings.iterdir() if list(folder.glob("madeup/*/*.jsonl")))
    stranger = recordings / "stranger/madeup/madeup-v0/urn-0000.0.jsonl"
    stranger.parent.mkdir(parents=True)
    stranger.write_bytes(next(agent.glob("madeup/*/*.jsonl")).read_bytes())
    run = copy.dry_run()
    assert run.code == 0
    assert run.output.count("note: 1 recording in recordings/stranger will not be built: ") == 1
    assert "  stranger:\n    kind: model\n" in run.output
    job = copy.dry_run("--mode", "remote")
    assert job.code == 0 and "Building DAG of jobs" in job.output
    assert "recordings/stranger" not in job.output


@pytest.mark.parametrize("command", [("workflow/run",), (".venv/bin/python", "-m", "snakemake")])
def test_without_the_programs_of_slurm_a_run_ends_before_it_plans(tmp_path, command):
    checkout = Checkout.fresh(tmp_path / "checkout")
    install_plugin(checkout.root)
    # And no program of SLURM, which may be installed.
    for name in ("bash", "env", "dirname", "find", "awk", "grep"):
        (tmp_path / name).symlink_to(shutil.which(name))
    asked = (*command, "--configfile", checkout.config, "--executor", "slurm", "--jobs", "1", "--", "all")
    run = checkout.do(*asked, PATH=str(tmp_path))
    assert run.code == 1, run.output
    # Snakemake's logger may print its heading in between, from a thread of its own.
    error, remedy = (line for line in run.output.splitlines() if line.startswith(("error: ", "remedy: ")))
    assert error.endswith("to slurm from here: no sbatch, squeue, sacct, scancel on PATH")
    assert remedy.startswith("remedy: start on a machine that submits to the cluster")
    assert "Job stats" not in run.output
    assert "Traceback" not in run.output
    assert checkout.outputs() == []
