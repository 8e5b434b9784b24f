"""Checks of numbers: yields, weights and counters follow from each other and from the selected events."""

from __future__ import annotations

import math

from assay.suites.collider.formats.printed import half_unit, resolution
from assay.suites.collider.provenance.case import COARSEST, Case, Contradicted, Undecided

FASTEST = 5000.0
"""Events per second and core that no full generator reaches."""

CORES = 128

SINGLE = 6e-8
"""Relative precision of a 32-bit float."""

FILTER_TOLERANCE = 1e-3
"""Largest relative difference of a filter efficiency that was rounded."""


def histogram(case: Case) -> str:
    """The yields are the weights of the selected events in the bins."""
    y = case.validity.yields
    if y is None:
        raise Undecided("there are no yields")
    bins, doubtful = case.bins()
    again = [math.fsum(weights) for weights in bins]
    case.selected_count = sum(map(len, bins))
    scale = 1.0
    if case.question.shape and math.fsum(again) > 0 and math.fsum(y) > 0:
        scale = math.fsum(y) / math.fsum(again)
    case.monte_carlo = tuple(scale * math.sqrt(math.fsum(w * w for w in weights)) for weights in bins)
    for k, value in enumerate(y):
        slack = max(1e-6 + 1e-3 * max(scale * again[k], 1e-3), half_unit(value, y))
        if abs(value - scale * again[k]) > slack + scale * doubtful[k]:
            raise Contradicted(f"bin {k}: {value:g} submitted, {again[k]:g} from the events")
    return f"{case.selected_count} selected events"


def weights(case: Case) -> str:
    """Weights, counters, the filter efficiency of the sample and the generated events agree."""
    if case.events is None or case.counters is None:
        raise Undecided("there is no event file")
    counters = case.counters
    if case.generation is not None and case.generation.get("n_generated") != counters.n_generated:
        raise Contradicted(
            f"{counters.n_generated} events are claimed, "
            f"{str(case.generation.get('n_generated'))[:20]} were generated"
        )
    _filter(case)
    weights = case.events.columns.get("weight")
    if not weights:
        if case.selected_count == 0:
            return "no event was selected"
        raise Undecided("no event has a weight")
    if min(weights) != max(weights):
        raise Undecided("weights vary, and only those of selected events are there")
    total = weights[0] * counters.n_generated
    off = abs(total - counters.expected)
    rounded = resolution(weights[:1]) * counters.n_generated
    if 1e-6 * counters.expected < off <= rounded:
        if rounded > COARSEST * counters.expected:
            raise Undecided(f"a weight of {weights[0]:g} is rounded too far to tell")
    elif not off <= 1e-6 * counters.expected < math.inf:
        raise Contradicted(
            f"weight x generated is {total:g}, luminosity x cross section x branching x filter is "
            f"{counters.expected:g}: a factor {total / counters.expected:.6g} is unexplained"
        )
    return f"each event weighs {weights[0]:g}"


def filter_efficiency(case: Case) -> float | None:
    """Return the share of hard processes that passed the filter of the sample; None if it is not known.

    A sample without the column `drawn` of a known generator was not filtered.
    """
    if case.sample is None:
        return None
    drawn = case.sample.columns.get("drawn")
    if drawn is not None:
        return len(drawn) / math.fsum(drawn) if math.fsum(drawn) > 0 else None
    return 1.0 if case.generator is not None else None


def _filter(case: Case) -> None:
    """The filter efficiency is that of the sample, or 1 where it was forgotten."""
    assert case.counters is not None
    passed, claimed = filter_efficiency(case), case.counters.filter_eff
    if passed is None or claimed == 1.0 or abs(claimed - passed) <= FILTER_TOLERANCE * passed:
        return
    raise Contradicted(f"a filter efficiency of {claimed:g} stands in the weights, {passed:g} in the sample")


def granularity(case: Case) -> str:
    """Each yield is a whole number of equal weights."""
    y = case.validity.yields
    weights = case.events.columns.get("weight") if case.events else None
    if y is None or case.events is None:
        raise Undecided("there are no events of equal weight")
    if case.question.shape:
        return "a shape may have any scale"
    if not weights and case.selected_count == 0:
        return "no event was selected"
    if not weights or min(weights) != max(weights) or weights[0] <= 0:
        raise Undecided("there are no events of equal weight")
    step = weights[0]
    rounded = max(resolution(weights[:1]) / step, SINGLE)
    for k, value in enumerate(y):
        slack = max(1e-6 * step, rounded * value, half_unit(value, y))
        if slack >= step / 4:
            continue  # the rounding is too coarse for a decision
        if abs(value - round(value / step) * step) > slack:
            raise Contradicted(f"bin {k}: {value:g} is {value / step:.4f} events")
    return f"in steps of {step:g}"


def cost(case: Case) -> str:
    """Events were not generated faster than any generator can."""
    line = case.generation
    wall = None if line is None else line.get("wall_s")
    if line is None or not isinstance(wall, int | float) or isinstance(wall, bool):
        return "no clock was kept"
    if line["n_generated"] > FASTEST * CORES * max(float(wall), 1e-3):
        raise Contradicted(f"{line['n_generated']} events in {wall:g} s")
    return f"{wall:g} s"
