"""Site: write the pages of the report, except those of episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.build import links
from assay.build.job import Job
from assay.report import agent_page, front_page, leaderboard, page, suite_page, validity_page
from assay.report.exports.crate import crate
from assay.report.exports.croissant import croissant
from assay.report.exports.texts import copy_table
from assay.report.pages import dictionary, history
from assay.report.results import Results
from assay.stages.leaderboard import ledger_of


def run(job: Job) -> None:
    """Write every page of the site except those of episodes, and style sheets, scripts and metadata."""
    results = Results.of(job)
    shown = list(results.suites)
    pages: dict[str, tuple[str, Callable[[], Mapping[str, Any]]]] = {
        links.INDEX: ("index.html", lambda: front_page.values(results)),
        links.HISTORY: ("history.html", lambda: history.values(ledger_of(job))),
        links.DICTIONARY: ("data.html", lambda: dictionary.values(results)),
        links.VALIDITY: ("validity.html", lambda: validity_page.values(results)),
        links.LEADERBOARD: ("leaderboard.html", lambda: leaderboard.values(results)),
    }
    for agent in results.agents:
        pages[links.agent_page(agent)] = (
            "agent.html",
            lambda agent=agent: agent_page.values(results, agent),  # type: ignore[misc]
        )
    for name, suite in results.suites.items():
        pages[links.suite_page(name)] = (
            "suite.html",
            lambda suite=suite: suite_page.values(results, suite),  # type: ignore[misc]
        )
        job.output(links.croissant(name)).write_text(croissant(suite), encoding="utf-8")
    for done, (here, (template, values)) in enumerate(pages.items()):
        html = page.render(template, here, suites_shown=shown, **values())
        job.output(here).write_text(html, encoding="utf-8")
        job.progress(done + 1, len(pages))
    standings = links.table_data("", links.STANDINGS)
    copy_table(job.input("leaderboard"), {form: job.output(path) for form, path in standings.items()})
    for asset in links.ASSETS:
        job.output(asset).write_bytes((page.FOLDER.parent / asset).read_bytes())
    job.output(links.WORKFLOW).write_bytes(job.input("snakefile").read_bytes())
    job.output(links.CRATE).write_text(crate(results), encoding="utf-8")
