"""Grants: calls, proposals, and the decisions of panels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.suites.pilab.environment.field import AHEAD
from assay.suites.pilab.environment.parameters import REPUTATION_START, TOPICS, Parameters
from assay.suites.pilab.lab.entities import Award, GrantCall, Proposal, Refused

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

LEAST_HOURS = 5


def calls(parameters: Parameters) -> Iterator[GrantCall]:
    """Yield all calls of a run; calls that open in a certain month are open for two months."""
    months = parameters.months
    for agency in parameters.agencies:
        if not agency.opens:
            yield GrantCall(f"{agency.name}-rolling", agency.name, 1, months)
        for month in agency.opens:
            if month <= months:
                yield GrantCall(f"{agency.name}-m{month:02d}", agency.name, month, month + 1)


def open_calls(lab: Lab) -> list[GrantCall]:
    """Return the calls that take proposals this month."""
    return [call for call in lab.calls.values() if call.opens <= lab.month <= call.last]


def propose(lab: Lab, call_id: str, topic: str, hours: float, attached: list[str]) -> Proposal:
    """Write a proposal to a call, with drafts and publications attached as evidence.

    Raises:
        Refused: the call does not take this proposal, or fewer hours are left.
    """
    call = lab.calls.get(call_id)
    if call is None or (lab.rules.checked and call.opens > lab.month):
        raise Refused(f"there is no call {call_id!r}; see grants.calls()")
    if not call.opens <= lab.month <= call.last:
        raise Refused(f"the call {call_id} is not open this month")
    if topic not in TOPICS:
        raise Refused(f"unknown topic {topic!r}; the topics are {', '.join(TOPICS)}")
    if hours < LEAST_HOURS or (lab.rules.checked and not math.isfinite(hours)):
        raise Refused(f"a proposal takes at least {LEAST_HOURS} hours")
    agency = lab.agencies[call.agency]
    if agency.once and any(p.agency == agency.name and p.status == "funded" for p in lab.proposals.values()):
        raise Refused(f"{agency.name} is granted once in a career")
    held = sum(a.agency == agency.name and a.end >= lab.month for a in lab.awards.values())
    held += sum(p.agency == agency.name and p.status == "pending" for p in lab.proposals.values())
    if held >= agency.concurrent:
        raise Refused(f"{agency.name} allows {agency.concurrent} awards and pending proposals at once")
    cooldown = lab.parameters.tif_cooldown
    if not agency.opens and lab.month - lab.last_tif < cooldown:
        raise Refused(f"{agency.name} takes one proposal in {cooldown} months")
    for identifier in attached:
        known = identifier in lab.drafts or (
            identifier in lab.publications
            and (not lab.rules.checked or lab.publications[identifier].published <= lab.month)
        )
        if not known:
            raise Refused(f"{identifier!r} is neither a draft nor a publication of this lab")
    if lab.rules.checked and len(set(attached)) < len(attached):
        raise Refused("attachments must be different")
    if lab.rules.closed:
        for paper in lab.published():
            if paper.draft in attached:
                raise Refused(f"{paper.draft} is published: attach {paper.id} instead")
    lab.charge(hours, "propose")
    lab.pay("proposal", -lab.parameters.proposal_cost, call_id)
    quality = proposal_quality(lab, call.agency, TOPICS.index(topic), hours, attached)
    proposal = Proposal(
        id=lab.next_id("PR", call_id, lab.month),
        call=call_id,
        agency=call.agency,
        topic=TOPICS.index(topic),
        hours=hours,
        attached=list(attached),
        submitted=lab.month,
        decision=lab.month + agency.delay,
        quality=quality,
    )
    lab.proposals[proposal.id] = proposal
    if not agency.opens:
        lab.last_tif = lab.month
    return proposal


def proposal_quality(lab: Lab, agency: str, k: int, hours: float, attached: list[str]) -> float:
    """Return the quality that a panel sees in a proposal on the topic with index `k`, without noise."""
    evidence, ambitious, p = 0.0, False, lab.parameters
    for identifier in attached:
        paper = lab.publications.get(identifier)
        if paper is not None:
            weight, quality, topic, tier = 1.0, paper.quality, paper.topic, paper.tier
        else:
            draft = lab.drafts[identifier]
            weight, quality, topic, tier = 0.4, draft.effective(p.quality_polish), draft.topic, draft.tier
        weight *= math.exp(p.citation_quality * (quality - 5))
        if topic != k:
            weight *= 0.25
        evidence += weight
        ambitious = ambitious or tier == 3
    share = evidence / p.proposal_evidence_unit
    preliminary = share / (1 + share)
    preference = lab.field.preferences[agency][k]
    if agency == "AMP":
        ahead = lab.field.hot_at(lab.month + AHEAD)[k]
        preference = p.amp_hot * (ahead - 1) + p.amp_preference * preference
    seen: float = (
        p.proposal_hours * (hours / p.proposal_hours_unit) ** p.proposal_hours_power
        + p.proposal_evidence * preliminary
        + min(p.proposal_reputation_most, p.proposal_reputation * (lab.reputation - REPUTATION_START))
        + preference
        + p.proposal_climate * (lab.field.climate - 1)
        - p.proposal_awards * len(lab.running_awards())
    )
    if agency == "TIF":
        seen += p.tif_hot * (lab.field.hot[k] - 1)
    if agency == "AMP" and ambitious:
        seen += p.amp_ambition
    return seen


def decide(lab: Lab) -> None:
    """Decide on the proposals that are due this month."""
    for proposal in lab.proposals.values():
        if proposal.status != "pending" or proposal.decision != lab.month:
            continue
        agency = lab.agencies[proposal.agency]
        noise = lab.random.normal(f"grantdec|{proposal.id}", lab.parameters.proposal_noise)
        # Written this way, a quality that is no number, which `as-published` allows, is rejected.
        if not proposal.quality + noise >= agency.bar:
            proposal.status = "rejected"
            continue
        proposal.status = "funded"
        award = Award(
            id=lab.next_id("A", proposal.id),
            proposal=proposal.id,
            agency=agency.name,
            total=agency.award,
            monthly=agency.award / agency.duration,
            start=lab.month + 1,
            end=lab.month + agency.duration,
        )
        lab.awards[award.id] = award
        lab.reputation_impulse += agency.reputation
