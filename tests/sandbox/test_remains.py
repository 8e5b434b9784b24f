"""What is left when boxes end, and when those end who watch over them: nothing."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import pytest
from tests.sandbox.arena import descendants

from assay.sandbox import Box, Limits, Policy
from assay.sandbox.inside.template import EXPENDABLE
from assay.sandbox.template import warm

BOXES = 30
PLAIN = Policy(distributions=(), preload=())


def gone(pids: list[int], patience: float = 30) -> bool:
    """Whether these processes end within some seconds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if not any(_lives(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["full", "reduced"])
def test_boxes_leave_nothing(tmp_path: Path, without: frozenset[str]) -> None:
    policy = Policy(distributions=(), preload=(), without=without)  # type: ignore[arg-type]
    with mock.patch.object(tempfile, "tempdir", str(tmp_path)):
        with Box(policy) as box:
            box.run("1")
        template = warm((), ())
        gc.collect()
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(BOXES):
            with Box(policy) as box:
                assert box.run("open('x', 'w').write('1')").status == "ok"
        assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    assert gone(list(descendants(template.process.pid)))
    assert list(tmp_path.iterdir()) == []


def test_a_box_goes_when_its_template_does() -> None:
    policy = Policy(distributions=(), preload=("colorsys",))
    with Box(policy) as box:
        box.run("1")
        template = warm(policy.distributions, policy.preload)
        left = list(descendants(template.process.pid))
        template.close()
        assert len(left) == 2 and gone([template.process.pid, *left])


def test_boxes_go_before_the_world_where_memory_runs_short() -> None:
    with Box(PLAIN) as box:
        box.run("1")
        template = warm(PLAIN.distributions, PLAIN.preload).process.pid
        for pid in (template, *descendants(template)):
            assert int(Path(f"/proc/{pid}/oom_score_adj").read_text()) >= EXPENDABLE


def test_a_box_that_is_idle_stands_still() -> None:
    """Timers and whatever else a block has left do not run between blocks."""
    code = """
import signal
ticks = 0
def tick(number, frame):
    global ticks
    ticks += 1
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
"""
    with Box(PLAIN) as box:
        box.run(code)
        time.sleep(0.5)
        assert box.run("ticks").value <= 2


def test_a_forged_ending_does_not_buy_time() -> None:
    forged = """
import os
message = b'["done",{"error":null,"status":"ok","value":null}]'
os.write(3, len(message).to_bytes(4, "big") + message)
while True:
    pass
"""
    with Box(Policy(Limits(wall=1, grace=0.1), distributions=(), preload=())) as box:
        assert box.run(forged).status == "ok"
        template = warm((), ())
        busy = max(descendants(template.process.pid))
        before = _ticks(busy)
        time.sleep(0.3)
        assert _ticks(busy) <= before + 1  # hundredths of a second
        assert box.run("1").status in ("timeout", "protocol")
        assert box.run("1").value == 1


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


PARENT = """
import sys
from assay.sandbox import Box, Policy
from assay.sandbox.template import warm
def call(tool, arguments):
    print("called", flush=True)
    sys.stdin.read()
Box(Policy(distributions=(), preload=(), without=frozenset(sys.argv[2:]))).run(sys.argv[1], call)
"""


@pytest.mark.parametrize("without", [(), ("namespaces",)], ids=["full", "reduced"])
@pytest.mark.parametrize(
    "code", ["call('x')", "call('x')\nwhile True: pass"], ids=["waiting", "about to run"]
)
def test_a_killed_parent_takes_all_along(code: str, without: tuple[str, ...], tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, code, *without],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)},
    )
    assert parent.stdout is not None and parent.stdout.readline() == b"called\n"
    left = list(descendants(parent.pid))
    assert len(left) == 3  # the template, a keeper, a box
    assert bool(list(tmp_path.glob("assay-box-*"))) == bool(without)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    assert gone(left)
    assert list(tmp_path.iterdir()) == []
