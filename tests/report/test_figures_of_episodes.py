"""What figures say of single episodes, held against the common tables of a whole build.

A figure is drawn from the same tables, but by code of its own, which may misread them: a check here reads
what the finished file says, and makes the same statement from the tables, in its own way.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from assay.suite import suite
from assay.suites.causalab.drawings import pages as causalab_pages
from assay.suites.causalab.drawings import trajectory_pages
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures.validity import check
from assay.suites.petri.drawings import episode_pages
from assay.suites.petri.drawings import pages as petri_pages
from tests.workflow.builds import once
from tests.workflow.checkout import REAL, Checkout

Row: TypeAlias = Mapping[str, Any]
Statement: TypeAlias = tuple[str, Any, Any]
"""What it is about, what the figure says, what the tables say."""


class Site:
    """A figure of a build, and the tables that it is about."""

    def __init__(self, root: Path, suite_name: str, figure: str) -> None:
        self.root, self.suite, self.figure = root, suite_name, figure
        self.svg = root / "reports/figures" / suite_name / f"{figure}.svg"

    def table(self, name: str) -> list[Row]:
        """The rows of a common table, of all agents."""
        return _table(self.root / "results" / self.suite, name)

    def texts(self) -> list[str]:
        """The texts of the figure: matplotlib draws glyphs as outlines, and keeps each text as a comment."""
        return re.findall(r"<!-- (.*?) -->", self.svg.read_text(encoding="utf-8"), re.DOTALL)

    def marks(self, panel: int | None = None, kind: str | None = None) -> list[list[Row]]:
        """The marks of the figure, each as its points."""
        path = self.root / "reports/data" / self.suite / "figures" / f"{self.figure}.parquet"
        found: dict[tuple[int, int], list[Row]] = defaultdict(list)
        for row in pq.read_table(path).to_pylist():
            if panel in (None, row["panel"]) and kind in (None, row["kind"]):
                found[row["panel"], row["mark"]].append(row)
        return list(found.values())

    def scores(self, metric: str) -> dict[tuple[str, str, str, int], float]:
        """A metric of every episode that has it, by set, task, agent and attempt."""
        return {
            _key(row): row["value"]
            for row in self.table("scores")
            if row["metric"] == metric
            and row["profile"] == "default"
            and row["step"] is None
            and row["value"] is not None
        }

    def raised(self, flag: str) -> dict[tuple[str, str, str, int], bool]:
        """A flag of every episode in which it was decided."""
        return {
            _key(row): row["raised"]
            for row in self.table("audit")
            if row["flag"] == flag and row["raised"] is not None
        }


@cache
def _table(folder: Path, name: str) -> list[Row]:
    paths = [folder / f"{name}.parquet"] if name == "tasks" else sorted((folder / name).glob("*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def _key(row: Row) -> tuple[str, str, str, int]:
    return row["task_set"], row["task_id"], row["agent"], row["attempt"]


def same(shown: Any, true: Any) -> bool:
    """Whether two statements agree; numbers to the six digits that the data of figures keep."""
    if isinstance(shown, list | tuple) and isinstance(true, list | tuple):
        return len(shown) == len(true) and all(same(a, b) for a, b in zip(shown, true, strict=True))
    if isinstance(shown, float) and isinstance(true, float):
        return math.isclose(shown, true, rel_tol=5.1e-6, abs_tol=1e-9)
    return bool(shown == true)


# ------------------------------------------------------------ petri


def episode_page(page: episode_pages.Page, site: Site) -> Iterator[Statement]:
    """Who played what, what was submitted, the points and the flags."""
    texts = site.texts()
    tasks = {row["task_id"]: row for row in site.table("tasks") if row["task_set"] == _petri_set(site)}
    if len(texts) == 1:
        played = [
            row["task_id"]
            for row in site.table("episodes")
            if row["agent"] == page.agent
            and row["task_set"] == _petri_set(site)
            and json.loads(tasks[row["task_id"]]["strata"])["tier"] == page.tier
        ]
        yield texts[0], [], played
        return
    (title,) = [text for text in texts if text.startswith(f"{page.agent} at ")]
    task_id = title.removeprefix(f"{page.agent} at ").partition(":")[0]
    key = (_petri_set(site, task_id), task_id, page.agent, 0)
    (episode,) = [row for row in site.table("episodes") if _key(row) == key]
    shown = {word: texts[texts.index(word) + 1] for word in ("submitted", "points", "flags")}
    flags = [
        row["flag"].replace("_", " ") for row in site.table("audit") if _key(row) == key and row["raised"]
    ]
    yield "flags", shown["flags"], ", ".join(sorted(flags)) or "none raised"
    points = [site.scores(metric).get(key, 0) for metric in ("score", "correctness", "rigor", "efficiency")]
    yield (
        "points",
        [float(number) for number in re.findall(r"[0-9.]+", shown["points"])],
        [float(f"{value:g}") for value in points],
    )
    answer = json.loads(episode["submission"]) if episode["submission"] is not None else {}
    named = answer.get("parameters", [answer["parameter"]] if "parameter" in answer else [])
    rest = [answer[part] for part in ("direction", "magnitude", "interaction") if part in answer]
    yield "submitted", shown["submitted"], ", ".join([*named, *rest]) or "nothing"


def _petri_set(site: Site, task_id: str = "") -> str:
    """The set of a page: of the paper's thirty tasks where these are built, else the first set."""
    sets = sorted({row["task_set"] for row in site.table("tasks")})
    paper = [name for name in ("core-v0", "l2-v0", "l3-v0") if name in sets]
    if len(paper) < 3:
        return next(name for name in sets if name in ("l2-v0", "pilot-v0", "swarm-v0"))
    return next(
        (
            row["task_set"]
            for row in site.table("tasks")
            if (row["task_id"], True) == (task_id, row["task_set"] in paper)
        ),
        paper[0],
    )


def failures_by_difficulty(site: Site) -> Iterator[Statement]:
    """The share of attempts that solved each task."""
    of_task: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for (task_set, task_id, agent, _), value in site.scores("solved").items():
        of_task[agent][task_set, task_id].append(value)
    shown: dict[str, list[float]] = defaultdict(list)
    for mark in site.marks(kind="points"):
        shown[mark[0]["title"]] += [row["y"] for row in mark]
    sets = ("core-v0", "l2-v0", "l3-v0")
    whole = all(any(name == row["task_set"] for row in site.table("tasks")) for name in sets)
    for agent, points in shown.items():
        solved = [
            math.fsum(values) / len(values)
            for (task_set, _), values in of_task[agent].items()
            if task_set in (sets if whole else (_petri_set(site),))
        ]
        yield agent, sorted(points), sorted(solved)


# ------------------------------------------------------------ causalab


def trajectory(page: trajectory_pages.Page, site: Site) -> Iterator[Statement]:
    """Whether the prediction was accepted, and the metrics after each intervention."""
    texts = site.texts()
    titles = [text for text in texts if re.match(rf"{page.agent}, .*: prediction ", text)]
    if not titles:
        sentence = f"no episode of {page.agent} in {page.setting}, {page.nodes} variables"
        settings = {
            (row["task_set"], row["task_id"]): json.loads(row["strata"]) for row in site.table("tasks")
        }
        played = [
            row["task_id"]
            for row in site.table("episodes")
            if row["agent"] == page.agent
            and settings[row["task_set"], row["task_id"]]["setting"] == page.setting
            and int(settings[row["task_set"], row["task_id"]]["nodes"]) == page.nodes
        ]
        yield sentence, (sentence in texts, []), (True, played)
        return
    where, verdict = titles[0].removeprefix(f"{page.agent}, ").split(": prediction ")
    task_set, task_id = where.split("/")
    key = (task_set, task_id, page.agent, 0)
    yield "verdict", verdict, "accepted" if site.scores("solved")[key] == 1 else "not accepted"
    along: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in site.table("scores"):
        if _key(row) == key and row["step"] is not None and row["profile"] == "default":
            along[row["metric"]].append((row["step"], row["value"]))
    lines = {mark[0]["series"] or mark[0]["y_axis"]: [row["y"] for row in mark] for mark in site.marks()}
    for series, metric in (
        ("all edges, F1", "edge_f1"),
        ("edges into the frequency, F1", "freq_edge_f1"),
        ("weights, share right", "weight_accuracy"),
        ("Hamming distance (edges)", "shd"),
    ):
        yield metric, lines[series], [value for _, value in sorted(along[metric])]


# ------------------------------------------------------------ collider


def distances(site: Site) -> Iterator[Statement]:
    """The mean d of each agent at each task, and a frame where the mean is below the threshold."""
    names = {row["task_id"]: json.loads(row["public"])["id"] for row in _headline(site)}
    of_cell: dict[tuple[str, str], list[float]] = defaultdict(list)
    solved: dict[tuple[str, str], list[float]] = defaultdict(list)
    for metric, values in (("d", of_cell), ("solved", solved)):
        for (task_set, task_id, agent, _), value in site.scores(metric).items():
            if task_set == "cms-v0":
                values[agent, names[task_id]].append(value)
    cells = {}
    places = {}
    for row in [row for mark in site.marks(kind="cell") for row in mark if "(quoted)" not in row["x_name"]]:
        cell = (row["x_name"].removesuffix(" (cuts)"), row["y_name"])
        cells[cell] = row["value"]
        places[round(row["x"]), round(row["y"])] = cell
    frames = [mark for mark in site.marks(kind="line") if len(mark) == 5]
    framed = {(int(min(row["x"] for row in mark)), int(min(row["y"] for row in mark))) for mark in frames}
    for cell, value in cells.items():
        yield f"d of {cell}", value, math.fsum(of_cell[cell]) / len(of_cell[cell]) if of_cell[cell] else None
    for place, cell in places.items():
        if len(solved[cell]) == 1:
            yield f"{cell} solved", place in framed, solved[cell] == [1]


def _headline(site: Site) -> list[Row]:
    return [row for row in site.table("tasks") if row["task_set"] == "cms-v0"]


def shape_against_norm(site: Site) -> Iterator[Statement]:
    """The two errors of each episode that has both."""
    norms, shapes = site.scores("delta_norm"), site.scores("d_shape")
    for mark in site.marks(panel=0, kind="points"):
        agent = mark[0]["series"]
        both = [(norms[key], shapes[key]) for key in norms.keys() & shapes.keys() if key[2] == agent]
        yield agent, sorted((row["x"], row["y"]) for row in mark), sorted(both)


def overlay(site: Site) -> Iterator[Statement]:
    """The yields of each agent's first valid submission."""
    for mark in site.marks(kind="points"):
        title, agent = mark[0]["title"], mark[0]["series"]
        if not title:
            continue  # the ratios below say the same once more
        (task,) = [
            row
            for row in site.table("tasks")
            if json.loads(row["public"])["id"] == title and row["task_set"] in ("cms-v0", "mock-v0")
        ]
        binning = Binning.from_json(json.loads(task["public"])["histogram"])
        of_agent = [
            check(json.loads(row["submission"]).encode(), binning).yields
            for row in site.table("episodes")
            if (row["task_set"], row["task_id"], row["agent"]) == (task["task_set"], task["task_id"], agent)
            and row["submission"] is not None
        ]
        first = next(yields for yields in of_agent if yields is not None)
        yield f"{agent} at {title}", [row["y"] for row in mark], [*first]


def reproductions(site: Site) -> Iterator[Statement]:
    """The d of each panel's title."""
    texts = site.texts()
    every: dict[str, set[str]] = defaultdict(set)
    public = {(row["task_set"], row["task_id"]): json.loads(row["public"]) for row in site.table("tasks")}
    for (task_set, task_id, agent, _), value in site.scores("d").items():
        if agent.startswith("physicist"):
            name = public[task_set, task_id]["id"].partition("-")[2].replace("_sim-", "\n").split("\n")
            every[name[-1]].add(f"{value:.2f}")
    for before, text in pairwise(texts):
        if text.startswith("d = "):
            shown = text.removeprefix("d = ").removesuffix(", suspect")
            yield before, shown in every[before], True


# ------------------------------------------------------------ pilab


def _reference(site: Site) -> list[tuple[str, list[tuple[str, str, str, int]]]]:
    """The episodes of the reference worlds by agent, the best mean first, as pages of pilab order them."""
    of_agent: dict[str, list[tuple[str, str, str, int]]] = defaultdict(list)
    scores = site.scores("score")
    submitted = {_key(row) for row in site.table("episodes") if row["submission"] is not None}
    for key in sorted(scores.keys() & submitted):
        if key[0] == "reference-v0":
            of_agent[key[2]].append(key)
    mean = {agent: math.fsum(scores[key] for key in keys) / len(keys) for agent, keys in of_agent.items()}
    return sorted(of_agent.items(), key=lambda item: (-mean[item[0]], item[0]))


def census(site: Site) -> Iterator[Statement]:
    """The IMPACT in each cell, and the colour of the cells of labs that closed."""
    keys = [key for _, keys in _reference(site) for key in keys]
    impacts = [text for text in site.texts() if re.fullmatch(r"-?\d+", text)]
    yield "impact", impacts, [f"{site.scores('score')[key]:.0f}" for key in keys]
    paths = ElementTree.parse(site.svg).iter("{http://www.w3.org/2000/svg}path")
    looks = [path.get("style", "").lower() for path in paths]
    cells = [look for look in looks if "stroke: #ffffff" in look and "fill: #" in look]
    closed = site.raised("bankrupt")
    yield "bankrupt", ["#d55e00" in look for look in cells], [closed[key] for key in keys]


def budgets(site: Site) -> Iterator[Statement]:
    """One line a run, and a cross for each lab that closed."""
    closed = site.raised("bankrupt")
    marks = [mark for mark in site.marks(kind="line") if mark[0]["x"] is not None]
    for agent, keys in _reference(site):
        of_agent = [mark for mark in marks if mark[0]["title"] == agent]
        yield f"runs of {agent}", sum(len(mark) > 1 for mark in of_agent), len(keys)
        yield (
            f"crosses of {agent}",
            sum(len(mark) == 1 for mark in of_agent),
            sum(closed[key] for key in keys),
        )


def booms(site: Site) -> Iterator[Statement]:
    """IMPACT against the boom that papers caught, and against papers."""
    impact = site.scores("score")
    tasks = {
        (row["task_set"], row["task_id"]): json.loads(row["strata"])["boom"] for row in site.table("tasks")
    }
    keys = [key for _, keys in _reference(site) for key in keys]
    for panel, metric in enumerate(("boom_captured", "publications")):
        values = site.scores(metric)
        points = [
            (values[key], max(impact[key], 1.0))
            for key in keys
            if key in values and (panel == 0 or tasks[key[:2]] != "modest")
        ]
        shown = [(row["x"], row["y"]) for mark in site.marks(panel, "points") for row in mark]
        yield metric, sorted(shown), sorted(points)


CHECKS: dict[tuple[str, str], Callable[[Site], Iterator[Statement]]] = {
    **{("petri", page.name): lambda site, page=page: episode_page(page, site) for page in petri_pages.PAGES},  # type: ignore[misc]
    ("petri", "failures-by-difficulty"): failures_by_difficulty,
    **{
        ("causalab", page.name): lambda site, page=page: trajectory(page, site)  # type: ignore[misc]
        for page in causalab_pages.PAGES
    },
    ("collider", "distances"): distances,
    ("collider", "shape-against-norm"): shape_against_norm,
    ("collider", "overlay"): overlay,
    ("collider", "reproductions"): reproductions,
    ("pilab", "census"): census,
    ("pilab", "budgets"): budgets,
    ("pilab", "booms"): booms,
}

OF_NO_EPISODE = {
    "causalab": "recovery-by-size sizes-radar gap regimes frontier scaling hidden follow-ups "
    "early-commitment function-form sealed regret",
    "collider": "cut-flow event-display response cost-against-accuracy solvers statuses limits overlays "
    "shape-overlays shape-distances shape-against-simulation",
    "petri": "score-by-tier score-against-solved taxonomy world-swarm world-market world-origin world-morph "
    "world-social",
    "pilab": "citations legibility conduct entry axes correlations sweep ablations",
    "sgi": "profiles execution-gap families types disciplines answers-and-work idea-dimensions protocol",
}
"""Figures of means, of tasks and of worlds; `entry` shows months that no common table holds. The overlays of
collider show references alone here, since nobody plays their tasks in a small build."""


@pytest.mark.parametrize("name", OF_NO_EPISODE)
def test_every_figure_is_known_to_speak_of_episodes_or_not(name: str) -> None:
    figures = set(suite(name).room("figures").FIGURES)
    checked = {figure for of, figure in CHECKS if of == name}
    others = set(OF_NO_EPISODE[name].split())
    assert checked & others == set()
    assert checked | others == figures


@pytest.fixture(scope="session")
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a build of these figures: the whole one where another test needs that."""
    if "ASSAY_REAL" in os.environ or any("real" in item.fixturenames for item in request.session.items):
        real: Checkout = request.getfixturevalue("real")
        return real.root

    def make(root: Path) -> None:
        checkout = Checkout.fresh(root, REAL)
        checkout.bring_recordings()
        figures = [f"reports/figures/{name}/{figure}.svg" for name, figure in CHECKS]
        checkout.build(target=" ".join(figures), cores="2", ASSAY_STORE="off")

    return once(tmp_path_factory, "drawn", make)


@pytest.mark.parametrize(("name", "figure"), CHECKS, ids=str)
def test_a_figure_says_of_episodes_what_the_tables_say(drawn: Path, name: str, figure: str) -> None:
    statements = list(CHECKS[name, figure](Site(drawn, name, figure)))
    assert statements
    for about, shown, true in statements:
        assert same(shown, true), (about, shown, true)


def test_a_figure_shows_flags_that_were_raised(drawn: Path) -> None:
    """So that the statements above are not all of episodes without a flag."""
    pages = [Site(drawn, "petri", page.name) for page in petri_pages.PAGES]
    shown = [texts[texts.index("flags") + 1] for page in pages if "flags" in (texts := page.texts())]
    assert [flags for flags in shown if flags != "none raised"]
