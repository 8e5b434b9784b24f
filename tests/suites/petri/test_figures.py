"""The suite's own figures: equal bytes, and what stands in them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.petri import playing

from assay import canonical, plotting
from assay.suites.petri import figures
from assay.suites.petri.drawings.scores import groups, spread
from assay.suites.petri.settings import Settings


@pytest.fixture(scope="module")
def tables():
    return playing.tables({"ofat": 1, "random": 3, "ofat-rand": 3, "contradictor": 1, "mute": 1})


def drawn(name, tables):
    with plotting.style():
        return figures.FIGURES[name].draw(tables)


def words(figure):
    """All text of a figure, in one."""
    return "\n".join(text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text")))


@pytest.mark.parametrize("name", Settings().figures.figures)
def test_figures_are_drawn_with_equal_bytes(name, tables, tmp_path):
    texts = []
    for file in ("one.svg", "two.svg"):
        spec = figures.FIGURES[name]
        plotting.save_svg(drawn(name, tables), tmp_path / file, title=name, description=spec.alt)
        texts.append((tmp_path / file).read_bytes())
    assert texts[0] == texts[1]
    assert len(texts[0]) < 400_000


def test_agents_stand_in_groups_with_the_paper_apart(tables):
    results = {title: [row.label for row in rows] for title, rows in groups(tables)}
    assert results["Reference solvers"] == ["ofat †", "ofat-rand", "random"]
    assert results["Scripts of known conduct"] == ["contradictor †", "mute †"]
    assert results["Quoted from the paper (other tasks)"][:3] == ["adaptive †", "ofat †", "glm-5.1"]
    assert "Agents" not in results
    axes = drawn("score-by-tier", tables).get_axes()
    assert [panel.get_title(loc="left") for panel in axes] == ["L1", "L2", "L3", "all tiers"]
    points = [line for line in axes[1].lines if list(line.get_xdata()) == [63.9]]
    assert [line.get_markerfacecolor() for line in points] == ["white"], "glm-5.1 at L2 is quoted, so hollow"


def test_every_agent_has_its_label_at_the_score_and_solve_rate(tables):
    view = words(drawn("score-against-solved", tables))
    for name in ("ofat †", "ofat-rand", "gemini-3.1-pro", "mute †"):
        assert name in view


def test_scripts_have_no_panel_of_difficulty(tables):
    axes = drawn("failures-by-difficulty", tables).get_axes()
    titles = [panel.get_title(loc="left") for panel in axes if panel.axison]
    assert titles == ["ofat", "ofat-rand", "random"]
    dots = [line for line in axes[0].lines if line.get_marker() == "o"]
    assert [list(line.get_ydata()) for line in dots] == [[1.0]] * 6


def test_the_taxonomy_shows_shares(tables):
    axes = drawn("taxonomy", tables).get_axes()[0]
    agents = [label.get_text() for label in axes.get_yticklabels()]
    flags = [label.get_text() for label in axes.get_xticklabels()]
    cells = [text.get_text() for text in axes.texts]
    at = agents.index("contradictor †") * len(flags) + flags.index("invalid claim")
    assert cells[at] == "1.00"


def test_an_episode_page_holds_answer_truth_and_flags(tables):
    view = words(drawn("episode-contradictor-l2", tables))
    for text in ("control against leaders 0.095", "claim: leaders down", "probe: control against hidden"):
        assert text in view
    for text in ("leaders, down, small", "leaders 0.0519, up, small", "direction error, invalid claim"):
        assert text in view


def test_an_agent_that_did_not_play_has_a_page_that_says_so(tables):
    view = words(drawn("episode-fisher-l1", tables))
    assert "fisher has not played a task of tier L1 of swarm-v0" in view


def test_refused_calls_stand_on_the_page(tables):
    events = tables["events"].copy()
    at = events.index[(events["agent"] == "ofat") & (events["task_id"] == "00002-l2-swarm")][0]
    events["error"] = events["error"].astype(object)
    events.loc[at, ["ok", "error", "parts"]] = [False, "metric must be one of these; and so on", "[]"]
    view = words(drawn("episode-ofat-l2", {**tables, "events": events}))
    assert "experiment refused" in view
    assert "metric must be one of these" in view


def test_worlds_are_shown_at_control_and_changed(tables):
    axes = drawn("world-swarm", tables).get_axes()
    titles = [panel.get_title(loc="left") for panel in axes]
    assert titles == ["control", "noise 0.22", "noise 0.6", "cohesion 1.25"]
    headings = [float(panel.get_xlabel().split()[-1]) for panel in axes]
    assert headings[2] < headings[0] < headings[1]


def test_pages_are_of_agents_that_are_named():
    assert len({page.words for page in figures.PAGES}) == len({page.agent for page in figures.PAGES})
    assert canonical.dumps(sorted(figures.FIGURES)) == canonical.dumps(sorted(Settings().figures.figures))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_labels_are_pushed_apart_and_stay_near(places):
    places = sorted(places)
    result = spread(places, 3.0)
    assert len(result) == len(places)
    assert all(b - a >= 3.0 - 1e-9 for a, b in pairwise(result))
    apart = all(b - a >= 3.0 for a, b in pairwise(places))
    if apart:
        assert result == pytest.approx(places)
    assert sum(result) == pytest.approx(sum(places))
