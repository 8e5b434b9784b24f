"""One of our tasks as a sample of Inspect: it is opened, a model plays it, it is scored.

Three pieces that Inspect calls one after the other, joined by the sample's id: the setup opens the episode
and offers the tools of its harness, the solver lets a model call them, the scorer scores by the suite's rules
and keeps the recording in the sample's store.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolError, ToolParams
from inspect_ai.util import LimitExceededError

from assay import canonical
from assay.agents.model import understand
from assay.agents.provider import content, tool_info
from assay.agents.transport import Reply
from assay.agents.transport import ToolCall as Asked
from assay.config.loading import load, suite_of
from assay.config.models import SuiteConfig
from assay.doors.inspect_import import RECORDING, lines_of, write_recording
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.presentation import present, result_parts, rules
from assay.protocol import Brief, Part, Result, Status
from assay.protocol import Tool as OurTool
from assay.sessions.assessment import Assessment, assess
from assay.sessions.recording import Identity, call_sha256, turn_line
from assay.sessions.replay import replay
from assay.sessions.session import TaskSession, identity_of
from assay.sessions.taskfiles import find_task

T = TypeVar("T")

TURNS = 100
"""Replies of a model in an episode, where the task is not told otherwise."""

STOPS: Mapping[str, tuple[Status, str]] = {
    "content_filter": ("refused", "the model declined to answer"),
    "max_tokens": ("truncated", "the model's reply was cut"),
    "model_length": ("truncated", "the model's reply was cut"),
}
"""Ends of a reply that end the episode."""

OUT_OF_TIME = frozenset({"time", "working"})
"""Limits of Inspect that end an episode as `timeout`; all others end it as `budget`."""

DECODING = ("temperature", "top_p", "top_k", "max_tokens", "seed", "stop_seqs", "reasoning_effort")
"""What a recording says of the decoding. The rest may hold keys and addresses."""


@dataclass
class Desk:
    """The episode of one sample. Its calls are made in a thread of their own: a world belongs to one.

    `lines` are those of its recording; `turn` is the one whose calls are being made.
    """

    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    lines: list[dict[str, Any]] = field(default_factory=list)
    turn: dict[str, Any] | None = None
    session: TaskSession | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Work in that thread."""
        done: T = await anyio.to_thread.run_sync(lambda: self.thread.submit(work).result())
        return done

    @property
    def opened(self) -> TaskSession:
        """The session, which the sample's setup has opened."""
        assert self.session is not None
        return self.session

    async def call(self, tool: str, arguments: Any) -> Result:
        """A call at the harness's door, noted with the turn that asked for it."""
        before = len(self.lines)
        if self.turn is not None:
            self.turn["calls"].append(call_sha256(tool, arguments))
        result = await self.run(lambda: self.opened.call(tool, arguments))
        if self.turn is not None and len(self.lines) == before:
            self.turn["calls"].pop()  # the episode was over: nothing has happened
        return result

    def note(self, messages: list[ChatMessage], output: ModelOutput) -> None:
        """Write down a model's reply."""
        reply = output.message
        calls = [
            {"tool": call.function, "arguments": call.arguments, "id": call.id}
            for call in reply.tool_calls or ()
        ]
        said = {"text": reply.text, "calls": calls, "stop": output.stop_reason}
        asked = canonical.digest([[m.role, m.text] for m in messages])
        tokens_in = output.usage.input_tokens if output.usage else 0
        tokens_out = output.usage.output_tokens if output.usage else 0
        n = sum(line["kind"] == "turn" for line in self.lines)
        self.turn = turn_line(n, asked, said, tokens_in, tokens_out, ())
        self.lines.append(self.turn)

    def finish(self) -> Assessment:
        """Score the episode, which is over from now on."""
        turns = [line["usage"] for line in self.lines if line["kind"] == "turn"]
        if turns:
            self.opened.finish(sum(t["tokens_in"] for t in turns), sum(t["tokens_out"] for t in turns))
        return self.opened.score()

    def close(self) -> None:
        """Let the world and its thread go."""
        if self.session is not None:
            self.thread.submit(self.session.close).result()
        self.thread.shutdown()


_desks: dict[str, Desk] = {}
"""The episodes in progress, by the id of their sample."""


def configured(name: str, config: str | Path) -> SuiteConfig:
    """The suite of that name in a configuration."""
    return suite_of(load(Path(config)), name, Path(config))


@solver
def at_the_harness(suite: str, config: str) -> Solver:
    """Opens the sample's episode: the brief becomes the messages, the harness's tools the tools."""
    found = configured(suite, config)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk = _desks[state.uuid] = Desk()
        name = f"{state.metadata['task_set']}/{state.metadata['index']}"
        model = {"transport": {"kind": "inspect", "model": str(get_model())}, "decoding": _decoding()}

        def opened() -> TaskSession:
            blobs = MemoryBlobs()
            made = find_task(found, name, blobs)
            identity = Identity("inspect", made.suite, made.task_set, made.task_id, state.epoch - 1)
            materials = materials_for(found.suite, blobs)
            write: Any = desk.lines.append
            return TaskSession(found.suite, made, materials, identity, model=model, write=write)

        desk.session = await desk.run(opened)
        brief = desk.session.brief
        state.messages = [
            ChatMessageSystem(content="\n\n".join(filter(None, [brief.system, rules(brief)]))),
            ChatMessageUser(content=_contents(desk, brief.parts)),
        ]
        state.tools = [offered(desk, tool) for tool in _at_the_door(brief)]
        return state

    return solve


def offered(desk: Desk, tool: OurTool) -> Tool:
    """A tool of the harness in Inspect's form."""
    return ToolDef(
        _tool(desk, tool.name),
        name=tool.name,
        description=tool.doc,
        parameters=_parameters(tool),
        parallel=False,
        max_output=0,
    ).as_tool()


def _decoding() -> dict[str, Any]:
    config = get_model().config.model_dump(mode="json", exclude_none=True)
    return {name: config[name] for name in DECODING if name in config}


@solver
def tool_loop(turns: int = TURNS) -> Solver:
    """Asks the model and makes the calls it asks for, until the episode is over.

    A call goes to the harness as the model made it, be it wrong. A reply without one is taken as a call in
    JSON, or as the answer in plain text where the suite takes one; else the model is told once, and the
    second time in a row that ends the episode.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk = _desks[state.uuid]
        try:
            await _play(desk, state, turns)
        except LimitExceededError as limit:
            status: Status = "timeout" if limit.type in OUT_OF_TIME else "budget"
            desk.opened.stop(status, str(limit.message))
            raise
        state.completed = True
        return state

    return solve


async def _play(desk: Desk, state: TaskState, turns: int) -> None:
    brief = desk.opened.brief
    opening = list(state.messages[:1])
    misunderstood = False
    for _ in range(turns):
        state.output = await get_model().generate(state.messages, state.tools)
        desk.note(state.messages, state.output)
        message = state.output.message
        state.messages.append(message)
        if state.output.stop_reason in STOPS:
            desk.opened.stop(*STOPS[state.output.stop_reason])
            return
        if message.tool_calls:
            problem = ""
            fresh = await _make(desk, state, message, message.tool_calls)
        else:
            calls, problem = understand(brief, Reply(message.text))
            fresh = await _make_from_text(desk, state, calls, problem)
        if desk.opened.over:
            return
        if problem and misunderstood:
            return
        misunderstood = bool(problem)
        if fresh is not None:
            state.messages = [*opening, ChatMessageUser(content=_contents(desk, fresh.parts))]
    desk.opened.stop("budget", f"more than {turns} turns")


async def _make(
    desk: Desk, state: TaskState, message: ChatMessageAssistant, calls: list[ToolCall]
) -> Result | None:
    """Make native calls one after the other; the result with which a new context begins, if one does."""
    results: list[Result] = []
    for call in calls:
        if call.parse_error:
            result = await desk.call(call.function, "not JSON")
            results.append(result)
            said = ChatMessageTool(content=str(result.error), tool_call_id=call.id, function=call.function)
            state.messages.append(said)
        else:
            # Inspect would refuse what does not fit a tool's schema; here the harness does, and counts it.
            anything = ToolDef(
                _tool(desk, call.function, results.append),
                name=call.function,
                description=call.function,
                parameters=ToolParams(additionalProperties=True),
                parallel=False,
                max_output=0,
            )
            alone = message.model_copy(update={"tool_calls": [call]})
            made = await execute_tools([*state.messages, alone], [anything])
            state.messages.extend(made.messages)
        if desk.opened.over:
            return None
        if results and results[-1].fresh:
            return results[-1]
    return None


async def _make_from_text(
    desk: Desk, state: TaskState, calls: tuple[Asked, ...], problem: str
) -> Result | None:
    """Make the call that stood in a text, and answer it in the conversation."""
    if problem:
        names = ", ".join(tool.name for tool in _at_the_door(desk.opened.brief))
        words = f"Your reply was not a call of a tool ({problem}). Call one of {names}."
        state.messages.append(ChatMessageUser(content=words))
        return None
    (asked,) = calls
    result = await desk.call(asked.tool, asked.arguments)
    said: tuple[Part, ...] = (f"Result of {asked.tool[:100]}:", *result.parts)
    if not result.ok:
        said = (f"The call of {asked.tool[:100]} was refused: {result.error}",)
    state.messages.append(ChatMessageUser(content=_contents(desk, said)))
    return result if result.fresh else None


def _tool(desk: Desk, name: str, hear: Callable[[Result], None] = lambda result: None) -> Any:
    """A tool of the harness as Inspect calls one: contents back, or an error that says why."""

    async def execute(**kwargs: Any) -> list[Content]:
        result = await desk.call(name, kwargs)
        hear(result)
        if not result.ok:
            raise ToolError("\n".join(map(str, result_parts(result))))
        return _contents(desk, result_parts(result))

    return execute


def _contents(desk: Desk, parts: Sequence[Part]) -> list[Content]:
    return [content(shown) for shown in present(parts, desk.opened.read)]


def _at_the_door(brief: Brief) -> list[OurTool]:
    return [tool for tool in brief.tools if tool.audience == "agent"]


def _parameters(tool: OurTool) -> ToolParams:
    """A tool's schema in Inspect's words.

    Inspect wants a description of every argument: where a schema has none, its name must do.
    """
    parameters = tool_info(tool).parameters
    for name, argument in parameters.properties.items():
        argument.description = argument.description or name
    return parameters


@scorer(metrics=[mean(), stderr()])
def headline(suite: str, config: str) -> Scorer:
    """The suite's headline metric; all metrics and flags are in the metadata. NaN where there is no score.

    Where the episode is not in progress (`inspect score`), its recording is executed again.
    """
    found = configured(suite, config)

    async def score(state: TaskState, target: Target) -> Score:
        desk = _desks.get(state.uuid)
        if desk is not None:
            assessment = await desk.run(desk.finish)
            state.store.set(RECORDING, desk.lines)
        else:
            lines = lines_of(state)
            assessment = await anyio.to_thread.run_sync(lambda: again(found, lines))
        return _score(assessment)

    return score


def again(config: SuiteConfig, lines: list[dict[str, Any]]) -> Assessment:
    """What the episode of a recording is worth, executed again."""
    header = lines[0]
    blobs = MemoryBlobs()
    made = find_task(config, f"{header['task_set']}/{header['task_id']}", blobs)
    materials = materials_for(config.suite, blobs)
    with tempfile.TemporaryDirectory(prefix="assay-recording-") as root:
        path = identity_of(made, header["agent"], header["attempt"]).path(Path(root))
        write_recording(path, lines)
        return assess(config.suite, made, replay(config.suite, made, path, materials), materials)


def _score(assessment: Assessment) -> Score:
    episode, report = assessment.episode, assessment.to_json()
    return Score(
        value=math.nan if assessment.score is None else assessment.score,
        answer=None if episode.submission is None else canonical.dumps(episode.submission),
        explanation=f"{episode.status}: {episode.reason}" if episode.reason else episode.status,
        metadata={
            "status": episode.status,
            "reason": episode.reason,
            "log_sha256": episode.log_sha256,
            "metrics": report["metrics"],
            "flags": report["flags"],
        },
    )


async def clean_up(state: TaskState) -> None:
    """Let the sample's world go, however the sample ended."""
    desk = _desks.pop(state.uuid, None)
    if desk is not None:
        await anyio.to_thread.run_sync(desk.close)
