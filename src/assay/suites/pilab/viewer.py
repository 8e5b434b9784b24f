"""The page of an episode: the lab's money, people, papers and citations by month, and its decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Cell, Figure, Mark, Text, facts, section, table
from assay.report.drawing import Line, bar, lines, number
from assay.suites.pilab.measures.axes import NEXT_MONTH
from assay.task import Task

CHARTS = (
    ("money in $", (("budget", "budget"),)),
    ("people and projects", (("researchers", "researchers"), ("staff", "staff"), ("projects", "projects"))),
    ("papers", (("publications", "papers out"),)),
    ("citations", (("citations", "citations"),)),
    ("standing", (("reputation", "reputation"),)),
    ("attention in hours", (("attention_used", "used"), ("attention_pool", "there"))),
)
"""The title of each chart, and the columns of the monthly rows that it shows, with their names."""

BEST = 8
"""Largest number of papers that a page lists."""


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """Make the page of one episode.

    Args:
        task: the task that was played.
        episode: its log, with the record of the run as its submission.
        scores: not used.
        flags: not used.
        materials: not used.

    Yields:
        Blocks with the lab by month, the decisions in each month, and the results.
    """
    record: Any = episode.submission
    if not isinstance(record, dict):
        yield Text("No run of the lab is recorded.", "faint")
        return
    summary = record["summary"]
    ended = summary["collapse_month"]
    yield facts(
        [
            ("IMPACT", number(summary["impact"])),
            ("citations", f"{number(summary['citations'])}, projected {number(summary['projected'])} more"),
            ("months", f"{summary['months_played']} played of {task.public['months']}"),
            ("money ran out in", f"month {ended}" if ended is not None else ""),
            ("h index", number(summary["h_index"])),
            ("grants won", f"{summary['grants_won']}, $ {number(summary['grant_dollars'])}"),
            ("boom", f"{task.strata.get('boom', '')}, {task.strata.get('onset', '')}"),
        ]
    )
    marks = [(ended, f"month {ended}: the money ran out")] if ended is not None else []
    months = record["months"]
    if months:
        drawn = tuple(
            lines(
                [Line(name, tuple(float(row[key]) for row in months)) for key, name in columns],
                title,
                first=months[0]["month"],
                along="month",
                marks=marks,
                steps=True,
            )
            for title, columns in CHARTS
        )
        last = " The vertical line: the money ran out." if marks else ""
        yield section("The lab by month", Figure(drawn, f"{'; '.join(title for title, _ in CHARTS)}.{last}"))
    yield section("What was decided in each month", _decisions(record, episode))
    yield section("What came of it", *_outcomes(record))
    yield section("People", _people(record), folded=True)


def _decisions(record: Mapping[str, Any], episode: Episode) -> Block:
    """Return a table by month of the decisions with their counts, and of the counts of calls and refusals."""
    decided: dict[int, Counter[str]] = {}
    for month, name in record["actions"]:
        if name != NEXT_MONTH:
            decided.setdefault(month, Counter())[name] += 1
    asked, refused = _calls(episode)
    rows: list[list[Cell]] = []
    for month in range(1, record["summary"]["months_survived"] + 1):
        cells: list[Cell] = [str(month), _named(decided.get(month, Counter()))]
        if episode.events:
            refusals = refused[month]
            cells += [str(asked[month] or ""), Mark(str(refusals), "bad") if refusals else ""]
        rows.append(cells)
    heads = ["month", "decisions", *(["calls of the lab", "refused"] if episode.events else [])]
    return table(heads, rows)


def _named(decisions: Mapping[str, int]) -> str:
    """Return decisions by the part of the lab that they concern: `grants: propose × 2; recruit: offer`."""
    parts: dict[str, list[str]] = {}
    for name, n in sorted(decisions.items()):
        part, _, what = name.partition(".")
        parts.setdefault(part, []).append(f"{what.replace('_', ' ')}{f' × {n}' if n > 1 else ''}")
    return "; ".join(f"{part}: {', '.join(what)}" for part, what in parts.items())


def _calls(episode: Episode) -> tuple[Counter[int], Counter[int]]:
    """Return the numbers of calls of the lab and of refusals, by month."""
    asked: Counter[int] = Counter()
    refused: Counter[int] = Counter()
    month = 1
    for event in episode.events:
        if event.tool == "next_month":
            month += event.ok
        elif event.kind == "code":
            asked[month] += 1
            refused[month] += not event.ok
    return asked, refused


def _outcomes(record: Mapping[str, Any]) -> Iterator[Block]:
    papers = sorted(record["papers"], key=lambda p: (-p["citations"], p["id"]))
    most = max((p["citations"] for p in papers), default=0) or 1
    if papers:
        rows = [
            (
                p["id"],
                p["topic"].replace("_", " "),
                p["venue"],
                str(p["published"]),
                number(p["citations"]),
                bar(p["citations"] / most, f"{p['citations']} citations"),
            )
            for p in papers[:BEST]
        ]
        left = f"The most cited {BEST} of {len(papers)} papers." if len(papers) > BEST else ""
        yield table(("paper", "topic", "venue", "month", "citations", ""), rows, left)
    else:
        yield Text("No paper came out.", "faint")
    ended = Counter(p["status"] for p in record["projects"])
    asked = Counter((p["status"], p["agency"]) for p in record["proposals"])
    proposals = ", ".join(f"{agency}: {n} {status}" for (status, agency), n in sorted(asked.items()))
    projects = ", ".join(f"{n} {status}" for status, n in sorted(ended.items()))
    yield facts([("projects", projects), ("proposals", proposals)])


def _people(record: Mapping[str, Any]) -> Block:
    rows = [
        (
            m["id"],
            str(m["role"]),
            number(m["ability"], 2),
            str(m["arrived"]),
            "–" if m["left"] is None else str(m["left"]),
            str(m["status"]),
            str(m["papers"]),
        )
        for m in record["people"]
    ]
    return table(("", "role", "hidden ability", "from month", "to", "status", "papers"), rows)
