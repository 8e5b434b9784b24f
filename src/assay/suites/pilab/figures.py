"""Registry of the suite's figures, with the functions that draw them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec

FIGURES: Mapping[str, FigureSpec] = {
    "citations": FigureSpec(
        "assay.suites.pilab.drawings.runs:citations",
        "Cumulative citations by month, mean over worlds, one line an agent; the baseline is dashed.",
    ),
    "booms": FigureSpec(
        "assay.suites.pilab.drawings.runs:booms",
        "IMPACT of each run on a logarithmic scale, against the highest hotness of a paper's topic after it "
        "came out, and against the number of papers in worlds with a boom. Crosses are labs that closed.",
    ),
    "legibility": FigureSpec(
        "assay.suites.pilab.drawings.surveys:legibility",
        "For each month, the rank correlation of the citations so far with the final IMPACT.",
    ),
    "census": FigureSpec(
        "assay.suites.pilab.drawings.runs:kinds",
        "A grid of agents and worlds; each cell has the colour of its kind of run and shows the IMPACT.",
    ),
    "conduct": FigureSpec(
        "assay.suites.pilab.drawings.runs:conduct",
        "Bars of each agent's decisions a month, and of its papers a year and researcher.",
    ),
    "entry": FigureSpec(
        "assay.suites.pilab.drawings.runs:entry",
        "For two worlds, the month of each agent's first project in the topic that boomed, with the month "
        "before the boom as a dashed line.",
    ),
    "axes": FigureSpec(
        "assay.suites.pilab.drawings.runs:capabilities",
        "Bars of four axes for each agent: allocation of mentoring beyond chance, anticipation of hotness, "
        "calibration of risk, and attrition.",
    ),
    "correlations": FigureSpec(
        "assay.suites.pilab.drawings.surveys:correlations",
        "For each axis, the rank correlation of our agents' means with their mean IMPACT, as a bar with its "
        "95 % interval; hollow without one, which takes four agents. The paper's value for its models is a "
        "hollow diamond with its interval. In brackets the number of our agents and of the paper's models; "
        "axes whose lower values are better have the opposite sign.",
    ),
    "budgets": FigureSpec(
        "assay.suites.pilab.drawings.runs:budgets",
        "Budgets by month on a logarithmic scale, one panel an agent and one line a run; a cross where the "
        "lab closed, a dashed line at what it began with.",
    ),
    "sweep": FigureSpec(
        "assay.suites.pilab.drawings.surveys:sweep",
        "For each policy, the share of swept worlds in which it has at least that IMPACT.",
    ),
    "ablations": FigureSpec(
        "assay.suites.pilab.drawings.surveys:ablations",
        "The mean IMPACT of each ablation by that of the baseline over many worlds, with its interval, and "
        "the paper's ratio over eight seeds as a hollow diamond.",
    ),
}
