"""Recorded sessions of the made-up suite: to be replayed, forged, interrupted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripts import Witnessed

from assay.agents import configured
from assay.agents.connection import connect
from assay.agents.player import Limits, Player
from assay.agents.ratelimit import RateLimit
from assay.agents.transport import Transport
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.protocol import Materials
from assay.sessions.record import Outcome, record
from assay.suite import suite
from assay.task import Task

SUITE = suite("madeup", "tests.protocol.madeup")
SET = "madeup-v0"

URN = "tests.agents.scripts:urn"
CLOCK = "tests.agents.scripts:urn_with_clock"


def materials() -> Materials:
    blobs = MemoryBlobs()
    return materials_for(SUITE, blobs)


def task_with(index: int, found: Materials) -> Task:
    """A task of the set, its picture in these materials."""
    room = SUITE.room("tasks")
    task: Task = room.generate(room.SETS[SET], SET, index, room.SETS[SET].seed, found.blobs)
    return task


def player(script: str = URN, limits: Limits | None = None, **more: object) -> Player:
    transport = {"kind": "fake", "script": script, "seed": 1, **more}
    return Player(transport, limits or Limits())


def recorded(
    root: Path,
    index: int = 0,
    script: str = URN,
    *,
    attempt: int = 0,
    limits: Limits | None = None,
    transport: Transport | None = None,
    limit: RateLimit | None = None,
    **more: object,
) -> tuple[Path, Outcome]:
    """Record (or take up) one session below `root`: the file, and what became of it."""
    found = materials()
    task = task_with(index, found)
    identity = Identity("fake", SUITE.name, SET, task.task_id, attempt)
    outcome = record(
        SUITE,
        task,
        identity,
        player(script, limits, **more),
        found,
        root / "recordings",
        transport,
        root / "provenance",
        limit=limit,
    )
    return identity.path(root / "recordings"), outcome


def gates_made(patch: pytest.MonkeyPatch) -> list[RateLimit]:
    """The gates that are made from now on."""
    gates: list[RateLimit] = []
    made = configured.limit

    def limit(*arguments: Any) -> RateLimit:
        gates.append(made(*arguments))
        return gates[-1]

    patch.setattr(configured, "limit", limit)
    return gates


def requests_noted(root: Path) -> int:
    """How many requests the notes of the sessions below `root` count."""
    notes = [path.read_text() for path in (root / "provenance").rglob("*.jsonl")]
    return sum(text.count('"what":"asked"') for text in notes)


def record_slowly(root: Path, indices: tuple[int, ...], latency: float, begun: Event | None = None) -> None:
    """Record some sessions side by side with a model that takes its time.

    To be interrupted after `begun` is set.
    """

    def one(index: int) -> None:
        found = materials()
        identity = Identity("fake", SUITE.name, SET, task_with(index, found).task_id, 0)
        fake = connect(player(), identity, found.blobs)
        recorded(root, index, transport=Witnessed(fake, root / "witness", latency))

    if begun is not None:
        begun.set()
    with ThreadPoolExecutor(len(indices)) as threads:
        list(threads.map(one, indices))


def write_checkout(root: Path) -> None:
    """Write what `assay record` and `assay replay` need of a checkout: two frozen tasks, three agents."""
    frozen = Path(__file__).parents[1] / "protocol/tasks/madeup/madeup-v0"
    folder = root / "tasks/madeup/madeup-v0"
    folder.mkdir(parents=True)
    for file in sorted(frozen.glob("*.json"))[:2]:
        (folder / file.name).write_bytes(file.read_bytes())
    (root / "config").mkdir()
    (root / "config/config.yaml").write_text(
        "suites:\n  madeup: {package: tests.protocol.madeup, settings: config/madeup.yaml}\n"
    )
    (root / "config/madeup.yaml").write_text("sets: {madeup-v0: frozen, madeup-many: {count: 3}}\n")
    fake = "transport: {kind: fake, script: 'tests.agents.scripts:urn', seed: 1}, access: {retries: 0}"
    (root / "config/agents.yaml").write_text(
        "agents:\n"
        "  exact: {kind: solver, suites: {madeup: all}}\n"
        f"  player: {{kind: model, suites: {{madeup: [madeup-v0]}}, attempts: 2, {fake}}}\n"
        f"  eager: {{kind: model, suites: {{madeup: all}}, {fake}, limits: {{turns: 2}}}}\n"
    )
