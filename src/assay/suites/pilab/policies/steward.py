"""The steward: a reference policy that uses what every agent can see, and numbers that no agent is shown.

These numbers (`Knowledge`) are the bars and visibilities of venues, the bars of agencies, the base quality of
tiers, and the biases of pools of applicants. The policy `learner` begins with guesses instead, and corrects
them by what it observes: it is the reference without privilege, and the steward shows what knowing is worth.

It differs from the published baseline in these points:

* It writes proposals with all the hours that are left and all the evidence that exists.
* It hires postdocs as long as the money lasts.
* It estimates the hotness of topics from news and preprints.
* It estimates the quality of each draft, updates the estimate with the reviewers' scores, and waits for the
  venue with the highest expected worth.
* It revises rejected drafts, ends projects that nobody works on, and begins none that would end too late.
* It buys as much compute as its money allows until the end of the run.

The constants were tuned on the seeds 3001 to 3030, which are not used for any evaluation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from assay.suites.pilab.environment.parameters import AGENCIES, POOLS, TIERS, TOPICS, VENUES, Pool
from assay.suites.pilab.interface.client import Client

MONTHS = 60
STANDING = {"unknown": 2.1, "rising": 3.2, "established": 5.0, "renowned": 7.5}
"""Estimated reputation for each word of the lab's standing."""

WORDS = (("surging", 1.6), ("gaining steam", 1.2), ("steady", 0.8), ("quiet", 0.3))
SEARCH, LEAST = 2, 5


@dataclass(frozen=True)
class Constants:
    """The tuned constants of the policy."""

    target: int = 4
    first_postdocs: int = 3
    hire_runway: float = 10.0
    postdoc_runway: float = 24.0
    team: int = 2
    tier3_runway: float = 14.0
    tier3_talent: float = 0.3
    reserve: float = 20000.0
    horizon: float = 14.0
    least_compute: float = 300.0
    most_compute: float = 8000.0
    mentoring: float = 5.0
    mentoring_total: float = 42.0
    proposal_least: float = 18.0
    proposal_margin: float = 0.6
    accept: float = 0.4
    wait: int = 3
    ability: float = 0.55
    stop: int = 11


@dataclass
class Knowledge:
    """What a policy holds for true of the world's hidden numbers.

    Attributes:
        bars: least score of an accepted paper, by venue.
        visibility: citations of a paper, by venue, relative to each other.
        calls: least quality of a funded proposal, by agency.
        tiers: quality of the drafts of a project before talent and compute count, by tier.
        pools: means and errors of applicants' papers, by pool.
    """

    bars: dict[str, float]
    visibility: dict[str, float]
    calls: dict[str, float]
    tiers: dict[int, float]
    pools: dict[str, Pool]


def truth() -> Knowledge:
    """Return the true numbers."""
    return Knowledge(
        bars={venue.name: venue.bar for venue in VENUES.values()},
        visibility={venue.name: venue.visibility for venue in VENUES.values()},
        calls={agency.name: agency.bar for agency in AGENCIES.values()},
        tiers={tier: row[2] for tier, row in TIERS.items()},
        pools={pool.name: pool for pool in POOLS},
    )


@dataclass
class Guess:
    """An estimate of a draft's present quality, including polish and revisions, with its variance."""

    quality: float
    variance: float = 0.36


@dataclass
class Steward:
    """The steward policy, with its estimates of the field, of drafts and of agencies' preferences."""

    constants: Constants = Constants()
    hot: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TOPICS, 1.1))
    crowd: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TOPICS, 1.0))
    taste: dict[tuple[str, str], float] = field(default_factory=dict)
    guesses: dict[str, Guess] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)
    decided: set[str] = field(default_factory=set)
    compute: dict[str, float] = field(default_factory=dict)
    known: Knowledge = field(default_factory=truth)

    def __call__(self, client: Client) -> None:
        board = client.call("lab.dashboard")
        self._read_field(client)
        self._learn(client, board)
        self._hire(client, board)
        members = [m for m in client.call("students.list") if m["status"] == "active"]
        self._mentor(client, members)
        self._answer(client)
        self._work(client, members)
        self._write(client, board)
        self._ask(client)
        runway = client.runway()
        if client.attention_left() > 16 and (runway is None or runway > 6):
            client.attempt("field.attend_conference")

    # -- what is known

    def _read_field(self, client: Client) -> None:
        """Update the estimates of crowding, from preprints, and of hotness, from news and crowding."""
        news = [
            n for n in client.call("field.news", 30) if n["month"] == client.month and n["kind"] == "field"
        ]
        latest = {n["topic"]: (int(n["text"].split()[0]), n["text"]) for n in news}
        prints = {row["topic"]: row["preprint_count"] for row in client.call("field.preprints", 1)}
        for topic in TOPICS:
            count, text = latest.get(topic, (0, ""))
            crowd = self.crowd[topic] + 0.25 * (prints[topic] / 6 - self.crowd[topic])
            rising = (crowd - self.crowd[topic]) / 0.12
            self.crowd[topic] = crowd
            hot = self.hot[topic] + 0.15 * (count / 1.2 - self.hot[topic])
            hot += 0.10 * (crowd + 0.3 * rising - hot)
            for at, (word, low) in enumerate(WORDS):
                if text.endswith(word):
                    high = WORDS[at - 1][1] if at else 6.0
                    hot = min(max(hot, low), high)
                    break
            self.hot[topic] = min(max(hot, 0.25), 6.0)

    def _learn(self, client: Client, board: dict[str, Any]) -> None:
        """Update the estimates of drafts from new reviews, and of preferences from decisions on proposals."""
        fame = STANDING[board["lab_standing"]]
        drafts = {d["id"]: d for d in client.call("papers.drafts")}
        for s in client.call("papers.submissions"):
            if s["reviewer_scores"] and s["id"] not in self.judged:
                self.judged.add(s["id"])
                guess = self.guesses.get(s["draft"])
                if guess is not None:
                    score = math.fsum(s["reviewer_scores"]) / 3
                    seen = score - 0.35 * (self.hot[drafts[s["draft"]]["topic"]] - 1) - 0.15 * (fame - 2)
                    weight = guess.variance / (guess.variance + 0.30)
                    guess.quality += weight * (seen - guess.quality)
                    guess.variance *= 1 - weight
        for p in client.call("grants.proposals"):
            if p["status"] != "pending" and p["id"] not in self.decided:
                self.decided.add(p["id"])
                key = (p["agency"], p["topic"])
                self.taste[key] = self.taste.get(key, 0.0) + (0.2 if p["status"] == "funded" else -0.15)

    # -- people

    def _hire(self, client: Client, board: dict[str, Any]) -> None:
        c, month = self.constants, client.month
        here = len(board["students"])
        left = MONTHS - month
        months = self._lasts(client, board, 6500 if month > 2 else 0)
        if month % 12 == 1 and left > 24 and months > c.hire_runway and here < c.target:
            self._recruit(client, c.target - here)
        first = month <= 2 and here == 0
        if first and month == 1:
            for _ in range(c.first_postdocs):
                client.attempt("recruit.post_postdoc")
        elif not first and left > 20 and here < c.target and months > c.postdoc_runway:
            waiting = self.__dict__.setdefault("_posted", [])
            recent = [m for m in waiting if m > month - SEARCH - 1]
            if here + len(recent) < c.target and client.attempt("recruit.post_postdoc"):
                waiting.append(month)
        for student in board["students"]:
            end = student["contract_end"]
            if end is not None and end - month <= 1 and left > 6:
                client.attempt("recruit.renew_postdoc", student["id"])

    def _recruit(self, client: Client, want: int) -> None:
        applicants = client.call("recruit.applicants")
        ranked = sorted(applicants, key=lambda a: -self._ability(a))
        shortlist = [a["id"] for a in ranked[: min(2 * want + 2, 10)]]
        if shortlist:
            client.attempt("recruit.interview", shortlist)
        ranked = sorted(client.call("recruit.applicants"), key=lambda a: -self._ability(a))
        expected = 0.0
        for a in ranked:
            if expected >= want or self._ability(a) < self.constants.ability:
                break
            if client.attempt("recruit.offer", a["id"]):
                expected += self.known.pools[a["pool"]].accept

    def _ability(self, applicant: dict[str, Any]) -> float:
        """Return the expected ability: the pool's mean and the scores, weighted by inverse variances."""
        pool = self.known.pools[applicant["pool"]]
        weights = [(pool.ability, pool.ability_sd), (applicant["transcript"], pool.transcript_sd)]
        weights.append((applicant["letter"] - pool.letter_bias, pool.letter_sd))
        if applicant["interview"] is not None:
            weights.append((applicant["interview"], 0.07))
        total = math.fsum(1 / sd**2 for _, sd in weights)
        return math.fsum(value / sd**2 for value, sd in weights) / total

    def _mentor(self, client: Client, members: list[dict[str, Any]]) -> None:
        people = [m for m in members if m["role"] in ("phd", "postdoc")]
        if not people:
            return
        hours = min(self.constants.mentoring, self.constants.mentoring_total / len(people))
        if any(abs(m["mentoring_hours"] - hours) > 0.01 for m in people):
            client.attempt("students.set_mentoring", {m["id"]: hours for m in people})

    def _answer(self, client: Client) -> None:
        for event in client.call("events.pending"):
            if event["kind"] == "student_crisis":
                client.attempt("events.respond", event["id"], "support")
            elif client.attention_left() > 12 or event["kind"] == "collab_offer":
                client.attempt("events.respond", event["id"], "accept")

    # -- projects

    def _talent(self, client: Client, member: str) -> float:
        reports = client.call("students.reports", member, 8)
        if not reports:
            return 0.35
        mean = math.fsum(r["report_quality"] for r in reports) / len(reports)
        n = len(reports)
        return (mean / 0.88 * n + 0.4 * 2) / (n + 2)

    def _work(self, client: Client, members: list[dict[str, Any]]) -> None:
        c, month = self.constants, client.month
        running = [p for p in client.call("projects.list") if p["status"] == "active"]
        here = {m["id"] for m in members}
        busy: set[str] = set()
        for project in running:
            if not here & set(project["members"]):
                client.attempt("projects.kill", project["id"])
            else:
                busy |= set(project["members"])
        idle = [m["id"] for m in members if m["id"] not in busy and m["role"] != "manager"]
        left = MONTHS - month
        if idle and left > c.stop:
            talents = {m: self._talent(client, m) for m in idle}
            idle.sort(key=lambda m: -talents[m])
            runway = client.runway()
            months = 99.0 if runway is None else runway
            hottest = sorted(TOPICS, key=lambda t: -(self.hot[t] - 0.15 * self.crowd[t]))
            for team in _teams(idle, c.team):
                talent = math.fsum(talents[m] for m in team) / len(team)
                bold = left > 26 and months > c.tier3_runway and talent > c.tier3_talent and len(team) > 1
                tier = 3 if bold else 2 if left > 16 else 1
                done = client.attempt("projects.start", hottest[0], tier, team, c.least_compute)
                if done:
                    self.compute[done["project_id"]] = c.least_compute
            running = [p for p in client.call("projects.list") if p["status"] == "active"]
        self._spend(client, [p for p in running if here & set(p["members"])])

    def _money(self, client: Client, board: dict[str, Any], extra: float) -> list[float]:
        """Return the budget at the end of this month and each later one if no money is spent on compute.

        `extra` is an additional monthly salary in dollars.
        """
        pay = math.fsum(m["stipend"] for m in board["students"])
        pay += math.fsum(m["monthly_cost"] for m in board["staff"]) + extra
        awards = [(a["start_month"], a["end_month"], a["monthly"]) for a in client.call("grants.awards")]
        money, path = float(board["budget"]), []
        for month in range(client.month, MONTHS + 1):
            money -= pay
            for start, end, monthly in awards:
                if start <= month <= end:
                    money += monthly - 600
            path.append(money)
        return path

    def _lasts(self, client: Client, board: dict[str, Any], extra: float) -> int:
        """Return for how many months the budget stays above the reserve, or 99 if to the end of the run.

        `extra` is an additional monthly salary in dollars.
        """
        path = self._money(client, board, extra)
        short = [at for at, money in enumerate(path) if money < self.constants.reserve]
        return short[0] if short else 99

    def _spend(self, client: Client, running: list[dict[str, Any]]) -> None:
        """Set the projects' compute so that the money lasts for the horizon or, if nearer, to the end."""
        c = self.constants
        if not running:
            return
        board = client.call("lab.dashboard")
        path = self._money(client, board, 0)
        reserve = c.reserve * min(1.0, len(path) / 10)
        months = min(round(c.horizon), len(path))
        free = min((path[at] - reserve) / (at + 1) for at in range(months // 2, months))
        least = c.least_compute if path[min(5, len(path) - 1)] > 0 else 0.0
        each = min(max(free / len(running), least), c.most_compute)
        for p in running:
            now = p["monthly_compute"]
            if abs(each - now) > 0.2 * max(now, 1):
                client.attempt("projects.set_compute", p["id"], round(each))

    # -- papers

    def _expect(self, client: Client, draft: dict[str, Any]) -> Guess:
        """Return the estimate of a draft's quality, and make a first one for a new draft."""
        if draft["id"] not in self.guesses:
            if draft["salvage"]:
                quality, variance = 2.15, 0.15
            elif draft["collab"]:
                quality, variance = 4.8, 0.64
            else:
                talents = [self._talent(client, a) for a in draft["authors"]] or [0.3]
                talent = math.fsum(talents) / len(talents)
                quality = self.known.tiers[draft["tier"]] + 1.8 * talent + 0.9 * 0.25 + 0.35 * 1.1
                variance = 0.55 if draft["tier"] == 3 else 0.35
                quality += 0.2 if draft["tier"] == 3 else 0.0
            self.guesses[draft["id"]] = Guess(quality, variance)
        return self.guesses[draft["id"]]

    def _write(self, client: Client, board: dict[str, Any]) -> None:
        fame = STANDING[board["lab_standing"]]
        drafts = [d for d in client.call("papers.drafts") if d["status"] == "available"]
        refusals: dict[str, list[str]] = {}
        for s in client.call("papers.submissions"):
            if s["status"] == "reject":
                refusals.setdefault(s["draft"], []).append(s["venue"])
        for draft in drafts:
            guess = self._expect(client, draft)
            if draft["polish_hours"] < 12 and not draft["salvage"]:
                hours = min(12 - draft["polish_hours"], client.attention_left() - 1)
                if hours > 1 and client.attempt("papers.polish", draft["id"], hours):
                    guess.quality += 0.5 * hours / 12
            if draft["id"] in refusals and client.attempt("papers.revise", draft["id"], 10):
                guess.quality += 0.35 * 0.8 ** draft["revisions"]
            score = guess.quality + 0.35 * (self.hot[draft["topic"]] - 1) + 0.15 * (fame - 2)
            spread = math.sqrt(guess.variance + 0.25)
            refused = refusals.get(draft["id"], [])
            venue = self._choose(draft["id"], client.month, score, spread, guess.quality, refused)
            if venue is not None:
                client.attempt("papers.submit", draft["id"], venue)

    def _choose(
        self, draft: str, month: int, score: float, spread: float, quality: float, refused: list[str]
    ) -> str | None:
        """Return the venue with the highest expected worth if it takes papers this month, else `None`."""
        best, choice, when = 0.0, None, 0
        for venue in VENUES.values():
            wait = min(((d - month) % 12 for d in venue.deadlines), default=0)
            if wait > self.constants.wait and month + wait < MONTHS - 8:
                continue
            decided = month + wait + venue.delay
            out = decided
            if venue.kind == "conf":
                out = decided + min((d - decided) % 12 or 12 for d in venue.deadlines) + 1
            if out > MONTHS:
                continue
            gain = 0.12 * wait if refused else 0.0
            chance = _normal((score + gain - self.known.bars[venue.name]) / spread)
            cited = MONTHS + 36 - out
            worth = self.known.visibility[venue.name] * (cited - 3 if cited < 30 else 27 + 0.5 * (cited - 30))
            value = chance * worth
            if chance < self.constants.accept and venue.name != "W-SHOP":
                value *= 0.25
            if value > best:
                best, choice, when = value, venue.name, wait
        return choice if when == 0 else None

    # -- money

    def _ask(self, client: Client) -> None:
        """Write proposals with the hours that are left, to the calls with the largest awards first."""
        c = self.constants
        calls = client.call("grants.calls")
        if not calls or MONTHS - client.month < 8:
            return
        board = client.call("lab.dashboard")
        fame = STANDING[board["lab_standing"]]
        running = len(board["active_awards"])
        papers = client.call("papers.publications")
        drafts = [d for d in client.call("papers.drafts") if d["status"] != "accepted"]
        order = sorted(calls, key=lambda k: -k["award"])
        for at, call in enumerate(order):
            left = client.attention_left() - 1
            hours = left if at == len(order) - 1 else left if left < 60 else max(60, left - 40)
            if hours < c.proposal_least:
                return
            topic, quality = self._pitch(call["agency"], hours, papers, drafts, fame, running)
            if quality < self.known.calls[call["agency"]] - c.proposal_margin:
                continue
            evidence = [p["id"] for p in papers] + [d["id"] for d in drafts]
            client.attempt("grants.propose", call["id"], topic, math.floor(hours), evidence[:50])

    def _pitch(
        self,
        agency: str,
        hours: float,
        papers: list[dict[str, Any]],
        drafts: list[dict[str, Any]],
        fame: float,
        running: int,
    ) -> tuple[str, float]:
        """Return the topic on which a proposal has the highest expected quality, and that quality."""
        best = ("", -9.0)
        for topic in TOPICS:
            evidence = 0.0
            for paper in papers:
                worth = {"NAIC": 1.8, "JMR": 1.4, "CLAR": 1.1}.get(paper["venue"], 0.6)
                evidence += worth * (1.0 if paper["topic"] == topic else 0.25)
            for draft in drafts:
                guess = self.guesses.get(draft["id"])
                worth = 0.4 * math.exp(0.42 * ((guess.quality if guess else 4.0) - 5))
                evidence += worth * (1.0 if draft["topic"] == topic else 0.25)
            share = evidence / 6
            quality = 0.42 * (hours / 25) ** 0.7 + 0.55 * share / (1 + share)
            quality += min(0.35, 0.06 * (fame - 2)) - 0.10 * running + self.taste.get((agency, topic), 0.0)
            if agency == "AMP":
                quality += 0.35 * (0.7 * self.hot[topic] + 0.3 * 1.1 - 1)
            elif agency == "TIF":
                quality += 0.20 * (self.hot[topic] - 1)
            if quality > best[1]:
                best = (topic, quality)
        return best


def _teams(idle: list[str], size: int) -> list[list[str]]:
    """Divide members into teams of `size`; a smaller last team is joined to the team before it."""
    teams = [idle[at : at + size] for at in range(0, len(idle), size)]
    if len(teams) > 1 and len(teams[-1]) < size:
        rest = teams.pop()
        teams[-1] += rest
    return teams


def _normal(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))
