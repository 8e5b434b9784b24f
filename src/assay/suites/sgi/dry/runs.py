"""Runs a completed program on the data of each test, in the sandbox, one fresh interpreter a test."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from typing import Any

from assay.sandbox import Box, Limits, Policy
from assay.suites.sgi.dry import patching
from assay.suites.sgi.text.contracts import tagged, unfenced

LIMITS = Limits(wall=30.0, cpu=20.0, memory=2 << 30, file_size=16 << 20, open_files=64, output=1 << 20)

EXTRA = ("scikit-learn", "rdkit", "xgboost-cpu")
"""Further packages that released items import: `make setup EXTRAS=dry`."""


def distributions() -> tuple[str, ...]:
    """What programs may import: base packages, and those of `EXTRA` that are installed."""
    return ("numpy", "scipy", "pandas", *(name for name in EXTRA if _installed(name)))


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


POLICY = Policy(LIMITS, distributions=distributions(), preload=("numpy",))

MOST_CODE = 200_000
"""Characters of an answer that are run; a longer one does not fill any hole."""


@dataclass(frozen=True)
class Run:
    """One test: whether it ended by itself, what it printed, and its seconds (measured, not hashed)."""

    exit_zero: bool
    stdout: str
    stderr: str
    started: bool = True
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Patched:
    """A program after its holes were filled (see `patching.patch`)."""

    code: str
    unfilled: tuple[str, ...]
    idle: tuple[str, ...]
    issue: str


def answered_code(reply: str, released: bool = False) -> str:
    """The code of a reply: in its answer tags, without fences; as released without a fence around it."""
    text = tagged(reply, released).text
    if not released:
        return unfenced(text)
    lines = text.splitlines()
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def patched(incomplete: str, names: tuple[str, ...], reply: str, released: bool) -> Patched:
    """The program with the holes filled from a reply; parsed in the sandbox."""
    codes = (answered_code(reply), answered_code(reply, released=True))
    code = codes[released]
    if len(code) > MOST_CODE or not code.strip():
        return Patched(incomplete, names, names, "syntax")
    ours, theirs = _both_ways(incomplete, names, codes)
    return theirs if released else ours


@lru_cache(maxsize=64)
def _both_ways(incomplete: str, names: tuple[str, ...], codes: tuple[str, str]) -> tuple[Patched, Patched]:
    """The program filled by our rule and as released, from one box: every profile asks for one of them."""
    source = inspect.getsource(patching)
    calls = (
        f"patch({incomplete!a}, {list(names)!a}, {code[:MOST_CODE]!a}, {released})"
        for released, code in enumerate(codes)
    )
    with Box(POLICY) as box:
        # In one expression, so that whatever the parser does to the box, its value is the box's last word.
        value: Any = box.run(f"exec({source!a})\n[{', '.join(calls)}]").value
    found = value if isinstance(value, list) and len(value) == 2 else [None, None]
    ours, theirs = (_patched(one) or Patched(incomplete, names, names, "syntax") for one in found)
    return ours, theirs


def _patched(value: Any) -> Patched | None:
    """What the box says of one program, where it has the form that it must have."""
    if not isinstance(value, dict) or not isinstance(value.get("code"), str):
        return None
    unfilled, idle = (value.get(key) for key in ("unfilled", "idle"))
    if not isinstance(unfilled, list) or not isinstance(idle, list):
        return None
    return Patched(
        value["code"], tuple(map(str, unfilled)), tuple(map(str, idle)), str(value.get("issue", ""))
    )


@lru_cache(maxsize=64)
def run(code: str, script: str) -> Run:
    """Run the data script, then the program, in a folder of their own."""
    with Box(POLICY) as box:
        box.put("data_en.py", script.encode())
        box.run("import os, sys\nsys.path.insert(0, os.getcwd())")
        data = box.run(alone(script))
        if data.status != "ok":
            return Run(False, "", data.error or "", started=False)
        found = box.run(alone(code))
        return Run(found.status == "ok", found.stdout, found.stderr, True, found.usage.wall)


def alone(code: str) -> str:
    """A script that sees none of the names of the one before it."""
    return f'exec(compile({code!a}, "main_en.py", "exec"), {{"__name__": "__main__"}})'


def run_tests(item: Mapping[str, Any], code: str) -> list[Run]:
    """The runs of a program on the five tests of an item."""
    return [run(code, item[f"unit_test_{k}_data"]) for k in range(5)]
