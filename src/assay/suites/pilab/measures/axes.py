"""Measures of a run from its record: the axes of the paper's section on capabilities, and its census.

The published scripts and the text of the paper define one axis differently, and both definitions are here:
`mentoring_share` follows the scripts, and `mentoring_excess` the text, which subtracts the share of chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from assay.numbers.portable import exp, log
from assay.protocol import Metric

Archetype = Literal["boom-rider", "steady-modest", "overbuilt-churn", "never-built", "bankrupt"]
ARCHETYPES: tuple[Archetype, ...] = get_args(Archetype)
"""The kinds of runs, in the order of the paper's Table 2."""

BOOM_RIDER = 800.0
NEXT_MONTH = "time.next_month"

SAFE_RUNWAY, IDLE_HANDS = 18.0, 2
"""A lab can afford a risk if its runway in months is longer than the first, and at least the second number of
researchers are without a project.
"""

CEILING = 0.98
"""The share of the pool at and above which a month's attention counts as used up."""

Record = Mapping[str, Any]
Axis = Callable[[Record], float | None]
Direction = Literal["higher", "lower", "neither"]

AXES: dict[str, Axis] = {}
"""The axes by name, in the order of definition; an axis is `None` for a run to which it does not apply."""

METRICS: dict[str, Metric] = {}
"""The metric of each axis."""


def hires(record: Record) -> int:
    """Return the number of people who ever joined the lab."""
    return len(record["people"])


def archetype(record: Record) -> Archetype:
    """Return the kind of a run in the census."""
    summary = record["summary"]
    return census(summary["collapsed"], hires(record), summary["publications"], summary["impact"])


def census(collapsed: bool, hired: int, papers: int, impact: float) -> Archetype:
    """Return the kind of a run in the census from the four values that decide it."""
    if collapsed:
        return "bankrupt"
    if hired <= 2 or papers <= 2:
        return "never-built"
    if impact >= BOOM_RIDER:
        return "boom-rider"
    return "overbuilt-churn" if hired >= 8 else "steady-modest"


def axis(
    doc: str,
    unit: str = "",
    low: float | None = 0,
    high: float | None = None,
    direction: Direction = "higher",
) -> Callable[[Axis], Axis]:
    """Register a function of a record as an axis of conduct, and as a metric of the same name.

    Args:
        doc: description of the metric, as pages show it.
        unit: unit of the metric.
        low: the least possible value; `None` if there is no bound.
        high: the largest possible value; `None` if there is no bound.
        direction: whether higher or lower values are better.
    """

    def register(compute: Axis) -> Axis:
        AXES[compute.__name__] = compute
        METRICS[compute.__name__] = Metric(doc, unit, low, high, direction)
        return compute

    return register


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return math.fsum(kept) / len(kept) if kept else None


@axis("decisions a month", "actions", 0, None, "neither")
def actions_per_month(record: Record) -> float | None:
    """Return the number of decisions per month, not counting the ends of months."""
    actions = sum(name != NEXT_MONTH for _, name in record["actions"])
    return _share(actions, record["summary"]["months_survived"])


@axis("papers a year and researcher", "papers")
def conversion(record: Record) -> float | None:
    months = sum(row["researchers"] for row in record["months"])
    return _share(12 * record["summary"]["publications"], months)


@axis("share of offers after an interview", "", 0, 1, "neither")
def interview_coverage(record: Record) -> float | None:
    offers = record["interviewed_offers"]
    return _share(sum(offers), len(offers))


@axis("awards by proposals", "", 0, 1)
def hit_rate(record: Record) -> float | None:
    return _share(record["summary"]["grants_won"], len(record["proposals"]))


@axis("money won by proposals", "$")
def dollars_per_proposal(record: Record) -> float | None:
    """Return the dollars of all awards, paid out or not, per proposal."""
    return _share(record["summary"]["grant_dollars"], len(record["proposals"]))


@axis("mean rank of topics by hotness when projects begin", "", 1, 8, "lower")
def topic_rank(record: Record) -> float | None:
    """Return the mean rank of a project's topic by hotness when it began, 1 for the hottest."""
    return _mean(project["topic_rank"] for project in record["projects"])


@axis("Herfindahl index of projects over topics", "", 0, 1, "neither")
def concentration(record: Record) -> float | None:
    topics = [project["topic"] for project in record["projects"]]
    if not topics:
        return None
    return math.fsum((topics.count(topic) / len(topics)) ** 2 for topic in sorted(set(topics)))


def _returns(record: Record) -> Iterable[tuple[float, float]]:
    """Yield two shares for each month with at least two researchers and some mentoring.

    The first is the share of mentoring that goes to researchers of high return, and the second is the share
    of such researchers, which mentoring by chance would give. The return of a researcher is high if it is at
    least the (upper) median.
    """
    for _, rows in record["mentoring"]:
        total = math.fsum(hours for hours, *_ in rows)
        if len(rows) < 2 or total <= 0:
            continue
        gains = [growth * ability * (1 - independence) for _, ability, growth, independence, _ in rows]
        median = sorted(gains)[len(gains) // 2]
        high = [row[0] for row, gain in zip(rows, gains, strict=True) if gain >= median]
        yield math.fsum(high) / total, len(high) / len(rows)


@axis("share of mentoring for researchers of high return", "", 0, 1)
def mentoring_share(record: Record) -> float | None:
    """Return the mean share of mentoring that goes to the half of researchers with the highest return."""
    return _mean(share for share, _ in _returns(record))


@axis("the same less the share of chance", "", -1, 1)
def mentoring_excess(record: Record) -> float | None:
    return _mean(share - chance for share, chance in _returns(record))


@axis("tier of projects the lab can afford, less others'", "tiers", -2, 2)
def risk_calibration(record: Record) -> float | None:
    safe: list[float] = []
    other: list[float] = []
    for project in record["projects"]:
        runway = project["runway_at_start"]
        rich = runway is not None and runway > SAFE_RUNWAY and project["idle_at_start"] >= IDLE_HANDS
        (safe if rich else other).append(project["tier"])
    first, second = _mean(safe), _mean(other)
    return None if first is None or second is None else first - second


@axis("rise of hotness in the year after a project began", "", -6, 6)
def anticipation(record: Record) -> float | None:
    """Return by how much hotter than at the start a project's topic is on average over the next 12 months."""
    return _mean(project["future_hot"] - project["hot_at_start"] for project in record["projects"])


@axis("share of PhD students who quit", "", 0, 1, "lower")
def attrition(record: Record) -> float | None:
    students = [person for person in record["people"] if person["role"] == "phd"]
    return _share(sum(person["status"] == "quit" for person in students), len(students))


@axis("mean hidden ability of researchers", "", 0, 1)
def hired_ability(record: Record) -> float | None:
    return _mean(p["ability"] for p in record["people"] if p["role"] in ("phd", "postdoc"))


@axis("mean share of attention that was used", "", 0, None, "neither")
def utilization(record: Record) -> float | None:
    return _mean(row["attention_used"] / row["attention_pool"] for row in record["months"])


@axis("share of months with all attention used", "", 0, 1, "neither")
def at_the_ceiling(record: Record) -> float | None:
    return _mean(row["attention_used"] >= CEILING * row["attention_pool"] for row in record["months"])


@axis("highest hotness of a paper's topic since it came out", "", 0, 6)
def boom_captured(record: Record) -> float | None:
    """Return the highest hotness that the topic of any paper reached from the paper's publication on."""
    return max((paper["boom"] for paper in record["papers"]), default=None)


@axis("the most cited paper's part of citations", "", 0, 1, "neither")
def top_share(record: Record) -> float | None:
    counts = [paper["citations"] for paper in record["papers"]]
    return _share(max(counts, default=0), sum(counts))


@axis("the part of IMPACT that is projected", "", 0, 1, "neither")
def projection_share(record: Record) -> float | None:
    summary = record["summary"]
    return _share(summary["projected"], summary["impact"])


@axis("projects that turned out to be impossible", "projects", 0, None, "lower")
def dead_ends(record: Record) -> float:
    return float(sum(project["status"] == "deadend" for project in record["projects"]))


def entry(record: Record, topic: str) -> int | None:
    """Return the month in which the first project in a topic began, or `None` if there was none."""
    return min((p["started"] for p in record["projects"] if p["topic"] == topic), default=None)


def citations_at(record: Record, month: int) -> int:
    """Return the number of citations up to a month; after a collapse it keeps its last value."""
    counts = [row["citations"] for row in record["months"] if row["month"] <= month]
    return int(counts[-1]) if counts else 0


# ------------------------------------------------------------ over several runs


def ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks of values from 1; equal values share their mean rank.

    >>> ranks([3.0, 1.0, 3.0])
    [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(np.array(values), return_inverse=True, return_counts=True)
    shared: list[float] = (np.cumsum(counts) - (counts - 1) / 2)[place].tolist()
    return shared


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; `None` for fewer than 3 pairs or if one side does not vary."""
    if len(first) < 3:
        return None
    a, b = ranks(first), ranks(second)
    centre = (len(a) + 1) / 2
    across = math.fsum((x - centre) * (y - centre) for x, y in zip(a, b, strict=True))
    spread = math.fsum((x - centre) ** 2 for x in a) * math.fsum((y - centre) ** 2 for y in b)
    return across / math.sqrt(spread) if spread > 0 else None


def spearman_interval(correlation: float | None, n: int) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a rank correlation of `n` pairs; `None` where there is none.

    Fisher's transformation with the standard error of Bonett and Wright (Psychometrika 65, 2000), which holds
    for correlations that are not near 1.

    >>> [round(end, 3) for end in spearman_interval(0.5, 12)]
    [-0.143, 0.846]
    """
    if correlation is None or n < 4 or abs(correlation) >= 1:
        return None, None
    centre = log((1 + correlation) / (1 - correlation)) / 2
    half = 1.959964 * math.sqrt((1 + correlation**2 / 2) / (n - 3))
    low, high = (exp(2 * (centre + side)) for side in (-half, half))
    return (low - 1) / (low + 1), (high - 1) / (high + 1)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile at `share`, from 0 to 1, by linear interpolation."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def variance_shares(rows: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return the shares of agents (rows), seeds (columns) and residuals in a table's sum of squares.

    The table must be complete. All shares are 0 if its values are all equal.
    """
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
