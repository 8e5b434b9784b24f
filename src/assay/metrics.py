"""Metrics of a suite: what each one means, the function that computes it, and its value for an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar


@dataclass(frozen=True)
class Metric:
    """The meaning of a metric.

    Attributes:
        doc: What the metric measures, in words.
        unit: The unit of its values.
        low: The lower bound of its values; `None` for unbounded values.
        high: The upper bound of its values; `None` for unbounded values.
        direction: Whether higher or lower values are better, or neither.
        headline: Whether it is the main metric. A suite has one headline metric, called `score`.
    """

    doc: str
    unit: str
    low: float | None
    high: float | None
    direction: Literal["higher", "lower", "neither"] = "higher"
    headline: bool = False


@dataclass(frozen=True)
class Score:
    """One metric of an episode.

    Attributes:
        metric: The name of the metric, declared in the suite's `METRICS`.
        value: Its value; `None` if the metric does not apply.
        label: The value in words, for metrics that are categories.
        profile: The variant of the scoring rules; `default` is the one that is reported.
        step: The step of the log after which it was computed; `None` for the whole episode.
    """

    metric: str
    value: float | None
    label: str = ""
    profile: str = "default"
    step: int | None = None


E = TypeVar("E")
F = TypeVar("F", bound=Callable[..., float | None])


class Metrics(dict[str, Metric], Generic[E]):
    """The metrics of a suite by name, each declared by a decorator of the function that computes it.

    `E` is the type of the functions' argument: an episode together with the values that the suite derives
    from its log. A metric that other code computes is declared without a function, as
    `metrics[name] = Metric(...)`.

    Example:
        >>> metrics: Metrics[str] = Metrics()
        >>> @metrics.of("length", "characters of the answer", "characters", 0, None, "neither")
        ... def length(answer: str) -> float:
        ...     return float(len(answer))
        >>> [(score.metric, score.value) for score in metrics.scores("a parameter")]
        [('length', 11.0)]
    """

    def __init__(self, declared: Mapping[str, Metric] | None = None) -> None:
        super().__init__(declared or {})
        self.functions: dict[str, Callable[[E], float | None]] = {}

    def of(
        self,
        name: str,
        doc: str,
        unit: str,
        low: float | None,
        high: float | None,
        direction: Literal["higher", "lower", "neither"] = "higher",
        headline: bool = False,
    ) -> Callable[[F], F]:
        """Return a decorator that declares a metric and registers the function that computes it.

        The decorated function returns `None` if the metric does not apply to an episode. The arguments of the
        decorator are the fields of `Metric`.
        """

        def declare(function: F) -> F:
            self[name] = Metric(doc, unit, low, high, direction, headline)
            self.functions[name] = function
            return function

        return declare

    def scores(self, evidence: E) -> Iterator[Score]:
        """Yield the score of the whole episode for each metric with a function, in order of declaration."""
        for name, function in self.functions.items():
            yield Score(name, function(evidence))
