"""Canonical JSON: one text for one value, so that equal content has equal digests.

Keys are sorted, there are no blanks, floats are written with `repr` (shortest form that reads
back to the same bits), text is UTF-8, and NaN and infinities do not exist.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


def dumps(value: Any) -> str:
    """Canonical text of a JSON value; `ValueError` for NaN and infinities, `TypeError` for other types."""
    return _encode(value)


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; `ValueError` for NaN, infinities, repeated keys and what nests too deeply."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def digest(value: Any) -> str:
    """sha256 (hex) of the canonical text of a JSON value."""
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value
