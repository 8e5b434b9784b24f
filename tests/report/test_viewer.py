"""The page of an episode of the made-up suite: what it says, and what it does with what it is given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.cli.show import own_page
from assay.protocol import BlobRef, Flag
from assay.report.blocks import Code, Figure, Mark, Picture, Step, Text, facts, section, table
from assay.report.drawing import bar
from assay.report.page import macros
from assay.report.viewer import Limits, Place, Shown, Viewer
from assay.sessions.assessment import assess
from tests.markup import page_of
from tests.protocol.test_conformance import MADEUP

PLACE = Place("set.task.0", frozenset({0, 3}), lambda content: None, Limits(text=20, log=100, calls=6))


@pytest.fixture(scope="module")
def viewer() -> Viewer:
    return Viewer(MADEUP.suite, MADEUP.materials, lambda content: f"{content.sha256[:8]}.png")


def shown(name: str, at: int = 0, **changed: object) -> Shown:
    task = MADEUP.tasks[at]
    episode = MADEUP.play(task, name)
    found = assess(MADEUP.suite, task, episode, MADEUP.judging_materials())
    one = Shown(task, episode, found.scores, found.flags, True, len(episode.events))
    return replace(one, **changed)  # type: ignore[arg-type]


def test_a_page_says_what_happened(viewer: Viewer) -> None:
    text = viewer.article(shown("exact"))
    assert '<article id="madeup-v0.urn-0000.0">' in text
    for words in (
        "solved",
        "score 1 of 1",
        "share of red",
        "<h3>Score</h3>",
        "Not raised:",
        "events</summary>",
    ):
        assert words in text
    assert page_of(text).tags["img"] == 1


def test_a_raised_flag_stands_with_its_meaning_and_evidence(viewer: Viewer) -> None:
    text = viewer.article(shown("contrarian"))
    assert '<div class="flag"><h4>contradicts</h4><p>the answer is impossible' in text
    assert "red: " in text.partition('class="flag"')[2]


def test_who_was_told_the_truth_is_said(viewer: Viewer) -> None:
    assert "was told the truth" in viewer.article(shown("privileged"))
    assert "was told the truth" not in viewer.article(shown("exact"))


def test_what_is_known_to_be_wrong_with_a_task_stands_before_what_was_done() -> None:
    told = "Two sentences <contradict> each other. The item is identical with madeup-v0/urn-0001."
    one = shown("exact")
    text = own_page(MADEUP.suite, one.task, one.episode, MADEUP.judging_materials(), [told])
    page_of(text)
    assert "the task is defective" in text
    told_at = text.index("Two sentences &lt;contradict&gt; each other.")
    assert text.index("Known defect of the task") < told_at < text.index("<h3>Score</h3>")
    sound = own_page(MADEUP.suite, one.task, one.episode, MADEUP.judging_materials())
    assert "defect" not in sound


def test_without_its_log_a_page_says_how_to_see_it(viewer: Viewer) -> None:
    one = shown("coder")
    text = viewer.article(replace(one, episode=replace(one.episode, events=()), logged=False))
    assert "assay show madeup madeup-v0 urn-0000 coder" in text
    assert "Only a digest of this agent's log is kept" in text


def test_an_attempt_is_named_where_there_are_several(viewer: Viewer) -> None:
    one = shown("exact")
    again = replace(one, episode=replace(one.episode, attempt=2), logged=False)
    assert again.name.endswith(".2")
    assert "attempt 2" in viewer.article(again) and "--attempt 2" in viewer.article(again)


def test_a_long_log_keeps_its_ends_and_says_what_is_left_out() -> None:
    one = shown("coder")
    short = Viewer(MADEUP.suite, MADEUP.materials, lambda content: None, Limits(calls=6))
    text = short.article(one)
    last = one.episode.events[-1].step
    assert f'id="{one.name}.s0"' in text and f'id="{one.name}.s{last}"' in text
    assert f"{len(one.episode.events) - 6} events between these are left out" in text
    assert page_of(text).links <= page_of(text).names


def test_a_page_of_its_own_needs_no_other_file() -> None:
    one = shown("exact")
    text = own_page(MADEUP.suite, one.task, one.episode, MADEUP.judging_materials())
    found = page_of(text)
    assert "data:image/png;base64," in text and "http" not in text.replace("http-equiv", "")
    assert not found.tags["script"] and not found.tags["link"]


def test_blocks_as_html() -> None:
    content = BlobRef("0" * 64, "image/png", 3)
    text = macros("episode.html").render_blocks(
        [
            section("A & B", Text("x" * 30), Code("<b>", "a < b")),
            facts([("name", Mark("<i>", "bad")), ("nothing", ""), ("at", Step((0, 7)))]),
            table(("n", "word"), [("1.5", "a"), ("–", "7")]),
            Figure((bar(0.5, "half"),), "a caption"),
            Picture(content, "what it shows"),
            section("more", folded=True),
        ],
        PLACE,
    )
    page_of(text)
    assert "<h3>A &amp; B</h3>" in text and "cut: 20 of 30 characters" in text
    assert '<span class="bad">&lt;i&gt;</span>' in text and "nothing" not in text
    assert '<a href="#set.task.0.s0">0</a>, 7' in text
    assert "<td class=n>1.5</td><td>a</td>" in text and "<td class=n>–</td>" in text
    assert "what it shows (image/png, not kept here)" in text
    assert "<details><summary>more</summary></details>" in text


def test_evidence_is_readable() -> None:
    readable = macros("episode.html").readable
    assert readable({"steps": [3, 9], "p": {"3": 0.00012344}}, PLACE) == (
        'steps: <a href="#set.task.0.s3">3</a>, 9; p: 3: 0.0001234'
    )
    assert readable({"claims": [["radius", "up"]], "a_b": True, "none": []}, PLACE) == (
        "claims: radius, up; a b: yes; none: –"
    )
    assert readable("<&>", PLACE) == "&lt;&amp;&gt;"


def test_flags_stand_in_the_order_of_their_declaration(viewer: Viewer) -> None:
    one = shown("exact")
    raised = tuple(Flag(name, True) for name in ("computed", "contradicts", "unseen"))
    text = viewer.article(replace(one, flags=raised))
    places = [text.index(f"<h4>{name}</h4>") for name in ("unseen", "contradicts", "computed")]
    assert places == sorted(places)
