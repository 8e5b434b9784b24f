"""Evidence in the log of an episode of the sets v1: comparisons, and the hypotheses that they leave possible.

A hypothesis is one candidate, or at L3 a pair of candidates. If all its parameters are held, the two arms of
a probe are the same configuration. So a significant probe refutes every hypothesis that lies inside its held
set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from assay.episode import Episode, Event
from assay.numbers.stats import holm, significant
from assay.suites.petri.questions.answers import BLIND, REPLICATES, parameters
from assay.suites.petri.v1.rules import CHARGED_TOOLS, Tool, at_control, held, question_of, reduced, request
from assay.task import Task

WAYS = math.comb(2 * REPLICATES, REPLICATES)
"""Denominator of an exact p."""

Hypothesis = frozenset[str]


@dataclass(frozen=True)
class Comparison:
    """One distinct comparison: equal requests are counted once.

    Attributes:
        step: The step of its first call.
        tool: `experiment` or `probe`.
        text: The request in normal form.
        question: For a probe, the candidates that it holds; empty for an experiment.
        at_control: Whether a probe sets nothing but values of the control.
        numerator: p before any correction is `numerator` / WAYS.
        significant: Whether p is below .05 after Holm's correction over all comparisons of the budget.
        delta: Cliff's delta.
        change: The relative change of the mean from A to B, or None.
        metric: The metric that the request names, if it names one.
    """

    step: int
    tool: Tool
    text: str
    question: Hypothesis
    at_control: bool
    numerator: int
    significant: bool
    delta: float
    change: float | None
    metric: str = ""


def adjusted(numerators: Sequence[int], budget: int) -> list[int]:
    """Return Holm's adjusted numerators over all comparisons of the budget; those not made count as p = 1.

    >>> adjusted([10, 5], 8), adjusted([5], 4)
    ([70, 40], [20])
    """
    missing = [WAYS] * max(0, budget - len(numerators))
    return holm([*numerators, *missing], WAYS)[: len(numerators)]


@dataclass(frozen=True)
class Evidence:
    """All that an episode's log says about its question."""

    task: Task
    episode: Episode

    @property
    def public(self) -> Mapping[str, Any]:
        public: Mapping[str, Any] = self.task.public
        return public

    @property
    def budget(self) -> int:
        return int(self.public["budget"])

    @property
    def size(self) -> int:
        """The number of parameters of a hypothesis."""
        return 2 if self.public["tier"] == "L3" else 1

    @cached_property
    def requests(self) -> tuple[Event, ...]:
        """The charged calls that were carried out, in order."""
        calls = [event for tool in CHARGED_TOOLS for event in self.episode.calls(tool)]
        return tuple(sorted(calls, key=lambda event: event.step))

    @cached_property
    def charged(self) -> int:
        return sum(event.charged for event in self.requests)

    @cached_property
    def over_budget(self) -> int:
        """The number of calls beyond the budget, whether refused or carried out."""
        asked, spent = 0, 0
        for event in self.episode.events:
            if event.kind == "call" and event.tool in CHARGED_TOOLS:
                asked += spent >= self.budget
                spent += event.charged
        return asked

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The distinct comparisons, in the order of their first calls."""
        return self.until(len(self.requests))

    def until(self, calls: int) -> tuple[Comparison, ...]:
        """Return the distinct comparisons of the first charged calls."""
        first: dict[str, Event] = {}
        for event in self.requests[:calls]:
            tool: Any = event.tool
            first.setdefault(request(self.public, tool, event.arguments)[0], event)
        numerators = [round(_statistics(event)["p"] * WAYS) for event in first.values()]
        corrected = adjusted(numerators, self.budget)
        return tuple(
            self._comparison(text, event, p, significant(q, WAYS))
            for (text, event), p, q in zip(first.items(), numerators, corrected, strict=True)
        )

    def _comparison(self, text: str, event: Event, numerator: int, is_significant: bool) -> Comparison:
        statistics, probe = _statistics(event), event.tool == "probe"
        return Comparison(
            step=event.step,
            tool="probe" if probe else "experiment",
            text=text,
            question=held(self.public, event.arguments["config"]) if probe else frozenset(),
            at_control=probe and at_control(self.public, event.arguments["config"]),
            numerator=numerator,
            significant=is_significant,
            delta=statistics["cliffs_delta"],
            change=statistics["relative_change"],
            metric=event.arguments.get("metric", ""),
        )

    @cached_property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        return tuple(frozenset(names) for names in combinations(sorted(self.public["candidates"]), self.size))

    def survivors(self, comparisons: Sequence[Comparison] | None = None) -> tuple[Hypothesis, ...]:
        """Return the hypotheses that no significant probe refutes."""
        probes = [c for c in (self.comparisons if comparisons is None else comparisons) if c.tool == "probe"]
        refuting = [c.question for c in probes if c.significant]
        return tuple(h for h in self.hypotheses if not any(h <= question for question in refuting))

    @cached_property
    def answer(self) -> Hypothesis:
        """The submitted hypothesis, which is empty without a submission."""
        return frozenset(parameters(self.episode.submission))

    def measured(self, hypothesis: Hypothesis, comparisons: Sequence[Comparison] | None = None) -> bool:
        """Tell whether the effect of a hypothesis was measured at control.

        At L1 and L2 this takes a significant probe that does not hold the parameter, at L3 probes that leave
        exactly the first, exactly the second and both parameters free. In a blind task the metric must be
        the submitted one.
        """
        every = self.comparisons if comparisons is None else comparisons
        probes = [c for c in every if c.tool == "probe" and c.at_control]
        if question_of(self.public) == BLIND:
            submission: Any = self.episode.submission or {}
            probes = [c for c in probes if c.metric == submission.get("metric")]
        if self.size == 1:
            return any(c.significant and not hypothesis <= c.question for c in probes)
        free = {hypothesis - c.question for c in probes}
        return {frozenset((name,)) for name in hypothesis} | {hypothesis} <= free

    def proved(self, hypothesis: Hypothesis, comparisons: Sequence[Comparison] | None = None) -> bool:
        """Tell whether a hypothesis is the only survivor and its effect was measured."""
        return self.survivors(comparisons) == (hypothesis,) and self.measured(hypothesis, comparisons)

    @cached_property
    def determined_after(self) -> int | None:
        """The number of charged calls after which some hypothesis was proved for the first time, or None."""
        for calls in range(1, len(self.requests) + 1):
            made = self.until(calls)
            left = self.survivors(made)
            if len(left) == 1 and self.measured(left[0], made):
                return calls
        return None

    @cached_property
    def claims(self) -> tuple[tuple[str, str], ...]:
        return tuple((e.arguments["parameter"], e.arguments["effect"]) for e in self.episode.calls("claim"))

    def agrees(self, parameter: str, effect: str) -> bool:
        """Tell whether a claim follows from the survivors: all have the parameter, or none has it."""
        having = [parameter in hypothesis for hypothesis in self.survivors()]
        return all(having) if effect == "changed" else not any(having)


def _statistics(event: Event) -> Any:
    shown: Any = event.parts[0]
    return reduced(shown)
