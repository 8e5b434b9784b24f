"""The doors of the spine: configuration, tasks, recordings, opinions, tables, manifests, the sandbox."""

from __future__ import annotations

import contextlib
import functools
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door, files, on_bytes, on_file, on_text, some

from assay import canonical
from assay.config.base import Model
from assay.config.loading import load
from assay.config.loading import read as read_model
from assay.config.models import Defects, Prices
from assay.errors import AssayError, ConfigError, RecordingError, TableError
from assay.sandbox.inside import channel
from assay.sessions import opinion as opinions
from assay.sessions import recording
from assay.sessions.recording import Difference
from assay.sessions.session import open_task
from assay.tables import digest, reader, writer
from assay.tables.schemas.tasks import TASKS
from assay.task import Task, read_frozen
from assay.verdict import comparison as compare
from assay.verdict import manifest

SUITES = ("causalab", "collider", "petri", "pilab", "sgi")

# ------------------------------------------------------------ configuration


def project(folder: Path) -> Call:
    """The project's file; the files that it names are those of the checkout."""
    path = folder / "config.yaml"

    def call(data: bytes) -> object:
        path.write_bytes(data)
        return load(path)

    return call


def agents(folder: Path) -> Call:
    """The file of agents, in a project of the made-up suite."""
    return _named(folder, "agents")


def settings(suite: str) -> Callable[[Path], Call]:
    """The file of one suite, in a project without agents."""
    return lambda folder: _named(folder, suite)


def _named(folder: Path, changed: str) -> Call:
    """Load a small project one of whose files is the input."""
    small = yaml.safe_load((ROOT / "config/test/small.yaml").read_text(encoding="utf-8"))
    file, nobody = folder / "file.yaml", folder / "nobody.yaml"
    nobody.write_text("agents: {}\n")
    if changed == "agents":
        small["agents"] = str(file)
    else:
        small = {"suites": {changed: {**small["suites"].get(changed, {}), "settings": str(file)}}}
        small["agents"] = str(nobody)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(small))

    def call(data: bytes) -> object:
        file.write_bytes(data)
        return load(path)

    return call


def validated(model: type[Model], name: str) -> Callable[[Path], Call]:
    """A file that is read as a model of the configuration, e.g. the list of defective tasks of a suite."""

    def read(path: Path) -> object:
        problems: list[str] = []
        found = read_model(model, path, problems)
        if problems:
            raise ConfigError("; ".join(problems), "mend them")
        return found

    return lambda folder: on_file(name, read)(folder)


def published(suite: str) -> Callable[[Path], Call]:
    """The figures quoted from a paper, as the leaderboard reads them."""
    from assay.stages.leaderboard import quotes

    return on_file(f"{suite}.yaml", lambda path: quotes(suite, f"assay.suites.{suite}", path))


def config_rows() -> list[Door]:
    """One row for each kind of file below config/."""
    bomb = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (n + 1, n + 1, b", ".join([b"*%c" % n] * 9)) for n in range(ord("a"), ord("j"))
    )
    merges = b"a: &a {x: 1}\n" + b"".join(
        b"%c: &%c {<<: [%s], y%c: 1}\n" % (n + 1, n + 1, b", ".join([b"*%c" % n] * 9), n)
        for n in range(ord("a"), ord("j"))
    )
    common = (
        b"[" * 5000,
        b"1" * 5000,
        b"a: 2001-99-99",
        b"a: !!int ''",
        b"a: !!timestamp x",
        b"&a [*a]",
        b"a: !!set n",
        bomb,
        merges,
    )
    rows = [
        Door(
            "config/config.yaml",
            "yaml",
            project,
            files("config/test/small.yaml", "config/test/madeup.yaml", "config/scale.yaml"),
            (ConfigError,),
            2,
            files=("config/config.yaml", "config/full.yaml", "config/scale.yaml", "config/test/*.yaml"),
            broken=(
                *common,
                b'suites: {a: {settings: "\\0"}}\nagents: "\\0"',
                b'suites: {"\\0": {settings: a, package: ".."}}\nx: 1',
                b"suites: {a: {settings: config/test/small-suite.yaml, package: ''}}",
                b"suites: {a: {settings: config/test/small-suite.yaml, package: a..b}}",
                b'suites: {a: {settings: config/test/small-suite.yaml, package: "\\0"}}',
                b"suites: {madeup: {settings: config/test/small-suite.yaml, tasks: s}}\n"
                b"agents: config/test/small-agents.yaml",
            ),
        ),
        Door(
            "config/agents.yaml",
            "yaml",
            agents,
            files(
                "config/test/*-agents.yaml",
                "config/full-agents.yaml",
                "config/scale-agents.yaml",
                "config/agents.yaml",
            ),
            (ConfigError,),
            2,
            files=("config/*agents.yaml", "config/test/*-agents.yaml"),
            broken=common,
        ),
        Door(
            "config/test/small-suite.yaml",
            "yaml",
            settings("madeup"),
            files("config/test/small-suite.yaml", "config/test/madeup-suite.yaml"),
            (ConfigError,),
            3,
            files=("config/test/*-suite.yaml", "config/full.yaml"),
            broken=common,
        ),
    ]
    prices = "config/prices.yaml"
    read = validated(Prices, "prices.yaml")
    rows.append(Door(prices, "yaml", read, files(prices), (ConfigError,), 2, files=(prices,)))
    for suite in SUITES:
        found = files(f"config/{suite}.yaml", f"config/test/*-{suite}.yaml", f"config/scale-{suite}.yaml")
        patterns = (f"config/{suite}.yaml", f"config/test/*-{suite}.yaml", f"config/scale-{suite}.yaml")
        rows.append(
            Door(f"config/{suite}.yaml", "yaml", settings(suite), found, (ConfigError,), 3, files=patterns)
        )
        quoted = f"config/published/{suite}.yaml"
        if suite == "sgi":  # the only suite with known defects
            known = "config/defects/sgi.yaml"
            read = validated(Defects, "sgi.yaml")
            rows.append(Door(known, "yaml", read, files(known), (ConfigError,), 2, files=(known,)))
        rows.append(
            Door(
                quoted,
                "yaml",
                published(suite),
                files(quoted),
                (ConfigError,),
                2,
                files=(quoted,),
                broken=common[:4],
            )
        )
    return rows


# ------------------------------------------------------------ tasks


def one_task() -> list[bytes]:
    """The first frozen task of the smaller sets of every suite."""
    folders = [sorted(folder.glob("*.json")) for folder in sorted(ROOT.glob("tasks/*/*"))]
    paths = [files[0] for files in folders if files]  # a set that is only committed to has none yet
    paths += [sorted(ROOT.glob("tests/protocol/tasks/madeup/madeup-v0/*.json"))[0]]
    return [path.read_bytes() for path in paths if path.stat().st_size < 60_000]


def strange_tasks() -> list[bytes]:
    """Tasks with all fields, one of which is not of its kind."""
    plain = {
        **dict.fromkeys(("suite", "task_set", "task_id"), "a"),
        "seed": 0,
        "version": 1,
        "strata": {},
        "public": 1,
        "hidden": 1,
        "blobs": [],
    }
    wrong = {"suite": 1, "task_id": "\ud800", "seed": "a", "version": [], "strata": 7, "blobs": [1]}
    return [json.dumps({**plain, name: value}).encode() for name, value in wrong.items()]


def _task(path: Path) -> None:
    """A file that is taken for a task must be one in every use: its text, its digest, its row."""
    task = read_frozen(path)
    task.frozen_text().encode()
    if not isinstance(task, Task) or Task.from_row(task.to_row(0)).digest != task.digest:
        raise Defect("a task that is not the same when it is read again")


def opened_task(folder: Path) -> Call:
    """A task by the path of its file, opened as a program opens one; each in its own suite."""
    path = folder / "00000.json"

    def call(data: bytes) -> object:
        path.write_bytes(data)
        try:
            suite = str(json.loads(data)["suite"])
        except (ValueError, RecursionError, TypeError, KeyError):
            suite = "petri"
        with open_task(
            suite if suite in SUITES else "petri", str(path), config="config/test/smoke.yaml"
        ) as session:
            return session.brief

    return call


# ------------------------------------------------------------ recordings


@functools.lru_cache
def recordings(suite: str, longest: int = 60_000) -> tuple[bytes, ...]:
    """Real recordings of a suite, the shorter ones."""
    paths = sorted(ROOT.glob(f"recordings/*/{suite}/*/*.jsonl"))
    found = [path.read_bytes() for path in paths if path.stat().st_size <= longest]
    return tuple(found[:: max(1, len(found) // 6)][:6])


def parsed(data: bytes) -> object:
    """A recording by itself: what was parsed can be walked through, cut, and told."""
    found = recording.parse(data)
    return found.turns, found.identity, recording.settled(found.lines)


def taken_up(path: Path) -> object:
    """A recording as `assay record` takes it up again: read, cut, read once more."""
    with recording.RecordingFile(path) as file:
        kept, _ = file.load()
    if kept.header is not None and recording.parse(path.read_bytes()).header != kept.header:
        raise Defect("what was kept of a recording is not what was there")
    return kept


def replayed(suite: str) -> Callable[[Path], Call]:
    """A recording replayed at its task; whatever it holds, an episode comes of it."""

    def opened(folder: Path) -> Call:
        from assay.config.loading import suite_of
        from assay.episodes.artefacts import materials_for
        from assay.episodes.blobs import MemoryBlobs
        from assay.episodes.identity import Identity
        from assay.sessions.assessment import assess
        from assay.sessions.replay import replay
        from assay.sessions.taskfiles import find_task

        source = Path("config/test/smoke.yaml")
        found = suite_of(load(source), suite, source)
        header = json.loads(recordings(suite)[0].split(b"\n")[0])
        sets = sorted((ROOT / "tasks" / suite / header["task_set"]).glob("*.json"))
        path = next(p for p in sets if json.loads(p.read_bytes())["task_id"] == header["task_id"])
        blobs = MemoryBlobs()
        task = find_task(found, str(path), blobs)
        place = Identity(header["agent"], suite, task.task_set, task.task_id, header["attempt"]).path(folder)
        place.parent.mkdir(parents=True)
        materials = materials_for(found.suite, blobs)

        def call(data: bytes) -> object:
            place.write_bytes(data)
            episode = replay(found.suite, task, place, materials)
            if episode.status == "crashed" and b'"crashed"' not in data:
                raise Defect(f"the world crashed in a replay ({episode.reason})")
            return assess(found.suite, task, episode, materials).to_json()

        return call

    return opened


def same_task(suite: str) -> Callable[[], list[bytes]]:
    """Recordings of the task that `replayed` plays."""

    def found() -> list[bytes]:
        kept = recordings(suite)
        first = json.loads(kept[0].split(b"\n")[0])["task_sha256"]
        return [data for data in kept if json.loads(data.split(b"\n")[0])["task_sha256"] == first]

    return found


def import_lines(folder: Path) -> Call:
    """The lines that a log of Inspect holds, imported."""
    from assay.config.models import Config
    from assay.doors.inspect_import import import_lines as take
    from assay.doors.inspect_import import lines_of

    source = Path("config/test/smoke.yaml")
    config: Config = load(source)
    config = config.model_copy(
        update={"project": config.project.model_copy(update={"recordings": folder / "kept"})}
    )

    class Sample:
        error = None

        def __init__(self, lines: Any) -> None:
            self.store = {"assay_recording": lines}

    def call(data: bytes) -> object:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None  # JSON is read by Inspect
        (found,) = [lines_of(Sample(value))]
        taken = take(config, source, found, "fuzz", 0)
        taken.path.unlink(missing_ok=True)
        return taken

    return call


def inspect_seeds() -> list[bytes]:
    """Recordings as a list of lines without their chain."""
    found = []
    for data in recordings("petri")[:3]:
        lines = [json.loads(line) for line in data.splitlines()]
        for line in lines:
            del line["chain"]
        found.append(json.dumps(lines).encode())
    return found


def inspect_log(folder: Path) -> Call:
    """A log of Inspect."""
    from assay.comparison.attempts import read_log

    return on_file("log.json", read_log)(folder)


# ------------------------------------------------------------ opinions, calls


def opinion_seeds() -> list[bytes]:
    """A recorded opinion, as `assay judge` writes it."""
    from assay.agents.transport import Reply, ToolCall
    from assay.sessions.opinion import SCAFFOLD_SHA256, Case, Recorded

    fields = dict.fromkeys(Case.__dataclass_fields__, "x") | {"attempt": 0}
    case = Case(**{**fields, "suite": "petri"})
    replies = (Reply('{"label": "yes"}', (), "end", 3, 4), Reply("", (ToolCall("a", {}),), "refusal"))
    return [
        Recorded(case, "0" * 64, SCAFFOLD_SHA256, {"transport": {"kind": "fake"}}, reply).text().encode()
        for reply in replies
    ]


def opinion(data: bytes) -> object:
    """A file of an opinion, with its digest computed anew where it can be: what a forger would do."""
    for text in (data, _resealed(data)):
        try:
            found = opinions.parse(text)
        except ValueError:
            continue
        found.text()
    return None


def _resealed(data: bytes) -> bytes:
    try:
        value = json.loads(data)
        value.pop("sha256", None)
        return (canonical.dumps({**value, "sha256": canonical.digest(value)}) + "\n").encode()
    except (ValueError, RecursionError, TypeError, AttributeError):
        return data


def judged(text: str) -> object:
    """What a judge says, read by the rooms of all suites that have one; what is read can be written."""
    from assay.suite import suite

    found = []
    for name in SUITES:
        if suite(name).has("opinion"):
            room = suite(name).room("opinion")
            for role, told in room.ROLES.items():
                said = room.opinion(role, text)
                if said is not None:
                    if said.label not in told.labels:
                        raise Defect(f"the label {said.label!r} is none of {role}")
                    canonical.dumps([said.label, said.value, said.reason]).encode()
                    found.append(said)
    return found


def understood(text: str) -> object:
    """A model's reply: the calls in it can be written into a log."""
    from assay.agents.model import understand, writable
    from assay.agents.transport import Reply
    from assay.protocol import Brief

    calls, _ = understand(Brief("", (), (), {}), writable(Reply(text)))
    return [canonical.dumps(call.to_json()).encode() for call in calls]


# ------------------------------------------------------------ tables and manifests


@functools.lru_cache
def parquet() -> bytes:
    """A small table of tasks."""
    buffer = io.BytesIO()
    rows = [Task.from_json(json.loads(data)).to_row(n) for n, data in enumerate(one_task()[:4])]
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.parquet"
        writer.write_table(
            sorted(
                rows,
                key=lambda row: tuple(
                    str(row[k]) if not isinstance(row[k], int) else row[k] for k in TASKS.key
                ),
            ),
            path,
            TASKS,
        )
        buffer.write(path.read_bytes())
    return buffer.getvalue()


def manifests() -> list[bytes]:
    """A real manifest with a few of its files."""
    value = json.loads((ROOT / "config/test/real.MANIFEST").read_bytes())
    kept = list(value["files"].items())[:400:40]
    return [json.dumps({**value, "files": dict(kept)}).encode()]


def table(path: Path) -> object:
    """A table: its rows, its partition, its digests."""
    for take in (
        lambda: reader.read_rows(path, TASKS),
        lambda: reader.partition(path),
        lambda: digest.table_digests(path),
        lambda: digest.column_digests(path),
    ):
        try:
            take()
        except TableError:
            continue
    return None


def compared(folder: Path) -> Call:
    """`assay diff` of two files, the second of which is the input."""
    seeds = [recordings("petri")[0], one_task()[0], (ROOT / "results/MANIFEST").read_bytes()[:4000]]
    for n, data in enumerate(seeds):
        (folder / f"{n}.jsonl").write_bytes(data)
    other = folder / "other.jsonl"

    def call(data: bytes) -> object:
        other.write_bytes(data)
        return [compare.diff(folder / f"{n}.jsonl", other) for n in range(len(seeds))]

    return call


def cached(path: Path) -> object:
    """The caches: a damaged one counts as empty."""
    from assay.build.source import Cache
    from assay.build.store import _entry
    from assay.sessions.record import Notes

    notes = Notes(path, path.parent)
    held = Cache(path, 1), notes.seconds(), notes.repeated()
    with contextlib.redirect_stderr(io.StringIO()):  # it drops a damaged file, and says so
        return held, _entry(path)


def spoken(data: bytes) -> object:
    """What a sandbox says."""
    return channel.encode(channel.decode(data))


def rows() -> list[Door]:
    """The table's part."""
    deep = b"[" * 100_000
    found = [
        *config_rows(),
        Door(
            "frozen task",
            "json",
            on_file("00000.json", _task),
            one_task,
            (AssayError,),
            12,
            broken=(
                deep,
                *strange_tasks(),
            ),
        ),
        Door("task opened by its file", "json", opened_task, one_task, (AssayError,), 1),
        Door(
            "recording",
            "recording",
            on_bytes(parsed),
            lambda: [d for s in SUITES for d in recordings(s)[:2]],
            (Difference,),
            15,
            broken=(b'{"kind": []}\n', b'{"kind": {}}\n', deep + b"\n"),
        ),
        Door(
            "recording taken up again",
            "recording",
            on_file("x/petri/s/t.0.jsonl", taken_up),
            lambda: list(recordings("petri")),
            (RecordingError,),
            6,
        ),
        Door("recording imported", "json", import_lines, inspect_seeds, (AssayError,), 1),
        Door(
            "log of Inspect",
            "json",
            inspect_log,
            some('{"version": 2, "status": "success", "eval": {}, "samples": []}'),
            (AssayError,),
            1,
            needs=("inspect_ai",),
        ),
        Door("recorded opinion", "json", on_bytes(opinion), opinion_seeds, (), 120, broken=(deep,)),
        Door(
            "judge's reply",
            "json",
            on_text(judged),
            some('{"verdict": "PASSED", "reason": "line 3"}', '{"label": "yes", "reason": "a", "value": 3}'),
            (),
            120,
        ),
        Door(
            "model's reply",
            "json",
            on_text(understood),
            some(
                '{"tool": "submit", "arguments": {"parameter": "a"}}',
                '```json\n{"tool": "a", "arguments": {}}\n```',
            ),
            (),
            250,
        ),
        Door("table", "binary", on_file("tasks.parquet", table), lambda: [parquet()], (TableError,), 1),
        Door(
            "manifest",
            "json",
            on_file("MANIFEST", lambda path: manifest.read_manifest(path)),
            manifests,
            (AssayError,),
            2,
            broken=(deep,),
        ),
        Door(
            "assay diff",
            "lines",
            compared,
            lambda: [recordings("petri")[0], one_task()[0], (ROOT / "results/MANIFEST").read_bytes()[:4000]],
            (AssayError,),
            4,
            broken=(deep,),
        ),
        Door(
            "caches",
            "json",
            on_file("cache.json", cached),
            some(
                '{"recipe": 1, "python": "3.11", "sources": {"a": ["b", ["c"], []]}}',
                '{"what": "asked", "n": 0, "request_sha256": "a", "seconds": 1.0}',
            ),
            (),
            10,
            broken=(
                deep,
                b"{}",
                b"[1]",
                b'{"what": "asked"}',
                b'{"what": "x", "seconds": "a"}',
                b'{"what": "asked", "n": [], "request_sha256": {}}',
            ),
        ),
        Door(
            "sandbox channel",
            "json",
            on_bytes(spoken),
            some(
                '{"call": "query", "arguments": {"sql": "SELECT 1"}}',
                '{"value": [1, 2.5, null], "stdout": "x"}',
            ),
            (channel.Malformed,),
            300,
        ),
    ]
    found += [
        Door(f"replay of {suite}", "recording", replayed(suite), same_task(suite), (RecordingError,), weight)
        for suite, weight in {"petri": 3, "causalab": 3, "sgi": 3, "pilab": 1, "collider": 1}.items()
    ]
    return found
