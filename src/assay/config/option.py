"""The option `--config`, which is spelled the same in every command."""

from __future__ import annotations

import argparse
from pathlib import Path

from assay.config.loading import DEFAULT


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add `--config FILE`, with Snakemake's spelling `--configfile` as an alias."""
    parser.add_argument(
        "--config",
        "--configfile",
        dest="config",
        type=Path,
        default=DEFAULT,
        metavar="FILE",
        help="the configuration of the project (default: %(default)s)",
    )
