"""A solver's client of the world: facts, experiments, probes, claims and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import DIRECTIONS, PAIRED, strongest
from assay.suites.petri.questions.briefs import Player

Act = Callable[["Client", Stream, Any], None]
"""A solver: a function of its client, its random numbers, and the truth if it is privileged."""

Shown = Mapping[str, Any]
"""The statistics that a comparison shows."""


@dataclass
class Client(Player):
    """A player of the sets v0.

    `paired` requests the paired test. `metric` is the metric to compare, initially the target if there is
    one.
    """

    paired: bool = False
    metric: str = ""

    def __post_init__(self) -> None:
        self.metric = self.facts.get("target_metric", "")

    @property
    def vector(self) -> bool:
        return "metric" not in self._schema("experiment")

    @property
    def blind(self) -> bool:
        """Whether no metric is named as the target."""
        return "target_metric" not in self.facts and not self.vector

    def _schema(self, tool: str) -> Mapping[str, Any]:
        properties: Mapping[str, Any] = next(
            t.schema["properties"] for t in self.brief.tools if t.name == tool
        )
        return properties

    def test(self, **overrides: float) -> Shown:
        """Compare the control (A) with the control under these overrides (B) on the metric."""
        option = {"test": PAIRED} if self.paired else {}
        return self._ask("experiment", config_a={}, config_b=overrides, **option)

    def probe(self, **guess: float) -> Shown:
        """Compare the guess (A) with the hidden world (B) on the metric."""
        return self._ask("probe", guess=guess)

    def probe_vector(self) -> dict[str, Shown]:
        """Compare the control with the hidden world on all metrics, in the variant that shows them all."""
        result = self.call("probe", {"guess": {}})
        vector: Any = result.parts[0] if result.ok else {}
        return dict(vector)

    def claim(self, parameter: str, effect: str) -> None:
        self.call("claim", {"parameter": parameter, "effect": effect})

    def submit(self, answer: Mapping[str, Any]) -> None:
        """Submit an answer in the form of `answers.truth`; a blind task takes one metric of the signature."""
        named = list(answer["parameters"])
        rest = {key: value for key, value in answer.items() if key != "parameters"}
        if self.blind and "signature" in rest:
            moved = {metric: effect for metric, effect in rest.pop("signature").items() if effect != "none"}
            rest["metric"], rest["direction"] = next(iter(moved.items()))
        self.call("submit", rest | ({"parameters": named} if self.tier == "L3" else {"parameter": named[0]}))

    def _ask(self, tool: str, **arguments: Any) -> Shown:
        if self.vector:
            result = self.call(tool, arguments)
            vector: Any = result.parts[0] if result.ok else {}
            return dict(vector[strongest(vector)]) if vector else {}
        metric = self.metric or self.facts["metrics"][0]
        result = self.call(tool, {**arguments, "metric": metric})
        statistics: Any = result.parts[0] if result.ok else {}
        return dict(statistics)


def direction(statistics: Shown) -> str:
    """Return the direction of an effect, given by the sign of Cliff's delta."""
    return DIRECTIONS[statistics["cliffs_delta"] < 0]


def curated(hidden: Mapping[str, Any]) -> dict[str, float]:
    """Return the curated test value of each candidate."""
    return {entry["parameter"]: entry["test"] for entry in (*hidden["drivers"], *hidden["decoys"])}
