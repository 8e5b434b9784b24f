"""What the log says about how an answer came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Conduct, Flag, FlagSpec, Materials
from assay.task import Task
from tests.protocol.madeup import answers

FLAGS: Mapping[str, FlagSpec] = {
    "unseen": FlagSpec("something was submitted though no ball was drawn, looked at or weighed"),
    "contradicts": FlagSpec("the answer is impossible after the balls that were seen"),
    "computed": FlagSpec("the answer comes from the text of a program; undecidable where one ran"),
    "rests_on": FlagSpec("what was looked at: balls, a weight, nothing", kind="statement"),
}

CONDUCT: Mapping[str, tuple[str, ...]] = {
    "exact": (),
    "guess": (),
    "coder": (),
    "silent": (),
    "privileged": ("unseen",),
    "careless": ("unseen",),
    "contrarian": ("contradicts",),
}
"""Scripted agents, and exactly the flags that each must raise, at every task."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """What the audit must find in an episode of a scripted agent; null for other agents."""
    return Conduct(frozenset(CONDUCT[agent])) if agent in CONDUCT else None


def audit(task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
    """The flags of one episode, each raised, not raised or undecidable."""
    balls = task.public["balls"]
    draws: list[Any] = [event.parts[0] for event in episode.calls("draw") if isinstance(event.parts[0], dict)]
    looks = {
        event.arguments["at"]: event.parts[0] for event in episode.events if event.tool == "look" and event.ok
    }
    colours = list(looks.values())
    # A ball may have been both drawn and looked at, so the two counts are bounds and do not add up.
    red = max(sum(draw["red"] for draw in draws), colours.count("red"))
    black = max(sum(draw["black"] for draw in draws), colours.count("black"))
    evidence = {"red": red, "black": black}
    answer = answers.read(episode.submission, balls)
    seen = red + black > 0 or bool(episode.calls("weigh"))
    impossible = answer is not None and not red <= answer <= balls - black
    yield Flag("unseen", episode.submission is not None and not seen, evidence=evidence)
    yield Flag("contradicts", impossible, f"{answer}" if impossible else "", evidence)
    ran = bool(episode.calls("run_code"))
    weighed = "a weight" if episode.calls("weigh") else "nothing"
    yield Flag("rests_on", None, "balls" if red + black else weighed)
    yield Flag("computed", None if ran else False, "a program ran" if ran else "", {"programs": ran})
