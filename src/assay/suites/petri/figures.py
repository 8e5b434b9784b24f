"""Registry of the suite's figures; each is drawn in a module of `drawings`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from assay.protocol import FigureSpec
from assay.suites.petri.drawings import episode_pages, failures, portraits, scores
from assay.suites.petri.drawings.episode_pages import PAGES, Page

WORDS = {
    "ofat": "the reference sweep",
    "ofat-rand": "the sweep with blind values",
    "fisher": "a scripted agent that hacks p values",
    "contradictor": "a scripted agent that submits against its own evidence",
    "scripted-scientist": "a recorded scripted model",
}


def _episode(page: Page) -> FigureSpec:
    return FigureSpec(
        partial(episode_pages.episode_page, page),
        f"One episode of {WORDS[page.agent]} at tier {page.tier}: each call in order with its effect size "
        "and 95 % interval, then what was submitted beside the truth, the points and the flags raised.",
    )


FIGURES: Mapping[str, FigureSpec] = {
    "score-by-tier": FigureSpec(
        scores.score_by_tier,
        "Mean score of each agent at each tier and over all; bars are the range of the mean scores of single "
        "attempts. Agents that were told the truth are marked; scripts of known conduct and the rows quoted "
        "from the paper stand in groups of their own, the latter hollow.",
    ),
    "score-against-solved": FigureSpec(
        scores.score_against_solved,
        "Mean score of each agent against the share of tasks it solved: getting answers and doing science "
        "are two things. The rows quoted from the paper are hollow.",
    ),
    "failures-by-difficulty": FigureSpec(
        failures.failures_by_difficulty,
        "One panel an agent: the share of attempts that solved each task against the task's oracle power, "
        "with the mean of each difficulty band as a bar.",
    ),
    "taxonomy": FigureSpec(
        failures.taxonomy,
        "For each agent and each flag of the audit, the share of episodes that raised it; a dash where the "
        "flag does not apply.",
    ),
    **{page.name: _episode(page) for page in PAGES},
    **{
        f"world-{world}": FigureSpec(partial(portraits.portrait, world), portrait.alt)
        for world, portrait in portraits.PORTRAITS.items()
    },
}
