"""Registry of the suite's figures; each is drawn in a module of `drawings`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from assay.protocol import FigureSpec
from assay.suites.causalab.drawings import commitment, recovery, trajectory_pages

FIGURES: Mapping[str, FigureSpec] = {
    "recovery-by-size": FigureSpec(
        recovery.recovery_by_size,
        "Four panels over the number of variables: task accuracy, F1 of all edges, root F1 and F1 of the "
        "frequency's weights, one line an agent; the models of the paper hollow and dashed.",
    ),
    "sizes-radar": FigureSpec(
        recovery.radar,
        "Three radar charts with one vertex a size: task accuracy, F1 of all edges, Hamming distance.",
    ),
    "gap": FigureSpec(
        recovery.gap,
        "Two heat maps, metrics by size, in percentage points: what one of our solvers is ahead of another, "
        "and what one model of the paper is ahead of another.",
    ),
    "regimes": FigureSpec(
        recovery.regimes,
        "Arrows from the largest pure-observation setting to the largest mixed one, in the plane of task "
        "accuracy and F1 of all edges, for 4 and 6 variables; the models of the paper hollow.",
    ),
    "frontier": FigureSpec(
        recovery.frontier,
        "One panel an agent in the plane of task accuracy and F1 of all edges: a line a regime through its "
        "budgets, with a triangle at the largest.",
    ),
    "scaling": FigureSpec(
        recovery.scaling,
        "Task accuracy (above) and F1 of all edges (below) against the number of records or interventions, "
        "by regime and size, one line an agent.",
    ),
    "hidden": FigureSpec(
        recovery.hidden,
        "One panel an agent: the settings with a hidden disturbance in the plane of task accuracy and F1 of "
        "all edges, coloured by what is varied, larger where there is more of it; undisturbed as a cross.",
    ),
    "follow-ups": FigureSpec(
        recovery.follow_ups,
        "Three panels with arrows from the main setting to hard-quadratic mechanisms, to a frequency that "
        "may cause, and to golden traces; dotted with 6 variables, the models of the paper hollow.",
    ),
    "early-commitment": FigureSpec(
        commitment.early_commitment,
        "Three panels: the share of interventions used and of own evidence contradicted, by outcome, and "
        "task accuracy without and with a check of the equation before commitment.",
    ),
    **{
        page.name: FigureSpec(
            partial(trajectory_pages.trajectory_page, page),
            f"One episode of {page.words}: the true graph, the hypothesis after every intervention (right "
            "edges green, wrong ones red, missing ones dotted), and its metrics below.",
        )
        for page in trajectory_pages.PAGES
    },
}
