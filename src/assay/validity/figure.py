"""The picture of a suite's cards: every set on one axis of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay import plotting
from assay.protocol import Quoted
from assay.tables.schemas.validity import ABILITIES
from assay.validity.card import Played, is_honest

ROW_MM = 15
"""Height of the row of a set."""

QUOTED = 0.22
PLANTED = 0.0
HONEST = -0.22
SHORTCUTS = -0.44
"""Where the four kinds of marks stand in the row of a set, in rows above its middle."""

APART, SPREAD = 0.055, 0.17
"""Distance of two players of one kind, in rows, so that their intervals do not run into each other; and the
largest distance of all players of a kind."""


def draw(
    cards: Sequence[Mapping[str, Any]],
    played: Mapping[str, Iterable[Played]],
    quoted: Iterable[Quoted],
) -> tuple[Any, str]:
    """Draw the cards of a suite; returns the figure, and the same in words.

    Args:
        cards: rows of the table `validity`.
        played: by set, everybody who played it whole.
        quoted: what the suite quotes of its paper.
    """
    figure = plotting.figure(width_mm=180, height_mm=38 + ROW_MM * max(len(cards), 1))
    axes = figure.subplots()
    quotes = list(quoted)
    labels = _Labels()
    for row, card in enumerate(cards):
        at = len(cards) - 1 - row
        name = card["task_set"]
        if row % 2 == 0:
            axes.axhspan(at - 0.6, at + 0.4, color=plotting.COLOURS["grey"], alpha=0.08, linewidth=0)
        _row(axes, at, card, list(played.get(name, ())), labels)
        points = [quote.score for quote in quotes if quote.task_set == name]
        axes.plot(
            points,
            [at + QUOTED] * len(points),
            linestyle="none",
            marker="o",
            markerfacecolor="none",
            color=plotting.COLOURS["grey"],
            label=labels.once("quoted from the paper") if points else None,
        )
    names = [card["task_set"] + ("\ncan be gamed" if card["gameable"] else "") for card in reversed(cards)]
    axes.set_yticks(range(len(cards)), names)
    axes.set_ylim(-0.7, len(cards) - 0.3)
    axes.set_xlabel("mean score in the set, with 95 % intervals")
    figure.legend(loc="outside upper left", ncols=4, frameon=False)
    return figure, _words(cards)


class _Labels:
    """Labels of a legend, each given out once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def once(self, label: str) -> str | None:
        """The label at the first call, then None."""
        if label in self._given:
            return None
        self._given.add(label)
        return label


def _row(axes: Any, at: int, card: Mapping[str, Any], played: list[Played], labels: _Labels) -> None:
    for value, style, label in ((card["chance"], ":", "chance"), (card["ceiling"], "-", "ceiling")):
        if value is not None:
            axes.plot(
                [value, value],
                [at - 0.55, at + 0.35],
                linestyle=style,
                linewidth=1.2,
                color=plotting.COLOURS["black"],
                label=labels.once(label),
            )
    curve = [card[f"able_{share}"] for share in ABILITIES if card[f"able_{share}"] is not None]
    if curve:
        axes.plot(
            curve,
            [at + PLANTED] * len(curve),
            marker=".",
            linewidth=0.8,
            color=plotting.COLOURS["blue"],
            label=labels.once("planted abilities, 0 to 100 %"),
        )
    honest = [player for player in played if is_honest(player)]
    _marks(axes, at + HONEST, honest, "green", "o", labels.once("honest agents") if honest else None)
    tricks = [player for player in played if player.role == "shortcut"]
    _marks(axes, at + SHORTCUTS, tricks, "vermilion", "X", labels.once("shortcuts") if tricks else None)


def _marks(
    axes: Any, at: float, players: Iterable[Played], colour: str, marker: str, label: str | None
) -> None:
    ranked = sorted(players, key=lambda player: player.mean)
    apart = min(APART, SPREAD / max(1, len(ranked) - 1))
    for place, player in enumerate(ranked):
        low, high = player.interval()
        height = at + apart * (place - (len(ranked) - 1) / 2)
        plotting.interval(
            axes, height, player.mean, low, high, colour=plotting.COLOURS[colour], marker=marker, label=label
        )
        label = None


def _words(cards: Sequence[Mapping[str, Any]]) -> str:
    """Return a description of the picture for readers who cannot see it."""
    sentences = []
    for card in cards:
        parts = [
            f"{name} {card[column]:.4g}"
            for name, column in (
                ("chance", "chance"),
                ("best shortcut", "shortcut"),
                ("best honest agent", "honest"),
                ("ceiling", "ceiling"),
            )
            if card[column] is not None
        ]
        sentences.append(f"{card['task_set']}: {', '.join(parts) or 'nothing measured'}")
    return "What scores show, set by set. " + "; ".join(sentences) + "."
