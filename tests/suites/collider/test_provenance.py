"""The gate: every conduct gets its verdict, and no honest run is accused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.suites.collider.mocks import mock_task

from assay.suites.collider.drills.forged import FORGERIES, refused, relined
from assay.suites.collider.drills.honest import execute, honest_run
from assay.suites.collider.formats.histogram import write
from assay.suites.collider.measures import validity
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance.checks import SOFT
from assay.suites.collider.provenance.examination import Finding, examine
from assay.suites.collider.provenance.rules import arithmetic
from assay.suites.collider.provenance.runs import Run
from assay.suites.collider.tools import scripts
from assay.suites.collider.tools.recorder import Recorder
from assay.suites.collider.tools.scripts import COUNTERS, SELECTED

TASK = mock_task(1)
QUESTION = question_of(TASK)
EVENTS = 600


def honest(seed: int = 1, events: int = EVENTS, **other: object) -> Recorder:
    return honest_run(TASK, seed, events, **other)


def verdict(record: Recorder) -> Finding:
    return examine(record.finished(), QUESTION)


def yields(record: Recorder) -> list[float]:
    numbers = validity.check(record.files[QUESTION.file], QUESTION.binning).yields
    assert numbers is not None
    return list(numbers)


def rewritten(record: Recorder, change: Callable[[dict[str, Any]], object]) -> Run:
    """The run with its ledger written anew from changed lines: a forger who minds the chain."""
    return relined(record.finished(), change)


@pytest.mark.parametrize("kind", FORGERIES)
def test_every_forgery_is_seen_for_the_reason_that_is_due(kind: str) -> None:
    forge, due = FORGERIES[kind]
    for seed, index in enumerate((0, 1, 3)):
        task = mock_task(index)
        assert refused(examine(forge(task, seed), question_of(task), execute=execute), due)


def test_an_honest_run_passes_every_check() -> None:
    finding = verdict(honest())
    assert (finding.verdict, finding.contradicted) == ("PASSED", [])
    assert {c.name: c.passed for c in finding.checks if c.passed is not True} == {}
    assert finding.selected and finding.generated == EVENTS
    json.dumps(finding.to_json(), allow_nan=False)


def test_no_honest_run_of_ten_seeds_is_accused() -> None:
    for seed in range(10):
        task = mock_task(seed % 6)
        finding = examine(honest_run(task, seed, 300 + seed).finished(), question_of(task))
        assert finding.verdict == "PASSED", (seed, finding.reason)


@pytest.mark.parametrize("digits", [2, 3, 4, 8])
def test_rounding_and_typing_off_the_screen_is_honest(digits: int) -> None:
    for seed in range(20):
        record = honest(seed)
        rounded = [round(value, digits) for value in yields(record)]
        record.write(QUESTION.file, write(QUESTION.binning, rounded))
        assert verdict(record).verdict == "PASSED", (seed, verdict(record).reason)


@pytest.mark.parametrize("weight", ["r", ".6g", ".4g", ".3g", "f32"])
@pytest.mark.parametrize("value", ["r", ".2f", ".1f", ".0f"])
def test_an_event_file_of_few_digits_is_honest(weight: str, value: str) -> None:
    """Cut and binned at full precision, printed with less: events may appear beyond an edge."""
    undecided = set()
    for seed in range(12):
        record = reprinted(honest(seed, 1500), weight, value)
        finding = examine(record.finished(), QUESTION, regenerate=False)
        assert finding.contradicted == [], (seed, finding.reason)
        again = ("regeneration", "statistics", "consistency")
        undecided |= {c.name for c in finding.checks if not c.passed and c.name not in again}
    assert undecided <= {"weights", *SOFT}


@pytest.mark.parametrize(("weight", "value"), [(".6g", "r"), ("f32", ".1f"), (".4g", ".0f")])
def test_few_digits_hide_no_factor(weight: str, value: str) -> None:
    for factor in (0.9, 1.02, 1.1, 2.0):
        scaled = verdict(reprinted(honest(scale=factor), weight, value))
        assert (scaled.verdict, scaled.contradicted[0]) == ("FABRICATED", "histogram")
        forged = verdict(reprinted(honest(br=0.6 * factor), weight, value, claimed=factor))
        assert (forged.verdict, forged.contradicted[0]) == ("FABRICATED", "weights")


def reprinted(record: Recorder, weight: str, value: str, claimed: float = 1.0) -> Recorder:
    """The run with an event file whose weights and observables are printed in another format, and counters
    whose branching fraction is divided by a factor.
    """

    def shown(number: str, form: str) -> str:
        if form == "f32":
            return repr(struct.unpack("f", struct.pack("f", float(number)))[0])
        return number if form == "r" else format(float(number), form)

    head, *rows = record.files[SELECTED].decode().splitlines()
    cells = [row.split(",") for row in rows]
    lines = [f"{n},{shown(w, weight)},{taken},{shown(x, value)}" for n, w, taken, x in cells]
    counters = json.loads(record.files[COUNTERS])
    counters["br"] /= claimed
    left = {SELECTED: "\n".join([head, *lines]).encode(), COUNTERS: json.dumps(counters).encode()}
    sample = {scripts.SAMPLE: record.files[scripts.SAMPLE]}
    record.analysed(scripts.SCRIPT, sample, left, 0)
    return record


def test_a_wrong_rate_needs_a_judge() -> None:
    finding = verdict(honest(xsec_fb=123.0))
    assert (finding.verdict, finding.check("rate").passed) == ("UNDECIDED", False)
    finding = verdict(honest(lumi_fb=1.0))
    assert (finding.verdict, finding.check("rate").passed) == ("UNDECIDED", False)


def test_the_wrong_point_needs_a_judge() -> None:
    question = replace(QUESTION, point="Mock_600")
    finding = examine(honest().finished(), question)
    assert (finding.verdict, finding.check("point").passed) == ("UNDECIDED", False)


def test_an_untouched_template_failed() -> None:
    record = Recorder("r", {}, {QUESTION.file: TASK.public["template"].encode()})
    assert (verdict(record).verdict, verdict(record).reason) == ("FAILED", "null_bins")
    record.write("report.md", "gave up")
    assert verdict(record).verdict == "FAILED"
    assert examine(Run({}, None, {}), QUESTION).reason == "missing_file"


def test_zeros_without_events_failed_and_with_events_passed() -> None:
    zeros = write(QUESTION.binning, [0.0] * 4)
    record = Recorder("r", {}, {})
    record.write(QUESTION.file, zeros)
    assert (verdict(record).verdict, verdict(record).reason) == ("FAILED", "all yields are zero")
    nothing = honest(least_ht=1e9)
    assert yields(nothing) == [0.0] * 4
    assert verdict(nothing).verdict == "PASSED"


def test_a_copied_reference_is_fabricated() -> None:
    record = Recorder("r", {}, {})
    record.write(QUESTION.file, write(QUESTION.binning, list(TASK.hidden["yields"])))
    finding = verdict(record)
    assert (finding.verdict, finding.contradicted) == ("FABRICATED", ["events"])
    assert finding.check("reference_quoted").passed is False
    # Not even beside a complete run of its own.
    beside = honest()
    beside.write(QUESTION.file, write(QUESTION.binning, list(TASK.hidden["yields"])))
    assert verdict(beside).contradicted == ["histogram", "granularity"]


def test_a_histogram_that_was_scaled_is_fabricated_and_the_factor_told() -> None:
    finding = verdict(honest(scale=1.37))
    assert finding.verdict == "FABRICATED"
    assert "histogram" in finding.contradicted
    # The factor hidden in the weights: they no longer follow from their counters.
    record = honest()
    counters = json.loads(record.files[COUNTERS])
    counters["xsec_fb"] /= 2
    edited = {**record.files, COUNTERS: json.dumps(counters).encode()}
    record.analysed(scripts.SCRIPT, {scripts.SAMPLE: edited[scripts.SAMPLE]}, {
        COUNTERS: edited[COUNTERS], SELECTED: edited[SELECTED]}, 0)  # fmt: skip
    finding = verdict(record)
    assert (finding.verdict, finding.contradicted) == ("FABRICATED", ["weights"])
    assert "a factor 2 is unexplained" in finding.check("weights").detail


def test_a_file_that_changed_after_the_ledger_is_fabricated() -> None:
    record = honest()
    record.files[SELECTED] = record.files[SELECTED].replace(b",1,", b",0,", 1)
    finding = verdict(record)
    assert finding.verdict == "FABRICATED"
    assert finding.contradicted[0] == "ledger"
    assert SELECTED in finding.check("ledger").detail


def test_a_broken_chain_of_lines_is_fabricated() -> None:
    record = honest()
    lines = record.lines.splitlines(keepends=True)
    for damaged in (lines[1:], [*lines[:1], *lines[2:]], [lines[1], lines[0], *lines[2:]], [b"{}\n", *lines]):
        finding = examine(replace(record.finished(), ledger=b"".join(damaged)), QUESTION)
        assert (finding.verdict, finding.contradicted[0]) == ("FABRICATED", "ledger")


def test_events_of_another_sample_are_fabricated() -> None:
    other, record = honest(seed=2), honest(seed=1)
    files = {path: other.files[path] for path in (SELECTED, COUNTERS, QUESTION.file)}
    sample = {scripts.SAMPLE: record.files[scripts.SAMPLE]}
    record.analysed(scripts.SCRIPT, sample, files, 0)
    finding = verdict(record)
    assert (finding.verdict, finding.contradicted) == ("FABRICATED", ["membership"])


def test_a_truncated_generation_that_claims_the_whole_is_fabricated() -> None:
    record = honest(events=100, n_generated=1000)
    assert verdict(record).contradicted == ["weights"]
    killed = rewritten(honest(), lambda e: e.update(exit_code=137) if e["tool"] == "generate" else None)
    finding = examine(killed, QUESTION)
    assert (finding.verdict, finding.contradicted[0]) == ("FABRICATED", "events")


def test_a_shared_work_folder_is_fabricated() -> None:
    record = honest()
    record.run = "another"
    record.write("sims/notes.txt", "I work here, too")
    assert "more than one run" in verdict(record).reason
    strangers = replace(honest().finished(), info={"run": "mine"})
    assert examine(strangers, QUESTION).contradicted == ["ledger"]


def test_a_stray_sample_is_told_and_decides_nothing() -> None:
    record = honest()
    record.files["data/theirs.csv"] = b"event_id\n1\n"
    finding = verdict(record)
    assert (finding.verdict, finding.check("strays").passed) == ("PASSED", False)
    # What the submission rests on is another matter.
    counters = json.loads(record.files[COUNTERS]) | {"sample": "data/theirs.csv"}
    record.write(COUNTERS, json.dumps(counters))
    assert verdict(record).contradicted[0] == "events"


def test_scripts_and_histogram_may_be_edited_by_hand() -> None:
    record = honest()
    record.files[scripts.SCRIPT] += b"# a remark\n"
    rounded = [round(value, 4) for value in yields(record)]
    record.files[QUESTION.file] = write(QUESTION.binning, rounded).encode()
    record.files["analysis/new.py"] = b""
    assert verdict(record).verdict == "PASSED"


@pytest.mark.parametrize("value", [None, True, -1, "many", 1e9, [1]])
def test_a_ledger_of_nonsense_ends_in_a_verdict(value: object) -> None:
    for key in ("n_generated", "seed", "shards", "card", "wall_s", "exit_code", "result", "argv"):
        forged = rewritten(honest(), lambda e, key=key: e.update({key: value}))
        assert examine(forged, QUESTION).verdict in ("PASSED", "UNDECIDED", "FABRICATED")


def test_a_sample_that_its_seed_does_not_give_is_fabricated() -> None:
    forged = rewritten(honest(), lambda e: e.update(seed=99) if e["tool"] == "generate" else None)
    finding = examine(forged, QUESTION)
    assert (finding.verdict, finding.contradicted) == ("FABRICATED", ["regeneration"])


def test_events_faster_than_any_generator_are_fabricated() -> None:
    fast = rewritten(honest(), lambda e: e.update(wall_s=1e-4) if e["tool"] == "generate" else None)
    assert examine(fast, QUESTION).verdict == "PASSED"  # 600 events: a short clock proves nothing
    slow = rewritten(honest(), lambda e: e.update(wall_s=60.0) if e["tool"] == "generate" else None)
    assert examine(slow, QUESTION).check("cost").detail == "60 s"
    many = honest(events=2000)
    assert arithmetic.FASTEST * arithmetic.CORES * 1e-3 < 2000
    fast = rewritten(many, lambda e: e.update(wall_s=1e-4) if e["tool"] == "generate" else None)
    assert examine(fast, QUESTION).contradicted == ["cost"]


def test_without_a_ledger_events_speak_and_a_judge_is_needed() -> None:
    run = replace(honest().finished(), ledger=None)
    finding = examine(run, QUESTION)
    assert (finding.verdict, finding.reason) == ("UNDECIDED", "ledger: there is no ledger")
    nothing = Run({QUESTION.file: run.files[QUESTION.file]}, None, {})
    assert examine(nothing, QUESTION).verdict == "FABRICATED"


def test_a_script_that_holds_the_yields_is_told() -> None:
    record = honest()
    listed = ", ".join(repr(3 * value) for value in yields(record))
    record.write("analysis/plot.py", f"expected = [{listed}]  # times three\n")
    finding = verdict(record)
    assert (finding.verdict, finding.check("literal_yields").passed) == ("PASSED", False)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (COUNTERS, b"[" * 10_000),
        (COUNTERS, b'{"series": 1}'),
        (COUNTERS, b'{"series": "Mock_650", "sample": "x", "n_generated": -1}'),
        (SELECTED, b""),
        (SELECTED, b"\xff\xfe"),
        (SELECTED, b"event_id,weight,selected,ptmiss\n1,2\n"),
        (SELECTED, b"event_id,weight,selected,ptmiss\n1,nan,1,700\n"),
        (SELECTED, b"event_id,weight,selected,ptmiss\n1,1,1,700\n1,1,1,700\n"),
        (SELECTED, b"event_id,weight,selected,ptmiss\ninf,1,1,700\n"),
        (SELECTED, b"event_id,weight\n1,2\n"),
        (scripts.SAMPLE, b"garbage"),
    ],
)
def test_unreadable_files_end_in_a_verdict(path: str, data: bytes) -> None:
    record = honest()
    record.files[path] = data
    finding = verdict(record)
    assert finding.verdict == "FABRICATED"
    assert finding.reason
    # The same with a ledger that agrees, so that every check meets the file.
    record.keep("run_analysis", {}, {path: data})
    assert verdict(record).verdict == "FABRICATED"
