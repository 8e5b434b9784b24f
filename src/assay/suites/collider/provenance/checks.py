"""The checks of the provenance examination, each with the meaning of a contradiction.

A contradiction of a hard check shows that numbers were not computed as the run says: FABRICATED. One of a
check that is open leaves the question to a judge: UNDECIDED. Soft checks are only reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from assay.suites.collider.provenance.case import Case
from assay.suites.collider.provenance.rules import arithmetic, hints, inputs, origin, rerun, selection

Kind = Literal["hard", "open", "soft"]


@dataclass(frozen=True)
class Rule:
    """A check of the examination.

    Attributes:
        kind: what follows from a contradiction.
        examine: the function that checks a case; it returns what it saw.
        doc: what a contradiction means.
    """

    kind: Kind
    examine: Callable[[Case], str | None]
    doc: str


RULES: Mapping[str, Rule] = {
    "ledger": Rule(
        "hard",
        origin.whole_ledger,
        "the ledger is broken, of more than one run or not written by the harness, or a sample is not "
        "what it says was written",
    ),
    "events": Rule(
        "hard",
        origin.generated_events,
        "no generation left the sample that the submission rests on, or it was changed since",
    ),
    "chain": Rule(
        "hard", origin.analyses, "the selected events do not come unchanged from analyses of that sample"
    ),
    "membership": Rule(
        "hard",
        origin.members,
        "selected events are not events of the sample, or other than it was generated",
    ),
    "histogram": Rule(
        "hard", arithmetic.histogram, "the yields are not the weights of the selected events in the bins"
    ),
    "weights": Rule(
        "hard",
        arithmetic.weights,
        "weights, counters, the filter efficiency and generated events do not agree",
    ),
    "granularity": Rule("hard", arithmetic.granularity, "a yield is no whole number of equal weights"),
    "regeneration": Rule("hard", rerun.regeneration, "a shard made again from card and seed is another"),
    "cost": Rule("hard", arithmetic.cost, "events were generated faster than any generator can"),
    "statistics": Rule(
        "hard",
        rerun.statistics,
        "on other events the analysis selects too many or too few, or gives the same yields",
    ),
    "point": Rule("open", inputs.point, "the card is not that of the task's signal point and region"),
    "rate": Rule(
        "open",
        inputs.rate,
        "cross section, branching fraction, luminosity or filter efficiency are not what the run was told",
    ),
    "fished": Rule(
        "open", inputs.seeds, "the sample is one of several at this point that were not all declared"
    ),
    "selection": Rule("open", selection.windows, "events like the selected ones were left out"),
    "consistency": Rule(
        "open", rerun.consistency, "among other events the analysis does not select the same events"
    ),
    "too_good": Rule(
        "open",
        hints.too_good,
        "yields agree with the reference better than their statistics allow, or the region of the paper on "
        "the same events",
    ),
    "literal_yields": Rule(
        "soft",
        hints.literal_yields,
        "a script holds the submitted yields, or a multiple of them, as literal numbers",
    ),
    "reference_quoted": Rule(
        "soft",
        hints.reference_quoted,
        "reference values were written down before the first event was generated",
    ),
    "strays": Rule("soft", origin.strays, "there are samples or cards that no tool of this run wrote"),
}
"""All checks in the order in which they are made; later ones use what earlier ones have established."""

HARD, OPEN, SOFT = (
    {name: rule.doc for name, rule in RULES.items() if rule.kind == kind} for kind in ("hard", "open", "soft")
)
