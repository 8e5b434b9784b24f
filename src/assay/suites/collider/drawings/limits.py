"""Figure of the limits: masses and strengths on our contours beside those of the papers."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.collider.tables.limits import CLOSE, limit_bins, limits

INK, OURS = plotting.COLOURS["black"], plotting.COLOURS["vermilion"]
BAND = "#D5D5D5"


def draw(tables: Tables) -> Any:
    """Draw limits at points on published contours, and limits of single bins over the published ones."""
    points = limits(tables)
    bins = limit_bins(tables).dropna(subset=["published"])
    figure = plotting.figure(width_mm=190, height_mm=90)
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    left.axvspan(1 - CLOSE, 1 + CLOSE, color=BAND, zorder=0)
    left.axvline(1.0, color=INK, linewidth=0.8)
    places = range(len(points))
    left.plot(points["observed"], places, "o", color=OURS, label="observed")
    left.plot(points["expected"], places, "|", color=INK, markersize=9, label="expected")
    left.set_xscale("log")
    ticks = (0.5, 1, 2, 4)
    left.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    left.minorticks_off()
    names = [
        f"{row['point'].split('_')[0]}: {row['excluded']:.0f} for {row['published_mass']:.0f} GeV"
        for row in points.to_dict("records")
    ]
    left.set_yticks(places, names)
    left.invert_yaxis()
    left.set(xlabel="95 % upper limit on the signal strength", title="Points on published contours")
    left.legend(loc="upper right")
    for paper, colour in zip(sorted(set(bins["paper"])), ("blue", "orange"), strict=False):
        chosen = bins[bins["paper"] == paper]
        right.plot(
            chosen["published"],
            chosen["ratio"],
            ".",
            color=plotting.COLOURS[colour],
            label=paper.split("-", 1)[1],
        )
    right.axhspan(1 - CLOSE, 1 + CLOSE, color=BAND, zorder=0)
    right.axhline(1.0, color=INK, linewidth=0.8)
    right.set_xscale("log")
    right.set(
        xlabel="published upper limit [events]",
        ylabel="limit over the published one",
        ylim=(0, 2),
        title="Single bins",
    )
    right.legend(loc="upper right")
    return figure
