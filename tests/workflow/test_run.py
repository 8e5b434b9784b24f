"""`workflow/run`: one run at a time; a signal ends it with all its jobs, and the next run resumes it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.reliability.faults.killing import descendants, inside, kill
from tests.signals import BY_SIGNAL, ignored
from tests.workflow.checkout import Checkout
from tests.workflow.stand_in_slurm import install_plugin, write_program

from assay.build import damage

ROOT = Path(__file__).parents[2]
SNAKEFILE = """
rule all:
    output: "done.txt"
    shell: "touch started.txt; while [ ! -e go.txt ]; do sleep 0.05; done; touch {output}"
"""
STUBBORN = """
rule all:
    output: "done.txt"
    shell:
        "trap '' TERM INT; (setsid sleep 1000 &); touch {output} started.txt;"
        " while [ ! -e go.txt ]; do sleep 0.05; done"
"""
PLANNING = """
if not os.path.exists("go.txt"):
    open("started.txt", "w").close()
    while True:
        pass
"""

LIMIT = 30
"""Seconds until a run must have ended after a signal: five are promised, where nothing else is at work."""

OFTEN = BY_SIGNAL[:2]
"""For states of a run that are as good as others."""


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like a checkout with a workflow of one job, which ends when go.txt exists."""
    (tmp_path / "workflow").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "src").symlink_to(ROOT / "src")
    shutil.copy(ROOT / "workflow" / "run", tmp_path / "workflow")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    yield tmp_path
    (tmp_path / "go.txt").touch()
    for process in inside(tmp_path):  # of a test that fails
        kill(process)


def start(checkout, *arguments, **environment):
    command = ["workflow/run", "--cores", "1", "--rerun-incomplete", *arguments, "all"]
    return subprocess.Popen(
        command,
        cwd=checkout,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def check_ended(checkout, run, number):
    """The run ends soon, says so, and leaves no process and no lock."""
    output, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 128 + number, output
    assert output.endswith("interrupted; run again to continue\n")
    assert "Traceback" not in output
    assert "Error" not in output
    assert inside(checkout) == []
    assert not list((checkout / ".snakemake").glob("locks/*"))


def check_resumed(checkout):
    """The next run makes what is missing."""
    (checkout / "go.txt").touch()
    code, output = finish(start(checkout))
    assert code == 0, output
    assert (checkout / "done.txt").exists()


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


@pytest.mark.parametrize(("number", "ignore"), BY_SIGNAL)
def test_a_signal_ends_a_run_and_its_jobs(checkout, number, ignore):
    with ignored(*ignore):
        run = start(checkout)
    wait_for(checkout / "started.txt")
    run.send_signal(number)
    check_ended(checkout, run, number)
    check_resumed(checkout)


def test_a_hang_up_does_not_end_a_run_under_nohup(checkout):
    with ignored(signal.SIGHUP):
        run = start(checkout)
    wait_for(checkout / "started.txt")
    os.killpg(run.pid, signal.SIGHUP)
    (checkout / "go.txt").touch()
    code, output = finish(run)
    assert code == 0, output


def test_jobs_that_do_not_heed_a_signal_are_killed(checkout):
    (checkout / "Snakefile").write_text(STUBBORN)
    run = start(checkout)
    wait_for(checkout / "started.txt")
    run.send_signal(signal.SIGTERM)
    check_ended(checkout, run, signal.SIGTERM)
    (checkout / "Snakefile").write_text(SNAKEFILE)
    check_resumed(checkout)


def test_a_key_that_is_pressed_in_the_terminal_ends_a_run(checkout):
    keyboard, terminal = os.openpty()
    run = subprocess.Popen(
        ["workflow/run", "--cores", "1", "all"], cwd=checkout, preexec_fn=lambda: os.login_tty(terminal)
    )
    os.close(terminal)
    wait_for(checkout / "started.txt")
    os.write(keyboard, b"\x03")
    shown = b""
    while piece := read_terminal(keyboard):
        shown += piece
    os.close(keyboard)
    assert run.wait(LIMIT) == 130
    assert b"Terminating processes" not in shown
    assert b"Error" not in shown
    assert shown.endswith(b"\x1b[?25h\r\ninterrupted; run again to continue\r\n")  # the cursor is there again
    assert inside(checkout) == []


def read_terminal(keyboard):
    """What the programs of a terminal have written since, empty where all have ended."""
    try:
        return os.read(keyboard, 65536)
    except OSError:  # what Linux says then
        return b""


@pytest.mark.parametrize(("number", "ignore"), OFTEN)
def test_a_signal_ends_a_run_that_is_planning(checkout, number, ignore):
    (checkout / "Snakefile").write_text("import os\n" + PLANNING + SNAKEFILE)
    with ignored(*ignore):
        run = start(checkout)
    wait_for(checkout / "started.txt")
    run.send_signal(number)
    check_ended(checkout, run, number)


@pytest.mark.parametrize(("number", "ignore"), OFTEN)
def test_a_signal_ends_a_run_that_hashes(checkout, number, ignore):
    slow = checkout / "results/slow"
    record = checkout / "results/provenance/results/slow.json"
    record.parent.mkdir(parents=True)
    os.mkfifo(slow)  # of no bytes, and none come: whoever hashes it waits
    record.write_text(damage.sealed({"outputs": {"results/slow": ["0" * 64, 0]}}))
    with ignored(*ignore):
        run = start(checkout)
    with slow.open("wb"):  # as soon as it is hashed
        run.send_signal(number)
        check_ended(checkout, run, number)


@pytest.mark.parametrize(("number", "ignore"), OFTEN)
def test_a_signal_ends_a_run_that_waits_for_the_queue(checkout, number, ignore):
    lock = checkout / ".snakemake/locks/of a killed run"
    lock.parent.mkdir(parents=True)
    lock.touch()
    write_program(checkout / "bin", "squeue", "touch started.txt; exec sleep 1000")
    with ignored(*ignore):
        run = start(checkout, PATH=f"{checkout / 'bin'}:{os.environ['PATH']}")
    wait_for(checkout / "started.txt")
    run.send_signal(number)
    output, _ = run.communicate(timeout=LIMIT)
    assert (run.returncode, output) == (128 + number, "interrupted; run again to continue\n")
    assert inside(checkout) == []
    assert lock.exists()  # whether jobs of that run are left is not known yet


@pytest.mark.parametrize(("number", "ignore"), OFTEN)
def test_a_signal_ends_a_run_that_waits_for_a_cluster_and_cancels_its_jobs(checkout, number, ignore):
    job = f"17 0430eb04-110a-4034-a38f-c3612abc5972 {checkout}"
    programs = {
        "sbatch": "touch started.txt",
        "squeue": f"echo {job}",
        "scancel": "echo $* >cancelled.txt",
        "sacct": "",
    }
    for name, text in programs.items():
        write_program(checkout / "bin", name, text)
    install_plugin(checkout)
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    with ignored(*ignore):
        run = start(checkout, "--executor", "slurm", "--jobs", "1", PATH=path)
    wait_for(checkout / "started.txt")
    run.send_signal(number)
    output, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 128 + number, output
    assert output.endswith("\ninterrupted; run again to continue\n")
    assert (checkout / "cancelled.txt").read_text() == "17\n"
    assert inside(checkout) == []
    # A cancelled job takes a while to end, and could still write: the next run looks for it.
    code, output = finish(start(checkout, PATH=path))
    assert code == 75
    assert "error: a cluster job of a killed run is at work in this checkout (SLURM job 17)" in output
    write_program(checkout / "bin", "squeue", "")
    check_resumed(checkout)


def test_an_executor_that_is_not_installed_ends_a_run_at_once(checkout):
    code, output = finish(start(checkout, "--executor", "of-nobody"))
    assert code == 1
    assert output.startswith("error: snakemake-executor-plugin-of-nobody is not installed")
    assert "remedy: " in output
    assert not (checkout / ".snakemake").exists()


def test_where_snakemake_is_killed_its_jobs_end_and_the_run_says_so(checkout):
    run = start(checkout)
    wait_for(checkout / "started.txt")
    (snakemake,) = [process.pid for process in descendants(run.pid, "snakemake") if process.pid != run.pid]
    os.kill(snakemake, signal.SIGKILL)
    code, output = finish(run)
    assert code == 137
    assert output.endswith(
        "error: Snakemake was killed (SIGKILL)\n"
        "remedy: run again to continue; with fewer jobs at once (--cores) if memory ran short\n"
    )
    assert inside(checkout) == []


def test_a_checkout_that_is_not_set_up_says_so(checkout):
    shutil.rmtree(checkout / ".venv")
    assert finish(start(checkout)) == (
        1,
        "error: Assay is not installed in this checkout\nremedy: make setup\n",
    )


def test_without_a_terminal_a_build_says_how_far_it_is(tmp_path):
    checkout = Checkout.fresh(tmp_path / "checkout")
    checkout.replace("rules/snakemake.smk", "SECONDS_BETWEEN_REPORTS = 30", "SECONDS_BETWEEN_REPORTS = 0.02")
    run = checkout.build(target="results/madeup/tasks.parquet")
    reports = re.findall(r"^(\d+) of (\d+) jobs are done; at work: (.*)$", run.output, re.MULTILINE)
    assert len(reports) > 1
    assert [int(done) for done, _, _ in reports] == sorted(int(done) for done, _, _ in reports)
    assert {total for _, total, _ in reports} == {str(len(checkout.how()))}
    assert {"1 tasks", "1 merge_tasks"} <= {at_work for _, _, at_work in reports}
