"""Data files that are part of the source.

They are YAML and are validated against a declared type, so that an error message names the faulty entry.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, Strict, TypeAdapter, ValidationError

from assay.config import yaml
from assay.errors import ConfigError

CLOSED = ConfigDict(extra="forbid")
"""The `__pydantic_config__` of a dataclass that refuses keys other than its fields."""


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("must be a finite number")
    return number


Number = Annotated[Annotated[int, Strict()] | Annotated[float, Strict()], AfterValidator(_finite)]
"""A finite number. Integers remain `int`, and booleans are refused."""

Count = Annotated[int, Strict(), Field(ge=0)]


def read(path: Path, kind: Any) -> Any:
    """Read a data file and validate it.

    Args:
        path: The YAML file.
        kind: The type of its value, e.g. a dataclass with `__pydantic_config__ = CLOSED`, or `dict[str, X]`.

    Returns:
        The value, an instance of `kind`.

    Raises:
        ConfigError: If the file cannot be read, or an entry does not match its type.
    """
    try:
        return _adapter(kind).validate_python(yaml.read(path))
    except yaml.Unreadable as problem:
        raise ConfigError(f"{path}: {problem}", "restore the file, or correct that entry") from problem
    except ValidationError as problem:
        texts = []
        for error in problem.errors():
            place = ": ".join(str(key) for key in error["loc"])
            texts.append(f"{place}: {error['msg']} (got {error['input']!r:.60})")
        raise ConfigError(
            f"{path}: {'; '.join(texts)}", "restore the file, or correct that entry"
        ) from problem


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
