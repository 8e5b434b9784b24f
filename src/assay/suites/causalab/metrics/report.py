"""All metrics that compare one hypothesis with its model, as plain numbers."""

from __future__ import annotations

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics import recovery
from assay.suites.causalab.model.scm import Model


def report(model: Model, hypothesis: Hypothesis) -> dict[str, float]:
    """Compare a hypothesis with the true model.

    Args:
        model: The true model.
        hypothesis: The agent's hypothesis; its roots are derived from its edges.

    Returns:
        The metrics that need no episode, by name.
    """
    edges = recovery.agreement(hypothesis.edges, model.edges)
    distance = recovery.distance(hypothesis.edges, model.edges)
    weights = recovery.weights(model, hypothesis.coefficients)
    into = recovery.agreement(recovery.into_target(hypothesis.edges), recovery.into_target(model.edges))
    return {
        "root_f1": recovery.agreement(recovery.roots(hypothesis.edges), model.roots).f1,
        "edge_precision": edges.precision,
        "edge_recall": edges.recall,
        "edge_f1": edges.f1,
        "shd": distance.shd,
        "missing": distance.missing,
        "extra": distance.extra,
        "reversed": distance.reversed,
        "freq_edge_f1": into.f1,
        "freq_weight_precision": weights.precision,
        "freq_weight_recall": weights.recall,
        "freq_weight_f1": weights.f1,
        "freq_weight_quad": recovery.quadratic_weights(model, hypothesis.coefficients).f1,
    }
