"""The worlds as small pictures: how one run looks at control, and with one parameter changed.

A world is added by an entry of `PORTRAITS`: what to change, how to draw one run, and what is to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.petri.worlds import WORLDS, Config

SEED = 20260
"""Of the run that every panel shows: one seed, so that panels differ by the change alone."""

Draw = Callable[[Any, Config, int], str]
"""Draw one run of a configuration and a seed into axes; returns a line about it."""


@dataclass(frozen=True)
class Portrait:
    """The panels of a world: control first, then each of `changes`; `key` explains the marks."""

    draw: Draw
    changes: tuple[Mapping[str, float], ...]
    key: str
    alt: str


def portrait(world: str, tables: Tables) -> Any:
    """The panels of a world, side by side."""
    found = PORTRAITS[world]
    settings: tuple[Mapping[str, float], ...] = ({}, *found.changes)
    figure = plotting.figure(width_mm=180, height_mm=62)
    for axes, changes in zip(figure.subplots(1, len(settings), squeeze=False)[0], settings, strict=True):
        line = found.draw(axes, WORLDS[world].resolved(changes), SEED)
        words = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in changes.items())
        axes.set_title(words or "control")
        axes.set_xlabel(line, fontsize=7)
    figure.supxlabel(f"{world}: one run, the same seed. {found.key}", fontsize=7, x=0.01, ha="left")
    return figure


def _swarm(axes: Any, config: Config, seed: int) -> str:
    """The last state: every agent as an arrow, the darker the better it goes with the mean heading."""
    import numpy as np

    from assay.suites.petri.engines import swarm

    parameters = np.array([float(config[name]) for name in swarm.PARAMETERS])
    (x, y), (hx, hy) = swarm.final_state(parameters, np.uint64(seed), swarm.STEPS)
    n = len(x)
    mean_x, mean_y = float(hx.sum()) / n, float(hy.sum()) / n
    length = (mean_x * mean_x + mean_y * mean_y) ** 0.5
    along = (hx * mean_x + hy * mean_y) / length
    axes.quiver(
        x,
        y,
        hx,
        hy,
        -along,
        cmap=plotting.SEQUENTIAL,
        clim=(-1.0, 1.0),
        angles="xy",
        scale=14,
        width=0.012,
        headwidth=3.4,
        headlength=3.6,
        headaxislength=3.2,
        pivot="mid",
    )
    axes.set(xlim=(0, swarm.SIDE), ylim=(0, swarm.SIDE), aspect="equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)
    return f"{n} agents, mean heading {length:.2f}"


PORTRAITS: Mapping[str, Portrait] = {
    "swarm": Portrait(
        _swarm,
        ({"noise": 0.22}, {"noise": 0.6}, {"cohesion": 1.25}),
        "Arrows: agents and their headings at the end; yellow: against the mean heading.",
        "The swarm after 200 steps, one arrow an agent: at control partly aligned, with little noise "
        "aligned, with much noise disordered, with strong cohesion in clumps.",
    ),
}
