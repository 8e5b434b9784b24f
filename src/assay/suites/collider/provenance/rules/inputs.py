"""Checks of the inputs of a computation: signal point, rate, shares and seeds.

A contradiction here does not show that numbers were made up: agents misread papers. So it does not accuse,
but leaves the verdict open for a judge.
"""

from __future__ import annotations

import math
from itertools import combinations

from assay.suites.collider.chain.filters import FILTERS
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided
from assay.suites.collider.provenance.ledger import Line
from assay.suites.collider.provenance.rules.arithmetic import filter_efficiency

SHARE_TOLERANCE = 0.02
"""Largest relative difference of a branching fraction from that of the point; sources differ by 1 %."""

TRIAL = 0.1
"""A sample of at most this share of the submitted one, generated before it, counts as a trial."""

SAME_SEED = 0.5
"""The same for a sample of the same card and seed, which has the same first events."""

RATE = "xsec_fb"
"""How the names of cross sections begin in the result of a look-up."""

DATASETS = "datasets.yaml"
"""The file in which a run declares its samples."""


def point(case: Case) -> None:
    """The card is that of the task's signal point, and its filter does not ask for more than the region."""
    if case.card is None:
        raise Undecided("there is no card")
    if case.card.get("point") != case.question.point:
        raise Contradicted(f"{str(case.card.get('point'))[:60]} was generated, not {case.question.point}")
    chosen, suitable = FILTERS.get(str(case.card.get("filter"))), FILTERS.get(case.question.filter_name)
    if chosen is not None and suitable is not None and not chosen.keeps(suitable):
        raise Contradicted(f"the filter {case.card['filter']} leaves out events that the region may select")


def rate(case: Case) -> None:
    """Cross section, branching fraction, filter efficiency and luminosity are what the run was told."""
    counters = case.counters
    if counters is None or not case.lines:
        raise Undecided("there are no counters or no ledger")
    if not any(abs(counters.xsec_fb - value) <= 1e-6 * value for value in _looked_up(case)):
        raise Contradicted(f"a cross section of {counters.xsec_fb:g} fb was never looked up")
    shares = _shares(case)
    if not any(abs(counters.br - share) <= SHARE_TOLERANCE * share for share in shares):
        known = " or ".join(f"{share:g}" for share in shares)
        raise Contradicted(f"a branching fraction of {counters.br:g} stands in the weights, not {known}")
    passed = filter_efficiency(case)
    if passed is not None and counters.filter_eff == 1.0 != passed:
        raise Contradicted(f"the filter efficiency of {passed:g} is missing in the weights")
    if abs(counters.lumi_fb - case.question.luminosity_fb) > 1e-6 * case.question.luminosity_fb:
        raise Contradicted(f"the luminosity is {counters.lumi_fb:g}/fb in the weights")


def _looked_up(case: Case) -> list[float]:
    """Return the cross sections of all look-ups of the process and mass of the sample's card."""
    of_card = case.generator.rate_of(case.card) if case.generator and case.card is not None else None
    values: list[float] = []
    for line in case.lines:
        argv, result = line["argv"], line.get("result")
        if line["tool"] != "cross_section" or not isinstance(result, dict):
            continue
        known = of_card is not None and isinstance(argv, dict)
        if known and (argv.get("process"), argv.get("mass")) != of_card:
            continue
        rates = (value for name, value in result.items() if name.startswith(RATE))
        values += [float(v) for v in rates if isinstance(v, int | float) and not isinstance(v, bool)]
    return values


def _shares(case: Case) -> list[float]:
    """Return the branching fractions that the card allows, with some or all of its factors forgotten."""
    factors = case.generator.shares(case.card) if case.generator and case.card is not None else ()
    chosen = (subset for size in range(len(factors) + 1) for subset in combinations(factors, size))
    return sorted({math.prod(subset) for subset in chosen})


def seeds(case: Case) -> str:
    """The sample was not chosen among several of the same signal point.

    A run may generate a small trial first. Further samples of comparable size must be declared in
    `datasets.yaml`, and then the submitted one is the first, or twice as large as each before it: so it was
    not chosen for its yields. Samples of one seed and several sizes share their first events, and are counted
    as well: nobody may choose the size.
    """
    if case.generation is None or case.card is None or case.counters is None:
        raise Undecided("there is no generation")
    events, own = int(case.generation["n_generated"]), _seed(case.generation)
    before: list[Line] = []
    after: list[Line] = []
    for line in case.lines:
        card = line.get("card")
        if line["tool"] != "generate" or line.get("exit_code") != 0 or not isinstance(card, dict):
            continue
        same = (_seed(line), _events(line)) == (own, events)
        if card.get("point") != case.card.get("point") or same:
            continue
        (before if line["seq"] < case.generation["seq"] else after).append(line)
    trials = [(line, SAME_SEED if _seed(line) == own else TRIAL) for line in before]
    rivals = [line for line, share in trials if _events(line) > share * events] + after
    seeds = len({own, *(_seed(line) for line in (*before, *after))})
    if not rivals:
        return f"{seeds} seeds" if seeds > 1 else "one seed"
    declared = case.run.files.get(DATASETS, b"").decode("utf-8", errors="replace")
    missing = [path for line in rivals for path in _samples(line) if path not in declared]
    if missing:
        raise Contradicted(
            f"one of {1 + len(rivals)} samples of this point was submitted, and {missing[0]} is not declared"
        )
    if any(2 * _events(line) > events for line in before):
        raise Contradicted(f"the sample was chosen after {len(before)} others of comparable size")
    return f"{seeds} seeds, all declared"


def _seed(line: Line) -> tuple[str, str]:
    return str(line.get("card")), str(line.get("seed"))


def _events(line: Line) -> float:
    events = line.get("n_generated")
    return float(events) if isinstance(events, int) else math.inf


def _samples(line: Line) -> list[str]:
    return [str(file["path"]) for file in line["outputs"] if str(file["path"]).startswith("data/")]
