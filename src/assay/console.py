"""Printing of results and progress by commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def show(values: Mapping[str, Any] | Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """Print named values.

    Args:
        values: Values by name, printed one per line; or a sequence of such mappings, printed one mapping per
            line.
        as_json: Whether to print JSON instead.
    """
    if as_json:
        print(json.dumps(values, indent=1, ensure_ascii=False))
    elif isinstance(values, Mapping):
        width = max(map(len, values))
        for name, value in values.items():
            print(f"{name:<{width}}  {_text(value)}")
    else:
        for row in values:
            print("  ".join(f"{name} {_text(value)}" for name, value in row.items()))


def report(line: str) -> None:
    """Print a line like `say`, but to standard error, so that it does not mix with a command's result."""
    print(line + "\n", end="", file=sys.stderr, flush=True)


def say(line: str) -> None:
    """Print a line at once and in one piece, so that threads do not mix their lines."""
    print(line + "\n", end="", flush=True)


def _text(value: Any) -> str:
    if value is None or value == {}:
        return "-"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "".join(f"\n  {_text(inner)}" for inner in value)
    return str(value)
