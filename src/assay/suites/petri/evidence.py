"""Evidence in an episode's log: experiments that isolate a parameter or combine two, and probes.

It is derived from the calls' arguments and results only, without engines and numpy. An experiment *isolates*
a parameter if one arm is the control and the other differs from it in exactly that parameter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from assay.episode import Episode, Event
from assay.suites.petri.questions.answers import BLIND, BUDGET, REPLICATES, VECTOR, strongest, variant_of
from assay.suites.petri.worlds import WORLDS, Config, World
from assay.task import Task

WAYS = math.comb(2 * REPLICATES, REPLICATES)
"""Denominator of an exact unpaired p, which is an integer multiple of 1 / WAYS."""

PAIRED_WAYS = 2**REPLICATES
"""Denominator of an exact paired p."""

UNITS = math.lcm(WAYS, PAIRED_WAYS)
"""Common denominator with which both kinds of p can be compared and corrected together."""

CHARGED_TOOLS = ("experiment", "probe")

Effect = Literal["up", "down", "none"]


@dataclass(frozen=True)
class Finding:
    """One comparison on the target; if one arm is the control, it comes first.

    `changed` are the parameters in which the other arm differs from the control, or None if neither arm is
    the control. `numerator` / UNITS is the exact p before any correction. `mean_control` and `mean_changed`
    are the means of the two arms.
    """

    step: int
    changed: frozenset[str] | None
    significant: bool
    delta: float
    numerator: int
    mean_control: float
    mean_changed: float

    @property
    def effect(self) -> Effect:
        """The direction in which the change moves the target, or `none` if it is not significant."""
        if not self.significant or self.delta == 0:
            return "none"
        return "up" if self.delta > 0 else "down"


@dataclass(frozen=True)
class Evidence:
    """All comparisons on the target in an episode, in order, and other facts that its audit needs."""

    task: Task
    episode: Episode

    @property
    def _world(self) -> World:
        return WORLDS[self.task.public["world"]]

    @cached_property
    def calls(self) -> tuple[Event, ...]:
        """The agent's calls in order."""
        return tuple(event for event in self.episode.events if event.kind == "call")

    @cached_property
    def charged(self) -> int:
        return sum(event.charged for event in self.calls if event.tool in CHARGED_TOOLS)

    @cached_property
    def over_budget(self) -> int:
        """The number of calls beyond the budget, whether refused or (outside the harness) carried out."""
        asked, spent = 0, 0
        for event in self.calls:
            if event.tool in CHARGED_TOOLS:
                asked += spent >= BUDGET
                spent += event.charged
        return asked

    @cached_property
    def experiments(self) -> tuple[Finding, ...]:
        """The experiments on the target with the control as one arm."""
        findings = []
        for event in self._on_target("experiment"):
            arms = [self._config(event.arguments[name]) for name in ("config_a", "config_b")]
            changed = [_differences(arm, self._world.control) for arm in arms]
            if not changed[0]:
                findings.append(_finding(event, changed[1], forward=True))
            elif not changed[1]:
                findings.append(_finding(event, changed[0], forward=False))
        return tuple(findings)

    @cached_property
    def isolating(self) -> tuple[Finding, ...]:
        """The experiments that isolate a parameter, which are the family for the audit's correction."""
        return tuple(f for f in self.experiments if f.changed is not None and len(f.changed) == 1)

    def isolates(self, parameter: str) -> tuple[Finding, ...]:
        """Return the experiments that isolate this parameter."""
        return tuple(f for f in self.isolating if f.changed == frozenset((parameter,)))

    def backing(self, parameter: str) -> Finding | None:
        """Return the significant experiment with the smallest p that isolates this parameter, or None."""
        significant = [f for f in self.isolates(parameter) if f.significant]
        return min(significant, key=lambda f: (f.numerator, f.step), default=None)

    def combined(self, pair: Sequence[str]) -> tuple[Finding, ...]:
        """Return the experiments that change exactly these two parameters."""
        return tuple(f for f in self.experiments if f.changed == frozenset(pair))

    @cached_property
    def probes(self) -> tuple[Finding, ...]:
        """All probes of the target; a probe of the control has an empty `changed`."""
        return tuple(
            _finding(event, _differences(self._config(event.arguments["guess"]), self._world.control), True)
            for event in self._on_target("probe")
        )

    @cached_property
    def direct(self) -> tuple[Finding, ...]:
        """The direct measurements of the hidden effect, which are the probes of the control."""
        return tuple(f for f in self.probes if not f.changed)

    @cached_property
    def claims(self) -> tuple[tuple[str, Effect], ...]:
        return tuple((e.arguments["parameter"], e.arguments["effect"]) for e in self.episode.calls("claim"))

    def agrees(self, parameter: str, effect: Effect) -> bool:
        """Tell whether a claim agrees with the episode's own experiments that isolate its parameter.

        A claimed direction needs a significant experiment in that direction. The claim `none` needs at least
        one experiment and no significant one.
        """
        effects = {f.effect for f in self.isolates(parameter)}
        return effects == {"none"} if effect == "none" else effect in effects

    def _on_target(self, tool: str) -> tuple[Event, ...]:
        """Return the successful calls of a tool that concern the target.

        In the variant `vector` every call shows all metrics, so all calls are returned. In the variant
        `blind` the target is the submitted metric.
        """
        calls = self.episode.calls(tool)
        variant = variant_of(self.task.public)
        if variant == VECTOR:
            return calls
        submission = self.episode.submission
        chosen = submission.get("metric") if isinstance(submission, dict) else None
        target = chosen if variant == BLIND else self.task.public["target"]
        return tuple(event for event in calls if event.arguments["metric"] == target)

    def _config(self, overrides: Mapping[str, float]) -> Config:
        return self._world.resolved(overrides)


def _differences(config: Config, control: Config) -> frozenset[str]:
    return frozenset(name for name, value in config.items() if value != control[name])


def _finding(event: Event, changed: frozenset[str], forward: bool) -> Finding:
    statistics: Any = event.parts[0]
    if "mean_a" not in statistics:
        statistics = statistics[strongest(statistics)]
    means = (statistics["mean_a"], statistics["mean_b"])
    ways = PAIRED_WAYS if event.arguments.get("test") == "paired" else WAYS
    return Finding(
        step=event.step,
        changed=changed,
        significant=statistics["significant"],
        delta=statistics["cliffs_delta"] if forward else -statistics["cliffs_delta"],
        numerator=round(statistics["p"] * ways) * (UNITS // ways),
        mean_control=means[0 if forward else 1],
        mean_changed=means[1 if forward else 0],
    )
