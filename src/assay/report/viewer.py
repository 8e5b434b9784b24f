"""The page of an episode: what happened as pictures, what was submitted, the truth, the score, the flags.

What a suite has to say comes from its room `viewer` as blocks. Around them stands what every suite has:
status, metrics, raised flags with their evidence and the steps they point at, the calls with their results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.build import links
from assay.episode import Episode, Event
from assay.protocol import BlobRef, Flag, Materials, Metric, Score
from assay.report.drawing import number
from assay.report.escaping import attribute, plain
from assay.report.markup import (
    ON_A_PAGE,
    Limits,
    Place,
    anchor,
    as_text,
    blocks,
    cut,
    readable,
)
from assay.suite import Suite
from assay.task import Task

STATUS_WORDS: Mapping[str, str] = {
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
"""How an episode ended, for readers (`assay.protocol.Status` has the words of the tables)."""


@dataclass(frozen=True)
class Shown:
    """An episode and all that is known of it.

    `logged` says whether `episode` holds its events; else `n_events` says how many there were. `defects` are
    the sentences that say what is known to be wrong with the task (`SuiteConfig.notices`).
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
        """The name of its article: the last part of its address."""
        return links.episode_id(self.episode.task_set, self.episode.task_id, self.episode.attempt)


class Viewer:
    """Makes articles of the episodes of one suite; `picture` gives the address of a content, or null."""

    def __init__(
        self,
        suite: Suite,
        materials: Materials,
        picture: Callable[[BlobRef], str | None],
        limits: Limits = ON_A_PAGE,
    ) -> None:
        self._suite = suite
        self._show = suite.room("viewer").show
        self._metrics = suite.room("scoring").METRICS
        self._flags = suite.room("audit").FLAGS
        self._materials = materials
        self._picture = picture
        self._limits = limits

    def article(self, shown: Shown) -> str:
        """One episode as an `article` element."""
        episode = shown.episode
        listed = _listed(episode.events, self._limits.calls)
        place = Place(shown.name, frozenset(e.step for e in listed), self._picture, self._limits)
        own = self._show(shown.task, episode, shown.scores, shown.flags, self._materials)
        attempt = f' <span class="faint">attempt {episode.attempt}</span>' if episode.attempt else ""
        return (
            f'<article id="{attribute(shown.name)}">'
            f'<h2><a href="#{attribute(shown.name)}">{plain(episode.task_id)}</a>'
            f' <span class="faint">{plain(episode.task_set)}</span>{attempt}</h2>'
            f"{self._verdict(shown)}{_defective(shown.defects)}{blocks(own, place)}"
            f"{self._scores(shown.scores)}{self._flagged(self._ordered(shown.flags), place)}"
            f"{self._log(shown, listed, place)}</article>\n"
        )

    def legend(self) -> str:
        """What the metrics and flags of the suite mean, once a page."""
        metrics = "".join(
            f"<div><dt>{plain(name)}</dt><dd>{plain(m.doc)}{plain(_unit(m))}</dd></div>"
            for name, m in self._metrics.items()
        )
        flags = "".join(
            f"<div><dt>{plain(name)}</dt><dd>{plain(f.doc)}</dd></div>" for name, f in self._flags.items()
        )
        return (
            '<details class="legend"><summary>What the metrics and flags mean</summary>'
            f"<h3>Metrics</h3><dl>{metrics}</dl><h3>Flags</h3><dl>{flags}</dl></details>"
        )

    def _verdict(self, shown: Shown) -> str:
        """The line below the heading: how it ended, what it is worth, what was found."""
        episode = shown.episode
        values = {s.metric: s.value for s in shown.scores if s.step is None and s.profile == "default"}
        chips = [_chip(STATUS_WORDS[episode.status], "plain" if episode.status == "done" else "open")]
        if values.get("solved") is not None:
            solved = values["solved"] == 1
            chips.append(_chip("solved" if solved else "not solved", "good" if solved else "bad"))
        if values.get("score") is not None:
            high = self._metrics["score"].high
            chips.append(_chip(f"score {number(values['score'])}{f' of {number(high)}' if high else ''}"))
        if shown.defects:
            chips.append(_chip("the task is defective", "open"))
        if episode.privileged:
            chips.append(_chip("was told the truth", "open"))
        chips += [_chip(words(f.flag), "bad") for f in self._ordered(shown.flags) if f.raised]
        reason = f'<p class="prose">{plain(cut(episode.reason, 600)[0])}</p>' if episode.reason else ""
        return f'<ul class="chips">{"".join(chips)}</ul>{reason}'

    def _ordered(self, flags: Sequence[Flag]) -> list[Flag]:
        """Flags in the order in which the suite declares them: what weighs most comes first."""
        order = list(self._flags)
        return sorted(flags, key=lambda flag: order.index(flag.flag))

    def _scores(self, scores: Sequence[Score]) -> str:
        """The final metrics; several profiles stand side by side."""
        final: dict[str, dict[str, Score]] = {}
        for s in scores:
            if s.step is None:
                final.setdefault(s.metric, {})[s.profile] = s
        if not final:
            return ""
        profiles = sorted({p for of in final.values() for p in of}, key=lambda p: (p != "default", p))
        order = sorted(final, key=lambda m: (m != "score", m != "solved", m))
        if len(profiles) == 1:
            told = "".join(
                f"<div><dt>{plain(words(m))}</dt><dd>{self._value(final[m][profiles[0]])}</dd></div>"
                for m in order
                if profiles[0] in final[m]
            )
            return f'<section><h3>Score</h3><dl class="metrics">{told}</dl></section>'
        head = "".join(f'<th scope="col">{plain(p)}</th>' for p in ("", *profiles))
        rows = "".join(
            f'<tr><th scope="row">{plain(words(m))}</th>'
            + "".join(f"<td class=n>{self._value(final[m].get(p))}</td>" for p in profiles)
            + "</tr>"
            for m in order
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f'<section><h3>Score</h3><div class="wide">{table}</div></section>'

    def _value(self, score: Score | None) -> str:
        if score is None:
            return ""
        if score.value is None:
            return f'<span class="faint">{plain(score.label) or "–"}</span>'
        label = f' <span class="faint">{plain(score.label)}</span>' if score.label else ""
        return f"{number(score.value)}{plain(_unit(self._metrics[score.metric]))}{label}"

    def _flagged(self, flags: Sequence[Flag], place: Place) -> str:
        """Raised flags with meaning and evidence, then what was found beside, then the rest by name."""
        if not flags:
            return ""
        raised = "".join(self._flag(flag, place) for flag in flags if flag.raised)
        statements = [
            f for f in flags if f.raised is None and self._flags[f.flag].kind == "statement" and f.label
        ]
        stated = "".join(
            f"<div><dt>{plain(words(f.flag))}</dt><dd>{plain(f.label)}{_evidence(f, place)}</dd></div>"
            for f in statements
        )
        rest = [
            f"{said} {', '.join(names)}"
            for said, names in (
                ("Not raised:", [plain(words(f.flag)) for f in flags if f.raised is False]),
                (
                    "Nothing to decide:",
                    [
                        plain(words(f.flag))
                        for f in flags
                        if f.raised is None and self._flags[f.flag].kind == "flag"
                    ],
                ),
            )
            if names
        ]
        return (
            f"<section><h3>Flags</h3>{raised}{f'<dl>{stated}</dl>' if stated else ''}"
            f'<p class="faint small">{". ".join(rest)}.</p></section>'
        )

    def _flag(self, flag: Flag, place: Place) -> str:
        label = f"<strong>{plain(flag.label)}</strong>" if flag.label else ""
        return (
            f'<div class="flag"><h4>{plain(words(flag.flag))}</h4>'
            f"<p>{plain(self._flags[flag.flag].doc)}</p><p>{label}{_evidence(flag, place)}</p></div>"
        )

    def _log(self, shown: Shown, listed: Sequence[Event], place: Place) -> str:
        """The calls in order, folded; where none are kept, how to see them."""
        episode = shown.episode
        again = (
            f"<code>assay show {plain(episode.suite)} {plain(episode.task_set)} {plain(episode.task_id)} "
            f"{plain(episode.agent)}{f' --attempt {episode.attempt}' if episode.attempt else ''}</code>"
        )
        if not shown.logged:
            return (
                f"<section><h3>Log</h3><p>Of this agent's log a digest is kept ({number(shown.n_events)} "
                f"events). {again} plays the episode again and shows them.</p></section>"
            )
        if not episode.events:
            return "<section><h3>Log</h3><p>No call was made.</p></section>"
        share = max(160, min(4_000, place.limits.log // (2 * len(listed))))
        rows = "".join(self._event(event, share, place) for event in listed)
        left = len(episode.events) - len(listed)
        note = f"<p>{number(left)} events between these are left out; {again} shows all.</p>" if left else ""
        return (
            f'<details class="log"><summary>Log: {number(len(episode.events))} events</summary>'
            f"{note}<ol>{rows}</ol></details>"
        )

    def _event(self, event: Event, share: int, place: Place) -> str:
        nested = "" if event.parent is None else ' class="nested"'
        given = "" if event.arguments in (None, {}) else _short(as_text(event.arguments), share)
        cost = f' <span class="faint">costs {event.charged}</span>' if event.charged else ""
        if event.ok:
            told = " ".join(_short(part, share) for part in _parts(event))
            back = f"<samp>{told}</samp>" if told else ""
        else:
            back = f'<samp class="bad">refused: {_short(event.error or "", share)}</samp>'
        kind = "" if event.kind in ("call", "code") else f' <span class="faint">{event.kind}</span>'
        return (
            f'<li id="{attribute(anchor(place.article, event.step))}" value="{event.step}"{nested}>'
            f"<b>{plain(event.tool)}</b>{kind} <code>{given}</code>{cost}{back}</li>"
        )


def _listed(events: Sequence[Event], most: int) -> Sequence[Event]:
    """The events that a page lists: all, or the first two thirds and the last third of as many as fit."""
    if len(events) <= most:
        return events
    last = most // 3
    return [*events[: most - last], *events[-last:]]


def _parts(event: Event) -> Iterable[str]:
    for part in event.parts:
        if isinstance(part, BlobRef):
            yield f"[{part.media_type}, {number(part.size)} bytes, {part.sha256[:12]}]"
        else:
            yield as_text(part)


def _short(text: str, share: int) -> str:
    shown, note = cut(text, share)
    return plain(shown) + (f' <span class="note">({note})</span>' if note else "")


def _evidence(flag: Flag, place: Place) -> str:
    if flag.evidence in (None, {}, []):
        return ""
    return f' <span class="evidence">{readable(flag.evidence, place)}</span>'


def _defective(defects: Sequence[str]) -> str:
    """What is known to be wrong with the task, before anything that rests on it."""
    told = "".join(f'<p class="prose">{plain(reason)}</p>' for reason in defects)
    return f"<section><h3>Known defect of the task</h3>{told}</section>" if told else ""


def _chip(said: str, tone: str = "plain") -> str:
    return f'<li class="{tone}">{plain(said)}</li>'


def words(name: str) -> str:
    """A name of a metric or flag for readers."""
    return name.replace("_", " ")


def _unit(metric: Metric) -> str:
    return f" {metric.unit}" if metric.unit else ""
