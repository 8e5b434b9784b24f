"""The site of a whole build: nothing leads nowhere, and other tools can read what it offers to them."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.report import pages

from assay import __version__
from assay.build import links
from assay.report.page import POLICY
from assay.tables.reader import read_rows
from assay.tables.schemas.leaderboard import LEADERBOARD


@pytest.fixture(scope="module")
def root(built) -> Path:
    return built.root / links.SITE


@pytest.fixture(scope="module")
def every(root):
    return pages.site(root)


def test_every_link_leads_somewhere(every) -> None:
    assert len(every) >= 10
    assert pages.broken(every) == []


def test_every_page_is_well_formed_and_loads_nothing_from_elsewhere(every) -> None:
    for page in every.values():
        assert page.faults == [], page.path
        assert page.policies == [POLICY], page.path
        assert page.headings.count("h1") == 1, page.path
        assert not [load for load in page.loads if ":" in load and not load.startswith("data:")], page.path


def test_every_table_and_figure_has_its_data_beside_it(root) -> None:
    found = sorted((root / "data").rglob("*.parquet"))
    assert found
    for parquet in found:
        rows = pd.read_csv(parquet.with_suffix(".csv"))
        assert list(rows.columns) == list(pd.read_parquet(parquet).columns)
        assert len(rows) == len(pd.read_parquet(parquet))


def test_every_figure_and_every_table_with_data_says_how_to_cite_it(root, every) -> None:
    cited = set()
    for path in every:
        text = path.read_text()
        below = re.findall(r"<figcaption>.*?</figcaption>", text, re.DOTALL)
        drawn = [part for part in below if 'class="data"' in part]  # figures with data, not those of episodes
        assert all("Cite this" in part for part in drawn), path
        for what, place in re.findall(
            rf"</summary>Assay {re.escape(__version__)}, (.+?); (.+?)\.</details>", text
        ):
            file, _, fragment = place.partition("#")
            target = every[(root / file).resolve()]
            assert not fragment or fragment in target.ids, (path, what, place)
            cited.add(what)
    assert "leaderboard" in cited
    assert {what.split()[0] for what in cited} >= {"agents", "figure", "flags", "table"}


def test_the_manifest_promises_every_file_of_the_site_but_the_verdict(built, root) -> None:
    there = {str(path.relative_to(built.root)) for path in root.rglob("*") if path.is_file()}
    promised = {path for path in json.loads(built.manifest())["files"] if path.startswith("reports/")}
    assert there - promised == {"reports/verdict.html"}
    assert promised <= there


def test_verify_writes_its_verdict_into_the_site(copy) -> None:
    page = copy.root / links.SITE / links.VERDICT
    assert "Not verified since the last build" in page.read_text()
    assert copy.assay("freeze").code == 0
    assert copy.assay("verify").code == 0
    assert "Yes: identical" in page.read_text()
    assert copy.to_do() == frozenset(), "a verdict is no reason to build"
    with (copy.root / "results/leaderboard.parquet").open("ab") as file:
        file.write(b"x")
    assert copy.assay("verify").code == 1
    assert "No: it differs" in page.read_text()
    assert pages.broken(pages.site(copy.root / links.SITE)) == []


def test_the_crate_describes_files_that_are_there(root) -> None:
    graph = json.loads((root / links.CRATE).read_text())["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    assert len(entities) == len(graph)
    assert entities[links.CRATE]["about"] == {"@id": "./"}
    parts = [part["@id"] for part in entities["./"]["hasPart"]]
    assert [part for part in parts if not (root / part).is_file()] == []
    run = entities["#run"]
    assert run["@type"] == "CreateAction"
    assert entities[run["instrument"]["@id"]]["@type"] == [
        "File",
        "SoftwareSourceCode",
        "ComputationalWorkflow",
    ]
    assert entities["./"]["mainEntity"] == run["instrument"]
    for entity in graph:
        for name, value in entity.items():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict) and not reference["@id"].startswith("http"):
                    assert reference["@id"] in entities, f"{entity['@id']}.{name}"


# The class is used by mlcroissant.
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_the_tasks_are_a_data_set_that_other_tools_load(root) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="make setup EXTRAS=browser")
    for file in sorted((root / "data").glob("*/croissant.json")):
        tasks = pd.read_csv(file.with_name("tasks.csv"))
        records = list(croissant.Dataset(jsonld=str(file)).records("tasks"))
        assert len(records) == len(tasks)
        assert [r["tasks/task_id"].decode() for r in records] == tasks["task_id"].tolist()


def test_the_citation_file_has_what_its_format_demands(built) -> None:
    given = yaml.safe_load((built.root / "CITATION.cff").read_text())
    assert given["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "version", "license"} <= set(given)


def test_the_report_of_snakemake_holds_every_figure_and_table_with_its_caption(copy, tmp_path) -> None:
    made = copy.do("workflow/run", "--configfile", copy.config, "--cores", "1", "--report", "report.zip")
    assert made.code == 0, made.output
    with zipfile.ZipFile(copy.root / "report.zip") as report:
        held = {Path(name).name for name in report.namelist()}
        (page,) = [name for name in report.namelist() if name.endswith("/report.html")]
        text = report.read(page).decode()
    site = copy.root / links.SITE
    shown = {path.name for path in [*site.rglob("*.svg"), *site.glob("data/*/*.csv")]}
    assert len(shown) > 3
    assert shown <= held
    assert "docutils" in text  # a caption is written as reStructuredText
    assert not re.findall(r"<(?:script|link|img)[^>]*https?://", text)


PROGRAM = (
    'import sys; said = \'"text":"4"\' in sys.stdin.read(); '
    'print(\'{"tool":"finish","arguments":{}}\' if said else \'{"tool":"answer","arguments":{"text":"4"}}\')'
)
"""An agent that says four and is done."""


def test_an_agent_that_played_a_part_of_a_set_is_shown_and_not_ranked(copy) -> None:
    before = {row["agent"]: row for row in read_rows(copy.root / "results/leaderboard.parquet", LEADERBOARD)}
    path = copy.root / "config/test/small-agents.yaml"
    entries = yaml.safe_load(path.read_text())
    entries["agents"]["hasty"] = {
        "kind": "model",
        "transport": {"kind": "command", "command": [sys.executable, "-c", PROGRAM]},
        "suites": {"madeup": ["madeup-v0"]},
    }
    path.write_text(yaml.safe_dump(entries))
    recorded = copy.assay("record", "hasty", "--suite", "madeup", "--tasks", "2", "--config", copy.config)
    assert recorded.code == 0, recorded.output
    copy.build(cores="all")
    rows = read_rows(copy.root / "results/leaderboard.parquet", LEADERBOARD)
    after = {row["agent"]: row for row in rows if row["task_set"] == "madeup-v0"}
    hasty = after.pop("hasty")
    assert (hasty["tasks"], hasty["set_tasks"], hasty["episodes"]) == (2, 7, 2)
    assert hasty["score"] > 0
    assert [hasty[name] for name in ("compared", "above", "below")] == [None] * 3
    assert hasty["note"] == "played 2 of 7 tasks: not ranked"
    ranks = ("tasks", "set_tasks", "compared")
    assert {agent: [row[name] for name in ranks] for agent, row in after.items()} == {
        agent: [before[agent][name] for name in ranks] for agent in after
    }
    assert {row["tasks"] for row in after.values()} == {7}
    site = copy.root / links.SITE
    for page in (links.INDEX, links.LEADERBOARD, links.suite_page("madeup"), links.agent_page("hasty")):
        (row,) = re.findall(r'<tr[^>]* class="partial">(.*?)</tr>', (site / page).read_text(), re.DOTALL)
        assert "2 of 7" in row, page
    assert pages.broken(pages.site(site)) == []
