"""pilab with a model that writes code: recorded, replayed, and played to the last month."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay import canonical
from assay.agents.connection import connect
from assay.agents.player import Limits, Player
from assay.agents.transport import Reply, Request, Transport, TransportError
from assay.config.loading import load
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import NEVER_SCORED
from assay.sessions.record import record
from assay.sessions.recording import Identity, read
from assay.sessions.replay import replay
from assay.suite import suite
from assay.suites.pilab import scoring
from assay.suites.pilab.tasks import SETS
from assay.task import Task, read_frozen

ROOT = Path(__file__).parents[3]
PILAB = suite("pilab")


def session(root: Path, task: Task, limits: Limits | None = None) -> tuple[str, Episode]:
    """Record a session of the scripted model with the limits of its set, and replay it."""
    found = SETS[task.task_set]
    limits = limits or Limits(found.replies, found.tokens)
    player = Player({"kind": "fake", "script": "pilab", "seed": 3}, limits)
    blobs = MemoryBlobs()
    materials = materials_for(PILAB, blobs)
    identity = Identity("fake", "pilab", task.task_set, task.task_id, 0)
    outcome = record(PILAB, task, identity, player, materials, root / "r", provenance=root / "p")
    recorded = read(identity.path(root / "r"))
    assert recorded.end is not None
    episode = replay(PILAB, task, identity.path(root / "r"), materials)
    assert episode.status == outcome.status
    assert canonical.dumps(recorded.end["submission"]) == canonical.dumps(episode.submission)
    return outcome.status, episode


def test_a_year_with_one_turn_a_month(tmp_path: Path) -> None:
    task = read_frozen(ROOT / "tasks/pilab/smoke-v0/00000.json")
    status, episode = session(tmp_path, task)
    assert status == "done"
    turns = list(episode.calls("run_code"))
    assert len(turns) == 12 and episode.counters["turn"] == 12
    assert [turn.fresh for turn in turns] == [True] * 11 + [False]
    months = [month for month, _ in _memory_by_month(episode)]
    assert months == list(range(1, 13))  # the notes of one month are there in the next
    record: Any = episode.submission
    assert record["summary"]["months_survived"] == record["summary"]["months_played"] == 12
    scores = {s.metric: s for s in scoring.score(task, episode, None)}  # type: ignore[arg-type]
    assert scores["score"].label == "of 12 months only"
    assert scoring.baseline(104, scoring.parameters_of(task), "mended") == 12.871653


def test_a_lost_connection_keeps_the_log_and_is_taken_up(tmp_path: Path) -> None:
    """What breaks off in the fifth month is not scored; taken up, it is as if it had never broken off."""
    task = read_frozen(ROOT / "tasks/pilab/smoke-v0/00000.json")
    files = {}
    for name, replies in {"whole": 12, "broken": 4}.items():
        blobs = MemoryBlobs()
        materials = materials_for(PILAB, blobs)
        identity = Identity("fake", "pilab", "smoke-v0", task.task_id, 0)
        player = Player({"kind": "fake", "script": "pilab", "seed": 3}, Limits())
        connected = connect(player, identity, blobs)
        breaking = Breaking(connected, replies)
        folders = (tmp_path / name / "r", breaking, tmp_path / name / "p")
        outcome = record(PILAB, task, identity, player, materials, *folders)
        files[name] = identity.path(tmp_path / name / "r")
        if name == "broken":
            assert outcome.status == "transport" and outcome.status in NEVER_SCORED
            kept = read(files[name])
            assert len(kept.turns) == 4
            assert replay(PILAB, task, files[name], materials).status == "transport"
            breaking.left = 100
            outcome = record(PILAB, task, identity, player, materials, *folders)
        assert outcome.status == "done"
    assert files["whole"].read_bytes() == files["broken"].read_bytes()


def test_a_spent_limit_ends_the_decisions_and_not_the_run(tmp_path: Path) -> None:
    task = read_frozen(ROOT / "tasks/pilab/smoke-v0/00000.json")
    status, episode = session(tmp_path, task, Limits(turns=3))
    assert status == "budget"
    record: Any = episode.submission
    assert (record["summary"]["months_played"], record["summary"]["months_survived"]) == (4, 12)
    assert all(month <= 3 for month, name in record["actions"] if name != "time.next_month")


class Breaking:
    """A model whose connection is lost after so many replies."""

    def __init__(self, model: Transport, left: int) -> None:
        self.model, self.left = model, left

    def ask(self, request: Request) -> Reply:
        self.left -= 1
        if self.left < 0:
            raise TransportError("the connection was lost")
        return self.model.ask(request)


def _memory_by_month(episode: Episode) -> list[tuple[int, Any]]:
    notes = [
        canonical.loads(e.arguments["text"])
        for e in episode.events
        if e.tool == "write_memory"  # type: ignore[index,call-overload]
    ]
    return [(note["months"], note) for note in notes]


@pytest.mark.full
def test_five_years_take_more_replies_than_other_suites_do(tmp_path: Path) -> None:
    task = read_frozen(ROOT / "tasks/pilab/reference-v0/00000.json")
    status, episode = session(tmp_path, task)
    assert status == "done"
    record: Any = episode.submission
    assert record["summary"]["months_survived"] == record["summary"]["months_played"]
    assert len(list(episode.calls("run_code"))) > 100


def test_the_default_limits_let_a_model_play_every_turn() -> None:
    for name, found in SETS.items():
        months, turns = found.params.get("months", 60), found.params.get("turns", 8)
        assert found.replies >= months * turns, name
    agents = yaml.safe_load((ROOT / "config/agents.yaml").read_text())["agents"]
    assert "limits" not in agents["scripted-principal"]
    assert load(ROOT / "config/config.yaml").agents["scripted-principal"].limits.turns is None  # type: ignore[union-attr]
    player = Player({"kind": "fake", "script": "pilab", "seed": 0})
    assert connect(player, Identity("a", "b", "c", "d", 0), MemoryBlobs())
