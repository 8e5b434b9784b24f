from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.signals import BY_SIGNAL, ignored
from tests.small_checkout import SmallCheckout

from assay.build import damage, fingerprint, job
from assay.errors import ConfigError

PROGRAM = '''\
"""Score the episodes of one shard."""

from assay.build.job import Job, run


def work(job: Job) -> None:
    from assay.stages import scores

    scores.run(job)


if __name__ == "__main__":
    run(work, __doc__)
'''

STAGE = """\
from assay import engine


def run(job):
    job.note(episodes=3)
    text = job.input("tasks").read_text() + "".join(p.read_text() for p in job.parts("episodes"))
    job.output("scores").write_text(engine.score(text, job.config))
"""

ENGINE = """\
def score(text, config):
    return f"{config['factor'] * float(len(text))}"
"""

HEAVY_ENGINE = "import numpy\n\n\n" + ENGINE.replace("float", "numpy.float64")

ROOTS = "workflow/scripts/scores.py,assay.stages.scores"


class Checkout(SmallCheckout):
    """With one program that scores: `results/tasks` and `results/{a,b}` in, `results/petri/scores` out."""

    output = "results/petri/scores"

    def command(self, *more: str, config: str = '{"factor":2}') -> list[str]:
        return [
            "workflow/scripts/scores.py",
            *("--roots", ROOTS, "--config", config),
            *("--in", "tasks", "results/tasks", "--in", "episodes", "results/a", "results/b"),
            *("--out", "scores", self.output),
            *more,
        ]

    def run(self, *more: str, config: str = '{"factor":2}', **environment: str) -> Any:
        return self.python(*self.command(*more, config=config), **environment)

    def stage(self, body: str) -> None:
        """Replace the stage by one that does this."""
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        self.write({"src/assay/stages/scores.py": f"def run(job):\n{lines}"})

    def provenance(self, output: str = output) -> dict[str, Any]:
        return dict(json.loads((self.root / f"results/provenance/{output}.json").read_text()))

    @property
    def result(self) -> str | None:
        path = self.root / self.output
        return path.read_text() if path.exists() else None

    def left_over(self) -> list[str]:
        """Everything in `results` but the inputs and the folders that hold outputs."""
        expected = {"tasks", "a", "b", "petri", "provenance"}
        top = {path.name for path in (self.root / "results").iterdir()} - expected
        return sorted(top | {str(path) for path in (self.root / "results/petri").glob(".*")})


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.add_wrapper()
    made.write(
        {
            "workflow/scripts/scores.py": PROGRAM,
            "src/assay/stages/__init__.py": "",
            "src/assay/stages/scores.py": STAGE,
            "src/assay/engine.py": ENGINE,
            "results/tasks": "tasks",
            "results/a": "first",
            "results/b": "second",
        }
    )
    return made


class TestDone:
    def test_the_output_is_in_its_place_and_nothing_else(self, checkout: Checkout) -> None:
        done = checkout.run()
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert checkout.result == "32.0"
        assert checkout.left_over() == []

    def test_provenance(self, checkout: Checkout) -> None:
        checkout.write({"src/assay/engine.py": HEAVY_ENGINE})
        checkout.run()
        facts = checkout.provenance()
        assert facts["how"] == "computed"
        assert facts["facts"] == {"episodes": 3}
        assert facts["numpy"] == version("numpy")
        assert facts["host"] == os.uname().nodename
        assert 0 < facts["cpu_seconds"] < 60
        assert 0 < facts["wall_seconds"] < 60
        assert 10**6 < facts["max_rss_bytes"] < 10**10
        assert facts["fingerprint"] == fingerprint.fingerprint(ROOTS.split(","), checkout.root)
        content = (checkout.root / checkout.output).read_bytes()
        assert facts["outputs"] == {checkout.output: [hashlib.sha256(content).hexdigest(), len(content)]}
        assert damage.find(checkout.root) == []

    def test_the_process_ends_without_taking_libraries_down_but_runs_what_is_registered(
        self, checkout: Checkout
    ) -> None:
        checkout.stage(
            "import atexit, sys\n"
            "class Slow:\n"
            "    def __del__(self): print('taken down')\n"
            "sys.modules['slow'] = Slow()\n"
            "atexit.register(print, 'registered')\n"
            "print('worked', end='')\n"
            "job.output('scores').write_text('x')"
        )
        done = checkout.run()
        assert (done.returncode, done.stdout) == (0, "workedregistered\n")

    def test_a_log_that_cannot_be_written_fails_the_job(self, checkout: Checkout) -> None:
        checkout.stage("print('x' * 10)\njob.output('scores').write_text('x')")
        with Path("/dev/full").open("w") as log:
            done = subprocess.run(
                [sys.executable, *checkout.command()],
                cwd=checkout.root,
                env=os.environ | {"PYTHONPATH": str(checkout.root / "src")},
                stdout=log,
                check=False,
            )
        assert done.returncode != 0

    def test_provenance_that_cannot_be_written_is_no_failure(self, checkout: Checkout) -> None:
        checkout.write({"results/provenance": "in the way"})
        done = checkout.run()
        assert done.returncode == 0
        assert "no provenance was written" in done.stderr
        assert checkout.result == "32.0"

    def test_several_outputs_may_have_one_file_name(self, checkout: Checkout) -> None:
        checkout.stage('for name in ("scores", "flags"):\n    job.output(name).write_text(name)')
        checkout.run("--out", "flags", "reports/deep/scores")
        assert checkout.result == "scores"
        assert (checkout.root / "reports/deep/scores").read_text() == "flags"
        assert [path.name for path in (checkout.root / "reports").iterdir()] == ["deep"]

    def test_the_temporary_path_ends_in_the_final_name(self, checkout: Checkout) -> None:
        checkout.stage('path = job.output("scores")\npath.write_text(path.name)')
        checkout.run()
        assert checkout.result == "scores"

    def test_more_files_than_outputs_go(self, checkout: Checkout) -> None:
        checkout.stage('p = job.output("scores")\np.write_text("")\n(p.parent / "scratch").mkdir()')
        assert checkout.run().returncode == 0
        assert checkout.left_over() == []

    def test_an_input_may_have_no_files(self, checkout: Checkout) -> None:
        checkout.stage('job.output("scores").write_text(repr(job.parts("none")))')
        checkout.run("--in", "none")
        assert checkout.result == "()"

    def test_absolute_paths(self, checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> None:
        folder = tmp_path_factory.mktemp("aside")
        done = checkout.python(
            "workflow/scripts/scores.py",
            *(
                "--roots",
                ROOTS,
                "--config",
                '{"factor":1}',
                "--in",
                "tasks",
                str(checkout.root / "results/a"),
            ),
            *("--in", "episodes", "--out", "scores", str(folder / "deep/scores")),
        )
        assert done.returncode == 0, done.stderr
        assert (folder / "deep/scores").read_text() == "5.0"
        assert [path.name for path in (folder / "deep").iterdir()] == ["scores"]

    def test_arguments_from_a_file(self, checkout: Checkout) -> None:
        program, *arguments = checkout.command()
        checkout.write({"arguments": "\n".join(arguments) + "\n"})
        checkout.python(program, "@arguments")
        assert checkout.result == "32.0"

    def test_help_shows_the_program_s_docstring(self, checkout: Checkout) -> None:
        done = checkout.python("workflow/scripts/scores.py", "--help")
        assert done.returncode == 0
        assert "Score the episodes of one shard." in done.stdout

    def test_progress_is_said_now_and_then(self, capsys: pytest.CaptureFixture[str]) -> None:
        started = job.Job({}, {}, {})
        started.progress(1, 10)
        assert capsys.readouterr().err == ""
        started._reported -= job.PROGRESS_SECONDS
        started.progress(2, 10)
        started.progress(3, 10)
        assert capsys.readouterr().err == "2 of 10 after 0 s\n"

    def test_names_that_the_job_does_not_have(self) -> None:
        some = job.Job({}, {"one": (Path("a"),), "two": (Path("a"), Path("b"))}, {"out": Path("c")})
        assert some.input("one") == Path("a")
        assert some.output("out") == Path("c")
        for wrong in (lambda: some.input("two"), lambda: some.parts("three"), lambda: some.output("one")):
            with pytest.raises(ValueError, match="has"):
                wrong()


class TestSurroundings:
    def test_one_thread_no_display_and_caches_in_the_checkout(self, checkout: Checkout) -> None:
        checkout.stage('import json, os\njob.output("scores").write_text(json.dumps(dict(os.environ)))')
        checkout.run(OMP_NUM_THREADS="8", MPLBACKEND="TkAgg", NUMBA_CACHE_DIR="/elsewhere")
        assert checkout.result is not None
        seen = json.loads(checkout.result)
        for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
            assert seen[f"{name}_NUM_THREADS"] == "1"
        assert seen["MPLBACKEND"] == "Agg"
        assert seen["MPLCONFIGDIR"] == f"{checkout.root}/.cache/matplotlib"
        kernels = fingerprint.kernels(ROOTS.split(","), checkout.root)
        assert seen["NUMBA_CACHE_DIR"] == f"{checkout.root}/.cache/numba/{kernels}"

    def test_they_are_set_before_numpy_is_loaded(self, checkout: Checkout) -> None:
        checkout.stage('import sys\nassert "numpy" not in sys.modules\njob.output("scores").write_text("")')
        done = checkout.run()
        assert done.returncode == 0, done.stderr

    def test_the_checkout_is_searched_first_and_the_programs_folder_not(self, checkout: Checkout) -> None:
        checkout.stage('import json, sys\njob.output("scores").write_text(json.dumps(sys.path))')
        checkout.run()
        assert checkout.result is not None
        path = json.loads(checkout.result)
        assert path[:2] == [f"{checkout.root}/src", str(checkout.root)]
        assert not [entry for entry in path if entry.endswith("scripts")]


class TestStore:
    def test_the_second_time_the_output_is_restored_without_numpy(self, checkout: Checkout) -> None:
        checkout.write({"src/assay/engine.py": HEAVY_ENGINE})
        checkout.run()
        (checkout.root / checkout.output).unlink()
        done = checkout.python("-X", "importtime", *checkout.command())
        loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert checkout.result == "32.0"
        assert checkout.provenance()["how"] == "restored"
        assert "assay.build.job" in loaded
        heavy = {"numpy", "pyarrow", "pandas", "dataclasses", "ast", "tempfile", "shutil"}
        assert loaded & heavy == set()
        assert checkout.left_over() == []

    @pytest.mark.parametrize(
        "change",
        [
            {"src/assay/engine.py": ENGINE.replace("len(text)", "len(text) + 1")},
            {"src/assay/stages/scores.py": STAGE + "x = 1\n"},
            {"workflow/scripts/scores.py": PROGRAM + "x = 1\n"},
            {"results/tasks": "other"},
            {"results/b": "edited"},
        ],
    )
    def test_what_can_change_the_output_is_computed(self, checkout: Checkout, change: dict[str, str]) -> None:
        checkout.run()
        checkout.write(change)
        assert checkout.run().returncode == 0
        assert checkout.provenance()["how"] == "computed"

    def test_another_configuration_is_computed(self, checkout: Checkout) -> None:
        checkout.run()
        checkout.run(config='{"factor":3}')
        assert checkout.provenance()["how"] == "computed"
        assert checkout.result == "48.0"

    def test_the_layout_of_the_configuration_does_not_count(self, checkout: Checkout) -> None:
        checkout.run(config='{"factor":2,"a":1}')
        checkout.run(config='{"a": 1, "factor": 2}')
        assert checkout.provenance()["how"] == "restored"

    def test_a_comment_is_restored(self, checkout: Checkout) -> None:
        checkout.run()
        checkout.write({"src/assay/engine.py": "# About engines.\n" + ENGINE})
        checkout.run()
        assert checkout.provenance()["how"] == "restored"

    def test_an_older_state_is_restored(self, checkout: Checkout) -> None:
        checkout.run()
        checkout.write({"results/b": "edited"})
        checkout.run()
        checkout.write({"results/b": "second"})
        checkout.run()
        assert checkout.provenance()["how"] == "restored"
        assert checkout.result == "32.0"

    def test_the_name_of_an_output_file_counts_its_folder_does_not(self, checkout: Checkout) -> None:
        checkout.run()
        for output, how in (("results/aside/scores", "restored"), ("results/petri/flags", "computed")):
            assert checkout.python(*checkout.command()[:-1], output).returncode == 0
            assert checkout.provenance(output)["how"] == how

    def test_a_damaged_store_is_computed(self, checkout: Checkout) -> None:
        checkout.run()
        (blob,) = (path for path in (checkout.root / ".store/blobs").rglob("*") if path.is_file())
        blob.write_text("33.0")
        checkout.run()
        assert checkout.provenance()["how"] == "computed"
        assert checkout.result == "32.0"

    def test_switched_off_it_is_neither_read_nor_written(self, checkout: Checkout) -> None:
        checkout.run(ASSAY_STORE="off")
        assert not (checkout.root / ".store").exists()
        checkout.run()
        checkout.run(ASSAY_STORE="off")
        assert checkout.provenance()["how"] == "computed"

    def test_one_that_cannot_be_written_does_not_stop_the_job(self, checkout: Checkout) -> None:
        done = checkout.run(ASSAY_STORE=str(checkout.root / "results/tasks/store"))
        assert (done.returncode, done.stderr) == (0, "")
        assert checkout.result == "32.0"

    def test_a_failed_job_is_not_kept(self, checkout: Checkout) -> None:
        checkout.stage('job.output("scores").write_text("half")\nraise SystemExit(3)')
        assert checkout.run().returncode == 3
        assert not (checkout.root / ".store").exists()

    def test_an_output_that_differs_from_run_to_run_is_reported(self, checkout: Checkout) -> None:
        checkout.stage('import os\njob.output("scores").write_text(os.urandom(8).hex())')
        checkout.run()
        for blob in (checkout.root / ".store/blobs").rglob("*/*"):
            blob.unlink()
        done = checkout.run()
        assert done.returncode == 0
        assert "NOT DETERMINISTIC: results/petri/scores differs" in done.stderr


class TestSource:
    def test_the_planned_fingerprint(self, checkout: Checkout) -> None:
        planned = fingerprint.fingerprint(ROOTS.split(","), checkout.root)
        assert checkout.run("--fingerprint", planned).returncode == 0

    def test_an_edit_between_planning_and_running(self, checkout: Checkout) -> None:
        planned = fingerprint.fingerprint(ROOTS.split(","), checkout.root)
        checkout.write({"src/assay/engine.py": ENGINE + "x = 1\n"})
        done = checkout.run("--fingerprint", planned)
        assert done.returncode == 1
        assert done.stderr.startswith("error: the source or the environment has changed since")
        assert "remedy: run again" in done.stderr
        assert checkout.result is None

    def test_an_edit_while_the_job_runs(self, checkout: Checkout) -> None:
        checkout.stage(
            'with open("src/assay/engine.py", "a") as file:\n'
            '    file.write("x = 1")\n'
            "from assay import engine\n"
            'job.output("scores").write_text("")'
        )
        done = checkout.run()
        assert done.returncode == 1
        assert "engine.py was edited while the job ran" in done.stderr
        assert checkout.result is None

    def test_undeclared_source(self, checkout: Checkout) -> None:
        checkout.stage('__import__("assay.engine")\njob.output("scores").write_text("")')
        done = checkout.run()
        assert done.returncode == 1
        assert done.stderr.startswith("error: undeclared source: src/assay/engine.py was loaded")
        assert checkout.result is None

    def test_a_program_that_its_rule_does_not_name(self, checkout: Checkout) -> None:
        checkout.write({"workflow/scripts/other.py": PROGRAM})
        done = checkout.python("workflow/scripts/other.py", *checkout.command()[1:])
        assert "undeclared source: workflow/scripts/other.py" in done.stderr

    def test_a_program_of_another_checkout(
        self, checkout: Checkout, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        other = Checkout(tmp_path_factory.mktemp("other"))
        other.write({"workflow/scripts/scores.py": PROGRAM})
        done = other.run(PYTHONPATH=str(checkout.root / "src"))
        assert done.returncode == 1
        assert f"scores.py runs with the assay of another checkout, {checkout.root}" in done.stderr

    def test_a_module_beside_the_program(self, checkout: Checkout) -> None:
        checkout.write(
            {
                "workflow/scripts/beside.py": "",
                "workflow/scripts/scores.py": "import beside\n" + PROGRAM,
            }
        )
        assert "undeclared source: workflow/scripts/beside.py" in checkout.run().stderr


class TestFailures:
    def failed(self, done: Any, checkout: Checkout) -> str:
        """What a failed job said; it must have left nothing."""
        assert checkout.result is None
        assert checkout.left_over() == []
        assert not (checkout.root / "results/provenance").exists()
        return str(done.stderr)

    @pytest.fixture(autouse=True)
    def folder(self, checkout: Checkout) -> None:
        (checkout.root / "results/petri").mkdir()

    def test_a_defect_shows_its_traceback(self, checkout: Checkout) -> None:
        checkout.stage('job.output("scores").write_text("half")\n1 / 0')
        done = checkout.run()
        assert done.returncode == 1
        said = self.failed(done, checkout)
        assert said.startswith("Traceback")
        assert 'scores.py", line 3, in run\n    1 / 0' in said

    def test_an_earlier_output_survives_a_failure(self, checkout: Checkout) -> None:
        checkout.write({checkout.output: "earlier"})
        checkout.stage('job.output("scores").write_text("half")\n1 / 0')
        assert checkout.run().returncode == 1
        assert checkout.result == "earlier"

    def test_an_error_of_assay_is_two_lines_and_its_code(self, checkout: Checkout) -> None:
        checkout.stage('from assay.errors import NotBuilt\nraise NotBuilt("no mass points", "make them")')
        done = checkout.run()
        assert done.returncode == 2
        assert self.failed(done, checkout) == "error: no mass points\nremedy: make them\n"

    def test_a_missing_output(self, checkout: Checkout) -> None:
        checkout.stage('job.output("scores").write_text("half")')
        done = checkout.run("--out", "flags", "results/petri/flags")
        assert done.returncode == 1
        assert "without writing the output flags" in self.failed(done, checkout)

    def test_a_missing_input(self, checkout: Checkout) -> None:
        done = checkout.run("--in", "more", "results/absent")
        assert done.returncode == 2
        assert "the input more is missing: results/absent" in self.failed(done, checkout)

    def test_a_folder_as_input(self, checkout: Checkout) -> None:
        done = checkout.run("--in", "more", "results/petri")
        assert done.returncode == ConfigError.exit_code
        assert "the input more is a folder: results/petri" in self.failed(done, checkout)

    @pytest.mark.parametrize(
        ("raised", "said"),
        [
            (
                'OSError(28, "No space left on device", "some/file")',
                "error: some/file: No space left on device",
            ),
            (
                'OSError(28, "No space left on device")',
                "error: results/petri/scores: No space left on device",
            ),
            ('OSError(122, "Disk quota exceeded", "f")', "error: f: Disk quota exceeded"),
            ('OSError(30, "Read-only file system", "f")', "error: f: Read-only file system"),
            ('PermissionError(13, "Permission denied", "f")', "error: f: Permission denied"),
            ("MemoryError()", "error: memory ran out"),
        ],
    )
    def test_a_full_disk_and_its_like(self, checkout: Checkout, raised: str, said: str) -> None:
        checkout.stage(f'job.output("scores").write_text("half")\nraise {raised}')
        done = checkout.run()
        assert done.returncode == 1
        lines = self.failed(done, checkout).splitlines()
        assert lines[0].startswith(said)
        assert lines[1].startswith("remedy: ")
        assert len(lines) == 2

    def test_a_real_limit(self, checkout: Checkout) -> None:
        checkout.stage(
            "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            'job.output("scores").write_bytes(bytes(2000))'
        )
        done = checkout.run()
        assert done.returncode == 1
        assert os.strerror(errno.EFBIG) in self.failed(done, checkout)

    def test_a_file_where_the_outputs_folder_belongs(self, checkout: Checkout) -> None:
        (checkout.root / "results/petri").rmdir()
        checkout.write({"results/petri": "in the way"})
        done = checkout.run()
        assert done.returncode == 1
        assert done.stderr.startswith("error: results/petri")
        assert not list((checkout.root / "results").glob(".*"))

    def test_a_folder_where_the_output_belongs(self, checkout: Checkout) -> None:
        (checkout.root / checkout.output / "deep").mkdir(parents=True)
        done = checkout.run()
        assert done.returncode == 1
        assert "remedy: remove the folder" in done.stderr
        assert checkout.left_over() == []

    def test_other_failures_of_the_system_are_defects(self, checkout: Checkout) -> None:
        checkout.stage('open("absent")')
        assert "FileNotFoundError" in self.failed(checkout.run(), checkout)

    @pytest.mark.parametrize(("number", "ignore"), BY_SIGNAL)
    def test_a_signal(
        self, checkout: Checkout, number: signal.Signals, ignore: tuple[signal.Signals, ...]
    ) -> None:
        checkout.stage(
            'import time\njob.output("scores").write_text("half")\n'
            'open("results/petri/started", "w").close()\n'
            "try:\n    time.sleep(60)\nexcept Exception:\n    pass"
        )
        with ignored(*ignore):
            process = checkout.start(*checkout.command())
        started = checkout.root / "results/petri/started"
        deadline = time.monotonic() + 30
        while not started.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [path for path in (checkout.root / "results").iterdir() if path.name.startswith(job.PARTIAL)]
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 128 + number
        assert said == ""
        assert checkout.result is None
        assert checkout.left_over() == []

    def test_another_platform(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert job.main(lambda _: None, None, ["--roots", "x", "--out", "a", "b"]) == 1
        assert capsys.readouterr().err.startswith("error: Assay runs on Linux only, this is darwin\nremedy: ")


class TestCommandLine:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--roots", "x"], "--out"),
            (["--out", "a", "b"], "--roots"),
            (["--roots", "x", "--out", "a"], "--out"),
            (["--roots", "x", "--out", "a", "b", "--config", "{"], "--config is not JSON"),
            (["--roots", "x", "--out", "a", "b", "--config", '{"x":NaN}'], "--config is not JSON"),
            (["--roots", "x", "--out", "a", "b", "--config", '{"x":1,"x":2}'], "--config is not JSON"),
            (["--roots", "x", "--out", "a", "b", "--out", "a", "c"], "two outputs have the same name"),
            (["--roots", "x", "--out", "a", "b", "--in", "i", "--in", "i"], "two inputs have the same name"),
            (["--roots", "x", "--out", "a", "b", "--unknown"], "--unknown"),
        ],
    )
    def test_mistakes(self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            job.main(lambda _: None, None, arguments)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err
