"""What a box costs: opening it, calling a tool, running a block; and what a thousand boxes leave behind."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.sandbox.arena import descendants

from assay.protocol import Json, Result
from assay.sandbox import Box, Policy
from assay.sandbox.template import Template, warm

START = 0.150
"""Seconds that a box with numpy may take until its first block has run."""

ROUND_TRIP = 200e-6
"""Seconds of one call of a tool."""

CALLS = 1000
BLOCKS = 1000
SLACK = 8 << 20
"""Bytes by which the parent may have grown after that many blocks: less than what one of them would keep."""

WAYS = {"full": frozenset[Any](), "reduced": frozenset({"namespaces"})}


def tool(name: str, arguments: Json) -> Result:
    return Result(({"month": 3},))


@pytest.fixture(params=sorted(WAYS))
def policy(request: pytest.FixtureRequest) -> Policy:
    return Policy(without=WAYS[request.param])


@pytest.fixture
def box(policy: Policy) -> Iterator[Box]:
    with Box(policy, names=["look"]) as opened:
        opened.run("1")
        yield opened


def test_template(benchmark: Any) -> None:
    """Once in a process: a new interpreter that imports numpy and finds out what the machine offers."""

    def start() -> None:
        Template(("numpy",), ("numpy",)).close()

    benchmark.pedantic(start, rounds=5)


def test_start(benchmark: Any, policy: Policy) -> None:
    """A box from the warm template, to the end of its first block; numpy is imported."""
    warm(policy.distributions, policy.preload)

    def start() -> None:
        with Box(policy) as box:
            assert box.run("import numpy; int(numpy.arange(3).sum())").value == 3

    benchmark.pedantic(start, rounds=50, warmup_rounds=2)
    assert benchmark.stats.stats.median <= START


def test_next_block(benchmark: Any, box: Box) -> None:
    benchmark.pedantic(box.run, ("x = 1",), rounds=200, warmup_rounds=5)


def test_round_trip(benchmark: Any, box: Box) -> None:
    """One call of a tool and its answer; a round is a block with a thousand of them."""
    code = f"for _ in range({CALLS}): look(at=3)"

    def call() -> None:
        assert box.run(code, tool).calls == {"look": CALLS}

    benchmark.pedantic(call, rounds=10, warmup_rounds=1)
    benchmark.extra_info["microseconds_a_call"] = round(benchmark.stats.stats.median / CALLS * 1e6, 1)
    assert benchmark.stats.stats.median / CALLS <= ROUND_TRIP


def test_printing(benchmark: Any, box: Box) -> None:
    """Ten thousand lines."""
    benchmark.pedantic(box.run, ("for n in range(10_000): print('a line of text', n)",), rounds=10)


def test_a_thousand_blocks_leave_nothing(benchmark: Any, policy: Policy, tmp_path: Path) -> None:
    """Each in a box of its own, with a file, an import and memory; then everything is as before."""

    def some(n: int) -> None:
        for _ in range(n):
            with Box(policy) as box:
                assert box.run("open('x', 'w').write('1'); len(bytearray(1 << 20))").value == 1 << 20

    with mock.patch.object(tempfile, "tempdir", str(tmp_path)):
        some(20)
        template = warm(policy.distributions, policy.preload).process.pid
        before = _present(template)
        benchmark.pedantic(some, (BLOCKS,), rounds=1)
        deadline = time.monotonic() + 10
        while (after := _present(template))["processes"] > before[
            "processes"
        ] and time.monotonic() < deadline:
            time.sleep(0.01)
    benchmark.extra_info.update({"before": before, "after": after})
    assert after["processes"] == 0
    assert after["descriptors"] == before["descriptors"]
    assert after["mounts"] == before["mounts"]
    assert list(tmp_path.iterdir()) == []
    assert after["parent"] - before["parent"] <= SLACK
    assert after["template"] - before["template"] <= SLACK


def _present(template: int) -> dict[str, int]:
    """Processes below the template, open files of ours, mounts, and bytes in memory of both."""
    gc.collect()
    return {
        "processes": len(list(descendants(template))),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "mounts": len(Path("/proc/self/mounts").read_text().splitlines()),
        "parent": _resident(os.getpid()),
        "template": _resident(template),
    }


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
