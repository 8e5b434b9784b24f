"""An episode for readers: the balls that were drawn, the answer beside the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Code, Mark, Picture, Step, facts, section, table
from assay.report.drawing import bar
from assay.task import Task


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """The urn, its draws, the answer."""
    balls, red = task.public["balls"], task.hidden["colours"].count("r")
    yield Picture(task.blobs[0], f"an urn of {balls} balls")
    draws = []
    for event in episode.calls("draw"):
        shown: Any = event.parts[0]
        if isinstance(shown, dict):  # else the urn tipped over
            came = (shown["red"], shown["black"])
            share = bar(came[0] / sum(came), "share of red balls")
            draws.append((Step((event.step,)), str(came[0]), str(came[1]), share))
    if draws:
        yield section("Draws", table(("step", "red", "black", "share of red"), draws))
    given = episode.submission
    right = isinstance(given, str) and given.strip() == str(red)
    yield facts(
        [("red balls", str(red)), ("found", Mark("right", "good") if right else Mark("wrong", "bad"))]
    )
    if isinstance(given, str):
        yield Code(given, "the answer")
