"""`assay mcp`: serves a task or a whole set over the Model Context Protocol on standard input and output.

The client can list the tools with their schemas, and its calls are passed to the harness. The brief is
available as the server's instructions, as a prompt and as a resource. The episode is scored when it is over
or when the client disconnects.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay import __version__
from assay.config.loading import load, suite_of
from assay.config.models import Config, SuiteConfig
from assay.config.option import add_config
from assay.episodes.identity import Identity
from assay.episodes.presentation import Picture, present, result_parts, rules
from assay.errors import AssayError, ConfigError, RecordingError
from assay.protocol import NEVER_SCORED, Part, Result
from assay.sessions import uncovered
from assay.sessions.assessment import Assessment
from assay.sessions.programs.catalogue import tasks_of
from assay.sessions.session import TaskSession, open_task
from assay.writing import write_whole

if TYPE_CHECKING:
    from mcp.server.lowlevel import NotificationOptions, Server

T = TypeVar("T")

STOPPING = (signal.SIGTERM, signal.SIGINT)
"""Signals that make the server score the episode and stop."""

PROMPT = "task"
"""The name of the prompt that holds the brief."""

RESOURCE = "assay://task"
"""The URI of the resource that holds the brief."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay mcp`."""
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument(
        "task",
        help="set/index, set/task id, the path of a task's file, or a set, whose tasks are served in turn",
    )
    parser.add_argument("--record", metavar="NAME", help="keep the sessions as recordings of this agent")
    parser.add_argument("--tasks", type=int, metavar="N", help="of a set, only the first N tasks")
    parser.add_argument("--attempt", type=int, default=0, help="which attempt (default: 0)")
    parser.add_argument("--report", type=Path, help="write log, metrics and flags to this file, as JSON")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Serve one episode. Return 0 if it was scored, else 1."""
    try:
        import mcp.server.stdio  # noqa: F401
    except ImportError as problem:
        raise ConfigError(
            "the server needs the extra `models`", "install it: make setup EXTRAS=models"
        ) from problem
    # A world may only be used in the thread that opened it, as may the SQLite connection of some worlds. It
    # gets a thread of its own, so that a slow call does not block the server.
    with ThreadPoolExecutor(1) as thread:

        def opened(task: str) -> TaskSession:
            return open_task(
                args.suite,
                task,
                agent=args.record or "mcp",
                attempt=args.attempt,
                record=args.record is not None,
                model={"transport": {"kind": "mcp"}},
                config=args.config,
            )

        config = load(args.config)
        suite = suite_of(config, args.suite, args.config)
        if args.task in suite.file.sets:
            from assay.doors.mcp_set import SetServer

            indices = _to_play(config, suite, args)
            server: TaskServer = SetServer(
                lambda index: opened(f"{args.task}/{index}"), indices, thread, args.report
            )
        else:
            server = TaskServer(thread.submit(opened, args.task).result(), thread, args.report)
        if args.record is not None:
            for recordings in uncovered.notes(config, args.record):
                print(f"note: {recordings}", file=sys.stderr, flush=True)
        try:
            asyncio.run(server.serve())
            assessment = thread.submit(server.finish).result()
        finally:
            thread.submit(server.session.close).result()
    if server.failure is not None:
        raise server.failure
    return _exit_code(assessment)


def _to_play(config: Config, suite: SuiteConfig, args: argparse.Namespace) -> list[int]:
    """Return the tasks of a set that are served: those that have no recording of this agent yet."""
    listed = tasks_of(suite, args.task)[: args.tasks]
    if args.record is None:
        return [task.index for task in listed]
    place = config.project.recordings
    left = [
        task.index
        for task in listed
        if not Identity(args.record, task.suite, args.task, task.task_id, args.attempt).path(place).exists()
    ]
    if not left:
        raise RecordingError(
            f"{args.record} has played all {len(listed)} tasks of {args.suite}/{args.task}",
            "choose another --attempt or --record",
        )
    return left


def _exit_code(assessment: Assessment) -> int:
    return int(assessment.episode.status in NEVER_SCORED)


@dataclass
class TaskServer:
    """The server of one session.

    Attributes:
        session: The session.
        thread: The thread in which the session was opened and all its calls are made.
        report: The file for log, metrics and flags, or None to write them to standard error.
        failure: The error that stopped the server, such as a full disk, or None.
    """

    session: TaskSession
    thread: ThreadPoolExecutor
    report: Path | None = None
    failure: AssayError | None = None
    _assessment: Assessment | None = field(default=None, init=False)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def serve(self) -> None:
        """Answer requests until the client closes standard input.

        A signal in `STOPPING` ends the whole process after the report is written, because the thread that
        waits for the client's next line cannot be ended.
        """
        from mcp.server.stdio import stdio_server

        server = self.server()
        loop = asyncio.get_running_loop()
        for number in STOPPING:
            loop.add_signal_handler(number, self._stopped.set)
        async with stdio_server() as (incoming, outgoing):
            options = server.create_initialization_options(self.notifications())
            running = asyncio.create_task(server.run(incoming, outgoing, options))
            stopping = asyncio.create_task(self._stopped.wait())
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            for number in STOPPING:  # a second signal must not interrupt the writing of the report
                signal.signal(number, signal.SIG_IGN)
            if not running.done():
                os._exit(await loop.run_in_executor(self.thread, self._end))
            stopping.cancel()
            await running

    def server(self) -> Server:
        """Make the server with its request handlers."""
        from mcp.server.lowlevel import Server

        return Server(
            "assay",
            version=__version__,
            instructions=self._instructions(),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
        )

    def _end(self) -> int:
        """Score the episode and close the world. Return the exit code of the process."""
        try:
            if self.failure is not None:
                raise self.failure
            return _exit_code(self.finish())
        except AssayError as problem:
            print(problem, file=sys.stderr)
            return problem.exit_code
        finally:
            self.session.close()
            sys.stderr.flush()

    def finish(self) -> Assessment:
        """Score the episode, write the report and return the assessment. Later calls only return it."""
        if self._assessment is None:
            self._assessment = self.session.score()
            self.write_report(self._assessment)
        return self._assessment

    def write_report(self, assessment: Assessment) -> None:
        """Write log, metrics and flags of an episode."""
        text = json.dumps(assessment.to_json(), indent=1, ensure_ascii=False) + "\n"
        if self.report is None:
            sys.stderr.write(text)
        else:
            write_whole(self.report, text)

    def notifications(self) -> NotificationOptions | None:
        """Return what the server may notify its client of; `None` for the defaults."""
        return None

    async def _run(self, work: Callable[[], T]) -> T:
        """Run a function in the thread of the world. An `AssayError` stops the server."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self.thread, work)
        except AssayError as problem:
            self.failure = problem
            self._stopped.set()
            raise

    def _call(self, tool: str, arguments: Any) -> Result:
        result = self.session.call(tool, arguments)
        if self.session.over:
            self.finish()  # now, because a disconnecting client may kill the server before it can write
        return result

    async def _call_tool(self, context: Any, params: Any) -> Any:
        from mcp_types import CallToolResult

        result = await self._run(lambda: self._call(params.name, params.arguments))
        return CallToolResult(content=self._contents(result_parts(result)), is_error=not result.ok)

    async def _list_tools(self, context: Any, params: Any) -> Any:
        from mcp_types import ListToolsResult, Tool

        return ListToolsResult(
            tools=[
                Tool(name=tool.name, description=tool.doc, input_schema=dict(tool.schema))
                for tool in self.session.brief.tools
                if tool.audience == "agent"
            ]
        )

    async def _list_prompts(self, context: Any, params: Any) -> Any:
        from mcp_types import ListPromptsResult, Prompt

        return ListPromptsResult(prompts=[Prompt(name=PROMPT, description="the task, with its pictures")])

    async def _get_prompt(self, context: Any, params: Any) -> Any:
        from mcp_types import GetPromptResult, PromptMessage

        self._only(params.name, PROMPT)
        contents = self._contents(self._brief())
        return GetPromptResult(messages=[PromptMessage(role="user", content=each) for each in contents])

    async def _list_resources(self, context: Any, params: Any) -> Any:
        from mcp_types import ListResourcesResult, Resource

        return ListResourcesResult(
            resources=[Resource(uri=RESOURCE, name=PROMPT, description="the task, with its pictures")]
        )

    async def _read_resource(self, context: Any, params: Any) -> Any:
        from mcp_types import BlobResourceContents, ReadResourceResult, TextResourceContents

        self._only(str(params.uri), RESOURCE)
        return ReadResourceResult(
            contents=[
                BlobResourceContents(uri=RESOURCE, mime_type=item.media_type, blob=_base64(item))
                if isinstance(item, Picture)
                else TextResourceContents(uri=RESOURCE, mime_type="text/plain", text=item)
                for item in present(self._brief(), self.session.read)
            ]
        )

    def _only(self, asked: str, known: str) -> None:
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS

        if asked != known:
            raise MCPError(INVALID_PARAMS, f"there is no {asked!r} here, only {known!r}")

    def _brief(self) -> list[Part]:
        """The parts of the brief, followed by the rules for calls if there are any."""
        brief = self.session.brief
        return [brief.system, *brief.parts, *filter(None, [rules(brief)])]

    def _instructions(self) -> str:
        """The brief without its pictures."""
        items = present(self._brief(), self.session.read)
        texts = [text for text in items if isinstance(text, str)]
        if len(texts) < len(items):
            texts.append(
                f"The pictures of the task are in the prompt {PROMPT!r} and the resource {RESOURCE}."
            )
        return "\n\n".join(texts)

    def _contents(self, parts: list[Part]) -> list[Any]:
        from mcp_types import ImageContent, TextContent

        return [
            ImageContent(data=_base64(item), mime_type=item.media_type)
            if isinstance(item, Picture)
            else TextContent(text=item)
            for item in present(parts, self.session.read)
        ]


def _base64(picture: Picture) -> str:
    return base64.b64encode(picture.data).decode()
