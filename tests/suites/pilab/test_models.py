"""pilab with a model that writes code: recorded, replayed, and played to the last month."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay import canonical
from assay.agents.transport import connect
from assay.artefacts import KeyedArtefacts
from assay.blobs import MemoryBlobs
from assay.config import load
from assay.episode import Episode
from assay.protocol import Materials
from assay.record import Limits, Player, record
from assay.recording import Identity, read
from assay.replay import replay
from assay.suite import suite
from assay.suites.pilab import scoring
from assay.suites.pilab.tasks import SETS
from assay.task import Task, read_frozen

ROOT = Path(__file__).parents[3]
PILAB = suite("pilab")


def session(root: Path, task: Task) -> tuple[str, Episode]:
    """Record a session of the scripted model with the limits of its set, and replay it."""
    found = SETS[task.task_set]
    player = Player({"kind": "fake", "script": "pilab", "seed": 3}, Limits(found.replies, found.tokens))
    blobs = MemoryBlobs()
    materials = Materials(blobs, KeyedArtefacts(PILAB, (), blobs))
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
    assert scoring.baseline(104, scoring.parameters_of(task), "mended") == 12.87165347331328


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
    assert connect(
        {"kind": "fake", "script": "pilab", "seed": 0}, Identity("a", "b", "c", "d", 0), MemoryBlobs()
    )
