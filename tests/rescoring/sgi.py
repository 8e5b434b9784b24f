"""The families of sgi under three profiles: whose rules an item follows, and its headline."""

from __future__ import annotations

from importlib import import_module

from tests.rescoring.comparing import UNCOUNTED
from tests.rescoring.sgi_v1 import STAGES

SIMULATED = "what the bench or the world of version 1 does with the reply: see `sgi_v1`"

EXEMPT = {
    "tests_passed": "the answer's code would have to be run again, in the same sandbox: no second rule",
    "ser": "the same",
    **{
        f"outcome_{part}": SIMULATED
        for part in ("conversion", "recovery", "strength", "purity", "quantity", "controls")
    },
    "accidents": SIMULATED,
    **{f"chained_{stage}": SIMULATED for stage in STAGES},
    **{f"given_{stage}": SIMULATED for stage in STAGES[1:]},
    "cost": SIMULATED,
}
"""Metrics that are taken as they were logged; what follows from them is counted again."""

FAMILIES = {
    "wet_experiment": "sgi_protocols",
    "dry_experiment": "sgi_functions",
    "deep_research": "sgi_research",
    "idea_generation": "sgi_ideas",
    "experimental_reasoning": "sgi_reasoning",
}


def needs_events(task):
    """Every score follows from the reply alone."""
    return False


def rescore(task, episode, blob, given):
    """Value by (profile, metric, step) of one episode. The headline of a family is a share, or null."""
    new = task.hidden.get("x_version") == 2
    family = import_module(f"tests.rescoring.{'sgi_v1' if new else FAMILIES[task.public['family']]}")
    reply = episode.submission if isinstance(episode.submission, str) else ""
    scores = {}
    for profile, (headline, values) in family.judged(task.public, task.hidden, reply, given).items():
        known = headline is not None and headline != UNCOUNTED
        values["score"] = 100 * headline if known else headline
        values["solved"] = float(abs(headline - 1) < 1e-12) if known else headline
        scores |= {(profile, metric, None): value for metric, value in values.items()}
    return scores
