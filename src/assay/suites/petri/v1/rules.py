"""What the sets v1 have in common: the question, the budget, and the normal form of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assay import canonical
from assay.suites.petri.questions.answers import strongest
from assay.suites.petri.v1.ranges import WORLDS

VARIANT = "held"
"""The variant of all tasks of the sets v1: probes hold parameters in both worlds."""

CHANGED = ("changed", "unchanged")
"""What a claim can say about a parameter."""

Config = Mapping[str, float]
Tool = Literal["experiment", "probe"]
CHARGED_TOOLS: tuple[Tool, ...] = ("experiment", "probe")


def is_held(public: Mapping[str, Any]) -> bool:
    """Tell whether a task belongs to the sets v1."""
    return bool(public.get("variant") == VARIANT)


def question_of(public: Mapping[str, Any]) -> str:
    """Return what a task asks for in place of a direction: `vector`, `blind`, or nothing else (empty)."""
    return str(public.get("question", ""))


def needs_proof(public: Mapping[str, Any]) -> bool:
    """Tell whether an answer earns points only where the episode's own probes prove it."""
    return bool(question_of(public) or public.get("proof"))


def reduced(shown: Mapping[str, Any], metrics: int = 5) -> Mapping[str, Any]:
    """Return the statistics of a comparison as those of one test.

    A comparison that shows all metrics counts by the metric with the smallest p, corrected for their number.
    """
    if "p" in shown:
        return shown
    best = shown[strongest(shown)]
    return {**best, "p": min(1.0, metrics * best["p"])}


def held(public: Mapping[str, Any], config: Config) -> frozenset[str]:
    """Return the candidates that a probe holds."""
    return frozenset(config) & frozenset(public["candidates"])


def normal(public: Mapping[str, Any], config: Config, tool: Tool) -> dict[str, float]:
    """Return a configuration in normal form: rounded, sorted, and without values that say nothing.

    In an experiment, a value equal to control says nothing. In a probe, a candidate held at control is held.
    """
    world = WORLDS[public["world"]]
    meaningful = set(public["candidates"]) if tool == "probe" else set()
    values = {name: world.parameter(name).rounded(config[name]) for name in sorted(config)}
    return {name: v for name, v in values.items() if name in meaningful or v != world.control[name]}


def request(public: Mapping[str, Any], tool: Tool, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the normal form of a charged request as text, and whether its two arms are swapped in it.

    Two requests with one normal form are one comparison: they give the same numbers.
    """
    metric = [arguments["metric"]] if "metric" in arguments else []
    if tool == "probe":
        return canonical.dumps([tool, normal(public, arguments["config"], tool), *metric]), False
    arms = [canonical.dumps(normal(public, arguments[name], tool)) for name in ("config_a", "config_b")]
    return canonical.dumps([tool, *sorted(arms), *metric]), arms[0] > arms[1]


def at_control(public: Mapping[str, Any], config: Config) -> bool:
    """Tell whether all values of a configuration are those of the control."""
    control = WORLDS[public["world"]].control
    return all(value == control[name] for name, value in normal(public, config, "probe").items())
