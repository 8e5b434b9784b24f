"""Canonical JSON: each value has exactly one text, so that equal content has equal digests.

Keys are sorted, there is no white space, floats have the shortest text that reads back to the same bits
(`repr`), text is UTF-8, and NaN and infinities are refused.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


def dumps(value: Any) -> str:
    """Return the canonical text of a JSON value.

    Raises:
        ValueError: If it holds NaN or an infinity.
        TypeError: If it holds anything that is not JSON.

    Example:
        >>> dumps({"b": 1, "a": [0.1, True, None]})
        '{"a":[0.1,true,null],"b":1}'
    """
    return _encode(value)


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text, canonical or not.

    Raises:
        ValueError: If the text is not JSON, holds NaN or an infinity, repeats a key, or is nested too deeply.

    Example:
        >>> loads('{"a": 1, "a": 2}')
        Traceback (most recent call last):
        ValueError: a key occurs twice in one object
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        return _decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def digest(value: Any) -> str:
    """Return the sha256 (hex) of the canonical text of a JSON value.

    Example:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
        True
    """
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value


_decode = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique).decode
