"""Figures of scores: score by tier, and score against solve rate (section 7.2 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.petri.conduct import REFERENCES, scripted
from assay.suites.petri.tables.leaderboard import Standing, standings
from assay.suites.petri.tables.quoted import rows_of
from assay.suites.petri.tables.scopes import ALL, TIERS, headline

TOLD = " †"
"""Suffix of the name of an agent that was given the truth."""

GREY = plotting.COLOURS["grey"]


@dataclass(frozen=True)
class Row:
    """One agent in a figure, either ours or (if `quoted`) one of the paper's."""

    name: str
    quoted: bool
    scripted: bool
    standings: dict[str, Standing]

    @property
    def whole(self) -> Standing:
        return self.standings[ALL]

    @property
    def label(self) -> str:
        return self.name + (TOLD if self.whole.privileged else "")

    @property
    def look(self) -> dict[str, Any]:
        """Colour and marker: grey and hollow if quoted, grey for scripts, the agent's own otherwise."""
        if self.quoted:
            return {"color": GREY, "marker": "D", "markerfacecolor": "white"}
        if self.scripted:
            return {"color": GREY, "marker": "."}
        colour, marker = plotting.agent_style([self.name])[self.name]
        return {"color": colour, "marker": marker}


def groups(tables: Tables) -> list[tuple[str, list[Row]]]:
    """Return the agents of the headline scope in titled groups, each sorted by descending score.

    Empty groups are left out.
    """
    scope = headline(tables)
    ours: dict[str, dict[str, Standing]] = {}
    for standing in standings(tables):
        if standing.scope == scope:
            ours.setdefault(standing.agent, {})[standing.tier] = standing
    rows = [Row(name, False, scripted(name), kinds) for name, kinds in ours.items()]
    quoted = list(_quoted(tables))
    kinds = [
        ("Reference solvers", [row for row in rows if row.name in REFERENCES]),
        ("Agents", [row for row in rows if row.name not in REFERENCES and not row.scripted]),
        ("Scripts of known conduct", [row for row in rows if row.scripted]),
        ("Quoted from the paper (other tasks)", quoted),
    ]
    return [
        (title, sorted(members, key=lambda row: (-(row.whole.score or 0), row.name)))
        for title, members in kinds
        if members
    ]


def _quoted(tables: Tables) -> Iterator[Row]:
    for published in tables["published"]:
        of: dict[str, dict[str, Standing]] = {}
        for agent, tier, privileged, score, low, high, solved, calls in rows_of(published):
            of.setdefault(agent, {})[tier] = Standing(
                "paper", agent, tier, privileged, 0, score, low, high, solved, calls, None
            )
        yield from (Row(agent, True, False, tiers) for agent, tiers in of.items())


def score_by_tier(tables: Tables) -> Any:
    """Draw each agent's mean score with the range of the means of its attempts, in one panel per tier."""
    rows_by_kind = groups(tables)
    places: list[tuple[float, str | Row]] = []
    at = 0.0
    for title, members in rows_by_kind:
        places.append((at, title))
        places += [(at + 1 + k, row) for k, row in enumerate(members)]
        at += len(members) + 1.6
    present = {tier for _, members in rows_by_kind for row in members for tier in row.standings}
    tiers = [tier for tier in (*TIERS, ALL) if tier in present]
    figure = plotting.figure(width_mm=180, height_mm=20 + 3.9 * at)
    panels = figure.subplots(1, len(tiers), sharey=True, squeeze=False)[0]
    for axes, tier in zip(panels, tiers, strict=True):
        for place, row in places:
            if isinstance(row, Row) and (standing := row.standings.get(tier)) and standing.score is not None:
                _draw(axes, place, row, standing)
        axes.set(xlim=(0, 100), xlabel="mean score (points)", title="all tiers" if tier == ALL else tier)
        axes.xaxis.grid(True)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(
        [place for place, _ in places], [row.label if isinstance(row, Row) else row for _, row in places]
    )
    for text, (_, row) in zip(panels[0].get_yticklabels(), places, strict=True):
        if not isinstance(row, Row):
            text.set_fontweight("bold")
        elif row.quoted:
            text.set_color(GREY)
    panels[0].set_ylim(at - 0.6, -0.8)
    figure.supxlabel(
        f"{_tasks(tables)}; bars: range of the means of single attempts.{TOLD} was told the truth",
        fontsize=7,
        x=0.01,
        ha="left",
    )
    return figure


def _draw(axes: Any, place: float, row: Row, standing: Standing) -> None:
    look = row.look
    if standing.low is not None and standing.high is not None:
        axes.plot([standing.low, standing.high], [place] * 2, color=look["color"], linewidth=1.0)
    axes.plot([standing.score], [place], linestyle="none", **look)


def score_against_solved(tables: Tables) -> Any:
    """Draw one labelled mark per agent: share solved on the x axis, mean score on the y axis."""
    rows = [row for _, members in groups(tables) for row in members if row.whole.score is not None]
    figure = plotting.figure(width_mm=180, height_mm=125)
    axes = figure.subplots()
    for row in rows:
        axes.plot([100 * (row.whole.solved or 0)], [row.whole.score], linestyle="none", **row.look)
    for column in _columns(rows):
        heights = spread([row.whole.score or 0 for row in column], 2.9)
        right = max(100 * (row.whole.solved or 0) for row in column) + 2.5
        for row, height in zip(column, heights, strict=True):
            at = (100 * (row.whole.solved or 0), row.whole.score)
            axes.plot([at[0] + 0.8, right - 0.3], [at[1], height], color="#C8C8C8", linewidth=0.4, zorder=0)
            ink = GREY if row.quoted or row.scripted else row.look["color"]
            style = "italic" if row.quoted else "normal"
            axes.text(right, height, row.label, color=ink, fontstyle=style, fontsize=7, va="center")
    axes.set(
        xlim=(-3, 122),
        ylim=(0, 103),
        xlabel=f"share of episodes with a right answer (%), {_tasks(tables)}",
        ylabel="mean score (points)",
        title="Getting answers and doing science: solve rate and score",
    )
    axes.set_xticks(range(0, 101, 20))
    axes.grid(True)
    note = f"{TOLD.strip()} was told the truth; dots: scripts of known conduct; hollow: quoted from the paper"
    figure.supxlabel(note, fontsize=7, x=0.01, ha="left")
    return figure


def _columns(rows: Sequence[Row]) -> list[list[Row]]:
    """Group agents whose labels would overlap horizontally, in each group by ascending score."""
    columns: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: (row.whole.solved or 0, row.name)):
        if columns and (row.whole.solved or 0) - (columns[-1][-1].whole.solved or 0) < 0.12:
            columns[-1].append(row)
        else:
            columns.append([row])
    return [sorted(column, key=lambda row: (row.whole.score or 0, row.name)) for column in columns]


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Return ascending places moved apart to distances of at least `gap`, with minimal displacement.

    Neighbours that are too close form a block centred at the mean of their places.
    """
    blocks: list[
        list[float]
    ] = []  # per block: the sum of its places minus their offsets within it, and its size
    for place in places:
        blocks.append([place, 1])
        while len(blocks) > 1 and _top(blocks[-2], gap) + gap > _bottom(blocks[-1], gap):
            total, size = blocks.pop()
            blocks[-1][0] += total - size * blocks[-1][1] * gap
            blocks[-1][1] += size
    return [_bottom(block, gap) + k * gap for block in blocks for k in range(int(block[1]))]


def _bottom(block: list[float], gap: float) -> float:
    return block[0] / block[1]


def _top(block: list[float], gap: float) -> float:
    return block[0] / block[1] + (block[1] - 1) * gap


def _tasks(tables: Tables) -> str:
    return f"tasks of {headline(tables)}"
