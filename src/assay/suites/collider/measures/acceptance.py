"""When a task counts as solved: Acc_tau of section 3.3."""

from __future__ import annotations

TAU = 0.33
"""Below this distance a task counts as solved: the worst one that physicists with a model at hand reached."""


def accepted(d: float | None, tau: float = TAU) -> bool:
    """Acc_tau: whether d lies below tau, strictly."""
    return d is not None and d < tau
