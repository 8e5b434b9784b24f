"""Registry of the suite's figures, by the functions that draw them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec

FIGURES: Mapping[str, FigureSpec] = {
    "answers-and-work": FigureSpec(
        "assay.suites.sgi.gap_figures:answers_and_work",
        "Exact match against the accuracy of steps in deep research, right options against the validity of "
        "readings in reasoning, one mark an agent. Above the dotted line work is better than answers.",
    ),
    "disciplines": FigureSpec(
        "assay.suites.sgi.family_figures:disciplines",
        "The mean headline value by discipline, one row a family and agent that is not told the truth.",
    ),
    "execution-gap": FigureSpec(
        "assay.suites.sgi.column_figures:execution_gap",
        "For each agent the shares of test runs without an error, of tests passed, and of items with all "
        "five tests passed; the published pair of one model stands apart, hollow: it does not compare.",
    ),
    "families": FigureSpec(
        "assay.suites.sgi.family_figures:family_columns",
        "Mean headline values by family and the SGI-Score, of our agents above, of quoted models "
        "below. Of scripted agents that are told the truth only the oracle is shown.",
    ),
    "idea-dimensions": FigureSpec(
        "assay.suites.sgi.gap_figures:idea_dimensions",
        "The four dimensions of ideas by agent, scored without a judge; one published model in a panel of "
        "its own.",
    ),
    "profiles": FigureSpec(
        "assay.suites.sgi.column_figures:profiles",
        "One panel a family: the mean headline value of each agent under the objective, the paper's and the "
        "released profile, with 95 % intervals, over the largest set of the family. No mark where a judge "
        "would be needed. The paper's order similarity is undefined, and 0, where an action comes twice.",
    ),
    "protocol": FigureSpec(
        "assay.suites.sgi.protocol_graph:protocol",
        "The longest protocol of the set as a graph: steps from top to bottom in their only order, arrows "
        "for materials, dashed arrows for the constraints that the text states.",
    ),
    "types": FigureSpec(
        "assay.suites.sgi.family_figures:types",
        "One panel a family: the mean headline value by type, of agents that are not told the truth.",
    ),
}
