"""The page of an episode: interventions in order, the hypothesis beside the mechanism, the prediction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block, Cell, Drawing, Figure, Mark, Step, Text, facts, section, table
from assay.report.drawing import Line, bar, graph, lines, number
from assay.suites.causalab.metrics.recovery import predicted_weight, true_weights
from assay.suites.causalab.model.scm import Edge
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.transcript import Transcript, transcript_of
from assay.task import Task

SHORT = {TARGET: "frequency"}

MOST_COLUMNS = 10
"""Largest number of variables with which each intervention shows all values, not only the frequency."""


def show(
    task: Task, episode: Episode, scores: Sequence[Score], flags: Sequence[Flag], materials: Materials
) -> Iterable[Block]:
    """Show both graphs, the result of each intervention, the equation and the prediction."""
    setup = Setup(task)
    transcript = transcript_of(setup, episode)
    yield facts(
        [
            ("variables", str(len(setup.model.names))),
            ("family", str(task.public["family"])),
            ("setting", task.strata.get("setting", "")),
            ("interventions", f"{_used(transcript, scores)} of {setup.conditions.budget}"),
        ]
    )
    yield section("Mechanism and hypothesis", *_graphs(setup, transcript, episode))
    if transcript.interventions:
        yield section("Interventions, in order", *_interventions(setup, transcript, scores))
    yield section("Equation of the frequency", *_equation(setup, transcript, episode))
    yield section("Prediction", *_prediction(setup, transcript, episode))


def _used(transcript: Transcript, scores: Sequence[Score]) -> str:
    """Return the number of interventions from the scores, because an episode may lack its log."""
    of_scores = [s.value for s in scores if s.metric == "interventions" and s.step is None]
    return number(of_scores[0]) if of_scores else str(len(transcript.interventions))


def _graphs(setup: Setup, transcript: Transcript, episode: Episode) -> Iterable[Block]:
    names = {name: SHORT.get(name, name) for name in setup.model.names}
    true = set(setup.model.edges)
    held = set(transcript.final.edges) if episode.events else _submitted_edges(episode.submission)
    right = len(true & held)
    yield Figure(
        (
            graph(names, true, "the mechanism", target=TARGET),
            graph(names, held, "the hypothesis against the mechanism", truth=true, target=TARGET),
        ),
        f"Left the mechanism, right the last hypothesis: {right} of {len(true)} edges right (solid), "
        f"{len(held - true)} wrong (dashed), {len(true - held)} missing (dotted).",
    )


def _submitted(submission: Any) -> dict[str, Any]:
    """Return the hypothesis in a submission, which is needed if the episode has no log."""
    hypothesis = submission.get("hypothesis") if isinstance(submission, dict) else None
    return hypothesis if isinstance(hypothesis, dict) else {}


def _submitted_edges(submission: Any) -> set[Edge]:
    edges = _submitted(submission).get("edges")
    return {
        (str(edge.get("from")), str(edge.get("to")))
        for edge in (edges if isinstance(edges, list) else ())
        if isinstance(edge, dict)
    }


def _interventions(setup: Setup, transcript: Transcript, scores: Sequence[Score]) -> Iterable[Block]:
    by_step = {(s.metric, s.step): s.value for s in scores if s.step is not None and s.profile == "default"}
    names = [name for name in setup.model.names if name in transcript.interventions[0].values]
    if len(names) > MOST_COLUMNS:
        names = [TARGET]
    rows: list[list[Cell]] = []
    for done in transcript.interventions:
        f1 = by_step.get(("edge_f1", done.step))
        values: list[Cell] = [
            Mark(number(done.values.get(name)), "strong" if name == done.target else "plain")
            for name in names
        ]
        drawn: Drawing | str = "" if f1 is None else bar(f1, f"F1 {number(f1)}")
        rows.append([Step((done.step,)), f"{done.target} := {number(done.value)}", *values, drawn])
    heads = [SHORT.get(name, name) for name in names]
    yield table(
        ["step", "set", *heads, "edges right, F1"], rows, "What was set, and the state that came of it."
    )
    uses = len(transcript.interventions)
    curves = [
        Line(words, tuple(by_step.get((metric, done.step)) for done in transcript.interventions))
        for metric, words in (("edge_f1", "edges, F1"), ("weight_accuracy", "weights right"))
    ]
    distance = tuple(by_step.get(("shd", done.step)) for done in transcript.interventions)
    if uses > 2 and any(value is not None for value in distance):
        yield Figure(
            (
                lines(
                    [curve for curve in curves if any(value is not None for value in curve.values)],
                    "agreement by intervention",
                    along="interventions",
                ),
                lines(
                    [Line("edges to mend", distance)],
                    "Hamming distance by intervention",
                    along="interventions",
                ),
            ),
            "What the hypothesis was worth after each intervention.",
        )


def _equation(setup: Setup, transcript: Transcript, episode: Episode) -> Iterable[Block]:
    stated = (
        transcript.final.equation if episode.events else _submitted(episode.submission).get("freq_equation")
    )
    given: Any = (
        transcript.final.coefficients
        if episode.events
        else _submitted(episode.submission).get("coefficients")
    )
    coefficients = given if isinstance(given, dict) else {}
    yield Text(str(stated or "no equation was stated"))
    rows: list[list[Cell]] = []
    for parent, weight in true_weights(setup.model).items():
        given_weight = predicted_weight(coefficients, parent)
        right = given_weight is not None and abs(given_weight[1] - weight) <= 1e-6
        mark = Mark("right", "good") if right else Mark("wrong" if given_weight else "missing", "bad")
        rows.append([parent, number(given_weight[1]) if given_weight else "–", number(weight), mark])
    if rows:
        yield table(("linear weight of", "stated", "truth", ""), rows)


def _prediction(setup: Setup, transcript: Transcript, episode: Episode) -> Iterable[Block]:
    truth = number(setup.target, 7)
    rows: list[list[Cell]] = [
        [
            Step((step,)),
            number(value, 7),
            truth,
            Mark("accepted", "good") if ok else Mark("not accepted", "bad"),
        ]
        for step, value, ok in transcript.predictions
    ]
    if not rows and isinstance(episode.submission, dict):
        given, ok = episode.submission.get("frequency"), episode.submission.get("completed") is True
        predicted = number(given, 7) if isinstance(given, int | float) else "–"
        rows = [["", predicted, truth, Mark("accepted", "good") if ok else Mark("not accepted", "bad")]]
    if not rows:
        yield Text(f"None was made. The crystal resonates at {truth} Hz.")
        return
    yield table(("step", "predicted, Hz", "truth, Hz", ""), rows)
