"""Every suite in small, installed from the locks and built by another Python: the same bytes.

What is compared is what a user gets: a copy, `envs/install` with that interpreter, a build without the store.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OTHERS = [
    minor for minor in ("3.11", "3.12", "3.13") if minor != f"{sys.version_info[0]}.{sys.version_info[1]}"
]
NEWEST = pytest.param(OTHERS[-1], marks=pytest.mark.full)
"""It differs most, and each takes minutes to install."""

ANSWERS = "import ensurepip, sys, venv; print(sys.executable)"


def interpreter(minor: str) -> str | None:
    """The path of a Python of that version; null where there is none."""
    kept = Path.home().glob(f".pyenv/versions/{minor}.*/bin/python")
    found = [shutil.which(f"python{minor}"), *map(str, kept)]
    for candidate in filter(None, found):  # a name on PATH may be a shim with nothing behind it: ask
        said = subprocess.run([candidate, "-c", ANSWERS], capture_output=True, text=True)
        if said.returncode == 0:
            return said.stdout.strip()
    return None


@pytest.mark.parametrize("minor", [*(pytest.param(m, marks=pytest.mark.soak) for m in OTHERS[:-1]), NEWEST])
def test_another_python_makes_the_same_bytes(smoke, tmp_path, minor):
    python = interpreter(minor)
    if python is None:
        pytest.skip(f"there is no Python {minor} here")
    other = smoke.copy(tmp_path / "checkout")
    other.remove("results", "reports", ".snakemake", ".venv")
    installed = other.do("envs/install", "models", PYTHON=python)
    assert installed.code == 0, installed.output
    version = other.do(".venv/bin/python", "--version").output
    assert version.startswith(f"Python {minor}.")
    other.build(ASSAY_STORE="off")
    ours, theirs = (json.loads(checkout.manifest()) for checkout in (other, smoke))
    # Where an interpreter has no wheels for a suite, that suite is left out, and nothing else changes.
    left_out = set(theirs["suites"]) - set(ours["suites"])
    assert left_out <= {"collider"}
    expected = {path: file for path, file in theirs["files"].items() if file["suite"] not in left_out}
    assert ours["files"] == expected
