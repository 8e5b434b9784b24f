"""A metric in words: criteria with weights and anchors in a YAML file, scored by a configured judge.

    id: clarity
    title: clarity of the reply
    families: [idea_generation]
    scale: [0, 10]
    criteria:
      - {name: structure, weight: 2, anchors: {0: no order, 10: each step follows from the last}}
      - {name: wording, weight: 1, anchors: {0: cannot be read, 10: no word too many}}

Its values are marked as a judge's, and no headline rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.config import yaml as strict_yaml
from assay.errors import ConfigError
from assay.sessions.opinion import json_object
from assay.suites.sgi.lab.evaluation.metric import Aggregate, MetricResult, MetricSpec

Ask = Callable[[str, str], str]
"""A judge: what it shall do and what it is shown, to its reply."""


class Criterion(BaseModel):
    """One thing that is looked at; anchors say what numbers mean."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern="^[a-z][a-z0-9_]*$")
    weight: float = Field(1.0, gt=0)
    anchors: dict[float, str] = {}


class Rubric(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid")

    id: str
    title: str
    families: list[str]
    scale: tuple[float, float] = (0.0, 10.0)
    higher_is_better: bool = True
    aggregate: Aggregate = "mean"
    criteria: list[Criterion] = Field(min_length=1)


def read(path: Path, text: str) -> MetricSpec:
    """The metric of a file; `ConfigError` names what is wrong with it."""
    try:
        found = Rubric.model_validate(strict_yaml.loads(text))
    except strict_yaml.Unreadable as problem:
        raise ConfigError(f"{path}: {problem}", "correct the file") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ConfigError(f"{path}: {place}: {first['msg']}", "correct the rubric") from problem
    criteria = [criterion.model_dump() for criterion in found.criteria]
    return MetricSpec(
        found.id,
        found.title,
        tuple(found.families),
        "rubric",
        found.scale,
        found.higher_is_better,
        ("prediction",),
        found.aggregate,
        facts={
            "criteria": [{**c, "anchors": {str(k): v for k, v in c["anchors"].items()}} for c in criteria]
        },
    )


def scored(
    spec: MetricSpec, item: Mapping[str, Any], reply: str, ask: Ask | None
) -> tuple[MetricResult, str]:
    """The weighted mean of what a judge says of each criterion; null without a judge or a readable reply."""
    if ask is None:
        return MetricResult(None, "needs a judge"), ""
    criteria = spec.facts["criteria"]
    low, high = spec.scale
    asked = "\n".join(
        f"- {c['name']}" + "".join(f"; {number}: {text}" for number, text in c["anchors"].items())
        for c in criteria
    )
    words = (
        f"You mark a reply to a task by criteria, each from {low:g} to {high:g}:\n{asked}\n"
        "Reply with one JSON object: each criterion's name with its number, and the key reason with one line."
    )
    said = json_object(ask(words, f"Task\n{str(item.get('question', ''))[:8000]}\n\nReply\n{reply[:8000]}"))
    marks = [] if said is None else [said.get(c["name"]) for c in criteria]
    numbers = [float(m) for m in marks if isinstance(m, int | float) and not isinstance(m, bool)]
    if len(numbers) < len(criteria) or said is None:
        return MetricResult(None, "judge: unreadable"), ""
    weights = [c["weight"] for c in criteria]
    mean = sum(w * min(max(m, low), high) for w, m in zip(weights, numbers, strict=True)) / sum(weights)
    return MetricResult(mean, f"judge: {str(said.get('reason', ''))[:300]}"), ""
