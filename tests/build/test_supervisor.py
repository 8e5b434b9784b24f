"""What a run asks of SLURM, with scripts in place of its programs; see also `tests/workflow/test_run.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.workflow.stand_in_slurm import write_program

from assay.build import supervisor
from assay.errors import Busy

OURS = "0430eb04-110a-4034-a38f-c3612abc5972"


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a lock of Snakemake's; a queue with two of its jobs, and three that are not its own."""
    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    (tmp_path / ".snakemake/locks/0.input.lock").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    queue = [
        f"1002 {OURS} {tmp_path}",
        f"   7 prefix_{OURS} {tmp_path}",
        f"1002 {OURS} {tmp_path}",  # of an array
        f"8 {OURS} {tmp_path}/other",
        f"9 evaluation of a model {tmp_path}",
        "10 bash /",
    ]
    write_program(tmp_path / "bin", "squeue", f"cat <<'END'\n{chr(10).join(queue)}\nEND")
    write_program(tmp_path / "bin", "scancel", 'echo "$@" >>cancelled')
    return tmp_path


def test_cluster_jobs_of_a_killed_run_are_named() -> None:
    with pytest.raises(Busy) as caught:
        supervisor._check_cluster()
    assert caught.value.message.endswith("at work in this checkout (SLURM job 7 1002)")
    assert "scancel 7 1002" in caught.value.remedy


def test_the_queue_is_not_asked_where_no_run_was_killed(checkout: Path) -> None:
    write_program(checkout / "bin", "squeue", "touch asked; exit 1")
    (checkout / ".snakemake/locks/0.input.lock").unlink()
    supervisor._check_cluster()
    assert not (checkout / "asked").exists()


def test_a_queue_that_does_not_answer_is_no_error(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_program(checkout / "bin", "squeue", "echo slurm_load_jobs error >&2; exit 1")
    supervisor._check_cluster()
    assert capsys.readouterr().err.startswith(
        "note: SLURM does not say whether jobs of a killed run are left: slurm_load"
    )


def test_an_interrupted_run_cancels_its_cluster_jobs_and_no_others(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    supervisor._cancel_cluster_jobs()
    assert (checkout / "cancelled").read_text() == "7 1002\n"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("program", ["squeue", "scancel"])
@pytest.mark.parametrize("behaviour", ["echo no controller >&2; exit 1", "exec sleep 1000"])
def test_cluster_jobs_that_could_not_be_cancelled_are_told_of(
    checkout: Path, capsys: pytest.CaptureFixture[str], program: str, behaviour: str
) -> None:
    write_program(checkout / "bin", program, behaviour)
    supervisor._cancel_cluster_jobs()
    assert capsys.readouterr().err.startswith("note: cluster jobs of this run were not cancelled")
