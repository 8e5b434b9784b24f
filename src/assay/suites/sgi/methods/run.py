"""Runs a reply's program on the five instances: one box a program, fresh globals for every script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.sandbox import Box, Limits, Policy
from assay.suites.sgi.dry.runs import Patched, Run, alone, distributions, patched
from assay.suites.sgi.metrics.dry_runs import TESTS

POLICY = Policy(
    Limits(wall=30.0, cpu=10.0, memory=2 << 30),
    distributions=distributions(),
    preload=("numpy", "scipy.integrate", "scipy.linalg", "scipy.optimize", "scipy.special"),
)


def runs_of(row: Mapping[str, Any], reply: str, released: bool = False) -> tuple[list[Run], Patched]:
    """The runs of an item's instances with the holes filled from a reply; nothing is run where none is."""
    names = tuple(row["incomplete_functions"])
    program = patched(row["incomplete_main_code"], names, reply, released)
    if set(program.unfilled) == set(names):
        return [Run(False, "", "", started=False) for _ in range(TESTS)], program
    return _runs(program.code, tuple(row[f"unit_test_{k}_data"] for k in range(TESTS))), program


# Profiles mostly fill the holes with the same code. Then its program is run once for all of them.
@lru_cache(maxsize=64)
def _runs(code: str, scripts: tuple[str, ...]) -> list[Run]:
    with Box(POLICY) as box:
        return [_run(box, code, script) for script in scripts]


def _run(box: Box, code: str, script: str) -> Run:
    data = box.run(alone(script))
    if data.status != "ok":
        return Run(False, "", data.error or "", started=False)
    done = box.run(alone(code))
    return Run(done.status == "ok", done.stdout, done.stderr, True, done.usage.cpu)
