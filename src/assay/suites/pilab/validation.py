"""Validation of the world: the numbers of the published runs are computed again and compared.

A check counts the published numbers that differ from ours in the first twelve digits, and passes if there are
none. The tests compare every digit; the last ones are ignored here, since they depend on the C library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from assay.errors import UnknownName
from assay.protocol import CheckRow, Materials
from assay.suites.pilab.checks import CHECKS as CHECKS
from assay.suites.pilab.environment.parameters import TOPIC_INDEX
from assay.suites.pilab.experiments.booms import ceiling
from assay.suites.pilab.experiments.runs import ABLATIONS, POLICIES, SEEDS, play
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.measures import records
from assay.suites.pilab.policies.baseline import Baseline
from assay.suites.pilab.tables import quoted_runs

DATA_FILES = ("data/acceptance.json", "../../../../config/published/pilab.yaml")
ACCEPTANCE, PUBLISHED = (Path(__file__).parent / name for name in DATA_FILES)

REFERENCE = "Bao (2026), PI-Bench: the published program, run"
QUOTED = "Bao (2026), PI-Bench: sections 5 and 6, from the figures of its 36 runs"

Pair = tuple[Any, Any]
"""A number that we computed, and the published one."""


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """Compare the world with the published runs.

    Args:
        name: name of one of `CHECKS`.
        settings: not used.
        materials: not used.

    Raises:
        UnknownName: there is no check of that name.
    """
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    return list(CHECKS[name].rows(name))


def _compared(pairs: Callable[[Mapping[str, Any]], Iterable[Pair]]) -> Callable[[str], Iterator[CheckRow]]:
    """Make a check of a function that pairs our numbers with the published numbers, which it is given."""

    def rows(name: str) -> Iterator[CheckRow]:
        acceptance = json.loads(ACCEPTANCE.read_text(encoding="utf-8"))
        yield from _equal(name, list(pairs(acceptance)))

    return rows


def _equal(name: str, pairs: list[Pair]) -> Iterator[CheckRow]:
    different = sum(_twelve(ours) != _twelve(theirs) for ours, theirs in pairs)
    yield CheckRow(
        check=name,
        statistic=f"numbers that differ, of {len(pairs)}",
        value=float(different),
        low=0.0,
        high=0.0,
        passed=different == 0,
        reference=REFERENCE,
        caveat="compared to twelve digits",
    )


def _twelve(value: Any) -> Any:
    return format(value, ".12g") if isinstance(value, float | int) else value


def _outcomes(policy: str, expected: Mapping[str, Any]) -> Iterator[Pair]:
    for seed, row in expected.items():
        ours = records.outcome(play(POLICIES[policy], int(seed)))
        yield from ((ours[key], theirs) for key, theirs in row.items())


@_compared
def baseline(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare each outcome of the baseline on the reference seeds."""
    return _outcomes("baseline", acceptance["baseline"])


@_compared
def oracle(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare each outcome of the oracle on the reference seeds."""
    return _outcomes("oracle", acceptance["oracle"])


@_compared
def ablations(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare IMPACT and the month of collapse of each ablation on each reference seed."""
    for name, ablation in ABLATIONS.items():
        labs = [play(ablation.policy, seed, ablation.parameters) for seed in SEEDS]
        expected = acceptance["ablations"][name]
        yield from zip([papers.impact(lab) for lab in labs], expected["impact"], strict=True)
        yield from zip([lab.collapse_month for lab in labs], expected["collapse_month"], strict=True)


@_compared
def grid(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare IMPACT at each point of the grid on which the baseline was tuned."""
    for row in acceptance["grid"]:
        policy = Baseline(**{name: row[name] for name in ("target", "interviews", "tier", "follow_news")})
        for seed, theirs in zip((1001, 1002), row["impact"], strict=True):
            yield papers.impact(play(lambda lab, policy=policy: policy, seed)), theirs  # type: ignore[misc]


@_compared
def no_grants(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare the end of labs that hire all they can and write no proposals."""
    for seed, (month, budget) in acceptance["hire-max"].items():
        lab = play(POLICIES["hire-max"], int(seed))
        yield papers.impact(lab), 0
        yield lab.collapse_month, month
        yield lab.budget, budget


@_compared
def field(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare the hidden field: peaks, phases, hotness, preferences and ceilings."""
    for seed, (peak, topic, month) in acceptance["peaks"].items():
        rows = Lab(int(seed)).field.trajectory[1:61]
        yield max(max(row) for row in rows), peak
        yield rows[month - 1][TOPIC_INDEX[topic]], peak
    for seed, phase in acceptance["phase"].items():
        yield Lab(int(seed)).field.phase, phase
    for seed, month, topic, hot in acceptance["hotness"]:
        yield Lab(seed).field.trajectory[month][TOPIC_INDEX[topic]], hot
    for agency, topic, preference in acceptance["preferences"]:
        yield Lab(101).field.preferences[agency][TOPIC_INDEX[topic]], preference
    for month, most in acceptance["ceiling"].items():
        yield ceiling(101, TOPIC_INDEX["reasoning"], int(month)), most


@_compared
def idle(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare the state, the field and the news of a lab that makes no decision for 60 months."""
    expected = acceptance["idle"]
    lab = Lab(101, mode="as-published")
    while lab.month < lab.months:
        lab.close_month()
    yield lab.reputation, expected["reputation"]
    yield lab.field.climate, expected["climate"]
    for topic, crowd in expected["crowding"].items():
        yield lab.field.crowd[TOPIC_INDEX[topic]], crowd
    yield len(lab.events), expected["events"]
    yield len(lab.applicants), expected["applicants"]
    kinds = [kind for _, kind, _, _ in lab.news]
    for kind, count in expected["news"].items():
        yield kinds.count(kind), count
    yield from zip(lab.preprints[-1][1], expected["preprints"], strict=True)
    yield from zip(lab.conferences[-1][2], expected["clar"], strict=True)


@_compared
def ties(acceptance: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare IMPACT on seeds where ties have to be resolved."""
    for seed, impact in acceptance["ties"].items():
        yield papers.impact(play(POLICIES["baseline"], int(seed))), impact


def quoted_statistics(name: str) -> Iterator[CheckRow]:
    """Compare the statistics that the paper states for its 36 runs with those computed from its figures."""
    published = yaml.safe_load(PUBLISHED.read_text(encoding="utf-8"))
    statistics = quoted_runs.statistics(published)
    for statistic, (value, tolerance) in published["follows"].items():
        ours = statistics[statistic]
        yield CheckRow(
            check=name,
            statistic=statistic,
            value=ours,
            low=value - tolerance,
            high=value + tolerance,
            passed=value - tolerance <= ours <= value + tolerance,
            reference=QUOTED,
            caveat="half of the last digit that is given",
        )
