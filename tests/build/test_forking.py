"""Jobs that are forked behave as jobs that are started, and end with their run."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.build import forking, forkserver
from assay.build.forking import ForkedJobs

STAGE = Path("workflow/scripts/stage.py")

SAYS = """
import os, sys
print(__name__, sys.argv, os.getcwd(), sys.path[0], os.environ["A"], os.environ.get("MPLBACKEND"), flush=True)
os.write(2, b"to the log\\n")
if "stdin" in sys.argv: print(sys.stdin.read())
if "exit" in sys.argv: sys.exit(int(sys.argv[-1]))
if "text" in sys.argv: sys.exit("a text")
if "fails" in sys.argv: raise KeyError("no such thing")
if "parent" in sys.argv: print(os.getppid(), "numpy" in sys.modules)
if "waits" in sys.argv:
    import time
    time.sleep(60)
if "slowly" in sys.argv:
    import signal, time
    def end(*_):
        time.sleep(0.3)
        print("cleaned up", flush=True)
        sys.exit(1)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if "never" in sys.argv else end)
    os.write(2, b"listens\\n")
    time.sleep(60)
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkedJobs]:
    monkeypatch.chdir(tmp_path)
    STAGE.parent.mkdir(parents=True)
    STAGE.write_text(SAYS)
    # The libraries take seconds, and are imported in one test.
    source = Path(forkserver.__file__).read_text()
    monkeypatch.setattr(forking, "SERVER", tmp_path / "forkserver.py")
    forking.SERVER.write_text(source.replace("_import_libraries()\n    gc", "gc"))
    jobs = ForkedJobs()
    yield jobs
    jobs.close()


def command(*arguments: str, log: str = "log") -> str:
    return f"exec {shlex.join([sys.executable, str(STAGE), *arguments])} > {shlex.quote(log)} 2>&1"


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **forking._THREADS, "A": "a b", **more}


def start(jobs: Any, *arguments: str, log: str = "log", **more: str) -> Any:
    text = command(*arguments, log=log)
    return jobs(text, shell=True, stdout=None, env=environment(**more), executable="/bin/bash")


def said(path: str) -> str:
    return Path(path).read_text()


def wait_for(path: str, text: str = "to the log") -> None:
    until = time.monotonic() + 30
    while not (Path(path).exists() and text in said(path)):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    "arguments",
    [("plain",), ("a b", '{"c": "$HOME"}', "'"), ("exit", "3"), ("exit", "0"), ("text",), ("fails",)],
)
def test_a_forked_job_does_what_a_started_one_does(jobs: ForkedJobs, arguments: tuple[str, ...]) -> None:
    forked = start(jobs, *arguments, log="forked log")
    started = start(subprocess.Popen, *arguments, log="started")
    assert isinstance(forked, forking.ForkedJob)
    assert forked.wait() == started.wait()
    lines = said("forked log").splitlines()
    assert lines[:2] == said("started").splitlines()[:2]
    assert lines[-1] == said("started").splitlines()[-1]
    assert forked.wait() == forked.returncode


def test_the_job_is_a_child_of_the_server(jobs: ForkedJobs) -> None:
    assert start(jobs, "parent").wait() == 0
    assert said("log").split()[-2:] == [str(jobs._server.pid), "False"]


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("exec ", "", {}),
        (" 2>&1", "", {}),
        ("stage.py", "other.py", {}),
        ("plain", "$A", {}),
        ("plain", "plain | cat", {}),
        ("plain", "pl*n", {}),
        ("plain", "'plain", {}),
        ("", "", {"PYTHONHASHSEED": "7"}),
        ("", "", {"NUMBA_DISABLE_JIT": "1"}),
        ("", "", {"OMP_NUM_THREADS": "2"}),
        ("", "", {"LC_ALL": "tr_TR.UTF-8"}),
    ],
)
def test_other_commands_and_environments_are_refused(
    jobs: ForkedJobs, before: str, after: str, more: dict[str, str]
) -> None:
    assert jobs._request(command("plain"), {"env": environment()}) is not None
    assert jobs._request(command("plain").replace(before, after), {"env": environment(**more)}) is None


def test_a_job_is_listed_under_its_own_command(jobs: ForkedJobs) -> None:
    job = start(jobs, "waits", "x" * 2000)
    wait_for("log")
    words = Path(f"/proc/{job.pid}/cmdline").read_bytes().rstrip(b"\0").decode().split("\0")
    assert words[:3] == [sys.executable, str(STAGE), "waits"]
    assert set(words[3]) == {"x"}
    environment = Path(f"/proc/{job.pid}/environ").read_bytes().split(b"\0")
    assert f"PATH={os.environ['PATH']}".encode() in environment  # by which jobs of a killed run are found
    job.kill()
    job.wait()


def test_what_is_refused_is_started(jobs: ForkedJobs) -> None:
    job = start(jobs, "parent", PYTHONHASHSEED="7")
    assert isinstance(job, subprocess.Popen)
    assert job.wait() == 0
    assert said("log").split()[-2] == str(os.getpid())


@pytest.mark.parametrize(("how", "code"), [("kill", -9), ("terminate", -15)])
def test_a_job_can_be_ended(jobs: ForkedJobs, how: str, code: int) -> None:
    job = start(jobs, "waits")
    wait_for("log")
    getattr(job, how)()
    assert job.wait() == code
    getattr(job, how)()  # nobody else has its process id now
    assert start(jobs, "plain").wait() == 0


def test_jobs_run_side_by_side(jobs: ForkedJobs) -> None:
    long = start(jobs, "waits", log="long")
    codes: dict[int, int] = {}

    def one(number: int) -> None:
        codes[number] = start(jobs, "exit", str(number), log=f"log-{number}").wait()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == {number: number for number in range(12)}
    long.kill()
    assert long.wait() == -signal.SIGKILL


def test_jobs_end_with_the_run(jobs: ForkedJobs) -> None:
    job = start(jobs, "waits")
    wait_for("log")
    jobs.close()
    assert job.wait() == -signal.SIGTERM
    assert not Path(f"/proc/{job.pid}").exists()


def test_without_its_server_a_job_ends_and_the_next_is_started(
    jobs: ForkedJobs, capfd: pytest.CaptureFixture[str]
) -> None:
    job = start(jobs, "waits")
    wait_for("log")
    jobs._server.kill()
    assert job.wait() != 0
    until = time.monotonic() + 30
    while Path(f"/proc/{job.pid}").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    after = start(jobs, "plain")
    assert isinstance(after, subprocess.Popen)
    assert after.wait() == 0
    assert "jobs are no longer forked" in capfd.readouterr().err


def test_a_job_without_its_server_has_ended_before_it_counts_as_failed(
    jobs: ForkedJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it could put its outputs in place after Snakemake has removed them."""
    monkeypatch.setattr(forking, "GRACE", 1.0)
    cleans_up, never = start(jobs, "slowly", log="cleans up"), start(jobs, "slowly", "never", log="never")
    for log in ("cleans up", "never"):
        wait_for(log, "listens")
    jobs._server.kill()
    assert cleans_up.wait() == -signal.SIGTERM
    assert said("cleans up").endswith("cleaned up\n")
    assert never.wait() == -signal.SIGTERM
    assert (
        not Path(f"/proc/{never.pid}/cmdline").exists() or not Path(f"/proc/{never.pid}/cmdline").read_bytes()
    )


def test_a_job_whose_server_died_at_its_fork_does_not_begin(jobs: ForkedJobs, tmp_path: Path) -> None:
    request = jobs._request(command("plain"), {"env": environment()})
    child = os.fork()
    if child == 0:
        forkserver._run(request, signal.default_int_handler, server=1 << 30)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert not (tmp_path / "log").exists()


def test_a_log_that_cannot_be_written_fails_the_job(jobs: ForkedJobs) -> None:
    assert start(jobs, "plain", log="none/log").wait() == 1


def test_a_thread_would_be_noticed() -> None:
    """It would hold locks that a fork copies."""
    event = threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    assert forkserver._has_threads()
    event.set()
    thread.join()


def test_the_libraries_leave_one_thread_and_no_extensions() -> None:
    program = (
        "from assay.build import forkserver\nimport sys\nforkserver._import_libraries()\n"
        "print(forkserver._has_threads(), 'numba' in sys.modules, 'awkward' in sys.modules)"
    )
    env = {**os.environ, **forking._THREADS, **forking._SET_BY_JOBS}
    ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout == "False True False\n"
