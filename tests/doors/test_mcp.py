"""The server of the Model Context Protocol, asked by the package's own client over a real process."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.agents.honest import HONEST_TASK, honest
from tests.agents.sessions import SET, SUITE, materials, task_with, write_checkout
from tests.sessions.test_session import played, scores

from assay import canonical
from assay.cli import main as cli
from assay.doors.mcp import PROMPT, RESOURCE, TaskServer
from assay.episodes.presentation import FRESH
from assay.errors import WriteError
from assay.sessions.rerun import judge
from assay.sessions.session import open_task

mcp_client = pytest.importorskip(
    "mcp.client.client", reason="needs the extra `models`: make setup EXTRAS=models"
)

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PATH": os.environ["PATH"]}
TASK = ("madeup", f"{SET}/0")

Talk = Callable[[Any], Awaitable[None]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    write_checkout(tmp_path)
    return tmp_path


def converse(folder: Path, talk: Talk, *arguments: str, task: tuple[str, str] = TASK) -> str:
    """Start the server, talk to it as a client, and let go; what it wrote to standard error."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = ["-m", "assay", "mcp", *task, *arguments]
    server = StdioServerParameters(command=sys.executable, args=command, env=ENVIRONMENT, cwd=folder)

    async def run(errors: Any) -> None:
        async with mcp_client.Client(stdio_client(server, errlog=errors)) as client:
            await talk(client)

    with tempfile.TemporaryFile("w+") as errors:  # the folder may be the checkout
        asyncio.run(run(errors))
        errors.seek(0)
        return errors.read()


def converse_here(talk: Talk) -> TaskServer:
    """The same without a process: the server's answers to the client, in memory."""
    with ThreadPoolExecutor(1) as thread:
        session = thread.submit(open_task, *TASK).result()
        server = TaskServer(session, thread)

        async def run() -> None:
            async with mcp_client.Client(server.server()) as client:
                await talk(client)

        try:
            asyncio.run(run())
        finally:
            thread.submit(session.close).result()
    return server


def texts(result: Any) -> list[str]:
    return [content.text for content in result.content if content.type == "text"]


def test_the_calls_of_a_solver_give_its_log_and_its_scores(checkout: Path) -> None:
    episode, calls = played("exact")
    heard = []

    async def talk(client: Any) -> None:
        heard.extend([await client.call_tool(tool, arguments) for tool, arguments in calls])
        assert (checkout / "report.json").is_file(), "the report is there at the end of the episode"

    converse(checkout, talk, "--report", "report.json", "--record", "mine")
    report = json.loads((checkout / "report.json").read_text())
    assert report["episode"]["log_sha256"] == episode.log_sha256
    assert report["episode"]["status"] == episode.status
    assert [(m["metric"], m["value"]) for m in report["metrics"]] == [
        (score.metric, score.value) for score in scores(episode)
    ]
    assert [result.is_error for result in heard] == [not e.ok for e in episode.events if e.kind == "call"]
    assert texts(heard[-1])[-1] == f"The episode is over: {episode.status}."
    assert_replays(checkout, episode.log_sha256)


def assert_replays(checkout: Path, log_sha256: str) -> None:
    (path,) = checkout.glob("recordings/mine/madeup/*/*.jsonl")
    found = materials()
    verdict = judge(SUITE, task_with(0, found), path, found)
    assert (verdict["verdict"], verdict["log_sha256"]) == ("identical", log_sha256)


def test_programs_with_calls_of_their_own_go_through_the_server(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    episode, calls = played("coder")

    async def talk(client: Any) -> None:
        for tool, arguments in calls:
            assert not (await client.call_tool(tool, arguments)).is_error

    assessment = converse_here(talk).finish()
    assert assessment.episode.log_sha256 == episode.log_sha256
    assert list(assessment.scores) == scores(episode)


@pytest.mark.full
def test_a_task_of_petri_is_worth_the_same_through_the_server(tmp_path: Path) -> None:
    played = honest()

    async def talk(client: Any) -> None:
        for event in played.episode.events:
            await client.call_tool(event.tool, event.arguments)

    file = tmp_path / "report.json"
    converse(ROOT, talk, "--report", str(file), task=("petri", HONEST_TASK))
    report = json.loads(file.read_text())
    assert report["episode"]["log_sha256"] == played.episode.log_sha256
    assert {m["metric"]: m["value"] for m in report["metrics"]} == played.scores
    assert played.scores["score"] == 95


def test_a_client_sees_tools_brief_and_pictures(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    found = materials()
    task = task_with(0, found)
    brief_tools = {tool.name: tool for tool in SUITE.room("world").TOOLS}
    picture = found.blobs.get(task.blobs[0].sha256)

    async def talk(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {n for n, t in brief_tools.items() if t.audience == "agent"}
        for tool in tools:
            assert tool.input_schema == dict(brief_tools[tool.name].schema)
            assert tool.description == brief_tools[tool.name].doc
        assert "how many of an urn's balls are red" in client.instructions
        assert "- look: The colour of one ball" in client.instructions
        assert "Give your answer with the tool answer." in client.instructions
        assert f"prompt {PROMPT!r}" in client.instructions
        (prompt,) = (await client.list_prompts()).prompts
        contents = [message.content for message in (await client.get_prompt(prompt.name)).messages]
        assert [base64.b64decode(c.data) for c in contents if c.type == "image"] == [picture]
        assert canonical.dumps({"balls": task.public["balls"]}) in [
            c.text for c in contents if c.type == "text"
        ]
        (resource,) = (await client.list_resources()).resources
        assert resource.uri == RESOURCE
        read = (await client.read_resource(resource.uri)).contents
        assert [base64.b64decode(c.blob) for c in read if hasattr(c, "blob")] == [picture]
        with pytest.raises(Exception, match="there is no 'other' here"):
            await client.get_prompt("other")
        with pytest.raises(Exception, match="there is no 'assay://other' here"):
            await client.read_resource("assay://other")
        shown = await client.call_tool("manual", {})
        assert [base64.b64decode(c.data) for c in shown.content if c.type == "image"] == [picture]
        assert len(texts(shown)[-1]) > 4096, "a long text is shown whole"
        fresh = await client.call_tool("rest", {})
        assert texts(fresh)[0] == FRESH

    converse_here(talk)


def test_a_refused_call_is_an_error_that_says_why_and_after_the_end_all_are(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)

    async def talk(client: Any) -> None:
        wrong = await client.call_tool("draw", {"n": 0})
        assert wrong.is_error and "draw: n" in texts(wrong)[0]
        unknown = await client.call_tool("no_such_tool", {})
        assert unknown.is_error and "unknown tool" in texts(unknown)[0]
        inner = await client.call_tool("look", {"at": 0})
        assert inner.is_error, "what only code can call is not for clients"
        over = await client.call_tool("draw", {"n": 8})
        assert texts(over)[-1] == "The episode is over: collapsed."
        for _ in range(3):
            late = await client.call_tool("weigh", {})
            assert late.is_error and texts(late) == ["the episode is over"]

    converse_here(talk)
    report = json.loads(capsys.readouterr().err)
    assert (report["episode"]["status"], report["episode"]["n_events"]) == ("collapsed", 4)


def test_a_client_that_leaves_early_is_scored_by_what_it_had_submitted(checkout: Path) -> None:
    async def talk(client: Any) -> None:
        await client.call_tool("answer", {"text": "3"})

    note, brace, report_text = converse(checkout, talk, "--record", "mine").partition("{\n")
    assert note.startswith(
        "note: 1 recording in recordings/mine will not be built: config/agents.yaml has no entry"
    )
    report = json.loads(brace + report_text)
    assert (report["episode"]["status"], report["episode"]["submission"]) == ("done", "3")
    assert_replays(checkout, report["episode"]["log_sha256"])


def test_the_report_comes_when_the_server_is_asked_to_stop(checkout: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "mcp", *TASK, "--report", "report.json"],
        cwd=checkout,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    initialize = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "red" in answer["result"]["instructions"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    process.stdin.close()
    process.stdout.close()
    assert json.loads((checkout / "report.json").read_text())["episode"]["status"] == "no_submission"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("madeup", "nothing/0"), "there is no task"),
        ((*TASK, "--record", "Not A Name"), "cannot be the name of an agent"),
    ],
)
def test_bad_arguments_end_the_server_with_a_clear_error(
    checkout: Path,
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(checkout)
    assert cli.main(["mcp", *arguments]) == 1
    written = capsys.readouterr()
    assert written.err.startswith("error: ") and said in written.err and "remedy: " in written.err
    assert written.out == ""


def test_a_full_disk_stops_the_server_and_not_the_episode_without_a_word(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)

    async def talk(client: Any) -> None:
        def full(line: object) -> None:
            raise WriteError("the disk is full", "make room")

        server.session._write = full
        with pytest.raises(Exception, match="Internal server error"):
            await client.call_tool("weigh", {})

    with ThreadPoolExecutor(1) as thread:
        session = thread.submit(open_task, *TASK).result()
        server = TaskServer(session, thread)

        async def run() -> None:
            async with mcp_client.Client(server.server()) as client:
                await talk(client)

        asyncio.run(run())
        thread.submit(session.close).result()
    assert isinstance(server.failure, WriteError)
    assert server._stopped.is_set()
