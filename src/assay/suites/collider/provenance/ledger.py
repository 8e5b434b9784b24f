"""The ledger of a run: one JSON line per execution of a tool, each with the hash of the line before.

A line that is left out, moved or edited breaks the chain of hashes. The tools write it where an agent cannot
write.

A line has `seq`, `prev_sha256`, `run` (the id of the run), `tool`, `argv`, `inputs` and `outputs` (path,
sha256 and bytes of each file), `exit_code` (0: success), and `utc` and `wall_s`, which are null if results
must not depend on a clock. Tools add `card`, `seed`, `n_generated` and `shards` of a sample, or `result` of a
look-up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from assay import canonical

FIRST = "0" * 64

LARGEST = 16 << 20

Line = Mapping[str, Any]


class Broken(ValueError):
    """The ledger is not what its tools wrote; the message names the line."""


def file_record(path: str, data: bytes) -> dict[str, Any]:
    """Return the entry of a file in a line of the ledger."""
    return {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def append(
    ledger: bytes,
    run: str,
    tool: str,
    argv: Any,
    inputs: Sequence[Mapping[str, Any]] = (),
    outputs: Sequence[Mapping[str, Any]] = (),
    exit_code: int = 0,
    **more: Any,
) -> bytes:
    """Return the ledger with one more line."""
    lines = ledger.splitlines()
    line = {
        "seq": len(lines),
        "prev_sha256": hashlib.sha256(lines[-1]).hexdigest() if lines else FIRST,
        "run": run,
        "utc": None,
        "tool": tool,
        "argv": argv,
        "inputs": list(inputs),
        "outputs": list(outputs),
        "exit_code": exit_code,
        "wall_s": None,
        **more,
    }
    return ledger + canonical.dumps(line).encode() + b"\n"


def read(ledger: bytes) -> list[Line]:
    """Return the lines of a ledger. Raises `Broken` if they are not an unbroken chain."""
    if len(ledger) > LARGEST:
        raise Broken(f"the ledger is larger than {LARGEST} bytes")
    lines: list[Line] = []
    previous = FIRST
    for number, raw in enumerate(ledger.splitlines()):
        try:
            line = canonical.loads(raw)
        except (ValueError, RecursionError):
            raise Broken(f"line {number} is no JSON") from None
        problem = _problem(line, number, previous)
        if problem is not None:
            raise Broken(f"line {number}: {problem}")
        lines.append(line)
        previous = hashlib.sha256(raw).hexdigest()
    return lines


def _problem(line: Any, number: int, previous: str) -> str | None:
    if not isinstance(line, dict):
        return "no object"
    if line.get("seq") != number:
        return f"its number is {str(line.get('seq'))[:20]}"
    if line.get("prev_sha256") != previous:
        return "it does not follow the line before"
    if not isinstance(line.get("tool"), str) or not isinstance(line.get("run"), str):
        return "tool or run is missing"
    if "argv" not in line:
        return "argv is missing"
    for side in ("inputs", "outputs"):
        files = line.get(side)
        if not isinstance(files, list) or not all(_is_file(file) for file in files):
            return f"{side} is no list of files"
    return None


def _is_file(file: Any) -> bool:
    return (
        isinstance(file, dict) and isinstance(file.get("path"), str) and isinstance(file.get("sha256"), str)
    )
