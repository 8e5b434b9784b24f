"""Where the files of a project lie, and how a project is recognised."""

from __future__ import annotations

from pathlib import Path

from assay.errors import PlatformError

FROZEN = "results/MANIFEST"
"""The frozen manifest, where a configuration names no other."""


def is_checkout(folder: Path) -> bool:
    """Whether a folder holds a project: a configuration or the Snakefile."""
    return (folder / "config").is_dir() or (folder / "Snakefile").exists()


def not_a_checkout() -> PlatformError:
    """The error for a working directory that holds no project."""
    return PlatformError(
        f"{Path.cwd()} is not a checkout of Assay", "change to the folder that holds the Snakefile"
    )
