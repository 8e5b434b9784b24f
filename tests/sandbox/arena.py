"""Where attacks are played: a real harness around a small world, and all in reach that is worth attacking.

The world keeps a secret in its memory, its environment, a file and another episode; servers listen at a port,
at an abstract name and at a socket file. After an attack all of it must be as it was before.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import socket
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import assay.episodes.harness
from assay.episode import Event
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import Harness
from assay.episodes.workspace import TemporaryWorkspace
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, refused
from assay.sandbox import Box, Level, Limits, Policy
from assay.sandbox.box import LONGEST
from assay.sandbox.inside.kernel import machine
from assay.sandbox.inside.view import DEVICES
from assay.sandbox.level import Layer
from assay.sandbox.template import Template, warm

FOLDER = Path(__file__).parent / "attacks"
SOURCE = Path(assay.episodes.harness.__file__)
MARK = "assay-attack"
"""Part of the name of all that attacks try to leave behind."""

LIMITS = Limits(
    wall=120.0,  # of a busy machine: these attacks end otherwise, and what loops meets the limit `cpu`
    grace=0.2,
    cpu=15.0,
    calls=200,
    output=1 << 16,
    message=1 << 18,
    traffic=1 << 22,
    memory=1 << 28,
    disk=8 << 20,
    files=200,
    file_size=4 << 20,
    open_files=32,
)
IMPATIENT = replace(LIMITS, wall=0.3, cpu=2.0)
"""For attacks that may end by time."""

WAYS: dict[str, frozenset[Layer]] = {
    "strongest": frozenset(),
    "ordinary user": frozenset({"nobody"}),
    "without Landlock": frozenset({"landlock"}),
    "without namespaces": frozenset({"namespaces"}),
}
"""The ways in which hostile code may be held, by what is left out of this machine's strongest."""

PROBE = """
import json, math, numpy
open("mine.txt", "a").write("x")
[int(numpy.sum([1, 2])), math.sqrt(4), json.dumps([1]), 1 + 1, len("ab"), look(at=3), open("mine.txt").read()]
"""


@dataclass(frozen=True)
class Attack:
    """One attack: what it tries to do, its code, and the endings of which one must be its fate.

    After an `impatient` one the next block ends only by time. A `variant` tries what another one tries by
    another way, or takes its time: it is not played in `make test`.
    """

    name: str
    harm: str
    code: str
    endings: tuple[str, ...]
    machine: str | None = None
    impatient: bool = False
    variant: bool = False


def attacks() -> list[Attack]:
    """The corpus, in order of file and place, without what is for other processors."""
    found = [
        Attack(**{**entry, "endings": tuple(entry["endings"])})
        for path in sorted(FOLDER.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["attack"]
    ]
    return [attack for attack in found if attack.machine in (None, machine())]


def _tool(name: str, properties: dict[str, Any], **more: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return Tool(name, schema, name, **more)


class World:
    """Lets code run in a box, and code look at numbers."""

    def __init__(self, box: Box, secret: str) -> None:
        self.box, self.hidden, self.answered = box, secret, False

    def brief(self) -> Brief:
        tools = (
            _tool("run_code", {"code": {"type": "string"}}, replay="given"),
            _tool("look", {"at": {"type": "integer", "minimum": 0}}, audience="code"),
            _tool("answer", {"text": {"type": "string"}}),
        )
        return Brief("", (), tools, {})

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        if tool == "run_code":
            return Result((door.outside(lambda call: self.box.run(arguments["code"], call).to_json()),))
        if tool == "look":
            return Result((arguments["at"] * 2,)) if arguments["at"] < 1000 else refused("look: at: too far")
        self.answered = True
        return Result(("thank you",), ended="done")

    def submission(self) -> Json:
        return None

    def close(self) -> None:
        self.box.close()


class Arena:
    """The surroundings; `play` runs one attack in them and raises `AssertionError` where it did harm."""

    def __init__(self, way: str, place: Path) -> None:
        self.place = place
        self.policy = Policy(LIMITS, without=WAYS[way])
        self.secret = f"CANARY-{secrets.token_hex(16)}"
        self.in_memory = self.secret.encode()
        self.file = place / "hidden.json"
        self.file.write_text(json.dumps({"truth": self.secret}))
        self.temporary = place / "temporary"
        self.temporary.mkdir()
        self.port = socket.create_server(("127.0.0.1", 0))
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(self.port.getsockname())
        self.abstract = f"{MARK}-{secrets.token_hex(8)}"
        self.servers = [self.port]
        for name in (f"\0{self.abstract}", str(place / "socket")):
            server = socket.socket(socket.AF_UNIX)
            server.bind(name)
            server.listen()
            self.servers.append(server)
        for server in (*self.servers, self.datagrams):
            server.setblocking(False)
        template = self.template
        self.neighbour = Box(self.policy, names=["look"])
        self.neighbour.run(f"secret = {self.secret!r}; open('secret', 'w').write(secret)")
        assert self.neighbour.level is not None
        self.level: Level = self.neighbour.level
        self.laid_hands_on = 0
        self.prelude = (FOLDER / "prelude.py").read_text(encoding="utf-8")
        self.prelude += f"TARGET = {self._targets(template)!r}\n"
        self.before = self._state()

    @property
    def template(self) -> Template:
        return warm(self.policy.distributions, self.policy.preload)

    def _targets(self, template: Template) -> dict[str, Any]:
        return {
            "parent": os.getpid(),
            "address": id(self.in_memory) + ctypes.sizeof(ctypes.c_void_p) * 4,
            "secret": str(self.file),
            "scoring": str(SOURCE),
            "checkout": str(SOURCE.parents[2]),
            "libraries": [*template.libraries.readable, *template.libraries.folders],
            "temporary": str(self.temporary),
            "port": self.port.getsockname()[1],
            "abstract": self.abstract,
            "socket": str(self.place / "socket"),
            "level": self.level,
        }

    def box(self, attack: Attack) -> Box:
        """A box as this attack meets it."""
        policy = replace(self.policy, limits=IMPATIENT) if "timeout" in attack.endings else self.policy
        return Box(policy, names=["look"], prelude=self.prelude)

    def play(self, attack: Attack, fresh: bool = True) -> str:
        """Play one attack, look at what it did, and return how it ended.

        With `fresh` a box that is opened afterwards is looked at as well.
        """
        box = self.box(attack)
        world = World(box, self.secret)
        events: list[Event] = []
        blobs = MemoryBlobs()
        materials = Materials(blobs, mock.Mock())
        with TemporaryWorkspace() as workspace:
            harness = Harness(world, world.brief(), materials, workspace, events.append)
            harness.call("run_code", {"code": attack.code})
            began = time.process_time()
            files = box.files()
            assert time.process_time() - began < 1, "reading what the attack left takes long"
            survived = box._channel is not None
            if attack.impatient:
                box.limits = IMPATIENT
            if survived:
                harness.call("run_code", {"code": "'the next block'"})
            world.close()
        outcomes = [event for event in events if event.kind == "outside"]
        record: Any = outcomes[0].parts[0]
        # It is logged, with a clear ending.
        assert outcomes[0].ok and record["status"] in attack.endings, record
        assert (record["error"] is None) == (record["status"] == "ok"), record
        assert record["alive"] == survived, record
        # It did not do what it tried.
        assert "HARM" not in record["stdout"] + record["stderr"], record["stdout"][:2000]
        told = json.dumps([event.to_json() for event in events])
        assert self.secret not in told + repr(files) + repr(blobs._kept), "a secret has leaked"
        assert not world.answered and harness.status is None, harness.status
        assert len(record["stdout"]) + len(record["stderr"]) <= LIMITS.output
        assert len(record["error"] or "") <= LONGEST
        assert sum(map(len, files.values())) <= LIMITS.disk
        # All around is as before.
        self._as_before()
        self._neighbour_lives()
        if fresh:
            self.check_fresh_box()
        return str(record["status"])

    def _state(self) -> dict[str, Any]:
        library = Path(json.__file__)
        return {
            "hidden": (self.file.read_bytes(), self.file.stat().st_mode, self.file.stat().st_mtime_ns),
            "devices": [(Path(path).stat().st_mode, Path(path).stat().st_atime_ns) for path in DEVICES],
            "library": (library.read_bytes(), library.stat().st_mode, library.stat().st_mtime_ns),
            "compiled": Path(json.__cached__).stat().st_mtime_ns if Path(json.__cached__).exists() else 0,
            "descriptors": len(list(Path("/proc/self/fd").iterdir())),
            "processes": sorted(descendants(self.template.process.pid)),
            "temporary": sorted(self.temporary.iterdir()),
            "left": [
                f"{place}/{name}"
                for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", SOURCE.parents[2], self.place)
                for name in os.listdir(place)  # noqa: PTH208 - after each attack, and large ones
                if MARK in name
            ],
        }

    def _as_before(self) -> None:
        deadline = time.monotonic() + 30
        while (now := self._state()) != self.before and time.monotonic() < deadline:
            time.sleep(0.01)  # a process that was killed takes a moment to go
        changed = {name: (self.before[name], now[name]) for name in now if now[name] != self.before[name]}
        assert not changed, changed
        for server in self.servers:
            assert _quiet(server.accept), "a server was reached"
        assert _quiet(lambda: self.datagrams.recv(100)), "a datagram came"

    def _neighbour_lives(self) -> None:
        self.laid_hands_on += 1
        _check_probe(self.neighbour, self.laid_hands_on)
        assert self.neighbour.files()["secret"] == self.secret.encode()

    def check_fresh_box(self) -> None:
        """Open a box and see that its libraries and tools are whole."""
        with Box(self.policy, names=["look"]) as fresh:
            _check_probe(fresh, 1)

    def close(self) -> None:
        self.neighbour.close()
        for server in (*self.servers, self.datagrams):
            server.close()


@contextmanager
def arena(way: str, place: Path) -> Iterator[Arena]:
    """The surroundings of attacks; boxes that need a folder on disk get it below `place`."""
    opened = Arena(way, place)
    with (
        mock.patch.dict(os.environ, {"SECRET": opened.secret}),
        mock.patch.object(tempfile, "tempdir", str(opened.temporary)),
    ):
        try:
            yield opened
        finally:
            opened.close()


def play_all(way: str, place: Path, names: Sequence[str]) -> list[str]:
    """Play these attacks in this order; what went wrong, by name."""
    corpus = {attack.name: attack for attack in attacks()}
    failed = []
    place.mkdir()
    with arena(way, place) as opened:
        for name in names:
            try:
                opened.play(corpus[name])
            except AssertionError as problem:
                failed.append(f"{name}: {str(problem)[:500]}")
    return failed


def descendants(pid: int) -> Iterator[int]:
    """Processes below one, as far as they live."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in map(int, children):
        yield child
        yield from descendants(child)


def _check_probe(box: Box, times: int) -> None:
    outcome = box.run(PROBE, lambda tool, arguments: Result((6,)))
    expected = [3, 2.0, "[1]", 2, 2, 6, "x" * times]
    assert outcome.value == expected, replace(outcome, value=outcome.value)


def _quiet(receive: Any) -> bool:
    try:
        receive()
    except BlockingIOError:
        return True
    return False
