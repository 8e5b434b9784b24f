"""The world of an episode: months of turns with code, or of single calls, in one lab.

A month offers 8 turns with code (`run_code`), as published. Who has no code may make single calls (`act`)
instead: a turn is worth 16 of them. When all is used up, or when a call has ended the month, the next month
begins with a new context: memory and dashboard are all that is left of the last one.

The lab is made from the task's hidden seed and nothing else; code runs in a sandbox that holds no world.
"""

from __future__ import annotations

import math
import re
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.sandbox import Box, Limits, Policy
from assay.suites.pilab.environment.parameters import TURNS
from assay.suites.pilab.interface import facade, methods, prompt, views
from assay.suites.pilab.interface.database import Database
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.interface.replays import schema
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab, lab_of
from assay.suites.pilab.measures import records
from assay.task import Task

FENCE = re.compile(r"```(?:python|py)?[ \t]*\r?\n(.*?)```", re.DOTALL)

NUDGE = "No code was found. Reply with one block of Python between ```python and ```."
NOTHING = "(The block printed nothing. Use print to see values.)"

SECONDS = 20.0
"""Of a block, before it is interrupted."""

POLICY = Policy(Limits(wall=SECONDS, calls=2000, output=1 << 18, traffic=32 << 20))

MOST_CODE = 60_000


def open(  # noqa: A001  the protocol's name
    task: Task, materials: Materials, workspace: Workspace, stream: Stream
) -> World:
    """The world of a task; the stream seeds the generators inside the sandbox."""
    return PilabWorld(task, stream)


class PilabWorld:
    """One lab with what surrounds it: memory, database, sandbox, and the turns of the month."""

    def __init__(self, task: Task, stream: Stream) -> None:
        self._lab: Lab = lab_of(task)
        self._memory = ""
        self._remembers: bool = task.public.get("memory", True)
        self._database = Database(self._lab)
        self._box = Box(POLICY, prelude=facade.source(), seed=stream.child("sandbox").bits() >> 11)
        self._turns: int = task.public.get("turns", TURNS)
        self._left = self._steps = self._turns * prompt.STEPS_OF_A_TURN
        self._methods = {facade.tool_name(name): method for name, method in METHODS.items()}

    def brief(self) -> Brief:
        """The rules, the first month and the tools."""
        months = self._lab.months
        return Brief(
            system=prompt.system(months, self._turns),
            parts=self._begin(),
            tools=self._tools(),
            limits={"turn": months * self._turns, "step": months * self._steps},
            reply="run_code",
        )

    def _tools(self) -> tuple[Tool, ...]:
        text = {"type": "string", "description": "your reply, with one block of Python in a fence"}
        free = {
            "next_month": ("End the month.", {}),
            "query": ("Read the tables with one SELECT statement.", {"sql": {"type": "string"}}),
            "write_memory": (
                f"Replace the memory; the first {prompt.MOST_MEMORY} characters are kept.",
                {"text": {"type": "string"}},
            ),
            "read_memory": ("The memory.", {}),
        }
        return (
            Tool(
                "run_code",
                _object({"code": {**text, "maxLength": MOST_CODE}}),
                f"Run the first fenced block of Python in the text. {self._turns} a month.",
                counter="turn",
                replay="given",
            ),
            Tool(
                "act",
                _object(
                    {
                        "tool": {
                            "type": "string",
                            "maxLength": 60,
                            "description": "one of the tools of code",
                        },
                        "arguments": {"type": "object", "additionalProperties": {}},
                    }
                ),
                "Make a single call without code, for agents that call tools: its result, or why it was "
                f"refused. {prompt.STEPS_OF_A_TURN} of them use up one turn of the month.",
                counter="step",
            ),
            *(
                Tool(name, schema(method.name), method.doc, audience="code")
                for name, method in self._methods.items()
            ),
            *(Tool(name, _object(kinds), doc, audience="code") for name, (doc, kinds) in free.items()),
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call; what is impossible is refused."""
        if tool == "run_code":
            return self._run_code(arguments["code"], door)
        if tool == "act":
            return self._act(arguments["tool"], arguments["arguments"], door)
        try:
            return self._free(tool, arguments)
        except Refused as refusal:
            return refused(str(refusal))

    def submission(self) -> Json:
        """The record of the run; months that were not played pass by without a decision, as published."""
        return records.record(records.finished(self._lab), played=self._lab.month)

    def close(self) -> None:
        """End the sandbox, give the database back."""
        self._box.close()
        self._database.close()

    # -- turns

    def _run_code(self, text: str, door: Door) -> Result:
        if self._left < prompt.STEPS_OF_A_TURN:
            return refused(f"no turn with code is left this month, only {self._left} single calls")
        before = self._lab.month
        found = FENCE.search(text)
        said = self._heading() + "\n" + (self._block(found[1], door) if found else NUDGE)
        return self._end_of_turn(before, prompt.STEPS_OF_A_TURN, said, 1, door)

    def _heading(self) -> str:
        """The line that begins what a turn shows."""
        turn = (self._steps - self._left) // prompt.STEPS_OF_A_TURN + 1
        return f"Turn {turn} of {self._turns}:"

    def _block(self, code: str, door: Door) -> str:
        def run(call: Call) -> Json:
            outcome = self._box.run(code, call).to_json()
            del outcome["value"], outcome["calls"]
            return outcome

        outcome: Any = door.outside(run)
        shown = outcome["stdout"] + outcome["stderr"]
        if outcome["error"]:
            shown += ("" if shown.endswith("\n") or not shown else "\n") + f"[{outcome['status']}]"
            shown += f" {outcome['error']}"
        if not outcome["alive"]:
            shown += "\n[the interpreter was replaced: variables are gone]"
        if len(shown) > prompt.MOST_PRINTED:
            shown = shown[: prompt.MOST_PRINTED] + "\n[cut]"
        return shown or NOTHING

    def _act(self, tool: str, arguments: Any, door: Door) -> Result:
        if tool in ("act", "run_code"):
            return refused("act: tool: act and run_code are no tools of code")
        before = self._lab.month
        result = door.call(tool, arguments)
        said: Any = {"ok": False, "error": result.error}
        if result.ok:
            said = result.parts[0]
        return self._end_of_turn(before, 1, said, 1, door)

    def _end_of_turn(self, before: int, steps: int, said: Any, charged: int, door: Door) -> Result:
        """What a turn shows; where it was the month's last, the new month in its place."""
        self._left -= steps
        if not self._lab.over and self._lab.month == before and self._left <= 0:
            door.call("next_month", {})
        if self._lab.over:
            return Result(self._final(), charged=charged, ended=self._ended())
        if self._lab.month != before:
            self._left = self._steps
            return Result(self._begin(), charged=charged, fresh=True)
        return Result((said,), charged=charged)

    def _begin(self) -> tuple[Any, ...]:
        lab = self._lab
        text = prompt.month(lab.month, lab.months, views.label(lab.month), self._shown_memory())
        return (text, views.dashboard(lab))

    def _shown_memory(self) -> str:
        if not self._remembers:
            return prompt.DISABLED
        return self._memory or prompt.NO_MEMORY

    def _final(self) -> tuple[Any, ...]:
        return ({"simulation_over": True, **_told(self._lab)},)

    def _ended(self) -> Any:
        return "collapsed" if self._lab.collapse_month is not None else "done"

    # -- what code can call

    def _free(self, tool: str, arguments: dict[str, Any]) -> Result:
        lab = self._lab
        if tool == "query":
            rows: Any = self._database.query(arguments["sql"])
            return Result((rows,))
        if tool == "write_memory" and not self._remembers:
            return refused(prompt.DISABLED)
        if tool == "write_memory":
            self._memory = arguments["text"][: prompt.MOST_MEMORY]
            return Result(({"ok": True, "characters": len(self._memory)},))
        if tool == "read_memory":
            return Result((self._shown_memory(),))
        if tool == "next_month":
            methods.next_month(lab)
            if lab.over:
                return Result(self._final(), ended=self._ended())
            return Result((views.dashboard(lab),))
        method = self._methods[tool]
        _check_numbers(arguments)
        values = [arguments.get(name, method.defaults.get(name)) for name in method.arguments]
        return Result((method.call(lab, *values),))


def _told(lab: Lab) -> dict[str, Any]:
    """The summary without the seed."""
    return {key: value for key, value in views.summary(lab).items() if key != "seed"}


def _check_numbers(value: Any) -> None:
    """JSON knows whole numbers that no float can hold; none of them means anything here."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            _check_numbers(inner)
    elif isinstance(value, int) and not -(2**53) <= value <= 2**53:
        raise Refused("numbers must lie between -2**53 and 2**53")
    elif isinstance(value, float) and not math.isfinite(value):
        raise Refused("numbers must be finite")


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
