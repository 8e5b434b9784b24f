"""How a metric is written: a pure function of item and prediction, announced by a decorator.

    from assay.suites.sgi.lab.evaluation.metric import metric

    @metric(id="words", title="words of the reply", families=["idea_generation"], scale=(0, 5000))
    def words(item, prediction, ctx):
        return len(prediction["raw"].split())

A file with such functions is given by `assay sgi evaluate --metrics FILE.py`; a package announces them by the
entry point group `assay.sgi_metrics`, each entry a function like the one above.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import ConfigError
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.families import FAMILIES

Aggregate = Literal["mean", "median", "rate"]
"""What a table shows of many values: their mean, their median, the share of those above 0."""

Kind = Literal["builtin", "code", "rubric"]


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
    """A metric: what it is called, of which families, on which scale, and what it needs of an item."""

    id: str
    title: str
    families: tuple[str, ...]
    kind: Kind
    scale: tuple[float, float]
    higher_is_better: bool = True
    needs: tuple[str, ...] = ()
    aggregate: Aggregate = "mean"
    evaluate: Evaluate | None = None
    source: str = ""
    """sha256 (hex) of the file that defines it; empty for the suite's own."""

    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The metric as a JSON value, without its function."""
        return {
            "id": self.id,
            "title": self.title,
            "families": list(self.families),
            "kind": self.kind,
            "scale": list(self.scale),
            "higher_is_better": self.higher_is_better,
            "needs": list(self.needs),
            "aggregate": self.aggregate,
            "source": self.source,
            **self.facts,
        }


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
        spec = checked(
            MetricSpec(
                id,
                title or (evaluate.__doc__ or id).strip().splitlines()[0],
                tuple(families),
                "code",
                (float(scale[0]), float(scale[1])),
                higher_is_better,
                tuple(needs),
                aggregate,
                evaluate,
            )
        )
        evaluate.assay_metric = spec  # type: ignore[attr-defined]
        return evaluate

    return announce


def checked(spec: MetricSpec) -> MetricSpec:
    """The same metric; `ConfigError` where what it says of itself cannot be."""
    remedy = "correct the metric"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", spec.id):
        raise ConfigError(
            f"the metric {spec.id!r} has no proper id", "use small letters, digits, underscores"
        )
    if unknown := sorted(set(spec.families) - set(FAMILIES)):
        raise ConfigError(
            f"the metric {spec.id} names no family of the suite: {', '.join(unknown)}",
            f"the families are {', '.join(FAMILIES)}",
        )
    if not spec.families:
        raise ConfigError(f"the metric {spec.id} is of no family", f"give families of {', '.join(FAMILIES)}")
    if not spec.scale[0] < spec.scale[1]:
        raise ConfigError(f"the metric {spec.id} has the scale {list(spec.scale)}", remedy)
    if spec.aggregate not in ("mean", "median", "rate"):
        raise ConfigError(f"the metric {spec.id} has the aggregate {spec.aggregate!r}", remedy)
    return spec
