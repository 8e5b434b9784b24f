"""A byte changed, or an end cut off: it is named, and a rerun mends it; of inputs it is said what to do."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.reliability.faults.corruption import (
    INPUTS,
    OUTPUTS,
    PROVENANCE,
    STORED,
    Flaw,
    Kind,
    Spoiler,
    below,
    cut,
    draw,
    entry_files,
    flip,
    jobs_of,
)
from tests.reliability.faults.smoke import content, different, repetitions
from tests.workflow.builds import RECORDED
from tests.workflow.checkout import Checkout

from assay.build.store import Store
from assay.errors import RecordingError, TaskError
from assay.sessions.recording import read
from assay.stages.tasks import compare
from assay.task import read_frozen
from assay.verdict.verify import verify

FLIPS = repetitions("ASSAY_FLIPS", 2000)
CUTS = repetitions("ASSAY_CUTS", 300)
"""In `make soak`."""

AT_ONCE = 250
"""Files that are damaged at the same time, each in one byte."""

RECORDING = f"recordings/{RECORDED}/collider/smoke-v0"
TASK = "tasks/petri/smoke-v0/00000.json"


def named_by_verify(checkout: Checkout) -> set[str]:
    """The files that `assay verify` finds fault with."""
    verdict = verify(checkout.root)
    return {finding.path for finding in verdict.findings if not finding.state.startswith("identical")}


def named_as_input(checkout: Checkout, smoke: Checkout, one: Flaw) -> str:
    """What the program that reads a damaged input says of it: the error and its remedy, or nothing."""
    path = checkout.root / one.path
    try:
        if one.kind == "recording":
            return f"{path}: it has no end" if read(path).end is None else ""
        compare(read_frozen(smoke.root / one.path), path)
    except (RecordingError, TaskError) as problem:
        assert "restore the file from git" in problem.remedy
        return problem.message
    return ""


def of_kind(flaws: list[Flaw], kinds: Mapping[str, Kind]) -> set[str]:
    """The spoilt files of these kinds."""
    return {one.path for one in flaws if one.kind in kinds}


def name_all(checkout: Checkout, smoke: Checkout, flaws: list[Flaw], *, check_store: bool) -> None:
    """Every file that was spoilt is named, by itself; inputs are put back, as their remedy says."""
    unnamed = of_kind(flaws, OUTPUTS) - named_by_verify(checkout)
    assert not unnamed, [one for one in flaws if one.path in unnamed]
    for one in flaws:
        if one.kind in INPUTS:
            assert named_as_input(checkout, smoke, one).startswith(str(checkout.root / one.path)), one
            put_back(checkout, smoke, one.path)
    if check_store:
        dropped = Store(checkout.root / ".store").check()
        assert {str(path.relative_to(checkout.root)) for path in dropped} == of_kind(flaws, STORED)


def mend_all(checkout: Checkout, smoke: Checkout, flaws: list[Flaw]) -> None:
    """One run names what was spoilt and brings it back, and does nothing without need."""
    outputs, stored, records = of_kind(flaws, OUTPUTS), of_kind(flaws, STORED), jobs_of(smoke)
    damaged = {path for path in outputs if not path.startswith(PROVENANCE)}
    damaged |= {
        path.removeprefix(f"{PROVENANCE}/").removesuffix(".json")
        for path in outputs
        if path.startswith(PROVENANCE)
    }
    before = {path: (checkout.root / path).stat().st_mtime_ns for path in records if path not in outputs}
    run = checkout.do(*checkout.build_command(cores="2"), *sorted(damaged))
    assert run.code == 0, run.output
    for path in outputs:
        assert f"note: {path} " in run.output, (path, run.output)
    assert different(checkout, smoke) == []
    assert verify(checkout.root).exit_code == 0

    # No more was done than needed.
    now = jobs_of(checkout)
    done = {path for path in now if before.get(path) != (checkout.root / path).stat().st_mtime_ns}
    reached = below(smoke, damaged)
    needless = {path for path in done if reached.isdisjoint(records[path]["outputs"])}
    assert not needless, f"done again without need: {sorted(needless)}"
    computed = {path for path in done if now[path]["how"] == "computed"}
    needless = {path for path in computed if stored.isdisjoint(entry_files(records[path]))}
    assert not needless, f"computed again, though it was stored: {sorted(needless)}"

    # Nothing damaged is left in the store: what no job has read is found now.
    store = Store(checkout.root / ".store")
    left = {str(path.relative_to(checkout.root)) for path in store.check()}
    assert left <= stored
    assert store.check() == []
    assert not (checkout.root / ".store/conflicts.log").exists()


def rounds(copy: Checkout, smoke: Checkout, chance, number: int, spoil: Spoiler, *, mend: bool) -> None:
    """So many spoilt files, many at a time; without `mend` they are put back as they were."""
    kinds, done, start, seed = Counter(), 0, time.monotonic(), 0
    while done < number:
        seed += 1
        random = chance(seed)
        flaws = draw(copy, min(AT_ONCE, number - done), spoil, random)
        name_all(copy, smoke, flaws, check_store=not mend or seed % 2 == 0)
        if mend:
            mend_all(copy, smoke, flaws)
        else:
            for path in of_kind(flaws, OUTPUTS):
                put_back(copy, smoke, path)
        refill(copy, smoke)
        kinds += Counter(one.kind for one in flaws)
        done += len(flaws)
        print(f"{time.strftime('%H:%M:%S')} round {seed}: {done} files", flush=True)
    what = "named and mended" if mend else "named"
    print(f"{done} files spoilt and {what} in {(time.monotonic() - start) / 60:.0f} min")
    for kind, spoilt in sorted(kinds.items()):
        print(f"  {kind:<18} {spoilt}")


def put_back(copy: Checkout, smoke: Checkout, path: str) -> None:
    """One file as it was, with its time."""
    shutil.copy2(smoke.root / path, copy.root / path)


def refill(copy: Checkout, smoke: Checkout) -> None:
    """Put back what the store has dropped and nobody asked for, so that every round begins with all of it."""
    for file in (smoke.root / ".store").rglob("*"):
        place = copy.root / file.relative_to(smoke.root)
        if file.is_file() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())


@pytest.mark.full
@pytest.mark.parametrize(("spoil", "number"), [(flip, 150), (cut, 50)])
def test_spoilt_files(copy, smoke, chance, spoil, number):
    rounds(copy, smoke, chance, number, spoil, mend=True)


@pytest.mark.soak
@pytest.mark.parametrize(("spoil", "number"), [(flip, FLIPS), (cut, CUTS)])
def test_many_spoilt_files(copy, smoke, chance, spoil, number):
    rounds(copy, smoke, chance, number, spoil, mend=True)


@pytest.mark.soak
def test_many_spoilt_files_are_named(copy, smoke, chance):
    """The same without the runs, which take most of the time."""
    rounds(copy, smoke, chance, FLIPS, flip, mend=False)


@pytest.mark.full
def test_a_build_names_a_damaged_frozen_task_and_stops(copy, smoke):
    path, before = copy.root / TASK, content(copy)
    path.write_bytes(path.read_bytes().replace(b"petri", b"pedri", 1))
    run = copy.do(*copy.build_command(cores="2"))
    assert run.code == 1
    assert f"error: {TASK}, line " in run.output
    assert "restore the file from git" in run.output
    path.write_bytes((smoke.root / TASK).read_bytes())
    copy.build(cores="2")
    assert content(copy) == before


@pytest.mark.full
def test_a_build_shows_a_damaged_recording_and_goes_on(copy, smoke):
    (recording,) = sorted((copy.root / RECORDING).glob("*.jsonl"))[:1]
    whole = recording.read_bytes()
    recording.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    copy.build(cores="2")
    assert verify(copy.root).exit_code == 1
    table = copy.root / "results/collider/episodes/scripted-experimentalist.parquet"
    assert table.relative_to(copy.root).as_posix() in named_by_verify(copy)
    assert statuses(table) != statuses(smoke.root / table.relative_to(copy.root))
    assert "rejected" in statuses(table)
    recording.write_bytes(whole)
    copy.build(cores="2")
    assert different(copy, smoke) == []


def statuses(table: Path) -> list[str]:
    from assay.tables.reader import read_rows
    from assay.tables.schemas.episodes import EPISODES

    return [row["status"] for row in read_rows(table, EPISODES)]
