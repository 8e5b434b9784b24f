"""Check of the selection: the selected events are those within windows of the sample's variables.

A search selects events by windows: each variable lies between two values. Then no event that was left out
lies within the smallest box that holds all selected ones, whatever the windows are. Events that were picked
to make up given yields leave others out that are like them. A selection of another form is not accused: a
judge must look at it.

At the level of objects the variables of the search are not in the sample: the analysis computes them from
candidates, with definitions of its own. There the box is one of the variables that the physics chain computes
from the same candidates. It leaves out the outermost of the selected events, and a share of the others may be
missing, since definitions differ.
"""

from __future__ import annotations

from assay.suites.collider.formats.eventfiles import Events
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided

OUTERMOST = 0.01
"""Share of the selected events that may lie outside of the box on each side of each variable, at the level of
objects."""

MOST_LEFT_OUT = 0.06
"""Largest share of the events in that box that may be left out.

Reasonable definitions of photons and jets leave out up to 5 % (docs/collider.md).
"""

UNUSED = frozenset(("event_id", "drawn"))
"""Columns of a sample that say nothing about the event."""


def windows(case: Case) -> str:
    """No event was left out that lies among the selected ones in every variable of the sample."""
    confirmed = case.outcome("membership") and case.outcome("histogram")
    if case.sample is None or case.events is None or not confirmed:
        raise Undecided("there are no confirmed events of a sample")
    if case.observable not in case.sample.columns:
        raise Undecided(f"{case.observable} is no variable of the sample")
    left_out = left_out_of(case, case.sample, set(case.taken))
    if left_out:
        raise Contradicted(
            f"{left_out} events were left out that lie among the {len(case.taken)} selected ones in every "
            "variable"
        )
    return f"{len(case.taken)} selected events fill their windows"


def left_out_of(case: Case, sample: Events, taken: set[int]) -> int:
    """Return how many events of a sample were left out among those that were taken; 0 if they are few enough.

    Args:
        case: has the generator, and with it the level of the task.
        sample: the events.
        taken: the numbers of the selected ones.
    """
    computed = case.generator.variables if case.generator is not None else None
    if computed is None:
        return left_out_among(sample, taken)
    inside = [n for n in sample.ids if n in taken]
    if not inside:
        return 0
    within = [True] * len(sample.ids)
    for values in computed(sample.columns).values():
        ordered = sorted(value for n, value in zip(sample.ids, values, strict=True) if n in taken)
        outside = int(OUTERMOST * len(ordered))
        low, high = ordered[outside], ordered[-1 - outside]
        within = [there and low <= value <= high for there, value in zip(within, values, strict=True)]
    numbers = [n for n, there in zip(sample.ids, within, strict=True) if there]
    left_out = sum(n not in taken for n in numbers)
    return left_out if left_out > MOST_LEFT_OUT * len(numbers) else 0


def left_out_among(sample: Events, taken: set[int]) -> int:
    """Return how many events that are not taken lie in the smallest box that holds the taken ones."""
    inside = [n not in taken for n in sample.ids]
    if all(inside):
        return 0
    for name, values in sample.columns.items():
        if name in UNUSED:
            continue
        of_taken = [value for n, value in zip(sample.ids, values, strict=True) if n in taken]
        low, high = min(of_taken), max(of_taken)
        inside = [there and low <= value <= high for there, value in zip(inside, values, strict=True)]
    return sum(inside)
