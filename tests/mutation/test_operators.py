"""The changes themselves: what is changed and what is not, and that a change reaches who runs the code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.mutation.modules import MODULES
from tests.mutation.operators import Source
from tests.mutation.running import Running, _Item
from tests.mutation.swapping import Swapping

TEXT = '''
"""A module."""
from functools import lru_cache

LEAST = 3
TABLE = {"a": 2}
LARGEST = 1e100
DECLARED = dict(a=1)


def kernel(function):
    return function


@lru_cache
def count(found: "list[int]", least: int = 1) -> int:
    """How many are large."""
    total = 0
    for one in found:
        if one >= LEAST and one != 7:
            total += 1
    return total


class Box:
    def __init__(self, size):
        self.size = size

    @property
    def half(self):
        return f"{self.size // 2} of {self.size}"

    def kept(self, rows):
        try:
            return [row for row in zip(rows, rows, strict=True) if row]
        except ValueError:
            raise


@kernel
def compiled(x):
    return x + 1
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    path = tmp_path / "boxes.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("assay.boxes", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "assay.boxes", found)
    spec.loader.exec_module(found)
    return Source(tmp_path, "boxes.py"), found


def changes(source: Source, function: str) -> list[str]:
    return [mutant.change for mutant in source.mutants if mutant.function == function]


def test_every_kind_of_change(module):
    source, _ = module
    assert changes(source, "count") == [
        "total = 0 -> total = None",
        "total = 0 -> total = 1",
        "if one >= LEAST and one != 7 -> if not (one >= LEAST and one != 7)",
        "one >= LEAST and one != 7 -> one >= LEAST or one != 7",
        "one >= LEAST and one != 7 -> one > LEAST and one != 7",
        "one >= LEAST and one != 7 -> one >= LEAST and one == 7",
        "one >= LEAST and one != 7 -> one >= LEAST and one != 8",
        "total += 1 -> total -= 1",
        "total += 1 -> total = 1",
        "total += 1 -> total += 2",
        "return total -> return None",
    ]
    assert changes(source, "Box.half") == [
        "return f'{self.size // 2} of {self.size}' -> return None",
        "return f'{self.size // 2} of {self.size}' -> return f'{self.size / 2} of {self.size}'",
        "return f'{self.size // 2} of {self.size}' -> return f'{self.size // 3} of {self.size}'",
    ]
    assert "except ValueError -> except ()" in changes(source, "Box.kept")
    assert not any("strict" in change.partition(" -> ")[2] for change in changes(source, "Box.kept")[3:])


def test_what_is_not_changed(module):
    source, _ = module
    assert {mutant.function for mutant in source.mutants} == {
        "kernel",
        "count",
        "Box.__init__",
        "Box.half",
        "Box.kept",
        "<module> LEAST",
        "<module> TABLE",
    }
    assert changes(source, "<module> TABLE") == ["TABLE = {'a': 2} -> TABLE = {'a': 3}"]


def test_a_change_reaches_everybody_who_has_the_function(module):
    source, found = module
    held, half = found.count, found.Box(8)
    assert (held((2, 3, 7, 9)), half.half) == (2, "4 of 8")
    swapping = Swapping([source])
    by_change = {mutant.change: mutant for mutant in source.mutants}
    swapping.apply(by_change["one >= LEAST and one != 7 -> one >= LEAST or one != 7"])
    swapping.apply(by_change["return f'{self.size // 2} of {self.size}' -> return None"])
    assert (held((2, 3, 7, 9, 1)), half.half) == (5, None)
    swapping.apply(by_change["LEAST = 3 -> LEAST = 4"])
    swapping.apply(by_change["total += 1 -> total += 2"])
    assert held((3, 4, 7, 9, 5)) == 6


def test_a_constant_is_read_where_its_name_stands(module):
    source, _ = module
    readers = Swapping([source]).readers("LEAST")
    text = TEXT.splitlines()
    lines = {text[line - 1].strip() for _, line in readers}
    assert {"for one in found:", "if one >= LEAST and one != 7:"} <= lines
    assert not lines & {"total = 0", "return total"}


def test_a_constant_that_none_of_the_functions_reads_meets_every_test(module, request):
    """Others may read it; one that they read meets the tests that reach the place."""
    source, _ = module
    running = Running(MODULES["digest"][0], [source], source.mutants, lambda mutant, verdict: None, print)
    running._swapping = Swapping([source])
    line = next(n for n, text in enumerate(TEXT.splitlines(), 1) if "one >= LEAST" in text)
    tests = [
        _Item(request.node, 0.0, work, frozenset(begun))
        for work, begun in ((0.2, {("boxes.py", line)}), (0.1, {("boxes.py", 1)}))
    ]
    by_change = {mutant.change: mutant for mutant in source.mutants}
    assert running._reaching(by_change["LEAST = 3 -> LEAST = 4"], tests) == tests[:1]
    assert running._reaching(by_change["TABLE = {'a': 2} -> TABLE = {'a': 3}"], tests) == tests[::-1]


def test_statements_that_begin_are_counted(module):
    source, found = module
    begun: set[tuple[str, int]] = set()
    with Swapping([source]).counted(begun):
        found.count(())
        lines = {line for _, line in begun}
        assert found.Box(2).half == "1 of 2"
    text = TEXT.splitlines()
    assert [text[line - 1].strip() for line in sorted(lines)] == [
        '"""How many are large."""',
        "total = 0",
        "for one in found:",
        "return total",
    ]
    before = set(begun)
    found.Box(3).kept([])
    assert begun == before


def test_a_file_is_known_where_it_is_imported(module, tmp_path: Path):
    source, _ = module
    (tmp_path / "other.py").write_text("def f():\n    return 1\n")
    other = Source(tmp_path, "other.py")
    swapping = Swapping([source, other])
    assert all(map(swapping.knows, source.mutants))
    assert not any(map(swapping.knows, other.mutants))
