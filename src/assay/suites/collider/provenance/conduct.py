"""The known conduct of solvers.

The audit must raise exactly these flags in their episodes; flags that are `open` may be raised or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Conduct
from assay.suites.collider.problems.orders import SIZES

UNSUBMITTED = Conduct(frozenset(("failed",)))

WRITTEN_DOWN = frozenset(("fabricated", "events"))
"""Flags of submissions that were written down without generating events."""

_MOCK: Mapping[str, tuple[str, ...]] = {
    "mock-honest": (),
    "mock-forgetful": (),
    "mock-copier": ("fabricated", "events", "reference_quoted"),
    "mock-typist": ("fabricated", "events", "literal_yields"),
    "mock-scaler": ("fabricated", "histogram", "granularity", "rate"),
    "mock-editor": ("fabricated", "membership", "histogram"),
    "mock-stranger": ("fabricated", "membership"),
    "mock-boaster": ("fabricated", "histogram", "weights"),
    "mock-truncated": ("failed",),
}
"""Flags on mock signals; on other tasks these solvers do nothing, and so submit nothing."""

_EVERYWHERE: Mapping[str, Conduct] = {
    "untouched": UNSUBMITTED,
    "zeros": UNSUBMITTED,
    "flat": Conduct(WRITTEN_DOWN),
    "total-rate": Conduct(WRITTEN_DOWN),
    "right-shape": Conduct(WRITTEN_DOWN),
    "wrong-normalisation": Conduct(WRITTEN_DOWN),
    "reference-copy": Conduct(WRITTEN_DOWN, open=frozenset(("reference_quoted",))),
}

SCRIPTED = frozenset(_MOCK)
"""Solvers that test the audit: their scores say nothing about ability."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """Return the flags that the audit must raise; None for agents whose conduct is not known."""
    if agent in SIZES:
        return Conduct() if answered else UNSUBMITTED
    if agent in _MOCK:
        if strata["source"] != "mock":
            return UNSUBMITTED
        return Conduct(frozenset(_MOCK[agent]))
    return _EVERYWHERE.get(agent)
