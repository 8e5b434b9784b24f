"""The report as Markdown and as a page: the same content, whose numbers link to their score rows."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Cell: TypeAlias = "str | tuple[str, Sequence[int]]"
"""A text, or a text and the numbers of the score rows that it is made of."""


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs, and a table where there is one."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()


def sections(report: Mapping[str, Any], summary: Mapping[str, Any] | None) -> list[Section]:
    """The report in sections."""
    subset, cost = report["subset"], report["cost"]
    settings = report["settings"]
    told = [f"{name}: {value}" for name, value in settings.items() if value not in (None, "", [], {})]
    found = [Section("Settings", tuple(told)), Section("Subset", (subset["rationale"] + ".",))]
    if summary and summary["text"]:
        found.append(
            Section(
                "Summary by a language model",
                (
                    f"Written by {summary['model']}; its numbers were checked against this report.",
                    summary["text"],
                ),
            )
        )
    if report["privileged"]:
        found.append(Section("Privileged", ("The answers come from an agent that was told the truth.",)))
    found.append(
        Section(
            "Metrics",
            ("Intervals: 95 %, bootstrap over items. A missing value makes its mean empty.",),
            ("family", "metric", "kind", "aggregate", "n", "missing", "value", "interval"),
            tuple(
                (
                    row["family"],
                    row["metric"],
                    row["kind"],
                    row["aggregate"],
                    str(row["n"]),
                    str(row["missing"]),
                    (number(row["value"]), row["rows"]),
                    _interval(row),
                )
                for row in report["metrics"]
            ),
        )
    )
    if report["tests"]:
        found.append(
            Section(
                "Tests of your metrics",
                ("Each is within its scale and the same twice, or the run would have stopped.",),
                ("metric", "items", "right - empty", "right not worse"),
                tuple(
                    (
                        test["metric"],
                        str(test["items"]),
                        number(test["right_minus_empty"]),
                        {True: "yes", False: "no", None: "-"}[test["right_not_worse"]],
                    )
                    for test in report["tests"]
                ),
            )
        )
    found.append(
        Section(
            "Groups",
            (),
            ("family", "metric", "by", "group", "n", "value", "interval"),
            tuple(
                (
                    row["family"],
                    row["metric"],
                    row["by"],
                    row["group"],
                    str(row["n"]),
                    (number(row["value"]), row["rows"]),
                    _interval(row),
                )
                for row in report["groups"]
            ),
        )
    )
    found.append(
        Section(
            "Failures",
            () if report["failures"] else ("None: every item has full marks.",),
            ("kind", "what", "items") if report["failures"] else (),
            tuple((row["kind"], row["what"], (str(row["items"]), row["rows"])) for row in report["failures"]),
        )
    )
    found += [
        Section(
            f"Worst: {item['item']}",
            (
                f"score {number(item['value'])}, status {item['status']}, {item['label'] or 'no label'}",
                *item["calls"],
                f"the reply ends: {item['reply']}" if item["reply"] else "no reply",
            ),
        )
        for item in report["worst"]
    ]
    found.append(
        Section(
            "Tools",
            (
                "Published shares are of other agents on other items. There the slowest model waited "
                f"{report['published_spread_of_waiting']} times as long for visit_webpage as the fastest.",
            ),
            ("tool", "calls", "share", "published share"),
            tuple(
                (row["tool"], str(row["calls"]), percent(row["share"]), percent(row["published_share"]))
                for row in report["tools"]
            ),
        )
    )
    told = [f"{name}: {'not counted' if value is None else value}" for name, value in cost.items()]
    return [*found, Section("Cost", tuple(told))]


def number(value: float | None) -> str:
    """A value for reading; a dash where there is none."""
    return "-" if value is None else f"{value:.4g}"


def percent(value: float | None) -> str:
    """A share for reading."""
    return "-" if value is None else f"{100 * value:.2f} %"


def _interval(row: Mapping[str, Any]) -> str:
    return "-" if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}"


def markdown(title: str, found: Sequence[Section]) -> str:
    """The sections as Markdown; a number is followed by its rows."""
    lines = [f"# {title}", ""]
    for section in found:
        lines += [f"## {_escaped(section.heading)}", ""]
        for paragraph in section.paragraphs:
            lines += [_escaped(paragraph), ""]
        if section.columns:
            lines += [f"| {' | '.join(section.columns)} |", "|" + "---|" * len(section.columns)]
            lines += ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in section.rows]
            lines.append("")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """One line of text that Markdown leaves as it is."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|" else sign for sign in flat)


def _markdown_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return _escaped(cell)
    text, rows = cell
    return f"{_escaped(text)} (rows {spans(rows)})"


def spans(rows: Sequence[int]) -> str:
    """Numbers as spans: 0-3, 7."""
    found: list[list[int]] = []
    for row in sorted(rows):
        if found and row == found[-1][1] + 1:
            found[-1][1] = row
        else:
            found.append([row, row])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#262626}
table{border-collapse:collapse;margin:.5rem 0 1rem;display:block;overflow-x:auto}
th,td{border-bottom:1px solid #ddd;padding:.25rem .6rem;text-align:left;vertical-align:top}
th{background:#f3f3f3}
tr:target{background:#fff3c4}
a{color:#0072b2}
p{overflow-wrap:anywhere}
"""


def page(title: str, found: Sequence[Section], rows: Sequence[Mapping[str, Any]]) -> str:
    """One page without scripts or anything from outside; a number links to its rows at the end."""
    body = [f"<h1>{html.escape(title)}</h1>"]
    for section in found:
        body.append(f"<h2>{html.escape(section.heading)}</h2>")
        body += [f"<p>{html.escape(paragraph)}</p>" for paragraph in section.paragraphs]
        if section.columns:
            body.append(_table(section.columns, [[_page_cell(cell) for cell in row] for row in section.rows]))
    body.append("<h2>Score rows</h2>")
    columns = ("task_set", "task_id", "metric", "value", "status", "rationale", "error")
    body.append(
        _table(
            ("row", *columns),
            [
                [str(at), *(html.escape("" if row[c] is None else str(row[c])) for c in columns)]
                for at, row in enumerate(rows)
            ],
            "r",
        )
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], name: str = "") -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    lines = [
        (f'<tr id="{name}{at}">' if name else "<tr>") + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
        for at, row in enumerate(rows)
    ]
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"


def _page_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return html.escape(cell)
    text, rows = cell
    first = min(rows) if rows else 0
    return f'<a href="#r{first}" title="rows {spans(rows)}">{html.escape(text)}</a>'
