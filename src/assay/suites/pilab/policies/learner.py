"""The learner: the steward's plan without its knowledge, and the reference policy without privilege.

It begins with guesses that a reader of the system prompt could make, and corrects them by what every agent
can see:

* bars of venues, from the reviews of accepted and rejected papers;
* visibility of venues, from the citations of the lab's own papers;
* quality of drafts by tier, from reviewers' scores;
* biases and errors of each pool's papers, from interviews.

The guesses of the tiers were chosen on the seeds 3001 to 3030, like the steward's constants.

No number of the world is imported here but those that agents are shown: deadlines, delays, awards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from assay.suites.pilab.environment.parameters import Pool
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.policies.steward import Knowledge, Steward

RANKS = ("W-SHOP", "CLAR", "JMR", "NAIC")
"""The venues as the system prompt describes them: modest, good, demanding, the most visible."""

POOL_NAMES = ("elite", "international", "nontraditional", "local")

WEIGHT = 4.0
"""Number of observations that a first guess is worth."""


def guesses() -> Knowledge:
    """Return the first guesses: ranks on a scale of reviewers' scores from 1 to 10, and equal pools."""
    return Knowledge(
        bars={name: 3.0 + 1.3 * rank for rank, name in enumerate(RANKS)},
        visibility={name: 1.0 + rank for rank, name in enumerate(RANKS)},
        # Whether a call is worth the hours is not estimated: each is tried.
        calls=dict.fromkeys(("BSF", "AMP", "TIF", "FEL"), -math.inf),
        tiers={1: 2.0, 2: 3.0, 3: 4.0},
        pools={
            name: Pool(
                name,
                ability=0.6,
                ability_sd=0.15,
                transcript_sd=0.1,
                letter_bias=0.0,
                letter_sd=0.1,
                accept=0.6,
                accept_slope=0.0,
                volume=0.0,
            )
            for name in POOL_NAMES
        },
    )


@dataclass
class Mean:
    """A mean of observations, with a first guess that counts as `WEIGHT` of them."""

    value: float
    weight: float = WEIGHT

    def add(self, seen: float, weight: float = 1.0) -> float:
        """Add an observation, and return the new mean."""
        self.weight += weight
        self.value += (seen - self.value) * weight / self.weight
        return self.value


@dataclass
class Learner(Steward):
    """The steward's plan with knowledge that is learnt in the course of the run."""

    known: Knowledge = field(default_factory=guesses)
    _means: dict[tuple[str, ...], Mean] = field(default_factory=dict)
    _bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def __call__(self, client: Client) -> None:
        self._observe(client)
        super().__call__(client)

    def _mean(self, first: float, *names: str) -> Mean:
        return self._means.setdefault(names, Mean(first))

    def _observe(self, client: Client) -> None:
        """Correct the guesses by what is new this month."""
        self._observe_reviews(client)
        self._observe_citations(client)

    def _observe_reviews(self, client: Client) -> None:
        drafts = {draft["id"]: draft for draft in client.call("papers.drafts")}
        for submission in client.call("papers.submissions"):
            scores = submission["reviewer_scores"]
            if not scores or submission["id"] in self._seen:
                continue
            self._seen.add(submission["id"])
            score, venue = math.fsum(scores) / len(scores), submission["venue"]
            # The bar lies above every rejected score and not above any accepted one.
            low, high = self._bounds.get(venue, (-math.inf, math.inf))
            if submission["status"] == "accept":
                high = min(high, score)
            elif submission["status"] == "reject":
                low = max(low, score)
            self._bounds[venue] = (low, high)
            if math.isfinite(low) and math.isfinite(high):
                self.known.bars[venue] = (low + high) / 2
            else:
                self.known.bars[venue] = min(max(self.known.bars[venue], low + 0.3), high)
            draft, guess = drafts[submission["draft"]], self.guesses.get(submission["draft"])
            if guess is not None and not draft["salvage"] and not draft["collab"]:
                # The surprise of a draft's first review corrects what is expected of its tier.
                tier = draft["tier"]
                offset = self._mean(self.known.tiers[tier], "tier", str(tier))
                offset.weight = min(offset.weight, 8.0)
                self.known.tiers[tier] = offset.add(self.known.tiers[tier] + score - guess.quality, 2.0)

    def _observe_citations(self, client: Client) -> None:
        """Correct the visibility of venues: citations a month of papers that are out for half a year."""
        rates: dict[str, list[float]] = {}
        for paper in client.call("papers.publications"):
            months = client.month - paper["published_month"]
            if months >= 6:
                rates.setdefault(paper["venue"], []).append(paper["citations"] / months)
        if len(rates) < 2:
            return
        first = guesses().visibility
        known = {venue: math.fsum(values) / len(values) for venue, values in rates.items()}
        unit = math.fsum(known.values()) / math.fsum(first[venue] for venue in known)
        for venue, values in rates.items():
            if unit > 0:
                n = len(values)
                seen = known[venue] / unit
                self.known.visibility[venue] = (WEIGHT * first[venue] + n * seen) / (WEIGHT + n)

    def _recruit(self, client: Client, want: int) -> None:
        super()._recruit(client, want)
        for row in client.call("recruit.applicants"):
            if row["interview"] is not None:
                self._observe_interview(row)

    def _observe_interview(self, row: dict[str, Any]) -> None:
        """Correct what is known of a pool's papers, for the years to come."""
        name, ability = row["pool"], row["interview"]
        error = row["letter"] - ability
        bias = self._mean(0.0, name, "bias").add(error)
        letter = self._mean(0.01, name, "letter").add((error - bias) ** 2)
        transcript = self._mean(0.01, name, "transcript").add((row["transcript"] - ability) ** 2)
        self.known.pools[name] = replace(
            self.known.pools[name],
            ability=self._mean(0.6, name, "ability").add(ability),
            letter_bias=bias,
            letter_sd=max(0.03, math.sqrt(letter)),
            transcript_sd=max(0.03, math.sqrt(transcript)),
        )
