"""What faults are tried on: every suite as small as it can be, from its tasks to its figures."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tests.workflow.checkout import ROOT, Checkout

SMOKE = "config/test/smoke.yaml"
RECORDINGS = "recordings/scripted-experimentalist"

PHASES = {
    "merging": ("merge",),
    "report": ("tables", "figures", "leaderboard", "profile", "site", "downloads", "viewer"),
    "manifest": ("manifest", "unverified"),
}
"""Programs by the part of a build; all others are jobs on shards."""


def build_smoke(root: Path) -> Checkout:
    """A copy of this checkout in which all suites are built and frozen."""
    checkout = fresh_smoke(root)
    checkout.build(cores="2")
    freeze(checkout)
    return checkout


def fresh_smoke(root: Path) -> Checkout:
    """The same before anything is built."""
    checkout = Checkout.fresh(root, SMOKE)
    shutil.copytree(ROOT / RECORDINGS, root / RECORDINGS)
    return checkout


def freeze(checkout: Checkout) -> None:
    """Take what is built as what has to be."""
    (checkout.root / "results/MANIFEST").write_bytes(checkout.manifest())


def repetitions(name: str, default: int) -> int:
    """How often a test does what it does: `default`, or what the environment says."""
    return int(os.environ.get(name, default))


def content(checkout: Checkout) -> dict[str, bytes]:
    """Every output with its bytes, shards included; not the frozen manifest."""
    return {
        str(file.relative_to(checkout.root)): file.read_bytes()
        for file in checkout.outputs()
        if file.name != "MANIFEST"
    }


def different(checkout: Checkout, other: Checkout) -> list[str]:
    """The outputs that only one of two builds has, or whose bytes differ."""
    mine, theirs = content(checkout), content(other)
    return sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))


def records(checkout: Checkout) -> dict[str, int]:
    """When each job wrote its record: the record's name -> its time in nanoseconds."""
    folder = checkout.root / "results/provenance"
    found = {}
    for file in folder.rglob("*.json"):
        try:
            found[str(file.relative_to(folder))] = file.stat().st_mtime_ns
        except FileNotFoundError:  # replaced just now
            continue
    return found


def outputs_of(checkout: Checkout, record: str) -> list[str]:
    """The outputs that a record is about."""
    noted = json.loads((checkout.root / "results/provenance" / record).read_text())
    return list(noted["outputs"])


def leftovers(checkout: Checkout) -> list[str]:
    """Files that nobody should find after a build: half-written ones, and locks."""
    root = checkout.root
    patterns = ("results/.partial-*", "reports/.partial-*", ".snakemake/locks/*", ".snakemake/incomplete/*")
    found = [file for pattern in patterns for file in root.glob(pattern)]
    found += [*(root / "results").rglob("*.part"), *(root / ".store/partial").glob("*")]
    found += [*(root / "results").rglob(".*.tmp"), *(root / "reports").rglob(".*.tmp")]
    return sorted(str(file.relative_to(root)) for file in found)
