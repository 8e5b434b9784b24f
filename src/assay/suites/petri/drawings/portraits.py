"""Small pictures of the worlds: one run at control, and runs with one parameter changed.

To add a world, write an entry in `data/portraits.yaml`, a function here that draws one run, and a caption in
the registry of figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection

from assay import plotting
from assay.config import data
from assay.protocol import Tables
from assay.suites.petri.engines import market, morph, origin, social, swarm
from assay.suites.petri.worlds import WORLDS, Config

DATA_FILES = ("../data/portraits.yaml",)

SEED = 20260
"""Seed of the run in every panel, so that panels differ only in the changed parameter."""

Draw = Callable[[Any, Config, int], str]
"""A function that draws one run of a configuration and a seed into axes and returns a line about it."""


@dataclass(frozen=True)
class Portrait:
    """The panels of a world: control, then one for each of `changes`. `key` explains the symbols."""

    __pydantic_config__ = data.CLOSED

    changes: tuple[Mapping[str, data.Number], ...]
    key: str


def portrait(world: str, tables: Tables) -> Any:
    """Draw the panels of a world side by side."""
    settings: tuple[Mapping[str, float], ...] = ({}, *PORTRAITS[world].changes)
    figure = plotting.figure(width_mm=180, height_mm=62)
    panels = figure.subplots(1, len(settings), squeeze=False, sharey=True)[0]
    for axes, changes in zip(panels, settings, strict=True):
        line = _DRAW[world](axes, WORLDS[world].resolved(changes), SEED)
        words = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in changes.items())
        axes.set_title(words or "control")
        axes.set_xlabel(line, fontsize=7)
    figure.supxlabel(
        f"{world}: one run, the same seed. {PORTRAITS[world].key}", fontsize=7, x=0.01, ha="left"
    )
    return figure


def _framed(axes: Any) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)


def _values(config: Config, names: tuple[str, ...]) -> np.ndarray:
    return np.array([float(config[name]) for name in names])


def _swarm(axes: Any, config: Config, seed: int) -> str:
    """Draw the last state: each agent as an arrow, darker if it agrees more with the mean heading."""
    parameters = _values(config, swarm.PARAMETERS)
    (x, y), (hx, hy) = swarm.final_state(parameters, np.uint64(seed), swarm.STEPS)
    n = len(x)
    mean_x, mean_y = float(hx.sum()) / n, float(hy.sum()) / n
    length = (mean_x * mean_x + mean_y * mean_y) ** 0.5
    along = (hx * mean_x + hy * mean_y) / length
    arrows = {"width": 0.012, "headwidth": 3.4, "headlength": 3.6, "headaxislength": 3.2, "pivot": "mid"}
    colours = {"cmap": plotting.SEQUENTIAL, "clim": (-1.0, 1.0)}
    axes.quiver(x, y, hx, hy, -along, angles="xy", scale=14, **arrows, **colours)
    axes.set(xlim=(0, swarm.SIDE), ylim=(0, swarm.SIDE), aspect="equal")
    _framed(axes)
    return f"{n} agents, mean heading {length:.2f}"


def _market(axes: Any, config: Config, seed: int) -> str:
    parameters = _values(config, market.PARAMETERS)
    returns = 100.0 * market.series(parameters, np.array([seed], dtype=np.uint64), market.STEPS)[0]
    sd, kurtosis = market.moments(returns)
    axes.plot(returns, color=plotting.COLOURS["blue"], linewidth=0.4)
    axes.set(xlim=(0, market.STEPS), ylim=(-8, 8))
    axes.set_xticks([0, market.STEPS])
    return f"volatility {sd:.2f}, kurtosis {kurtosis:.1f}"


EVERY = 5
"""Number of generations between two points of a line."""


def _origin(axes: Any, config: Config, seed: int) -> str:
    """Draw population and mean fitness over the generations.

    Each point is a separate run, which works because a shorter run equals the beginning of a longer one.
    """
    parameters = _values(config, origin.PARAMETERS)
    seeds = np.array([seed], dtype=np.uint64)
    when = range(0, origin.STEPS + 1, EVERY)
    runs = [origin.replicates(parameters, seeds, steps)[0].tolist() for steps in when]
    axes.plot(when, [run[0] for run in runs], color=plotting.COLOURS["blue"])
    axes.plot(when, [100 * run[1] for run in runs], color=plotting.COLOURS["orange"], linestyle="--")
    axes.set(xlim=(0, origin.STEPS), ylim=(0, 180))
    axes.set_xticks([0, origin.STEPS])
    population, fitness, *_, ended = runs[-1]
    return (
        f"{population:.0f} alive, mean fitness {fitness:.2f}" if population else f"nobody after {ended:.0f}"
    )


def _morph(axes: Any, config: Config, seed: int) -> str:
    """Draw the cells that count as pattern; adjacent cells of a row are merged into one rectangle."""
    parameters = _values(config, morph.PARAMETERS)
    state = morph.evolved(parameters, np.uint64(seed), morph.STEPS)
    v = state[morph.PLANE :].reshape(morph.WIDTH, morph.WIDTH)[1:-1, 1:-1]
    covered = v > morph.LEVEL
    runs = []
    for row, cells in enumerate(covered.tolist()):
        edges = [at for at, (a, b) in enumerate(pairwise([False, *cells, False])) if a != b]
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            runs.append([(low, row), (high, row), (high, row + 1), (low, row + 1)])
    axes.add_collection(
        PolyCollection(runs, facecolor=plotting.COLOURS["blue"], edgecolor="none", antialiased=False)
    )
    axes.set(xlim=(0, morph.SIDE), ylim=(0, morph.SIDE), aspect="equal")
    _framed(axes)
    blobs, *_ = morph.pattern(covered.ravel())
    return f"{blobs} blobs, coverage {covered.mean():.2f}"


LINES = 60
"""Number of agents that are drawn, evenly spaced by index."""


def _social(axes: Any, config: Config, seed: int) -> str:
    """Draw opinions over the first sweeps, with one line per agent."""
    parameters = _values(config, social.PARAMETERS)
    n = int(parameters[0])
    x, moves = np.empty(n), np.empty(n)
    social.start(parameters, np.uint64(seed), x, moves)
    drawn = np.linspace(0, n - 1, LINES).astype(np.int64)
    history = [x[drawn]]
    last = 40
    for step in range(social.STEPS):
        social.sweep(parameters, np.uint64(seed), step, x, moves)
        if step < last:
            history.append(x[drawn])
    for line in np.array(history).T:
        axes.plot(line, color=plotting.COLOURS["blue"], linewidth=0.4, alpha=0.6)
    axes.set(xlim=(0, last), ylim=(-0.03, 1.03))
    axes.set_xticks([0, last])
    out = np.empty(len(social.METRICS))
    social.describe(x, out)
    return f"{out[0]:.0f} clusters, polarization {out[1]:.2f}"


_DRAW: Mapping[str, Draw] = {
    "swarm": _swarm,
    "market": _market,
    "origin": _origin,
    "morph": _morph,
    "social": _social,
}

PORTRAITS: Mapping[str, Portrait] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Portrait])
