"""Figures of prediction and recovery by size, regime and setting (the paper's Figures 2 to 6 and 8 to 13).

The paper's agents have hollow markers. Our agents played other graphs of the same families.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import Standing, standings

SIZES = (3, 4, 5, 6, 7)

ACCURACY = ("solved", "task accuracy (%)")
EDGES = ("edge_f1", "all-edge F1")
PANELS = (ACCURACY, EDGES, ("root_f1", "root F1"), ("freq_weight_f1", "frequency-weight F1"))

OBSERVED = {4: ("3o0i", "6o0i", "12o0i", "24o0i"), 6: ("5o0i", "10o0i", "20o0i")}
INTERVENED = {4: ("0o3i", "0o6i", "0o12i", "0o24i"), 6: ("0o5i", "0o10i", "0o20i")}
MIXED = {4: ("3o0i", "3o3i", "3o6i", "3o12i", "3o24i"), 6: ("5o0i", "5o5i", "5o10i", "5o20i")}
REGIMES = (("pure observation", OBSERVED), ("pure intervention", INTERVENED), ("mixed", MIXED))

SIZE_STYLES = ((4, "-"), (6, ":"))

MODEL_COLOURS = {
    "GPT-5-mini": "orange",
    "GPT-5.2-high": "blue",
    "Qwen3.5 non-thinking": "sky",
    "Qwen3.5 thinking": "green",
}

SOLVERS = {
    "exact": ("black", "o"),
    "optimal": ("blue", "p"),
    "exhaustive": ("sky", "s"),
    "greedy": ("green", "^"),
    "random-interventions": ("orange", "v"),
    "map": ("purple", "D"),
    "committer": ("vermilion", "X"),
    "pc": ("grey", "P"),
    "ges": ("grey", "<"),
    "lingam": ("grey", ">"),
}
"""Colour and marker of each solver: grey for solvers that treat all states as one sample. All other agents
get a style from their name."""

DODGE = 0.035
"""Horizontal shift between neighbouring players, as a share of a step. It separates equal values."""


@dataclass(frozen=True)
class Player:
    """One of our agents or one of the paper's models, with its values by setting and size."""

    name: str
    quoted: bool
    values: Mapping[tuple[str, int], Mapping[str, float | None]]
    standings: Mapping[tuple[str, int], Standing] = field(default_factory=dict)

    def interval(self, setting: str, nodes: int, metric: str) -> tuple[float | None, float | None]:
        """Return the interval of one of our agents' means; the paper prints none."""
        standing = self.standings.get((setting, nodes))
        return (None, None) if standing is None else standing.interval(metric)

    def at(self, setting: str, nodes: int, metric: str) -> float:
        value = self.values.get((setting, nodes), {}).get(metric)
        return math.nan if value is None else value

    def played(self, setting: str, nodes: int) -> bool:
        return (setting, nodes) in self.values

    @property
    def look(self) -> dict[str, Any]:
        if self.quoted:
            colour = plotting.COLOURS[MODEL_COLOURS.get(self.name, "grey")]
            return {"color": colour, "marker": "o", "markerfacecolor": "white"}
        colour, marker = plotting.agent_style([self.name], SOLVERS)[self.name]
        return {"color": colour, "marker": marker}


def players(tables: Tables) -> list[Player]:
    """Return our agents by name, followed by the paper's models in the order in which they are printed."""
    ours: dict[str, dict[tuple[str, int], Standing]] = {}
    for (agent, setting, nodes), standing in standings(tables).items():
        ours.setdefault(agent, {})[setting, nodes] = standing
    quoted: dict[str, dict[tuple[str, int], Mapping[str, float | None]]] = {}
    for published in tables["published"]:
        for row in published["rows"]:
            values = {**row, "solved": row["accuracy"]}
            before = quoted.setdefault(row["model"], {}).get((row["setting"], row["nodes"]), {})
            # The same condition appears in several tables, some of which print fewer columns.
            known = {name: value for name, value in values.items() if value is not None}
            quoted[row["model"]][row["setting"], row["nodes"]] = {**known, **before}
    agents = [
        Player(name, False, {place: standing.means for place, standing in of_agent.items()}, of_agent)
        for name, of_agent in sorted(ours.items())
    ]
    return agents + [Player(name, True, values) for name, values in quoted.items()]


def _legend(figure: Any, lines: Mapping[str, Any]) -> None:
    """Draw the legend below the panels, in as many columns as fit."""
    labels = list(lines)
    columns = next(n for n in range(len(labels), -1, -1) if n <= 1 or _width(labels, n) < WIDTH)
    figure.legend(list(lines.values()), labels, loc="outside lower center", ncols=columns)


WIDTH = 490.0
"""Largest width of a legend, in points."""


def _width(labels: Sequence[str], columns: int) -> float:
    """Estimate the width of a legend in points: 4 per letter, and 38 per column in addition to its label."""
    rows, longer = divmod(len(labels), columns)
    sizes = [rows + (n < longer) for n in range(columns)]
    ends = list(itertools.accumulate(sizes))
    return math.fsum(38 + 4 * max(map(len, labels[e - s : e])) for s, e in zip(sizes, ends, strict=True))


def _dodged(places: Sequence[float], number: int, everyone: int, step: float) -> list[float]:
    """Return the places on the axis, shifted a little for each player."""
    return [place + (number - (everyone - 1) / 2) * DODGE * step for place in places]


def _panels(
    drawn: Sequence[Player], columns: int, edge: float, height: float
) -> tuple[Any, Any, list[tuple[Any, Player]]]:
    """Return a figure with one panel of accuracy against all-edge F1 per player, its grid, and the panels.

    `edge` is the space above and below all panels and `height` that of each row, both in millimetres.
    """
    rows = max(1, -(-len(drawn) // columns))
    figure = plotting.figure(180, edge + height * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in list(grid.flat)[len(drawn) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel(EDGES[1])
    return figure, grid, list(zip(grid.flat, drawn, strict=False))


def recovery_by_size(tables: Tables) -> Any:
    """Draw four metrics against the number of variables (Figure 10; Figure 6 in another form)."""
    figure = plotting.figure(180, 84)
    grid = figure.subplots(1, 4)
    lines: dict[str, Any] = {}
    drawn = [p for p in players(tables) if any(p.played("main", n) for n in SIZES)]
    for number, player in enumerate(drawn):
        sizes = [n for n in SIZES if player.played("main", n)]
        for axes, (metric, _) in zip(grid, PANELS, strict=True):
            places = _dodged(sizes, number, len(drawn), 1)
            _bars(axes, player, places, [("main", n) for n in sizes], metric)
            (lines[player.name],) = axes.plot(
                places,
                [player.at("main", n, metric) for n in sizes],
                linestyle="--" if player.quoted else "-",
                linewidth=0.8,
                clip_on=False,
                **player.look,
            )
    for axes, (metric, label) in zip(grid, PANELS, strict=True):
        axes.set(xlabel="variables", xticks=SIZES, ylim=(0, 100 if metric == "solved" else 1))
        axes.set_title(label, fontsize=8)
    _legend(figure, lines)
    return figure


def _arrows(
    axes: Any, pairs: Iterable[tuple[Player, str, tuple[float, float], tuple[float, float]]]
) -> dict[str, Any]:
    """Draw arrows in the plane of accuracy and all-edge F1; arrows with a missing value are left out."""
    lines: dict[str, Any] = {}
    for player, style, start, end in pairs:
        if any(math.isnan(value) for value in (*start, *end)):
            continue
        colour = player.look["color"]
        arrow = {"arrowstyle": "->", "color": colour, "linewidth": 1, "linestyle": style}
        axes.annotate("", xy=end, xytext=start, arrowprops=arrow)
        look = {**player.look, "linestyle": "none"}
        (lines[f"{player.name}{' (paper)' if player.quoted else ''}"],) = axes.plot(
            [start[0]], [start[1]], clip_on=False, **look
        )
    axes.set(xlim=(-2, 102), ylim=(0, 1.02), xlabel=ACCURACY[1], ylabel=EDGES[1])
    return lines


def _point(player: Player, setting: str, nodes: int) -> tuple[float, float]:
    return player.at(setting, nodes, "solved"), player.at(setting, nodes, "edge_f1")


def regimes(tables: Tables) -> Any:
    """Draw the change from the largest purely observational to the largest mixed regime (Figure 3)."""
    everyone = players(tables)
    figure = plotting.figure(180, 100)
    grid = figure.subplots(1, 2, sharey=True)
    lines: dict[str, Any] = {}
    for axes, nodes in zip(grid, (4, 6), strict=True):
        ends = (OBSERVED[nodes], MIXED[nodes])
        points = ([_point(p, _last(p, settings, nodes), nodes) for settings in ends] for p in everyone)
        lines |= _arrows(axes, ((p, "-", a, b) for p, (a, b) in zip(everyone, points, strict=True)))
        axes.set(title=f"{nodes} variables")
    grid[1].set(ylabel="")
    _legend(figure, lines)
    return figure


def _last(player: Player, settings: Sequence[str], nodes: int) -> str:
    """Return the last of these settings that the player played, or the last of all if it played none."""
    there = [setting for setting in settings if player.played(setting, nodes)]
    return there[-1] if there else settings[-1]


def frontier(tables: Tables) -> Any:
    """Draw all scaling settings, with one line per regime and an arrow at the largest budget (Figure 11)."""
    drawn = [p for p in players(tables) if any(p.played(MIXED[n][1], n) for n in (4, 6))]
    figure, _, panels = _panels(drawn, 4, 20, 46)
    colours = ("blue", "vermilion", "green")
    lines: dict[str, Any] = {}
    for axes, player in panels:
        for (name, settings), colour in zip(REGIMES, colours, strict=True):
            for nodes, style in SIZE_STYLES:
                points = [_point(player, s, nodes) for s in settings[nodes] if player.played(s, nodes)]
                if not points:
                    continue
                (lines[f"{name}, {nodes} variables"],) = axes.plot(
                    [x for x, _ in points],
                    [y for _, y in points],
                    linestyle=style,
                    color=plotting.COLOURS[colour],
                    clip_on=False,
                )
                axes.plot(*points[-1], marker=">", color=plotting.COLOURS[colour], clip_on=False)
        axes.set(xlim=(-2, 102), ylim=(0, 1.02), title=player.name + (" (paper)" if player.quoted else ""))
        axes.set_xlabel(ACCURACY[1])
    _legend(figure, lines)
    return figure


def scaling(tables: Tables) -> Any:
    """Draw accuracy and all-edge F1 against the number of records or interventions (Figures 12 and 13)."""
    everyone = players(tables)
    figure = plotting.figure(180, 120)
    grid = figure.subplots(2, 6, sharex="col", sharey="row")
    lines: dict[str, Any] = {}
    columns = [(name, settings, nodes) for nodes in (4, 6) for name, settings in REGIMES]
    for column, (name, settings, nodes) in enumerate(columns):
        for number, player in enumerate(everyone):
            there = [setting for setting in settings[nodes] if player.played(setting, nodes)]
            if len(there) < 2:
                continue
            # One step of this axis is the distance between its two lowest settings.
            amounts = _dodged([_amount(setting, name) for setting in there], number, len(everyone), 3)
            for axes, (metric, _) in zip(grid[:, column], (ACCURACY, EDGES), strict=True):
                _bars(axes, player, amounts, [(setting, nodes) for setting in there], metric)
                (lines[player.name],) = axes.plot(
                    amounts,
                    [player.at(setting, nodes, metric) for setting in there],
                    linestyle="--" if player.quoted else "-",
                    linewidth=0.8,
                    markersize=3,
                    **player.look,
                )
        grid[0, column].set_title(f"{nodes} variables\n{name}", fontsize=7)
        grid[0, column].set(ylim=(-3, 103))
        grid[1, column].set(
            xlabel="records" if name == "pure observation" else "interventions", ylim=(-0.03, 1.03)
        )
    for axes, (_, label) in zip(grid[:, 0], (ACCURACY, EDGES), strict=True):
        axes.set(ylabel=label)
    _legend(figure, lines)
    return figure


def _bars(
    axes: Any, player: Player, places: Sequence[float], settings: Sequence[tuple[str, int]], metric: str
) -> None:
    """Draw the 95 % bootstrap intervals of one of our agents."""
    for at, (setting, nodes) in zip(places, settings, strict=True):
        low, high = player.interval(setting, nodes, metric)
        if low is not None:
            axes.plot([at, at], [low, high], color=player.look["color"], linewidth=0.6, alpha=0.6)


def _amount(setting: str, regime: str) -> int:
    """Return the number in a setting's name: records in pure observation, otherwise interventions."""
    records, _, rest = setting.partition("o")
    return int(records) if regime == "pure observation" else int(rest.removesuffix("i"))


DISTURBED = (
    ("properties shifted", "blue", "o", ("n1", "n2", "n3")),
    ("size of the shift", "green", "s", ("vrange_pm0p5", "vrange_pm5", "vrange_pm50")),
    ("frequency shifted, too", "vermilion", "D", ("freqnode_n1", "freqnode_n2", "freqnode_n3")),
)
"""The three kinds of hidden disturbance: label, colour, marker, and settings in ascending strength."""


def hidden(tables: Tables) -> Any:
    """Draw hidden disturbances: nine settings per panel, with the baseline as a cross (Figure 8).

    Marks are hollow and grow with the disturbance, so that settings with equal values show as nested marks.
    """
    drawn = [p for p in players(tables) if p.played("hidden_n1", 4)]
    figure, grid, panels = _panels(drawn, 3, 18, 50)
    lines: dict[str, Any] = {}
    for axes, player in panels:
        for kind, colour, marker, settings in DISTURBED:
            for size, setting in zip((3.5, 6.5, 9.5), settings, strict=True):
                x, y = _point(player, f"hidden_{setting}", 4)
                look = {"marker": marker, "markersize": size, "markerfacecolor": "none"}
                (lines[kind],) = axes.plot(
                    [x], [y], linestyle="none", color=plotting.COLOURS[colour], clip_on=False, **look
                )
        x, y = _point(player, "main", 4)
        if not math.isnan(x):
            (lines["undisturbed"],) = axes.plot(
                [x], [y], linestyle="none", marker="+", color="black", markersize=9, clip_on=False
            )
        axes.set(xlim=(-4, 104), ylim=(-0.03, 1.03))
        axes.set_title(player.name + (" (paper)" if player.quoted else ""), fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel(ACCURACY[1])
    _legend(figure, lines)
    return figure


def follow_ups(tables: Tables) -> Any:
    """Draw the changes from the baseline to hard quadratic, FreqParent, golden traces (Figures 2, 9, 4)."""
    everyone = players(tables)
    figure = plotting.figure(180, 80)
    grid = figure.subplots(1, 3, sharey=True)
    lines: dict[str, Any] = {}
    titles = (
        ("quad-hard", "linear → hard quadratic"),
        ("freqparent", "main → FreqParent"),
        ("golden", "main → golden"),
    )
    for axes, (setting, title) in zip(grid, titles, strict=True):
        pairs = (
            (player, style, _point(player, "main", nodes), _point(player, setting, nodes))
            for player in everyone
            for nodes, style in SIZE_STYLES
        )
        lines |= _arrows(axes, pairs)
        axes.set(title=title)
    for axes in grid[1:]:
        axes.set(ylabel="")
    for nodes, style in SIZE_STYLES:
        (lines[f"{nodes} variables"],) = grid[0].plot([], [], color="black", linestyle=style)
    _legend(figure, lines)
    return figure


def function_form(tables: Tables) -> Any:
    """Draw four metrics of linear and of hard quadratic mechanisms with 4 variables (Figure 2)."""
    drawn = [p for p in players(tables) if p.played("main", 4) and p.played("quad-hard", 4)]
    figure = plotting.figure(180, 34 + 6 * len(drawn))
    grid = figure.subplots(1, len(PANELS), sharey=True)
    lines: dict[str, Any] = {}
    for axes, (metric, label) in zip(grid, PANELS, strict=True):
        for at, player in enumerate(drawn):
            ends = [player.at(setting, 4, metric) for setting in ("main", "quad-hard")]
            colour = player.look["color"]
            axes.plot(ends, [at, at], color=colour, linewidth=1)
            (lines["linear"],) = axes.plot(
                ends[:1],
                [at],
                marker="o",
                linestyle="none",
                color=colour,
                markerfacecolor="white",
                clip_on=False,
            )
            (lines["hard quadratic"],) = axes.plot(
                ends[1:], [at], marker="s", linestyle="none", color=colour, clip_on=False
            )
        axes.set(xlim=(0, 100 if metric == "solved" else 1), ylim=(len(drawn) - 0.4, -0.6))
        axes.set_title(label, fontsize=8)
    names = [f"{player.name}{' (paper)' if player.quoted else ''}" for player in drawn]
    grid[0].set_yticks(range(len(names)), names)
    _legend(figure, lines)
    return figure


GAP = ("exact", "committer")
SHOWN_GAP = (
    ("solved", "accuracy", 1.0),
    ("root_f1", "root F1", 100.0),
    ("edge_f1", "all-edge F1", 100.0),
    ("freq_edge_f1", "frequency edges F1", 100.0),
    ("freq_weight_f1", "frequency weights F1", 100.0),
)


def gap(tables: Tables) -> Any:
    """Draw the lead of one agent over another by metric and size, for our pair and the paper's (Figure 5)."""
    by_name = {player.name: player for player in players(tables)}
    pairs = [GAP, ("GPT-5.2-high", "GPT-5-mini")]
    figure = plotting.figure(180, 62)
    grid = figure.subplots(1, 2, sharey=True)
    mesh = None
    for axes, (first, second) in zip(grid, pairs, strict=True):
        values: list[list[float | None]] = []
        for metric, _, scale in SHOWN_GAP:
            row: list[float | None] = []
            for nodes in SIZES:
                both = [by_name[n].at("main", nodes, metric) for n in (first, second) if n in by_name]
                ahead = scale * (both[0] - both[1]) if len(both) == 2 else math.nan
                row.append(None if math.isnan(ahead) else ahead)
            values.append(row)
        labels = [label for _, label, _ in SHOWN_GAP]
        mesh = plotting.heatmap(axes, values, labels, [str(n) for n in SIZES], low=-100, high=100, digits=0)
        axes.set(title=f"{first} less {second}", xlabel="variables")
    figure.colorbar(mesh, ax=list(grid), label="percentage points", fraction=0.03, pad=0.02)
    return figure


def radar(tables: Tables) -> Any:
    """Draw accuracy, all-edge F1 and distance, with one vertex per size (Figure 6)."""
    figure = plotting.figure(180, 85)
    grid = figure.subplots(1, 3, subplot_kw={"projection": "polar"})
    angles = [2 * math.pi * n / len(SIZES) for n in range(len(SIZES))]
    lines: dict[str, Any] = {}
    for player in players(tables):
        if not all(player.played("main", n) for n in SIZES):
            continue
        for axes, metric in zip(grid, ("solved", "edge_f1", "shd"), strict=True):
            values = [player.at("main", n, metric) for n in SIZES]
            (lines[player.name],) = axes.plot(
                [*angles, angles[0]],
                [*values, values[0]],
                linestyle="--" if player.quoted else "-",
                markersize=2.5,
                **player.look,
            )
    for axes, title in zip(grid, (ACCURACY[1], EDGES[1], "Hamming distance (edges)"), strict=True):
        axes.set(title=title)
        axes.set_xticks(angles, [str(n) for n in SIZES])
        axes.tick_params(labelsize=6)
    grid[0].set_ylim(0, 100)
    grid[1].set_ylim(0, 1)
    _legend(figure, lines)
    return figure
