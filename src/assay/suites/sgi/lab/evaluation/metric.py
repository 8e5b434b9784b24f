"""Metrics of an evaluation: the suite's, and functions of users, which are tested before they count.

    from assay.suites.sgi.lab.evaluation.metric import metric

    @metric(id="words", title="words of the reply", families=["idea_generation"], scale=(0, 5000))
    def words(item, prediction, ctx):
        return len(prediction["raw"].split())

`assay sgi evaluate --metrics FILE.py` takes such functions from a file.
"""

from __future__ import annotations

import hashlib
import math
import re
import runpy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from assay.errors import ConfigError
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.families import FAMILIES
from assay.suites.sgi.lab.evaluation.query import vocabulary
from assay.suites.sgi.scoring import METRICS
from assay.tables.tabulation import mean

HEADLINE = "score"
"""The metric that every evaluation has."""

TRIED_ITEMS = 20
"""Items on which a user's metric is tested before it counts."""

Aggregate = Literal["mean", "median", "rate"]
"""What a table shows of many values: their mean, their median, the share of those above 0."""


@dataclass(frozen=True)
class MetricResult:
    """A value and one line on why."""

    value: float | None
    rationale: str = ""


@dataclass(frozen=True)
class Context:
    """What a metric may use besides its item: the suite's own values, and an embedder."""

    builtin: Mapping[str, float | None]
    embedder: NamedEmbedder


Evaluate = Callable[[Mapping[str, Any], Mapping[str, Any], Context], "float | MetricResult"]
"""Item in released columns (ours begin with `x_`), prediction, context.

A prediction has `idx`, `family`, `model`, `raw` (the reply; empty where there was none), `status`, `error`,
`usage` (tokens `in` and `out`, `calls`), `tools` (the calls that were made).
"""


@dataclass(frozen=True)
class MetricSpec:
    """A metric: what it is called, of which families, on which scale, and what it needs of an item.

    Attributes:
        aims: What may be measured (`aims` of `vocabulary.yaml`) that it serves.
        evaluate: The function of a user; `None` for a metric of the suite.
        source: The sha256 (hex) of the file that defines it; empty for the suite's own.
    """

    id: str
    title: str
    families: tuple[str, ...]
    scale: tuple[float, float]
    higher_is_better: bool = True
    needs: tuple[str, ...] = ()
    aggregate: Aggregate = "mean"
    aims: tuple[str, ...] = ()
    evaluate: Evaluate | None = None
    source: str = ""

    def __post_init__(self) -> None:
        unknown = ", ".join(sorted(set(self.families) - set(FAMILIES)))
        for wrong, problem in (
            (not re.fullmatch(r"[a-z][a-z0-9_]*", self.id), "an id of small letters, digits, underscores"),
            (unknown or not self.families, f"families of {', '.join(FAMILIES)}, and not {unknown or 'none'}"),
            (not self.scale[0] < self.scale[1], f"a scale that rises, and not {list(self.scale)}"),
            (self.aggregate not in get_args(Aggregate), f"an aggregate of {', '.join(get_args(Aggregate))}"),
        ):
            if wrong and self.evaluate is not None:
                raise ConfigError(f"the metric {self.id!r} needs {problem}", "correct the metric")

    def to_json(self) -> dict[str, Any]:
        """The metric as a JSON value without its function; its `kind` is `builtin`, or `code` of a user."""
        return {**asdict(replace(self, evaluate=None)), "kind": "code" if self.evaluate else "builtin"}


def metric(
    *,
    id: str,  # noqa: A002
    families: Sequence[str],
    scale: tuple[float, float],
    title: str = "",
    needs: Sequence[str] = (),
    higher_is_better: bool = True,
    aggregate: Aggregate = "mean",
) -> Callable[[Evaluate], Evaluate]:
    """Announce a function as a metric. `needs` are columns of the item without which it is null."""

    def announce(evaluate: Evaluate) -> Evaluate:
        words, ends = title or (evaluate.__doc__ or id).strip().splitlines()[0], (*map(float, scale),)
        evaluate.assay_metric = MetricSpec(  # type: ignore[attr-defined]
            id, words, (*families,), (ends[0], ends[1]), higher_is_better, (*needs,), aggregate, (), evaluate
        )
        return evaluate

    return announce


def builtin_metrics() -> dict[str, MetricSpec]:
    """The metrics that the suite scores, by id."""
    rates = vocabulary()["rates"]
    return {
        name: MetricSpec(
            name,
            METRICS[name].doc,
            (family,) if family in FAMILIES else FAMILIES,
            (METRICS[name].low or 0.0, METRICS[name].high or 0.0),
            METRICS[name].direction != "lower",
            aggregate="rate" if name in rates else "mean",
            aims=tuple(aims),
        )
        for family, offered in vocabulary()["metrics"].items()
        for name, aims in offered.items()
    }


def chosen(
    aims: Iterable[str], ids: Iterable[str], families: Iterable[str], custom: Sequence[MetricSpec]
) -> list[MetricSpec]:
    """The metrics of an evaluation.

    Args:
        aims: What shall be measured; empty for everything.
        ids: The metrics that a model chose; empty where the aims decide.
        families: The families of the items.
        custom: The metrics of the user.

    Returns:
        The headline, the suite's metrics that are chosen or serve the aims, and the user's.

    Raises:
        ConfigError: If two metrics have one id.
    """
    every, names, served = [*builtin_metrics().values(), *custom], {HEADLINE, *ids}, set(aims)
    if clash := next((spec.id for spec in custom if [s.id for s in every].count(spec.id) > 1), None):
        raise ConfigError(f"two metrics have the id {clash!r}", "give yours another id")
    by_aims = len(names) == 1
    return [
        spec
        for spec in every
        if set(families) & set(spec.families)
        and (spec.evaluate or spec.id in names or (by_aims and (not served or served & set(spec.aims))))
    ]


def custom_metrics(path: Path) -> list[MetricSpec]:
    """The metrics of a file of Python.

    Raises:
        ConfigError: If it holds none.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        defined = runpy.run_path(str(path), run_name=f"assay_user_metrics_{digest[:16]}")
    except Exception as problem:
        kind = type(problem).__name__
        raise ConfigError(f"{path} cannot be imported: {kind}: {problem}", "correct the file") from problem
    announced = [getattr(value, "assay_metric", None) for value in defined.values()]
    found = [replace(value, source=digest) for value in announced if isinstance(value, MetricSpec)]
    if not found:
        raise ConfigError(f"{path} has no metric", "decorate a function with @metric(id=..., ...)")
    return found


def value_of(
    spec: MetricSpec, item: Mapping[str, Any], prediction: Mapping[str, Any], context: Context
) -> tuple[MetricResult, str]:
    """A user's metric of one prediction, and what went wrong: nothing that it does harms another value."""
    if missing := [name for name in spec.needs if name != "prediction" and item.get(name) in (None, "")]:
        return MetricResult(None, f"the item has no {', '.join(missing)}"), ""
    if "prediction" in spec.needs and not prediction["raw"].strip():
        return MetricResult(spec.scale[0] if spec.higher_is_better else spec.scale[1], "no reply"), ""
    assert spec.evaluate is not None
    try:
        returned = spec.evaluate(item, prediction, context)
    except Exception as problem:
        return MetricResult(None), f"{type(problem).__name__}: {problem}"
    result = returned if isinstance(returned, MetricResult) else MetricResult(returned)
    value, (low, high) = result.value, spec.scale
    if value is None:
        return result, ""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return MetricResult(None), f"the value {value!r} is no finite number"
    if not low <= value <= high:
        return MetricResult(None), f"the value {value:g} lies outside of {low:g} to {high:g}"
    return MetricResult(float(value), str(result.rationale)[:500]), ""


Trial = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]
"""An item, and predictions with its right reply and with an empty one."""


def examined(spec: MetricSpec, trials: Sequence[Trial], embedder: NamedEmbedder) -> dict[str, Any]:
    """Test a metric on known replies.

    Returns:
        Its id, the number of items, the mean difference between right and empty replies, and whether right
        ones are no worse. The last two are reported and not required: a metric may be about something else.

    Raises:
        ConfigError: If a value is outside of the scale, or another one the second time.
    """
    differences = []
    for item, *replies in trials[:TRIED_ITEMS]:
        values = []
        for prediction, score in zip(replies, (100.0, 0.0), strict=True):
            context = Context({HEADLINE: score, "solved": score / 100}, embedder)
            (first, problem), (second, _) = (value_of(spec, item, prediction, context) for _ in range(2))
            if not problem and first != second:
                problem = f"it gives {first.value} and then {second.value}"
            if problem:
                raise ConfigError(
                    f"the metric {spec.id} fails on {item['idx']}: {problem}",
                    "correct it: a metric is a function of item, prediction and context alone",
                )
            values.append(first.value)
        if values[0] is not None and values[1] is not None:
            differences.append(values[0] - values[1])
    gain = mean(differences)
    better = None if gain is None else gain >= 0 if spec.higher_is_better else gain <= 0
    items = min(len(trials), TRIED_ITEMS)
    return {"metric": spec.id, "items": items, "right_minus_empty": gain, "right_not_worse": better}
