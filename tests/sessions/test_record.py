"""`assay record`: nothing that was paid for is lost, whatever happens."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripts import Replies, urn
from tests.agents.sessions import CLOCK, SUITE, materials, record_slowly, recorded, task_with

from assay.agents.fakes import call
from assay.agents.player import Limits
from assay.agents.scripted import FAULTS, FakeTransport
from assay.agents.transport import Reply, Request, Transport, TransportError
from assay.errors import ConfigError, RecordingError, WriteError
from assay.numbers import rng
from assay.protocol import NEVER_SCORED
from assay.sessions import record as record_module
from assay.sessions.record import Notes
from assay.sessions.recording import RecordingFile, read
from assay.sessions.replay import replay

KILLS = 50


def files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted((root / "recordings").rglob("*.*"))
    }


def repeated(root: Path) -> int:
    notes = (Notes(path, root / "recordings") for path in (root / "provenance").rglob("*.jsonl"))
    return sum(note.repeated() for note in notes)


def witnessed(root: Path) -> int:
    """How many requests somebody else than the recorder has seen."""
    return len((root / "witness").read_text().split())


def status_of(path: Path, index: int = 0) -> str:
    found = materials()
    return replay(SUITE, task_with(index, found), path, found).status


@dataclass
class Counting:
    """A transport that counts, and fails at one request as often as it is told."""

    transport: Transport
    fail_at: int = -1
    failures: int = 0
    asked: int = field(default=0, init=False)

    def ask(self, request: Request) -> Reply:
        number = sum(message.role == "assistant" for message in request.messages)
        if number == self.fail_at and self.failures:
            self.failures -= 1
            raise TransportError("the connection was lost")
        self.asked += 1
        return self.transport.ask(request)


def urn_model() -> FakeTransport:
    return FakeTransport(urn, rng.stream(3, "urn"))


# --- interruptions ----------------------------------------------------------------------------------------


def test_sigkill_loses_at_most_the_requests_under_way(tmp_path: Path) -> None:
    """Sessions killed at 50 random moments become, byte for byte, what they are without interruption."""
    indices, latency = (0, 1, 2), 0.004
    record_slowly(tmp_path / "undisturbed", indices, latency)
    expected = files(tmp_path / "undisturbed")
    assert len(expected) == len(indices) and repeated(tmp_path / "undisturbed") == 0

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.agents.sessions", "tests.protocol.madeup.world"])
    stream = rng.stream(7, "moments")
    kills, rounds, lost = 0, 0, 0
    while kills < KILLS:
        root = tmp_path / str(rounds)
        root.mkdir()
        rounds, killed_here = rounds + 1, 0
        while True:
            begun = context.Event()
            process = context.Process(target=record_slowly, args=(root, indices, latency, begun))
            process.start()
            assert begun.wait(60)
            if kills < KILLS:
                process.join(0.15 * stream.uniform())
                process.kill()
            process.join()
            if process.exitcode == 0:
                break
            assert process.exitcode == -9
            kills, killed_here = kills + 1, killed_here + 1
        assert files(root) == expected
        # The witness has seen every request that was made; the recorder has counted those made twice.
        twice = witnessed(root) - witnessed(tmp_path / "undisturbed")
        assert twice <= repeated(root) <= killed_here * len(indices)
        lost += twice
    assert lost > 0, "no kill has hit a request: the moments are badly chosen"


def test_a_file_cut_anywhere_is_taken_up(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, transport=urn_model())
    whole = path.read_bytes()
    turns = len(read(path).turns)
    stream = rng.stream(5, "cuts")
    for size in [0, 1, *(stream.below(len(whole)) for _ in range(14)), len(whole) - 1, len(whole)]:
        path.write_bytes(whole[:size])
        model = Counting(urn_model())
        _, outcome = recorded(tmp_path, transport=model)
        assert path.read_bytes() == whole
        assert model.asked == turns - whole[:size].count(b'"kind":"turn"') + _torn_turns(whole, size)
        assert outcome.played == (size < len(whole))


def _torn_turns(whole: bytes, size: int) -> int:
    """1 where the cut has left the beginning of a turn."""
    rest = whole[:size].rpartition(b"\n")[2]
    return rest.count(b'"kind":"turn"')


def test_what_a_program_printed_before_the_interruption_stays(tmp_path: Path) -> None:
    """Its output cannot be made again; the model has seen it, so the session must go on from it."""
    path, _ = recorded(tmp_path, script=CLOCK)
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines), 2):
        path.write_bytes(b"".join(lines[:count]))
        recorded(tmp_path, script=CLOCK)
        kept = path.read_bytes().splitlines(keepends=True)
        shown = max(n for n in range(count) if b'"kind":"turn"' in lines[n] or n == 0)
        assert kept[: shown + 1] == lines[: shown + 1]
        assert status_of(path) == "done"


def test_what_was_dropped_is_told(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])
    _, outcome = recorded(tmp_path)
    assert outcome.cut > 0 and f"{outcome.cut} bytes" in str(outcome)
    notes = next((tmp_path / "provenance").rglob("*.jsonl")).read_text()
    assert '"what":"cut"' in notes


def test_a_finished_session_is_left_alone(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    before = path.stat()
    _, outcome = recorded(tmp_path, transport=Replies([]))
    assert not outcome.played and "recorded before" in str(outcome)
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_two_recorders_cannot_have_one_session(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:2000])
    with RecordingFile(path), pytest.raises(RecordingError, match="by another process"):
        recorded(tmp_path)
    assert path.read_bytes() == whole[:2000]


# --- failures that are no one's ability -------------------------------------------------------------------


def test_a_lost_connection_is_taken_up_where_it_broke_off(tmp_path: Path) -> None:
    whole, _ = recorded(tmp_path / "whole", transport=urn_model())
    model = Counting(urn_model(), fail_at=5, failures=2)
    for _ in range(2):
        path, outcome = recorded(tmp_path, transport=model)
        assert (outcome.status, outcome.reason) == ("transport", "the connection was lost")
        assert status_of(path) == "transport" and "transport" in NEVER_SCORED
        assert model.asked == 5
    path, outcome = recorded(tmp_path, transport=model)
    assert path.read_bytes() == whole.read_bytes()
    assert model.asked == len(read(path).turns)
    assert repeated(tmp_path) == 0  # a request that failed has cost nothing


def test_a_crash_is_played_again_without_new_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shake = call("run_code", program=[{"tool": "shake", "arguments": {}}])
    path, outcome = recorded(tmp_path, transport=Replies([call("weigh"), shake]))
    assert (outcome.status, outcome.reason) == ("crashed", "RuntimeError in the tool shake")
    crashed = path.read_bytes()
    recorded(tmp_path, transport=Replies([]))
    assert path.read_bytes() == crashed

    world = SUITE.room("world")  # the defect is mended, and the session goes on
    monkeypatch.setattr(world.Urn, "_shake", lambda self, door: world.Result(("It rattles.",)))
    path, outcome = recorded(tmp_path, transport=Replies([call("answer", text="4"), call("finish")]))
    assert outcome.status == "done"
    assert status_of(path) == "done"
    assert [turn["reply"]["text"] for turn in read(path).turns[:2]] == [call("weigh"), shake]


def test_a_full_disk_stops_and_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = recorded(tmp_path / "whole")
    real, lines = os.write, 0

    def full(fd: int, data: bytes) -> int:
        nonlocal lines
        lines += data.endswith(b"}\n")
        if lines == 12:
            raise OSError(28, "No space left on device")
        return real(fd, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(WriteError, match="No space left") as caught:
            recorded(tmp_path)
        assert "assay record" in caught.value.remedy
    path, outcome = recorded(tmp_path)
    assert outcome.played and path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda patch: patch.setattr(record_module, "SCAFFOLD_SHA256", "0" * 64), "header: scaffold_sha256"),
        (lambda patch: patch.setattr(SUITE.room("world"), "MANUAL", "Balls."), "step 0: parts"),
        (
            lambda patch: patch.setitem(
                record_module.ModelAgent.act.__globals__["SCAFFOLD"], "result", "It:"
            ),
            "turn 1: the request",
        ),
    ],
)
def test_an_unfinished_session_of_another_version_is_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, place: str
) -> None:
    path, _ = recorded(tmp_path)
    cut = b"".join(path.read_bytes().splitlines(keepends=True)[:8])
    path.write_bytes(cut)
    change(monkeypatch)
    with pytest.raises(RecordingError, match=f"cannot be continued: {place} differs") as caught:
        recorded(tmp_path)
    assert "aside" in caught.value.remedy
    assert path.read_bytes() == cut


def test_other_limits_are_another_session(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:8]))
    with pytest.raises(RecordingError, match="header: model differs"):
        recorded(tmp_path, limits=Limits(turns=7))


def test_a_damaged_session_is_not_taken_up(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    data = path.read_bytes().replace(b"about", b"abuot", 1)
    path.write_bytes(data)
    with pytest.raises(RecordingError, match="turn 4: the chain of hashes is broken"):
        recorded(tmp_path)
    assert path.read_bytes() == data


# --- statuses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("refusal", "refused"),
        ("cut", "truncated"),
        ("lost", "transport"),
        ("not_json", "done"),
        ("wrong_tool", "done"),
        ("half_character", "done"),
        ("long", "done"),
    ],
)
def test_every_fault_of_a_model_has_a_definite_status_and_replays(
    tmp_path: Path, fault: str, status: str
) -> None:
    path, outcome = recorded(tmp_path, faults={"2": fault}, limits=Limits(tokens=10**9))
    assert fault in FAULTS and outcome.status == status
    assert status_of(path) == status
    assert len(read(path).turns) > 2 or status == "transport"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(turns=4), "more than 4 turns"), (Limits(tokens=6000), "more than 6000 tokens")],
)
def test_a_spent_budget_is_a_status(tmp_path: Path, limits: Limits, reason: str) -> None:
    path, outcome = recorded(tmp_path, limits=limits)
    assert (outcome.status, outcome.reason) == ("budget", reason)
    assert status_of(path) == "budget"
    end = read(path).end
    assert end is not None
    used = [turn["usage"]["tokens_in"] + turn["usage"]["tokens_out"] for turn in read(path).turns]
    assert end["tokens_in"] + end["tokens_out"] == sum(used)
    assert len(used) <= limits.turns and sum(used[:-1]) < limits.tokens


def test_every_way_to_end_in_the_made_up_world_replays(tmp_path: Path) -> None:
    sessions = {
        "invalid": [call("answer", text="a few"), call("finish")],
        "collapsed": [call("draw", n=8)],
        "budget": [call("weigh")] * 61,
        "done": [call("answer", text="3"), Reply("I am done.", stop="refusal")],
    }
    for attempt, (status, replies) in enumerate(sessions.items()):
        path, outcome = recorded(tmp_path, attempt=attempt, transport=Replies(replies))
        expected = "refused" if status == "done" else status
        assert (outcome.status, status_of(path)) == (expected, expected)


@pytest.mark.parametrize("script", ["nothing", "tests.agents.scripts:nothing", "no.such.module:urn"])
def test_a_script_that_does_not_exist_is_an_error(tmp_path: Path, script: str) -> None:
    with pytest.raises(ConfigError, match="there is no script"):
        recorded(tmp_path, script=script)
    assert not list(tmp_path.rglob("*.jsonl"))
