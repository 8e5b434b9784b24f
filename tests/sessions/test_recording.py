"""The file of a recording: what is written is found again, and damage is found at its place."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.sessions import CLOCK, recorded

from assay.errors import RecordingError, WriteError
from assay.numbers import rng
from assay.protocol import BlobRef, Brief, Tool
from assay.sessions.recording import (
    Difference,
    Identity,
    RecordingFile,
    brief_sha256,
    call_sha256,
    find,
    parse,
    read,
    settled,
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path, _ = recorded(tmp_path_factory.mktemp("session"))
    return path.read_bytes()


def place_in(data: bytes) -> str:
    with pytest.raises(Difference) as caught:
        parse(data)
    return caught.value.place


def test_a_recording_holds_no_clock_and_no_host(tmp_path: Path, session: bytes) -> None:
    again, _ = recorded(tmp_path)
    assert again.read_bytes() == session
    assert os.uname().nodename.encode() not in session


def test_lines_are_read_as_they_were_written(session: bytes) -> None:
    found = parse(session)
    assert found.header is not None and found.end is not None and not found.torn
    assert found.identity == Identity("fake", "madeup", "madeup-v0", "urn-0000", 0)
    lines = [json.loads(line) for line in session.splitlines()]
    assert [{k: v for k, v in line.items() if k != "chain"} for line in lines] == [
        found.header,
        *found.lines,
        found.end,
    ]


def test_every_flipped_byte_is_noticed(session: bytes) -> None:
    stream = rng.stream(1, "flipped bytes")
    whole = parse(session)
    for _ in range(300):
        at = stream.below(len(session) - 1)
        flipped = bytearray(session)
        flipped[at] ^= 1 << stream.below(8)
        try:
            found = parse(bytes(flipped))
        except Difference:
            continue
        # Only a newline may turn into something that is read without complaint: then an end is missing.
        assert found != whole and found.end is None, at


def test_dropped_doubled_and_swapped_lines_are_named(session: bytes) -> None:
    lines = session.splitlines(keepends=True)
    places = [_name(json.loads(line)) for line in lines]
    for at in range(1, len(lines) - 1):
        assert place_in(b"".join(lines[:at] + lines[at + 1 :])) == places[at + 1]
        assert place_in(b"".join(lines[: at + 1] + lines[at:])) == places[at]
        swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        assert place_in(b"".join(swapped)) == places[at + 1]
    assert place_in(b"".join(lines[1:])) == places[1]


def _name(line: dict[str, Any]) -> str:
    if line["kind"] == "event":
        return f"step {line['event']['step']}"
    return {"recording": "header", "end": "end"}.get(line["kind"]) or f"turn {line['n']}"


def test_a_file_cut_at_any_byte_is_a_session_not_finished(session: bytes) -> None:
    whole = parse(session)
    for size in range(0, len(session), 31):
        found = parse(session[:size])
        assert found.torn == (size > 0 and session[size - 1 : size] != b"\n")
        assert found.end is None
        assert found.lines == whole.lines[: len(found.lines)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"[]", "not a line of a recording"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"kind":"turn","kind":"turn"}', "not JSON"),
        (b'{"kind":"other"}', "not a line of a recording"),
        (b'{"kind":"end"}', "the chain of hashes is broken"),
        (b'{"kind":"end","n":NaN}', "not JSON"),
        (b'{"kind":"end","n":1e999}', "not JSON"),
        (b'{"kind":"end","n":"\\ud800"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_line_is_a_difference(session: bytes, line: bytes, problem: str) -> None:
    first = session.splitlines(keepends=True)[0]
    with pytest.raises(Difference, match=problem):
        parse(first + line + b"\n")


def test_blanks_between_the_words_of_a_line_are_noticed(session: bytes) -> None:
    assert place_in(session.replace(b'"n":0', b'"n": 0', 1)) == "turn 0"


def test_a_damaged_file_is_an_error_with_place_and_remedy(tmp_path: Path, session: bytes) -> None:
    path = tmp_path / "urn-0000.0.jsonl"
    path.write_bytes(session.replace(b'"n":3', b'"n":4', 1))
    with pytest.raises(RecordingError, match=r"urn-0000\.0\.jsonl: turn 4: the chain") as caught:
        read(path)
    assert "restore" in caught.value.remedy
    with pytest.raises(RecordingError, match="cannot be read"):
        read(tmp_path / "missing.0.jsonl")


def test_a_torn_line_is_cut_off_and_nothing_else(tmp_path: Path, session: bytes) -> None:
    path = tmp_path / "urn-0000.0.jsonl"
    turn = session.index(b"\n", session.index(b'"kind":"turn","n":2')) + 1
    path.write_bytes(session[: turn + 20])
    with RecordingFile(path) as file:
        found, cut = file.load()
    assert cut == 20
    assert path.read_bytes() == session[:turn]
    assert len(found.turns) == 3


def test_traces_of_a_call_that_was_not_complete_are_cut_off(tmp_path: Path) -> None:
    made, _ = recorded(tmp_path, script=CLOCK)
    whole = parse(made.read_bytes())
    for count in range(len(whole.lines) + 1):
        kept = settled(whole.lines[:count])
        assert kept == whole.lines[: len(kept)]
        dropped = whole.lines[len(kept) : count]
        # What is dropped has happened inside a call or by it, and no reply is among it.
        assert all(line["kind"] == "event" and line["event"]["parent"] is not None for line in dropped)
        roots = {line["event"]["step"] for line in kept if line["kind"] == "event"}
        assert all(
            line["event"]["parent"] is None or line["event"]["parent"] in roots
            for line in kept
            if line["kind"] == "event"
        )
    assert settled(whole.lines) == whole.lines


def test_appended_lines_continue_the_chain(tmp_path: Path, session: bytes) -> None:
    lines = session.splitlines(keepends=True)
    path = tmp_path / "urn-0000.0.jsonl"
    path.write_bytes(b"".join(lines[:5]))
    with RecordingFile(path) as file:
        file.load()
        for line in lines[5:]:
            file.append({k: v for k, v in json.loads(line).items() if k != "chain"})
    assert path.read_bytes() == session


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, session: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "urn-0000.0.jsonl"
    path.write_bytes(session[: session.index(b"\n") + 1])
    real = os.write

    def half(fd: int, data: bytes) -> int:
        real(fd, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    def short(fd: int, data: bytes) -> int:
        return real(fd, data[: len(data) // 2])

    with RecordingFile(path) as file:
        file.load()
        for broken in (half, short):
            monkeypatch.setattr(os, "write", broken)
            with pytest.raises(WriteError, match="cannot be written"):
                file.append({"kind": "turn"})
            assert path.read_bytes() == session[: session.index(b"\n") + 1]


def test_a_line_is_on_the_disk_when_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    real_write, real_fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda fd, data: done.append("write") or real_write(fd, data))
    monkeypatch.setattr(os, "fsync", lambda fd: done.append("fsync") or real_fsync(fd))
    with RecordingFile(tmp_path / "urn-0000.0.jsonl") as file:
        done.clear()
        file.append({"kind": "end"})
        assert done == ["write", "fsync"]


def test_two_processes_cannot_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "urn-0000.0.jsonl"
    with RecordingFile(path) as file:
        with pytest.raises(RecordingError, match="by another process"):
            RecordingFile(path)
        file.append({"kind": "end"})
    with RecordingFile(path):
        pass


def test_a_file_that_holds_nothing_does_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "agent/suite/set/task.0.jsonl"
    with RecordingFile(path):
        assert path.exists()
    assert not path.exists()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("a file where a folder should be")
    with pytest.raises(WriteError, match="cannot be written"):
        RecordingFile(tmp_path / "agent/task.0.jsonl")


def test_a_path_says_whose_session_it_is(tmp_path: Path) -> None:
    identity = Identity("some-model", "petri", "swarm-v0", "0.l1-swarm", 12)
    assert Identity.of(identity.path(tmp_path)) == identity
    for wrong in ("task.jsonl", "task.01.jsonl", "task.-1.jsonl", "task.0.json", ".0.jsonl"):
        with pytest.raises(RecordingError, match="name of a recording"):
            Identity.of(tmp_path / "agent/suite/set" / wrong)
    with pytest.raises(RecordingError, match="name of a recording"):
        Identity.of(Path("/suite/set/task.0.jsonl"))


def test_recordings_of_an_agent_are_found_in_order(tmp_path: Path) -> None:
    identities = [Identity("a", "s", "set", f"task-{n}", m) for n in range(3) for m in range(2)]
    for identity in reversed(identities):
        path = identity.path(tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        path.with_suffix(".txt").touch()
    assert [found for found, _ in find(tmp_path, "a")] == identities
    assert list(find(tmp_path, "b")) == []


BRIEF = Brief(
    "system", ("text", {"a": 1}), (Tool("look", {"type": "object"}, "doc"),), {"calls": 3}, reply="look"
)


@pytest.mark.parametrize(
    "other",
    [
        replace(BRIEF, system="System"),
        replace(BRIEF, parts=("text",)),
        replace(BRIEF, parts=("text", BlobRef("00", "image/png", 1))),
        replace(BRIEF, limits={"calls": 4}),
        replace(BRIEF, reply=None),
        replace(BRIEF, tools=()),
        *(
            replace(BRIEF, tools=(replace(BRIEF.tools[0], **change),))
            for change in (
                {"name": "see"},
                {"schema": {}},
                {"doc": ""},
                {"audience": "code"},
                {"counter": "calls"},
                {"replay": "given"},
            )
        ),
    ],
)
def test_all_of_a_brief_is_in_its_hash(other: Brief) -> None:
    assert brief_sha256(other) != brief_sha256(BRIEF)


def test_the_hash_of_a_call_tells_numbers_apart() -> None:
    hashes = {call_sha256("look", {"at": value}) for value in (1, 1.0, True, "1", None)}
    assert len(hashes) == 5
