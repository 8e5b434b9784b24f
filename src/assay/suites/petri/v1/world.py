"""The world of an episode of the sets v1: experiments, probes that hold parameters, claims and the answer.

Results hold statistics only. All legal ranges are in the brief, so that refusals, which are free, tell
nothing new.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from assay.config import data
from assay.protocol import Brief, Door, Json, Result, Tool, refused
from assay.suites.petri.questions.answers import BLIND, REPLICATES, VECTOR, closed, legal_answer, schema
from assay.suites.petri.v1.arms import arms, matrices, shown, shown_vector
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.rules import CHANGED, CHARGED_TOOLS, question_of
from assay.task import Task

DATA_FILES = ("../data/v1_prompts.yaml",)
PROMPTS: Mapping[str, Any] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])

REPLY_SECONDS = {"swarm": 1.0, "market": 0.5, "origin": 0.5, "morph": 2.0, "social": 0.5}
"""In live sessions a charged call is answered after this time, so that the hidden world's speed is not
seen. Measurements of `l4-v1` take the same times."""


def reply_seconds(task: Task) -> dict[str, float]:
    """Return the time after which a live session passes on the result of each charged tool."""
    return dict.fromkeys(CHARGED_TOOLS, REPLY_SECONDS[task.public["world"]])


class Illegal(Exception):
    """A call cannot be carried out; the message says what would be legal."""


class HeldWorld:
    """The world of one episode; its only state is the submitted answer."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._public: Mapping[str, Any] = task.public
        self._candidates: list[str] = task.public["candidates"]
        self._question = question_of(task.public)
        self._metrics: list[str] = task.public.get("metrics", [])
        self._schema = schema(task.public["tier"], self._candidates, self._question, self._metrics)
        self._answer = Draft202012Validator(self._schema)
        self._submission: Json = None

    def brief(self) -> Brief:
        """Return role, facts with all legal ranges, rules, goal and tools."""
        public = self._public
        facts = {
            "world": public["world"],
            "tier": public["tier"],
            **({"metrics": self._metrics} if self._question else {"target_metric": public["target"]}),
            "control": public["control"],
            "ranges": public["ranges"],
            "decimals": public["decimals"],
            "candidates": public["candidates"],
            "experiment_budget": public["budget"],
        }
        changed = PROMPTS["changed"]["L3" if public["tier"] == "L3" else "L1"]
        return Brief(
            system=PROMPTS["system"].format(changed=changed),
            parts=(
                facts,
                PROMPTS["rules"].format(budget=public["budget"]),
                self._goal(),
            ),
            tools=self._tools(),
            limits={"experiment": public["budget"]},
        )

    def _goal(self) -> str:
        goal: str = PROMPTS["goals"][self._question or self._public["tier"]]
        return f"{goal} {PROMPTS['proof']}" if self._public.get("proof") else goal

    def _tools(self) -> tuple[Tool, ...]:
        numbers = {"type": "object", "additionalProperties": {"type": "number"}}
        overrides = {**numbers, "description": "values that replace those of the control; {}: the control"}
        set_in_both = {**numbers, "description": "values that are set in both worlds; {}: none"}
        comparison = PROMPTS["comparisons"][self._question or "target"].format(
            budget=self._public["budget"], tests=self._public["budget"] * len(self._metrics)
        )
        named = {"type": "string", "enum": self._metrics, "description": "the metric to compare"}
        looked_at = {"metric": named} if self._question == BLIND else {}
        return (
            Tool(
                "experiment",
                closed({"config_a": overrides, "config_b": overrides, **looked_at}),
                f"Compare two configurations A and B of the open world, {REPLICATES} runs each. {comparison}",
                counter="experiment",
            ),
            Tool(
                "probe",
                closed({"config": set_in_both, **looked_at}),
                f"{PROMPTS['probe']} {comparison}",
                counter="experiment",
            ),
            Tool(
                "claim",
                closed(
                    {
                        "parameter": {
                            "type": "string",
                            "description": f"one of {', '.join(self._candidates)}",
                        },
                        "effect": {"type": "string", "enum": list(CHANGED)},
                    }
                ),
                PROMPTS["claim"],
            ),
            Tool("submit", self._schema, "Submit the answer; this ends the episode."),
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call; an illegal call is refused at no cost with a message on what is legal."""
        if self._submission is not None:
            return refused("the episode is over: an answer was submitted")
        if not isinstance(arguments, dict):
            return refused("the arguments must be an object")
        try:
            if tool == "experiment":
                return self._compare(tool, arguments, ("config_a", "config_b"))
            if tool == "probe":
                return self._compare(tool, arguments, ("config",))
            if tool == "claim":
                return self._claim(arguments)
            if tool == "submit":
                return self._submit(arguments)
        except Illegal as illegal:
            return refused(str(illegal))
        return refused("unknown tool; the tools are experiment, probe, claim and submit")

    def submission(self) -> Json:
        return self._submission

    def close(self) -> None:
        """Do nothing, because the world holds no resources."""

    def _compare(self, tool: Any, arguments: Mapping[str, Any], names: tuple[str, ...]) -> Result:
        for name in names:
            self._check(arguments.get(name), name)
        if self._question == BLIND and arguments.get("metric") not in self._metrics:
            raise Illegal(f"metric must be one of {', '.join(self._metrics)}")
        asked = {name: arguments[name] for name in (*names, *(["metric"] if self._question == BLIND else []))}
        if self._question == VECTOR:
            first, second = matrices(self._public, self._task.hidden, tool, asked)
            order = WORLDS[self._public["world"]].metrics
            vector = shown_vector(first, second, order, self._public["budget"])
            every: Any = {metric: vector[metric] for metric in self._metrics}
            return Result((every,), charged=1)
        first, second = arms(self._public, self._task.hidden, tool, asked)
        statistics: Any = shown(first, second, self._public["budget"])
        return Result((statistics,), charged=1)

    def _check(self, config: Any, name: str) -> None:
        """Refuse a configuration with an unknown parameter or a value that the brief does not allow."""
        ranges, decimals = self._public["ranges"], self._public["decimals"]
        if not isinstance(config, dict):
            raise Illegal(f"{name} must be an object of parameter values")
        if not ranges.keys() >= config.keys():
            raise Illegal(f"{name} holds an unknown parameter; the parameters are {', '.join(ranges)}")
        for parameter, value in config.items():
            low, high = ranges[parameter]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            legal = number and math.isfinite(value) and low <= value <= high
            if not legal or (decimals[parameter] == 0 and value != round(value)):
                whole = "whole " if decimals[parameter] == 0 else ""
                raise Illegal(f"{name}: {parameter} must be a {whole}number from {low:g} to {high:g}")

    def _claim(self, arguments: Mapping[str, Any]) -> Result:
        if arguments.get("parameter") not in self._candidates:
            raise Illegal(f"parameter must be one of {', '.join(self._candidates)}")
        if arguments.get("effect") not in CHANGED:
            raise Illegal(f"effect must be one of {', '.join(CHANGED)}")
        return Result(("noted",))

    def _submit(self, arguments: Mapping[str, Any]) -> Result:
        if not self._answer.is_valid(arguments):
            raise Illegal(legal_answer(self._schema["properties"]))
        self._submission = dict(arguments)
        return Result(("submitted",), ended="done")
