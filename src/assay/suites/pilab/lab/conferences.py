"""Trips to conferences: reputation, better known among next year's applicants, and talk in the hallway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.lab.refusal import Refused

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

HOURS, COST = 15.0, 2500.0
COOLDOWN = 5


def attend(lab: Lab) -> dict[str, str]:
    """Go to a conference; what people there say about each topic."""
    if lab.month - lab.last_conference < COOLDOWN:
        raise Refused(f"the last trip was in month {lab.last_conference}: one in {COOLDOWN} months")
    lab.charge(HOURS, "a conference")
    lab.pay("travel", -COST, "conference")
    lab.last_conference = lab.month
    lab.reputation_impulse += 0.06
    lab.boosted.add(lab.season() + 1)
    generator = lab.random.at(f"confintel|{lab.month}")
    return {
        topic: _word(hot + 0.5 * generator.standard_normal())
        for topic, hot in zip(TOPICS, lab.field.hot, strict=True)
    }


def _word(hot: float) -> str:
    return "very hot" if hot > 2.0 else "hot" if hot > 1.3 else "warm" if hot > 0.8 else "quiet"
