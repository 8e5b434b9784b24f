"""How good an answer is: 1 for the number of red balls, less the farther away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.task import Task
from tests.protocol.madeup import answers

METRICS: Mapping[str, Metric] = {
    "score": Metric("1 less the share of the urn by which the answer is wrong", "", 0, 1, headline=True),
    "solved": Metric("whether the answer is right", "", 0, 1),
    "error": Metric("how far the answer is from the truth", "ball", 0, None, "lower"),
    "drawn": Metric("balls drawn", "ball", 0, None, "neither"),
}


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """The scores of one episode: of its submission, and of each answer on the way to it.

    The profile `strict` counts right answers only.
    """
    balls, red = task.public["balls"], task.hidden["colours"].count("r")

    def closeness(answer: int | None) -> float:
        return 0.0 if answer is None else 1 - abs(answer - red) / balls

    answer = answers.read(episode.submission, balls)
    label = "" if answer is not None else "no submission" if episode.submission is None else "invalid"
    yield Score("score", closeness(answer), label)
    yield Score("score", float(answer == red), label, profile="strict")
    yield Score("solved", float(answer == red), label)
    yield Score("error", None if answer is None else float(abs(answer - red)), label)
    yield Score("drawn", float(episode.counters["draw"]))
    for event in episode.calls("answer"):
        yield Score("score", closeness(answers.read(event.arguments["text"], balls)), step=event.step)
