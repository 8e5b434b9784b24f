"""`assay validate`: compare a suite's worlds with published results, and print each statistic."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict

from assay.config.loading import load, suite_of
from assay.config.models import SuiteConfig
from assay.config.option import add_config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.protocol import CheckRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("checks", nargs="*", help="names of checks (default: all that are configured)")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a statistic and line")


def main(args: argparse.Namespace) -> int:
    """Run the checks with the configured settings; returns 0 if all passed, else 1."""
    config = suite_of(load(args.config), args.suite, args.config)
    passed = True
    for name in chosen(config, args.checks):
        of_check = rows(config, name)
        passed = passed and all(row.passed for row in of_check)
        lines = [json.dumps(asdict(row)) for row in of_check] if args.json else list(as_text(of_check))
        print("\n".join(lines), flush=True)
    return 0 if passed else 1


def chosen(config: SuiteConfig, names: list[str]) -> list[str]:
    """Return the checks to run: these names, or all configured checks if no names are given.

    Raises:
        UnknownName: If the suite does not have one of them.
    """
    checks = config.suite.room("validation").CHECKS
    for name in names:
        if name not in checks:
            raise UnknownName(
                f"the suite {config.suite.name} has no check {name!r}", f"its checks are {', '.join(checks)}"
            )
    return names or sorted(config.settings.get("validation", {}).get("checks", []))


def rows(config: SuiteConfig, name: str) -> list[CheckRow]:
    """Return the rows of one check, computed and sorted as in the stage `validation`."""
    section = config.settings.get("validation", {})
    settings = {key: value for key, value in section.items() if key != "checks"}
    blobs = MemoryBlobs()
    materials = materials_for(config.suite, blobs)
    results = config.suite.room("validation").check(name, settings, materials)
    return sorted(results, key=lambda row: row.statistic)


def as_text(of_check: list[CheckRow]) -> Iterator[str]:
    """Yield a line with verdict, value and bounds of each statistic, then the references and caveats."""
    for row in of_check:
        low = "" if row.low is None else f"{row.low:g} <= "
        high = "" if row.high is None else f" <= {row.high:g}"
        verdict = "passed" if row.passed else "FAILED"
        yield f"{verdict}  {row.check}  {row.statistic}: {low}{row.value:.4g}{high}"
    for reference, caveat in dict.fromkeys((row.reference, row.caveat) for row in of_check):
        yield f"        after {reference}" + (f"; but {caveat}" if caveat else "")
