"""`assay init`: make a project in a new folder.

A project is what a checkout holds, without tests and documentation: configuration, public task sets, locks,
profiles, the source of this version, and a Snakefile that imports the workflow as a module. So results name
the source that made them, also after another version of the package was installed.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import assay
from assay import surrogates
from assay.config.places import PACKAGED
from assay.errors import ConfigError, PlatformError
from assay.writing import write_whole

SNAKEFILE = '''\
"""A project of Assay. Rules of your own may stand beside those of the module."""

import os

# Jobs import the source that stands in this project, and each uses one thread.
os.environ["PYTHONPATH"] = f"{os.getcwd()}/src{os.pathsep}{os.getcwd()}"
os.environ |= dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


module assay:
    snakefile:
        "workflow/Snakefile"
    config:
        config


use rule * from assay
'''

NEXT = """\
{folder} is a project of Assay {version}. To go on:

  cd {folder}
  assay list sets                        what there is to play
  assay run my_agent.py petri/core-v1    an agent of your own
  snakemake --cores all petri            build a suite with the installed packages
  make setup && make reproduce           or everything, in an environment from the locks
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay init`."""
    parser.add_argument("folder", type=Path, help="the folder to make; it must be empty or absent")


def main(args: argparse.Namespace) -> int:
    """Write the project; returns 0."""
    folder: Path = args.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} exists and is not an empty folder", "name another folder")
    if not PACKAGED.is_dir():
        raise PlatformError(
            "this is a checkout and not an installed package, so a project is here already",
            "work in the checkout, or install the wheel",
        )
    shutil.copytree(PACKAGED, folder, dirs_exist_ok=True)
    without = shutil.ignore_patterns("__pycache__", PACKAGED.name)
    shutil.copytree(PACKAGED.parent, folder / "src" / "assay", ignore=without)
    workflow = (folder / "Snakefile").read_text(encoding="utf-8")
    write_whole(
        folder / "workflow" / "Snakefile", workflow.replace('include: "rules/', 'include: "../rules/')
    )
    write_whole(folder / "Snakefile", SNAKEFILE)
    write_whole(folder / ".gitignore", ".venv\n.cache/\n.snakemake/\n.store/\nprivate/\nresults/\nreports/\n")
    print(NEXT.format(folder=surrogates.replace(str(folder)), version=assay.__version__), end="")
    return 0
