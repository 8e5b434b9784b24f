"""What commands print: one form for programs, one for people."""

from __future__ import annotations

import json

import pytest

from assay.console import show

FOUND = {"name": "ä", "none": None, "empty": {}, "inner": {"a": 1, "b": None}, "rows": [{"x": 1}, {"x": 2}]}


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    show(FOUND, as_json=True)
    out = capsys.readouterr().out
    assert json.loads(out) == FOUND
    assert "ä" in out


def test_people_get_a_line_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    show(FOUND, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "name   ä",
        "none   -",
        "empty  -",
        "inner  a 1, b -",
        "rows   ",
        "  x 1",
        "  x 2",
    ]


def test_several_of_a_kind_get_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"size": 3, "mean": 0.5}, {"size": 4, "mean": None}], as_json=False)
    assert capsys.readouterr().out.splitlines() == ["size 3  mean 0.5", "size 4  mean -"]
