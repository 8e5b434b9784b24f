"""The wheel: what it holds, equal bytes from equal sources, and its use where no checkout is."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

import assay

ROOT = Path(__file__).resolve().parents[1]

BUILD = """
import sys
sys.path.insert(0, "packaging")
import backend
print(backend.build_wheel(sys.argv[1]), backend.build_sdist(sys.argv[1]))
"""


def build(out: Path) -> dict[str, str]:
    """Build wheel and source archive; returns their hashes by name."""
    out.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    command = [sys.executable, "-c", BUILD, str(out)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert project["version"] == assay.__version__ == str(citation["version"])
    assert re.search(
        rf"^## (Unreleased|{re.escape(assay.__version__)})", (ROOT / "CHANGELOG.md").read_text(), re.M
    )


@pytest.mark.full
def test_builds_are_equal_byte_for_byte(tmp_path: Path) -> None:
    first = build(tmp_path / "first")
    for file in (ROOT / "packaging").glob("*.py"):
        file.touch()  # times of files are not part of an archive
    assert build(tmp_path / "second") == first
    assert len(first) == 2


@pytest.mark.full
def test_the_wheel_works_without_a_checkout(tmp_path: Path) -> None:
    build(tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"assay/packaged/Snakefile", "assay/packaged/config/config.yaml"} <= names
    assert "assay/packaged/tasks/petri/core-v1/00000.json" in names
    assert not [name for name in names if "/test/" in name or "recordings/" in name]
    python = tmp_path / "venv/bin/python"
    venv.create(tmp_path / "venv", with_pip=True)
    # The libraries are those of the environment that runs this test; the package is that of the wheel alone.
    packages = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", wheel], check=True)
    outside = next(Path(sys.prefix, "lib").glob("python*/site-packages"))
    (packages / "libraries.pth").write_text(f"{outside}\n")
    folder = tmp_path / "empty"
    folder.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [tmp_path / "venv/bin/assay", *words]
        return subprocess.run(
            command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True
        )

    where = subprocess.run(
        [python, "-c", "import assay; print(assay.__file__)"], cwd=folder, capture_output=True, text=True
    )
    assert where.stdout.startswith(str(packages))
    played = run("play", "petri", "core-v1/0")
    assert played.returncode == 0 and "played by controlled" in played.stdout, played.stderr
    (folder / "agent.py").write_text("def play(session):\n    session.call('submit', {})\n")
    assert run("run", "agent.py", "petri/core-v1", "--tasks", "1").returncode == 0
    (folder / "scores.csv").write_text("agent,task,score\na,1,1\na,2,0\nb,1,0\nb,2,0\n")
    assert run("compare", "a", "b", "--table", "scores.csv").returncode == 0
    assert run("causalab", "describe", "--help").returncode == 0
    needs = run("verify")
    assert needs.returncode == 1 and "assay init DIR" in needs.stderr
    assert run("init", "project").returncode == 0
    planned = subprocess.run(
        [python, "-m", "snakemake", "--cores", "1", "--dry-run", "results/petri/tasks.parquet"],
        cwd=folder / "project",
        env=environment,
        capture_output=True,
        text=True,
    )
    assert planned.returncode == 0 and "merge_tasks" in planned.stdout + planned.stderr, planned.stderr
    again = run("init", "project")
    assert again.returncode == 1 and "not an empty folder" in again.stderr
