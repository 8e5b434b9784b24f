"""A box inside a world, as suites use it: turn after turn with calls of tools, replayed without a box."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from assay.episode import Event
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import Harness
from assay.episodes.workspace import TemporaryWorkspace
from assay.errors import SandboxError
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, refused
from assay.sandbox import Box, Limits, Policy
from assay.sessions.replay import Given

FACADES = """
class Lab:
    def hire(self, role):
        return call("lab.hire", {"role": role})
    def staff(self):
        return call("lab.staff")
lab = Lab()

def check_block(source):
    return "a month is too short for that" if len(source) > 1000 else None
"""
MONTHS = (
    "plan = ['postdoc', 'student', 'technician']\nlab.hire(plan.pop(0))",
    "import random\nlab.hire(plan.pop(0))\nprint(lab.staff(), random.random())",
    "try:\n    lab.hire(plan.pop(0))\nexcept ToolError as problem:\n    print(problem)",
    "lab.hire(role=7)",
    "# nothing" + " at all" * 200,
    "while True: pass",
    "'plan' in globals(), lab.staff()",
)


class Institute:
    """Two places to be filled; every month is a block of code."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.box = Box(policy or Policy(Limits(cpu=0.5)), prelude=FACADES, seed=7)
        self.staff: list[str] = []

    def brief(self) -> Brief:
        def tool(name: str, properties: dict[str, Any], **more: Any) -> Tool:
            return Tool(name, {"type": "object", "properties": properties}, name, **more)

        text = {"type": "string"}
        tools = (
            tool("run_month", {"code": text}, replay="given"),
            tool("lab.hire", {"role": text}, audience="code"),
            tool("lab.staff", {}, audience="code"),
        )
        return Brief("", (), tools, {})

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        if tool == "run_month":
            code = arguments["code"]
            return Result((door.outside(lambda call: self.box.run(code, call).to_json()),))
        if tool == "lab.hire":
            if len(self.staff) == 2:
                return refused("lab.hire: no place is free")
            self.staff.append(arguments["role"])
        return Result((list(self.staff),))

    def submission(self) -> Json:
        return None

    def close(self) -> None:
        self.box.close()


def played(world: Institute, outside: Any = None) -> list[Event]:
    materials = Materials(MemoryBlobs(), mock.Mock())
    events: list[Event] = []
    with TemporaryWorkspace() as workspace:
        harness = Harness(world, world.brief(), materials, workspace, events.append, outside)
        try:
            for code in MONTHS:
                harness.call("run_month", {"code": code})
            assert harness.status is None
        finally:
            world.close()
    return events


def test_turn_after_turn_and_again_without_a_box() -> None:
    events = played(Institute())
    outcomes: list[Any] = [event.parts[0] for event in events if event.kind == "call"]
    told = [(outcome["status"], outcome["value"], outcome["alive"]) for outcome in outcomes]
    assert told == [
        ("ok", ["postdoc"], True),
        ("ok", None, True),
        ("ok", None, True),
        ("error", None, True),
        ("refused", None, True),
        ("cpu", None, False),
        ("ok", [False, ["postdoc", "student"]], True),
    ]
    assert outcomes[1]["stdout"].startswith("['postdoc', 'student'] 0.")
    assert outcomes[2]["stdout"] == "lab.hire: no place is free\n"
    assert outcomes[3]["error"].startswith('  File "<block 4>", line 1, in <module>\n')
    nested = [(event.tool, event.ok) for event in events if event.kind == "code"]
    assert nested[:4] == [("lab.hire", True), ("lab.hire", True), ("lab.staff", True), ("lab.hire", False)]
    # The draws of a block depend on nothing but the seed: the same months are the same log.
    assert played(Institute()) == events
    # A replay takes the outcomes from the log and makes the calls within them; no box is opened.
    again = Institute()
    with mock.patch.object(Box, "run", side_effect=AssertionError):
        assert played(again, Given([event.to_json() for event in events], mock.Mock())) == events
    assert again.box.level is None and again.staff == ["postdoc", "student"]


def test_one_block_with_a_value_back() -> None:
    with Box() as box:
        outcome = box.run("import numpy as np\nx = np.arange(4.0)\n{'mean': x.mean(), 'x': x[:2]}")
    assert (outcome.status, outcome.value) == ("ok", {"mean": 1.5, "x": [0.0, 1.0]})


def test_a_machine_without_walls_is_no_defect_of_the_world() -> None:
    """It ends the job, with what is missing; an episode that crashed would be scored."""
    with pytest.raises(SandboxError, match="of the level full"):
        played(Institute(Policy(minimum="full", without=frozenset({"namespaces"}))))
