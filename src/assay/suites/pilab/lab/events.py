"""Trips to conferences, and events that need an answer: talks, reviews, crises and collaborations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.suites.pilab.environment.parameters import REPUTATION_START, TOPIC_INDEX, TOPICS
from assay.suites.pilab.lab.entities import Draft, Event, Refused

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab


def attend_conference(lab: Lab) -> dict[str, str]:
    """Attend a conference, and return a word on each topic that depends on its hotness and on noise.

    The trip raises reputation, and the number of applicants in the next year.
    """
    p = lab.parameters
    if lab.month - lab.last_conference < p.conference_cooldown:
        raise Refused(
            f"the last trip was in month {lab.last_conference}: one in {p.conference_cooldown} months"
        )
    lab.charge(p.conference_hours, "a conference")
    lab.pay("travel", -p.conference_cost, "conference")
    lab.last_conference = lab.month
    lab.reputation_impulse += p.reputation_conference
    lab.boosted.add(lab.season() + 1)
    generator = lab.random.at(f"confintel|{lab.month}")
    return {
        topic: _word(hot + 0.5 * generator.standard_normal())
        for topic, hot in zip(TOPICS, lab.field.hot, strict=True)
    }


def _word(hot: float) -> str:
    return "very hot" if hot > 2.0 else "hot" if hot > 1.3 else "warm" if hot > 0.8 else "quiet"


def arise(lab: Lab) -> None:
    """Create the events of the month that opens."""
    month, p = lab.month, lab.parameters
    fame = max(0.0, lab.reputation - REPUTATION_START)
    invited, asked, offered = lab.field.shown.luck
    talk = invited < min(p.talk_most, p.talk_rate * fame + p.talk_base)
    review = asked < min(0.9, p.review_rate)
    topic = None
    if offered < min(p.collaboration_most, p.collaboration_rate * fame):
        generator = lab.random.at(f"events|{month}")
        generator.random(3)
        hot = np.array(lab.field.hot)
        topic = TOPICS[int(generator.choice(len(TOPICS), p=hot / hot.sum()))]
    if talk:
        _add(lab, "invited_talk", month + 2, {"hours": round(p.talk_hours), "dollars": round(p.talk_cost)})
    if review:
        _add(lab, "review_request", month + 2, {"hours": round(p.review_hours), "dollars": 0})
    for member in lab.researchers():
        if lab.random.monthly("person", member.id, month)[1] < p.crisis_rate:
            details = {"hours": round(p.crisis_hours), "dollars": 0, "student": member.id}
            _add(lab, "student_crisis", month, details)
    if topic is not None:
        hours = round(p.collaboration_hours)
        details = {"topic": topic, "months": p.collaboration_months, "hours_per_month": hours, "dollars": 0}
        _add(lab, "collab_offer", month + 1, details)


def _add(lab: Lab, kind: str, expires: int, details: dict[str, Any]) -> None:
    event = Event(
        lab.next_id("E", kind, lab.month, details.get("student", "")), kind, lab.month, expires, details
    )
    lab.events[event.id] = event
    lab.waiting.append(event)


def pending(lab: Lab) -> list[Event]:
    """Return the events that wait for an answer."""
    return [event for event in lab.waiting if event.status == "pending"]


def respond(lab: Lab, identifier: str, action: str) -> Event:
    """Answer an event."""
    event = lab.events.get(identifier)
    if event is None or event.status != "pending":
        raise Refused(f"there is no pending event {identifier!r}")
    p = lab.parameters
    yes, no = ("support", "ignore") if event.kind == "student_crisis" else ("accept", "decline")
    if action not in ("accept", "decline", yes, no):
        raise Refused(f"the answers to {event.kind} are {yes} and {no}")
    if action in ("decline", no):
        if event.kind == "review_request":
            lab.reputation_impulse += p.reputation_declined
        elif event.kind == "student_crisis":
            lab.disappoint([event.details["student"]], 0.35)
        event.status = "declined"
        return event
    if event.kind == "invited_talk":
        lab.charge(p.talk_hours, "a talk")
        lab.pay("travel", -p.talk_cost, event.id)
        lab.reputation_impulse += p.reputation_talk
        lab.boosted.add(lab.season() + 1)
    elif event.kind == "review_request":
        lab.charge(p.review_hours, "a review")
        lab.reputation_impulse += p.reputation_review
    elif event.kind == "student_crisis":
        lab.charge(p.crisis_hours, "support")
        lab.feel(lab.members[event.details["student"]], 0.05)
    else:
        if not _can_collaborate(lab):
            raise Refused(
                "a collaboration needs somebody in the lab" + " who is a researcher" * lab.rules.closed
            )
        event.accepted, event.delivery = lab.month, lab.month + p.collaboration_months
        lab.deliveries = [e for e in lab.events.values() if e.delivery]
    event.status = "accepted"
    return event


def _can_collaborate(lab: Lab) -> bool:
    """Return whether somebody can take part in a collaboration.

    As published, an assistant does who is hired for this and dismissed. In the mode `closed` it takes a
    researcher, when the offer is accepted and when the draft is delivered.
    """
    return bool(lab.researchers() if lab.rules.closed else lab.active())


def expire(lab: Lab) -> None:
    """End the events that were not answered in time, and add the drafts that collaborations deliver."""
    month = lab.month
    for event in pending(lab):
        if event.kind == "student_crisis":
            if event.month == month:
                event.status = "auto_ignored"
                lab.disappoint([event.details["student"]], 0.35)
        elif month >= event.expires:
            event.status = "expired"
            if event.kind == "review_request":
                lab.reputation_impulse += lab.parameters.reputation_declined
    lab.waiting = pending(lab)
    for event in lab.deliveries:
        if event.delivery == month and (not lab.rules.closed or _can_collaborate(lab)):
            quality = 4.8 + lab.random.normal(f"collabq|{event.id}", 0.8)
            draft = Draft(
                id=lab.next_id("D", event.id),
                project=None,
                topic=TOPIC_INDEX[event.details["topic"]],
                tier=2,
                authors=[],
                created=month,
                quality=min(max(quality, 1.0), 8.0),
                collab=True,
            )
            lab.drafts[draft.id] = draft
