"""Figure of the detector response: resolutions of simulated particles, and the curves that define them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from assay import plotting
from assay.numbers import rng
from assay.protocol import Tables
from assay.suites.collider.drawings import generator_figure

POINT, FILTER = "T5Wg_1750_1700", "hard-photon"
SEED = 8
EVENTS = 200
ENERGIES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0)
"""Edges of the bins in energy or pT, GeV."""

FEWEST = 30
"""Smallest number of particles for which a resolution is shown."""

BARREL = 1.4


def draw(tables: Tables) -> Any:
    return generator_figure.draw(75, _panels)


def _panels(figure: Any) -> None:
    import numpy as np

    from assay.suites.collider.chain import filters, samples
    from assay.suites.collider.chain.detector import particles as detector

    left, right = figure.subplots(1, 2)
    chunk = samples.source(POINT, FILTER).chunk(SEED, 0, EVENTS)
    measured = detector.measure(chunk, rng.stream(SEED, "collider", "response").key)
    true = chunk.energy[measured.rows]
    ratio = measured.energy / true
    pt = np.sqrt(chunk.px[measured.rows] ** 2 + chunk.py[measured.rows] ** 2)
    barrel = np.abs(measured.eta) < BARREL
    kinds = (
        ("tracks, against pT", detector.CHARGED, "blue", pt, _track),
        ("photons, against energy", detector.PHOTON, "green", true, _calorimeter("electromagnetic")),
        ("neutral hadrons, against energy", detector.NEUTRAL, "orange", true, _calorimeter("hadronic")),
    )
    for name, kind, colour, scale, expected in kinds:
        taken = barrel & (measured.kind == kind)
        line = plotting.COLOURS[colour]
        grid = [1.0 * 2000.0 ** (k / 100) for k in range(101)]
        left.plot(grid, [expected(x) for x in grid], color=line, linewidth=0.8)
        points = [
            (math.sqrt(low * high), _width(ratio[taken & (scale >= low) & (scale < high)]))
            for low, high in pairwise(ENERGIES)
        ]
        measured_points = [(x, width) for x, width in points if width is not None]
        left.plot(
            [x for x, _ in measured_points],
            [width for _, width in measured_points],
            linestyle="none",
            marker="o",
            markersize=3,
            color=line,
            label=name,
        )
    left.set(xscale="log", yscale="log", xlim=(1, 2000), ylim=(5e-3, 2))
    left.set(xlabel="GeV", ylabel="relative resolution", title="points: particles; lines: as given")
    left.legend(loc="upper right")

    unseen = chunk.final & np.isin(np.abs(chunk.ids), sorted(filters.INVISIBLE))
    events = np.repeat(np.arange(len(chunk)), np.diff(chunk.offsets))
    gaps = []
    for missing, momenta in ((measured.miss_x, chunk.px), (measured.miss_y, chunk.py)):
        gone = np.bincount(events[unseen], weights=momenta[unseen], minlength=len(chunk))
        gaps += (missing - gone).tolist()
    edges = [-150.0 + 15 * k for k in range(21)]
    counts = [sum(low <= gap < high for gap in gaps) for low, high in pairwise(edges)]
    right.stairs(counts, edges, color=plotting.COLOURS["vermilion"], linewidth=1.2)
    spread = _width(np.array(gaps))
    right.set(xlabel="measured minus true, each component [GeV]", ylabel="components")
    right.set_title(f"missing momentum: 68 % within {spread or 0:.0f} GeV")


def _width(values: Any) -> float | None:
    """Return half the width that holds the central 68.3 % of values; None for fewer than `FEWEST` values."""
    ordered = sorted(values.tolist())
    if len(ordered) < FEWEST:
        return None
    cut = round(0.1585 * len(ordered))
    return float(ordered[-1 - cut] - ordered[cut]) / 2


def _track(pt: float) -> float:
    from assay.suites.collider.chain import parameters

    given = parameters.value("detector", "track")
    return math.hypot(given["constant"], given["slope"] * pt)


def _calorimeter(name: str) -> Any:
    """Return the relative resolution of a calorimeter as a function of energy (GeV)."""
    from assay.suites.collider.chain import parameters

    given = parameters.value("detector", name)

    def resolution(energy: float) -> float:
        terms = (given["stochastic"] / math.sqrt(energy), given["constant"], given["noise"] / energy)
        return math.hypot(*terms)

    return resolution
