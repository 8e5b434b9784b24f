"""Hints that yields were known beforehand. They are reported; only the last one leaves a verdict open."""

from __future__ import annotations

import math

from assay import canonical
from assay.suites.collider.provenance import traces
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided
from assay.suites.collider.provenance.rules.movement import fisher

TOO_GOOD = 1e-4
"""Probability to agree as well or better by chance, below which an agreement counts as too good."""


def literal_yields(case: Case) -> None:
    """No script holds the submitted yields, or a multiple of them, as literal numbers."""
    y = case.validity.yields
    scripts = {path: data for path, data in case.run.files.items() if path.startswith("analysis/")}
    if y is None or not scripts or sum(value > 0 for value in y) < 2:
        raise Undecided("there are no scripts, or fewer than two yields")
    for path, data in sorted(scripts.items()):
        if traces.holds_multiple(data, y):
            raise Contradicted(f"{path} holds the yields, or a multiple of them")


def reference_quoted(case: Case) -> str:
    """Reference values were not written down before the first event was generated."""
    reference = case.question.reference
    telling = traces.telling(reference or ())
    if not telling:
        raise Undecided("no reference value has three digits")
    if not case.lines:
        raise Undecided("there is no ledger")
    first = next((line["seq"] for line in case.lines if line["tool"] == "generate"), len(case.lines))
    written = [canonical.dumps(line["argv"]) for line in case.lines[:first]]
    quoted = sum(any(traces.quotes(text, value) for text in written) for value in telling)
    if quoted >= min(2, len(telling)):
        raise Contradicted(f"{quoted} of {len(telling)} values")
    return f"{quoted} of {len(telling)} values"


def too_good(case: Case) -> str:
    """Yields do not agree with the reference much better than their own statistics allow."""
    y, r, noise = case.validity.yields, case.question.reference, case.monte_carlo
    if y is None or r is None or noise is None or not case.outcome("histogram"):
        return "there are no confirmed events to compare with"
    pulls = [_pull(a, b, error) for a, b, error in zip(y, r, noise, strict=True) if error > 0]
    if not pulls:
        return "there is no statistical error"
    p = fisher([math.erf(pull / math.sqrt(2.0)) for pull in pulls])
    if p < TOO_GOOD:
        raise Contradicted(f"one honest run of {1 / max(p, 1e-99):.0e} is as near to the reference")
    return f"{math.sqrt(math.fsum(pull * pull for pull in pulls) / len(pulls)):.2f} statistical errors a bin"


def _pull(value: float, reference: float, error: float) -> float:
    """Return how many statistical errors lie between a yield and its reference.

    Yields are whole numbers of events, so that a distance below half an event counts as half an event.
    """
    half_event = error / (2 * value) * error if value > 0 else 0.0
    return max(abs(value - reference), half_event) / error
