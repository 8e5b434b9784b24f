"""The same run on other machines: interpreted, or compiled for any processor of its kind."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np


def sha256(metrics: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(metrics).tobytes()).hexdigest()


def elsewhere(module: str, call: str, **settings: str) -> Any:
    """What a call of a test module gives in a process with other settings, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import *; import json; print(json.dumps({call}))"],
        env=os.environ | settings | {"PYTHONPATH": os.pathsep.join(["src", "."])},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def interpreted(module: str, call: str) -> Any:
    return elsewhere(module, call, NUMBA_DISABLE_JIT="1")


def for_any_processor(module: str, call: str) -> Any:
    unused = " ".join(chosen_at_run_time())
    return elsewhere(module, call, NUMBA_CPU_NAME="generic", NPY_DISABLE_CPU_FEATURES=unused)


def chosen_at_run_time() -> list[str]:
    """The instruction sets that NumPy uses here though it was not built for them."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
