"""Plays a task of Assay as a sample of Inspect.

Inspect calls three functions in this order. The setup opens the episode and adds the tools of the harness.
The solver lets a model call the tools. The scorer computes the suite's metrics and keeps the recording in the
sample's store. All three find the episode by the id of the sample.
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
from assay.agents.transport import ToolCall as TextCall
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
"""Default for the largest number of replies that a model may give in an episode."""

STOPS: Mapping[str, tuple[Status, str]] = {
    "content_filter": ("refused", "the model declined to answer"),
    "max_tokens": ("truncated", "the model's reply was cut"),
    "model_length": ("truncated", "the model's reply was cut"),
}
"""Stop reasons of a reply that end the episode, each with the status and the reason of the episode."""

OUT_OF_TIME = frozenset({"time", "working"})
"""Limits of Inspect that end an episode with the status `timeout`. All others end it with `budget`."""

DECODING = ("temperature", "top_p", "top_k", "max_tokens", "seed", "stop_seqs", "reasoning_effort")
"""Decoding settings that a recording keeps. Others are left out, as they may hold keys and addresses."""


@dataclass
class SampleEpisode:
    """The episode of one sample.

    All its calls run in one thread, because a world may only be used in the thread that opened it.

    Attributes:
        thread: The thread of the world.
        lines: The lines of the recording so far.
        turn: The line of the reply whose calls are being made, or None before the first reply.
        session: The session, or None before the sample's setup.
    """

    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    lines: list[dict[str, Any]] = field(default_factory=list)
    turn: dict[str, Any] | None = None
    session: TaskSession | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function in the thread of the world."""
        done: T = await anyio.to_thread.run_sync(lambda: self.thread.submit(work).result())
        return done

    @property
    def opened(self) -> TaskSession:
        """The session, which must have been opened by the sample's setup."""
        assert self.session is not None
        return self.session

    async def call(self, tool: str, arguments: Any) -> Result:
        """Make a call through the harness, and record it with the reply that requested it."""
        before = len(self.lines)
        if self.turn is not None:
            self.turn["calls"].append(call_sha256(tool, arguments))
        result = await self.run(lambda: self.opened.call(tool, arguments))
        if self.turn is not None and len(self.lines) == before:
            self.turn["calls"].pop()  # the episode was already over, so the call was not made
        return result

    def note(self, messages: list[ChatMessage], output: ModelOutput) -> None:
        """Record a model's reply."""
        reply = output.message
        calls = [
            {"tool": call.function, "arguments": call.arguments, "id": call.id}
            for call in reply.tool_calls or ()
        ]
        reply_line = {"text": reply.text, "calls": calls, "stop": output.stop_reason}
        prompt = canonical.digest([[m.role, m.text] for m in messages])
        tokens_in = output.usage.input_tokens if output.usage else 0
        tokens_out = output.usage.output_tokens if output.usage else 0
        n = sum(line["kind"] == "turn" for line in self.lines)
        self.turn = turn_line(n, prompt, reply_line, tokens_in, tokens_out, ())
        self.lines.append(self.turn)

    def finish(self) -> Assessment:
        """End and score the episode."""
        turns = [line["usage"] for line in self.lines if line["kind"] == "turn"]
        if turns:
            self.opened.finish(sum(t["tokens_in"] for t in turns), sum(t["tokens_out"] for t in turns))
        return self.opened.score()

    def close(self) -> None:
        """Close the world and end its thread."""
        if self.session is not None:
            self.thread.submit(self.session.close).result()
        self.thread.shutdown()


_episodes: dict[str, SampleEpisode] = {}
"""The episodes in progress, by the id of their sample."""


def configured(name: str, config: str | Path) -> SuiteConfig:
    """Load the configuration and return the suite of this name."""
    return suite_of(load(Path(config)), name, Path(config))


@solver
def at_the_harness(suite: str, config: str) -> Solver:
    """Return the setup, a solver that opens the episode and sets messages and tools from its brief."""
    suite_config = configured(suite, config)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = _episodes[state.uuid] = SampleEpisode()
        name = f"{state.metadata['task_set']}/{state.metadata['index']}"
        model = {"transport": {"kind": "inspect", "model": str(get_model())}, "decoding": _decoding()}

        def opened() -> TaskSession:
            blobs = MemoryBlobs()
            task = find_task(suite_config, name, blobs)
            identity = Identity("inspect", task.suite, task.task_set, task.task_id, state.epoch - 1)
            materials = materials_for(suite_config.suite, blobs)
            write: Any = episode.lines.append
            return TaskSession(suite_config.suite, task, materials, identity, model=model, write=write)

        episode.session = await episode.run(opened)
        brief = episode.session.brief
        state.messages = [
            ChatMessageSystem(content="\n\n".join(filter(None, [brief.system, rules(brief)]))),
            ChatMessageUser(content=_contents(episode, brief.parts)),
        ]
        state.tools = [offered(episode, tool) for tool in _at_the_door(brief)]
        return state

    return solve


def offered(episode: SampleEpisode, tool: OurTool) -> Tool:
    """Convert a tool of the harness into a tool of Inspect."""
    return ToolDef(
        _tool(episode, tool.name),
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
    """Return a solver that queries the model and makes the calls of its replies until the episode is over.

    Calls are passed to the harness unchanged, even if they are invalid. A reply without a native tool call
    is read as a call in JSON, or as a plain answer if the suite accepts one. After any other reply the model
    gets an explanation; a second such reply in a row ends the episode.

    Args:
        turns: The largest number of replies.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = _episodes[state.uuid]
        try:
            await _play(episode, state, turns)
        except LimitExceededError as limit:
            status: Status = "timeout" if limit.type in OUT_OF_TIME else "budget"
            episode.opened.stop(status, str(limit.message))
            raise
        state.completed = True
        return state

    return solve


async def _play(episode: SampleEpisode, state: TaskState, turns: int) -> None:
    brief = episode.opened.brief
    opening = list(state.messages[:1])
    misunderstood = False
    for _ in range(turns):
        state.output = await get_model().generate(state.messages, state.tools)
        episode.note(state.messages, state.output)
        message = state.output.message
        state.messages.append(message)
        if state.output.stop_reason in STOPS:
            episode.opened.stop(*STOPS[state.output.stop_reason])
            return
        if message.tool_calls:
            problem = ""
            fresh = await _make(episode, state, message, message.tool_calls)
        else:
            calls, problem = understand(brief, Reply(message.text))
            fresh = await _make_from_text(episode, state, calls, problem)
        if episode.opened.over:
            return
        if problem and misunderstood:
            return
        misunderstood = bool(problem)
        if fresh is not None:
            state.messages = [*opening, ChatMessageUser(content=_contents(episode, fresh.parts))]
    episode.opened.stop("budget", f"more than {turns} turns")


async def _make(
    episode: SampleEpisode, state: TaskState, message: ChatMessageAssistant, calls: list[ToolCall]
) -> Result | None:
    """Make native tool calls in order. Return the result that starts a new context, or None if none does."""
    results: list[Result] = []
    for call in calls:
        if call.parse_error:
            result = await episode.call(call.function, "not JSON")
            results.append(result)
            answer = ChatMessageTool(content=str(result.error), tool_call_id=call.id, function=call.function)
            state.messages.append(answer)
        else:
            # The schema accepts anything, so that the harness, not Inspect, refuses and counts invalid calls.
            anything = ToolDef(
                _tool(episode, call.function, results.append),
                name=call.function,
                description=call.function,
                parameters=ToolParams(additionalProperties=True),
                parallel=False,
                max_output=0,
            )
            alone = message.model_copy(update={"tool_calls": [call]})
            made = await execute_tools([*state.messages, alone], [anything])
            state.messages.extend(made.messages)
        if episode.opened.over:
            return None
        if results and results[-1].fresh:
            return results[-1]
    return None


async def _make_from_text(
    episode: SampleEpisode, state: TaskState, calls: tuple[TextCall, ...], problem: str
) -> Result | None:
    """Make a call that was parsed from text, and add its result to the messages.

    If the text could not be parsed, add a message that states the `problem`.

    Return the result if it starts a new context, else None.
    """
    if problem:
        names = ", ".join(tool.name for tool in _at_the_door(episode.opened.brief))
        words = f"Your reply was not a call of a tool ({problem}). Call one of {names}."
        state.messages.append(ChatMessageUser(content=words))
        return None
    (call,) = calls
    result = await episode.call(call.tool, call.arguments)
    parts: tuple[Part, ...] = (f"Result of {call.tool[:100]}:", *result.parts)
    if not result.ok:
        parts = (f"The call of {call.tool[:100]} was refused: {result.error}",)
    state.messages.append(ChatMessageUser(content=_contents(episode, parts)))
    return result if result.fresh else None


def _tool(episode: SampleEpisode, name: str, observe: Callable[[Result], None] = lambda result: None) -> Any:
    """Return the function that Inspect calls for a tool. It raises `ToolError` if the call is refused."""

    async def execute(**kwargs: Any) -> list[Content]:
        result = await episode.call(name, kwargs)
        observe(result)
        if not result.ok:
            raise ToolError("\n".join(map(str, result_parts(result))))
        return _contents(episode, result_parts(result))

    return execute


def _contents(episode: SampleEpisode, parts: Sequence[Part]) -> list[Content]:
    return [content(item) for item in present(parts, episode.opened.read)]


def _at_the_door(brief: Brief) -> list[OurTool]:
    return [tool for tool in brief.tools if tool.audience == "agent"]


def _parameters(tool: OurTool) -> ToolParams:
    """Convert a tool's schema into parameters of Inspect.

    Inspect requires a description of each parameter. Where the schema has none, the name is used.
    """
    parameters = tool_info(tool).parameters
    for name, argument in parameters.properties.items():
        argument.description = argument.description or name
    return parameters


@scorer(metrics=[mean(), stderr()])
def headline(suite: str, config: str) -> Scorer:
    """Return a scorer whose value is the suite's headline metric, or NaN if the episode has no score.

    The metadata of the score holds all metrics and flags. If the episode is not in progress, as in
    `inspect score`, its recording is executed again.
    """
    suite_config = configured(suite, config)

    async def score(state: TaskState, target: Target) -> Score:
        episode = _episodes.get(state.uuid)
        if episode is not None:
            assessment = await episode.run(episode.finish)
            state.store.set(RECORDING, episode.lines)
        else:
            lines = lines_of(state)
            assessment = await anyio.to_thread.run_sync(lambda: again(suite_config, lines))
        return _score(assessment)

    return score


def again(config: SuiteConfig, lines: list[dict[str, Any]]) -> Assessment:
    """Execute a recording again and score its episode."""
    header = lines[0]
    blobs = MemoryBlobs()
    task = find_task(config, f"{header['task_set']}/{header['task_id']}", blobs)
    materials = materials_for(config.suite, blobs)
    with tempfile.TemporaryDirectory(prefix="assay-recording-") as root:
        path = identity_of(task, header["agent"], header["attempt"]).path(Path(root))
        write_recording(path, lines)
        return assess(config.suite, task, replay(config.suite, task, path, materials), materials)


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
    """Close the sample's world. Inspect calls this also for samples that failed."""
    episode = _episodes.pop(state.uuid, None)
    if episode is not None:
        await anyio.to_thread.run_sync(episode.close)
