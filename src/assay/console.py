"""How commands print what they found, and what happens meanwhile."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def show(found: Mapping[str, Any] | Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """Print named values: as JSON, or for people a line a value; of several such, a line each."""
    if as_json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    elif isinstance(found, Mapping):
        width = max(map(len, found))
        for name, value in found.items():
            print(f"{name:<{width}}  {_told(value)}")
    else:
        for row in found:
            print("  ".join(f"{name} {_told(value)}" for name, value in row.items()))


def report(line: str) -> None:
    """Print a line like `say`, but on standard error, where no result of a command is read."""
    print(line + "\n", end="", file=sys.stderr, flush=True)


def say(line: str) -> None:
    """Print a line at once and in one piece: threads that print at the same time do not mix their lines."""
    print(line + "\n", end="", flush=True)


def _told(value: Any) -> str:
    if value is None or value == {}:
        return "-"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_told(inner)}" for key, inner in value.items())
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "".join(f"\n  {_told(inner)}" for inner in value)
    return str(value)
