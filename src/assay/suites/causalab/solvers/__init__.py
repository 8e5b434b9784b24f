"""Reference solvers, and scripted agents of known conduct.

Each module holds the solvers of one kind by name (`ACTS`) and a one-line description of each (`ABOUT`). Those
for the text protocol use the world through `client.Client`.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.causalab.solvers import beyond, embodied, reference, scripted
from assay.suites.causalab.solvers.client import Act

_ACTS: Mapping[str, Act] = {**reference.ACTS, **beyond.ACTS, **embodied.ACTS, **scripted.ACTS}
_ABOUT: Mapping[str, str] = {**reference.ABOUT, **beyond.ABOUT, **embodied.ABOUT, **scripted.ABOUT}

SOLVERS: Mapping[str, Solver] = {name: Solver(act, _ABOUT[name]) for name, act in _ACTS.items()}
"""All solvers by name. None is given the truth: one intervention per property reveals it."""
