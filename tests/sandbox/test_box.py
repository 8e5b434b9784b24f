"""A box as a suite uses it: blocks, tools, files, limits, and what is told about each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from assay.errors import ConfigError, PlatformError, SandboxError
from assay.protocol import BlobRef, Json, Result, refused
from assay.sandbox import Box, Limits, Policy
from assay.sandbox.template import warm

SMALL = Limits(wall=10, cpu=10, memory=1 << 28, disk=1 << 20, files=20, file_size=1 << 19, output=2000)


@pytest.fixture
def box() -> Iterator[Box]:
    with Box(Policy(SMALL), names=["look"]) as opened:
        yield opened


def limited(**limits: Any) -> Box:
    return Box(Policy(replace(SMALL, **limits)), names=["look"])


def answer(tool: str, arguments: Json) -> Result:
    return Result(({"tool": tool, "arguments": arguments},))


class TestBlocks:
    def test_output_value_and_ending(self, box: Box) -> None:
        outcome = box.run("import sys\nprint('a', 1)\nprint('b', file=sys.stderr)\n[1, 2.5, 'x']")
        assert (outcome.status, outcome.error, outcome.alive) == ("ok", None, True)
        assert (outcome.stdout, outcome.stderr) == ("a 1\n", "b\n")
        assert outcome.value == [1, 2.5, "x"]

    @pytest.mark.parametrize(
        "code", ["x = 1", "object()", "float('nan')", "{1, 2}", "10**5000", "'x' * 2_000_000", "'\\ud800'"]
    )
    def test_what_is_no_json_is_no_value(self, box: Box, code: str) -> None:
        outcome = box.run(code)
        assert (outcome.status, outcome.value) == ("ok", None)

    def test_a_record_for_the_log_holds_nothing_measured(self, box: Box) -> None:
        assert box.run("print(look(at=1)); 7", answer).to_json() == {
            "status": "ok",
            "stdout": "{'arguments': {'at': 1}, 'tool': 'look'}\n",
            "stderr": "",
            "error": None,
            "value": 7,
            "calls": {"look": 1},
            "alive": True,
        }

    def test_variables_live_from_block_to_block(self, box: Box) -> None:
        box.run("x = 20\ndef f(): return x + 1")
        assert box.run("f()").value == 21

    def test_an_error_is_told_by_the_lines_of_the_block(self, box: Box) -> None:
        box.run("def inverse(x):\n    return 1 / x")
        outcome = box.run("y = 2\ninverse(0)")
        assert outcome.status == "error"
        assert outcome.error == (
            '  File "<block 2>", line 2, in <module>\n    inverse(0)\n'
            '  File "<block 1>", line 2, in inverse\n    return 1 / x\n'
            "ZeroDivisionError: division by zero"
        )

    def test_a_syntax_error_is_told(self, box: Box) -> None:
        outcome = box.run("x = (1,\nfor")
        assert outcome.status == "error"
        assert outcome.error is not None and '"<block 1>", line 1' in outcome.error
        assert outcome.error.endswith("SyntaxError: '(' was never closed\n")

    def test_a_long_error_is_cut(self, box: Box) -> None:
        outcome = box.run("def f(n):\n    return f(n + 1)\nf(0)")
        assert outcome.error is not None
        assert "  ... 9" in outcome.error and outcome.error.count("\n") < 30
        assert "maximum recursion depth exceeded" in outcome.error

    def test_leaving_is_no_error(self, box: Box) -> None:
        assert box.run("import sys\nsys.exit()").status == "ok"
        outcome = box.run("raise SystemExit(3)")
        assert (outcome.status, outcome.error) == ("error", "SystemExit: 3")
        assert box.run("1").alive

    def test_output_that_is_no_text_is_replaced(self, box: Box) -> None:
        outcome = box.run("import sys\nsys.stdout.buffer.write(b'a\\xffb'); print('\\ud800é')")
        assert outcome.stdout.replace("�", "?") == "a?b???é\n"

    @pytest.mark.parametrize("code", ["import os; os._exit(3)", "import ctypes; ctypes.string_at(0)"])
    def test_an_interpreter_that_is_gone_is_no_closed_channel(self, box: Box, code: str) -> None:
        for _ in range(10):
            outcome = box.run(code)
            assert outcome.status == "killed"
            assert outcome.error in (
                "its interpreter ended itself with the exit code 3",
                "its interpreter was ended by the signal SIGSEGV",
            )

    def test_an_interpreter_that_leaves_when_its_block_has_ended(self, box: Box) -> None:
        """Whenever it is noticed: the block keeps its ending, and the next one a fresh interpreter."""
        forged = """
import os, time
message = b'["done",{"error":null,"status":"ok","value":5}]'
os.write(3, len(message).to_bytes(4, "big") + message)
os._exit(0)
"""
        for _ in range(10):
            outcome = box.run(forged)
            assert (outcome.status, outcome.value) == ("ok", 5)
            if outcome.alive:
                assert box.run("1").status == "killed"
            assert box.run("1").value == 1

    def test_a_closed_stream_is_opened_again(self, box: Box) -> None:
        box.run("import sys\nsys.stdout.close()")
        assert box.run("print(1)").stdout == "1\n"

    def test_a_block_that_is_too_long_is_refused(self, box: Box) -> None:
        outcome = box.run("x = 1 #" + "-" * (2 << 20))
        assert (outcome.status, outcome.alive) == ("refused", True)
        assert box.run("x = 1").status == "ok"

    def test_usage_is_measured(self, box: Box) -> None:
        usage = box.run("for _ in range(2_000_000): pass").usage
        assert 0 < usage.cpu <= usage.wall


class TestTools:
    def test_arguments_and_answers(self, box: Box) -> None:
        code = "import numpy\nlook(at=numpy.int64(3)), call('other', {'a': [1, None]}), call('bare')"
        assert box.run(code, answer).value == [
            {"tool": "look", "arguments": {"at": 3}},
            {"tool": "other", "arguments": {"a": [1, None]}},
            {"tool": "bare", "arguments": {}},
        ]

    def test_calls_are_counted(self, box: Box) -> None:
        outcome = box.run("for _ in range(3): look()\ncall('other')", answer)
        assert outcome.calls == {"look": 3, "other": 1}
        assert box.run("1").calls == {}

    def test_several_parts_and_contents_by_hash(self, box: Box) -> None:
        parts = ("text", {"a": 1}, BlobRef("0" * 64, "image/png", 7))
        value = box.run("look()", lambda tool, arguments: Result(parts)).value
        assert value == ["text", {"a": 1}, {"sha256": "0" * 64, "media_type": "image/png", "size": 7}]
        assert box.run("look()", lambda tool, arguments: Result(())).value == []

    def test_a_refusal_is_an_exception(self, box: Box) -> None:
        code = "try:\n    look(at=9)\nexcept ToolError as problem:\n    print(problem)"
        outcome = box.run(code, lambda tool, arguments: refused("look: at: too far"))
        assert (outcome.status, outcome.stdout) == ("ok", "look: at: too far\n")

    def test_without_tools(self, box: Box) -> None:
        assert "ToolError: this code can call no tool" in (box.run("look()").error or "")

    def test_names_are_restored(self, box: Box) -> None:
        box.run("look = call = ToolError = None; x = 5")
        assert box.run("look(), x", answer).value == [{"tool": "look", "arguments": {}}, 5]

    def test_an_exception_of_the_world_ends_the_box(self, box: Box) -> None:
        class Crash(Exception):
            pass

        def crash(tool: str, arguments: Json) -> Result:
            raise Crash

        box.run("x = 1")
        with pytest.raises(Crash):
            box.run("look()", crash)
        assert box.run("'x' in globals()").value is False

    def test_the_time_of_a_tool_does_not_count(self) -> None:
        def slow(tool: str, arguments: Json) -> Result:
            time.sleep(1.1)
            return Result(("done",))

        with limited(wall=1) as box:
            assert box.run("look()", slow).value == "done"

    def test_an_answer_that_is_too_long_is_a_refusal(self, box: Box) -> None:
        outcome = box.run("look()", lambda tool, arguments: Result(("x" * (2 << 20),)))
        assert "look answered with a message of" in (outcome.error or "")
        assert box.run("1").alive


class TestPrelude:
    def test_facades(self) -> None:
        prelude = """
class Lab:
    def dashboard(self, n=3):
        return call("lab.dashboard", {"n": n})
lab = Lab()
"""
        with Box(Policy(SMALL), prelude=prelude) as box:
            assert box.run("lab.dashboard(4)", answer).value == {
                "tool": "lab.dashboard",
                "arguments": {"n": 4},
            }
            box.run("lab = None")
            assert box.run("lab is None").value is False

    def test_a_check_keeps_a_block_from_running(self) -> None:
        prelude = "def check_block(code):\n    return 'no imports' if 'import' in code else None"
        with Box(Policy(SMALL), prelude=prelude) as box:
            outcome = box.run("import os; print(1)")
            assert (outcome.status, outcome.error, outcome.stdout) == ("refused", "no imports", "")
            assert box.run("1").value == 1

    def test_a_prelude_with_a_mistake_is_named(self) -> None:
        with Box(Policy(SMALL), prelude="1 / 0") as box, pytest.raises(SandboxError, match="ZeroDivision"):
            box.run("1")


class TestLimits:
    def check(self, box: Box, code: str, status: str, alive: bool, call: Any = None) -> str:
        tight = box.limits
        patient = replace(tight, wall=SMALL.wall, cpu=SMALL.cpu)  # only the block in question is in a hurry
        with box:
            box.limits = patient
            box.run("kept = 1")
            box.limits = tight
            outcome = box.run(code, call)
            box.limits = patient
            assert (outcome.status, outcome.alive) == (status, alive), outcome
            # Whatever happened, the next block runs: with the variables where the interpreter has survived.
            assert box.run("'kept' in globals()").value is alive
        return outcome.error or ""

    def test_wall(self) -> None:
        self.check(limited(wall=0.2, grace=10), "while True: pass", "timeout", True)

    def test_wall_and_deaf(self) -> None:
        code = """
def busy():
    while True:
        pass
while True:
    try:
        busy()
    except BaseException:
        continue
"""
        error = self.check(limited(wall=0.2, grace=0.1), code, "timeout", False)
        assert error == "the block did not end within 0.2 s"

    def test_what_was_printed_before_the_end_is_kept(self) -> None:
        with limited(wall=0.7, grace=0.1) as box:
            outcome = box.run("import re\nprint('begun')\nre.match('(a+)+$', 'a' * 64 + 'b')")
            assert (outcome.status, outcome.stdout) == ("timeout", "begun\n")

    def test_cpu(self) -> None:
        error = self.check(limited(cpu=0.2), "while True: pass", "cpu", False)
        assert error == "more than 0.2 s of processor time"

    def test_cpu_counts_for_each_block(self) -> None:
        with limited(cpu=0.5) as box:
            used = 0.0
            while used < 0.6:
                outcome = box.run("for _ in range(1_000_000): pass")
                assert outcome.status == "ok"
                used += outcome.usage.cpu

    def test_memory(self) -> None:
        self.check(limited(), "bytearray(1 << 28)", "memory", True)
        with limited() as box:
            assert box.run("len(bytearray(1 << 27))").value == 1 << 27

    def test_output(self) -> None:
        with limited() as box:
            outcome = box.run("while True: print('x' * 99)")
            assert (outcome.status, len(outcome.stdout)) == ("output", SMALL.output)
            assert outcome.error == "more than 2000 bytes printed"
            assert box.run(f"print('x' * {SMALL.output - 1})").status == "ok"

    def test_calls(self) -> None:
        error = self.check(limited(calls=5), "for _ in range(6): look()", "calls", False, answer)
        assert error == "more than 5 calls of tools"
        self.check(limited(calls=5), "for _ in range(5): look()", "ok", True, answer)

    def test_traffic(self) -> None:
        code = "while True: look(x='x' * 50_000)"
        error = self.check(limited(traffic=1 << 18), code, "output", False, answer)
        assert error == "more than 262144 bytes of messages"

    def test_disk(self) -> None:
        error = self.check(
            limited(),
            "for n in range(4):\n    with open(str(n), 'wb') as f: f.write(bytes(400_000))",
            "disk",
            True,
        )
        assert "No space left" in error

    def test_file_size(self) -> None:
        error = self.check(limited(disk=1 << 22), "open('x', 'wb').write(bytes(1 << 20))", "disk", True)
        assert "File too large" in error

    def test_number_of_files(self) -> None:
        self.check(limited(), "for n in range(30): open(str(n), 'w').close()", "disk", True)
        self.check(limited(), "for n in range(19): open(str(n), 'w').close()", "ok", True)

    @pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["full", "reduced"])
    def test_disk_is_looked_at_when_a_block_ends(self, without: Any) -> None:
        with Box(Policy(SMALL, without=without)) as box:
            outcome = box.run("for n in range(4):\n    open(str(n), 'wb').write(bytes(400_000))\n7")
            assert (outcome.status, outcome.value) == ("disk", None)

    @pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["full", "reduced"])
    def test_room_can_be_reserved_and_files_can_lose_their_names(self, without: Any) -> None:
        """At the weaker level by writing, and counted: honest code notices nothing."""
        code = """
import os, tempfile
with tempfile.TemporaryFile() as file:
    os.posix_fallocate(file.fileno(), 0, 5000)
    file.write(b"x")
    size = os.fstat(file.fileno()).st_size
size
"""
        with Box(Policy(SMALL, without=without)) as box:
            assert box.run(code).value == 5000

    def test_open_files(self) -> None:
        error = self.check(limited(), "held = [open('/dev/null') for _ in range(100)]", "error", True)
        assert "Too many open files" in error

    @pytest.mark.parametrize("limits", [{"wall": 0}, {"memory": -1}, {"calls": 0}, {"message": 1000}])
    def test_limits_are_positive(self, limits: dict[str, Any]) -> None:
        with pytest.raises(ConfigError, match=next(iter(limits))):
            Limits(**limits)


class TestFiles:
    def test_in_and_out(self, box: Box) -> None:
        box.put("data_en.py", b"x = 3")
        box.put("deep/er/data.csv", b"1,2")
        assert (
            box.run("import data_en\nprint(data_en.x, open('deep/er/data.csv').read())").stdout == "3 1,2\n"
        )
        box.run("open('deep/made.txt', 'w').write('hello')\nopen('data_en.py', 'a').write('0')")
        files = {name: data for name, data in box.files().items() if "__pycache__" not in name}
        assert files == {"data_en.py": b"x = 30", "deep/er/data.csv": b"1,2", "deep/made.txt": b"hello"}

    def test_they_outlive_the_interpreter_but_not_the_next(self, box: Box) -> None:
        assert not box.run("import os\nopen('x', 'w').write('1')\nos._exit(0)").alive
        assert box.files() == {"x": b"1"}
        assert box.run("import os\nos.listdir('.')").value == []

    @pytest.mark.parametrize("name", ["", "/x", "../x", "a/../x", "a//b", ".", "a/."])
    def test_names_that_lead_out(self, box: Box, name: str) -> None:
        with pytest.raises(ValueError, match="no name of a file"):
            box.put(name, b"")

    @pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["full", "reduced"])
    def test_putting_obeys_the_limits(self, without: Any) -> None:
        with Box(Policy(SMALL, without=without)) as box:
            with pytest.raises(OSError, match="No space left"):
                box.put("large", bytes(2 << 20))
            with pytest.raises(OSError, match="No space left"):
                for n in range(SMALL.files + 1):
                    box.put(str(n), b"")
            assert len(box.files()) == SMALL.files

    def test_without_a_block_there_is_nothing(self) -> None:
        box = Box(Policy(SMALL))
        assert box.files() == {}
        assert box.level is None  # nothing was started
        box.close()
        box.close()

    @pytest.mark.parametrize("without", [frozenset(), frozenset({"namespaces"})], ids=["full", "reduced"])
    def test_inputs_can_be_read_only(self, tmp_path: Path, without: Any) -> None:
        (tmp_path / "events").mkdir()
        (tmp_path / "events" / "a.txt").write_text("some")
        (tmp_path / "single.txt").write_text("one")
        (tmp_path / "beside.txt").write_text("other")
        inputs = {"events": tmp_path / "events", "single": tmp_path / "single.txt"}
        with Box(Policy(SMALL, without=without), inputs=inputs) as box:
            read = "open(INPUTS['events'] + '/a.txt').read(), open(INPUTS['single']).read()"
            assert box.run(read).value == ["some", "one"]
            for code in (
                "open(INPUTS['events'] + '/b', 'w')",
                "open(INPUTS['single'], 'w')",
                "import os; os.unlink(INPUTS['single'])",
                "import os; os.chmod(INPUTS['events'], 0)",
            ):
                assert box.run(code).status == "refused"
            assert box.run(f"open({str(tmp_path / 'beside.txt')!r})").status in ("error", "refused")

    def test_inputs_that_only_the_owner_may_read(self, tmp_path: Path) -> None:
        (tmp_path / "mine").write_text("some")
        (tmp_path / "mine").chmod(0o600)
        with Box(Policy(SMALL), inputs={"mine": tmp_path / "mine"}) as box:
            assert box.run("open(INPUTS['mine']).read()").value == "some"

    def test_an_input_needs_a_plain_name(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="named 'a/b'"):
            Box(inputs={"a/b": tmp_path})


class TestLibraries:
    def test_only_what_was_given(self) -> None:
        with Box(Policy(SMALL, distributions=(), preload=())) as box:
            assert box.run("import sqlite3, lzma, bz2, zlib, uuid, decimal, ctypes, csv; 1").value == 1
            assert "No module named 'numpy'" in (box.run("import numpy").error or "")

    def test_what_is_required_comes_along(self) -> None:
        policy = Policy(replace(SMALL, memory=1 << 30, wall=60), distributions=("scipy",), preload=())
        with Box(policy) as box:
            code = "import numpy, scipy.stats\nfloat(scipy.stats.norm.cdf(0))"
            assert box.run(code).value == 0.5
            assert "No module named 'pandas'" in (box.run("import pandas").error or "")

    def test_libraries_below_tmp_keep_the_box_as_strong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A checkout may lie anywhere, also where a box has a folder of its own under another name."""
        with TemporaryDirectory(dir="/tmp") as place:
            facts = Path(place) / "lent-1.dist-info"
            facts.mkdir()
            (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: lent\nVersion: 1\n")
            (facts / "RECORD").write_text("lent.py,,\n")
            (Path(place) / "lent.py").write_text("n = 7")
            monkeypatch.syspath_prepend(place)
            with Box(Policy(SMALL, distributions=("lent",), preload=())) as box:
                assert box.run("import lent\nlent.n").value == 7
                with Box(Policy(SMALL, distributions=(), preload=())) as plain:
                    assert plain.run("1").value == 1
                    assert box.level == plain.level

    def test_what_is_not_installed_is_named(self) -> None:
        with pytest.raises(PlatformError, match="no-such-package"):
            Box(Policy(SMALL, distributions=("no-such-package",), preload=())).run("1")

    def test_a_template_is_shared_and_replaced_when_it_dies(self) -> None:
        policy = Policy(SMALL, distributions=(), preload=("colorsys",))
        first = warm(policy.distributions, policy.preload)
        assert warm(policy.distributions, policy.preload) is first
        first.process.kill()
        first.process.wait()
        with Box(policy) as box:
            assert box.run("1").value == 1
        assert warm(policy.distributions, policy.preload) is not first

    def test_a_module_that_does_not_exist_is_named(self) -> None:
        with pytest.raises(SandboxError, match="no_such_module"):
            Box(Policy(SMALL, distributions=(), preload=("no_such_module",))).run("1")


@pytest.mark.parametrize("end", [Box.kill, Box.close])
def test_a_box_can_be_used_again_after_its_end(box: Box, end: Callable[[Box], Any]) -> None:
    box.run("x = 1")
    end(box)
    assert box.run("'x' in globals()").value is False
