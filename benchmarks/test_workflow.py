"""What a run without work costs: CPU seconds of `snakemake all` where everything is current.

Pytest-benchmark's own columns are wall times; the CPU seconds stand in `extra_info` of the saved figures, and
are printed. Nothing is built: the outputs are empty files, and `snakemake --touch` records them.
"""

from __future__ import annotations

import re
import resource
from pathlib import Path
from typing import Any

import pytest
from tests.workflow.checkout import SMALL, Checkout

AGENTS = """\
agents:
  one: {kind: solver, solver: exact, suites: {madeup: all}}
  two: {kind: solver, solver: exact, suites: {madeup: all}}
  three: {kind: solver, solver: exact, suites: {madeup: all}}
"""
TASKS = "tests/protocol/tasks/madeup/madeup-many"
MAKE_TASKS = f"""\
import sys
from pathlib import Path
from assay.episodes.blobs import MemoryBlobs
from assay.task import file_name
from tests.protocol.madeup import tasks
recipe = tasks.SETS["madeup-many"]
for index in range(int(sys.argv[1])):
    task = tasks.generate(recipe, "madeup-many", index, recipe.seed, MemoryBlobs())
    (Path("{TASKS}") / file_name(index)).write_text(task.frozen_text())
"""
TOUCH = """\
import time
time.sleep = lambda seconds: None  # `--touch` rests after each job
from snakemake.cli import main
main()
"""


def pretend(root: Path, tasks: int) -> tuple[Checkout, int]:
    """A checkout in which everything seems to be built, and the number of its jobs: some eleven a task."""
    checkout = Checkout.fresh(root)
    (root / "config/test/small-agents.yaml").write_text(AGENTS)
    (root / "config/test/small-suite.yaml").write_text("sets: {madeup-many: frozen}\n")
    checkout.append(SMALL, "shard_size: 1\n")
    (root / TASKS).mkdir(parents=True)
    python = ".venv/bin/python"
    assert checkout.do(python, "-c", MAKE_TASKS, str(tasks)).code == 0
    planned = checkout.dry_run()
    outputs = re.findall(r"^    output: (.+)$", planned.output, re.MULTILINE)
    for output in ", ".join(outputs).split(", "):
        (root / output).parent.mkdir(parents=True, exist_ok=True)
        (root / output).touch()
    touch = ["--configfile", SMALL, "--cores", "256", "--touch", "--forceall", "--quiet", "all", "--", "all"]
    touched = checkout.do(python, "-c", TOUCH, *touch, ASSAY_COPIED_RESULTS="trust")
    assert touched.code == 0, touched.output
    return checkout, len(outputs)


@pytest.mark.parametrize("tasks", [8, 90, 270], ids=["100 jobs", "1000 jobs", "3000 jobs"])
def test_no_work(benchmark: Any, tmp_path: Path, tasks: int) -> None:
    checkout, jobs = pretend(tmp_path / "checkout", tasks)
    seconds = []

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = checkout.snakemake()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "Nothing to be done" in done.output, done.output
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    benchmark.pedantic(run, rounds=3)
    benchmark.extra_info.update(jobs=jobs, cpu_seconds=round(min(seconds), 2))
    print(f"\n{jobs} jobs without work: {min(seconds):.2f} s of CPU")
