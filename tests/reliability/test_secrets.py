"""Keys and secrets reach no log, recording, report, process list or child that needs none."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.agents.server import completion
from tests.reliability.canaries import MARK, Processes, canary, forms, leaks, leaks_below
from tests.workflow.checkout import Checkout

NAMES = ("FAR_KEY", "PLAIN_API_KEY", "PASSED_ON")
SECRETS: Mapping[str, str] = {name: canary(name) for name in (*NAMES, "secret file")}


class Provider:
    """A server that answers as a bad provider may: it repeats what it was sent, key and all."""

    def __init__(self, mode: str, elsewhere: str = "") -> None:
        self.keys: list[str] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                key = self.headers.get("Authorization", "")
                provider.keys.append(key)
                status, data, headers = _answer(mode, body.decode(), key, elsewhere)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Provider:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _answer(mode: str, body: str, key: str, elsewhere: str) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers of an answer; the key stands in what a client may print or keep."""
    said = f"the key {key} is wrong; you sent {body} with Authorization: {key}"
    error = json.dumps({"error": {"message": said, "type": key, "code": key, "param": key}}).encode()
    headers = {"Content-Type": "application/json", "X-Request-Id": key, "WWW-Authenticate": key}
    match mode:
        case "401" | "400" | "429" | "500":
            return int(mode), error, headers
        case "redirect":
            return 307, b"", {"Location": elsewhere + "/chat/completions", "X-Key": key}
        case "not JSON":
            return 200, f"<html>{said}</html>".encode(), {"Content-Type": "text/html"}
        case "silence":
            threading.Event().wait(4)
            return 200, error, headers
        case "names the key":
            # Inside what a model says nobody can tell a secret from a word: only headers and usage hold it.
            return 200, completion("I look.", "stop"), {**headers, "Content-Type": "application/json"}
    raise AssertionError(mode)


AGENTS = """\
agents:
  exact: {kind: solver, suites: {madeup: [madeup-v0]}}
  player:
    kind: model
    suites: {madeup: [madeup-v0]}
    transport: {kind: fake, script: "tests.agents.scripts:urn"}
    access: {key: FAR_KEY, retries: 0}
  program:
    kind: model
    suites: {madeup: [madeup-v0]}
    transport: {kind: command, command: [PYTHON, -c, PROGRAM]}
    access: {pass_on: [PASSED_ON], retries: 0, timeout: 20}
    limits: {turns: 2}
  far:
    kind: model
    suites: {madeup: [madeup-v0]}
    transport: {kind: provider, model: openai/gpt-fake}
    access: {key: FAR_KEY, address: FAR_ADDRESS, retries: 0, timeout: 120}
    limits: {turns: 2}
  hasty:
    kind: model
    suites: {madeup: [madeup-v0]}
    transport: {kind: provider, model: openai/gpt-fake}
    access: {key: FAR_KEY, address: FAR_ADDRESS, retries: 0, timeout: 2}
    limits: {turns: 2}
"""

PROGRAM = "import os, sys; assert os.environ['PASSED_ON'] and 'FAR_KEY' not in os.environ; print('hello')"


class Guarded:
    """A checkout with planted secrets, a home and a folder for temporary files of its own."""

    def __init__(self, root: Path) -> None:
        self.checkout = Checkout.fresh(root / "checkout")
        self.root = root
        python = str(Path(sys.base_prefix) / "bin/python3")
        agents = AGENTS.replace("PYTHON", json.dumps(python)).replace("PROGRAM", json.dumps(PROGRAM))
        (self.checkout.root / "config/test/small-agents.yaml").write_text(agents)
        for name in ("home", "tmp"):
            (root / name).mkdir()
        self.file = root / "home/assay-secret"
        self.file.write_text(SECRETS["secret file"])
        self.environment = {
            "HOME": str(root / "home"),
            "TMPDIR": str(root / "tmp"),
            "ASSAY_SECRET_FILE": str(self.file),
            "OPENAI_LOG": "debug",  # the client of a provider at its most talkative
            "INSPECT_LOG_LEVEL": "debug",
            MARK: str(root),
            **{name: SECRETS[name] for name in NAMES},
        }
        self.watch = Processes(SECRETS, str(root))
        self._before = {path: path.lstat() for path in root.rglob("*")}

    def assay(self, *words: str, code: int | None = 0, **more: str) -> str:
        """What `assay ...` says; nothing of it, of its files and of its processes may show a secret."""
        with self.watch:
            run = self.checkout.assay(*words, **self.environment, **more)
        assert code is None or run.code == code, run.output
        self.check(run.output, " ".join(words[:3]))
        return run.output

    def check(self, output: str, what: str) -> None:
        """No secret in what was printed, in any file, or in a command line."""
        assert self.watch.looks, "nobody has looked"
        assert not list(leaks(output.encode(), SECRETS)), f"{what} prints a secret"
        unchanged = {p for p, was in self._before.items() if p.exists() and _same(p, was)}
        spare = frozenset({self.file, *unchanged})
        assert not leaks_below(self.root, SECRETS, spare), f"{what} writes a secret"
        assert not self.watch.shown, f"{what} shows a secret in the list of processes"


def _same(path: Path, was: os.stat_result) -> bool:
    now = path.lstat()
    return (now.st_mtime_ns, now.st_size, now.st_ino) == (was.st_mtime_ns, was.st_size, was.st_ino)


CONFIG = ("--config", "config/test/small.yaml")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    yield Guarded(tmp_path_factory.mktemp("guarded"))


def test_what_is_looked_for_is_found(tmp_path: Path) -> None:
    """Each form of a secret, in the content of a file, in its name, in a command line."""
    for name, text in forms(SECRETS["FAR_KEY"]).items():
        file = tmp_path / "a" / name.replace(" ", "-")
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"before " + text + b" after")
        assert any("FAR_KEY" in leak for leak in leaks(file.read_bytes(), SECRETS)), name
    assert len(leaks_below(tmp_path, SECRETS)) >= len(forms(SECRETS["FAR_KEY"]))
    assert not list(leaks(canary("another").encode(), SECRETS))


def test_a_model_is_recorded_with_its_key_nowhere(guarded: Guarded) -> None:
    """And who has it in the environment is who was started with it, and the program it is passed on to."""
    guarded.assay("record", "player", "--tasks", "1", *CONFIG)
    guarded.assay("record", "program", "--tasks", "1", *CONFIG)
    for holder in guarded.watch.holders:
        program, _, leak = holder.partition(": ")
        recorder = " -m assay " in f"{program} "
        passed_on = leak.startswith("PASSED_ON") and not recorder
        assert recorder or passed_on, f"{holder}: it needs no key"


@pytest.mark.full
def test_what_is_played_replayed_and_shown_holds_no_secret(guarded: Guarded) -> None:
    guarded.assay("record", "player", "--tasks", "1", *CONFIG)
    task = "madeup-v0/0"
    guarded.assay("play", "madeup", task, "--agent", "exact", *CONFIG)
    guarded.assay("replay", "recordings/player/madeup/madeup-v0/urn-0000.0.jsonl", *CONFIG, code=None)
    guarded.assay("show", "madeup", "madeup-v0", "0", "exact", *CONFIG)


@pytest.mark.full
def test_a_private_set_does_not_tell_its_secret(guarded: Guarded) -> None:
    guarded.assay("tasks", "madeup", "madeup-many.private", *CONFIG)
    assert list(guarded.checkout.root.glob("private/**/*.json"))


@pytest.mark.full
def test_no_job_of_a_build_has_a_key(guarded: Guarded) -> None:
    """Neither in its environment nor on its command line, its log, its tables or its pages."""
    watch = guarded.watch = Processes(SECRETS, str(guarded.root))
    with watch:
        run = guarded.checkout.do(*guarded.checkout.build_command(), **guarded.environment)
    assert run.code == 0, run.output
    guarded.check(run.output, "workflow/run")
    assert any("workflow/scripts" in program for program in watch.seen)
    # The script that starts the build was given the keys, and hands them on to nobody.
    allowed = {holder for holder in watch.holders if "workflow/run" in holder}
    assert watch.holders == allowed, watch.holders - allowed


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "mode", ["401", "400", "429", "500", "not JSON", "silence", "names the key", "redirect"]
)
def test_a_provider_that_repeats_the_key_is_not_repeated(mode: str, guarded: Guarded) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `models`: make setup EXTRAS=models")
    with Provider("names the key") as elsewhere, Provider(mode, elsewhere.address) as provider:
        said = guarded.assay(
            *("record", "hasty" if mode == "silence" else "far", "--tasks", "1", *CONFIG),
            code=None,
            FAR_ADDRESS=provider.address,
        )
    assert mode == "silence" or any(SECRETS["FAR_KEY"] in key for key in provider.keys), (
        f"the key was never used: {said}"
    )
    assert not any(SECRETS["FAR_KEY"] in key for key in elsewhere.keys), "a redirect has taken the key along"
    guarded.checkout.remove("recordings")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_an_address_with_a_password_is_not_repeated(guarded: Guarded) -> None:
    """Where nobody answers, what failed is told, and not where."""
    pytest.importorskip("inspect_ai", reason="needs the extra `models`: make setup EXTRAS=models")
    for address in ("http://user:{}@127.0.0.1:1/v1", "http://127.0.0.1:1/v1?key={}", "no-address://{}"):
        where = address.format(SECRETS["PLAIN_API_KEY"].replace("/", "."))
        guarded.assay("record", "far", "--tasks", "1", *CONFIG, code=None, FAR_ADDRESS=where)
        guarded.checkout.remove("recordings")
