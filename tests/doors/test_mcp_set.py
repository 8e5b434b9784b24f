"""A server of the Model Context Protocol that serves a whole set, one task after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.sessions import SET, write_checkout
from tests.doors.test_mcp import converse, texts
from tests.sessions.test_session import played

from assay.cli import main as cli

WHOLE = ("madeup", SET)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    write_checkout(tmp_path)
    return tmp_path


def test_tasks_follow_each_other_and_all_are_scored(checkout: Path) -> None:
    episode, calls = played("exact")

    async def talk(client: Any) -> None:
        assert "This server gives you 2 tasks" in client.instructions
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"next_task", "answer"} <= tools
        early = await client.call_tool("next_task", {})
        assert early.is_error and "not finished" in texts(early)[0]
        for tool, arguments in calls:
            await client.call_tool(tool, arguments)
        second = await client.call_tool("next_task", {})
        assert texts(second)[0] == "Task 2 of 2."
        assert any("how many of an urn's balls" in text for text in texts(second))
        last = await client.call_tool("next_task", {"abandon": True})
        assert last.is_error and "no more tasks: 2 of 2" in texts(last)[0]

    converse(checkout, talk, "--report", "report.json", "--record", "mine", task=WHOLE)
    report = json.loads((checkout / "report.json").read_text())
    assert (report["tasks"], report["played"]) == (2, 2)
    statuses = [each["episode"]["status"] for each in report["episodes"]]
    assert statuses == [episode.status, "no_submission"]
    assert report["episodes"][0]["episode"]["log_sha256"] == episode.log_sha256
    assert len(list(checkout.glob(f"recordings/mine/madeup/{SET}/*.0.jsonl"))) == 2


def test_tasks_that_are_recorded_already_are_left_out(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def first(client: Any) -> None:
        await client.call_tool("answer", {"text": "1"})

    async def rest(client: Any) -> None:
        assert "This server gives you 1 tasks" in client.instructions
        await client.call_tool("answer", {"text": "1"})

    lines = converse(checkout, first, "--tasks", "1", "--record", "mine", task=WHOLE)
    assert ": done; score " in lines
    converse(checkout, rest, "--tasks", "2", "--record", "mine", task=WHOLE)
    monkeypatch.chdir(checkout)
    assert cli.main(["mcp", *WHOLE, "--tasks", "2", "--record", "mine"]) == 1
    assert "mine has played all 2 tasks" in capsys.readouterr().err
