"""The reference solver, comparison solvers that show what each metric measures, and agents of known conduct.

Only the reference solver plays the published tasks honestly. The comparison solvers write numbers down, which
the audit calls fabricated. All use the world through `client.Client`.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.collider.solvers import reference, scripted

SOLVERS: Mapping[str, Solver] = {**reference.SOLVERS, **scripted.SOLVERS}
"""All solvers by name. Privileged solvers receive the hidden part of the task."""
