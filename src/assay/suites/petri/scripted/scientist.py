"""A scripted model that plays petri using only the text that it is shown.

It behaves like a moderately capable language model. It varies one candidate at a time to twice or half of
its control value, reads the limits from refusals, and tries the other side if nothing was significant. Then
it probes, claims and submits. Occasionally it writes text instead of calling a tool. It knows neither the
curated values nor the ranges, so it fails on hard tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay import canonical
from assay.agents.transport import Message, Request
from assay.numbers.rng import Stream

EXPERIMENTS_A_CANDIDATE = 2
RESERVE = 1
"""Number of calls reserved for the last measurement: the probe of the control, or the combined change."""


@dataclass
class Notebook:
    """Facts of the task, and every call with its result, as read from a conversation."""

    facts: Mapping[str, Any]
    words: Mapping[str, Any]  # properties of the schema of `submit`
    tried: list[tuple[str, Any, Mapping[str, Any]]] = field(default_factory=list)
    legal: dict[str, tuple[float, float]] = field(default_factory=dict)
    last: str = ""  # the tool that the last call named

    @property
    def left(self) -> int:
        return int(self.facts["experiment_budget"]) - len(self.tried)

    def isolating(self) -> dict[str, list[Mapping[str, Any]]]:
        """Return the results of the experiments that changed only one parameter, by parameter."""
        results: dict[str, list[Mapping[str, Any]]] = {name: [] for name in self.facts["candidates"]}
        for tool, changes, result in self.tried:
            if tool == "experiment" and len(changes) == 1:
                results[next(iter(changes))].append({**result, "value": next(iter(changes.values()))})
        return results

    def ranked(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return each tested candidate with its most significant result, the most significant first."""
        best = {
            name: min(results, key=lambda r: (r["p_adjusted"], -abs(r["cliffs_delta"])))
            for name, results in self.isolating().items()
            if results
        }
        return sorted(best.items(), key=lambda item: (item[1]["p_adjusted"], -abs(item[1]["cliffs_delta"])))

    def find(self, tool: str, size: int) -> Mapping[str, Any] | None:
        """Return the result of the tool's last call that changed `size` parameters, or None."""
        results = [r for name, changes, r in self.tried if name == tool and len(changes) == size]
        return results[-1] if results else None


def play(request: Request, stream: Stream) -> str:
    """Return the next reply to a conversation."""
    notes = _read(request)
    if notes.last == "claim":
        return _say("submit", **_answer(notes))
    if request.messages[-1].role == "user" and len(request.messages) > 1 and stream.below(12) == 0:
        return "Let me look at these numbers again before I go on."
    wanted = 2 if "parameters" in notes.words else 1
    metric = notes.facts["target_metric"]
    significant = [name for name, result in notes.ranked() if result["significant"]]
    if len(significant) < wanted and notes.left > RESERVE:
        for repeat in range(EXPERIMENTS_A_CANDIDATE):
            for name, results in notes.isolating().items():
                if name not in significant and len(results) == repeat:
                    change = {name: _value(notes, name, results, stream)}
                    return _say("experiment", config_a={}, config_b=change, metric=metric)
    best = notes.ranked()[:wanted]
    if wanted == 2 and notes.find("experiment", 2) is None and notes.left:
        both = {name: result["value"] for name, result in best}
        return _say("experiment", config_a={}, config_b=both, metric=metric)
    if wanted == 1 and notes.find("probe", 0) is None and notes.left:
        return _say("probe", guess={}, metric=metric)
    name, result = best[0]
    effect = "none" if not result["significant"] else "up" if result["mean_b"] > result["mean_a"] else "down"
    return _say("claim", parameter=name, effect=effect)


def _say(tool: str, **arguments: Any) -> str:
    return canonical.dumps({"tool": tool, "arguments": arguments})


def _read(request: Request) -> Notebook:
    """Read a conversation from its first message to the last."""
    first, *others = request.messages
    facts = next(part for part in first.parts if isinstance(part, dict))
    submit = next(tool for tool in request.tools if tool.name == "submit")
    notes = Notebook(facts, submit.schema["properties"])
    call: Mapping[str, Any] = {}
    for message in others:
        if message.role == "assistant":
            text = str(message.parts[0])
            call = canonical.loads(text) if text.startswith("{") else {}
            notes.last = call.get("tool", notes.last)
        elif call:
            _take(notes, call, message)
    return notes


def _take(notes: Notebook, call: Mapping[str, Any], message: Message) -> None:
    """Note a result, or the range that a refusal names."""
    words, *statistics = message.parts
    arguments = call["arguments"]
    if statistics and isinstance(statistics[0], dict):
        notes.tried.append((call["tool"], arguments.get("config_b", arguments.get("guess")), statistics[0]))
    elif match := re.search(r"(\w+) must be a number from (\S+) to (\S+)", str(words)):
        notes.legal[match[1]] = (float(match[2]), float(match[3]))


def _value(notes: Notebook, name: str, results: list[Mapping[str, Any]], stream: Stream) -> float:
    """Return a value far from control, on the other side than the first test, within the known limits."""
    control: float = notes.facts["control"][name]
    up = stream.below(2) == 0 if not results else results[0]["value"] < control
    value = (control * 2 or 1.0) if up else control / 2
    low, high = notes.legal.get(name, (value, value))
    value = min(max(value, low), high)
    if value == control:  # control is itself the limit, or zero
        value = high if high > control else low if low < control else control + 1
    return round(value) if isinstance(control, int) else round(value, 3)


def _answer(notes: Notebook) -> dict[str, Any]:
    """Return the answer that the notes support, with default words if measurements are missing."""
    best = notes.ranked()
    if "parameters" in notes.words:
        (a, first), (b, second) = best[:2]
        both = notes.find("experiment", 2)
        contrast = 0.0
        if both is not None:
            contrast = both["mean_b"] - first["mean_b"] - second["mean_b"] + both["mean_a"]
        return {"parameters": sorted([a, b]), "interaction": "positive" if contrast > 0 else "negative"}
    probe = notes.find("probe", 0) or {"mean_a": 0, "mean_b": 0, "relative_change": None}
    answer = {"parameter": best[0][0], "direction": "up" if probe["mean_b"] > probe["mean_a"] else "down"}
    if "magnitude" in notes.words:
        size = abs(probe["relative_change"] or 0)
        answer["magnitude"] = "large" if size >= 0.75 else "medium" if size >= 0.35 else "small"
    return answer
