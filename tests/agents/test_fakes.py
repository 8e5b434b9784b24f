"""The scripted scientist: it plays petri from the text alone, fairly and fallibly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.agents.connection import connect
from assay.agents.fakes import call, petri
from assay.agents.model import understand
from assay.agents.player import Limits, Player
from assay.agents.transport import Conversation, Message, Reply
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.numbers import rng
from assay.protocol import Brief, Tool
from assay.sessions.record import record
from assay.sessions.replay import replay
from assay.suite import suite
from assay.task import read_frozen

PETRI = suite("petri")
FROZEN = Path(__file__).parents[2] / "tasks/petri/swarm-v0"
PLAYER = Player({"kind": "fake", "script": "petri", "seed": 7}, Limits(turns=30))


@pytest.mark.parametrize("index", [0, 5])
def test_it_isolates_probes_or_combines_and_submits(tmp_path: Path, index: int) -> None:
    task = read_frozen(FROZEN / f"{index:05d}.json")
    blobs = MemoryBlobs()
    materials = materials_for(PETRI, blobs)
    identity = Identity("fake", "petri", "swarm-v0", task.task_id, 0)
    outcome = record(PETRI, task, identity, PLAYER, materials, tmp_path, provenance=tmp_path / "provenance")
    assert outcome.status == "done"
    episode = replay(PETRI, task, identity.path(tmp_path), materials)
    assert episode.status == "done"
    changed = [len(event.arguments["config_b"]) for event in episode.calls("experiment")]
    if task.public["tier"] == "L3":
        assert changed.count(1) >= 2 and changed[-1] == 2 and changed.count(2) == 1
    else:
        assert set(changed) == {1} and len(episode.calls("probe")) == 1
    assert len(episode.calls("claim")) == 1
    assert episode.counters["experiment"] <= task.public["budget"]


FACTS = {
    "target_metric": "m",
    "control": {"a": 4, "b": 0.0},
    "candidates": ["a", "b"],
    "experiment_budget": 8,
}
SUBMIT = Tool("submit", {"properties": {"parameter": {}, "direction": {}, "magnitude": {}}}, "")


def next_call(*shown: tuple[str, Any], seed: int = 0) -> tuple[str, Any]:
    """What it does after a conversation of its calls (as JSON text) and what they gave."""
    talk = Conversation("", (SUBMIT,))
    talk.add(Message("user", (FACTS, "Find it.")))
    for said, result in shown:
        talk.add(Message("assistant", (said,)))
        talk.add(Message("user", ("Result", result) if isinstance(result, dict) else (result,)))
    text = petri(talk.request(), rng.stream(seed, "next"))
    calls, problem = understand(Brief("", (), (SUBMIT,), {}), Reply(str(text)))
    assert not problem
    return calls[0].tool, calls[0].arguments


def result(significant: bool, change: float) -> dict[str, Any]:
    p = 0.001 if significant else 0.5
    shown = {"mean_a": 1.0, "mean_b": 1.0 + change, "relative_change": change, "p_adjusted": p}
    return {**shown, "significant": significant, "cliffs_delta": change}


def tried(**change: float) -> str:
    return str(call("experiment", config_a={}, config_b=change, metric="m"))


def test_it_reads_the_legal_range_from_a_refusal() -> None:
    tool, arguments = next_call((tried(a=8), "refused: config_b: a must be a number from 1 to 5 (whole)"))
    assert tool == "experiment"
    assert arguments["config_b"]["a"] in (2, 5)
    tool, arguments = next_call((tried(b=1.0), "config_b: b must be a number from 0 to 0.4"))
    assert arguments["config_b"].keys() == {"a"} or arguments["config_b"]["b"] == 0.4


def test_it_follows_the_evidence() -> None:
    found, nothing = (tried(b=1.0), result(True, -0.5)), (tried(a=2), result(False, 0.01))
    assert next_call(nothing)[1]["config_b"].keys() == {"b"}
    assert next_call(nothing, found) == ("probe", {"guess": {}, "metric": "m"})
    probe = ('{"tool":"probe","arguments":{"guess":{},"metric":"m"}}', result(True, 0.4))
    assert next_call(nothing, found, probe) == ("claim", {"parameter": "b", "effect": "down"})
    claim = ('{"tool":"claim","arguments":{"parameter":"b","effect":"down"}}', "noted")
    expected = {"parameter": "b", "direction": "up", "magnitude": "medium"}
    assert next_call(nothing, found, probe, claim) == ("submit", expected)


def test_the_same_request_has_the_same_reply_and_attempts_differ() -> None:
    talk = Conversation("", (SUBMIT,))
    talk.add(Message("user", (FACTS, "Find it.")))
    replies = [
        connect(PLAYER, Identity("fake", "petri", "s", "t", attempt), MemoryBlobs()).ask(talk.request())
        for attempt in (0, 0, *range(1, 9))
    ]
    assert replies[0] == replies[1]
    assert len({reply.text for reply in replies}) > 1
