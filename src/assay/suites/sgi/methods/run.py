"""Runs a reply's program on the five instances: one box a reply, fresh globals for every script."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.sandbox import Box, Limits, Policy
from assay.suites.sgi.dry import patching
from assay.suites.sgi.dry.runs import MOST_CODE, Patched, Run, alone, answered_code, distributions
from assay.suites.sgi.metrics.dry_runs import TESTS

POLICY = Policy(
    Limits(wall=30.0, cpu=10.0, memory=2 << 30),
    distributions=distributions(),
    preload=("numpy", "scipy.integrate", "scipy.linalg", "scipy.optimize", "scipy.special"),
)

Runs = tuple[list[Run], Patched]


def runs_of(row: Mapping[str, Any], reply: str, released: bool = False) -> Runs:
    """The runs of an item's instances with the holes filled from a reply; nothing is run where none is."""
    names = tuple(row["incomplete_functions"])
    code = answered_code(reply, released)
    if len(code) > MOST_CODE or not code.strip():
        return _nothing(), Patched(row["incomplete_main_code"], names, names, "syntax")
    scripts = tuple(row[f"unit_test_{k}_data"] for k in range(TESTS))
    return _runs(row["incomplete_main_code"], names, code, scripts, released)


def _nothing() -> list[Run]:
    return [Run(False, "", "", started=False) for _ in range(TESTS)]


@lru_cache(maxsize=64)
def _runs(
    incomplete: str, names: tuple[str, ...], code: str, scripts: tuple[str, ...], released: bool
) -> Runs:
    with Box(POLICY) as box:
        # The parser runs in the box, before any code of the reply does.
        call = f"patch({incomplete!a}, {list(names)!a}, {code!a}, {released})"
        patched = read_patched(
            box.run(f"exec({inspect.getsource(patching)!a})\n{call}").value, incomplete, names
        )
        if set(patched.unfilled) == set(names):
            return _nothing(), patched
        return [_run(box, patched.code, script) for script in scripts], patched


def read_patched(value: Any, incomplete: str, names: tuple[str, ...]) -> Patched:
    """What the box says of the program, where it has the form that it must have."""
    if not isinstance(value, dict) or not isinstance(value.get("code"), str):
        return Patched(incomplete, names, names, "syntax")
    lists = (value.get(key) for key in ("unfilled", "idle"))
    unfilled, idle = (tuple(map(str, each)) if isinstance(each, list) else names for each in lists)
    return Patched(value["code"], unfilled, idle, str(value.get("issue", "")))


def _run(box: Box, code: str, script: str) -> Run:
    data = box.run(alone(script))
    if data.status != "ok":
        return Run(False, "", data.error or "", started=False)
    done = box.run(alone(code))
    return Run(done.status == "ok", done.stdout, done.stderr, True, done.usage.cpu)
