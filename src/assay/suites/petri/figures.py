"""Registry of the suite's figures; each entry names the function that draws it."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec
from assay.suites.petri.drawings.pages import PAGES

PORTRAITS: Mapping[str, str] = {
    "swarm": (
        "The swarm after 200 steps, one arrow an agent: at control partly aligned, with little noise "
        "aligned, with much noise disordered, with strong cohesion in clumps."
    ),
    "market": (
        "Returns of the market over time: at control quiet and restless times alternate; with little noise "
        "of chartists there are no restless times; a higher impact widens everything."
    ),
    "origin": (
        "Population and mean fitness over the generations: at control both settle; a larger capacity lifts "
        "the population, a target that moves and more errors lower both."
    ),
    "morph": (
        "Patterns of morph: at control spots and short worms; with less kill a labyrinth; with less feed "
        "or more kill separate spots."
    ),
    "social": (
        "Opinions over time: at control they gather in three clusters, with more tolerance in two, with "
        "less in many; stubborn agents at both ends pull others towards them."
    ),
}
"""Caption of each world's portrait."""

FIGURES: Mapping[str, FigureSpec] = {
    "score-by-tier": FigureSpec(
        "assay.suites.petri.drawings.scores:score_by_tier",
        "Mean score of each agent at each tier and over all; bars are the range of the mean scores of single "
        "attempts. Agents that were told the truth are marked; scripts of known conduct and the rows quoted "
        "from the paper stand in groups of their own, the latter hollow.",
    ),
    "score-against-solved": FigureSpec(
        "assay.suites.petri.drawings.scores:score_against_solved",
        "Mean score of each agent against the share of tasks it solved: getting answers and doing science "
        "are two things. The rows quoted from the paper are hollow.",
    ),
    "failures-by-difficulty": FigureSpec(
        "assay.suites.petri.drawings.failures:failures_by_difficulty",
        "One panel an agent: the share of attempts that solved each task against the task's oracle power, "
        "with the mean of each difficulty band as a bar.",
    ),
    "taxonomy": FigureSpec(
        "assay.suites.petri.drawings.failures:taxonomy",
        "For each agent and each flag of the audit, the share of episodes that raised it; a dash where the "
        "flag does not apply.",
    ),
    **{
        page.name: FigureSpec(
            "assay.suites.petri.drawings.episode_pages:episode_page",
            f"One episode of {page.words} at tier {page.tier}: each call in order with its effect size "
            "and 95 % interval, then what was submitted beside the truth, the points and the flags raised.",
            (page,),
        )
        for page in PAGES
    },
    **{
        f"world-{world}": FigureSpec("assay.suites.petri.drawings.portraits:portrait", caption, (world,))
        for world, caption in PORTRAITS.items()
    },
}
