"""What a run was like, from its record: the axes of the paper's section on capabilities, and its census.

Where the published scripts and the text of the paper define an axis differently, both are here: the share of
mentoring with `mentoring_share` (scripts) and `mentoring_excess` (text, over what chance would give).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

Archetype = Literal["bankrupt", "never-built", "boom-rider", "overbuilt-churn", "steady-modest"]
ARCHETYPES: tuple[Archetype, ...] = (
    "boom-rider",
    "steady-modest",
    "overbuilt-churn",
    "never-built",
    "bankrupt",
)
"""In the order of the paper's Table 2."""

BOOM_RIDER = 800.0
NEXT_MONTH = "time.next_month"

SAFE_RUNWAY, IDLE_HANDS = 18.0, 2
"""A lab that can afford a risk: so many months of money, so many researchers without a project."""

CEILING = 0.98
"""The share of the pool from which on a month's attention counts as used up."""

Record = Mapping[str, Any]


def hires(record: Record) -> int:
    """Everybody who ever joined the lab."""
    return len(record["people"])


def archetype(record: Record) -> Archetype:
    """The first of the census' descriptions that fits."""
    summary = record["summary"]
    return census(summary["collapsed"], hires(record), summary["publications"], summary["impact"])


def census(collapsed: bool, hired: int, papers: int, impact: float) -> Archetype:
    """The same from its four numbers."""
    if collapsed:
        return "bankrupt"
    if hired <= 2 or papers <= 2:
        return "never-built"
    if impact >= BOOM_RIDER:
        return "boom-rider"
    return "overbuilt-churn" if hired >= 8 else "steady-modest"


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return math.fsum(found) / len(found) if found else None


def actions_per_month(record: Record) -> float | None:
    """Decisions a month, the ends of months not counted."""
    actions = sum(name != NEXT_MONTH for _, name in record["actions"])
    return _share(actions, record["summary"]["months_survived"])


def conversion(record: Record) -> float | None:
    """Papers a year and researcher."""
    months = sum(row["researchers"] for row in record["months"])
    return _share(12 * record["summary"]["publications"], months)


def interview_coverage(record: Record) -> float | None:
    """Share of offers to applicants who were interviewed before."""
    offers = record["interviewed_offers"]
    return _share(sum(offers), len(offers))


def hit_rate(record: Record) -> float | None:
    """Awards by proposals."""
    return _share(record["summary"]["grants_won"], len(record["proposals"]))


def dollars_per_proposal(record: Record) -> float | None:
    """Money won, paid or not, by proposals."""
    return _share(record["summary"]["grant_dollars"], len(record["proposals"]))


def topic_rank(record: Record) -> float | None:
    """Mean rank of a project's topic by hotness when it began, 1 for the hottest."""
    return _mean(project["topic_rank"] for project in record["projects"])


def concentration(record: Record) -> float | None:
    """Herfindahl index of projects over topics."""
    topics = [project["topic"] for project in record["projects"]]
    if not topics:
        return None
    return math.fsum((topics.count(topic) / len(topics)) ** 2 for topic in sorted(set(topics)))


def _returns(record: Record) -> Iterable[tuple[float, float]]:
    """For months with two researchers and mentoring: its share for those of high return, and chance's."""
    for _, rows in record["mentoring"]:
        total = math.fsum(hours for hours, *_ in rows)
        if len(rows) < 2 or total <= 0:
            continue
        gains = [growth * ability * (1 - own) for _, ability, growth, own, _ in rows]
        median = sorted(gains)[len(gains) // 2]
        high = [row[0] for row, gain in zip(rows, gains, strict=True) if gain >= median]
        yield math.fsum(high) / total, len(high) / len(rows)


def mentoring_share(record: Record) -> float | None:
    """Share of mentoring that goes to the half of researchers with the highest return."""
    return _mean(share for share, _ in _returns(record))


def mentoring_excess(record: Record) -> float | None:
    """The same less the share of chance."""
    return _mean(share - chance for share, chance in _returns(record))


def risk_calibration(record: Record) -> float | None:
    """Mean tier of projects begun when the lab could afford it, less that of the others."""
    safe: list[float] = []
    other: list[float] = []
    for project in record["projects"]:
        runway = project["runway_at_start"]
        rich = runway is not None and runway > SAFE_RUNWAY and project["idle_at_start"] >= IDLE_HANDS
        (safe if rich else other).append(project["tier"])
    first, second = _mean(safe), _mean(other)
    return None if first is None or second is None else first - second


def anticipation(record: Record) -> float | None:
    """How much hotter than at its beginning a project's topic is over the next 12 months."""
    return _mean(project["future_hot"] - project["hot_at_start"] for project in record["projects"])


def attrition(record: Record) -> float | None:
    """Share of PhD students who quit."""
    students = [person for person in record["people"] if person["role"] == "phd"]
    return _share(sum(person["status"] == "quit" for person in students), len(students))


def hired_ability(record: Record) -> float | None:
    """Mean hidden ability of researchers."""
    return _mean(p["ability"] for p in record["people"] if p["role"] in ("phd", "postdoc"))


def utilization(record: Record) -> float | None:
    """Mean share of each month's attention that was used."""
    return _mean(row["attention_used"] / row["attention_pool"] for row in record["months"])


def at_the_ceiling(record: Record) -> float | None:
    """Share of months in which the attention was used up."""
    return _mean(row["attention_used"] >= CEILING * row["attention_pool"] for row in record["months"])


def boom_captured(record: Record) -> float | None:
    """The hottest that the topic of one of the papers was, from its publication on."""
    return max((paper["boom"] for paper in record["papers"]), default=None)


def top_share(record: Record) -> float | None:
    """The most cited paper's part of all citations."""
    counts = [paper["citations"] for paper in record["papers"]]
    return _share(max(counts, default=0), sum(counts))


def projection_share(record: Record) -> float | None:
    """The part of IMPACT that is projected."""
    summary = record["summary"]
    return _share(summary["projected"], summary["impact"])


def dead_ends(record: Record) -> float:
    """Projects that turned out to be impossible."""
    return float(sum(project["status"] == "deadend" for project in record["projects"]))


def entry(record: Record, topic: str) -> int | None:
    """The month of the first project in a topic."""
    return min((p["started"] for p in record["projects"] if p["topic"] == topic), default=None)


def citations_at(record: Record, month: int) -> int:
    """Citations up to a month; a collapsed run keeps its last number."""
    counts = [row["citations"] for row in record["months"] if row["month"] <= month]
    return int(counts[-1]) if counts else 0


AXES: Mapping[str, Callable[[Record], float | None]] = {
    "actions_per_month": actions_per_month,
    "conversion": conversion,
    "interview_coverage": interview_coverage,
    "hit_rate": hit_rate,
    "dollars_per_proposal": dollars_per_proposal,
    "topic_rank": topic_rank,
    "concentration": concentration,
    "mentoring_share": mentoring_share,
    "mentoring_excess": mentoring_excess,
    "risk_calibration": risk_calibration,
    "anticipation": anticipation,
    "attrition": attrition,
    "hired_ability": hired_ability,
    "utilization": utilization,
    "at_the_ceiling": at_the_ceiling,
    "boom_captured": boom_captured,
    "top_share": top_share,
    "projection_share": projection_share,
    "dead_ends": dead_ends,
}

# ------------------------------------------------------------ over several runs


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties share their mean rank."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for at in order[start : end + 1]:
            found[at] = (start + end) / 2 + 1
        start = end + 1
    return found


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation; null where one side does not vary or there are fewer than 3 pairs."""
    if len(first) < 3:
        return None
    a, b = ranks(first), ranks(second)
    centre = (len(a) + 1) / 2
    across = math.fsum((x - centre) * (y - centre) for x, y in zip(a, b, strict=True))
    spread = math.fsum((x - centre) ** 2 for x in a) * math.fsum((y - centre) ** 2 for y in b)
    return across / math.sqrt(spread) if spread > 0 else None


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile by linear interpolation."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def variance_shares(rows: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Shares of agent (rows), seed (columns) and rest in the sum of squares of a complete table."""
    count, width = len(rows), len(rows[0])
    grand = math.fsum(value for row in rows for value in row) / (count * width)
    by_row = [math.fsum(row) / width for row in rows]
    by_column = [math.fsum(row[j] for row in rows) / count for j in range(width)]
    agent = width * math.fsum((mean - grand) ** 2 for mean in by_row)
    seed = count * math.fsum((mean - grand) ** 2 for mean in by_column)
    rest = math.fsum(
        (rows[i][j] - by_row[i] - by_column[j] + grand) ** 2 for i in range(count) for j in range(width)
    )
    whole = agent + seed + rest
    return (agent / whole, seed / whole, rest / whole) if whole > 0 else (0.0, 0.0, 0.0)
