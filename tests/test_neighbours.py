"""The two packages of the index with the nearest names, beside ours in a fresh environment (needs a network).

docs/conventions.md tells what comes of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys; sys.path.insert(0, 'packaging'); import backend; print(backend.build_wheel(sys.argv[1]))"
BESIDE = "assay-evals==0.5.0"
CLASHES = "assay-server==0.7.0"


def fetched(requirement: str, folder: Path) -> Path:
    """The wheel of a package of the index."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*command, "-d", folder, requirement], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip could not download {requirement}: {done.stderr.strip()[-200:]}")
    (wheel,) = folder.glob(f"{requirement.partition('==')[0].replace('-', '_')}-*.whl")
    return wheel


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-c", BUILD, tmp_path], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("assay_science-*.whl")
    return wheel


def claims(wheel: Path) -> set[str]:
    """The files that an installation of a wheel writes, with the commands."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (points,) = [name for name in names if name.endswith("dist-info/entry_points.txt")] or [None]
        text = archive.read(points).decode() if points else ""
    scripts = text.partition("[console_scripts]")[2].partition("\n[")[0]
    commands = {f"bin/{line.partition('=')[0].strip()}" for line in scripts.splitlines() if "=" in line}
    return {name for name in names if ".dist-info/" not in name} | commands


def test_what_the_neighbours_install_where_we_do(ours: Path, tmp_path: Path) -> None:
    assert claims(ours) >= {"assay/__init__.py", "bin/assay"}
    assert not claims(ours) & claims(fetched(BESIDE, tmp_path))
    both = claims(ours) & claims(fetched(CLASHES, tmp_path))
    # The known clash: whichever is installed later takes the package and the command.
    assert both >= {"assay/__init__.py", "bin/assay"}


@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
def test_the_neighbour_without_a_clash_leaves_ours_at_work(ours: Path, tmp_path: Path, first: bool) -> None:
    wheel = fetched(BESIDE, tmp_path)
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    for each in (wheel, ours) if first else (ours, wheel):
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", each], check=True)
    # The libraries are those of the environment that runs this test; it holds no file of ours.
    packages = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    outside = next(Path(sys.prefix, "lib").glob("python*/site-packages"))
    (packages / "libraries.pth").write_text(f"{outside}\n")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    folder = tmp_path / "empty"
    folder.mkdir()
    command = [tmp_path / "venv/bin/assay", "play", "petri", "core-v1/0"]
    played = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert "played by controlled" in played.stdout, played.stderr
