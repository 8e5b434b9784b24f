"""Papers: polishing, submitting and revising drafts, reviews, and citations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.suites.pilab.environment.parameters import PUBLISHED, REPUTATION_START, Parameters, Venue
from assay.suites.pilab.environment.randomness import mean
from assay.suites.pilab.lab.entities import Draft, Publication, Refused, Submission

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

MULTIPLIED_BELOW = 10
"""Rates below which NumPy draws Poisson numbers as products of uniform ones."""

PROJECTED = 36
"""Months after the last one over which citations are projected."""


def available(lab: Lab, identifier: str) -> Draft:
    """Return the draft with this id.

    Raises:
        Refused: there is no such draft, or it is not available.
    """
    draft = lab.drafts.get(identifier)
    if draft is None:
        raise Refused(f"there is no draft {identifier!r}")
    if draft.status != "available":
        raise Refused(f"draft {identifier} is {draft.status.replace('_', ' ')}")
    return draft


def rejected_by(lab: Lab, draft: str) -> list[str]:
    """Return the venues that rejected a draft, in the order of submission."""
    return [s.venue for s in lab.submissions.values() if s.draft == draft and s.status == "reject"]


def polish(lab: Lab, identifier: str, hours: float) -> Draft:
    """Spend hours on polishing a draft; only the first 12 raise its quality."""
    draft = available(lab, identifier)
    lab.charge(hours, "polish")
    draft.polish += hours
    return draft


def submit(lab: Lab, identifier: str, venue: str) -> Submission:
    """Send a draft to a venue."""
    draft = available(lab, identifier)
    chosen = lab.venues.get(venue) if isinstance(venue, str) else None
    if chosen is None:
        raise Refused(f"unknown venue {venue!r}; the venues are {', '.join(lab.venues)}")
    if chosen.deadlines and lab.month % 12 not in chosen.deadlines:
        raise Refused(f"{venue} takes papers in the months {_months(chosen)} of the year only")
    submission = Submission(
        lab.next_id("SUB", draft.id, lab.month), draft.id, venue, lab.month, lab.month + chosen.delay
    )
    lab.submissions[submission.id] = submission
    draft.status = "under_review"
    return submission


def _months(venue: Venue) -> str:
    return " and ".join(str(month or 12) for month in venue.deadlines)


def revise(lab: Lab, identifier: str, hours: float) -> Draft:
    """Revise a rejected draft, which raises its quality; each further revision raises it less."""
    draft = available(lab, identifier)
    if not rejected_by(lab, identifier):
        raise Refused(f"draft {identifier} was not rejected anywhere: there is nothing to revise")
    if draft.revised_month == lab.month:
        raise Refused(f"draft {identifier} was revised this month already")
    if draft.authors and not any(lab.members[author].active for author in draft.authors):
        raise Refused(f"no author of draft {identifier} is in the lab any more")
    lab.charge(hours, "revise")
    p = lab.parameters
    gain = p.revision_gain * min(hours, 10.0) / 10.0 * p.revision_decay**draft.revisions
    draft.quality = min(10.0, draft.quality + gain)
    draft.revisions += 1
    draft.revised_month = lab.month
    return draft


def withdraw(lab: Lab, identifier: str) -> Submission:
    submission = lab.submissions.get(identifier)
    if submission is None or submission.status != "under_review":
        raise Refused(f"there is no submission {identifier!r} under review")
    submission.status = "withdrawn"
    lab.drafts[submission.draft].status = "available"
    return submission


def publication_month(venue: Venue, month: int) -> int:
    """Return the month in which a paper accepted in `month` comes out.

    Conferences publish in the month after their next deadline, other venues at once.
    """
    if venue.kind != "conf":
        return month
    return month + min((deadline - month) % 12 or 12 for deadline in venue.deadlines) + 1


def decide(lab: Lab) -> None:
    """Decide on the submissions that are due this month."""
    month, p = lab.month, lab.parameters
    for submission in lab.submissions.values():
        if submission.status != "under_review" or submission.decision != month:
            continue
        draft, venue = lab.drafts[submission.draft], lab.venues[submission.venue]
        effective = draft.effective(p.quality_polish)
        generator = lab.random.at(f"review|{draft.id}|{venue.name}|{submission.submitted}")
        noise = p.review_noise * generator.standard_normal()
        score = (
            effective
            + p.review_hot * (lab.field.hot[draft.topic] - 1)
            + p.review_reputation * (lab.reputation - REPUTATION_START)
            + noise
        )
        spread = [p.review_spread * generator.standard_normal() for _ in range(3)]
        centre = mean(spread)
        submission.scores = [round(score + z - centre, 1) for z in spread]
        if score >= venue.bar:
            submission.status, draft.status = "accept", "accepted"
            _publish(lab, draft, venue, effective)
        else:
            submission.status, draft.status = "reject", "available"
            lab.disappoint(draft.authors, 0.18)


def _publish(lab: Lab, draft: Draft, venue: Venue, quality: float) -> None:
    p = lab.parameters
    paper = Publication(
        id=lab.next_id("P", draft.id),
        draft=draft.id,
        venue=venue.name,
        topic=draft.topic,
        tier=draft.tier,
        authors=list(draft.authors),
        published=publication_month(venue, lab.month),
        collab=draft.collab,
        quality=quality,
        strength=venue.visibility * math.exp(p.citation_quality * (quality - 5)),
        halflife=p.citation_halflife_journal if venue.kind == "journal" else p.citation_halflife,
    )
    lab.publications[paper.id] = paper
    lab.reputation_impulse += venue.reputation
    for position, identifier in enumerate(draft.authors):
        author = lab.members[identifier]
        author.papers += 1
        author.first_author += position == 0
        lab.feel(author, 0.25 if position else 0.35)


def citation_rate(
    paper: Publication, month: int, hot: float, reputation: float, alumni: int, p: Parameters = PUBLISHED
) -> float:
    """Return the expected number of citations of a paper in a month, if its topic has the hotness `hot`."""
    age = month - paper.published
    if age < 0:
        return 0.0
    rate: float = (
        paper.strength
        * hot
        * min(1.0, (age + 1) / p.citation_ramp)
        * 0.5 ** (max(0, age - p.citation_ramp) / paper.halflife)
        * (1 + p.citation_reputation * (reputation - REPUTATION_START))
        * (1 + p.alumni_citations * alumni)
    )
    if paper.collab:
        rate *= p.collaboration_credit
    return max(0.0, rate)


def cite(lab: Lab) -> None:
    month, total, p = lab.month, 0, lab.parameters
    for paper in lab.publications.values():
        if paper.published > month:
            continue
        rate = citation_rate(paper, month, lab.field.hot[paper.topic], lab.reputation, lab.alumni, p)
        # At low rates NumPy multiplies uniform numbers until the product is at most exp(-rate). If the first
        # number is, the count is 0, and no generator has to be made.
        (first,) = lab.random.monthly("paper", paper.id, month)
        if rate < MULTIPLIED_BELOW and first <= math.exp(-rate):
            continue
        n = int(lab.random.at(f"cite|{paper.id}|{month}").poisson(rate))
        if n > 0:
            paper.citations += n
            paper.monthly.append((month, n))
            total += n
    if total > 0:
        lab.reputation_impulse += p.reputation_citations * math.log1p(total)


def citations(lab: Lab) -> int:
    return sum([paper.citations for paper in lab.publications.values()])


def impact(lab: Lab) -> float:
    """Return IMPACT, unrounded: citations so far, and those projected for the next 36 months.

    A collapsed lab has no projected citations. The projection is one running sum in the order of publication,
    so that it has the same rounding errors as in the published program.
    """
    projected, p = 0.0, lab.parameters
    if lab.collapse_month is None:
        for paper in lab.published():
            hot = lab.field.hot[paper.topic]
            for month in range(lab.month + 1, lab.month + PROJECTED + 1):
                projected += citation_rate(paper, month, hot, lab.reputation, lab.alumni, p)
    return citations(lab) + projected
