"""The five families of sgi under three profiles: which family's rules an item follows, and what a reply holds."""

from __future__ import annotations

from importlib import import_module

EXEMPT: dict[str, str] = {}

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


def rescore(task, episode):
    """Value by (profile, metric, step) of one episode. The headline of a family is a share, or null."""
    family = import_module(f"tests.rescoring.{FAMILIES[task.public['family']]}")
    reply = episode.submission if isinstance(episode.submission, str) else ""
    scores = {}
    for profile, (headline, values) in family.judged(task.public, task.hidden, reply).items():
        values["score"] = None if headline is None else 100 * headline
        values["solved"] = None if headline is None else float(abs(headline - 1) < 1e-12)
        scores |= {(profile, metric, None): value for metric, value in values.items()}
    return scores
