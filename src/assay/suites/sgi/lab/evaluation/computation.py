"""Third stage, second half: every metric of every prediction, each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import NEVER_SCORED, Materials
from assay.suites.sgi import scoring
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.items import item_of
from assay.suites.sgi.lab.evaluation import rubric
from assay.suites.sgi.lab.evaluation.metric import Context, MetricSpec
from assay.suites.sgi.lab.evaluation.metric_plan import MetricPlan, Trial, value_of
from assay.suites.sgi.lab.evaluation.prediction import Answered, prediction
from assay.suites.sgi.lab.evaluation.rubric import Ask
from assay.suites.sgi.solvers import solution
from assay.task import Task


def rows(
    task: Task,
    answered: Answered,
    plan: MetricPlan,
    materials: Materials,
    embedder: NamedEmbedder = HASHED,
    judge: Ask | None = None,
) -> list[dict[str, Any]]:
    """One row a metric: value, rationale, error. What fails is null with its error; nothing else is lost."""
    own, problem = builtin_values(task, answered.episode, materials, embedder)
    said = prediction(task, answered)
    item = item_of(task)
    context = Context({name: value for name, (value, _) in own.items()}, embedder)
    found = []
    for spec in plan.of_family(task.strata["family"]):
        value: float | None
        if spec.kind == "builtin":
            value, why = own.get(spec.id, (None, ""))
            error = problem
        elif answered.episode.status in NEVER_SCORED:
            value, why, error = None, "", problem
        else:
            value, why, error = _custom(spec, item, said, context, judge)
        found.append(_row(task, answered.episode, spec, value, why, error))
    return found


def _custom(
    spec: MetricSpec,
    item: Mapping[str, Any],
    said: Mapping[str, Any],
    context: Context,
    judge: Ask | None,
) -> tuple[float | None, str, str]:
    if spec.kind == "rubric":
        try:
            result, error = rubric.scored(spec, item, str(said["raw"]), judge)
        except Exception as problem:
            return None, "", f"{type(problem).__name__}: {problem}"
    else:
        result, error = value_of(spec, item, said, context)
    return result.value, result.rationale, error


def builtin_values(
    task: Task, episode: Episode, materials: Materials, embedder: NamedEmbedder
) -> tuple[dict[str, tuple[float | None, str]], str]:
    """The suite's metrics of an episode with their labels, and why there are none."""
    if episode.status in NEVER_SCORED:
        return {}, f"{episode.status}: {episode.reason}"
    try:
        scores = scoring.score(task, episode, materials, embedder)
        return {s.metric: (s.value, s.label) for s in scores if s.step is None and s.profile == "default"}, ""
    except Exception as problem:
        return {}, f"{type(problem).__name__}: {problem}"


def _row(
    task: Task, episode: Episode, spec: MetricSpec, value: float | None, why: str, error: str
) -> dict[str, Any]:
    return {
        "task_set": task.task_set,
        "task_id": task.task_id,
        "family": task.strata["family"],
        "discipline": task.strata["discipline"],
        "type": task.strata["type"],
        "level": task.strata["level"],
        "agent": episode.agent,
        "metric": spec.id,
        "kind": spec.kind,
        "value": value,
        "status": episode.status,
        "rationale": why,
        "error": error,
    }


def trials(tasks: Iterable[Task], embedder: NamedEmbedder = HASHED) -> list[Trial]:
    """Known replies to test a user's metrics on: the right one of each item, and an empty one."""
    found: list[Trial] = []
    for task in tasks:
        item = item_of(task)
        blank = {
            "idx": item["idx"],
            "family": task.strata["family"],
            "model": "test",
            "sample": 0,
            "raw": "",
            "status": "done",
            "error": "",
            "privileged": True,
            "usage": {"in": None, "out": None, "calls": 1},
            "tools": [],
        }
        right: dict[str, Any] = {**blank, "raw": solution(task.public["family"], item)}
        contexts = [Context({"score": value, "solved": value / 100}, embedder) for value in (100.0, 0.0)]
        found.append((item, right, blank, contexts[0], contexts[1]))
    return found
