"""The yearly season of recruiting: applicants, interviews, offers and arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.pilab.environment.generators import Generator
from assay.suites.pilab.environment.parameters import CANDIDATES, REPUTATION_START
from assay.suites.pilab.lab.entities import Applicant, Member, Refused
from assay.suites.pilab.lab.people import GIVEN, name, room

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

NAMES = len(GIVEN)


def in_season(lab: Lab) -> bool:
    """Return whether applicants can be seen this month."""
    return lab.month % 12 in (1, 2, 3)


def of_this_season(lab: Lab) -> list[Applicant]:
    season = lab.season()
    return [applicant for applicant in lab.applicants.values() if applicant.season == season]


def listed(lab: Lab) -> list[Applicant]:
    """Return the applicants who can still be hired this season."""
    if not in_season(lab):
        return []
    return [applicant for applicant in of_this_season(lab) if applicant.status in ("pending", "offered")]


def find(lab: Lab, identifier: str) -> Applicant:
    """Return an applicant of this season.

    Raises:
        Refused: there is no applicant with this id in this season.
    """
    applicant = lab.applicants.get(identifier)
    if applicant is None or applicant.season != lab.season():
        raise Refused(f"{identifier!r} is not an applicant of this season")
    return applicant


def check_season(lab: Lab) -> None:
    if not in_season(lab):
        raise Refused("applicants can be seen in months 1 to 3 of each year")


def interview(lab: Lab, ids: list[str]) -> dict[str, float]:
    """Interview applicants for 3 hours each, and return their scores by id.

    In the mode `as-published`, if an interview is refused, those before it still count and their hours stay
    spent.
    """
    check_season(lab)
    if lab.rules.checked:
        if len(set(ids)) < len(ids):
            raise Refused("ids must be different")
        new = sum(not find(lab, identifier).interviewed for identifier in ids)
        lab.charge(lab.parameters.interview_hours * new, "interview")
    scores = {}
    for identifier in ids:
        applicant = find(lab, identifier)
        if not applicant.interviewed:
            if not lab.rules.checked:
                lab.charge(lab.parameters.interview_hours, "interview")
            applicant.interviewed = True
        scores[identifier] = applicant.interview
    return scores


def offer(lab: Lab, identifier: str) -> Applicant:
    """Offer a place; the answer comes when the third month of the year ends."""
    check_season(lab)
    applicant = find(lab, identifier)
    if applicant.status != "pending":
        raise Refused(f"{identifier} is {applicant.status}")
    offered = sum(other.status == "offered" for other in of_this_season(lab))
    capacity = lab.parameters.capacity
    if len(lab.researchers()) + offered >= capacity or (lab.rules.closed and room(lab) <= 0):
        raise Refused(f"the lab has room for {capacity} researchers, open offers counted")
    applicant.status = "offered"
    return applicant


def resolve(lab: Lab) -> None:
    """Decide the answers to offers in month 3 of a year; applicants who accept join at the end of month 4."""
    if lab.month % 12 == 3:
        for applicant in of_this_season(lab):
            if applicant.status == "offered":
                fame = lab.reputation - REPUTATION_START
                chance = min(max(applicant.accept + applicant.accept_slope * fame, 0.05), 0.95)
                comes = lab.random.uniform(f"offer|{applicant.id}") < chance
                applicant.status = "accepted" if comes else "declined"
            elif applicant.status == "pending":
                applicant.status = "expired"
    elif lab.month % 12 == 4:
        for applicant in of_this_season(lab):
            if applicant.status == "accepted":
                applicant.status = "joined"
                member = Member(
                    id=lab.next_id("S", applicant.id),
                    name=applicant.name,
                    role="phd",
                    arrived=lab.month + 1,
                    pay=lab.parameters.phd_stipend,
                    ability=applicant.ability,
                    speed=applicant.speed,
                    resilience=applicant.resilience,
                    independence=applicant.independence,
                    growth=applicant.growth,
                    skill=lab.parameters.skill_start + lab.parameters.skill_ability * applicant.ability,
                )
                lab.join(member)


@kernel
def _draw_candidates(generator: Generator, out: np.ndarray) -> None:
    """Draw ten random numbers for each candidate, a row of `out`; the last two are integers."""
    for i in range(len(out)):
        out[i, 0] = generator.standard_normal()
        out[i, 1] = generator.standard_normal()
        out[i, 2] = generator.random()
        out[i, 3] = generator.random()
        for column in range(4, 8):
            out[i, column] = generator.standard_normal()
        out[i, 8] = generator.integers(0, NAMES)
        out[i, 9] = generator.integers(0, NAMES)


def open_season(lab: Lab) -> None:
    """Draw the applicants of a new year."""
    year = lab.season()
    p = lab.parameters
    lift = min(p.alumni_lift_most, p.alumni_lift * lab.alumni)
    boost = 1.15 if year in lab.boosted else 1.0
    fame = max(0.0, lab.reputation - REPUTATION_START)
    rates = [[pool.volume * (1 + 0.25 * fame) * boost] for pool in p.pools]
    counts, _ = lab.random.poissons([f"appcount|{year}|{pool.name}" for pool in p.pools], rates)
    drawn = np.empty((len(p.pools) * CANDIDATES, 10))
    _draw_candidates(lab.random.at(f"applicants|{year}"), drawn)
    candidates = drawn.tolist()
    drawn_up: list[tuple[Any, ...]] = []
    places: list[tuple[str, int]] = []
    for at, (pool, (n,)) in enumerate(zip(p.pools, counts, strict=True)):
        first = at * CANDIDATES
        places += [(pool.name, which) for which in range(min(n, CANDIDATES))]
        for row in candidates[first : first + min(n, CANDIDATES)]:
            z, pace, u, v, drive, paper, praise, talk, given, family = row
            ability = _clip(pool.ability + lift + pool.ability_sd * z, 0.15, 0.95)
            drawn_up.append(
                (
                    pool.name,
                    pool.accept,
                    pool.accept_slope,
                    name(given, family),
                    round(_clip(ability + pool.transcript_sd * paper, 0.0, 1.0), 2),
                    round(_clip(ability + pool.letter_bias + pool.letter_sd * praise, 0.0, 1.0), 2),
                    round(_clip(ability + 0.07 * talk, 0.0, 1.0), 2),
                    ability,
                    1.0 + 0.15 * pace,
                    0.4 + (1 - 0.4) * u,
                    0.3 + (1 - 0.3) * v,
                    max(0.3, 1.0 + 0.3 * drive),
                )
            )
    for place in lab.random.at(f"appshuffle|{year}").permutation(len(drawn_up)).tolist():
        applicant = Applicant(lab.next_id("APP", year, *places[place]), year, *drawn_up[place])
        lab.applicants[applicant.id] = applicant


def _clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
