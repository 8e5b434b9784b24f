"""Registry of the suite's figures; each entry names the function that draws it."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec
from assay.suites.causalab.drawings.pages import PAGES

FIGURES: Mapping[str, FigureSpec] = {
    "early-commitment": FigureSpec(
        "assay.suites.causalab.drawings.commitment:early_commitment",
        "Four panels: the share of interventions used, the share of own evidence contradicted and the mean "
        "residual, by outcome (bars: 4 variables, diamonds: 6), and task accuracy without and with a check "
        "of the equation before commitment.",
    ),
    "follow-ups": FigureSpec(
        "assay.suites.causalab.drawings.recovery:follow_ups",
        "Three panels with arrows from the main setting to hard-quadratic mechanisms, to a frequency that "
        "may cause, and to golden traces; dotted with 6 variables, the models of the paper hollow.",
    ),
    "frontier": FigureSpec(
        "assay.suites.causalab.drawings.recovery:frontier",
        "One panel an agent in the plane of task accuracy and F1 of all edges: a line a regime through its "
        "budgets, with a triangle at the largest.",
    ),
    "function-form": FigureSpec(
        "assay.suites.causalab.drawings.recovery:function_form",
        "Four panels with a line an agent from linear (hollow circle) to hard quadratic mechanisms (square): "
        "task accuracy, F1 of all edges, root F1 and F1 of the frequency's weights, with 4 variables.",
    ),
    "gap": FigureSpec(
        "assay.suites.causalab.drawings.recovery:gap",
        "Two heat maps, metrics by size, in percentage points: what one of our solvers is ahead of another, "
        "and what one model of the paper is ahead of another.",
    ),
    "hidden": FigureSpec(
        "assay.suites.causalab.drawings.recovery:hidden",
        "One panel an agent: the settings with a hidden disturbance in the plane of task accuracy and F1 of "
        "all edges, coloured by what is varied, larger where there is more of it; undisturbed as a cross.",
    ),
    "recovery-by-size": FigureSpec(
        "assay.suites.causalab.drawings.recovery:recovery_by_size",
        "Four panels over the number of variables: task accuracy, F1 of all edges, root F1 and F1 of the "
        "frequency's weights, one line an agent, with 95 % bootstrap intervals; the models of the paper "
        "hollow and dashed.",
    ),
    "regret": FigureSpec(
        "assay.suites.causalab.drawings.attainable:regret",
        "Above, a panel an agent: F1 of all edges in main-v1 by number of variables, that of the best "
        "inference from the agent's own data (yoked), and that of an optimal agent. Below: the parts of the "
        "regret with 95 % intervals, and the expected information of interventions as a share of the best (3 "
        "and 4 variables).",
    ),
    "regimes": FigureSpec(
        "assay.suites.causalab.drawings.recovery:regimes",
        "Arrows from the largest pure-observation setting to the largest mixed one, in the plane of task "
        "accuracy and F1 of all edges, for 4 and 6 variables; the models of the paper hollow.",
    ),
    "scaling": FigureSpec(
        "assay.suites.causalab.drawings.recovery:scaling",
        "Task accuracy (above) and F1 of all edges (below) against the number of records or interventions, "
        "by regime and size, one line an agent, with 95 % bootstrap intervals.",
    ),
    "sealed": FigureSpec(
        "assay.suites.causalab.drawings.sealed:sealed",
        "Left: F1 of all edges in main-v1 by number of variables, with 95 % bootstrap intervals. Right: its "
        "difference to the baseline of each sealed set (the main setting, or the largest regime with "
        "records), paired over equal graphs.",
    ),
    "sizes-radar": FigureSpec(
        "assay.suites.causalab.drawings.recovery:radar",
        "Three radar charts with one vertex a size: task accuracy, F1 of all edges, Hamming distance.",
    ),
    **{
        page.name: FigureSpec(
            "assay.suites.causalab.drawings.trajectory_pages:trajectory_page",
            f"One episode of {page.words}: the true graph, the hypothesis after every intervention (right "
            "edges green, wrong ones red, missing ones dotted), and its metrics below.",
            (page,),
        )
        for page in PAGES
    },
}
