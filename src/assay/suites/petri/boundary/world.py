"""The world of an L4 episode: the agent measures the order parameter at values and submits an estimate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.config import data
from assay.protocol import Brief, Door, Json, Result, Tool, refused
from assay.suites.petri.boundary import narrow
from assay.suites.petri.boundary.scoring import NEAR
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.experiments.comparison import short
from assay.suites.petri.experiments.replicates import mean, replicates, variance
from assay.suites.petri.questions.answers import BUDGET, REPLICATES, closed
from assay.suites.petri.worlds import WORLDS
from assay.task import Task

DATA_FILES = ("../data/prompts.yaml",)
PROMPTS: Mapping[str, str] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])["boundary"]


class BoundaryWorld:
    """The world of one episode; its only state is the submitted answer."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._public: Mapping[str, Any] = task.public
        self._world = WORLDS[task.public["world"]]
        self._submission: Json = None

    def brief(self) -> Brief:
        """Return role, facts, goal and tools."""
        public = self._public
        facts = {
            "world": public["world"],
            "tier": public["tier"],
            "parameter": public["parameter"],
            "range": public["span"],
            "metric": public["metric"],
            "level": public["level"],
            "measurement_budget": public["budget"],
            **({"runs_per_measurement": public["runs"]} if "runs" in public else {}),
        }
        moves = "falls" if public["falls"] else "rises"
        return Brief(
            system=PROMPTS["system"],
            parts=(facts, self._goal(moves)),
            tools=self._tools(),
            limits={"measure": BUDGET},
        )

    def _goal(self, moves: str) -> str:
        """Return the goal; a task with few runs also states what an answer must rest on."""
        goal = PROMPTS["goal"].format(**{**self._public, "moves": moves})
        return f"{goal} {PROMPTS['support'].format(near=NEAR)}" if "runs" in self._public else goal

    @property
    def _runs(self) -> int:
        return int(self._public.get("runs", REPLICATES))

    def _tools(self) -> tuple[Tool, ...]:
        low, high = self._public["span"]
        value = {"type": "number", "description": f"from {low:g} to {high:g}"}
        return (
            Tool(
                "measure",
                closed({"value": value}),
                f"Run the world {self._runs} times with the parameter at this value. Returns the mean and "
                "the standard deviation of the metric over the runs. The same value gives the same runs. "
                "Costs one measurement.",
                counter="measure",
            ),
            Tool(
                "submit",
                closed({"estimate": value, "low": value, "high": value}),
                "Submit the estimate and its interval, low <= estimate <= high; this ends the episode.",
            ),
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call; an illegal call is refused at no cost with a message on what is legal."""
        if self._submission is not None:
            return refused("the episode is over: an answer was submitted")
        wanted = {"measure": ("value",), "submit": ("estimate", "low", "high")}.get(tool)
        if wanted is None:
            return refused("unknown tool; the tools are measure and submit")
        low, high = self._public["span"]
        for name in wanted:
            value = arguments.get(name) if isinstance(arguments, dict) else None
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not low <= value <= high:
                return refused(f"{name} must be a number from {low:g} to {high:g}")
        if tool == "measure":
            return self._measure(arguments["value"])
        if not arguments["low"] <= arguments["estimate"] <= arguments["high"]:
            return refused("it must be that low <= estimate <= high")
        self._submission = {name: float(arguments[name]) for name in wanted}
        return Result(("submitted",), ended="done")

    def submission(self) -> Json:
        return self._submission

    def close(self) -> None:
        """Do nothing, because the world holds no resources."""

    def _measure(self, value: float) -> Result:
        base = TRANSITIONS[self._world.name].base
        config = self._world.resolved(
            {**base, **self._task.hidden["context"], self._public["parameter"]: value}
        )
        hidden = self._task.hidden
        if "key" in hidden:
            chosen = narrow.seeds(hidden["key"], config[self._public["parameter"]], self._runs)
        else:
            chosen = hidden["seeds"]
        metrics = replicates(self._world.name, config, chosen)
        values = metrics[:, self._world.metrics.index(self._public["metric"])]
        sd = math.sqrt(variance(values))
        return Result(({"mean": short(mean(values)), "sd": short(sd), "runs": len(values)},), charged=1)
