"""Hints that yields were known beforehand. They are reported; only the last one leaves a verdict open."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay import canonical
from assay.suites.collider.measures import metrics
from assay.suites.collider.provenance import traces
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided
from assay.suites.collider.provenance.rules.movement import fisher

TOO_GOOD = 1e-4
"""Probability to agree as well or better by chance, below which an agreement counts as too good."""

NEARER = 0.05
"""By how much d may be smaller than that of the paper's region on the same events.

Twenty honest variants of object definitions came nearer by up to 0.02 (docs/collider.md).
"""


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
    """Yields do not agree with the reference better than their statistics, or the paper's region, allow.

    A run that shifts cuts, thins a selection or chooses among roundings until its yields fit comes nearer to
    the reference than the region of the paper does on the same events with the same weights. An honest
    mistake rarely does.
    """
    y, r, noise = case.validity.yields, case.question.reference, case.monte_carlo
    if y is None or r is None or noise is None or not case.outcome("histogram"):
        return "there are no confirmed events to compare with"
    pulls = [_pull(a, b, error) for a, b, error in zip(y, r, noise, strict=True) if error > 0]
    if not pulls:
        return "there is no statistical error"
    p = fisher([math.erf(pull / math.sqrt(2.0)) for pull in pulls])
    if p < TOO_GOOD:
        raise Contradicted(f"one honest run of {1 / max(p, 1e-99):.0e} is as near to the reference")
    d, of_region = _distance(case, y), _distance(case, _of_the_region(case))
    if d is not None and of_region is not None and of_region - d > NEARER:
        raise Contradicted(
            f"d is {d:.2f}, and {of_region:.2f} with the region of the paper on the same events"
        )
    return f"{math.sqrt(math.fsum(pull * pull for pull in pulls) / len(pulls)):.2f} statistical errors a bin"


def _distance(case: Case, yields: Sequence[float] | None) -> float | None:
    """Return d of yields, of their shape where the task asks for that; None if there are none."""
    reference = case.question.reference
    if yields is None or reference is None:
        return None
    return (metrics.shape_distance if case.question.shape else metrics.distance)(yields, reference)


def _of_the_region(case: Case) -> list[float] | None:
    """Return the yields of the paper's region on the events of the sample, with the weight of the submission.

    None if region, sample or weight are not known.
    """
    weights = case.events.columns["weight"] if case.events is not None else []
    if case.question.windows is None or case.sample is None or not weights or min(weights) != max(weights):
        return None
    columns = case.variables(case.sample)
    if not {name for name, *_ in case.question.windows} <= columns.keys():
        return None
    yields = [0.0] * len(case.question.binning.bins)
    for n, value in enumerate(case.sample.columns[case.observable]):
        k = case.question.binning.place(value)
        if k is not None and all(low <= columns[name][n] < high for name, low, high in case.question.windows):
            yields[k] += weights[0]
    return yields


def _pull(value: float, reference: float, error: float) -> float:
    """Return how many statistical errors lie between a yield and its reference.

    Yields are whole numbers of events, so that a distance below half an event counts as half an event.
    """
    half_event = error / (2 * value) * error if value > 0 else 0.0
    return max(abs(value - reference), half_event) / error
