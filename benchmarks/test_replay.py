"""What replaying a recording and looping around a model cost beyond the world itself."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from assay import canonical
from assay.agents.model import ModelAgent, Turn
from assay.agents.player import Limits, Player
from assay.agents.transport import Reply, Request
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import Brief, Materials, Result, Tool
from assay.sessions.record import record
from assay.sessions.recording import Identity, RecordingFile, brief_sha256, event_line
from assay.sessions.replay import replay
from assay.suite import suite
from assay.task import Task, read_frozen

CALLS = 10_000
CPU = pytest.mark.benchmark(timer=time.process_time)
PETRI = suite("petri")
FROZEN = Path(__file__).parents[1] / "tasks/petri/swarm-v0"

NUMBER = {"type": "number", "minimum": 0}
SCHEMA = {
    "type": "object",
    "properties": {"config_a": {"type": "object"}, "config_b": {"type": "object"}, "x": NUMBER},
    "required": ["config_a", "config_b", "x"],
    "additionalProperties": False,
}


class Abacus:
    """A world that costs next to nothing: calls and results have the form of petri's."""

    BRIEF = Brief("Count.", ("Count.",), (Tool("experiment", SCHEMA, "Count."),), {"calls": CALLS})

    def brief(self) -> Brief:
        return self.BRIEF

    def call(self, tool: str, arguments: Any, door: Any = None) -> Result:
        x = arguments["x"]
        shown = {f"value_{n}": x / (n + 1) for n in range(7)}
        return Result(({**shown, "significant": x > 1},))

    def submission(self) -> None:
        return None

    def close(self) -> None:
        pass


ABACUS: Any = SimpleNamespace(room=lambda name: SimpleNamespace(open=lambda *_: Abacus()))
TASK = Task("abacus", "set", "task", 1, 1, {}, {}, {})
IDENTITY = Identity("counter", "abacus", "set", "task", 0)


def arguments(n: int) -> dict[str, Any]:
    return {"config_a": {}, "config_b": {"speed": n / 7, "radius": 1.25}, "x": n / 3}


def materials() -> Materials:
    blobs = MemoryBlobs()
    return materials_for(PETRI, blobs)


@pytest.fixture(scope="module")
def long_recording() -> Iterator[Path]:
    """One session of 10,000 calls without a model, on a disk that need not be waited for."""

    class Counter:
        def act(self, brief: Brief, call: Callable[..., Result], stream: Any) -> None:
            for n in range(CALLS):
                call("experiment", arguments(n))

    lines: list[dict[str, Any]] = []
    episode = play(
        ABACUS, TASK, "counter", Counter(), 0, materials(), log=lambda e: lines.append(event_line(e))
    )
    header = {
        "kind": "recording",
        "version": 1,
        "agent": "counter",
        "suite": "abacus",
        "task_set": "set",
        "task_id": "task",
        "task_sha256": TASK.digest,
        "attempt": 0,
        "scaffold_sha256": None,
        "brief_sha256": brief_sha256(Abacus.BRIEF),
        "model": None,
    }
    end = {
        "kind": "end",
        "status": episode.status,
        "reason": episode.reason,
        "submission": None,
        "counters": dict(episode.counters),
        "n_events": len(episode.events),
        "tokens_in": None,
        "tokens_out": None,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = IDENTITY.path(Path(folder))
        with RecordingFile(path) as file:
            for line in (header, *lines, end):
                file.append(line)
        yield path


@CPU
def test_replay_of_recorded_calls(benchmark: BenchmarkFixture, long_recording: Path) -> None:
    """10,000 calls of a world that costs nothing: what is left is reading, harness and comparison."""
    episode = benchmark.pedantic(
        replay, (ABACUS, TASK, long_recording, materials()), rounds=3, warmup_rounds=1
    )
    assert (episode.status, len(episode.events)) == ("no_submission", CALLS)
    benchmark.extra_info["microseconds a call"] = round(benchmark.stats.stats.median / CALLS * 1e6, 1)


@CPU
def test_bare_world(benchmark: BenchmarkFixture) -> None:
    """The same calls without harness and recording."""

    def bare() -> None:
        world = Abacus()
        for n in range(CALLS):
            world.call("experiment", arguments(n))

    benchmark.pedantic(bare, rounds=3, warmup_rounds=1)


def test_replay_of_petri_costs_little_beyond_the_simulation(benchmark: BenchmarkFixture) -> None:
    """Recorded petri sessions against the same calls of the bare world, every run computed anew."""
    from assay.suites.petri.experiments.replicates import _replicates

    player = Player({"kind": "fake", "script": "petri", "seed": 1}, Limits())
    sessions = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file in sorted(FROZEN.glob("*.json")):
            task = read_frozen(file)
            identity = Identity("fake", "petri", "swarm-v0", task.task_id, 0)
            record(PETRI, task, identity, player, materials(), root, provenance=root / "provenance")
            episode = replay(PETRI, task, identity.path(root), materials())
            sessions.append((task, identity.path(root), episode.events))

        def bare() -> None:
            for task, _, events in sessions:
                _replicates.cache_clear()
                world: Any = PETRI.room("world").open(task, None, None, None)
                for event in events:
                    world.call(event.tool, event.arguments, None)

        def replayed() -> None:
            for task, path, _ in sessions:
                _replicates.cache_clear()
                assert replay(PETRI, task, path, materials()).status != "rejected"

        def seconds(work: Callable[[], None]) -> float:
            began = time.process_time()
            work()
            return time.process_time() - began

        least = min(seconds(bare) for _ in range(3))
        benchmark.pedantic(replayed, rounds=3)
        ratio = min(seconds(replayed) for _ in range(3)) / least
    benchmark.extra_info["calls"] = sum(len(events) for _, _, events in sessions)
    benchmark.extra_info["times the bare simulation"] = round(ratio, 3)
    assert ratio <= 1.2


class Tireless:
    """A model that answers at once, never the same."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, request: Request) -> Reply:
        self.asked += 1
        text = canonical.dumps({"tool": "experiment", "arguments": arguments(self.asked)})
        return Reply(text, tokens_in=100, tokens_out=20)


TURNS = 1000


@CPU
def test_loop(benchmark: BenchmarkFixture) -> None:
    """A turn of the loop in a conversation that grows to 1,000 turns, with harness and world."""

    def loop() -> None:
        turns: list[Turn] = []
        agent = ModelAgent(Tireless(), Player({}, Limits(turns=TURNS)), turns.append)
        episode = play(ABACUS, TASK, "model", agent, 0, materials())
        assert episode.status == "budget" and len(turns) == TURNS

    benchmark.pedantic(loop, rounds=3, warmup_rounds=1)
    a_turn = benchmark.stats.stats.median / TURNS
    benchmark.extra_info["milliseconds a turn"] = round(a_turn * 1e3, 3)
    assert a_turn <= 0.002


def test_recorded_loop(benchmark: BenchmarkFixture) -> None:
    """The same with a recording, each of whose lines waits for the disk."""

    def loop(root: Path) -> None:
        player = Player({"kind": "none"}, Limits(turns=TURNS))
        outcome = record(
            ABACUS, TASK, IDENTITY, player, materials(), root, Tireless(), provenance=root / "provenance"
        )
        assert outcome.status == "budget"

    def fresh() -> tuple[tuple[Path], dict[str, Any]]:
        return (Path(tempfile.mkdtemp()),), {}

    benchmark.pedantic(loop, setup=fresh, rounds=3)
    benchmark.extra_info["milliseconds a turn"] = round(benchmark.stats.stats.median / TURNS * 1e3, 3)
