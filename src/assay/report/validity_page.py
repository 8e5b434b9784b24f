"""The page that says what scores show: the card of every set, and what each shortcut exploits."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.leaderboard import digits
from assay.report.results import Results, SuiteResults
from assay.tables.schemas.validity import ABILITIES


def values(results: Results) -> dict[str, Any]:
    """The values of the template `validity.html`."""
    suites = [_suite(suite) for suite in results.suites.values()]
    cards = [card for suite in suites for card in suite["cards"]]
    return {
        "title": "What a score here means",
        "suites": suites,
        "abilities": ABILITIES,
        "gameable": sum(card["gameable"] for card in cards),
        "unmeasured": sum(not card["measured"] for card in cards),
        "total": len(cards),
    }


def _flags(suite: SuiteResults) -> list[dict[str, Any]]:
    """Each flag of the audit as a detector: counts by family of agents of known conduct.

    A flag that no agent of any family was due to raise is shown as never tested.
    """
    rows = []
    for flag, spec in suite.flags.items():
        if spec.kind == "statement":
            continue
        families = suite.detection.get(flag, [])
        rows.append(
            {
                "flag": flag,
                "doc": spec.doc,
                "tested": any(row["due"] for row in families),
                "families": [
                    {
                        "family": row["family"],
                        "hits": (row["hits"], row["due"]) if row["due"] else None,
                        "quiet": (row["not_due"] - row["false"], row["not_due"]) if row["not_due"] else None,
                    }
                    for row in families
                ],
            }
        )
    return rows


def _suite(suite: SuiteResults) -> dict[str, Any]:
    return {
        "name": suite.name,
        "page": links.suite_page(suite.name),
        "unit": next(metric.unit for metric in suite.metrics.values() if metric.headline),
        "figure": links.figure(suite.name, links.CARD),
        "alt": suite.card_in_words,
        "figure_files": links.figure_data(suite.name, links.CARD),
        "files": links.table_data(suite.name, "validity"),
        "cards": [
            {
                **suite.cards[name],
                "digits": digits(suite, name),
                "measured": None not in (suite.cards[name]["shortcut"], suite.cards[name]["chance"]),
                "able": [suite.cards[name][f"able_{share}"] for share in ABILITIES],
            }
            for name in suite.sets
            if name in suite.cards
        ],
        "shortcuts": suite.shortcuts,
        "flags": _flags(suite),
        "labelled": links.labelled(suite.name) if suite.config["conducts"] else None,
    }
