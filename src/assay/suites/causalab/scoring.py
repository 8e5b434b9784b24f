"""What an episode is worth: the prediction, and how much of the mechanism the hypothesis holds.

After section 3.3 and appendix A of the paper. Graph metrics are computed per episode; tables take means over
episodes. The roots and the graph are read from the last hypothesis of the log (the paper asks the model once
more, which cannot be done offline). Along the way, at the step of every intervention: the same metrics as the
released script computes them, where empty sets count as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.causalab.metrics import recovery
from assay.suites.causalab.metrics.equation import HIT, consistency, value_of
from assay.suites.causalab.metrics.imec import imec_data, imec_targets
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.reactor import solvable
from assay.suites.causalab.transcript import Transcript, transcript_of
from assay.task import Task

METRICS: Mapping[str, Metric] = {
    "score": Metric("half for an accepted prediction, half the F1 of all edges", "", 0, 1, headline=True),
    "solved": Metric("whether a prediction was accepted (task accuracy)", "", 0, 1),
    "solvable": Metric("whether any prediction could be accepted", "", 0, 1, "neither"),
    "solved_solvable": Metric("task accuracy, where the episode can be solved at all", "", 0, 1),
    "root_f1": Metric("F1 of the target's ancestors without causes, in the hypothesis graph", "", 0, 1),
    "edge_precision": Metric("precision of all edges", "", 0, 1),
    "edge_recall": Metric("recall of all edges", "", 0, 1),
    "edge_f1": Metric("F1 of all edges", "", 0, 1),
    "shd": Metric("directed structural Hamming distance; a reversal costs one", "edges", 0, None, "lower"),
    "freq_edge_f1": Metric("F1 of the edges into the target", "", 0, 1),
    "freq_weight_f1": Metric("F1 of the target's linear weights, within 1e-6", "", 0, 1),
    "freq_weight_quad": Metric("F1 of all the target's weights, within one per cent", "", 0, 1),
    "weight_accuracy": Metric("share of the target's linear weights within .01, along the way", "", 0, 1),
    "imec_data": Metric(
        "graphs that the evidence leaves, where it is linear and undisturbed", "", 1, None, "lower"
    ),
    "imec_targets": Metric("graphs that the set of intervened properties leaves", "", 0, None, "lower"),
    "budget_used": Metric("share of the interventions that were used", "", 0, 1, "neither"),
    "interventions": Metric("interventions that were carried out", "", 0, None, "neither"),
    "inconsistent_share": Metric(
        "share of the evidence that the equation contradicts by more than 1", "", 0, 1, "lower"
    ),
    "mean_abs_residual": Metric("mean distance of the equation from the evidence", "Hz", 0, None, "lower"),
    "consistent": Metric("whether the equation contradicts nothing that was seen", "", 0, 1),
    "noted_inconsistent_share": Metric(
        "the same over the data that the agent noted itself", "", 0, 1, "lower"
    ),
    "formula_hit": Metric("whether the equation gives the reactor's frequency within 5", "", 0, 1),
    "largest_request": Metric("largest number that a property was set to", "", 0, None, "neither"),
    "parse_failures": Metric("steps lost to records that cannot be read", "steps", 0, None, "lower"),
}

LARGEST_STEPWISE = 4
"""Variables up to which the graphs left are counted after every intervention."""

LARGEST_COUNTED = 7
"""Variables up to which they are counted at the end."""


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """All metrics of one episode; those that do not apply are null."""
    setup = Setup(task)
    found = transcript_of(setup, episode)
    yield from _prediction(setup, found)
    yield from _mechanism(setup, found)
    yield from _commitment(setup, found)
    yield from _along_the_way(setup, found)


def _prediction(setup: Setup, found: Transcript) -> Iterator[Score]:
    done, possible = float(found.completed), solvable(setup.target, setup.conditions.mode)
    edges = recovery.agreement(found.final.edges, setup.model.edges)
    yield Score("score", (done + edges.f1) / 2)
    yield Score("solved", done)
    yield Score("solvable", float(possible))
    yield Score("solved_solvable", done if possible else None)


def _mechanism(setup: Setup, found: Transcript) -> Iterator[Score]:
    model, told = setup.model, found.final
    edges = recovery.agreement(told.edges, model.edges)
    into = recovery.agreement(recovery.into_target(told.edges), recovery.into_target(model.edges))
    roots = recovery.agreement(recovery.roots(told.edges), model.roots)
    yield Score("root_f1", roots.f1)
    yield Score("edge_precision", edges.precision)
    yield Score("edge_recall", edges.recall)
    yield Score("edge_f1", edges.f1)
    yield Score("shd", float(recovery.distance(told.edges, model.edges).shd))
    yield Score("freq_edge_f1", into.f1)
    yield Score("freq_weight_f1", recovery.weights(model, told.coefficients).f1)
    yield Score("freq_weight_quad", recovery.quadratic_weights(model, told.coefficients).f1)


def _commitment(setup: Setup, found: Transcript) -> Iterator[Score]:
    told, used = found.final, len(found.interventions)
    seen = found.seen()
    agreed = consistency(told, seen)
    budget = setup.conditions.budget
    yield Score("budget_used", min(1.0, used / budget) if budget else None)
    yield Score("interventions", float(used))
    yield Score("inconsistent_share", agreed.inconsistent_share)
    yield Score("mean_abs_residual", agreed.mean_abs_residual)
    yield Score("consistent", float(agreed.consistent) if seen else None)
    noted = found.noted()
    yield Score("noted_inconsistent_share", consistency(told, noted).inconsistent_share if noted else None)
    said = value_of(told, setup.reactor)
    yield Score("formula_hit", float(said is not None and abs(said - setup.target) <= HIT))
    largest = max((abs(done.value) for done in found.interventions), default=None)
    yield Score("largest_request", largest)
    yield Score("parse_failures", float(found.failures))
    yield Score("imec_data", _graphs_left(found, None, LARGEST_COUNTED))
    yield Score("imec_targets", _class_left(setup, found, used))
    yield Score("weight_accuracy", recovery.weight_accuracy(setup.model, told.coefficients))


def _along_the_way(setup: Setup, found: Transcript) -> Iterator[Score]:
    for uses, (done, held) in enumerate(found.trajectory(), 1):
        at = recovery.step_score(setup.model, held)
        yield Score("edge_precision", at.edges.precision, step=done.step)
        yield Score("edge_recall", at.edges.recall, step=done.step)
        yield Score("edge_f1", at.edges.f1, step=done.step)
        yield Score("freq_edge_f1", at.into_target.f1, step=done.step)
        yield Score("weight_accuracy", at.weight_accuracy, step=done.step)
        yield Score("shd", float(at.shd), step=done.step)
        if len(setup.model.names) <= LARGEST_STEPWISE:
            yield Score("imec_data", _graphs_left(found, uses, LARGEST_STEPWISE), step=done.step)
        yield Score("imec_targets", _class_left(setup, found, uses), step=done.step)


def _graphs_left(found: Transcript, uses: int | None, most: int) -> float | None:
    """Graphs that the evidence leaves; null where disturbed or quadratic data say nothing of that kind."""
    model = found.setup.model
    if model.quadratic or model.disturbance is not None or len(model.names) > most:
        return None
    left = imec_data(model.names, found.evidence(uses), model.target_is_parent)
    return float(left) if left else None


def _class_left(setup: Setup, found: Transcript, uses: int) -> float:
    targets = {done.target for done in found.interventions[:uses]}
    targets |= {item.target for item in setup.golden if item.target}
    return imec_targets(setup.model.names, setup.model.edges, targets).count
