"""The suite's own figures, one after another; each is drawn where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import FigureSpec
from assay.suites.pilab.drawings import runs, surveys

FIGURES: Mapping[str, FigureSpec] = {
    "citations": FigureSpec(
        runs.citations,
        "Cumulative citations by month, mean over worlds, one line an agent; the baseline is dashed.",
    ),
    "booms": FigureSpec(
        runs.booms,
        "IMPACT of each run on a logarithmic scale, against the highest hotness of a paper's topic after it "
        "came out, and against the number of papers in worlds with a boom. Crosses are labs that closed.",
    ),
    "legibility": FigureSpec(
        surveys.legibility,
        "For each month, the rank correlation of the citations so far with the final IMPACT.",
    ),
    "census": FigureSpec(
        runs.kinds,
        "A grid of agents and worlds; each cell has the colour of its kind of run and shows the IMPACT.",
    ),
    "conduct": FigureSpec(
        runs.conduct,
        "Bars of each agent's decisions a month, and of its papers a year and researcher.",
    ),
    "entry": FigureSpec(
        runs.entry,
        "For two worlds, the month of each agent's first project in the topic that boomed, with the month "
        "before the boom as a dashed line.",
    ),
    "axes": FigureSpec(
        runs.capabilities,
        "Bars of four axes for each agent: ability hired, rank of topics, awards by proposals, attrition.",
    ),
    "correlations": FigureSpec(
        surveys.correlations,
        "For each axis, the rank correlation of our agents' means with their mean IMPACT, as a bar; the "
        "paper's value for its models as a hollow diamond.",
    ),
    "budgets": FigureSpec(
        runs.budgets,
        "Budgets by month on a logarithmic scale, one panel an agent and one line a run; a cross where the "
        "lab closed, a dashed line at what it began with.",
    ),
    "sweep": FigureSpec(
        surveys.sweep,
        "For each policy, the share of swept worlds in which it has at least that IMPACT.",
    ),
    "ablations": FigureSpec(
        surveys.ablations,
        "The mean IMPACT of each ablation by that of the baseline over many worlds, with its interval, and "
        "the paper's ratio over eight seeds as a hollow diamond.",
    ),
}
