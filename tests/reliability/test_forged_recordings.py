"""Recordings of the real suites, forged with a chain that holds: rejected, or without a use to the forger.

The words of a model and the tokens that it used up are the claim of who recorded them; the score rests on
neither. `tests/sessions/test_replay.py` has the forgeries of single lines.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.conformance import ROOT

from assay import canonical
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import Materials
from assay.sessions.assessment import assess
from assay.sessions.recording import Identity, RecordingFile
from assay.sessions.replay import replay
from assay.suite import suite
from assay.task import Task, read_frozen

Lines = list[dict[str, Any]]

RECORDED = sorted((ROOT / "recordings").glob("*/*/*/*.jsonl"))
EACH = list({path.parts[-4:-2]: path for path in RECORDED}.values())
"""One of each agent and suite."""

QUICK = ("petri", "causalab", "collider")
"""Suites whose recordings are executed in no time."""


def forged(path: Path, root: Path, change: Callable[[Lines], None]) -> Path | None:
    """The recording with a change in its lines, and a chain that fits them; null where nothing changes."""
    lines = [canonical.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        del line["chain"]
    before = deepcopy(lines)
    change(lines)
    if lines == before:
        return None
    new = Identity.of(path).path(root)
    with RecordingFile(new) as file:
        for line in lines:
            file.append(line)
    return new


def found(path: Path) -> tuple[Task, Materials]:
    """The task of a recording, with what it shows."""
    identity, blobs = Identity.of(path), MemoryBlobs()
    of = suite(identity.suite)
    for index, file in enumerate(sorted((ROOT / "tasks" / identity.suite / identity.task_set).iterdir())):
        task = read_frozen(file)
        if task.task_id == identity.task_id:
            recipe = of.room("tasks").SETS[identity.task_set]
            if task.blobs:
                of.room("tasks").generate(recipe, identity.task_set, index, recipe.seed, blobs)
            return task, materials_for(of, blobs)
    raise AssertionError(f"{path} is of no task")


def cheaper(lines: Lines) -> None:
    """A model that used up next to nothing, turn by turn and in the end."""
    turns = [line for line in lines if line["kind"] == "turn"]
    for turn in turns:
        turn["usage"] = {"tokens_in": 1, "tokens_out": 0}
    lines[-1] |= {"tokens_in": len(turns), "tokens_out": 0}


def below_zero(lines: Lines) -> None:
    """Tokens that come back."""
    cheaper(lines)
    next(line for line in lines if line["kind"] == "turn")["usage"]["tokens_in"] -= 10**9
    lines[-1]["tokens_in"] -= 10**9


def beyond_any_table(lines: Lines) -> None:
    """A number that no column holds: it would end the job with all that it plays."""
    cheaper(lines)
    next(line for line in lines if line["kind"] == "turn")["usage"]["tokens_in"] += 10**30
    lines[-1]["tokens_in"] += 10**30


def dearer_end(lines: Lines) -> None:
    """Another sum than that of the turns."""
    lines[-1]["tokens_in"] = 0 if lines[-1]["tokens_in"] else 1


def no_charge(lines: Lines) -> None:
    """Experiments that cost nothing."""
    for line in lines:
        if line["kind"] == "event":
            line["event"]["charged"] -= 1
    lines[-1]["counters"] = dict.fromkeys(lines[-1]["counters"], 0)


def answered(lines: Lines) -> None:
    """Another answer than the one that was given, whatever that was."""
    lines[-1] |= {"status": "done", "submission": {"answer": "the truth", "solved": True}}


def imitated(lines: Lines) -> None:
    """Events that no call brought forth: words of a model in the form of the log."""
    events = [line for line in lines if line["kind"] == "event"]
    if events:
        lines.insert(lines.index(events[-1]) + 1, deepcopy(events[-1]))
    else:
        lines[-1]["n_events"] = 1


REJECTED = (below_zero, beyond_any_table, dearer_end, no_charge, answered, imitated)


def _check(path: Path, root: Path) -> None:
    task, materials = found(path)
    of = suite(task.suite)
    honest = replay(of, task, path, materials)
    assert honest.status != "rejected", honest.reason
    for forge in REJECTED:
        changed = forged(path, root / forge.__name__, forge)
        if changed is None:
            continue  # no experiment was made, so none can be made free
        episode = replay(of, task, changed, materials)
        assert episode.status == "rejected", f"{path.name}, {forge.__name__}: {forge.__doc__}"
        assert episode.submission is None and len(episode.reason) < 200
        assert assess(of, task, episode, materials).scores == ()
    # Who says that it was cheaper is believed, and scored no better.
    cheap = forged(path, root / "cheaper", cheaper)
    assert cheap is not None
    claimed = replay(of, task, cheap, materials)
    assert claimed.status == honest.status
    assert assess(of, task, claimed, materials).scores == assess(of, task, honest, materials).scores
    assert assess(of, task, claimed, materials).flags == assess(of, task, honest, materials).flags
    assert claimed.log_sha256 == honest.log_sha256


@pytest.mark.parametrize(
    "path", [p for p in EACH if p.parts[-3] in QUICK], ids=lambda path: "-".join(path.parts[-4:-2])
)
def test_a_forged_recording_gains_nothing(path: Path, tmp_path: Path) -> None:
    _check(path, tmp_path)


@pytest.mark.full
def test_no_forged_recording_gains_anything(tmp_path: Path) -> None:
    for number, path in enumerate(RECORDED):
        _check(path, tmp_path / str(number))
