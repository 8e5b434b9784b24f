"""The world of an episode: one lab, which is run month by month with code or with single calls.

A month has 8 turns in which an agent can run code (`run_code`), as in the published program, unless the task
sets another number. An agent that writes no code can make single calls (`act`) instead: 16 calls take the
place of one turn. When the turns are used up, or when a call ends the month, the next month begins with a new
context, which shows the agent's memory and the dashboard but nothing else of the months before.

The lab is made from the task alone: its hidden seed, horizon and mode. Code runs in a sandbox that holds no
part of the world.
"""

from __future__ import annotations

import math
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.sandbox import Box, Limits, Policy
from assay.suites.pilab.environment.parameters import RULES, TURNS, mode_of
from assay.suites.pilab.interface import methods, prompt, views
from assay.suites.pilab.interface.database import LAST_RESORT, TOO_LONG, Database, Late
from assay.suites.pilab.interface.fences import FENCE, NARROW_FENCE
from assay.suites.pilab.interface.methods import DECLARED
from assay.suites.pilab.interface.replays import schema
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab, lab_of
from assay.suites.pilab.measures import records
from assay.task import Task

NUDGE = "No code was found. Reply with one block of Python between ```python and ```."
NOTHING = "(The block printed nothing. Use print to see values.)"

SECONDS = 20.0
"""Wall-clock seconds after which a block of code is interrupted."""

POLICY = Policy(
    Limits(wall=SECONDS, grace=0.25, calls=2000, output=1 << 18, traffic=32 << 20), tools_count=True
)


def open(  # noqa: A001  the protocol's name
    task: Task, materials: Materials, workspace: Workspace, stream: Stream
) -> World:
    """The world of a task.

    Args:
        task: the task, whose hidden seed determines the lab.
        materials: not used.
        workspace: not used.
        stream: seeds the random generators inside the sandbox.
    """
    return PilabWorld(task, stream)


def scored_when_left(task: Task) -> bool:
    """Return whether an episode counts that its agent breaks off: in all sets but those named `-v0`."""
    return bool(RULES[mode_of(task.public["mode"])].published_views)


class PilabWorld:
    """One lab with the agent's memory, the database, the sandbox, and the turns left in the month."""

    def __init__(self, task: Task, stream: Stream) -> None:
        self._lab: Lab = lab_of(task)
        rules = self._lab.rules
        self._fence = FENCE if rules.published_views else NARROW_FENCE
        self._memory = ""
        self._remembers: bool = task.public.get("memory", True)
        self._database = Database(self._lab)
        self._box = Box(POLICY, prelude=methods.facade(rules), seed=stream.child("sandbox").bits() >> 11)
        self._turns: int = task.public.get("turns", TURNS)
        self._left = self._steps = self._turns * prompt.STEPS_OF_A_TURN
        self._methods = {methods.tool_name(name): method for name, method in methods.offered(rules).items()}

    def brief(self) -> Brief:
        """The rules, the first month and the tools."""
        months = self._lab.months
        return Brief(
            system=prompt.system(months, self._turns, self._lab.mode),
            parts=self._begin(),
            tools=self._tools(),
            limits={"turn": months * self._turns, "step": months * self._steps},
            reply="run_code",
        )

    def _tools(self) -> tuple[Tool, ...]:
        numbers = {"turns": self._turns, "steps": prompt.STEPS_OF_A_TURN, "memory": prompt.MOST_MEMORY}

        def tool(name: str, doc: str, arguments: dict[str, Any], **more: Any) -> Tool:
            return Tool(name, _object(arguments), doc.format(**numbers), **more)

        return (
            *(tool(name, **declared) for name, declared in DECLARED["tools"].items()),
            *(
                Tool(name, schema(method.name), method.doc, audience="code")
                for name, method in self._methods.items()
            ),
            *(
                tool(name, **declared, audience="code", **self._replayed(name))
                for name, declared in DECLARED["code_tools"].items()
            ),
        )

    def _replayed(self, tool: str) -> dict[str, Any]:
        """Return how replays get what `_query` takes from outside; sets named `-v0` record none of it."""
        return {"replay": "given"} if tool == "query" and self._lab.rules.published_views else {}

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Carry out one call; the result of an impossible call is a refusal."""
        if tool == "run_code":
            return self._run_code(arguments["code"], door)
        if tool == "act":
            return self._act(arguments["tool"], arguments["arguments"], door)
        try:
            return self._free(tool, arguments, door)
        except Refused as refusal:
            return refused(str(refusal))

    def submission(self) -> Json:
        """Return the record of the run.

        Months that were not played pass without decisions, as in the published program.
        """
        return records.record(records.finished(self._lab), played=self._lab.month)

    def close(self) -> None:
        """End the sandbox and close the database."""
        self._box.close()
        self._database.close()

    # -- turns

    def _run_code(self, text: str, door: Door) -> Result:
        if self._left < prompt.STEPS_OF_A_TURN:
            return refused(f"no turn with code is left this month, only {self._left} single calls")
        before = self._lab.month
        turn = (self._steps - self._left) // prompt.STEPS_OF_A_TURN + 1
        block = self._fence.search(text)
        output = self._block(block[1], door) if block else NUDGE
        message = f"Turn {turn} of {self._turns}:\n{output}"
        return self._end_of_turn(before, prompt.STEPS_OF_A_TURN, message, door)

    def _block(self, code: str, door: Door) -> str:
        def run(call: Call) -> Json:
            outcome = self._box.run(code, call).to_json()
            del outcome["value"], outcome["calls"]
            return outcome

        outcome: Any = door.outside(run)
        output: str = outcome["stdout"] + outcome["stderr"]
        if outcome["error"]:
            output += ("" if output.endswith("\n") or not output else "\n") + f"[{outcome['status']}]"
            output += f" {outcome['error']}"
        if not outcome["alive"]:
            output += "\n[the interpreter was replaced: variables are gone]"
        if len(output) > prompt.MOST_PRINTED:
            output = output[: prompt.MOST_PRINTED] + "\n[cut]"
        return output or NOTHING

    def _act(self, tool: str, arguments: Any, door: Door) -> Result:
        if tool in ("act", "run_code"):
            return refused("act: tool: act and run_code are no tools of code")
        before = self._lab.month
        result = door.call(tool, arguments)
        message = result.parts[0] if result.ok else {"ok": False, "error": result.error}
        return self._end_of_turn(before, 1, message, door)

    def _end_of_turn(self, before: int, steps: int, message: Any, door: Door) -> Result:
        """Charge `steps`; return `message`, or the next month or final summary if the month has ended."""
        self._left -= steps
        if not self._lab.over and self._lab.month == before and self._left <= 0:
            door.call("next_month", {})
        if self._lab.over:
            return self._final(charged=1)
        if self._lab.month != before:
            self._left = self._steps
            return Result(self._begin(), charged=1, fresh=True)
        return Result((message,), charged=1)

    def _begin(self) -> tuple[Any, ...]:
        lab = self._lab
        text = prompt.month(lab.month, lab.months, views.label(lab.month), self._shown_memory())
        return (text, views.dashboard(lab))

    def _shown_memory(self) -> str:
        if not self._remembers:
            return prompt.DISABLED
        return self._memory or prompt.NO_MEMORY

    def _final(self, charged: int = 0) -> Result:
        """Return the result that ends the episode: the summary of the run, without its seed."""
        summary = {key: value for key, value in views.summary(self._lab).items() if key != "seed"}
        ended: Any = "collapsed" if self._lab.collapse_month is not None else "done"
        return Result(({"simulation_over": True, **summary},), charged=charged, ended=ended)

    # -- what code can call

    def _query(self, sql: str, door: Door) -> Any:
        """Return the rows of a statement, which ends with the time of the block that waits for it.

        Whether it ended in time is recorded, because a replay on another machine would not know. All else
        follows from the statement.
        """
        left = self._box.time_left
        seconds = LAST_RESORT if left is None else left
        if not self._replayed("query"):
            return self._database.query(sql, seconds)
        answers: list[Any] = []

        def run(call: Call) -> Json:
            try:
                answers.append(self._database.query(sql, seconds))
            except Late:
                return False
            except Refused as refusal:
                answers.append(refusal)
            return True

        if not door.outside(run):
            raise Refused(TOO_LONG)
        answer = answers[0] if answers else self._database.query(sql)
        if isinstance(answer, Refused):
            raise answer
        return answer

    def _free(self, tool: str, arguments: dict[str, Any], door: Door) -> Result:
        lab = self._lab
        if tool == "query":
            return Result((self._query(arguments["sql"], door),))
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
                return self._final()
            return Result((views.dashboard(lab),))
        method = self._methods[tool]
        _check_numbers(arguments)
        values = [arguments.get(name, method.defaults.get(name)) for name in method.arguments]
        return Result((method.call(lab, *values),))


def _check_numbers(value: Any) -> None:
    """Check that every number in a value is finite and lies between -2**53 and 2**53.

    JSON allows larger integers, but the lab computes with floats, which cannot hold all of them.

    Raises:
        Refused: a number is out of range.
    """
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
