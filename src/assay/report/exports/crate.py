"""Describes the files of the site, and the workflow that made them, as an RO-Crate.

The crate follows RO-Crate 1.1 and the profiles in `PROFILES`. It leaves out everything that differs between
runs, such as their times, so that equal builds have equal crates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assay import __version__
from assay.build import links
from assay.report.results import Results

CONTEXT = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
RELEASED = "2026-11-22"
"""The date of publication that RO-Crate requires. It is fixed, because the date of a run would differ."""

FORMATS = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/ld+json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
}


def crate(results: Results) -> str:
    """The JSON-LD text of the crate, whose root is the folder of the site."""
    files = list(_files(results))
    parts = [{"@id": entity["@id"]} for entity in files]
    made = [{"@id": entity["@id"]} for entity in files if entity["@id"] != links.WORKFLOW]
    snakefile = links.WORKFLOW
    suites = ", ".join(results.suites)
    graph: list[dict[str, Any]] = [
        {
            "@id": links.CRATE,
            "@type": "CreativeWork",
            "conformsTo": [
                {"@id": "https://w3id.org/ro/crate/1.1"},
                {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.0"},
            ],
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"Assay: results for {suites}",
            "description": "Scores, audits, figures and episodes of agents in benchmarks for AI scientists, "
            "as a site to read and as tables.",
            "datePublished": RELEASED,
            "license": {"@id": LICENCE},
            "conformsTo": [{"@id": profile} for profile in PROFILES],
            "hasPart": parts,
            "mainEntity": {"@id": snakefile},
            "mentions": [{"@id": "#run"}],
        },
        {
            "@id": snakefile,
            "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            "name": "Assay: from the tasks of a benchmark to verified tables and figures",
            "programmingLanguage": {"@id": SNAKEMAKE},
            "version": __version__,
            "license": {"@id": LICENCE},
            "creator": {"@id": "#developers"},
            "encodingFormat": "text/plain",
        },
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": f"A build of {suites}",
            "instrument": {"@id": snakefile},
            "agent": {"@id": "#developers"},
            "object": [{"@id": snakefile}],
            "result": made,
            "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        },
        {
            "@id": SNAKEMAKE,
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "identifier": {"@id": "https://snakemake.github.io"},
            "url": {"@id": "https://snakemake.github.io"},
        },
        {"@id": "#developers", "@type": "Organization", "name": "The Assay developers"},
        {
            "@id": LICENCE,
            "@type": "CreativeWork",
            "name": "Apache License 2.0",
            "url": "https://www.apache.org/licenses/LICENSE-2.0",
        },
        *(
            {"@id": profile, "@type": "CreativeWork", "name": name, "version": profile.rsplit("/", 1)[1]}
            for profile, name in PROFILES.items()
        ),
        *(entity for entity in files if entity["@id"] != snakefile),
    ]
    return json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"


def _files(results: Results) -> Iterator[dict[str, Any]]:
    """The workflow, all pages except those of episodes, the figures, and the tables."""
    yield _file(links.WORKFLOW, "The workflow", "text/plain")
    yield _file(links.INDEX, "The first page of the site")
    yield _file(links.LEADERBOARD, "Every agent in every set of every suite")
    for path in links.table_data("", links.STANDINGS).values():
        yield _file(path, "The table of every agent in every set")
    for agent in results.agents:
        yield _file(links.agent_page(agent), f"How {agent} works")
    for name, suite in results.suites.items():
        yield _file(links.suite_page(name), f"The suite {name}")
        yield _file(links.croissant(name), f"The tasks of {name} as a data set")
        for figure in suite.figures:
            yield _file(links.figure(name, figure.name), figure.alt)
            for path in links.figure_data(name, figure.name).values():
                yield _file(path, f"Data of the figure {figure.name} of {name}")
        docs = {table.name: table.doc for table in suite.own}
        for table in [*links.COMMON_TABLES, *docs]:
            for path in links.table_data(name, table).values():
                yield _file(path, docs.get(table, f"The table {table} of {name}"))


def _file(path: str, name: str, encoding: str = "") -> dict[str, Any]:
    return {
        "@id": path,
        "@type": "File",
        "name": name,
        "encodingFormat": encoding or FORMATS[path.rsplit(".", 1)[1]],
    }
