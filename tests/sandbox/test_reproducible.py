"""The same block prints the same, whenever and wherever it is run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from tests.signals import ignored

from assay.sandbox import Box, Policy

CHANCE = """
import os, random, secrets, tempfile, uuid
import numpy as np
print(random.random(), random.Random().random(), random.SystemRandom().random())
print(np.random.rand(), np.random.default_rng().random(), np.random.RandomState().rand())
print(uuid.uuid4(), secrets.token_hex(4), os.urandom(4).hex(), random.randbytes(3).hex())
print(hash("text"), sorted({"b", "a", "c"}) == list({"a", "b", "c"}), [x for x in {"x", "y", "z", "u"}])
print(tempfile.mktemp(), object(), id(CHANCE) if "CHANCE" in globals() else id(os))
"""
CLOCKS = """
import datetime, time
print(time.time(), time.time_ns(), time.monotonic(), time.perf_counter_ns(), time.process_time())
print(datetime.datetime.now(), datetime.date.today(), datetime.datetime.now(datetime.UTC))
print(time.strftime("%Y-%m-%d"), time.localtime().tm_year, time.gmtime(0).tm_year, time.ctime(0))
"""
SIGNALS = """
import signal
print([signal.getsignal(name) for name in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)])
"""


def printed(code: str, **options: Any) -> str:
    with Box(**options) as box:
        outcome = box.run(code)
    assert outcome.status == "ok", outcome
    return outcome.stdout


@pytest.mark.parametrize("code", [CHANCE, CLOCKS], ids=["chance", "clocks"])
def test_boxes_agree(code: str) -> None:
    assert printed(code, seed=5) == printed(code, seed=5)
    assert printed(code, seed=5) == printed(code, seed=5, policy=Policy(without=frozenset({"nobody"})))


def test_another_process_agrees() -> None:
    """Another run of everything, with other hash seeds, time zone, locale and ignored signals around it."""
    program = (
        "import sys\nfrom assay.sandbox import Box\nwith Box(seed=5) as box:\n"
        "    sys.stdout.write(box.run(sys.stdin.read()).stdout)"
    )
    runs = []
    path = os.pathsep.join(sys.path)
    for seed, zone, ignore in (
        ("1", "Asia/Tokyo", ()),
        ("77", "America/Lima", (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)),
    ):
        with ignored(*ignore):
            run = subprocess.run(
                [sys.executable, "-c", program],
                input=CHANCE + CLOCKS + SIGNALS,
                env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C", "PYTHONPATH": path},
                capture_output=True,
                text=True,
                check=True,
            )
        runs.append(run.stdout)
    assert runs[0] == runs[1] == printed(CHANCE + CLOCKS + SIGNALS, seed=5)


def test_seeds_and_blocks_differ() -> None:
    assert printed(CHANCE, seed=5) != printed(CHANCE, seed=6)
    with Box(seed=5) as box:
        assert box.run("import random; random.random()") != box.run("import random; random.random()")


def test_a_block_does_not_depend_on_the_draws_before_it() -> None:
    with Box(seed=5) as one, Box(seed=5) as other:
        one.run("import random; random.random()")
        other.run("import random; [random.random() for _ in range(9)]")
        code = "import random; random.random()"
        assert one.run(code).value == other.run(code).value


def test_a_block_does_not_depend_on_an_interpreter_that_was_lost() -> None:
    with Box(seed=5) as one, Box(seed=5) as other:
        one.run("x = 1")
        other.run("import os; os._exit(1)")
        code = "import random, time; [random.random(), time.time()]"
        assert one.run(code).value == other.run(code).value


def test_the_date_is_simulated() -> None:
    text = printed(CLOCKS, date=86400.0 * 365)
    assert text.splitlines()[1:] == [
        "1971-01-01 00:00:00.006000 1971-01-01 1971-01-01 00:00:00.008000+00:00",
        "1971-01-01 1971 1970 Thu Jan  1 00:00:00 1970",
    ]


def test_looking_at_the_clock_moves_it() -> None:
    code = """
import time
began = time.monotonic()
looks = 0
while time.monotonic() < began + 5:
    looks += 1
looks
"""
    with Box() as box:
        assert box.run(code).value == 4999


def test_sleeping_takes_no_time() -> None:
    with Box() as box:
        outcome = box.run("import time\na = time.time()\ntime.sleep(3600)\nround(time.time() - a)")
        assert outcome.value == 3600
        assert outcome.usage.wall < 5
        assert "ValueError" in (box.run("import time\ntime.sleep(-1)").error or "")


def test_compiled_packages_see_the_simulated_date() -> None:
    policy = Policy(distributions=("pandas",), preload=())
    with Box(policy, date=0.0) as box:
        assert box.run("import pandas\npandas.Timestamp.now().year").value == 1970


def test_dates_remain_dates() -> None:
    code = """
import copy, datetime, pickle
now = datetime.datetime.now()
assert isinstance(now, datetime.datetime) and isinstance(now, datetime.date)
assert pickle.loads(pickle.dumps(now)) == copy.deepcopy(now) == now
assert type(now - datetime.timedelta(1)) is datetime.datetime is type(now)
class Own(datetime.datetime):
    pass
assert type(Own.now()) is Own and type(Own.today()) is Own
"""
    with Box() as box:
        outcome = box.run(code)
        assert (outcome.status, outcome.error) == ("ok", None)
