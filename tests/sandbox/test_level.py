"""Which walls a machine offers, what they add up to, and whom they let in."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import sandbox as sandbox_command
from assay.errors import SandboxError
from assay.sandbox import Box, Limits, Policy
from assay.sandbox.level import Layer, Offer
from assay.sandbox.template import warm

SOURCE = str(Path(assay.__file__).parent.parent)
ALL: dict[str, str | None] = {"nobody": None, "user": None, "landlock": None, "seccomp": None}
NOT = "OSError: not permitted"


@pytest.mark.parametrize(
    ("failed", "abi", "namespaces", "level"),
    [
        ({}, 7, "nobody", "full"),
        ({"nobody": NOT}, 7, "user", "full"),
        ({"landlock": NOT}, 0, "nobody", "full"),
        ({"nobody": NOT, "user": NOT}, 7, "", "reduced"),
        ({"nobody": NOT, "user": NOT}, 3, "", "reduced"),
        ({"nobody": NOT, "user": NOT}, 2, "", "none"),
        ({"nobody": NOT, "user": NOT, "landlock": NOT}, 0, "", "none"),
        ({"seccomp": NOT}, 7, "nobody", "none"),
    ],
)
def test_what_layers_add_up_to(failed: dict[str, str | None], abi: int, namespaces: str, level: str) -> None:
    offer = Offer(abi, ALL | failed)
    walls = offer.walls()
    assert (walls.namespaces, offer.level(walls)) == (namespaces, level)


def test_hostile_code_is_refused_below_the_minimum() -> None:
    offer = Offer(0, ALL | {"nobody": NOT, "user": "OSError: user namespaces are off", "landlock": NOT})
    with pytest.raises(SandboxError, match=re.compile("the level reduced.*user namespaces are off")):
        offer.demand(offer.walls(), "reduced")
    offer.demand(offer.walls(), "none")


def test_a_box_is_not_opened_below_its_minimum() -> None:
    everything: frozenset[Layer] = frozenset({"namespaces", "landlock", "seccomp"})
    with pytest.raises(SandboxError, match="switched off"):
        Box(Policy(without=everything)).run("1")
    with pytest.raises(SandboxError, match="of the level full"):
        Box(Policy(without=frozenset({"namespaces"}), minimum="full")).run("1")
    with Box(Policy(without=everything, minimum="none")) as box:
        assert box.run("1 + 1").value == 2
        assert box.level == "none"


class TestBelowTheMinimum:
    """Without walls, for code that is trusted: limits hold, and nothing is left behind."""

    policy = Policy(
        Limits(wall=20, grace=0.1, disk=1 << 20, files=50),
        minimum="none",
        without=frozenset({"namespaces", "landlock", "seccomp"}),
    )

    @pytest.mark.parametrize(
        ("code", "status"),
        [
            ("while True: pass", "timeout"),
            ("bytearray(1 << 40)", "memory"),
            ("while True: print('x' * 1000)", "output"),
            ("for n in range(10000): open(str(n), 'w').close()\nwhile True: pass", "disk"),
            ("import os; os._exit(0)", "killed"),
        ],
    )
    def test_limits(self, code: str, status: str) -> None:
        wall = 0.3 if status == "timeout" else 20
        with Box(replace(self.policy, limits=replace(self.policy.limits, wall=wall))) as box:
            assert box.run(code).status == status

    def test_processes_that_it_starts_go_with_it(self, tmp_path: Path) -> None:
        note = tmp_path / "pids"
        code = f"""
import os, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open({str(note)!r}, "a") as file:
                file.write(f"{{os.getpid()}} ")
            while True:
                signal.pause()
        os._exit(0)
    os.wait()
"""
        with Box(self.policy) as box:
            assert box.run(code).status == "ok"
            while len(started := [int(pid) for pid in note.read_text().split()]) < 3:
                pass
        assert len(started) == 3
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{pid}").exists() for pid in started):
            assert time.monotonic() < deadline
            time.sleep(0.02)


class TestCheck:
    def test_it_reports_what_holds(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = _parsed(["--json"])
        code = sandbox_command.main(arguments)
        found = json.loads(capsys.readouterr().out)
        assert found["level"] in ("none", "reduced", "full")
        assert found["fit_for_hostile_code"] is (code == 0) is (found["level"] != "none")
        assert set(found["attempts"]) == {attempt.name for attempt in sandbox_command.ATTEMPTS}
        if found["level"] == "full":
            assert set(found["attempts"].values()) == {"failed"}

    def test_it_can_be_read(self, capsys: pytest.CaptureFixture[str]) -> None:
        sandbox_command.main(_parsed(["--check"]))
        text = capsys.readouterr().out
        assert text.startswith("level: ")
        assert "open a network socket" in text and "seccomp" in text

    def test_without_walls_the_attempts_succeed(self) -> None:
        """Otherwise it would report holes that are stopped up by mistakes in the attempts."""
        open_policy = Policy(
            Limits(wall=1, cpu=2, memory=1 << 30, disk=1 << 28, file_size=1 << 28),
            distributions=(),
            preload=(),
            minimum="none",
            without=frozenset({"namespaces", "landlock", "seccomp"}),
        )
        tried = dict(sandbox_command.attempts(open_policy))
        stopped = {name for name, got_in in tried.items() if not got_in}
        assert stopped <= {
            "run for ever",  # limits hold everywhere
            "take more memory than it may",
            "send a signal to its parent",  # an ordinary user has no right to these
            "become root of a new namespace",
        }
        Path("/var/tmp/assay-sandbox").unlink(missing_ok=True)


def _parsed(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser()
    sandbox_command.add_arguments(parser)
    return parser.parse_args(arguments)


HELD = """
import os, sys
from assay.sandbox import Box, Policy
for without in ((), ("namespaces",)):
    with Box(Policy(distributions=(), preload=(), without=frozenset(without))) as box:
        outcome = box.run(
            "import os\\ncontents = []\\n"
            f"for place in {sys.argv[1:]!r}:\\n"
            "    try: contents += os.listdir(place)\\n"
            "    except OSError: pass\\n"
            "open('mine', 'w').write('x')\\n[contents, open('mine').read(), os.getuid() == 0]"
        )
        print(box.level, outcome.value, sep="|")
"""


def held(python: str, *places: str, **options: Any) -> list[str]:
    """What a box of another interpreter or user sees of these places."""
    environment = {"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [python, "-c", HELD, *places], env=environment, capture_output=True, text=True, cwd="/", **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_packages_in_the_standard_library_are_hidden() -> None:
    """An interpreter without an environment of its own keeps all that is installed below its library."""
    base = Path(sys.executable).resolve()
    packages = Path(os.__file__).resolve().parent / "site-packages"
    if not packages.is_dir() or not list(packages.iterdir()):
        pytest.skip("this interpreter keeps packages elsewhere")
    full, reduced = held(str(base), str(packages))
    assert full.startswith("full|[[], 'x', False")
    assert reduced.startswith("reduced|[[], 'x', ")


def test_an_ordinary_user_is_held_as_well() -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests are run by an ordinary user: all of them show it")
    nobody: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []}
    for python in ("/usr/bin/python3", "/usr/local/bin/python3"):
        script = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))"
        try:
            fit = subprocess.run([python, "-c", script], capture_output=True, **nobody).returncode == 0
        except OSError:
            continue
        if fit and subprocess.run(["test", "-r", SOURCE], **nobody).returncode == 0:
            assert held(python, "/etc", "/", **nobody)[1:] == ["reduced|[[], 'x', False]"]
            assert held(python, "/etc", **nobody)[0] == "full|[[], 'x', False]"
            return
    pytest.skip("no interpreter here is open to the user nobody")


def test_this_machine_says_why_a_layer_is_missing() -> None:
    offer = warm((), ()).offer
    assert set(offer.failed) == set(ALL)
    assert all(why is None or ":" in why for why in offer.failed.values())
    if offer.failed["landlock"] is None:
        assert offer.abi >= 1
