"""A solver's client of the sets v1: the brief, probes of the hidden world, and what they have shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.numbers.rng import Stream
from assay.numbers.stats import significant
from assay.suites.petri.questions.answers import DIRECTIONS, EFFECTS, INTERACTIONS, MAGNITUDES, signature
from assay.suites.petri.questions.briefs import Player
from assay.suites.petri.v1.evidence import WAYS, adjusted
from assay.suites.petri.v1.rules import reduced
from assay.suites.petri.v1.stored.teams import size_class

Act = Callable[["Client", Stream, Any], None]
"""A solver: a function of its client, its random numbers, and the truth if it is privileged."""


@dataclass(frozen=True)
class Probe:
    """A probe and its result.

    Attributes:
        held: The candidates that it held.
        at_control: Whether all of them were held at control.
        shown: The statistics.
        metric: The metric that was named, if one was.
        vector: The statistics of all metrics, if all are shown.
    """

    held: frozenset[str]
    at_control: bool
    shown: Mapping[str, Any]
    metric: str = ""
    vector: Mapping[str, Any] = field(default_factory=dict)

    @property
    def numerator(self) -> int:
        p: float = self.shown["p"]
        return round(p * WAYS)


@dataclass
class Client(Player):
    """A player of the sets v1, and what its calls have shown so far."""

    probes: list[Probe] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    """Numerators of p of the experiments in the open world, which belong to the family of a correction,
    too."""
    metric: str = ""
    """The metric of the next comparisons, where agents name one."""

    def __post_init__(self) -> None:
        if self.blind:
            self.metric = self.facts["metrics"][0]

    @property
    def blind(self) -> bool:
        """Whether comparisons name a metric."""
        return any("metric" in tool.schema["properties"] for tool in self.brief.tools if tool.name == "probe")

    @property
    def vector(self) -> bool:
        """Whether comparisons show all metrics."""
        return "metrics" in self.facts and not self.blind

    @property
    def _named(self) -> dict[str, Any]:
        return {"metric": self.metric} if self.metric else {}

    @property
    def control(self) -> Mapping[str, float]:
        control: Mapping[str, float] = self.facts["control"]
        return control

    @property
    def budget(self) -> int:
        return int(self.facts["experiment_budget"])

    @property
    def left(self) -> int:
        """The number of charged calls that are left."""
        return self.budget - len(self.probes) - len(self.others)

    def probe(self, held: Iterable[str], **values: float) -> Mapping[str, Any] | None:
        """Compare both worlds while candidates are held: at control, or at `values`; None if it was
        refused."""
        config: dict[str, Any] = {name: self.control[name] for name in held} | values
        result = self.call("probe", {"config": config, **self._named})
        if not result.ok:
            return None
        every: Any = result.parts[0]
        shown = reduced(every)
        calm = all(value == self.control[name] for name, value in config.items())
        held_here = frozenset(config) & frozenset(self.candidates)
        self.probes.append(Probe(held_here, calm, shown, self.metric, every if self.vector else {}))
        return dict(shown)

    def test(self, **overrides: float) -> Mapping[str, Any] | None:
        """Compare the control with a configuration of the open world; None if it was refused."""
        result = self.call("experiment", {"config_a": {}, "config_b": dict(overrides), **self._named})
        if not result.ok:
            return None
        every: Any = result.parts[0]
        shown = reduced(every)
        self.others.append(round(shown["p"] * WAYS))
        return dict(shown)

    def significant(self) -> list[bool]:
        """Tell for each probe whether it is significant after the correction over the whole budget."""
        corrected = adjusted([*(p.numerator for p in self.probes), *self.others], self.budget)
        return [significant(q, WAYS) for q in corrected[: len(self.probes)]]

    def refuted(self, hypothesis: frozenset[str]) -> bool:
        """Tell whether a significant probe held all parameters of a hypothesis."""
        return any(
            hypothesis <= p.held
            for p, refutes in zip(self.probes, self.significant(), strict=True)
            if refutes
        )

    def means(self, free: frozenset[str], named: frozenset[str]) -> list[float]:
        """Return the means of all arms at control in which exactly `free` of the `named` parameters are
        changed."""
        calm = [p for p in self.probes if p.at_control and p.metric == self.metric]
        hidden = [p.shown["mean_b"] for p in calm if named - p.held == free]
        return hidden if free else [*(p.shown["mean_a"] for p in calm), *hidden]

    def submit(self, named: Iterable[str], **words: Any) -> None:
        """Submit parameters with the rest of an answer; a blind task takes one metric of a signature."""
        names: list[Any] = list(named)
        if self.blind and "signature" in words:
            moved = {m: e for m, e in words.pop("signature").items() if e != EFFECTS[2]}
            words["metric"] = self.metric if self.metric in moved or not moved else next(iter(moved))
            words["direction"] = moved.get(words["metric"], EFFECTS[0])
        self.call(
            "submit", {**words, **({"parameters": names} if self.tier == "L3" else {"parameter": names[0]})}
        )

    def submit_effect(self, name: str, change: float) -> None:
        """Submit a parameter with the direction, and at L2 the size, of a relative change.

        Where a signature is asked for, it is that of the probe of the control.
        """
        if self.vector:
            bare = [p for p in self.probes if not p.held and p.at_control]
            if not bare and self.left:
                self.probe(())
                bare = self.probes[-1:]
            known = signature(bare[0].vector) if bare else dict.fromkeys(self.facts["metrics"], EFFECTS[2])
            self.submit([name], signature=known)
            return
        if self.blind:
            self.submit([name], metric=self.metric, direction=DIRECTIONS[change < 0])
            return
        words = {"direction": DIRECTIONS[change < 0]}
        if self.tier == "L2":
            words["magnitude"] = size_class(abs(change)) or MAGNITUDES[0]
        self.submit([name], **words)


def average(values: list[float]) -> float:
    """Return the mean of some values, or 0 without any."""
    return sum(values) / len(values) if values else 0.0


def random_words(client: Client, stream: Stream) -> dict[str, Any]:
    """Return guessed words for all parts of an answer but the parameters."""
    if client.tier == "L3":
        return {"interaction": stream.choice(INTERACTIONS)}
    if client.vector:
        return {"signature": {metric: stream.choice(EFFECTS) for metric in client.facts["metrics"]}}
    if client.blind:
        return {"metric": stream.choice(client.facts["metrics"]), "direction": stream.choice(DIRECTIONS)}
    words = {"direction": stream.choice(DIRECTIONS)}
    return words | ({"magnitude": stream.choice(MAGNITUDES)} if client.tier == "L2" else {})
