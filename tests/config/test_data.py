"""Data files as declared types: values keep their kind, and a mistake names file and place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.config import data
from assay.errors import ConfigError


@dataclass(frozen=True)
class Entry:
    __pydantic_config__ = data.CLOSED

    size: data.Count
    level: data.Number = 0


def read(tmp_path, text):
    (tmp_path / "entries.yaml").write_text(text)
    return data.read(tmp_path / "entries.yaml", dict[str, Entry])


def test_whole_numbers_stay_whole(tmp_path):
    entries = read(tmp_path, "a: {size: 2, level: 1}\nb: {size: 0, level: 1.0}\n")
    assert repr(entries) == "{'a': Entry(size=2, level=1), 'b': Entry(size=0, level=1.0)}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {size: -1}", r"a: size: .*greater than or equal to 0 \(got -1\)"),
        ("a: {size: 1, level: .inf}", r"a: level: .*finite number \(got inf\)"),
        ("a: {size: true}", r"a: size: .*\(got True\)"),
        ("a: {}", "a: size: Field required"),
        ("a: {size: 1, depth: 2}", "a: depth: "),
        ("a: {size: 1}\na: {size: 2}", "stands here twice"),
    ],
)
def test_a_mistake_names_file_and_place(tmp_path, text, message):
    with pytest.raises(ConfigError, match=f"entries.yaml: .*{message}"):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="there is no such file"):
        data.read(tmp_path / "nothing.yaml", dict[str, Entry])
