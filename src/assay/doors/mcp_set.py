"""The server of a whole task set: one task after the other over one connection.

The client plays a task with the tools of its suite. When the episode is over, it calls the tool `next_task`,
whose result is the brief of the next task. Tasks may differ in their tools, so the server notifies the client
that the list of tools has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.console import report as tell
from assay.doors.mcp import TaskServer
from assay.sessions.assessment import Assessment
from assay.sessions.session import TaskSession
from assay.writing import write_whole

if TYPE_CHECKING:
    from mcp.server.lowlevel import NotificationOptions

NEXT = "next_task"
"""The name of the tool that opens the next task."""

ABANDON = "abandon"
"""The argument that ends an episode which is not over."""

EXPLANATION = (
    "This server gives you {count} tasks one after another, each independent of the others. Finish the "
    f"first one, which is described below. Then call the tool {NEXT}: it returns the next task, whose tools "
    "may be others."
)


class SetServer(TaskServer):
    """A server that offers several tasks, one after another, over one connection.

    Args:
        open_task: Opens the session of the task with an index.
        indices: The tasks, in the order in which they are played; at least one.
        thread: The thread in which sessions are opened and all their calls are made.
        report: The file for the assessments of all episodes, rewritten after each; `None` to print a line
            for each episode to standard error.

    Attributes:
        assessments: The assessments of the episodes that are over, in order.
    """

    def __init__(
        self,
        open_task: Callable[[int], TaskSession],
        indices: Sequence[int],
        thread: ThreadPoolExecutor,
        report: Path | None = None,
    ) -> None:
        self._open = open_task
        self._indices = indices
        self._at = 0
        self.assessments: list[Assessment] = []
        super().__init__(thread.submit(open_task, indices[0]).result(), thread, report)

    def write_report(self, assessment: Assessment) -> None:
        """Write the assessments of all episodes so far."""
        self.assessments.append(assessment)
        scores = [each.score for each in self.assessments]
        value = {
            "tasks": len(self._indices),
            "played": len(scores),
            "mean": sum(score or 0.0 for score in scores) / len(scores),
            "episodes": [each.to_json() for each in self.assessments],
        }
        if self.report is not None:
            write_whole(self.report, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        else:
            episode, score = assessment.episode, assessment.score
            tell(
                f"{episode.task_id}: {episode.status}; {'no score' if score is None else f'score {score:g}'}"
            )

    def notifications(self) -> NotificationOptions:
        """Announce that the list of tools can change."""
        from mcp.server.lowlevel import NotificationOptions

        return NotificationOptions(tools_changed=True)

    def _next(self, abandon: bool) -> str:
        """Open the next task, and return why that is refused; an empty text if it is open."""
        if not self.session.over and not abandon:
            return f"this task is not finished; to give it up, call {NEXT} with {ABANDON}: true"
        self.finish()
        if self._at == len(self._indices) - 1:
            return f"there are no more tasks: {len(self._indices)} of {len(self._indices)} are over"
        self.session.close()
        self._at += 1
        self.session = self._open(self._indices[self._at])
        self._assessment = None
        return ""

    async def _call_tool(self, context: Any, params: Any) -> Any:
        if params.name != NEXT:
            return await super()._call_tool(context, params)
        from mcp_types import CallToolResult, TextContent

        abandon = isinstance(params.arguments, dict) and params.arguments.get(ABANDON) is True
        refusal = await self._run(lambda: self._next(abandon))
        if refusal:
            return CallToolResult(content=[TextContent(text=refusal)], is_error=True)
        await context.session.send_tool_list_changed()
        place = TextContent(text=f"Task {self._at + 1} of {len(self._indices)}.")
        return CallToolResult(content=[place, *self._contents(self._brief())])

    async def _list_tools(self, context: Any, params: Any) -> Any:
        from mcp_types import Tool

        listed = await super()._list_tools(context, params)
        schema = {
            "type": "object",
            "properties": {
                ABANDON: {"type": "boolean", "description": "give up a task that is not finished"}
            },
            "additionalProperties": False,
        }
        listed.tools.append(
            Tool(name=NEXT, description="Go on to the next task, which is returned.", input_schema=schema)
        )
        return listed

    def _instructions(self) -> str:
        explanation = EXPLANATION.format(count=len(self._indices))
        return explanation + "\n\n" + super()._instructions()
