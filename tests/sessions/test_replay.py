"""Replay: what was recorded happens again, and what was forged does not."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripts import Replies
from tests.agents.sessions import CLOCK, SUITE, URN, materials, recorded, task_with

from assay import canonical
from assay.agents.fakes import call
from assay.agents.transport import Reply
from assay.episode import Episode
from assay.episodes import harness as harness_module
from assay.errors import RecordingError
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.protocol import NEVER_SCORED
from assay.sessions import replay as replay_module
from assay.sessions.recording import Identity, call_sha256, parse, settled
from assay.sessions.replay import UNFINISHED, replay
from assay.sessions.rerun import judge

Lines = list[dict[str, Any]]


def replayed(path: Path, index: int = 0) -> Episode:
    found = materials()
    return replay(SUITE, task_with(index, found), path, found)


def verdict(path: Path, index: int = 0) -> dict[str, Any]:
    found = materials()
    return judge(SUITE, task_with(index, found), path, found)


# --- honest recordings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", [URN, CLOCK, "sweep"])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_an_honest_recording_replays(tmp_path: Path, script: str, index: int) -> None:
    path, outcome = recorded(tmp_path, index, script)
    lines = parse(path.read_bytes())
    assert lines.end is not None
    episode = replayed(path, index)
    assert episode.status == outcome.status == lines.end["status"]
    assert episode.submission == lines.end["submission"]
    assert dict(episode.counters) == lines.end["counters"]
    events = [line["event"] for line in lines.lines if line["kind"] == "event"]
    assert [e.to_json() for e in episode.events] == sorted(events, key=lambda event: event["step"])
    assert (episode.tokens_in, episode.tokens_out) == (lines.end["tokens_in"], lines.end["tokens_out"])
    assert episode.tokens_in is not None and episode.tokens_in > 0
    assert (episode.source, episode.agent, episode.attempt) == ("recording", "fake", 0)
    assert lines.header is not None
    assert episode.scaffold_sha256 == lines.header["scaffold_sha256"]
    assert verdict(path, index)["verdict"] == "identical"
    assert verdict(path, index)["requests"] == "identical"


def test_the_made_up_session_has_everything_in_it(tmp_path: Path) -> None:
    """Else the forgeries below would forge less than they say."""
    episode = replayed(recorded(tmp_path)[0])
    assert {event.kind for event in episode.events} == {"call", "code", "outside", "file"}
    assert {event.ok for event in episode.events if event.kind == "code"} == {True, False}
    assert {event.ok for event in episode.events if event.kind == "call"} == {True, False}
    assert "rest" in {event.tool for event in episode.events}


def test_values_from_outside_come_from_the_recording(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, script=CLOCK)
    other, _ = recorded(tmp_path / "other", script=CLOCK)
    assert path.read_bytes() != other.read_bytes()
    first, second = replayed(path), replayed(other)
    assert first.status == second.status == "done"
    assert first.log_sha256 != second.log_sha256


def test_nested_calls_with_arguments_that_are_no_json_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = SUITE.room("world")

    def strange(self: Any, door: Any, program: Any, clock: bool = False) -> Any:
        def run(call: Any) -> Any:
            return [call("look", {"at": {1, 2}}).error, call("look", {"not_json": "set"}).error]

        return world.Result((door.outside(run),))

    monkeypatch.setattr(world.Urn, "_run_code", strange)
    path, _ = recorded(tmp_path, transport=Replies([call("run_code", program=[]), "7", call("finish")]))
    assert b'{"not_json":"set"}' in path.read_bytes()
    assert replayed(path).status == "done"


def test_a_world_that_crashed_crashes_again(tmp_path: Path) -> None:
    shake = {"tool": "shake", "arguments": {}}
    path, outcome = recorded(tmp_path, transport=Replies([call("run_code", program=[shake])]))
    assert outcome.status == "crashed"
    episode = replayed(path)
    assert (episode.status, episode.reason) == ("crashed", outcome.reason)
    assert [event.error for event in episode.events if event.kind == "code"] == ["the world crashed"]


def test_a_program_that_never_stops_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (harness_module, replay_module):
        monkeypatch.setattr(module, "MOST_EVENTS", 20)
    look = {"tool": "look", "arguments": {"at": 0}}
    path, outcome = recorded(tmp_path, transport=Replies([call("run_code", program=[look] * 64)]))
    assert (outcome.status, outcome.reason) == ("budget", "more than 20 events")
    episode = replayed(path)
    assert (episode.status, episode.reason) == (outcome.status, outcome.reason)


def test_a_session_without_a_model_replays(tmp_path: Path) -> None:
    """What an agent that is no language model did can be recorded, too: there are no turns then."""
    lines = [line for line in honest() if line["kind"] != "turn"]
    lines[0] |= {"scaffold_sha256": None, "model": None}
    lines[-1] |= {"tokens_in": None, "tokens_out": None}
    path = written(tmp_path, lines)
    assert replayed(path).status == "done"
    assert verdict(path)["requests"] == "not compared"


# --- unfinished recordings --------------------------------------------------------------------------------


def test_an_unfinished_recording_has_a_row_and_no_score(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, script=CLOCK)
    data = path.read_bytes()
    whole = replayed(path)
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")][:-1]
    for size in [0, 10, *ends, len(data) - 1]:
        path.write_bytes(data[:size])
        episode = replayed(path)
        assert (episode.status, episode.reason) == ("transport", UNFINISHED)
        assert episode.status in NEVER_SCORED and episode.submission is None
        assert episode.events == whole.events[: len(episode.events)]
        kept = events_of([*settled(parse(data[:size]).lines)], "call", "code", "outside", "file")
        assert len(episode.events) - len(kept) in (0, 1)  # 1: the file that the last call has written
        assert verdict(path)["verdict"] == "unfinished"


def test_a_program_that_leaves_is_scored_where_the_world_scores_every_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program cannot make a bad episode uncounted by leaving; the connection of a model can break."""
    monkeypatch.setattr(replay_module, "scored_when_left", lambda suite, task: True)
    assert replayed(written(tmp_path / "model", honest()[:-1])).status == "transport"
    lines = [line for line in honest() if line["kind"] != "turn"][:-1]
    lines[0] |= {"scaffold_sha256": None, "model": None}
    left = replayed(written(tmp_path / "program", lines))
    assert (left.status, left.reason) == ("done", replay_module.left("transport", UNFINISHED))


def test_a_forged_unfinished_recording_is_rejected(tmp_path: Path) -> None:
    lines = honest()[:6]
    event = next(line for line in lines if line["kind"] == "event")["event"]
    event["charged"] += 1
    episode = replayed(written(tmp_path, lines))
    assert (episode.status, episode.reason) == ("rejected", f"step {event['step']}: the charge differs")


# --- forgeries --------------------------------------------------------------------------------------------


@cache
def honest_files() -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        return tuple(recorded(Path(folder), script=script)[0].read_text() for script in (URN, CLOCK))


def honest(which: int = 0) -> Lines:
    """The lines of a true recording, each with its chain."""
    return [json.loads(line) for line in honest_files()[which].splitlines()]


def chained(lines: Lines) -> Lines:
    """What a careful forger writes: a chain that holds."""
    chain, found = "", []
    for line in lines:
        body = {key: value for key, value in line.items() if key != "chain"}
        chain = hashlib.sha256((chain + canonical.dumps(body)).encode()).hexdigest()
        found.append({**body, "chain": chain})
    return found


def written(folder: Path, lines: Lines, *, careful: bool = True) -> Path:
    path = Identity("fake", "madeup", "madeup-v0", "urn-0000", 0).path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = chained(lines) if careful else lines
    path.write_text("".join(canonical.dumps(line) + "\n" for line in lines))
    return path


def place_of(line: dict[str, Any]) -> str:
    if line["kind"] == "event":
        return f"step {line['event']['step']}"
    return {"recording": "header", "end": "end"}.get(line["kind"]) or f"turn {line['n']}"


def renumbered(lines: Lines) -> Lines:
    """Steps, parents, turns and the end made consistent again, as far as a forger can without the world."""
    lines = deepcopy(lines)
    events = [line["event"] for line in lines if line["kind"] == "event"]
    new = {old: n for n, old in enumerate(sorted(event["step"] for event in events))}
    for event in events:
        event["step"] = new[event["step"]]
        event["parent"] = None if event["parent"] is None else new[event["parent"]]
    turns = [line for line in lines if line["kind"] == "turn"]
    for n, turn in enumerate(turns):
        turn["n"] = n
    counters = dict.fromkeys(lines[-1]["counters"], 0)
    counter_of = {"draw": "draw", "rest": "day", "look": "look", "answer": "answer"}
    for event in events:
        counters["calls"] += event["kind"] == "call"
        if event["tool"] in counter_of and event["kind"] in ("call", "code"):
            counters[counter_of[event["tool"]]] += event["charged"]
    lines[-1] |= {
        "n_events": len(events),
        "counters": counters,
        "tokens_in": sum(turn["usage"]["tokens_in"] for turn in turns),
        "tokens_out": sum(turn["usage"]["tokens_out"] for turn in turns),
    }
    return lines


def group(lines: Lines, root: dict[str, Any]) -> list[int]:
    """The places of a call's line and of all that belongs to it."""
    steps = {root["event"]["step"]}
    by_step = sorted(
        (n for n, line in enumerate(lines) if line["kind"] == "event"),
        key=lambda n: lines[n]["event"]["step"],
    )
    for n in by_step:
        if lines[n]["event"]["parent"] in steps:
            steps.add(lines[n]["event"]["step"])
    return [n for n in sorted(by_step) if lines[n]["event"]["step"] in steps]


@dataclass(frozen=True)
class Forgery:
    """Forged lines, and the place at which they begin to be false."""

    lines: Lines
    place: str


def events_of(lines: Lines, *kinds: str) -> Lines:
    return [line for line in lines if line["kind"] == "event" and line["event"]["kind"] in kinds]


def change_result(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Another result, outcome or charge of a call, or other content of a file."""
    line = stream.choice(events_of(lines, "call", "code", "file"))
    event = line["event"]
    way = stream.below(6)
    if way == 0 and event["parts"]:
        part = event["parts"][stream.below(len(event["parts"]))]
        if "text" in part:
            part["text"] += "."
        elif "blob" in part:
            part["blob"]["sha256"] = hashlib.sha256(part["blob"]["sha256"].encode()).hexdigest()
        else:
            key = sorted(part["json"])[0]
            part["json"][key] += stream.choice([1, -1, 0.5])
    elif way == 1:
        event["ok"] = not event["ok"]
    elif way == 2:
        event["charged"] += 1
    elif way == 3:
        event["fresh"] = not event["fresh"]
    elif way == 4:
        event["ended"] = "done" if event["ended"] is None else None
    else:
        event["error"] = "no" if event["error"] is None else None
    return Forgery(renumbered(lines) if careful else lines, place_of(line))


def drop_call(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """A call is left out with all that belongs to it; its turn stays."""
    root = stream.choice(events_of(lines, "call"))
    gone = group(lines, root)
    left = [line for n, line in enumerate(lines) if n not in gone]
    if careful:
        return Forgery(renumbered(left), place_of(root))
    return Forgery(left, place_of(lines[gone[-1] + 1]))  # the chain breaks at the line behind the gap


def drop_without_renumbering(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """One event is left out, whatever its kind, and the others keep their numbers."""
    line = stream.choice([n for n in lines if n["kind"] == "event" and n["event"]["kind"] != "outside"])
    at = lines.index(line)
    return Forgery([*lines[:at], *lines[at + 1 :]], place_of(line if careful else lines[at + 1]))


def add_call(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """A call that no turn asked for, copied from one that happened."""
    root = stream.choice(events_of(lines, "call"))
    whole = group(lines, root)
    copy = deepcopy([lines[n] for n in whole])
    high = max(line["event"]["step"] for line in copy) + 1
    shift = high - root["event"]["step"]
    later = [line for line in lines if line["kind"] == "event" and line["event"]["step"] >= high]
    for line in [*later, *copy]:
        line["event"]["step"] += shift
        if line["event"]["parent"] is not None and line["event"]["parent"] >= root["event"]["step"]:
            line["event"]["parent"] += shift if line in copy or line["event"]["parent"] >= high else 0
    forged = [*lines[: whole[-1] + 1], *copy, *lines[whole[-1] + 1 :]]
    return Forgery(renumbered(forged), f"step {high}") if careful else Forgery(forged, place_of(copy[0]))


def change_arguments(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Other arguments of a call of the agent."""
    line = stream.choice(events_of(lines, "call"))
    arguments = line["event"]["arguments"]
    arguments["at"] = arguments.get("at", 0) + 1 + stream.below(5)
    return Forgery(lines, place_of(line))


def change_tool(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Another tool."""
    line = stream.choice(events_of(lines, "call"))
    line["event"]["tool"] += "s"
    return Forgery(lines, place_of(line))


def change_what_code_printed(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Another value from outside; the call that shows it gives another result then."""
    line = stream.choice(events_of(lines, "outside"))
    line["event"]["parts"][0]["text"] += " red"
    parent = next(n for n in lines if n["kind"] == "event" and n["event"]["step"] == line["event"]["parent"])
    return Forgery(lines, place_of(parent if careful else line))


def change_submission(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """A better answer."""
    lines[-1]["submission"] = str(stream.below(100) + 100)
    return Forgery(lines, "end")


def change_end(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Another status, reason, counter or number at the end."""
    end = lines[-1]
    way = stream.below(7)
    if way == 0:
        end["status"] = stream.choice(
            ["invalid", "collapsed", "no_submission", "budget", "refused", "cheated"]
        )
    elif way == 1:
        end["reason"] = "it was late"
    elif way == 2:
        end["counters"][stream.choice(sorted(end["counters"]))] += 1
    elif way == 3:
        del end["counters"][stream.choice(sorted(end["counters"]))]
    else:
        end[["n_events", "tokens_in", "tokens_out"][way - 4]] -= 1
    return Forgery(lines, "end")


def change_usage(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Fewer tokens than were used."""
    line = stream.choice([line for line in lines if line["kind"] == "turn"])
    line["usage"]["tokens_out"] = 0
    return Forgery(lines, "end" if careful else place_of(line))


def swap_lines(lines: Lines, stream: Stream, careful: bool) -> Forgery:
    """Two lines in the other order."""
    pairs = [n for n in range(1, len(lines) - 2) if lines[n]["kind"] == lines[n + 1]["kind"] == "event"]
    n = stream.choice(pairs)
    forged = [*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]]
    return Forgery(forged, place_of(lines[n] if careful else lines[n + 1]))


FORGERIES: list[Callable[[Lines, Stream, bool], Forgery]] = [
    change_result,
    drop_call,
    drop_without_renumbering,
    add_call,
    change_arguments,
    change_tool,
    change_what_code_printed,
    change_submission,
    change_end,
    change_usage,
    swap_lines,
]


@pytest.mark.parametrize("careful", [False, True], ids=["naive", "careful"])
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: str(forge.__name__))
def test_forgeries_are_rejected_at_the_right_step(
    tmp_path: Path, forge: Callable[[Lines, Stream, bool], Forgery], careful: bool
) -> None:
    """550 in all. The careful forger writes numbers, counters and chain so that they fit; the words of the
    model, in the turns, are left as they are. What else can be forged, and what of it can be known, is in
    the tests below."""
    true = replayed(written(tmp_path, honest(0), careful=False))
    assert true.status == "done"
    for n in range(25):
        stream = rng.stream(n, "forgery", forge.__name__)
        lines = honest(n % 2)
        forgery = forge(deepcopy(lines), stream, careful)
        assert forgery.lines != lines
        episode = replayed(written(tmp_path, forgery.lines, careful=careful))
        assert episode.status == "rejected", (n, forge.__doc__)
        assert episode.reason.partition(":")[0] == forgery.place, (n, episode.reason)
        assert episode.submission is None and episode.status in NEVER_SCORED
        # No word of what the world would have answered, and no event that did not happen so.
        assert re.fullmatch(r"[a-z]+( [0-9]+)?: [a-z0-9 ]+", episode.reason)
        if match := re.fullmatch("step ([0-9]+)", forgery.place):
            assert all(event.step < int(match[1]) for event in episode.events)


# --- what a forger can do beyond that ---------------------------------------------------------------------


def drop_turn(lines: Lines, stream: Stream) -> Forgery:
    """A turn is left out with its call that changed nothing in the world: shorter, and cheaper."""
    useless = {call("manual"), call("weigh"), call("no_such_tool")}
    turns = [n for n, line in enumerate(lines) if line["kind"] == "turn" and line["reply"]["text"] in useless]
    at = stream.choice(turns)
    after = next(n for n in range(at + 1, len(lines)) if lines[n]["kind"] != "event")
    return Forgery(renumbered([*lines[:at], *lines[after:]]), f"turn {lines[at]['n']}")


def change_words(lines: Lines, stream: Stream) -> Forgery:
    """A model that said something else, to the same effect."""
    line = stream.choice([line for line in lines if line["kind"] == "turn" and line["n"] in (0, 1, 4, 6, 8)])
    line["reply"]["text"] += "\n"
    in_plain_text = line["n"] == 4  # then the words are the argument of the call
    return Forgery(lines, f"turn {line['n'] + (0 if in_plain_text else 1)}")


def change_words_and_call(lines: Lines, stream: Stream) -> Forgery:
    """Another program in turn, call and hash of the call alike; nobody runs programs of recordings."""
    at = next(
        n for n, line in enumerate(lines) if line["kind"] == "turn" and "run_code" in line["reply"]["text"]
    )
    event = next(
        line["event"]
        for line in lines[at:]
        if line["kind"] == "event" and line["event"]["tool"] == "run_code" and line["event"]["kind"] == "call"
    )
    event["arguments"]["program"].append({"tool": "look", "arguments": {"at": stream.below(4)}})
    lines[at]["reply"]["text"] = call("run_code", **event["arguments"])
    lines[at]["calls"] = [call_sha256("run_code", event["arguments"])]
    return Forgery(lines, f"turn {lines[at]['n'] + 1}")


def change_request(lines: Lines, stream: Stream) -> Forgery:
    """A model that was asked something else."""
    line = stream.choice([line for line in lines if line["kind"] == "turn"])
    line["request_sha256"] = "0" * 64
    return Forgery(lines, f"turn {line['n']}")


@pytest.mark.parametrize("forge", [drop_turn, change_words, change_words_and_call, change_request])
def test_forged_turns_are_found_by_their_requests(
    tmp_path: Path, forge: Callable[[Lines, Stream], Forgery]
) -> None:
    """The loop makes other requests out of forged turns. `assay replay` compares them; the stage that makes
    the tables does not, since it would depend on the scaffold."""
    for n in range(10):
        forgery = forge(honest(), rng.stream(n, "turns"))
        path = written(tmp_path, forgery.lines)
        report = verdict(path)
        assert report["verdict"] == "rejected", forge.__doc__
        assert report["reason"].partition(":")[0] == forgery.place, report["reason"]


def test_nobody_can_tell_words_that_no_model_said(tmp_path: Path) -> None:
    """A forger who plays the world with words of his own, and writes all of it down as it happens, has a
    recording without a fault. What it claims of the world is true; who said the words is his claim."""
    invented = Replies([call("answer", text="3"), call("finish")])
    path, _ = recorded(tmp_path, transport=invented, script="what-a-renowned-model-said")
    report = verdict(path)
    assert (report["verdict"], report["requests"]) == ("identical", "identical")


def test_nobody_can_tell_what_a_program_did_without_effect(tmp_path: Path) -> None:
    """A nested call that was refused leaves no trace in the world: left out, with what the program printed
    kept as it is, it is missed by nobody, as programs of recordings are never run."""
    lines = honest()
    refused = next(n for n in events_of(lines, "code") if not n["event"]["ok"])
    lines.remove(refused)
    assert verdict(written(tmp_path, renumbered(lines)))["verdict"] == "identical"


# --- recordings of something else -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("agent", "other", "header: it names another session than the path of the file"),
        ("suite", "other", "header: it names another session than the path of the file"),
        ("task_set", "other", "header: it names another session than the path of the file"),
        ("task_id", "urn-0001", "header: it names another session than the path of the file"),
        ("attempt", 1, "header: it names another session than the path of the file"),
        ("task_sha256", "0" * 64, "header: the task is not the one that was recorded"),
        ("brief_sha256", "0" * 64, "header: the brief is not the one that was recorded"),
        ("version", 2, "header: the format has version 2, not 1"),
        ("attempt", "0", "header: attempt has the wrong type"),
        ("attempt", True, "header: attempt has the wrong type"),
        ("author", "me", "header: author is no field here"),
    ],
)
def test_a_header_must_fit_path_task_and_brief(tmp_path: Path, field: str, value: Any, problem: str) -> None:
    lines = honest()
    lines[0][field] = value
    episode = replayed(written(tmp_path, lines))
    assert (episode.status, episode.reason, episode.events) == ("rejected", problem, ())


def test_a_recording_of_another_task_is_rejected(tmp_path: Path) -> None:
    assert replayed(written(tmp_path, honest()), index=1).reason == "header: the recording is of another task"


def test_a_task_that_changed_rejects_its_recordings(tmp_path: Path) -> None:
    found = materials()
    task = task_with(0, found)
    changed = replace(task, hidden={"colours": task.hidden["colours"][::-1]})
    episode = replay(SUITE, changed, written(tmp_path, honest()), found)
    assert episode.reason == "header: the task is not the one that was recorded"


def test_a_damaged_file_is_rejected_in_its_row(tmp_path: Path) -> None:
    path = written(tmp_path, honest())
    path.write_bytes(path.read_bytes()[:100] + b"\n")
    episode = replayed(path)
    assert (episode.status, episode.reason) == ("rejected", "line 1: not JSON")
    assert (episode.agent, episode.attempt) == ("fake", 0)


def test_a_path_that_names_no_session_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(b"")
    with pytest.raises(RecordingError, match="name of a recording"):
        replayed(path)


def test_a_rejected_episode_is_its_calls_before_the_difference(tmp_path: Path) -> None:
    """Whole calls at the agent's door, with all that belongs to them; who played and how stays known."""
    whole = replayed(written(tmp_path, honest()))
    for root in events_of(honest(), "call", "file", "outside"):
        lines = honest()
        line = next(n for n in events_of(lines, "call", "file", "outside") if n == root)
        line["event"]["charged"] += 1
        episode = replayed(written(tmp_path, lines))
        step = root["event"]["step"]
        assert episode.reason == f"step {step}: the charge differs"
        parent = root["event"]["parent"]
        begun = step if parent is None or root["event"]["kind"] == "file" else parent
        assert episode.events == tuple(event for event in whole.events if event.step < begun)
        assert (episode.status, episode.source, episode.counters) == ("rejected", "recording", {})
        assert episode.scaffold_sha256 == whole.scaffold_sha256 is not None
        session = (episode.suite, episode.task_set, episode.task_id, episode.agent, episode.attempt)
        assert session == ("madeup", "madeup-v0", "urn-0000", "fake", 0)


def test_of_a_call_that_differs_not_even_its_parts_are_kept(tmp_path: Path) -> None:
    """They stand in the recording before the call that they belong to, behind a call that is whole."""
    looks = [{"tool": "look", "arguments": {"at": at}} for at in range(3)]
    script = [call("answer", text="3"), call("run_code", program=looks), Reply("No.", stop="refusal")]
    path, _ = recorded(tmp_path, transport=Replies(script))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    events_of(lines, "code")[-1]["event"]["charged"] += 1
    episode = replayed(written(tmp_path, lines))
    assert [event.kind for event in episode.events] == ["call", "file"]


ASPECTS = {
    "parent": (99, "the call it belongs to"),
    "kind": ("code", "the kind of event"),
    "tool": ("look", "the tool"),
    "ok": (False, "the outcome"),
    "error": ("no", "the outcome"),
    "parts": ([], "the result"),
    "charged": (9, "the charge"),
    "ended": ("done", "the outcome"),
    "fresh": (True, "the outcome"),
}


@pytest.mark.parametrize("key", ASPECTS)
def test_a_difference_is_named_for_what_differs(tmp_path: Path, key: str) -> None:
    value, named = ASPECTS[key]
    lines = honest()
    event = events_of(lines, "outside")[-1]["event"]
    event[key] = value
    # What is not read from it differs when it has been made again.
    reason = replayed(written(tmp_path, lines)).reason
    step = event["step"]
    if key in ("kind", "ok", "parts"):
        place = f"step {event['parent']}: a value from outside is missing"
        expected = {"kind": place, "ok": f"step {step}: the outcome differs"}.get(key)
        assert reason == (expected or f"step {step}: it holds no value from outside")
    else:
        assert reason == f"step {step}: {named} differs"


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"text": "a"}, {"text": "b"}],
        [{"blob": {"sha256": "0" * 64, "mime": "text/plain", "size": 1}}],
        [{"blob": {}}],
        [{}],
        [7],
    ],
    ids=str,
)
def test_what_no_program_can_have_printed_is_rejected(tmp_path: Path, parts: list[Any]) -> None:
    lines = honest()
    event = events_of(lines, "outside")[0]["event"]
    event["parts"] = parts
    reason = replayed(written(tmp_path, lines)).reason
    assert reason == f"step {event['step']}: it holds no value from outside"


def test_code_that_did_not_come_to_its_end_does_not_do_so_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, told = SUITE.room("world"), []

    def failing(self: Any, door: Any, program: Any, clock: bool = False) -> Any:
        def run(call: Any) -> Any:
            call("look", {"at": 0})
            raise OSError("disk")

        try:
            return world.Result((door.outside(run),))
        except Exception as problem:
            told.append(str(problem))
            return world.Result(("it failed",))

    monkeypatch.setattr(world.Urn, "_run_code", failing)
    path, _ = recorded(tmp_path, transport=Replies([call("run_code", program=[]), "7", call("finish")]))
    episode = replayed(path)
    assert (episode.status, episode.reason) == ("done", "")
    assert [(e.kind, e.ok) for e in episode.events[:3]] == [
        ("call", True),
        ("outside", False),
        ("code", True),
    ]
    assert told == ["disk", "what was recorded did not come to its end"]


def test_an_event_beyond_the_recorded_ones_is_rejected(tmp_path: Path) -> None:
    """The file that the last call wrote is left out of the log."""
    script = [call("answer", text="3"), Reply("No.", stop="refusal")]
    path, _ = recorded(tmp_path, transport=Replies(script))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (file,) = events_of(lines, "file")
    lines.remove(file)
    lines[-1]["n_events"] -= 1
    episode = replayed(written(tmp_path, lines))
    assert episode.reason == f"step {file['event']['step']}: it is not in the recording"


# --- ends -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["refused", "truncated", "budget", "timeout", "transport", "crashed"])
def test_an_end_on_the_side_of_the_agent_is_taken_from_the_recording(tmp_path: Path, status: str) -> None:
    path, _ = recorded(tmp_path, transport=Replies([call("draw", n=1), Reply("No.", stop="refusal")]))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[-1] |= {"status": status, "reason": "so it was"}
    episode = replayed(written(tmp_path, lines))
    assert (episode.status, episode.reason) == (status, "so it was")


@pytest.mark.parametrize("status", ["done", "invalid", "collapsed", "rejected"])
def test_an_end_that_only_the_world_can_bring_is_not(tmp_path: Path, status: str) -> None:
    path, _ = recorded(tmp_path, transport=Replies([call("draw", n=1), Reply("No.", stop="refusal")]))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[-1]["status"] = status
    assert replayed(written(tmp_path, lines)).reason == "end: the status differs"


@pytest.mark.parametrize("status", ["refused", "truncated", "budget", "timeout", "transport", "crashed"])
def test_an_end_that_the_world_brought_is_not_the_agents(tmp_path: Path, status: str) -> None:
    lines = honest()
    lines[-1] |= {"status": status, "reason": "so it was"}
    assert replayed(written(tmp_path, lines)).reason == "end: the status differs"
    if status != "crashed":
        shake = {"tool": "shake", "arguments": {}}
        path, _ = recorded(tmp_path, transport=Replies([call("run_code", program=[shake])]))
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[-1] |= {"status": status}
        assert replayed(written(tmp_path, lines)).reason == "end: the status differs"


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("reason", "the reason"),
        ("submission", "the submission"),
        ("counters", "a counter"),
        ("n_events", "the number of events"),
        ("tokens_in", "the number of tokens"),
        ("tokens_out", "the number of tokens"),
    ],
)
def test_an_end_that_differs_is_named(tmp_path: Path, key: str, named: str) -> None:
    lines = honest()
    value = lines[-1][key]
    lines[-1][key] = value + 1 if isinstance(value, int) else {} if key == "counters" else "other"
    assert replayed(written(tmp_path, lines)).reason == f"end: {named} differs"


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_place_of_a_crash_may_be_another(tmp_path: Path) -> None:
    """Where code of the world breaks depends on its version; that it breaks does not."""
    shake = {"tool": "shake", "arguments": {}}
    path, _ = recorded(tmp_path, transport=Replies([call("run_code", program=[shake])]))
    lines = lines_of(path)
    lines[-1]["reason"] = "RuntimeError in the world, elsewhere"
    episode = replayed(written(tmp_path, lines))
    assert (episode.status, episode.reason) == ("crashed", lines[-1]["reason"])


def test_an_end_by_a_limit_is_the_worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (harness_module, replay_module):
        monkeypatch.setattr(module, "MOST_EVENTS", 20)
    look = {"tool": "look", "arguments": {"at": 0}}
    path, _ = recorded(tmp_path, transport=Replies([call("run_code", program=[look] * 64)]))
    lines = lines_of(path)
    for key, value, named in (("status", "refused", "the status"), ("reason", "it was late", "the reason")):
        forged = [*lines[:-1], {**lines[-1], key: value}]
        assert replayed(written(tmp_path, forged)).reason == f"end: {named} differs"


@pytest.mark.parametrize(
    ("status", "problem"),
    [("refused", None), ("transport", None), ("no_submission", "a call that the turn asked for is missing")],
)
def test_only_an_agent_that_stopped_leaves_out_what_it_asked_for(
    tmp_path: Path, status: str, problem: str | None
) -> None:
    path, _ = recorded(
        tmp_path, transport=Replies([call("manual"), call("manual"), Reply("", stop="refusal")])
    )
    lines = lines_of(path)
    second = [line for line in lines if line["kind"] == "turn"][1]
    short = lines[: lines.index(second) + 1]
    usage = [line["usage"] for line in short if line["kind"] == "turn"]
    end = lines[-1] | {
        "status": status,
        "n_events": 1,
        "counters": lines[-1]["counters"] | {"calls": 1},
        "tokens_in": sum(one["tokens_in"] for one in usage),
        "tokens_out": sum(one["tokens_out"] for one in usage),
    }
    episode = replayed(written(tmp_path, [*short, end]))
    if problem is None:
        assert (episode.status, len(episode.events)) == (status, 1)
    else:
        assert episode.reason == f"step 1: {problem}"
    assert replayed(written(tmp_path, short)).status == "transport"
    # In the middle nothing may be missing, however the session ended.
    (event,) = events_of(lines[: lines.index(second)], "call")
    gone = [line for line in short if line is not event] + [end | {"n_events": 0}]
    assert replayed(written(tmp_path, gone)).reason == "step 0: a call that the turn asked for is missing"


def test_a_call_that_its_turn_did_not_ask_for_is_rejected(tmp_path: Path) -> None:
    """Neither one too many nor another one."""
    path, _ = recorded(
        tmp_path, transport=Replies([call("manual"), call("manual"), Reply("", stop="refusal")])
    )
    lines = lines_of(path)
    turns = [line for line in lines if line["kind"] == "turn"]
    turns[0]["calls"] = []
    assert replayed(written(tmp_path, lines)).reason == "step 0: turn 0 did not ask for this call"
    turns[0]["calls"] = [call_sha256("weigh", {}), call_sha256("manual", {})]
    assert replayed(written(tmp_path, lines)).reason == "step 0: turn 0 did not ask for this call"


def test_a_fresh_start_drops_the_rest_of_a_turn(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path, transport=Replies([call("rest"), call("manual"), Reply("", stop="refusal")]))
    lines = lines_of(path)
    turn = next(line for line in lines if line["kind"] == "turn")
    turn["calls"].append(call_sha256("manual", {}))
    lines[-1]["status"] = "refused"
    assert replayed(written(tmp_path, lines)).status == "refused"
    turn["calls"].insert(0, call_sha256("manual", {}))
    assert "did not ask for this call" in replayed(written(tmp_path, lines)).reason


def test_a_session_without_a_turn_or_a_call_replays(tmp_path: Path) -> None:
    lines = [honest()[0], honest()[-1]]
    lines[0] |= {"scaffold_sha256": None, "model": None}
    lines[1] |= {"status": "no_submission", "reason": "", "submission": None, "n_events": 0}
    lines[1] |= {"counters": dict.fromkeys(lines[1]["counters"], 0), "tokens_in": None, "tokens_out": None}
    episode = replayed(written(tmp_path, lines))
    assert (episode.status, episode.reason, episode.events) == ("no_submission", "", ())
    assert (episode.tokens_in, episode.tokens_out, episode.scaffold_sha256) == (None, None, None)


def test_a_turn_after_the_end_is_rejected(tmp_path: Path) -> None:
    lines = honest()
    turns = [line for line in lines if line["kind"] == "turn"]
    more = {**turns[0], "n": len(turns), "calls": []}
    forged = renumbered([*lines[:-1], more, lines[-1]])
    assert replayed(written(tmp_path, forged)).reason == f"turn {len(turns)}: the episode was over"


def test_a_call_after_the_end_is_rejected(tmp_path: Path) -> None:
    lines = honest()
    more = {"kind": "event", "event": {**events_of(lines, "call")[0]["event"], "step": 99}}
    turn = next(line for line in reversed(lines) if line["kind"] == "turn")
    turn["calls"].append(call_sha256(more["event"]["tool"], more["event"]["arguments"]))
    forged = renumbered([*lines[:-1], more, lines[-1]])
    step = forged[-2]["event"]["step"]
    assert replayed(written(tmp_path, forged)).reason == f"step {step}: the episode was over"


def test_an_event_that_nothing_brings_about_is_rejected(tmp_path: Path) -> None:
    lines = honest()
    file = deepcopy(events_of(lines, "file")[-1])
    file["event"] |= {"step": 99, "parent": events_of(lines, "call")[-1]["event"]["step"]}
    forged = renumbered([*lines[:-1], file, lines[-1]])
    step = forged[-2]["event"]["step"]
    assert replayed(written(tmp_path, forged)).reason == f"step {step}: it does not happen"


def test_a_turn_out_of_number_is_rejected(tmp_path: Path) -> None:
    lines = honest()
    next(line for line in lines if line["kind"] == "turn" and line["n"] == 3)["n"] = 7
    assert replayed(written(tmp_path, lines)).reason == "turn 7: turn 3 is missing"


def test_a_call_before_any_turn_is_rejected(tmp_path: Path) -> None:
    lines = honest()
    assert lines[1]["kind"] == "turn"
    forged = renumbered([lines[0], lines[2], lines[1], *lines[3:]])
    assert replayed(written(tmp_path, forged)).reason == "step 0: no turn asked for this call"


def test_code_of_a_recording_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = honest()
    last = events_of(lines, "outside")[-1]
    forged = [line for n, line in enumerate(lines) if n not in group(lines, last)]
    looked: list[Any] = []
    world = SUITE.room("world")
    look = world.Urn._look
    monkeypatch.setattr(world.Urn, "_look", lambda *a, **more: looked.append(more) or look(*a, **more))
    episode = replayed(written(tmp_path, forged))
    root = next(n for n in events_of(lines, "call") if n["event"]["step"] == last["event"]["parent"])
    assert episode.reason == f"{place_of(root)}: a value from outside is missing"
    assert looked == [
        n["event"]["arguments"] for n in events_of(forged, "code") if n["event"]["tool"] == "look"
    ]
