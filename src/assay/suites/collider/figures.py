"""Registry of the suite's figures, with the functions that draw them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec

FIGURES: Mapping[str, FigureSpec] = {
    "overlay": FigureSpec(
        "assay.suites.collider.drawings.comparisons:overlay",
        "A published and a mock signal: reference yields as steps with their known uncertainty as a band, "
        "the submissions of solvers as marks, and below the ratio of each to the reference.",
    ),
    "distances": FigureSpec(
        "assay.suites.collider.drawings.comparisons:distances",
        "The distance d of each solver and of the paper's agents at each of the ten tasks, as coloured "
        "cells, framed where the task counts as solved. The solvers on the left write numbers down and are "
        "called fabricated. They play at the level of cuts and the paper's agents at that of objects, so the "
        "two do not compare.",
    ),
    "shape-against-norm": FigureSpec(
        "assay.suites.collider.drawings.comparisons:shape_against_norm",
        "Left: the error of the shape against the error of the total, each solver and task a mark. Right: "
        "the cells of the paper, error of the shape against error of the yields, hollow.",
    ),
    "cost-against-accuracy": FigureSpec(
        "assay.suites.collider.drawings.comparisons:cost_against_accuracy",
        "List price of a task against the number of tasks with a mean distance below 0.33, for the six "
        "agents of the paper; those on the frontier are filled. On the left edge the agents of this "
        "suite, which have no list price, and play the easier level of cuts.",
    ),
    "solvers": FigureSpec(
        "assay.suites.collider.drawings.comparisons:solvers",
        "What six metrics say of each comparison solver, as the median over its tasks, and the share that it "
        "does not solve: a wrong rate, a wrong shape and an empty answer look different.",
    ),
    "statuses": FigureSpec(
        "assay.suites.collider.drawings.runs:statuses",
        "The share of each agent's runs that passed the provenance gate, failed, were left undecided or "
        "called fabricated, as stacked bars.",
    ),
    "overlays": FigureSpec(
        "assay.suites.collider.drawings.runs:overlays",
        "For each of the ten tasks the reference yields in grey, and as lines the best run of each agent "
        "that was neither called fabricated nor left undecided.",
    ),
    "shape-overlays": FigureSpec(
        "assay.suites.collider.drawings.runs:shape_overlays",
        "For each of the ten points the reference shape in grey, and as lines the best run of each agent "
        "at the task that asks for the shape alone; all have unit totals.",
    ),
    "shape-distances": FigureSpec(
        "assay.suites.collider.drawings.runs:shape_distances",
        "The distance d of each agent at each task that asks for the shape alone, as coloured cells.",
    ),
    "shape-against-simulation": FigureSpec(
        "assay.suites.collider.drawings.runs:shape_against_simulation",
        "The distance of the shape where only the shape is asked for, against that where yields are asked"
        " for at the same point, each agent and point a mark; equal on the line.",
    ),
    "reproductions": FigureSpec(
        "assay.suites.collider.drawings.reproductions:yields",
        "For each task the reference yields as steps with their known errors as a band, and the yields of "
        "the reference solver as points with Monte Carlo errors; below the ratio of both. d in the title.",
    ),
    "cut-flow": FigureSpec(
        "assay.suites.collider.drawings.reproductions:cut_flow",
        "The share of generated events that is left after each cut, one line a task, on a logarithmic scale.",
    ),
    "limits": FigureSpec(
        "assay.suites.collider.drawings.limits:draw",
        "Left: observed and expected upper limits on the signal strength where the published limit is 1, "
        "with the masses on both contours; the band is 30 %. Right: limits on the events of a signal in "
        "single bins over the published ones.",
    ),
    "event-display": FigureSpec(
        "assay.suites.collider.drawings.event_display:draw",
        "One simulated event with a photon and missing momentum: the transverse view with momenta as lines "
        "from the centre, and the plane of pseudorapidity and azimuth with jets as circles.",
    ),
    "response": FigureSpec(
        "assay.suites.collider.drawings.response:draw",
        "Left: the relative resolution of tracks, photons and neutral hadrons against energy, as points on "
        "the curves that the detector is given. Right: missing momentum as measured minus the true one.",
    ),
}
