"""Bundles, ledgers, statements, trajectories and shared stores of others; what daily commands are given."""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door, files, on_bytes, on_file, some
from tests.reliability.fuzzing.spine import recordings

from assay import canonical
from assay.admission import archive, bundle, merkle, statements
from assay.admission.ledger import FILE, FIRST, Ledger
from assay.build.job import REMEDIES
from assay.build.store import _sealed
from assay.build.upstream import Upstream, signature
from assay.cli.daily import add_agent, init
from assay.config.loading import load
from assay.doors.formats import atif, command
from assay.errors import AssayError
from assay.sessions import recording
from assay.sessions.programs import trials

SECRET = b"s" * 32
KEY = "ab" + "0" * 62
CONTENT = b"rows" * 100
DEEP = b"[" * 100_000

MEMBERS = {bundle.CARD: b"name: x\n", f"{bundle.RECORDINGS}petri/core-v0/t.0.jsonl": b"{}\n"}
LISTED = {
    "members": [
        {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in sorted(MEMBERS.items())
    ],
    "root": merkle.root([bundle.leaf(name, data) for name, data in sorted(MEMBERS.items())]),
}
"""What the head of a bundle with these members says of them."""

# ------------------------------------------------------------ bundles, ledgers, statements


def unpacked(path: Path) -> object:
    """A bundle's file: what it holds can be packed again, with the same members."""
    members = archive.unpack(path)
    path.write_bytes(archive.pack(members))
    if archive.unpack(path) != members:
        raise Defect("a bundle that holds something else when it is packed again")
    return members


def opened_bundle(folder: Path) -> Call:
    """A bundle whose head is the input, as it is and with the members and root that it should have."""
    path = folder / "a.assay.tar.zst"

    def opened(head: bytes) -> object:
        path.write_bytes(archive.pack({**MEMBERS, bundle.HEAD: head}))
        return bundle.open_bundle(path)

    def call(data: bytes) -> object:
        with contextlib.suppress(ValueError, TypeError, RecursionError, AssayError):
            return opened(canonical.dumps({**json.loads(data), **LISTED}).encode())
        return opened(data)

    return call


def heads() -> list[bytes]:
    """The head of a bundle, with all its fields."""
    sets = {"petri/core-v0": {"tasks": 1, "sha256": "0" * 64}}
    missing = [{"task_set": "petri/core-v0", "task_id": "t", "attempt": 1, "reason": "broke off"}]
    value = {"version": 1, "agent": "x", "entry": {"kind": "model"}, "sets": sets, "attempts": 2}
    return [canonical.dumps({**value, "assay": "0", "manifest": None, "missing": missing, **LISTED}).encode()]


def _chained(rows: Sequence[dict[str, Any]]) -> bytes:
    """Lines of a ledger with numbers and hashes as they have to be."""
    previous, text = FIRST, ""
    for number, row in enumerate(rows):
        body = {**row, "n": number, "previous": previous}
        line = canonical.dumps({**body, "sha256": canonical.digest(body)})
        previous = hashlib.sha256(line.encode()).hexdigest()
        text += line + "\n"
    return text.encode()


def ledgers() -> list[bytes]:
    """A ledger of two lines."""
    row = {"kind": "key", "date": "2026-03-01", "subject": "Lab X", "by": "host", "reason": ""}
    key = {**row, "facts": {"key": "0" * 64, "public": "AAAA", "role": "rebuilder"}}
    secret = {
        **row,
        "kind": "commit",
        "subject": "petri/core-v1.private",
        "facts": {"set": "petri/core-v1.private", "sha256": "0" * 64},
    }
    return [_chained([key, secret]), _chained([key])]


def read_ledger(path: Path) -> object:
    """A ledger, once as it is and once with its chain made again, as a forger would."""
    data, found = path.read_bytes(), None
    with contextlib.suppress(ValueError, TypeError, RecursionError, AttributeError):
        lines = [json.loads(line) for line in data.splitlines()]
        path.write_bytes(_chained([{k: v for k, v in line.items() if k != "sha256"} for line in lines]))
        with contextlib.suppress(AssayError):
            found = _whole(path)
    path.write_bytes(data)
    return _whole(path) or found


def _whole(path: Path) -> Ledger:
    ledger = Ledger.read(path.parent)
    ledger.write()
    if Ledger.read(path.parent) != ledger:
        raise Defect("a ledger that is another one when it is written again")
    return ledger


def envelopes() -> list[bytes]:
    """An envelope whose signature does not hold."""
    value = {"_type": statements.STATEMENT_TYPE, "subject": [{"name": "x", "digest": {"sha256": "0" * 64}}]}
    payload = base64.b64encode(canonical.dumps(value).encode()).decode()
    public = base64.b64encode(bytes(32)).decode()
    signed = {
        "keyid": statements.key_id(bytes(32)),
        "public": public,
        "sig": base64.b64encode(bytes(64)).decode(),
    }
    envelope = {"payload": payload, "payloadType": statements.PAYLOAD_TYPE, "signatures": [signed]}
    return [json.dumps(envelope).encode(), json.dumps({**envelope, "signatures": []}).encode()]


# ------------------------------------------------------------ trajectories, shared stores


def trajectories() -> list[bytes]:
    """Real recordings as trajectories."""
    found = [recording.parse(data) for data in recordings("petri")[:2]]
    return [json.dumps(atif.to_atif(each, [("system", "a")])).encode() for each in found]


def imported(folder: Path) -> Call:
    """A trajectory, made a recording by `assay export recording`, which can be read and exported again."""
    source, out = folder / "trajectory.json", folder / "x/petri/core-v0/t.0.jsonl"
    config = load(Path("config/test/smoke.yaml"))
    out.parent.mkdir(parents=True)

    def call(data: bytes) -> object:
        source.write_bytes(data)
        out.unlink(missing_ok=True)
        command.FORMATS["recording"](config, argparse.Namespace(source=[str(source)], out=out))
        try:
            found = recording.parse(out.read_bytes())
        except recording.Difference:
            return None  # replaying it says so
        return None if found.end is None else atif.to_atif(found)

    return call


def store_entry(folder: Path) -> Call:
    """The record of a job in a shared store, signed or not; only the true output may come of it."""
    shared = folder / "shared"
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    record, signed = shared / f"jobs/{KEY[:2]}/{KEY[2:]}", shared / f"signatures/{KEY[:2]}/{KEY[2:]}"
    content = shared / f"blobs/{sha256[:2]}/{sha256[2:]}"
    for path in (record, signed, content):
        path.parent.mkdir(parents=True)
    content.write_bytes(CONTENT)
    target = folder / "target"

    def call(data: bytes) -> object:
        record.write_bytes(data)
        taken = None
        for seal in (b"0" * 64, signature(SECRET, KEY, data)):
            signed.write_bytes(seal)
            target.unlink(missing_ok=True)
            taken = Upstream(shared, SECRET).restore(KEY, {"scores": target})
            if taken is not None and (seal == b"0" * 64 or target.read_bytes() != CONTENT):
                raise Defect("a shared store gave what was not signed, or not the content")
            if taken is None and target.exists():
                raise Defect("a refused entry left a file behind")
        return taken

    return call


# ------------------------------------------------------------ daily commands


def _argument(data: bytes) -> str:
    """Bytes as Linux passes an argument: at most 128 KiB without NUL, and as surrogates where not UTF-8."""
    return data.replace(b"\0", b"")[: (128 << 10) - 1].decode("utf-8", "surrogateescape")


def _output() -> io.TextIOWrapper:
    """Standard output as a terminal has it, which refuses what UTF-8 cannot write."""
    return io.TextIOWrapper(io.BytesIO(), "utf-8")


def _project(folder: Path) -> tuple[Path, Path]:
    """A project of the made-up suite with a file of agents of its own; returns both files."""
    small = yaml.safe_load((ROOT / "config/test/small.yaml").read_text(encoding="utf-8"))
    agents, path = folder / "agents.yaml", folder / "config.yaml"
    agents.write_text("agents:\n  one: {kind: model, suites: {}, transport: {kind: recorded}}\n")
    path.write_text(yaml.safe_dump({**small, "agents": str(agents)}))
    return path, agents


def _add(path: Path, name: str, *words: str) -> object:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_agent.add_arguments(parser)
    arguments = [name, "--sets", "madeup/madeup-v0", "--no-request", *words, f"--config={path}"]
    with contextlib.redirect_stdout(_output()):
        try:
            return add_agent.main(parser.parse_args(arguments))
        except (argparse.ArgumentError, SystemExit):  # argparse refuses it, with its usage
            return None


def _checked_add(path: Path, agents: Path, name: str, *words: str) -> object:
    """Add an agent: the file is as before or loads with the entry below all others."""
    before = agents.read_bytes()
    try:
        taken = _add(path, name, *words)
    except BaseException:
        if agents.read_bytes() != before:
            raise Defect("a refused entry changed the file of agents") from None
        raise
    if taken is not None and list(load(path).agents)[-1] != name:
        raise Defect("the entry that was added is not the last")
    return taken


def added_below(folder: Path) -> Call:
    """`assay add-agent` in a project whose file of agents is the input."""
    path, agents = _project(folder)

    def call(data: bytes) -> object:
        agents.write_bytes(data)
        return _checked_add(path, agents, "zz-new", "--recorded")

    return call


def added_words(folder: Path) -> Call:
    """`assay add-agent` with the input's lines as the name and the command of the agent."""
    path, agents = _project(folder)
    first = agents.read_bytes()

    def call(data: bytes) -> object:
        agents.write_bytes(first)
        name, _, words = _argument(data).partition("\n")
        return _checked_add(path, agents, name, f"--command={words}")

    return call


def program(data: bytes) -> object:
    """The program of `assay run`, which is checked before anything is played; none is started."""
    return trials.check(_argument(data))


def made_project(folder: Path) -> Call:
    """`assay init` with the input as the folder's name; what it would copy is one small file."""
    packaged = folder / "assay/packaged"
    packaged.mkdir(parents=True)
    (packaged / "Snakefile").write_text('include: "rules/plan.smk"\n')
    place = folder / "place"

    def call(data: bytes) -> object:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        name = _argument(data).replace("/", "_")
        with contextlib.redirect_stdout(_output()), patch.object(init, "PACKAGED", packaged):
            try:
                return init.main(argparse.Namespace(folder=place / name))
            except OSError as failure:  # `main` of the command line tells it with a remedy
                if failure.errno not in REMEDIES:
                    raise
                return None

    return call


def rows() -> list[Door]:
    """The table's part."""
    names = (
        "my_agent.py",
        "my_agent.py:play",
        "python my_agent.py",
        "'",
        "a.py:",
        "tests/signals.py:BY_SIGNAL",
    )
    record = _sealed({"scores": [hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)]})
    packed = archive.pack({bundle.CARD: b"name: x\n", bundle.HEAD: b"{}"})
    return [
        Door("bundle", "binary", on_file("a.assay.tar.zst", unpacked), some(packed), weight=20),
        Door("bundle.json", "json", opened_bundle, heads, weight=20, broken=(DEEP,)),
        Door(
            "card.yaml",
            "yaml",
            on_bytes(bundle._card),
            some("name: x\nmodel: unknown\n", "name: 1"),
            weight=10,
        ),
        Door("ledger", "lines", on_file(FILE, read_ledger), ledgers, weight=20, broken=(DEEP + b"\n",)),
        Door("signed statement", "json", on_bytes(statements.opened), envelopes, weight=40, broken=(DEEP,)),
        Door("trajectory of ATIF", "json", imported, trajectories, weight=6, broken=(DEEP,)),
        Door("entry of a shared store", "json", store_entry, some(record), weight=10, broken=(DEEP,)),
        Door(
            "add-agent, file of agents",
            "yaml",
            added_below,
            files("config/test/small-agents.yaml"),
            weight=2,
            broken=(b"", b"agents:\n", b"agents: {}\n", b"agents: {}\nx: 1\n", b"agents: &a\n  b: *a\n"),
        ),
        Door("add-agent, words", "text", added_words, some("mine\necho ready", "a: b\n'", "\n"), weight=2),
        Door("assay run, program", "text", on_bytes(program), some(*names), weight=10),
        Door("assay init, folder", "text", made_project, some("project", ".", "", "a" * 300), weight=2),
    ]
