"""Scores of an episode: the prediction, and how much of the mechanism the hypothesis recovers.

The scores follow section 3.3 and appendix A of the paper. Graph metrics are computed per episode; tables take
means over episodes. The roots and the graph are read from the last hypothesis of the log (the paper asks the
model once more, which cannot be done offline). The metrics at the step of every intervention are computed as
in the released script, where empty sets count as 0. In tasks with the prompts of the paper's profile the
agent is asked once more, too; what it answers is scored in the profile `elicited`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.causalab.dsl import compat_hypothesis
from assay.suites.causalab.metrics import recovery
from assay.suites.causalab.metrics.equation import HIT, consistency, value_of
from assay.suites.causalab.metrics.imec import imec_data, imec_targets
from assay.suites.causalab.metrics.report import report
from assay.suites.causalab.simulation.conditions import Setup, setup_of
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
    "attainable_f1": Metric(
        "mean F1 of an optimal agent with the same budget, in fresh tasks", "", 0, 1, "neither"
    ),
    "attainable_used_f1": Metric("the same after as many interventions as were made", "", 0, 1, "neither"),
    "regret": Metric(
        "attainable F1 less F1; along the way that after as many interventions", "", -1, 1, "lower"
    ),
    "yoked_f1": Metric("F1 of all edges that the best inference reaches with the agent's data", "", 0, 1),
    "information": Metric(
        "entropy of the graphs that an intervention removed, up to 4 variables", "bits", None, None, "neither"
    ),
    "information_share": Metric(
        "expected information as a share of the best possible, up to 4 variables",
        "",
        0,
        1,
    ),
    "parse_failures": Metric("steps lost to records that cannot be read", "steps", 0, None, "lower"),
}

LARGEST_STEPWISE = 4
"""Largest number of variables for which compatible graphs are counted after every intervention."""

LARGEST_COUNTED = 7
"""Largest number of variables for which compatible graphs are counted at the end."""


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """Score one episode from its log.

    Args:
        task: The task that was played, with its model.
        episode: The log.
        materials: Not used by this suite.

    Yields:
        All metrics at the end (None where one does not apply), then those at the step of each intervention.
    """
    setup = setup_of(task)
    transcript = transcript_of(setup, episode)
    for part in (_prediction, _mechanism, _commitment, _along_the_way, _choosing):
        for value in part(setup, transcript):
            yield replace(value, value=None) if value.metric in setup.inapplicable else value
    if setup.conditions.profile == "paper" and not setup.logged:  # logs do not hold the answers
        yield from _elicited(setup, transcript)


ELICITED = (
    *("root_f1", "edge_precision", "edge_recall", "edge_f1", "shd"),
    *("freq_edge_f1", "freq_weight_f1"),
)
"""Metrics that are also computed from what an agent answers after the episode."""


def _elicited(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    """Score the answers to the questions of the paper's profile; a missing answer is read from the log, as
    there.

    Names of elicited roots are compared as they stand, without aliases.
    """
    asked, graph = transcript.answers.get("roots"), transcript.answers.get("graph")
    hypothesis = transcript.final if graph is None else compat_hypothesis(graph)
    values = report(setup.model, hypothesis)
    if asked is not None:
        named = asked.get("root_nodes")
        names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
        values["root_f1"] = recovery.agreement(names, setup.model.roots).f1
    for name in ELICITED:
        yield Score(name, float(values[name]), profile="elicited")


def _choosing(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    """Tell choosing from inferring, where the declared prior is that of the model."""
    if not setup.sealed:
        return
    from assay.suites.causalab.metrics import yoked  # imported late: these load kernels
    from assay.suites.causalab.simulation import attained

    attainable = attained.attainable_f1(setup, setup.conditions.budget)
    if attainable is None or not yoked.applies(setup):
        return
    true, used = setup.model.edges, len(transcript.interventions)
    own = recovery.agreement(transcript.final.edges, true).f1
    yield Score("attainable_f1", attainable)
    yield Score("attainable_used_f1", attained.attainable_f1(setup, used))
    yield Score("regret", attainable - own)
    for uses, (done, held) in enumerate(transcript.trajectory(), 1):
        best = attained.attainable_f1(setup, uses)
        if best is not None:
            reached = recovery.agreement(held.edges, true).f1
            yield Score("regret", best - reached, step=done.step)
    yield Score("yoked_f1", recovery.agreement(yoked.yoked_edges(transcript), true).f1)
    shares = yoked.information_shares(transcript)
    for step, information, share in shares:
        yield Score("information", information, step=step)
        yield Score("information_share", share, step=step)
    yield Score("information", math.fsum(information for _, information, _ in shares) if shares else None)
    yield Score("information_share", recovery.mean([share for _, _, share in shares]))


def _prediction(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    done, possible = float(transcript.completed), solvable(setup.target, setup.conditions.mode)
    edges = recovery.agreement(transcript.final.edges, setup.model.edges)
    yield Score("score", (done + edges.f1) / 2)
    yield Score("solved", done)
    yield Score("solvable", float(possible))
    yield Score("solved_solvable", done if possible else None)


def _mechanism(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    for name, value in report(setup.model, transcript.final).items():
        if name in METRICS:
            yield Score(name, float(value))


def _commitment(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    hypothesis, used = transcript.final, len(transcript.interventions)
    seen = transcript.seen()
    agreed = consistency(hypothesis, seen)
    budget = setup.conditions.budget
    yield Score("budget_used", min(1.0, used / budget) if budget else None)
    yield Score("interventions", float(used))
    yield Score("inconsistent_share", agreed.inconsistent_share)
    yield Score("mean_abs_residual", agreed.mean_abs_residual)
    yield Score("consistent", float(agreed.consistent) if seen else None)
    noted = consistency(hypothesis, transcript.noted())
    yield Score("noted_inconsistent_share", noted.inconsistent_share)
    stated = value_of(hypothesis, setup.reactor)
    yield Score("formula_hit", float(stated is not None and abs(stated - setup.target) <= HIT))
    yield Score("largest_request", max((abs(i.value) for i in transcript.interventions), default=None))
    yield Score("parse_failures", float(transcript.failures))
    yield Score("imec_data", _graphs_left(transcript, None, LARGEST_COUNTED))
    yield Score("imec_targets", _class_left(setup, transcript, used))
    yield Score("weight_accuracy", recovery.weight_accuracy(setup.model, hypothesis.coefficients))


def _along_the_way(setup: Setup, transcript: Transcript) -> Iterator[Score]:
    for uses, (done, held) in enumerate(transcript.trajectory(), 1):
        at = recovery.step_score(setup.model, held)
        yield Score("edge_precision", at.edges.precision, step=done.step)
        yield Score("edge_recall", at.edges.recall, step=done.step)
        yield Score("edge_f1", at.edges.f1, step=done.step)
        yield Score("freq_edge_f1", at.into_target.f1, step=done.step)
        yield Score("weight_accuracy", at.weight_accuracy, step=done.step)
        yield Score("shd", float(at.shd), step=done.step)
        if len(setup.model.names) <= LARGEST_STEPWISE:
            yield Score("imec_data", _graphs_left(transcript, uses, LARGEST_STEPWISE), step=done.step)
        yield Score("imec_targets", _class_left(setup, transcript, uses), step=done.step)


def _graphs_left(transcript: Transcript, uses: int | None, most: int) -> float | None:
    """Count the graphs compatible with the evidence of the first `uses` interventions.

    Returns None for disturbed or quadratic models, to which the count does not apply, for models of more than
    `most` variables, and if no graph is compatible.
    """
    model = transcript.setup.model
    if (
        "imec_data" in transcript.setup.inapplicable
        or model.quadratic
        or model.disturbance is not None
        or len(model.names) > most
    ):
        return None
    left = imec_data(model.names, transcript.evidence(uses), model.target_is_parent)
    return float(left) if left else None


def _class_left(setup: Setup, transcript: Transcript, uses: int) -> float | None:
    if "imec_targets" in setup.inapplicable:
        return None
    targets = {done.target for done in transcript.interventions[:uses]}
    targets |= {item.target for item in setup.golden if item.target}
    return imec_targets(setup.model.names, setup.model.edges, targets).count
