"""Bundles that are unusual and honest: each is made by an agent with a habit, and must be admitted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

import assay
from assay.admission import archive

SET, EARLY = "madeup-v0", "madeup-early"

Play = Callable[[Any, int, int], None]


def careful(session: Any, index: int, attempt: int) -> None:
    session.call("draw", {"n": 1 + attempt})
    session.call("answer", {"text": str(index + attempt)})


def refusing(session: Any, index: int, attempt: int) -> None:
    """It leaves every task at once."""


def clumsy(session: Any, index: int, attempt: int) -> None:
    session.call("no-such-tool", {})
    session.call("draw", {"n": "many", "colour": None})
    session.call("answer", {"text": "3"})


def busy(session: Any, index: int, attempt: int) -> None:
    for _ in range(40):
        session.call("manual", {})
    session.call("answer", {"text": str(index)})


def polyglot(session: Any, index: int, attempt: int) -> None:
    session.call("answer", {"text": "سبعة ٧ 七 \u202e7\u202c \U0001f3b1 \x07 " + str(index)})


def long_winded(session: Any, index: int, attempt: int) -> None:
    session.call("answer", {"text": "x" * 100_000})
    session.call("answer", {"text": "5"})


def silent(session: Any, index: int, attempt: int) -> None:
    session.call("finish", {})


def coding(session: Any, index: int, attempt: int) -> None:
    session.call("run_code", {"program": [{"tool": "look", "arguments": {"at": 0}}]})
    session.call("answer", {"text": str(index)})


def crashing(session: Any, index: int, attempt: int) -> None:
    """It tips the urn over, which ends the episode."""
    session.call("draw", {"n": 64})


def insisting(session: Any, index: int, attempt: int) -> None:
    for _ in range(6):
        session.call("manual", {})
    session.call("answer", {"text": "1"})


@dataclass(frozen=True)
class Honest:
    """An honest bundle.

    Attributes:
        play: What the agent does in a session.
        notes: The codes of the notes that are due.
        card: Its card; `None` for none.
        agent: Its name.
        sets: The sets that it plays.
        attempts: The number of attempts at each task.
        entry: More of its entry.
        lost: How many sessions are lost before it submits.
        level: The level of compression of another packer; `None` for that of `assay submit`.
    """

    play: Play = careful
    notes: tuple[str, ...] = ("harness",)
    card: Mapping[str, Any] | None = None
    agent: str = "stranger"
    sets: tuple[str, ...] = (SET,)
    attempts: int = 1
    entry: Mapping[str, Any] = field(default_factory=dict)
    lost: int = 0
    level: int | None = None


OWN = {"name": "S", "harness": "https://example.org/harness, commit 1a2b3c4"}

HONEST = {
    "no card": Honest(),
    "a card that says nothing": Honest(card={"name": "Stranger"}),
    "own harness, declared": Honest(card=OWN),
    "every field of the card": Honest(
        card={
            **OWN,
            "maker": "A. Researcher",
            "model": "some-model",
            "released": "2026-01-15",
            "open_weights": False,
            "tools": "none",
            "network": True,
            "training_data": "unknown",
            "contact": "somebody@example.org",
            "licence": "CC-BY-4.0",
            "deterministic": False,
        }
    ),
    "a name in Arabic": Honest(card={"name": "وكيل \u2067٢\u2069"}),
    "refuses every task": Honest(refusing),
    "only ends": Honest(silent),
    "illegal calls": Honest(clumsy),
    "many calls": Honest(busy),
    "answers in all scripts": Honest(polyglot),
    "very long answers": Honest(long_winded),
    "runs code": Honest(coding),
    "destroys the world": Honest(crashing),
    "one lost session": Honest(notes=("missing", "harness"), lost=1),
    "only one session": Honest(notes=("missing", "harness"), lost=6),
    "several attempts": Honest(attempts=3),
    "several attempts, some lost": Honest(notes=("missing", "harness"), attempts=2, lost=5),
    "deterministic": Honest(
        insisting, ("equal-attempts", "harness"), {"name": "S", "deterministic": True}, attempts=2
    ),
    "two sets, one of them archived": Honest(sets=(SET, EARLY)),
    "an archived set": Honest(sets=(EARLY,)),
    "a long name": Honest(agent="a0." + "-long" * 8 + ".v2"),
    "another packer": Honest(level=3),
    "an entry with everything": Honest(
        entry={
            "price": {"tokens_in": 1.5, "tokens_out": 6.0},
            "limits": {"tokens": 1000},
            "protocol": "native",
        }
    ),
}


def bundle_of(honest: Honest, submit: Callable[..., int]) -> bytes:
    """Play and submit in the working folder, which is a project without this agent."""
    path = Path("config/agents.yaml")
    agents = yaml.safe_load(path.read_text())
    agents["agents"][honest.agent] = {
        "kind": "model",
        "suites": {"madeup": list(honest.sets)},
        "transport": {"kind": "recorded"},
        **({} if honest.attempts == 1 else {"attempts": honest.attempts}),
        **honest.entry,
    }
    path.write_text(yaml.safe_dump(agents))
    for task_set in honest.sets:
        for index in range(7 if task_set == SET else 3):
            for attempt in range(honest.attempts):
                name = f"{task_set}/{index}"
                with assay.open_task(
                    "madeup", name, agent=honest.agent, record=True, attempt=attempt
                ) as session:
                    honest.play(session, index, attempt)
    for gone in sorted(Path("recordings").rglob("*.jsonl"))[: honest.lost]:
        gone.unlink()
    if honest.card is not None:
        Path("cards").mkdir()
        text = json.dumps(honest.card, ensure_ascii=False)  # JSON is YAML, too
        Path("cards", f"{honest.agent}.yaml").write_text(text, encoding="utf-8")
    sets = ",".join(f"madeup/{name}" for name in honest.sets)
    more = ["--incomplete"] if honest.lost else []
    assert submit(["submit", honest.agent, "--sets", sets, "--out", "bundle", *more]) == 0
    data = Path("bundle").read_bytes()
    if honest.level is None:
        return data
    plain = pa.input_stream(pa.BufferReader(data), compression="zstd").read()
    packed: bytes = pa.Codec("zstd", honest.level).compress(plain, asbytes=True)
    assert packed != data
    assert archive.unpack(Path("bundle"))
    return packed
