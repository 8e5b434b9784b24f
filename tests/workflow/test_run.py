"""`workflow/run`: one run at a time in a checkout, and after a kill only when its jobs have ended too."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAKEFILE = """
rule all:
    output: "done.txt"
    shell: "touch started.txt; while [ ! -e go.txt ]; do sleep 0.05; done; touch {output}"
"""


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like a checkout with a workflow of one job, which ends when go.txt exists."""
    (tmp_path / "workflow").mkdir()
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "src").symlink_to(ROOT / "src")
    shutil.copy(ROOT / "workflow" / "run", tmp_path / "workflow")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    yield tmp_path
    (tmp_path / "go.txt").touch()


def start(checkout):
    command = ["workflow/run", "--cores", "1", "--rerun-incomplete", "all"]
    return subprocess.Popen(
        command,
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(run):
    output, _ = run.communicate(timeout=60)
    return run.returncode, output


def wait_for(path):
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} did not come"
        time.sleep(0.05)


def test_a_second_run_is_refused_and_the_first_ends_well(checkout):
    first = start(checkout)
    wait_for(checkout / "started.txt")
    code, output = finish(start(checkout))
    assert code == 75
    assert "error: another run is at work" in output
    assert f"process {first.pid}" in output
    assert "remedy: " in output

    (checkout / "go.txt").touch()
    code, output = finish(first)
    assert code == 0, output
    assert (checkout / "done.txt").exists()


def test_after_a_kill_the_next_run_waits_for_the_orphan_and_then_resumes(checkout):
    killed = start(checkout)
    wait_for(checkout / "started.txt")
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    assert list((checkout / ".snakemake" / "locks").iterdir())

    code, output = finish(start(checkout))
    assert code == 75
    assert "error: a job that outlived its run" in output

    (checkout / "go.txt").touch()
    wait_for(checkout / "done.txt")
    while code == 75:  # the orphan is about to end
        code, output = finish(start(checkout))
    assert code == 0, output
    assert (checkout / "done.txt").exists()


def test_a_checkout_that_is_not_set_up_says_so(checkout):
    shutil.rmtree(checkout / ".venv")
    assert finish(start(checkout)) == (
        1,
        "error: Assay is not installed in this checkout\nremedy: make setup\n",
    )
