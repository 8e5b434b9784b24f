"""Agents of the command line: they see the conversation, an empty folder, and no task."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agents.server import Fault, Server
from tests.agents.sessions import SET, SUITE, materials, recorded, requests_noted, task_with

from assay.agents import command
from assay.agents.connection import connect
from assay.agents.player import Player
from assay.agents.ratelimit import Access, RateLimit
from assay.agents.transport import Conversation, Endpoint, Message, Request, TransportError
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.errors import ConfigError, PlatformError
from assay.protocol import BlobRef, Tool
from assay.sessions.record import record
from assay.sessions.replay import replay

PYTHON = str(Path(sys.base_prefix) / "bin/python3")
"""An interpreter outside of the checkout, which the programs here do not see."""

IDENTITY = Identity("a", "s", "t", "u", 0)


@pytest.fixture(autouse=True)
def can_hide() -> None:
    try:
        command.check_hiding([Path.cwd()])
    except PlatformError as problem:
        pytest.skip(problem.message)


def request(*parts: object) -> Request:
    talk = Conversation("You look.", (Tool("look", {"type": "object"}, "Look."),))
    talk.add(Message("user", parts))  # type: ignore[arg-type]
    return talk.request()


def run(program: str, *, timeout: float = 60.0, pass_on: tuple[str, ...] = ()) -> str:
    player = Player({"kind": "command", "command": [PYTHON, "-c", program]})
    endpoint = Endpoint(timeout=timeout, pass_on=pass_on)
    return connect(player, IDENTITY, MemoryBlobs(), endpoint).ask(request("Look.", {"n": 1})).text


def test_the_conversation_goes_in_and_the_reply_comes_out() -> None:
    said = run("import sys; print(sys.stdin.read())")
    assert said == 'You look.\n\n--- Laboratory ---\nLook.\n{"n":1}\n\n--- You ---'


def test_its_folder_is_empty_and_the_checkout_cannot_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/truth.json").write_text("{}")
    store = tmp_path.parent / (tmp_path.name + "-store")
    store.mkdir()
    (store / "entry").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_STORE", str(store))
    monkeypatch.setenv("A_SECRET", "1")
    program = (
        "import json, os; "
        f"print(json.dumps([os.listdir('.'), os.listdir({str(tmp_path)!r}), os.listdir({str(store)!r}), "
        f"os.path.exists({str(tmp_path / 'tasks/truth.json')!r}), sorted(os.environ)]))"
    )
    here, checkout, stored, truth, environment = json.loads(run(program))
    assert (here, checkout, stored, truth) == ([], [], [], False)
    assert set(environment) <= {*command.USUAL, "PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
    assert "A_SECRET" in json.loads(
        run("import json, os; print(json.dumps(list(os.environ)))", pass_on=("A_SECRET",))
    )
    write = f"open({str(tmp_path / 'tasks.json')!r}, 'w').write('x')"
    with pytest.raises(TransportError, match="ended with the code 1"):
        run(write)
    assert (tmp_path / "tasks/truth.json").read_text() == "{}"


def test_what_it_starts_ends_with_it() -> None:
    with pytest.raises(TransportError, match="no reply within 1 seconds"):
        run("import subprocess, sys, time; subprocess.Popen(['sleep', '4242.5']); time.sleep(60)", timeout=1)
    # A signal takes a moment to arrive.
    assert soon(lambda: not [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"4242.5" in _bytes(p)])


def soon(holds: Callable[[], bool]) -> bool:
    """Whether something becomes true within five seconds."""
    for _ in range(100):
        if holds():
            return True
        time.sleep(0.05)
    return False


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_busy_server_gets_as_many_requests_as_are_noted(tmp_path: Path) -> None:
    """A program that asks a server once, and fails where that is busy."""
    with Server(lambda body, number: Fault("status", 429)) as server:
        program = f"import urllib.request; urllib.request.urlopen({server.address!r}, b'{{}}')"
        transport = connect(
            Player({"kind": "command", "command": [PYTHON, "-c", program]}), IDENTITY, MemoryBlobs()
        )
        limit = RateLimit(Access(retries=5), sleep=lambda seconds: None)
        _, outcome = recorded(tmp_path, transport=transport, limit=limit)
    assert (outcome.status, outcome.reason) == ("transport", "the program ended with the code 1")
    assert len(server.bodies) == requests_noted(tmp_path) == 6


def test_failures_are_named() -> None:
    with pytest.raises(TransportError, match="ended with the code 3"):
        run("raise SystemExit(3)")
    with pytest.raises(ConfigError, match="no-such-program"):
        connect(Player({"kind": "command", "command": ["no-such-program"]}), IDENTITY, MemoryBlobs())


def test_a_reply_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "LONGEST", 1000)
    player = Player({"kind": "command", "command": [PYTHON, "-c", "print('x' * 5000)"]})
    reply = connect(player, IDENTITY, MemoryBlobs()).ask(request("Look.", BlobRef("ab" * 32, "image/png", 3)))
    assert (reply.stop, len(reply.text)) == ("length", 1000)


def test_it_plays_a_whole_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws all balls, then says how many were red: two replies, each by a program of its own."""
    program = tmp_path / "player.py"
    program.write_text(
        "import json, re, sys\n"
        "said = sys.stdin.read()\n"
        "balls = int(re.search(r'There are (\\d+) balls', said).group(1)) if 'There are' in said else 3\n"
        "if '--- You ---\\n{' not in said:\n"
        "    print(json.dumps({'tool': 'draw', 'arguments': {'n': 1}}))\n"
        "elif 'answer' not in said.rpartition('--- Laboratory ---')[0].partition('--- You ---')[2]:\n"
        "    print(json.dumps({'tool': 'answer', 'arguments': {'text': '1'}}))\n"
        "else:\n"
        "    print(json.dumps({'tool': 'finish', 'arguments': {}}))\n"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert shutil.which(PYTHON) and os.access(program, os.R_OK)
    found = materials()
    task = task_with(0, found)
    identity = Identity("program", SUITE.name, SET, task.task_id, 0)
    player = Player({"kind": "command", "command": [PYTHON, str(program)]})
    outcome = record(SUITE, task, identity, player, found, tmp_path / "r", provenance=tmp_path / "p")
    assert outcome.status == "done"
    path = identity.path(tmp_path / "r")
    assert replay(SUITE, task, path, found).submission is not None


def test_a_program_that_writes_for_ever_is_ended_and_its_reply_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of it is held in memory than a reply may be long."""
    monkeypatch.setattr(command, "LONGEST", 1 << 20)
    program = "import sys\nwhile True: sys.stdout.write('x' * 100_000)"
    player = Player({"kind": "command", "command": [PYTHON, "-c", program]})
    reply = connect(player, IDENTITY, MemoryBlobs(), Endpoint(timeout=60)).ask(request("Look."))
    assert (len(reply.text), reply.stop) == (1 << 20, "length")


def test_a_long_conversation_goes_to_a_program_that_does_not_read_it() -> None:
    player = Player({"kind": "command", "command": [PYTHON, "-c", "print('done')"]})
    reply = connect(player, IDENTITY, MemoryBlobs(), Endpoint(timeout=60)).ask(request("word " * 1_000_000))
    assert reply.text == "done"


def test_a_program_that_closes_its_output_and_stays_is_out_of_time() -> None:
    with pytest.raises(TransportError, match="no reply within"):
        run("import os, time; os.close(1); time.sleep(99)", timeout=1.0)


def test_the_environment_of_other_processes_cannot_be_read() -> None:
    """The key of another model may be there. That the process exists is seen, and its command line."""
    program = (
        "import glob\n"
        "names = found = 0\n"
        "for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "    try: names += b'99.' b'25' in open(path.replace('environ', 'cmdline'), 'rb').read()\n"
        "    except OSError: pass\n"
        "    try: found += b'a-secret-key' in open(path, 'rb').read()\n"
        "    except OSError: pass\n"
        "print('named', names, 'read', found)"
    )
    with subprocess.Popen(["sleep", "99.25"], env={**os.environ, "KEY": "a-secret-key"}) as holder:
        try:
            # It is empty for a moment after the start of a program.
            assert soon(lambda: b"a-secret-key" in Path(f"/proc/{holder.pid}/environ").read_bytes())
            assert run(program) == "named 1 read 0"
        finally:
            holder.kill()
