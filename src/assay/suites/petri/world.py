"""The world of an episode: experiments between configurations, probes of the hidden one, claims, an answer.

Results contain only statistics: no configuration, seed, raw value or truth. Refusals state what would be
legal and do not repeat what was sent. Both arms of every comparison run on the same 12 seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from assay.config import data
from assay.numbers.rng import Stream
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.suites.petri import boundary
from assay.suites.petri.boundary.world import BoundaryWorld
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.pairing import compare_paired
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.questions.answers import (
    BUDGET,
    DIRECTIONS,
    PAIRED,
    REPLICATES,
    VECTOR,
    asks_for_signature,
    closed,
    legal_answer,
    schema,
    variant_of,
)
from assay.suites.petri.v1.rules import is_held
from assay.suites.petri.v1.world import REPLY_SECONDS, HeldWorld
from assay.suites.petri.v1.world import reply_seconds as held_seconds
from assay.suites.petri.worlds import WORLDS, Config
from assay.task import Task

DATA_FILES = ("data/prompts.yaml",)
PROMPTS: Mapping[str, Any] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])

OVERRIDES: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "number"}}

TESTS = ("unpaired", PAIRED)


def open(  # noqa: A001  the protocol's name
    task: Task, materials: Materials, workspace: Workspace, stream: Stream
) -> World:
    """Open the world of a task; it depends only on the task."""
    if is_held(task.public):
        return HeldWorld(task)
    return BoundaryWorld(task) if task.public["tier"] == boundary.TIER else PetriWorld(task)


def reply_seconds(task: Task) -> Mapping[str, float]:
    """Return the fixed reply times of live sessions, by tool; only the sets v1 have any."""
    if is_held(task.public):
        return held_seconds(task)
    return {"measure": REPLY_SECONDS[task.public["world"]]} if "runs" in task.public else {}


class PetriWorld:
    """The world of one episode; its only state is the submitted answer."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._tier: str = task.public["tier"]
        self._world = WORLDS[task.public["world"]]
        self._target: str = task.public.get("target", "")
        self._candidates: list[str] = task.public["candidates"]
        self._hidden = self._world.resolved({d["parameter"]: d["value"] for d in task.hidden["drivers"]})
        self._variant = variant_of(task.public)
        self._schema = schema(self._tier, self._candidates, self._variant, list(self._world.metrics))
        self._answer = Draft202012Validator(self._schema)
        self._submission: Json = None

    def brief(self) -> Brief:
        """Return role, facts, goal and tools; as in the paper, legal ranges are not given."""
        public = self._task.public
        facts = {
            "world": public["world"],
            "tier": self._tier,
            **({} if asks_for_signature(public) else {"target_metric": self._target}),
            "metrics": public["metrics"],
            "control": public["control"],
            "candidates": public["candidates"],
            "experiment_budget": public["budget"],
        }
        return Brief(
            system=PROMPTS["system"].format(changed=PROMPTS["changed"][self._tier]),
            parts=(facts, PROMPTS["goals"][self._variant if asks_for_signature(public) else self._tier]),
            tools=self._tools(),
            limits={"experiment": BUDGET},
        )

    @property
    def _pairs(self) -> bool:
        return self._variant == PAIRED

    def _tools(self) -> tuple[Tool, ...]:
        metric = {"type": "string", "description": f"one of {', '.join(self._world.metrics)}"}
        overrides = {**OVERRIDES, "description": "values that replace those of the control; {}: the control"}
        looked_at = {} if self._variant == VECTOR else {"metric": metric}
        comparison: str = PROMPTS["comparison"]
        if self._variant == VECTOR:
            comparison = comparison.replace("for the metric", "for each metric")
        asked = closed({"config_a": overrides, "config_b": overrides, **looked_at})
        more = ""
        if self._pairs:
            asked["properties"]["test"] = {"type": "string", "enum": list(TESTS)}
            more = f"{PROMPTS['pairs']} "
        return (
            Tool(
                "experiment",
                asked,
                f"Compare two configurations A and B, {REPLICATES} runs each on the same seeds. {comparison} "
                f"{more}Costs one experiment.",
                counter="experiment",
            ),
            Tool(
                "probe",
                closed({"guess": overrides, **looked_at}),
                "Compare a guessed configuration (A) with the hidden world (B). A difference that is not "
                "significant says that the guess looks like the hidden world in this metric, not that it is "
                f"the same. {comparison} Costs one experiment.",
                counter="experiment",
            ),
            *([] if asks_for_signature(self._task.public) else [self._claims()]),
            Tool("submit", self._schema, "Submit the answer; this ends the episode."),
        )

    def _claims(self) -> Tool:
        return Tool(
            "claim",
            closed(
                {
                    "parameter": {"type": "string", "description": f"one of {', '.join(self._candidates)}"},
                    "effect": {"type": "string", "enum": [*DIRECTIONS, "none"]},
                }
            ),
            "Note what your experiments say about one parameter: it moves the target up, down, or not "
            "at all. Free; compared later with your own results.",
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call; an illegal call is refused at no cost with a message on what is legal."""
        if self._submission is not None:
            return refused("the episode is over: an answer was submitted")
        if not isinstance(arguments, dict):
            return refused("the arguments must be an object")
        try:
            if tool == "experiment":
                a, b = self._config(arguments, "config_a"), self._config(arguments, "config_b")
                return self._compare(a, b, arguments, paired=self._wants_pairs(arguments))
            if tool == "probe":
                return self._compare(self._config(arguments, "guess"), self._hidden, arguments)
            if tool == "claim" and not asks_for_signature(self._task.public):
                return self._claim(arguments)
            if tool == "submit":
                return self._submit(arguments)
        except _Illegal as illegal:
            return refused(str(illegal))
        return refused("unknown tool; the tools are experiment, probe, claim and submit")

    def submission(self) -> Json:
        return self._submission

    def close(self) -> None:
        """Do nothing, because the world holds no resources."""

    def _wants_pairs(self, arguments: Mapping[str, Any]) -> bool:
        test: str = arguments.get("test", TESTS[0])
        if test not in TESTS or (test == PAIRED and not self._pairs):
            raise _Illegal(f"test must be one of {', '.join(TESTS if self._pairs else TESTS[:1])}")
        paired: bool = test == PAIRED
        return paired

    def _compare(self, a: Config, b: Config, arguments: Mapping[str, Any], paired: bool = False) -> Result:
        metric = arguments.get("metric")
        if self._variant != VECTOR and metric not in self._world.metrics:
            raise _Illegal(f"metric must be one of {', '.join(self._world.metrics)}")
        seeds = self._task.hidden["seeds"]
        arms = [replicates(self._world.name, config, seeds) for config in (a, b)]
        if self._variant == VECTOR:
            every = enumerate(self._world.metrics)
            vector: dict[str, Any] = {m: compare(arms[0], arms[1], column).shown() for column, m in every}
            return Result((vector,), charged=1)
        column = self._world.metrics.index(metric)
        comparison: Any = (compare_paired if paired else compare)(arms[0], arms[1], column)
        return Result((dict(comparison.shown()),), charged=1)

    def _config(self, arguments: Mapping[str, Any], name: str) -> Config:
        """Return the control with the overrides in an argument applied."""
        overrides = arguments.get(name)
        if not isinstance(overrides, dict):
            raise _Illegal(f"{name} must be an object of parameter values; {{}} is the control")
        known = {parameter.name for parameter in self._world.parameters}
        if not known.issuperset(overrides):
            names = ", ".join(parameter.name for parameter in self._world.parameters)
            raise _Illegal(f"{name} holds an unknown parameter; the parameters are {names}")
        for parameter in self._world.parameters:
            if parameter.name in overrides:
                value = overrides[parameter.name]
                low, high = parameter.legal
                number = isinstance(value, int | float) and not isinstance(value, bool)
                if not number or not low <= value <= high or not math.isfinite(value):
                    raise _Illegal(
                        f"{name}: {parameter.name} must be a number from {low:g} to {high:g}"
                        + (" (whole)" if parameter.decimals == 0 else "")
                    )
        return self._world.resolved(overrides)

    def _claim(self, arguments: Mapping[str, Any]) -> Result:
        if arguments.get("parameter") not in self._candidates:
            raise _Illegal(f"parameter must be one of {', '.join(self._candidates)}")
        if arguments.get("effect") not in (*DIRECTIONS, "none"):
            raise _Illegal(f"effect must be one of {', '.join(DIRECTIONS)}, none")
        return Result(("noted",))

    def _submit(self, arguments: Mapping[str, Any]) -> Result:
        if not self._answer.is_valid(arguments):
            raise _Illegal(legal_answer(self._schema["properties"]))
        self._submission = dict(arguments)
        return Result(("submitted",), ended="done")


class _Illegal(Exception):
    """A call cannot be carried out; the message says what would be legal."""
