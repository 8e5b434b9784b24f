"""What Snakemake's own tools say of the workflow: its linter, and running jobs in the image."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.workflow.checkout import Checkout

IMAGE = "assay.sif"
APPTAINER = """\
#!/bin/sh
# Stands in for Apptainer: notes its arguments, and runs the command on this machine, where `python` is
# the interpreter of the tests, as it is that of the image there.
if [ "$1" = --version ]; then echo "apptainer version 1.3.0"; exit; fi
echo "$@" >>apptainer.txt
while [ "$1" != bash ]; do shift; done
exec "$@"
"""


@pytest.mark.full
def test_the_linter_has_nothing_to_remark(tmp_path: Path) -> None:
    checkout = Checkout.fresh(tmp_path / "checkout", "config/config.yaml")  # with the tasks of all suites
    run = checkout.do(".venv/bin/python", "-m", "snakemake", "--lint")
    assert run.code == 0, run.output
    assert "your workflow is in a good condition" in run.output


@pytest.mark.full
def test_jobs_run_in_the_image_where_that_is_asked_for(tmp_path: Path) -> None:
    checkout = Checkout.fresh(tmp_path / "checkout")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "apptainer").write_text(APPTAINER)
    (programs / "apptainer").chmod(0o755)
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    (checkout.root / IMAGE).touch()
    tasks = "results/madeup/tasks.parquet"
    path = f"{programs}:{os.environ['PATH']}"
    checkout.build("--software-deployment-method", "apptainer", target=tasks, PATH=path, ASSAY_STORE="off")
    calls = (checkout.root / "apptainer.txt").read_text().splitlines()
    assert len(calls) > 1
    assert all(f" {IMAGE} bash -c exec  python workflow/scripts/stage.py " in call for call in calls), calls
    # Without the image, Snakemake takes the software for changed, but the interpreter is no reason.
    others = ("--rerun-triggers", "code", "input", "mtime", "params")
    assert "Nothing to be done" in checkout.dry_run(*others, target=tasks).output
    assert "Nothing to be done" not in checkout.dry_run(target=tasks).output
