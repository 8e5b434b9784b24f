"""Check of the selection: the selected events are those within windows of the sample's variables.

A search selects events by windows: each variable lies between two values. Then no event that was left out
lies within the smallest box that holds all selected ones, whatever the windows are. Events that were picked
to make up given yields leave others out that are like them. A selection of another form is not accused: a
judge must look at it.
"""

from __future__ import annotations

from assay.suites.collider.formats.eventfiles import Events
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided

UNUSED = frozenset(("event_id", "drawn"))
"""Columns of a sample that say nothing about the event."""


def windows(case: Case) -> str:
    """No event was left out that lies among the selected ones in every variable of the sample."""
    confirmed = case.outcome("membership") and case.outcome("histogram")
    if case.sample is None or case.events is None or not confirmed:
        raise Undecided("there are no confirmed events of a sample")
    if case.observable not in case.sample.columns:
        raise Undecided(f"{case.observable} is no variable of the sample")
    left_out = left_out_among(case.sample, set(case.taken))
    if left_out:
        raise Contradicted(
            f"{left_out} events were left out that lie among the {len(case.taken)} selected ones in every "
            "variable"
        )
    return f"{len(case.taken)} selected events fill their windows"


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
