"""The matrix, the pages of tasks, and two episodes side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.build import links
from assay.cli.main import main
from assay.report import page
from assay.report.pages import comparisons
from assay.report.pages.comparisons import Call, Played
from assay.task import Task

TASK = Task("urns", "small", "a", 1, 1, {"tier": "easy"}, {"balls": 3}, {"red": "<2>"})


def call(tool: str, arguments: str = "{}", result: str = "ok") -> Call:
    return Call(tool, arguments, result, True)


def played(agent: str, score: float | None, *calls: Call, **more: Any) -> Played:
    values: dict[str, Any] = {
        "agent": agent,
        "address": (f"episodes/urns/{agent}/0.html", "small.a.0"),
        "score": score,
        "solved": score == 1.0,
        "ended": "done",
        "flags": "",
        "answer": "{}",
        "n_calls": len(calls),
        "calls": calls,
        "privileged": False,
    }
    return Played(**{**values, **more})


FIRST = played("first", 1.0, call("look"), call("draw", '{"n":1}'), call("answer"))
SECOND = played("second", 0.25, call("look"), call("draw", '{"n":2}'))


def test_two_episodes_are_aligned_up_to_the_first_call_that_differs() -> None:
    pair = comparisons.pair("urns", 0, TASK, FIRST, SECOND)
    assert [each.tool for each in pair["equal"]] == ["look"]
    number, left, right = pair["rows"][0]
    assert (number, left.arguments, right.arguments) == (2, '{"n":1}', '{"n":2}')
    assert pair["rows"][1] == (3, call("answer"), None)
    assert pair["task"] == ("tasks/urns/small/0.html", "a")


def test_a_result_that_differs_ends_the_equal_calls() -> None:
    other = played("other", 0.0, call("look", result="another"), call("draw", '{"n":1}'))
    assert comparisons.pair("urns", 0, TASK, FIRST, other)["equal"] == ()


def test_only_the_first_calls_of_long_episodes_are_shown() -> None:
    long = played("long", 0.5, *[call("look", result=str(n)) for n in range(100)])
    pair = comparisons.pair("urns", 0, TASK, FIRST, long)
    assert len(pair["rows"]) == comparisons.CALLS
    assert pair["right"]["more"] == 100 - comparisons.CALLS
    assert pair["left"]["more"] == 0


@pytest.mark.parametrize(
    ("attempts", "best"),
    [
        ({"first": [FIRST], "second": [SECOND]}, "first"),
        ({"first": [played("first", 1.0, privileged=True)], "second": [SECOND]}, "second"),
        ({"first": [played("first", 1.0, calls=None)], "second": [SECOND]}, None),
        ({"first": [FIRST]}, None),
        ({}, None),
    ],
)
def test_others_stand_beside_the_best_agent_with_a_log(attempts: Any, best: str | None) -> None:
    assert comparisons.leader(attempts) == best
    pairs = comparisons.side_by_side("urns", 0, TASK, attempts)
    assert bool(pairs) == (best is not None)


def test_the_matrix_has_a_shade_and_an_episode_for_each_score() -> None:
    by_task = {
        "a": {"first": [FIRST], "second": [SECOND, played("second", None)], "none": [played("none", None)]}
    }
    values = comparisons.matrix("urns", [(26, TASK)], by_task, (0.0, 1.0))
    assert [agent["name"] for agent in values["agents"]] == ["first", "second"]
    (row,) = values["rows"]
    assert [cell["level"] for cell in row["cells"]] == [9, 2]
    assert row["address"] == ("tasks/urns/small/1.html", "a")
    shared = {"suites_shown": ["urns"], "suite": "urns", "task_set": "small"}
    name = links.matrix("urns", "small")
    whole, cut = (page.render("matrix.html", name, title="t", size=n, **shared, **values) for n in (1, 40))
    assert "are shown" not in whole
    assert "Only the first 1 task of 40 are shown" in cut
    html = whole
    assert 'class="n l9"' in html
    assert 'href="../../episodes/urns/first/0.html#small.a.0"' in html
    assert 'href="../../tasks/urns/small/1.html#a"' in html


def test_a_task_says_who_solved_it_and_keeps_the_truth_behind_a_fold() -> None:
    attempts = {"first": [FIRST], "second": [SECOND, played("second", 1.0, flags="p hacking")]}
    task = comparisons.task_page("urns", 0, TASK, attempts, ["It is defective."])
    assert (task["solvers"], task["leader"]) == (1, "first")
    assert [row["solved"] for row in task["players"]] == ["1 of 1", "1 of 2"]
    shared = {"suites_shown": ["urns"], "suite": "urns", "task_set": "small"}
    html = page.render(
        "tasks.html", links.task("urns", "small", 0), title="t", tasks=[task], digits=2, **shared
    )
    assert "It is defective." in html
    assert "&lt;2&gt;" in html.partition("<details><summary>The truth")[2]
    assert 'href="../../../beside/urns/small/0.html#a.second"' in html
    pairs = comparisons.side_by_side("urns", 0, TASK, attempts)
    html = page.render("beside.html", links.beside("urns", "small", 0), title="t", pairs=pairs, **shared)
    assert 'id="a.second"' in html
    assert "The first 1 call is equal in both" in html


def test_every_task_has_one_address() -> None:
    pages = links.comparisons("urns", {"small": 26})
    assert pages == list(dict.fromkeys(pages))
    for index in range(26):
        assert links.task("urns", "small", index) in pages
        assert links.beside("urns", "small", index) in pages
    assert links.matrix("urns", "small") in pages


def test_a_set_of_any_size_has_a_bounded_number_of_pages() -> None:
    """Snakemake compares the names of all pages with all inputs, so a plan took time with their square."""
    assert links.comparisons("urns", {"a": links.TASKS_SHOWN}) == links.comparisons("urns", {"a": 10**6})


def test_any_two_agents_can_be_shown_beside_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "two.html"
    command = ["show", "madeup", "madeup-v0", "0", "exact", "--beside", "guess", "--out", str(out)]
    assert main([*command, "--config", "config/test/madeup.yaml"]) == 0
    html = out.read_text()
    assert "exact and guess at madeup-v0/urn-0000" in html
    assert 'class="differs"' in html
    assert "<script" not in html
