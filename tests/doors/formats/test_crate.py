"""The site as an RO-Crate, checked by rocrate-validator with its own profiles and without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.workflow.checkout import Checkout

CHECK = Path(__file__).with_name("check_crate.py")
CRATE = "ro-crate-metadata.json"
PROFILES = ("ro-crate-1.1", "workflow-ro-crate-1.0", "process-run-crate-0.5", "workflow-run-crate-0.5")
"""The profiles that the crate states, and what they are based on."""

Crate = dict[str, Any]


def validated(folder: Path, cache: Path, *profiles: str) -> dict[str, Any]:
    """What the validator says of a crate, profile by profile."""
    python = os.environ.get("ASSAY_VALIDATORS", "")
    if not python or subprocess.run([python, "-c", "import rocrate_validator, rocrate"]).returncode:
        pytest.skip(
            "ASSAY_VALIDATORS names no Python with roc-validator and rocrate==0.13.0; docs/formats.md"
        )
    command = [python, str(CHECK), str(folder), str(cache), *profiles]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    verdict: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return verdict


@pytest.mark.full
def test_the_site_is_a_valid_crate(smoke: Checkout, tmp_path: Path) -> None:
    verdict = validated(smoke.root / "reports", tmp_path / "cache", *PROFILES)
    assert verdict["unknown"] == []
    assert verdict["issues"] == {profile: [] for profile in PROFILES}


def _without_licence(crate: Crate) -> None:
    del crate["@graph"][1]["license"]


def _without_workflow(crate: Crate) -> None:
    crate["@graph"][1].pop("mainEntity")


def _without_instrument(crate: Crate) -> None:
    (run,) = (entity for entity in crate["@graph"] if entity["@id"] == "#run")
    del run["instrument"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("spoil", "profile"),
    [
        (_without_licence, "ro-crate-1.1"),
        (_without_workflow, "workflow-ro-crate-1.0"),
        (_without_instrument, "process-run-crate-0.5"),
    ],
)
def test_the_validator_finds_what_is_missing(
    smoke: Checkout, tmp_path: Path, spoil: Callable[[Crate], None], profile: str
) -> None:
    folder = tmp_path / "crate"
    shutil.copytree(smoke.root / "reports", folder)
    crate = json.loads((folder / CRATE).read_text())
    spoil(crate)
    (folder / CRATE).write_text(json.dumps(crate))
    assert validated(folder, tmp_path / "cache", profile)["issues"][profile]
