"""`assay config`: check the configuration, and write the schemas that editors use."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pydantic import BaseModel

from assay.config.loading import load
from assay.config.models import SCHEMAS
from assay.config.option import add_config
from assay.sessions import uncovered
from assay.writing import write_whole

FOLDER = Path("config/schemas")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["check", "schemas"], help="what to do")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Check the configuration, or write the schemas to config/schemas/; returns the exit code, 0.

    Raises:
        ConfigError: If the configuration has problems. The message lists all of them.
    """
    config = load(args.config)
    if args.action == "schemas":
        for name, text in schemas(args.config).items():
            write_whole(FOLDER / name, text)
            print(FOLDER / name)
        return 0
    print(f"{args.config}: suites {', '.join(config.suites)}; {len(config.agents)} agents; no problem found")
    for recordings in uncovered.notes(config):
        print(f"note: {recordings}")
    return 0


def schemas(path: Path) -> dict[str, str]:
    """Return the JSON schemas of each kind of file and of the settings of each suite, by file name."""
    models: dict[str, type[BaseModel]] = dict(SCHEMAS)
    for name, suite in load(path).suites.items():
        models[f"settings-{name}"] = suite.suite.room("settings").Settings
    return {
        f"{name}.json": json.dumps(model.model_json_schema(), indent=1, sort_keys=True) + "\n"
        for name, model in models.items()
    }
