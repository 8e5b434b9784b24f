"""Replay of logged calls on a fresh lab.

A log is a JSON list with an entry [month or null, "namespace.method", positional arguments, 1 or 0] for each
call, in order; the last value is 1 if the call was carried out and 0 if it was refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from assay.errors import AssayError
from assay.suites.pilab.interface import methods
from assay.suites.pilab.interface.methods import METHODS, NEXT_MONTH
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab

Call = tuple[int | None, str, list[Any], bool]


MOST_DIGITS = 300
"""Largest number of digits of an integer in a log."""


class BadLog(AssayError):
    """A log of calls that cannot be read."""


@dataclass(frozen=True)
class Difference:
    """A call that was logged as carried out but refused in the replay, or the other way round."""

    at: int
    method: str
    logged: bool
    replayed: bool
    reason: str


def read_log(path: Path) -> list[Call]:
    """Return the calls in a file.

    Raises:
        BadLog: the file cannot be read as a log; the message names the first entry that is not a call.
    """
    remedy = 'write a JSON list of [month or null, "namespace.method", [arguments], 1 or 0]'
    try:
        entries = json.loads(path.read_text(encoding="utf-8"), parse_int=_whole)
    except OSError as problem:
        raise BadLog(f"{path} cannot be read: {problem.strerror}", "give the path of a log") from problem
    except (ValueError, RecursionError) as problem:
        raise BadLog(f"{path} is not JSON: {problem}", remedy) from problem
    if not isinstance(entries, list):
        raise BadLog(f"{path} is not a list of calls", remedy)
    calls = []
    for at, entry in enumerate(entries):
        match entry:
            case [int() | None as month, str(method), list(arguments), (0 | 1) as ok] if (
                method == NEXT_MONTH or method in METHODS
            ):
                calls.append((month, method, arguments, bool(ok)))
            case _:
                raise BadLog(f"{path}: entry {at} is no call of the lab: {str(entry)[:80]}", remedy)
    return calls


def _whole(digits: str) -> int:
    """Parse an integer of at most `MOST_DIGITS` digits, so that it lies in the range of a float."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def replay(lab: Lab, calls: list[Call]) -> list[Difference]:
    """Carry out calls on a lab, and return those whose outcome differs from the log."""
    differences = []
    for at, (_, method, arguments, logged) in enumerate(calls):
        reason = carry_out(lab, method, arguments)
        if (reason is None) != logged:
            differences.append(Difference(at, method, logged, reason is None, reason or ""))
    return differences


def carry_out(lab: Lab, method: str, arguments: list[Any]) -> str | None:
    """Carry out one call with unchecked positional arguments; return why it was refused, or `None`."""
    try:
        if method == NEXT_MONTH:
            methods.next_month(lab)
        else:
            problem = misfit(method, arguments)
            if problem is not None:
                return problem
            METHODS[method].call(lab, *arguments)
    except Refused as refusal:
        return str(refusal)
    return None


def misfit(method: str, arguments: list[Any]) -> str | None:
    """Return why positional arguments do not match the method's schema, or `None` if they do."""
    names = list(METHODS[method].arguments)
    if len(arguments) > len(names):
        return f"{method} takes {len(names)} arguments"
    error = next(_validator(method).iter_errors(dict(zip(names, arguments, strict=False))), None)
    return None if error is None else f"{method}: {'.'.join(map(str, error.path))}: {error.message[:200]}"


@lru_cache
def _validator(method: str) -> Draft202012Validator:
    return Draft202012Validator(schema(method))


def schema(method: str) -> dict[str, Any]:
    """Return the JSON schema of an object that holds a method's arguments by name."""
    declared = METHODS[method]
    return {
        "type": "object",
        "properties": {name: dict(kind) for name, kind in declared.arguments.items()},
        "required": [name for name in declared.arguments if name not in declared.defaults],
        "additionalProperties": False,
    }


REAL = frozenset({"budget", "reputation", "attention_used", "attention_pool", "climate"})
"""Columns of the monthly rows that are written as floats even if the lab holds an integer."""


def statistics_digest(lab: Lab) -> str:
    """Return the SHA-256 of the lab's monthly rows as JSON, for comparison with other implementations."""
    rows = [
        [float(value) if name in REAL else value for name, value in row.items() if name != "standing"]
        for row in lab.rows
    ]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
