"""An item at a desk with tools from the pool: another room than the item's own, with the same question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Door, Json, Materials, Part, Result, Workspace, World
from assay.suite import Suite
from assay.suites.sgi.lab.evaluation.tool_pool import FINAL, Desk, PoolTool, corpus_of
from assay.task import Task

SYSTEM = (
    "You are a scientist at a desk with a few tools. Work the task out and give one answer in the form "
    "that is asked for. There is no second try."
)

LIMITS = {"calls": 100, "program": 20, "answer": 1}


class AtTheDesk:
    """One item, tools of the pool, one answer."""

    def __init__(self, parts: tuple[Part, ...], desk: Desk, tools: Sequence[PoolTool]) -> None:
        self._parts, self._desk = parts, desk
        self._tools = {own.tool.name: own for own in tools}
        self._reply: str | None = None

    def brief(self) -> Brief:
        """What the item's own world shows, and the tools."""
        tools = (*(own.tool for own in self._tools.values()), FINAL)
        limits = {
            name: most for name, most in LIMITS.items() if name in {"calls", *(t.counter for t in tools)}
        }
        return Brief(SYSTEM, self._parts, tools, limits, reply=FINAL.name)

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Use a tool, or answer."""
        if tool != FINAL.name:
            return self._tools[tool].run(self._desk, arguments, door)
        self._reply = str(arguments["text"])
        return Result(("Thank you.",), charged=1, ended="done" if self._reply.strip() else "invalid")

    def submission(self) -> Json:
        """The answer."""
        return self._reply

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class DeskSuite(Suite):
    """The suite with desks in the place of its worlds; all other rooms are its own."""

    tools: tuple[PoolTool, ...] = ()

    def room(self, room: Any) -> Any:
        """The desk for `world`, else the suite's room."""
        return SimpleNamespace(open=self._open) if room == "world" else super().load(room)

    def _open(self, task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> World:
        own = super().room("world").open(task, materials, workspace, stream)
        try:
            parts = own.brief().parts
        finally:
            own.close()
        return AtTheDesk(parts, Desk(corpus_of(task, materials.blobs.get)), self.tools)
