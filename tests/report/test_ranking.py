"""Who leads a set on the pages: no agent with a part of it, none that was told the truth, none at zero."""

from __future__ import annotations

import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.build import links
from assay.protocol import FlagSpec, Metric, TaskSet
from assay.report import agent_page, front_page, leaderboard, page, suite_page
from assay.report.axes import AXES
from assay.report.reasons import Reasons, reasons
from assay.report.results import Raised, Results, SuiteResults

SIZE = 250


def row(agent: str, score: float | None, **more: Any) -> dict[str, Any]:
    """A row of the leaderboard: a solver that played the whole set `hard-v0`."""
    tasks = more.get("tasks", SIZE)
    return {
        "suite": "urns",
        "task_set": "hard-v0",
        "kind": "solver",
        "agent": agent,
        "tasks": SIZE,
        "set_tasks": SIZE,
        "episodes": tasks,
        "missing": 0,
        "score": score,
        "low": None,
        "high": None,
        "method": "",
        "solved": score,
        "always": None,
        "calls": 3.0,
        "tokens": None,
        "compared": None if tasks < SIZE else 2,
        "above": None if tasks < SIZE else 1,
        "below": None if tasks < SIZE else 0,
        "dollars": None,
        "cost": "a program, which buys no tokens",
        "frontier": None,
        "spent": "",
        "rank_low": None if tasks < SIZE else 1,
        "rank_high": None if tasks < SIZE else 2,
        "ties": "" if tasks < SIZE else "ab",
        "rungs": "played",
        "note": f"played {tasks} of {SIZE} tasks: not ranked" if tasks < SIZE else "",
        **more,
    }


class Suite(SuiteResults):
    """A suite whose tables are made up here."""

    @property
    def suite(self) -> Any:
        return SimpleNamespace(room=self._room)

    def _room(self, room: str) -> Any:
        sets = {
            "hard-v0": TaskSet(SIZE, 1, "Hard ones."),
            "a-first-try": TaskSet(2, 1, "Easy ones.", smoke=True),
        }
        metrics = {
            "score": Metric("the score", "points", self.config["low"], None, headline=True),
            "rigor": Metric("how carefully", "", 0, 1),
        }
        return {
            "reporting": SimpleNamespace(ABOUT="Urns.", FIRST="a-first-try"),
            "scoring": SimpleNamespace(METRICS=metrics),
            "audit": SimpleNamespace(FLAGS={"unbacked": FlagSpec("said without evidence")}),
            "tasks": SimpleNamespace(SETS=sets),
        }[room]


def suite_of(
    *rows: dict[str, Any], low: float = 0.0, raised: tuple[Raised, ...] = (), detection: Any = None
) -> Suite:
    agents = sorted({row["agent"] for row in rows if row["kind"] != "quoted"})
    sets = {row["task_set"]: row["set_tasks"] for row in rows}
    nothing: Any = None
    found = Suite("urns", {"agents": agents, "sets": sets, "low": low}, nothing, list(rows))
    tables: dict[str, Any] = {
        "raised": list(raised),
        "ranks": {agent: {("hard-v0", "task", 0): 0} for agent in agents},
        "means": defaultdict(dict),
        "tasks": [],
        "own": [],
        "pairs": [],
        "figures": [],
        "validation": [],
        "detection": detection or {},
        "cards": {},
    }
    found.__dict__.update(tables)
    return found


def results_of(suite: Suite) -> Results:
    kinds = {row["agent"]: row["kind"] for row in suite.standings}
    told_apart = {agent: "solver" if kind == "privileged" else kind for agent, kind in kinds.items()}
    profile = [
        {"agent": agent, "suite": "urns", "axis": axis, "value": None, "low": None, "high": None, "n": 0}
        | {"evidence": ""}
        for agent in suite.agents
        for axis in AXES
    ]
    return Results({"urns": suite}, told_apart, suite.standings, profile)


def reasons_of(*rows: dict[str, Any], **more: Any) -> Reasons:
    found = reasons(suite_of(*rows, **more), "hard-v0")
    assert found is not None
    return found


def names(rows: Any) -> list[str]:
    return [row["agent"] for row in rows]


# ------------------------------------------------------------ who leads


PARTIAL = row("lucky", 0.99, kind="model", tasks=20)
TOLD = row("oracle", 1.0, kind="privileged", compared=None, above=None, below=None)


def test_an_agent_with_a_part_of_the_tasks_leads_nobody_and_is_behind_nobody() -> None:
    found = reasons_of(PARTIAL, row("good", 0.8), row("bad", 0.1), row("unlucky", 0.0, tasks=20))
    assert found.best is not None
    assert found.best["agent"] == "good"
    assert names(found.behind) == ["bad"]
    assert names(found.unranked) == ["lucky", "unlucky"]


def test_an_agent_that_was_told_the_truth_is_a_ceiling() -> None:
    found = reasons_of(TOLD, row("told-less", 0.9, kind="privileged"), row("good", 0.8), row("bad", 0.1))
    assert found.best is not None
    assert (found.best["agent"], names(found.behind)) == ("good", ["bad"])
    assert found.ceiling is not None
    assert found.ceiling["agent"] == "oracle"


def test_a_ceiling_has_played_the_whole_set() -> None:
    assert reasons_of({**TOLD, "tasks": 20}, row("good", 0.8), row("bad", 0.1)).ceiling is None


@pytest.mark.parametrize(
    ("rows", "low", "sentence"),
    [
        ([row("good", 0.0), row("bad", 0.0)], 0.0, "none has scored more than 0."),
        ([row("good", -1.0), row("bad", -1.0)], -1.0, "none has scored more than -1."),
        ([row("good", 0.0), TOLD], 0.0, "none has scored more than 0."),
        ([row("good", 0.5), PARTIAL, TOLD], 0.0, "good is the only one in the ranking."),
        ([row("good", 0.5), row("bad", 0.5)], 0.0, "none in the ranking has a lower score than bad."),
        (
            [PARTIAL, TOLD],
            0.0,
            "only agents that were told the truth and agents with a part of its tasks played this set.",
        ),
        ([row("script", 0.5, kind="scripted")], 0.0, "only scripts played this set."),
    ],
)
def test_a_set_may_have_no_leader(rows: list[dict[str, Any]], low: float, sentence: str) -> None:
    found = reasons_of(*rows, low=low)
    assert found.best is None
    assert found.nobody.startswith(f"No agent leads, because {sentence}")


def test_scores_below_zero_have_a_leader_where_the_scale_begins_lower() -> None:
    found = reasons_of(row("good", 0.0), row("bad", -1.0), low=-1.0)
    assert found.best is not None
    assert found.best["agent"] == "good"


def test_a_set_without_a_score_has_no_paragraph() -> None:
    assert reasons(suite_of(row("recorded", None, tasks=0)), "hard-v0") is None


def test_a_private_set_is_what_its_public_one_is() -> None:
    rows = [{**row(agent, 0.5), "task_set": "a-first-try.private"} for agent in ("good", "bad")]
    suite = suite_of(*rows)
    assert suite.sets == {"a-first-try.private": "Easy ones."}
    assert suite.task_set("a-first-try.private").smoke


def test_nobody_leads_a_smoke_set() -> None:
    small = {"task_set": "a-first-try", "set_tasks": 2, "tasks": 2}
    found = reasons(suite_of(row("good", 0.8, **small), row("bad", 0.1, **small)), "a-first-try")
    assert found is not None
    assert found.best is None
    assert found.nobody == "This is a smoke set, which shows that an agent runs, not how well."


def flagged(agent: str, raised: int, decided: int) -> Raised:
    return Raised(agent, "hard-v0", "unbacked", raised, decided, None)


def test_what_the_others_do_is_a_mean_over_agents() -> None:
    """One with many attempts must not speak for all: here it is 1,000 of 1,100 episodes."""
    agents = [row("good", 0.8), row("random", 0.1), row("careful", 0.2), row("calm", 0.3)]
    found = reasons_of(
        *agents,
        PARTIAL,
        TOLD,
        raised=(
            flagged("good", 0, 30),
            flagged("random", 1000, 1000),
            flagged("careful", 20, 40),
            flagged("calm", 0, 60),
            flagged("lucky", 20, 20),
            flagged("oracle", 250, 250),
        ),
    )
    (gap,) = found.flags
    assert (gap.others, gap.best) == (0.5, 0.0)


# ------------------------------------------------------------ on the pages


class Texts(HTMLParser):
    """The texts of a page: its rows of tables with their classes, its paragraphs with theirs."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self.paragraphs: list[tuple[str, str]] = []
        self._into: str = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        look = dict(attrs).get("class") or ""
        if tag == "tr":
            self.rows.append((look, []))
            self._into = "row"
        elif tag == "p":
            self.paragraphs.append((look, ""))
            self._into = "paragraph"
        elif tag in ("td", "th") and self.rows:
            self.rows[-1][1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("tr", "p"):
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._into == "row" and self.rows[-1][1]:
            self.rows[-1][1][-1] += data
        elif self._into == "paragraph":
            look, text = self.paragraphs[-1]
            self.paragraphs[-1] = (look, text + data)


def words(text: str) -> str:
    return " ".join(text.split())


def rows_of(html: str, agent: str) -> list[tuple[str, list[str]]]:
    """The rows that begin with the name, or with a set and the name, and stand in a table of scores."""
    return [
        (look, [words(cell) for cell in cells])
        for look, cells in Texts(html).rows
        if any(words(cell).split(" ")[0] == agent for cell in cells[:2])
    ]


@pytest.fixture
def site() -> dict[str, str]:
    """The pages of a suite: two agents, a lucky one with a part of the tasks, a ceiling, a smoke set."""
    small = {"task_set": "a-first-try", "set_tasks": 2, "tasks": 2}
    quoted = row("quoted-model", 0.97, kind="quoted", tasks=SIZE) | {
        "tasks": None,
        "set_tasks": None,
        "compared": None,
    }
    suite = suite_of(
        PARTIAL,
        TOLD,
        quoted,
        row("good", 0.8),
        row("bad", 0.1),
        row("good", 0.9, **small),
        detection={"unbacked": [{"family": "rules", "due": 20, "hits": 20, "not_due": 0, "false": 0}]},
        raised=(flagged("bad", 5, 250),),
    )
    suite.standings.sort(key=lambda row: row["agent"])
    results = results_of(suite)
    shown = {"suites_shown": ["urns"]}
    return {
        "first": page.render("index.html", links.INDEX, **shown, **front_page.values(results)),
        "leaderboard": page.render(
            "leaderboard.html", links.LEADERBOARD, **shown, **leaderboard.values(results)
        ),
        "suite": page.render(
            "suite.html", links.suite_page("urns"), **shown, **suite_page.values(results, suite)
        ),
        **{
            agent: page.render(
                "agent.html", links.agent_page(agent), **shown, **agent_page.values(results, agent)
            )
            for agent in ("lucky", "oracle", "good")
        },
    }


@pytest.mark.parametrize("name", ["leaderboard", "suite"])
def test_a_partial_agent_stands_in_grey_below_all_others(site: dict[str, str], name: str) -> None:
    (found,) = rows_of(site[name], "lucky")
    assert found[0] == "partial"
    assert f"20 of {SIZE}" in found[1]
    assert "–" in found[1], "neither above nor below"
    agents = [cells for look, cells in Texts(site[name]).rows if any("0.990" in cell for cell in cells)]
    assert len(agents) == 1
    order = [
        agent
        for _, cells in Texts(site[name]).rows
        for agent in ("oracle", "quoted-model", "good", "bad", "lucky")
        if any(words(cell) == agent for cell in cells[:2])
    ]
    assert order[-5:] == ["oracle", "quoted-model", "good", "bad", "lucky"]
    assert [look for look, _ in rows_of(site[name], "good")] == ["", ""]


def test_a_partial_score_is_sorted_below_all_others_by_scripts(site: dict[str, str]) -> None:
    """The library that sorts puts empty values last, in either direction."""
    line = next(line for line in site["leaderboard"].split("<tr ") if 'data-agent="lucky"' in line)
    assert 'data-sort=""><b>0.990' in line


def test_the_first_page_names_the_coverage_beside_the_agent(site: dict[str, str]) -> None:
    (found,) = [found for found in rows_of(site["first"], "lucky") if "0.990" in found[1]]
    assert found == ("partial", [f"lucky model 20 of {SIZE}", "0.990", ""])
    cells = [words(cells[0]) for _, cells in Texts(site["first"]).rows if len(cells) == 3]
    assert [cell.split(" ")[0] for cell in cells[:5]] == ["Agent", "good", "bad", "lucky", "quoted-model"]


def test_the_page_of_a_partial_agent_says_so(site: dict[str, str]) -> None:
    (why,) = [words(text) for look, text in Texts(site["suite"]).paragraphs if look == "unranked"]
    assert why == f"Not ranked: lucky (20 of {SIZE} tasks)."
    (found,) = [found for found in rows_of(site["lucky"], "hard-v0") if "0.990" in found[1]]
    assert found[0] == "partial"
    assert f"20 of {SIZE}" in found[1]


def test_the_ceiling_has_a_line_of_its_own(site: dict[str, str]) -> None:
    paragraphs = [words(text) for look, text in Texts(site["first"]).paragraphs if "ceiling" in look]
    assert paragraphs == [
        "ceiling: oracle 1.000",
        "ceiling: oracle 1.000; it was told the truth and is not ranked.",
    ]
    (lede,) = [words(text) for look, text in Texts(site["oracle"]).paragraphs if look == "lede"]
    assert lede.startswith("ceiling a reference algorithm that was told the truth")


def test_a_smoke_set_never_stands_on_the_first_page(site: dict[str, str]) -> None:
    """It is the suite's `FIRST` here."""
    assert "urns, hard-v0: points" in words(re.sub("<[^>]*>", "", site["first"]))
    paragraphs = [words(text) for _, text in Texts(site["suite"]).paragraphs]
    assert "This is a smoke set, which shows that an agent runs, not how well." in paragraphs


def test_a_suite_of_smoke_sets_alone_says_so() -> None:
    small = {"task_set": "a-first-try", "set_tasks": 2, "tasks": 2}
    results = results_of(suite_of(row("good", 0.8, **small)))
    html = page.render("index.html", links.INDEX, suites_shown=["urns"], **front_page.values(results))
    assert "Only smoke sets were built." in html
    assert not rows_of(html, "0.800")


@pytest.mark.parametrize("name", ["first", "leaderboard", "suite", "lucky", "oracle", "good"])
def test_sentences_are_apart(site: dict[str, str], name: str) -> None:
    for _, text in Texts(site[name]).paragraphs:
        assert not re.search(r"[a-z][.;:,][A-Z]", text), text


def test_the_reason_why_nothing_tells_them_apart_is_a_sentence() -> None:
    suite = suite_of(row("good", 0.8), row("bad", 0.1))
    html = page.render(
        "index.html", links.INDEX, suites_shown=["urns"], **front_page.values(results_of(suite))
    )
    (why,) = [words(text) for _, text in Texts(html).paragraphs if "leads in" in text]
    assert why.endswith("No metric and no flag distinguishes them. An episode of good")


def test_sensitivity_has_its_number_of_cases(site: dict[str, str]) -> None:
    for name in ("first", "suite"):
        (found,) = [cells for _, cells in rows_of(site[name], "unbackedsaid")]
        assert "20 of 20 (84 to 100 %)" in found
    assert rows_of(site["suite"], "unbackedsaid")[0][1][-1] == "never tested", "no case"


# ------------------------------------------------------------ what a reader can see


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_grey_rows_can_be_read_by_day_and_by_night() -> None:
    style = (Path(page.FOLDER).parent / "assets/style.css").read_text(encoding="utf-8")
    assert re.search(r"tr\.partial > \*[^{]*\{ color: var\(--soft\);", style)
    modes = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    for mode in modes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", mode))
        for ground in ("paper", "raised"):
            light, dark = sorted((luminance(colours["soft"]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5
        grey = sorted((luminance(colours["soft"]), luminance(colours["ink"])))
        assert (grey[1] + 0.05) / (grey[0] + 0.05) >= 1.5, "greyed, that is: not the colour of other rows"
