"""Compiled code is made anew whenever anything that it is made of has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

INNER = """
from assay.numbers.kernels import kernel
FACTOR = {factor}
@kernel
def inner(x):
    return FACTOR * x
"""

OUTER = """
from assay.numbers.kernels import kernel
from inner_part import inner
@kernel
def outer(x):
    return inner(x) + 1.0
print(outer(10.0), sum(outer.stats.cache_hits.values()))
"""


def run(folder: Path) -> str:
    paths = [str(folder), str(Path(__file__).parents[2] / "src")]
    done = subprocess.run(
        [sys.executable, "-c", "import outer_part"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()


def test_an_edit_of_what_a_kernel_calls_compiles_it_again(tmp_path):
    (tmp_path / "outer_part.py").write_text(OUTER)
    (tmp_path / "inner_part.py").write_text(INNER.format(factor=2.0))
    assert run(tmp_path) == "21.0 0"
    assert run(tmp_path) == "21.0 1"
    (tmp_path / "inner_part.py").write_text(INNER.format(factor=3.0))
    assert run(tmp_path) == "31.0 0"
    (tmp_path / "inner_part.py").write_text(INNER.format(factor=2.0))
    assert run(tmp_path).startswith("21.0")


def test_no_other_library_is_loaded_for_a_kernel(tmp_path):
    (tmp_path / "outer_part.py").write_text(
        OUTER + "import sys\nassert not {'awkward', 'vector'} & sys.modules.keys(), 'entry points ran'\n"
    )
    (tmp_path / "inner_part.py").write_text(INNER.format(factor=2.0))
    assert run(tmp_path) == "21.0 0"
