"""Numba compilation with results that do not depend on the processor, and with a cache that is never stale.

Numba keeps compiled code on disk. It compiles a function again when the file of the function has changed, but
not when a function that it calls has changed in another file: after an edit of `assay.numbers.portable` the
engines would run old code. So each kernel has its own cache folder, named by a digest of the source of its
module and of every kernel and number that it takes from other modules.

With `NUMBA_DISABLE_JIT=1` a kernel is the plain Python function, which must give the same bits.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import entrypoints

# When numba compiles or loads its first function, it runs the entry points `numba_extensions` of all
# installed packages. Some import libraries that take longer to load than a short job takes to run (awkward
# and vector, which the extra `collider` installs), and no kernel takes an array of these libraries. Numba has
# no setting for this.
entrypoints._already_initialized = True

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED: bool = bool(numba.config.DISABLE_JIT)
"""True if kernels run as plain Python functions."""

_digests: dict[int, str] = {}  # id of a kernel -> digest of the source from which it was compiled

if INTERPRETED:
    np.seterr(over="ignore")  # the random draws rely on products of uint64 that wrap around


def kernel(function: F) -> F:
    """Compile a function with Numba, which may not reorder floating-point arithmetic.

    Division by zero gives inf or nan. Other kernels that the function calls must be defined before it.

    Raises:
        TypeError: If the function refers to a module of this package as a whole, because the digest would
            not cover the kernels of that module.
    """
    if INTERPRETED:
        return function
    digest = _digest(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_cache_root(function) / f"kernels-{digest[:16]}")
    try:
        compiled = numba.njit(cache=True, fastmath=False, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    _digests[id(compiled)] = digest
    return compiled  # type: ignore[no-any-return]


def _cache_root(function: Callable[..., Any]) -> Path:
    """Return the folder of compiled code: `NUMBA_CACHE_DIR`, or else a folder beside the source."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    return Path(folder) if folder else Path(inspect.getfile(function)).parent / "__pycache__"


def _digest(function: Callable[..., Any]) -> str:
    """Return the sha256 of the source of the function's module and of what it uses from other modules."""
    parts = [Path(inspect.getfile(function)).read_text(encoding="utf-8")]
    for name in sorted(_names(function.__code__)):
        value = function.__globals__.get(name)
        if id(value) in _digests:
            parts.append(f"{name} {_digests[id(value)]}")
        elif isinstance(value, bool | int | float | np.generic):
            parts.append(f"{name} {value!r}")
        elif isinstance(value, ModuleType) and value.__name__.startswith("assay."):
            raise TypeError(f"{function.__qualname__}: import kernels from {value.__name__} by name")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _names(code: CodeType) -> set[str]:
    """Return the global names that a function and the functions inside it refer to."""
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)
