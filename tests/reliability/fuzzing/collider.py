"""The doors of collider: histograms, task folders, event files, ledgers, run folders, opinions, SLHA."""

from __future__ import annotations

import contextlib
import functools
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door, on_bytes, on_file, on_text, some

from assay import canonical
from assay.errors import AssayError
from assay.suites.collider.formats import documents, eventfiles
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures import scorecard, validity
from assay.suites.collider.problems.taskfolders import load, read_histogram, read_reference
from assay.suites.collider.provenance import ledger


@functools.lru_cache
def frozen() -> tuple[bytes, ...]:
    """Frozen tasks: one with edges, one with labels, one mock."""
    paths = [
        sorted((ROOT / "tasks/collider" / name).glob("*.json"))
        for name in ("cms-v0", "atlas-v0", "mock-v0", "binning-v0")
    ]
    return tuple(path.read_bytes() for found in paths for path in found[:2])


@functools.lru_cache
def filled() -> tuple[bytes, ...]:
    """Submissions: the templates of tasks, filled in and not."""
    found: list[bytes] = []
    for data in frozen():
        template = json.loads(data)["public"]["template"]
        text = template
        number = 1.5
        while "value: null" in text:
            text = text.replace("value: null", f"value: {number}", 1)
            number += 0.25
        found += [text.encode(), template.encode()]
    return tuple(dict.fromkeys(found))


def yaml(data: bytes) -> object:
    """A YAML file of strangers."""
    return documents.read(data)


def submission(folder: Path) -> Call:
    """A submission: judged in the bins of a task, and scored against a reference."""
    path = folder / "reference.yaml"
    path.write_bytes(filled()[0])
    reference = read_reference(path)
    binnings = [Binning.from_json(json.loads(data)["public"]["histogram"]) for data in frozen()]

    def call(data: bytes) -> object:
        found = [validity.check(data, binning) for binning in binnings]
        card = scorecard.score(data, reference)
        canonical.dumps(scorecard.to_json(card, data, reference, {})).encode()
        return found

    return call


def histogram(path: Path) -> object:
    """A histogram as it was published (HEPData): its binning, and as a reference."""
    read_histogram(path)
    return read_reference(path)


def task_folder(part: str) -> Callable[[Path], Call]:
    """A task folder in the published layout, one of whose files is the input."""

    def opened(folder: Path) -> Call:
        from assay.suites.collider.problems.taskfolders import save
        from assay.task import Task

        place = save(Task.from_json(json.loads(frozen()[0])), folder)
        file = {"toml": place / "task.toml", "template": next((place / "template").glob("*.yaml"))}[part]

        def call(data: bytes) -> object:
            file.write_bytes(data)
            return load(place)

        return call

    return opened


def toml() -> list[bytes]:
    """A task's TOML."""
    from tempfile import TemporaryDirectory

    from assay.suites.collider.problems.taskfolders import save
    from assay.task import Task

    with TemporaryDirectory() as folder:
        return [
            (save(Task.from_json(json.loads(data)), Path(folder)) / "task.toml").read_bytes()
            for data in frozen()
        ]


@functools.lru_cache
def honest() -> tuple[bytes, dict[str, bytes], bytes]:
    """An honest run of a mock task: its ledger, its files, its info."""
    from assay.suites.collider.drills.honest import honest_run
    from assay.task import Task

    record = honest_run(Task.from_json(json.loads(frozen()[4])), 3, 40)
    layout = record.layout()
    return layout["ledger.jsonl"], layout, layout["run_info.json"]


def events(suffix: str) -> Callable[[Path], Call]:
    """An event file."""
    return on_bytes(lambda data: eventfiles.read(f"data/x.{suffix}", data))


def csv() -> list[bytes]:
    """Event files of an honest run."""
    return [data for path, data in honest()[1].items() if path.endswith(".csv")]


@functools.lru_cache
def root() -> tuple[bytes, ...]:
    """A ROOT file with one tree."""
    try:
        import numpy as np
        import uproot
    except ImportError:
        return ()

    columns = {
        "event_id": np.arange(5),
        "weight": np.full(5, 0.1),
        "selected": np.ones(5, bool),
        "ptmiss": np.linspace(1, 2, 5),
    }
    buffer = io.BytesIO()
    file = uproot.recreate(buffer)
    file.mktree("selected", {name: array.dtype for name, array in columns.items()}).extend(columns)
    return (buffer.getvalue(),)


def run_folder(part: str) -> Callable[[Path], Call]:
    """A run folder, one of whose files is the input; the gate always comes to a verdict."""

    def opened(folder: Path) -> Call:
        from assay.suites.collider.problems.hidden import question_of
        from assay.suites.collider.provenance.examination import examine
        from assay.suites.collider.provenance.runs import of_folder
        from assay.task import Task

        for path, data in honest()[1].items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        question = question_of(Task.from_json(json.loads(frozen()[4])))
        file = folder / part

        def call(data: bytes) -> object:
            file.write_bytes(data)
            finding = examine(of_folder(folder), question, regenerate=False)
            if finding.verdict not in ("PASSED", "FAILED", "FABRICATED", "UNDECIDED"):
                raise Defect(f"no verdict: {finding.verdict}")
            return canonical.dumps(finding.to_json()).encode()

        return call

    return opened


def relinked(data: bytes, most: int = 10_000) -> bytes:
    """A ledger whose lines follow one another again; of a longer one the first ten thousand."""
    import hashlib

    previous, lines = ledger.FIRST, []
    for number, raw in enumerate(data.splitlines()[:most]):
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            raw = canonical.dumps({**json.loads(raw), "seq": number, "prev_sha256": previous}).encode()
        lines.append(raw)
        previous = hashlib.sha256(raw).hexdigest()
    return b"".join(line + b"\n" for line in lines)


def without(key: str, data: bytes) -> bytes:
    """A ledger whose lines lack a key."""
    lines = [json.loads(line) for line in data.splitlines()]
    return b"".join(
        canonical.dumps({k: v for k, v in line.items() if k != key}).encode() + b"\n" for line in lines
    )


def ledger_of_run(folder: Path) -> Call:
    """The ledger of a run folder, as it is and with its chain computed anew."""
    plain = run_folder("ledger.jsonl")(folder)

    def call(data: bytes) -> object:
        plain(data)
        return plain(relinked(data))

    return call


def opinion(data: bytes) -> object:
    """A judge's opinion in a file, beside a finding."""
    from assay.suites.collider.provenance import second_opinion

    try:
        value = canonical.loads(data)
    except (ValueError, RecursionError):
        return None  # as `assay collider gate` refuses it
    if second_opinion.problem(value) is not None:
        return None
    return second_opinion.rule(_finding(), "a", value)


@functools.lru_cache
def _finding() -> Any:
    from assay.suites.collider.problems.hidden import question_of
    from assay.suites.collider.provenance.examination import examine
    from assay.suites.collider.provenance.runs import Run
    from assay.task import Task

    return examine(Run({}, None, {}), question_of(Task.from_json(json.loads(frozen()[4]))))


def slha() -> list[bytes]:
    """Files of points as they are written."""
    from assay.suites.collider.chain.signal.slha import Channel, Spectrum, write

    squark = Spectrum(
        {1000021: 1500.0, 1000022: 100.0},
        {1000021: (1.0, (Channel(0.75, (1, -1, 1000022)), Channel(0.25, (5, -5, 1000022))))},
    )
    return [write(squark).encode(), b"DECAY 1000021 1.0 # width\n 1.0 3 1 -1 1000022\n"]


def decays(text: str) -> object:
    """The decays of an SLHA text; what was read can be written again."""
    from assay.suites.collider.chain.signal.slha import Spectrum, read_decays, write

    found = read_decays(text, "point.slha")
    again = read_decays(write(Spectrum(dict.fromkeys(found, 100.0), found)), "written")
    if again.keys() != found.keys():
        raise Defect("other particles when it is read again")
    return found


def rows() -> list[Door]:
    """The table's part."""
    opinions = some(
        json.dumps(
            {
                "provenance_audit": {
                    "status": "VERIFIED",
                    "summary": "s",
                    "series": {
                        "a": {"classification": "TRACEABLE", "confidence": "high", "corrected_values": [1.0]}
                    },
                    "overrule": {"action": "NONE", "reason": ""},
                }
            }
        ),
        json.dumps(
            {
                "provenance_audit": {
                    "status": "CORRECTED",
                    "series": {
                        "a": {
                            "classification": "NULL_BUT_COMPUTED",
                            "confidence": "high",
                            "corrected_values": [1.0, 2, 3],
                        }
                    },
                    "overrule": {"action": "RESCORE_CORRECTED"},
                }
            }
        ),
    )
    counters = some(
        '{"series": "a", "sample": "data/gen.csv", "n_generated": 20000, "xsec_fb": 6.15, "lumi_fb": 35.9,'
        ' "br": 1.0, "filter_eff": 1.0}'
    )
    return [
        Door("collider YAML", "yaml", on_bytes(yaml), filled, (documents.Unreadable,), 60),
        Door("collider submission", "yaml", submission, filled, (), 4),
        Door("collider histogram (HEPData)", "yaml", on_file("x.yaml", histogram), filled, (AssayError,), 15),
        Door(
            "collider task.toml",
            "toml",
            task_folder("toml"),
            toml,
            (AssayError,),
            40,
            broken=(b"a = " + b"1" * 5000, b"a = " + b"[" * 5000, b"a" + b".9" * 100_000),
        ),
        Door("collider template", "yaml", task_folder("template"), filled, (AssayError,), 8),
        Door("collider events in CSV", "csv", events("csv"), csv, (eventfiles.Unreadable,), 250),
        Door(
            "collider events in ROOT",
            "binary",
            events("root"),
            root,
            (eventfiles.Unreadable,),
            1,
            needs=("uproot",),
        ),
        Door(
            "collider counters",
            "json",
            on_bytes(lambda data: eventfiles.read_counters("x", data)),
            counters,
            (eventfiles.Unreadable,),
            300,
        ),
        Door(
            "collider ledger",
            "lines",
            on_bytes(lambda data: (_lines(data), _lines(relinked(data)))),
            lambda: [honest()[0]],
            (),
            15,
        ),
        Door(
            "collider ledger of a run",
            "lines",
            ledger_of_run,
            lambda: [honest()[0]],
            (AssayError,),
            2,
            broken=(without("argv", honest()[0]),),
        ),
        Door(
            "collider run_info.json",
            "json",
            run_folder("run_info.json"),
            lambda: [honest()[2]],
            (AssayError,),
            2,
        ),
        Door(
            "collider counters of a run",
            "json",
            run_folder("workspace/data/selected.json"),
            lambda: [honest()[1]["workspace/data/selected.json"]],
            (AssayError,),
            2,
            broken=(
                json.dumps(
                    json.loads(honest()[1]["workspace/data/selected.json"]) | {"sample": "\ud800"}
                ).encode(),
            ),
        ),
        Door(
            "collider events of a run",
            "csv",
            run_folder("workspace/data/selected.csv"),
            csv,
            (AssayError,),
            2,
        ),
        Door("collider opinion", "json", on_bytes(opinion), opinions, (), 100),
        Door("SLHA", "slha", on_text(decays), slha, (AssayError,), 150),
    ]


def _lines(data: bytes) -> object:
    try:
        return ledger.read(data)
    except ledger.Broken:
        return None
