"""The paths of a project's files, and how a project is recognised."""

from __future__ import annotations

from pathlib import Path

from assay.errors import PlatformError

FROZEN = "results/MANIFEST"
"""The path of the frozen manifest, unless a configuration names another."""

PACKAGED = Path(__file__).parents[1] / "packaged"
"""The files of a project that the wheel brings along: configuration, public task sets, and the workflow.

The folder does not exist in a checkout, where these files lie at the top.
"""


def is_checkout(folder: Path) -> bool:
    """Whether a folder holds a project, recognised by the folder `config` or the Snakefile."""
    return (folder / "config").is_dir() or (folder / "Snakefile").exists()


def not_a_checkout() -> PlatformError:
    """Return the error for a working directory that holds no project."""
    return PlatformError(
        f"{Path.cwd()} is not a checkout of Assay",
        "change to the folder that holds the Snakefile, or make a project: assay init DIR",
    )
