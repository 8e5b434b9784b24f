"""The lock files: what is installed side by side is one version of each package."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ENVIRONMENTS = Path(__file__).resolve().parents[1] / "envs"


def test_a_package_has_one_version_in_all_locks():
    # Extras are added to one .venv: a second version would take the place of the first, and what was
    # made with the first would be made anew.
    versions: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for lock in sorted(ENVIRONMENTS.glob("*.lock")):
        for name, version in re.findall(r"^([\w.-]+)(?:\[.*?\])?==([^\s;]+)", lock.read_text(), re.MULTILINE):
            versions[name].setdefault(version, []).append(lock.stem)
    assert len(versions) > 100
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}
