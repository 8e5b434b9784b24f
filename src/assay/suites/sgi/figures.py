"""The suite's own figures, each drawn where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import FigureSpec
from assay.suites.sgi import column_figures, protocol_graph

FIGURES: Mapping[str, FigureSpec] = {
    "profiles": FigureSpec(
        column_figures.profiles,
        "One panel a family: the mean headline value of each agent under the objective, the paper's and the "
        "released profile, with 95 % intervals, over the largest set of the family. No mark where a judge "
        "would be needed. The paper's order similarity is undefined, and 0, where an action comes twice.",
    ),
    "execution-gap": FigureSpec(
        column_figures.execution_gap,
        "For each agent the shares of test runs without an error, of tests passed, and of items with all "
        "five tests passed; the published pair of one model stands apart, hollow: it does not compare.",
    ),
    "protocol": FigureSpec(
        protocol_graph.protocol,
        "The longest protocol of the set as a graph: steps from top to bottom in their only order, arrows "
        "for materials, dashed arrows for the constraints that the text states.",
    ),
}
