"""A copy of this checkout in a temporary folder, with results and a store of its own, to build and break."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.sandbox.inside import kernel

ROOT = Path(__file__).resolve().parents[2]
SMALL = "config/test/small.yaml"
"""The made-up suite."""

SMOKE = "config/test/smoke.yaml"
"""Every suite as small as it can be."""

REAL = "config/test/real.yaml"
"""Every suite, each with a few tasks and agents."""

LONGEST = 3600.0
"""Seconds that a command may take: the real suites on one core, beside other tests."""

NOT_SOURCE = (
    *(".git", ".venv", ".cache", ".snakemake", ".store", "results", "reports", "recordings", "private"),
    *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".benchmarks"),
)


PREPARED = multiprocessing.get_context("forkserver")
PREPARED.set_forkserver_preload(
    [
        *("snakemake.cli", "snakemake.workflow", "snakemake.report", "snakemake_logger_plugin_rich"),
        # What Snakemake imports when it reads a workflow. A package that is not installed is passed over.
        *(
            "numpy.random",
            "requests",
            "smart_open",
            "boto3",
            "rich.progress",
            "yte",
            "docutils.core",
            "jinja2",
        ),
        *("PIL.Image", "pydantic", "dpath"),
    ]
)


class Work(NamedTuple):
    """A job: its rule, and the values of its wildcards in the order of their names, without empty ones."""

    rule: str
    wildcards: tuple[str, ...] = ()


class Run(NamedTuple):
    """How a command ended."""

    code: int
    output: str


class Checkout:
    """A copy of the checkout's source, whose builds use the given configuration."""

    def __init__(self, root: Path, config: str = SMALL) -> None:
        self.root = root
        self.config = config

    @classmethod
    def fresh(cls, root: Path, config: str = SMALL) -> Checkout:
        """A new copy, where nothing is built.

        The made-up suite has its tasks among the tests. The other suites' are two thirds of all files, and
        many tests copy the build of the made-up suite.
        """
        ignored = shutil.ignore_patterns(*NOT_SOURCE)

        def ignore(folder: str, names: list[str]) -> set[str]:
            spared = {"tasks"} if config == SMALL and folder == str(ROOT) else set()
            return ignored(folder, names) | spared

        shutil.copytree(ROOT, root, ignore=ignore)
        (root / ".venv").symlink_to(sys.prefix)
        return cls(root, config)

    def bring_recordings(self, *agents: str, of: Path = ROOT) -> None:
        """Copy the recordings of these agents, of all if none is named, from another checkout's folder."""
        kept = of / "recordings"
        for folder in [kept / agent for agent in agents] or sorted(kept.glob("*/")):
            shutil.copytree(folder, self.root / "recordings" / folder.name, dirs_exist_ok=True)

    def freeze(self) -> None:
        """Take what is built as what has to be."""
        frozen = json.loads(self.manifest()).get("frozen", "results/MANIFEST")
        (self.root / frozen).write_bytes(self.manifest())

    def copy(self, root: Path) -> Checkout:
        """The same with all that was built, recorded and stored; times are kept."""
        subprocess.run(["cp", "--archive", self.root, root], check=True)
        return Checkout(root, self.config)

    # --- running -------------------------------------------------------------------------------------

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of the tests without what would steer Assay, Snakemake or a numeric library."""
        steering = re.compile(r"(ASSAY|SNAKEMAKE|PYTEST|NUMBA|NPY|OPENBLAS|OMP|MKL)_|GLIBC_TUNABLES|PYTHON")
        kept = {name: value for name, value in os.environ.items() if not steering.match(name)}
        return {**kept, "PYTHONPATH": "src:.", **more}

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        """Start a command in this checkout, in a session of its own; it is ended if the tests are killed."""
        return subprocess.Popen(
            command,
            preexec_fn=lambda: kernel.die_with_parent(signal.SIGTERM),
            cwd=self.root,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def do(self, *command: str, **environment: str) -> Run:
        """Run a command in this checkout to its end."""
        with self.start(*command, **environment) as process:
            try:
                output, _ = process.communicate(timeout=LONGEST)
            except BaseException:
                process.terminate()
                raise
        return Run(process.returncode, output)

    def assay(self, *arguments: str, **environment: str) -> Run:
        """Run `assay ...`."""
        return self.do(".venv/bin/python", "-m", "assay", *arguments, **environment)

    def snakemake(self, *arguments: str, target: str = "all", **environment: str) -> Run:
        """Run `snakemake ... -- all` as a person would."""
        return self.do(
            *(".venv/bin/python", "-m", "snakemake", "--configfile", self.config, "--cores", "1"),
            *(*arguments, "--", target),
            **environment,
        )

    def dry_run(self, *arguments: str, target: str = "all", **environment: str) -> Run:
        """Run `snakemake --dry-run ... -- all` in a process that has imported Snakemake already.

        The imports are most of what a dry run of a few dozen jobs costs, and the tests make many.
        """
        said = self.root.parent / f"dry-run-{os.getpid()}.txt"
        command = ["--dry-run", "--configfile", self.config, *arguments, "--", target]
        process = PREPARED.Process(
            target=_run_snakemake, args=(self.root, command, self.environment(**environment), said)
        )
        process.start()
        process.join(timeout=300)
        output = said.read_text()
        said.unlink()
        return Run(process.exitcode or 0, output)

    def build_command(self, *arguments: str, target: str = "all", cores: str = "1") -> Sequence[str]:
        """What `make reproduce` calls to build; `target` may be several, with spaces between them."""
        return [
            *("workflow/run", "--configfile", self.config, "--cores", cores, *arguments, "--"),
            *target.split(),
        ]

    def build(self, *arguments: str, target: str = "all", cores: str = "1", **environment: str) -> Run:
        """Build, and fail the test where that fails."""
        run = self.do(*self.build_command(*arguments, target=target, cores=cores), **environment)
        assert run.code == 0, run.output
        return run

    # --- looking -------------------------------------------------------------------------------------

    def to_do(self, *arguments: str, **environment: str) -> frozenset[Work]:
        """The jobs that a dry run would do, without the target `all` itself."""
        run = self.dry_run(*arguments, **environment)
        assert run.code == 0, run.output
        if "Nothing to be done" in run.output:
            return frozenset()
        jobs = Counter(_jobs(run.output))
        announced = re.search(r"^total +([0-9]+)$", run.output, re.MULTILINE)
        # Snakemake also prints a table of counts: what was read off must add up to it.
        assert announced, run.output
        assert sum(jobs.values()) == int(announced[1]), run.output
        return frozenset(jobs) - {Work("all")}

    def manifest(self) -> bytes:
        """The manifest of what was built."""
        return (self.root / "results/built.json").read_bytes()

    def how(self) -> dict[str, str]:
        """How the job of each output came about: output -> `computed` or `restored`."""
        folder = self.root / "results/provenance"
        return {
            str(file.relative_to(folder)).removesuffix(".json"): json.loads(file.read_text())["how"]
            for file in folder.rglob("*.json")
            if "recordings" not in file.relative_to(folder).parts
        }

    def forget_how(self) -> None:
        """Forget how jobs came about, so that `how` tells only of those that run from now on."""
        shutil.rmtree(self.root / "results/provenance", ignore_errors=True)

    def outputs(self) -> list[Path]:
        """Every file that the DAG has made, but for logs and provenance."""
        made = [*(self.root / "results").rglob("*"), *(self.root / "reports").rglob("*")]
        apart = {self.root / "results/logs", self.root / "results/provenance"}
        return sorted(file for file in made if file.is_file() and not apart & set(file.parents))

    # --- editing -------------------------------------------------------------------------------------

    def replace(self, file: str, old: str, new: str, *, keep_time: bool = False) -> None:
        """Replace the only occurrence of a text in a file, if so wished under the file's old time."""
        path = self.root / file
        status, text = path.stat(), path.read_text()
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new))
        if keep_time:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def append(self, file: str, text: str, *, keep_time: bool = False) -> None:
        """Append to a file, which may be new; if so wished under its old time."""
        path = self.root / file
        status = path.stat() if path.exists() else None
        with path.open("a") as opened:
            opened.write(text)
        if keep_time and status:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def remove(self, *folders: str) -> None:
        """Remove folders or files that are there."""
        for folder in folders:
            path = self.root / folder
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _run_snakemake(root: Path, command: list[str], environment: dict[str, str], said: Path) -> None:
    """What a prepared process does: become `snakemake COMMAND` in that checkout."""
    with said.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [str(root / "src"), str(root)]
    sys.argv = ["snakemake", *command]
    for name in list(sys.modules):  # of the checkout that holds the tests; this one has its own
        if name.partition(".")[0] in ("tests", "assay"):
            del sys.modules[name]
    from snakemake.cli import main

    main(command)


def _jobs(output: str) -> Iterable[Work]:
    """The jobs in the output of a dry run: blocks that begin with `rule NAME:`."""
    for block in re.split(r"^(?:local)?rule (?=[\w]+:$)", output, flags=re.MULTILINE)[1:]:
        name = block.partition(":")[0]
        wildcards = re.search(r"^    wildcards: (.+)$", block, re.MULTILINE)
        pairs = dict(pair.split("=", 1) for pair in wildcards[1].split(", ")) if wildcards else {}
        yield Work(name, tuple(pairs[key] for key in sorted(pairs) if pairs[key]))
