"""Second stage: which metrics an evaluation computes, the user's own among them, each tested beforehand."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from assay.errors import ConfigError
from assay.suites.sgi.lab.evaluation import rubric
from assay.suites.sgi.lab.evaluation.builtin_metrics import HEADLINE, builtin_metrics
from assay.suites.sgi.lab.evaluation.metric import Context, MetricResult, MetricSpec, checked
from assay.suites.sgi.lab.evaluation.query import Intent

GROUP = "assay.sgi_metrics"
"""The entry point group in which packages announce metrics."""

TRIED_ITEMS = 20
"""Items on which a user's metric is tested before it counts."""


@dataclass(frozen=True)
class MetricPlan:
    """The metrics of an evaluation, the suite's and the user's, and what their tests said."""

    builtin: tuple[MetricSpec, ...]
    custom: tuple[MetricSpec, ...]
    tests: tuple[Mapping[str, Any], ...] = ()

    def of_family(self, family: str) -> list[MetricSpec]:
        """The metrics of one family's items."""
        return [spec for spec in (*self.builtin, *self.custom) if family in spec.families]

    def to_json(self) -> dict[str, Any]:
        """The plan as a JSON value."""
        return {
            "builtin": [spec.to_json() for spec in self.builtin],
            "custom": [spec.to_json() for spec in self.custom],
            "tests": [dict(test) for test in self.tests],
        }


Chooser = Callable[[Intent, Sequence[MetricSpec]], Sequence[str]]
"""Which of the metrics of a subset's families serve an intent, by id."""


def by_aims(intent: Intent, offered: Sequence[MetricSpec]) -> list[str]:
    """Those that serve an aim of the intent; all where it has none."""
    wanted = set(intent.aims)
    return [spec.id for spec in offered if not wanted or wanted & set(spec.facts.get("aims", ()))]


def plan(
    intent: Intent,
    families: Sequence[str],
    custom: Sequence[MetricSpec],
    choose: Chooser = by_aims,
) -> MetricPlan:
    """The suite's metrics that serve the intent in these families, the headline always, and the user's."""
    present = set(families)
    offered = [spec for spec in builtin_metrics().values() if present & set(spec.families)]
    chosen = {HEADLINE, *choose(intent, offered)}
    own = [spec for spec in custom if present & set(spec.families)]
    _refuse_clashes([*builtin_metrics().values(), *custom])
    return MetricPlan(tuple(spec for spec in offered if spec.id in chosen), tuple(own))


def _refuse_clashes(specs: Sequence[MetricSpec]) -> None:
    seen: set[str] = set()
    for spec in specs:
        if spec.id in seen:
            raise ConfigError(f"two metrics have the id {spec.id!r}", "give yours another id")
        seen.add(spec.id)


def custom_metrics(files: Sequence[Path]) -> list[MetricSpec]:
    """The metrics of these files (Python or a rubric in YAML) and of all installed packages."""
    found = [spec for file in files for spec in _of_file(file)]
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        spec = getattr(entry.load(), "assay_metric", None)
        if not isinstance(spec, MetricSpec):
            raise ConfigError(
                f"the entry point {entry.name} of {GROUP} ({entry.value}) is no metric",
                "decorate the function with assay.suites.sgi.lab.evaluation.metric.metric",
            )
        found.append(replace(spec, source=f"{entry.value}"))
    return found


def _of_file(path: Path) -> list[MetricSpec]:
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ConfigError(
            f"{path} cannot be read ({problem.strerror})", "correct --metrics: a .py or .yaml file"
        ) from problem
    digest = hashlib.sha256(data).hexdigest()
    if path.suffix in (".yaml", ".yml"):
        return [replace(checked(rubric.read(path, data.decode(errors="replace"))), source=digest)]
    if path.suffix != ".py":
        raise ConfigError(f"{path} is neither Python nor YAML", "name a .py file, or a rubric in .yaml")
    name = f"assay_user_metrics_{digest[:16]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} cannot be imported", "name a file of Python")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise ConfigError(
            f"{path} cannot be imported: {type(problem).__name__}: {problem}", "correct the file"
        ) from problem
    own = [getattr(value, "assay_metric", None) for value in vars(module).values()]
    found = [replace(value, source=digest) for value in own if isinstance(value, MetricSpec)]
    if not found:
        raise ConfigError(f"{path} has no metric", "decorate a function with @metric(id=..., ...)")
    return found


# ------------------------------------------------------------ one value


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
        got = spec.evaluate(item, prediction, context)
    except Exception as problem:
        return MetricResult(None), f"{type(problem).__name__}: {problem}"
    result = got if isinstance(got, MetricResult) else MetricResult(got)
    value = result.value
    if value is None:
        return result, ""
    if isinstance(value, bool):
        value = float(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return MetricResult(None), f"the value {value!r} is no finite number"
    if not spec.scale[0] <= value <= spec.scale[1]:
        return MetricResult(
            None
        ), f"the value {value:g} lies outside of {spec.scale[0]:g} to {spec.scale[1]:g}"
    return MetricResult(float(value), str(result.rationale)[:500]), ""


Trial = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], Context, Context]
"""An item, its right reply and an empty one as predictions, and the context of each."""


def examined(spec: MetricSpec, trials: Sequence[Trial]) -> dict[str, Any]:
    """The metric on known replies: within its scale, the same twice, and right replies not below empty ones.

    The first two must hold (`ConfigError`); the third is reported, for not every metric is about being right.
    """
    differences = []
    for item, right, empty, of_right, of_empty in trials[:TRIED_ITEMS]:
        values = []
        for prediction, context in ((right, of_right), (empty, of_empty)):
            first, problem = value_of(spec, item, prediction, context)
            second, _ = value_of(spec, item, prediction, context)
            if problem:
                raise ConfigError(
                    f"the metric {spec.id} fails on {item['idx']}: {problem}", "correct the metric"
                )
            if first != second:
                raise ConfigError(
                    f"the metric {spec.id} gives {first.value} and then {second.value} on {item['idx']}",
                    "a metric is a function of item, prediction and context alone",
                )
            values.append(first.value)
        if values[0] is not None and values[1] is not None:
            differences.append(values[0] - values[1])
    mean = math.fsum(differences) / len(differences) if differences else None
    better = None if mean is None else mean >= 0 if spec.higher_is_better else mean <= 0
    return {
        "metric": spec.id,
        "items": min(len(trials), TRIED_ITEMS),
        "in_range": True,
        "deterministic": True,
        "right_minus_empty": mean,
        "right_not_worse": better,
    }
