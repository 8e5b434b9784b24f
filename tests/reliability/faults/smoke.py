"""What is asked of a build on which faults are tried: its parts, its files, its records."""

from __future__ import annotations

import json
import os

from tests.workflow.checkout import Checkout

PHASES = {
    "merging": ("merge",),
    "report": ("tables", "figures", "leaderboard", "profile", "site", "downloads", "viewer"),
    "manifest": ("manifest", "unverified"),
}
"""Programs by the part of a build; all others are jobs on shards."""


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
