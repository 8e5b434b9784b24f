"""Renders episodes as HTML articles with the template `templates/episode.html`.

A suite's room `viewer` yields blocks that show what happened, the submission and the truth. To these, every
article adds the status, the metrics, the raised flags with their evidence, and the calls with their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assay.build import links
from assay.episode import Episode, Event
from assay.protocol import BlobRef, Flag, Materials, Metric, Score
from assay.report import page
from assay.report.blocks import Mark
from assay.report.drawing import number
from assay.report.words import as_text
from assay.suite import Suite
from assay.task import Task


@dataclass(frozen=True)
class Limits:
    """Limits on the content of an episode's article.

    Attributes:
        text: Largest number of characters of one text.
        log: Approximate number of characters of the whole log, shared equally among its calls.
        calls: Largest number of events that the log lists.
    """

    text: int = 3_000
    log: int = 8_000
    calls: int = 30


ON_A_PAGE = Limits()
"""Limits of an episode that shares its page with others."""

WHOLE = Limits(200_000, 2_000_000, 20_000)
"""Limits of an episode on a page of its own."""


@dataclass(frozen=True)
class Place:
    """The place of an episode's blocks in its page.

    Attributes:
        article: The id of the article, which is also the prefix of the ids of its events.
        steps: The steps of the log that the page lists, and to which it can link.
        picture: Function that returns the address of a picture, or None if the page cannot show it.
        limits: Limits on the length of texts.
    """

    article: str
    steps: frozenset[int]
    picture: Callable[[BlobRef], str | None]
    limits: Limits = ON_A_PAGE


STATUS_WORDS = {
    "done": "submitted",
    "no_submission": "nothing submitted",
    "invalid": "submission cannot be read",
    "refused": "the model declined",
    "truncated": "answer cut off",
    "budget": "a limit was reached",
    "timeout": "out of time",
    "collapsed": "ended by the world",
    "crashed": "crashed, not scored",
    "transport": "connection lost, not scored",
    "rejected": "recording did not replay, not scored",
}
"""Descriptions of the statuses of an episode (`assay.protocol.Status`)."""


@dataclass(frozen=True)
class Shown:
    """An episode with its task, scores and flags.

    Attributes:
        task: The task.
        episode: The episode.
        scores: Its scores under all grading profiles.
        flags: Its flags.
        logged: Whether `episode` holds its events.
        n_events: The number of its events, even if `episode` does not hold them.
        defects: Sentences about known defects of the task (`SuiteConfig.notices`).
    """

    task: Task
    episode: Episode
    scores: tuple[Score, ...]
    flags: tuple[Flag, ...]
    logged: bool
    n_events: int
    defects: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The id of the episode's article, which is the fragment of its address."""
        return links.episode_id(self.episode.task_set, self.episode.task_id, self.episode.attempt)


class Viewer:
    """Renders the episodes of one suite as articles.

    Args:
        suite: The suite. Its rooms `viewer`, `scoring` and `audit` are used.
        materials: Contents and artefacts of the suite.
        picture: Function that returns the address of a picture, or None if the page cannot show it.
        limits: Limits on the content of an article.
    """

    def __init__(
        self,
        suite: Suite,
        materials: Materials,
        picture: Callable[[BlobRef], str | None],
        limits: Limits = ON_A_PAGE,
    ) -> None:
        self._show = suite.room("viewer").show
        self._metrics = suite.room("scoring").METRICS
        self._flags = suite.room("audit").FLAGS
        self._materials = materials
        self._picture = picture
        self._limits = limits

    def article(self, shown: Shown) -> Markup:
        """Render one episode as an `article` element."""
        events = _listed(shown.episode.events, self._limits.calls)
        # A suite declares its flags in order of severity, so the most severe come first.
        order = list(self._flags)
        flags = sorted(shown.flags, key=lambda flag: order.index(flag.flag))
        profiles, scores = self._scores(shown.scores)
        return page.macros("episode.html").article(  # type: ignore[no-any-return]
            shown=shown,
            place=Place(shown.name, frozenset(e.step for e in events), self._picture, self._limits),
            blocks=self._show(shown.task, shown.episode, shown.scores, shown.flags, self._materials),
            chips=self._chips(shown, flags),
            profiles=profiles,
            scores=scores,
            flags=flags and self._grouped(flags),
            log={
                "events": [(event, _arguments(event), _results(event)) for event in events],
                "left_out": len(shown.episode.events) - len(events),
                "length": max(160, min(4_000, self._limits.log // (2 * max(len(events), 1)))),
            },
        )

    def legend(self) -> Markup:
        """Render the descriptions of the suite's metrics and flags, which each page holds once."""
        return page.macros("episode.html").legend(self._metrics, self._flags)  # type: ignore[no-any-return]

    def _chips(self, shown: Shown, flags: Sequence[Flag]) -> list[Mark]:
        """The marks below the heading: status, score, known defects of the task, and raised flags."""
        episode = shown.episode
        values = {s.metric: s.value for s in shown.scores if s.step is None and s.profile == "default"}
        chips = [Mark(STATUS_WORDS[episode.status], "plain" if episode.status == "done" else "open")]
        if (solved := values.get("solved")) is not None:
            chips.append(Mark("solved", "good") if solved == 1 else Mark("not solved", "bad"))
        if (score := values.get("score")) is not None:
            high = self._metrics["score"].high
            chips.append(Mark(f"score {number(score)}{f' of {number(high)}' if high else ''}"))
        if shown.defects:
            chips.append(Mark("the task is defective", "open"))
        if episode.privileged:
            chips.append(Mark("was told the truth", "open"))
        return chips + [Mark(words(flag.flag), "bad") for flag in flags if flag.raised]

    def _scores(
        self, scores: Sequence[Score]
    ) -> tuple[list[str], list[tuple[str, Metric, list[Score | None]]]]:
        """The grading profiles, and each final metric with its score under each profile."""
        final: dict[str, dict[str, Score]] = {}
        for score in scores:
            if score.step is None:
                final.setdefault(score.metric, {})[score.profile] = score
        profiles = sorted({p for by in final.values() for p in by}, key=lambda p: (p != "default", p))
        order = sorted(final, key=lambda name: (name != "score", name != "solved", name))
        return profiles, [
            (words(name), self._metrics[name], [final[name].get(p) for p in profiles]) for name in order
        ]

    def _grouped(self, flags: Sequence[Flag]) -> dict[str, Any]:
        """Group flags by outcome. Raised flags and statements come with their descriptions."""

        def described(flag: Flag) -> tuple[Flag, str, str]:
            return flag, words(flag.flag), self._flags[flag.flag].doc

        open_flags = [(flag, self._flags[flag.flag].kind) for flag in flags if flag.raised is None]
        return {
            "raised": [described(flag) for flag in flags if flag.raised],
            "stated": [described(flag) for flag, kind in open_flags if kind == "statement" and flag.label],
            "not_raised": [words(flag.flag) for flag in flags if flag.raised is False],
            "undecided": [words(flag.flag) for flag, kind in open_flags if kind == "flag"],
        }


def _listed(events: Sequence[Event], most: int) -> Sequence[Event]:
    """The events that a page lists, at most `most`.

    If there are more, two thirds of the listed ones are the first events and one third the last events.
    """
    if len(events) <= most:
        return events
    last = most // 3
    return [*events[: most - last], *events[-last:]]


def _arguments(event: Event) -> str:
    return "" if event.arguments in (None, {}) else as_text(event.arguments)


def _results(event: Event) -> list[str]:
    return [
        f"[{part.media_type}, {number(part.size)} bytes, {part.sha256[:12]}]"
        if isinstance(part, BlobRef)
        else as_text(part)
        for part in event.parts
    ]


def words(name: str) -> str:
    """The display name of a metric or flag.

    >>> words("off_by_one")
    'off by one'
    """
    return name.replace("_", " ")
