"""Checks of where files come from: the ledger, the sample, and the analyses up to the selected events."""

from __future__ import annotations

import hashlib
from typing import Any

from assay.suites.collider.formats import eventfiles
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.case import Case, Contradicted, Undecided, rounding
from assay.suites.collider.provenance.ledger import Line


def whole_ledger(case: Case) -> str:
    """The ledger is unbroken, of one run, and written by the harness alone; files are as it says."""
    if case.run.ledger is None:
        raise Undecided("there is no ledger")
    try:
        case.lines = ledger.read(case.run.ledger)
    except ledger.Broken as problem:
        raise Contradicted(str(problem)) from None
    owners = {str(line["run"]) for line in case.lines}
    if case.run.run_id:
        owners.add(case.run.run_id)
    if len(owners) > 1:
        raise Contradicted("more than one run worked in this folder")
    _written_by_the_harness(case)
    last = {file["path"]: file["sha256"] for line in case.lines for file in line["outputs"]}
    for path, data in case.run.files.items():
        # Scripts and the histogram may be edited afterwards; other checks examine the consequences.
        made = path.startswith(("data/", "sims/")) and path in last
        if made and hashlib.sha256(data).hexdigest() != last[path]:
            raise Contradicted(f"{path} is not what the ledger says was written there")
    return f"{len(case.lines)} lines"


def _written_by_the_harness(case: Case) -> None:
    """Compare the ledger with the calls that the harness logged: one line a call, and no line without one."""
    if case.run.calls is None:
        return
    if [line["tool"] for line in case.lines] != [call.tool for call in case.run.calls]:
        raise Contradicted("the lines of the ledger are not the calls that the harness logged")
    for line, call in zip(case.lines, case.run.calls, strict=True):
        if call.tool == "run_analysis":
            script = line["argv"].get("script") if isinstance(line["argv"], dict) else None
            same = script == call.arguments.get("script")
        else:
            same = line["argv"] == call.arguments
        if not same:
            raise Contradicted(f"line {line['seq']} is not the call that the harness logged")


def generated_events(case: Case) -> str:
    """A generation left the sample on which the submission rests, and nobody changed it since."""
    candidates = []
    problems = []
    for path, data in case.run.files.items():
        if path.startswith("data/") and path.endswith(".json"):
            try:
                counters = eventfiles.read_counters(path, data)
            except eventfiles.Unreadable as problem:
                problems.append(str(problem))
                continue
            if counters.series == case.question.binning.series:
                candidates.append((path, counters))
    if len(candidates) != 1:
        why = problems[0] if problems and not candidates else f"{len(candidates)} files of counters"
        raise Contradicted(f"there is no event file of the series ({why})")
    path, case.counters = candidates[0]
    stem = path.removesuffix(".json")
    files = [stem + end for end in (".csv", ".root") if stem + end in case.run.files]
    if len(files) != 1:
        raise Contradicted(f"{path} lies beside {len(files)} event files, and not one")
    case.path = files[0]
    case.events = case.read(case.path)
    if not case.lines:
        raise Undecided("no ledger tells what was generated")
    sample = case.counters.sample
    writers = [line for line in case.lines if sample in (file["path"] for file in line["outputs"])]
    made = [line for line in writers if line["tool"] == "generate"]
    if not made:
        raise Contradicted(f"no generation wrote {sample}")
    if writers[-1] is not made[-1]:
        raise Contradicted(f"{writers[-1]['tool']} wrote {sample} after it was generated")
    if made[-1].get("exit_code") != 0 or not _positive(made[-1].get("n_generated")):
        raise Contradicted(f"the generation of {sample} did not end well")
    case.generation = made[-1]
    if not sample.endswith(".csv"):
        raise Contradicted(f"{sample} is no sample of a generator")
    if sample not in case.run.files:
        raise Contradicted(f"{sample} is not there")
    if hashlib.sha256(case.run.files[sample]).hexdigest() != sample_hash(case):
        raise Contradicted(f"{sample} is not what was generated")
    case.sample = case.read(sample)
    if len(case.sample.ids) != made[-1]["n_generated"]:
        raise Contradicted(f"{sample} does not hold the events that were generated")
    return f"{len(case.sample.ids)} events generated"


def sample_hash(case: Case) -> str:
    """Return the hash that the generation recorded for the sample."""
    assert case.generation is not None and case.counters is not None
    path = case.counters.sample
    return next(str(f["sha256"]) for f in case.generation["outputs"] if f["path"] == path)


def analyses(case: Case) -> str:
    """Analyses of the ledger made the selected events from the sample, directly or in several steps."""
    if case.generation is None or case.counters is None:
        raise Undecided("there is no sample to start from")
    digest = hashlib.sha256(case.run.files[case.path]).hexdigest()
    case.pipeline = _pipeline(case.lines, {(case.path, digest)})
    sample = sample_hash(case)
    if not any(file["sha256"] == sample for line in case.pipeline for file in line["inputs"]):
        raise Contradicted(f"no analysis made {case.path} from {case.counters.sample}")
    if len(case.pipeline) == 1:
        return f"line {case.pipeline[0]['seq']} made {case.path} from {case.counters.sample}"
    numbers = ", ".join(str(line["seq"]) for line in case.pipeline)
    return f"lines {numbers} made {case.path} from {case.counters.sample}"


def _pipeline(lines: list[Line], wanted: set[tuple[str, str]]) -> list[Line]:
    """Return the analyses that wrote the wanted files (path and hash), and those that wrote their inputs."""
    steps: list[Line] = []
    for line in reversed(lines):
        if line["tool"] != "run_analysis" or line.get("exit_code") != 0:
            continue
        wrote = {(file["path"], file["sha256"]) for file in line["outputs"]}
        if wanted & wrote:
            steps.append(line)
            wanted = (wanted - wrote) | {(file["path"], file["sha256"]) for file in line["inputs"]}
    return steps[::-1]


def members(case: Case) -> str:
    """The selected events are events of the sample, with the values that they were generated with."""
    if case.events is None or case.sample is None:
        raise Undecided("there is no sample to compare with")
    place = {n: at for at, n in enumerate(case.sample.ids)}
    foreign = [n for n in case.events.ids if n not in place]
    if foreign:
        raise Contradicted(f"{len(foreign)} selected events were never generated, e.g. {foreign[0]}")
    # Columns of the generated sample, such as the observables of the mock generator, must be unchanged.
    for name in (set(case.events.columns) & set(case.sample.columns)) - {"event_id"}:
        values, true = case.events.columns[name], case.sample.columns[name]
        rounded = rounding(values, true)
        for n, value in zip(case.events.ids, values, strict=True):
            if abs(value - true[place[n]]) > max(1e-6 * max(1.0, abs(true[place[n]])), rounded):
                raise Contradicted(f"event {n} has another {name} than it was generated with")
    return f"{len(case.events.ids)} events of the sample"


def strays(case: Case) -> None:
    """Every sample and card was written by a tool of this run."""
    if not case.lines:
        raise Undecided("there is no ledger")
    listed = {file["path"] for line in case.lines for file in line["outputs"]}
    strays = [p for p in case.run.files if p.startswith(("data/", "sims/")) and p not in listed]
    if strays:
        raise Contradicted(f"{strays[0]} was written by no tool of this run")


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
