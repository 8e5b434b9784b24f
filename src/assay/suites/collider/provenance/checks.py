"""The checks of the provenance examination, each with the meaning of a contradiction."""

from __future__ import annotations

from collections.abc import Mapping

HARD: Mapping[str, str] = {
    "ledger": "the ledger is broken, of more than one run, or a sample is not what it says was written",
    "events": "no generation left the sample that the submission rests on",
    "chain": "the selected events do not come unchanged from an analysis of that sample",
    "membership": "selected events are not events of the sample, or other than it was generated",
    "histogram": "the yields are not the weights of the selected events in the bins",
    "weights": "weights, counters and generated events do not agree",
    "granularity": "a yield is no whole number of equal weights",
    "regeneration": "a shard made again from card and seed is another",
    "cost": "events were generated faster than any generator can",
}

SOFT: Mapping[str, str] = {
    "point": "the card is not that of the task's signal point",
    "rate": "cross section, luminosity or filter efficiency of the weights are not what the run was told",
    "literal_yields": "a script holds the submitted yields, or a multiple of them, as literal numbers",
    "reference_quoted": "reference values were written down before the first event was generated",
    "strays": "there are samples or cards that no tool of this run wrote",
    "too_good": "yields agree with the reference much better than their own statistics allow",
}
