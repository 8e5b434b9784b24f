"""Hashes by file and by column, and the manifest that holds them."""

from __future__ import annotations

import hashlib
import json
import math
import random
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.build.paths import BUILT
from assay.config.places import FROZEN
from assay.errors import NotBuilt, TableError
from assay.tables.digest import _Hashes, _writer, column_digests, file_digest, table_digests
from assay.tables.reader import DAMAGED
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table
from assay.verdict.manifest import (
    Manifest,
    ManifestError,
    Output,
    build_manifest,
    describe,
    freeze,
    read_manifest,
    write_manifest,
)

N = 500
DRAW = random.Random(11)
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "agent": (pa.string(), [DRAW.choice(["ann", "bob", "cleo"]) for _ in range(N)]),
    "text": (pa.string(), [None if n % 7 == 0 else "ü" * (n % 5) for n in range(N)]),
    "whole": (pa.int64(), [None if n % 11 == 0 else DRAW.randint(-(2**63), 2**63 - 1) for n in range(N)]),
    "real": (pa.float64(), [None if n % 3 == 0 else DRAW.gauss(0, 1e9) for n in range(N)]),
    "truth": (pa.bool_(), [None if n % 5 == 0 else n % 2 == 0 for n in range(N)]),
    "bytes": (pa.binary(), [None if n % 4 == 0 else DRAW.randbytes(n % 9) for n in range(N)]),
    "small": (pa.int32(), list(range(N))),
}


def table(**changed: Any) -> pa.Table:
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in (VALUES | changed).items()})


def save(path: Path, content: pa.Table, **options: Any) -> Path:
    pq.write_table(content, path, **options)  # noqa: TID251
    return path


def by_hand(name: str, kind: str, values: list[Any]) -> str:
    """The canonical form once more, value by value."""
    presence, content = [], []
    for value in values:
        if kind in ("string", "binary"):
            data = b"" if value is None else value.encode() if kind == "string" else value
            presence.append(struct.pack("<q", -1 if value is None else len(data)))
            content.append(data)
        else:
            form = {"int64": "<q", "float64": "<d", "bool": "<B", "int32": "<i"}[kind]
            presence.append(bytes([value is not None]))
            content.append(struct.pack(form, value or 0))
    header = json.dumps([name, kind, len(values)], separators=(",", ":")).encode() + b"\n"
    streams = b"".join(hashlib.sha256(b"".join(stream)).digest() for stream in (presence, content))
    return hashlib.sha256(header + streams).hexdigest()[:32]


KINDS = {"agent": "string", "text": "string", "whole": "int64", "real": "float64", "truth": "bool"} | {
    "bytes": "binary",
    "small": "int32",
}


def test_file_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    for size in (0, 1, 2**18 - 1, 2**18, 3 * 2**18 + 5):
        data = random.Random(size).randbytes(size)
        (tmp_path / "file").write_bytes(data)
        assert file_digest(tmp_path / "file") == hashlib.sha256(data).hexdigest()


def test_column_digests_are_those_of_the_declared_form(tmp_path: Path) -> None:
    found = column_digests(save(tmp_path / "t", table()))
    assert found == {name: by_hand(name, KINDS[name], VALUES[name][1]) for name in VALUES}


@pytest.mark.parametrize(
    "options",
    [
        {"row_group_size": 1},
        {"row_group_size": 77, "compression": "none"},
        {"compression": "zstd", "use_dictionary": False, "version": "1.0"},
        {"data_page_version": "2.0", "data_page_size": 100, "write_statistics": False},
        {"store_schema": False, "use_byte_stream_split": ["real"], "use_dictionary": ["text"]},
    ],
    ids=str,
)
def test_how_a_table_is_written_does_not_show(tmp_path: Path, options: dict[str, Any]) -> None:
    one, other = save(tmp_path / "a", table()), save(tmp_path / "b", table(), **options)
    assert one.read_bytes() != other.read_bytes()
    assert column_digests(one) == column_digests(other)


def test_wide_and_dictionary_types_are_their_values(tmp_path: Path) -> None:
    wide = table(
        text=(pa.large_string(), VALUES["text"][1]),
        bytes=(pa.large_binary(), VALUES["bytes"][1]),
        agent=(pa.dictionary(pa.int32(), pa.string()), VALUES["agent"][1]),
    )
    assert column_digests(save(tmp_path / "a", wide)) == column_digests(save(tmp_path / "b", table()))


def test_content_beyond_one_batch_is_one_stream(tmp_path: Path) -> None:
    values = [None if n % 9 == 0 else n for n in range(150_000)]
    content = pa.table({"whole": pa.array(values, pa.int64()), "text": pa.array([str(n) for n in values])})
    expected = {
        "whole": by_hand("whole", "int64", values),
        "text": by_hand("text", "string", [str(n) for n in values]),
    }
    for size in (1_000, 65_536, 150_000):
        assert column_digests(save(tmp_path / "t", content, row_group_size=size)) == expected


def changed(name: str, at: int, value: Any) -> dict[str, Any]:
    kind, values = VALUES[name]
    return {name: (kind, [*values[:at], value, *values[at + 1 :]])}


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("text", changed("text", 0, "")),  # null is not empty
        ("text", changed("text", 5, "x")),
        ("whole", changed("whole", 0, 0)),  # null is not zero
        ("real", changed("real", 0, 0.0)),
        ("real", changed("real", 1, math.nextafter(VALUES["real"][1][1], math.inf))),
        ("truth", changed("truth", 0, False)),
        ("bytes", changed("bytes", 0, b"")),
        ("small", {"small": (pa.int64(), VALUES["small"][1])}),
        ("agent", changed("agent", N - 1, "dora")),
    ],
)
def test_one_changed_value_changes_its_column_alone(
    tmp_path: Path, column: str, change: dict[str, Any]
) -> None:
    before = column_digests(save(tmp_path / "a", table()))
    after = column_digests(save(tmp_path / "b", table(**change)))
    assert [name for name in before if before[name] != after[name]] == [column]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.table({"x": ["ab", "c"]}), pa.table({"x": ["a", "bc"]})),
        (pa.table({"x": ["a", "b"]}), pa.table({"x": ["b", "a"]})),
        (pa.table({"x": ["a"]}), pa.table({"y": ["a"]})),
        (pa.table({"x": ["a"]}), pa.table({"x": [b"a"]})),
        (pa.table({"x": [0.0]}), pa.table({"x": [-0.0]})),
        (pa.table({"x": pa.array([], pa.string())}), pa.table({"x": pa.array([], pa.binary())})),
    ],
)
def test_what_could_be_confused_is_not(tmp_path: Path, one: pa.Table, other: pa.Table) -> None:
    found = [column_digests(save(tmp_path / name, t)) for name, t in (("a", one), ("b", other))]
    assert not set(found[0].values()) & set(found[1].values())


def test_a_part_is_hashed_as_a_table_of_its_own(tmp_path: Path) -> None:
    whole = table()
    found = table_digests(save(tmp_path / "t", whole, row_group_size=60), "agent")
    assert list(found.parts) == ["ann", "bob", "cleo"]
    assert found.columns == column_digests(tmp_path / "t")
    for agent, digests in found.parts.items():
        own = whole.filter(pa.compute.equal(whole["agent"], agent))
        assert 0 < own.num_rows < N
        assert digests == column_digests(save(tmp_path / agent, own))


def test_an_undecodable_column_is_told_and_the_others_hashed(tmp_path: Path) -> None:
    path = save(tmp_path / "t", table(), write_page_checksum=True, compression="none")
    expected = column_digests(path)
    damaged = bytearray(path.read_bytes())
    damaged[pq.read_metadata(path).row_group(0).column(4).data_page_offset - 1] ^= 4
    path.write_bytes(damaged)
    found = table_digests(path, "agent")
    assert list(found.unreadable) == ["real"]
    assert found.columns == {name: digest for name, digest in expected.items() if name != "real"}
    assert found.parts == {}
    with pytest.raises(TableError, match="column real cannot be read") as caught:
        column_digests(path)
    assert caught.value.remedy == DAMAGED


def test_what_has_no_canonical_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="column x of type list"):
        column_digests(save(tmp_path / "t", pa.table({"x": [[1]]})))
    (tmp_path / "text").write_text("text")
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        column_digests(tmp_path / "text")


@pytest.mark.parametrize(
    ("name", "kind", "form"),
    [
        ("int8", pa.int8(), "<b"),
        ("int16", pa.int16(), "<h"),
        ("uint8", pa.uint8(), "<B"),
        ("uint16", pa.uint16(), "<H"),
        ("uint32", pa.uint32(), "<I"),
        ("uint64", pa.uint64(), "<Q"),
        ("float32", pa.float32(), "<f"),
    ],
)
def test_numbers_of_every_size_have_the_declared_form(
    tmp_path: Path, name: str, kind: pa.DataType, form: str
) -> None:
    values = [1, None, 0, 100]
    found = column_digests(save(tmp_path / "t", pa.table({"x": pa.array(values, kind)})))
    streams = b"\1\0\1\1", b"".join(struct.pack(form, value or 0) for value in values)
    header = f'["x","{name}",4]\n'.encode()
    whole = header + b"".join(hashlib.sha256(stream).digest() for stream in streams)
    assert found == {"x": hashlib.sha256(whole).hexdigest()[:32]}


def test_a_number_that_is_none_has_one_form(tmp_path: Path) -> None:
    """Whatever its sign and payload; and it is not null."""
    quiet, other = (
        struct.unpack("<d", struct.pack("<Q", bits))[0] for bits in (0x7FF8 << 48, 0xFFF8 << 48 | 5)
    )
    found = {
        column_digests(save(tmp_path / "t", pa.table({"x": pa.array([1.5, value])})))["x"]
        for value in (math.nan, quiet, other)
    }
    assert found == {by_hand("x", "float64", [1.5, math.nan])}
    assert found != {by_hand("x", "float64", [1.5, None])}


def test_rows_schema_and_writer_are_told(tmp_path: Path) -> None:
    sums(tmp_path / "ours", "ab")
    found = table_digests(tmp_path / "ours")
    assert (found.rows, found.schema, found.parts, found.unreadable) == (6, "sums 1", {}, {})
    assert found.writer == pq.read_metadata(tmp_path / "ours").created_by
    plain = save(tmp_path / "plain", pa.table({"x": [1]}))
    assert table_digests(plain).schema == ""
    data = plain.read_bytes()
    plain.write_bytes(data.replace(b"parquet-cpp", b"\xff" * 11))
    assert table_digests(plain).writer == "no text"
    assert _writer(SimpleNamespace(metadata=SimpleNamespace(created_by=None))) == ""  # type: ignore[arg-type]
    odd = pa.table({"x": [1]}).replace_schema_metadata({b"assay.schema": b"sums \xff"})
    assert table_digests(save(tmp_path / "odd", odd)).schema == "sums \ufffd"


def test_rows_of_nobody_are_a_part(tmp_path: Path) -> None:
    whole = pa.table({"agent": ["ann", None, "ann", None, "bob"], "n": [1, 2, 3, 4, 5]})
    found = table_digests(save(tmp_path / "t", whole), "agent")
    assert list(found.parts) == ["None", "ann", "bob"]
    assert found.parts["None"]["n"] == by_hand("n", "int64", [2, 4])
    assert found.parts["ann"] == {
        "agent": by_hand("agent", "string", ["ann", "ann"]),
        "n": by_hand("n", "int64", [1, 3]),
    }


def test_columns_that_cannot_be_told_apart_or_are_missing_are_refused(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    with pytest.raises(TableError, match="two columns have one name") as caught:
        column_digests(save(tmp_path / "t", twice))
    assert caught.value.remedy == DAMAGED
    with pytest.raises(TableError, match="has no column agent") as caught:
        table_digests(save(tmp_path / "t", pa.table({"x": [1]})), "agent")
    assert caught.value.remedy == DAMAGED
    with pytest.raises(TableError) as caught:
        column_digests(save(tmp_path / "t", pa.table({"x": [[1]]})))
    assert caught.value.remedy == "store text, bytes, numbers or truth values"


def test_a_slice_is_hashed_as_what_it_shows() -> None:
    """Though its buffers hold more: before, behind and under what is null."""
    hidden = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(),
        5,
        [
            pa.py_buffer(b"\x1b"),
            pa.py_buffer(struct.pack("<6q", 0, 1, 3, 6, 7, 9)),
            pa.py_buffer(b"abbcccdeeff"),
        ],
    )
    assert hidden.to_pylist() == [b"a", b"bb", None, b"d", b"ee"]
    for start, stop in ((0, 5), (1, 4), (2, 3), (3, 3)):
        assert of_batches(hidden[start:stop]) == by_hand("x", "binary", hidden[start:stop].to_pylist())
    assert of_batches(hidden[1:3], hidden[3:5]) == by_hand("x", "binary", [b"bb", None, b"d", b"ee"])


def of_batches(*arrays: pa.Array) -> str:
    hashes = _Hashes("here", pa.schema([("x", arrays[0].type)]))
    for array in arrays:
        hashes.add(pa.record_batch([array], ["x"]))
    return hashes.digests()["x"]


def test_text_that_is_no_text_is_told(tmp_path: Path) -> None:
    """It can be decoded as bytes, so only a check of every value finds it."""
    path = save(tmp_path / "t", pa.table({"x": ["abc", "xyz"], "n": [1, 2]}), compression="none")
    path.write_bytes(path.read_bytes().replace(b"xyz", b"\xff\xfe\xfd"))
    found = table_digests(path)
    assert list(found.unreadable) == ["x"]
    assert "UTF8" in found.unreadable["x"]
    assert found.columns == {"n": by_hand("n", "int64", [1, 2])}


# ------------------------------------------------------------ the manifest

SUMS = Schema(
    "sums",
    1,
    (Column("agent", "string", ""), Column("n", "int64", ""), Column("mean", "float64", "")),
    key=("agent", "n"),
    partition="agent",
)


def sums(path: Path, agents: str, shift: float = 0.0) -> None:
    rows = [{"agent": agent, "n": n, "mean": n / 7 + shift} for agent in agents for n in range(3)]
    write_table(rows, path, SUMS)


def outputs(suites: str = "p", agents: str = "ab") -> list[Output]:
    return [
        output
        for suite in suites
        for output in (
            Output(f"results/{suite}/sums.parquet", "table", suite, "tables", tuple(agents), "agent"),
            Output(f"reports/{suite}.svg", "figure", suite, "figures", tuple(agents)),
        )
    ]


def build(root: Path, suites: str = "p", agents: str = "ab", shift: float = 0.0) -> Manifest:
    for output in outputs(suites, agents):
        path = root / output.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if output.kind == "table":
            sums(path, agents, shift)
        else:
            path.write_text(f"<svg>\n{agents}\n</svg>\n")
    built = build_manifest(root, outputs(suites, agents), suites)
    write_manifest(root / BUILT, built)
    return built


def test_a_manifest_is_read_as_written_one_line_a_file(tmp_path: Path) -> None:
    built = build(tmp_path, "qp")
    assert read_manifest(tmp_path / BUILT) == built
    lines = (tmp_path / BUILT).read_text().splitlines()
    named = [line.split('"')[1] for line in lines if line.startswith('  "')]
    assert named == ["reports/p.svg", "reports/q.svg", "results/p/sums.parquet", "results/q/sums.parquet"]
    entry = built.files["results/p/sums.parquet"]
    assert entry.sha256 == file_digest(tmp_path / entry.path)
    assert entry.columns == column_digests(tmp_path / entry.path)
    assert (entry.rows, entry.schema, sorted(entry.parts)) == (6, "sums 1", ["a", "b"])


def test_order_of_the_outputs_does_not_show(tmp_path: Path) -> None:
    build(tmp_path)
    before = (tmp_path / BUILT).read_bytes()
    reversed_agents = [
        Output(o.path, o.kind, o.suite, o.rule, o.agents[::-1], o.partition) for o in outputs()[::-1]
    ]
    write_manifest(tmp_path / BUILT, build_manifest(tmp_path, reversed_agents, ["p"]))
    assert (tmp_path / BUILT).read_bytes() == before


def test_one_agent_is_its_own_part(tmp_path: Path) -> None:
    entry = build(tmp_path, agents="a").files["results/p/sums.parquet"]
    assert entry.parts == {}
    assert entry.part("a") == entry.columns
    assert entry.part("b") is None
    both = build(tmp_path, agents="ab").files["results/p/sums.parquet"]
    assert both.part("a") == entry.columns


def test_missing_files_and_unlisted_agents_are_refused(tmp_path: Path) -> None:
    build(tmp_path)
    with pytest.raises(NotBuilt, match=r"reports/x\.svg is missing"):
        describe(tmp_path, Output("reports/x.svg", "figure", "p", "figures"))
    with pytest.raises(TableError, match="rows of b, whom the rule tables does not list"):
        describe(tmp_path, Output("results/p/sums.parquet", "table", "p", "tables", ("a",), "agent"))


def malformed(text: str) -> dict[str, str]:
    value = json.loads(text)
    path = "results/p/sums.parquet"

    def with_entry(**fields: Any) -> str:
        return json.dumps({**value, "files": {path: {**value["files"][path], **fields}}})

    return {
        "empty": "",
        "cut": text[:-30],
        "no JSON": text.replace('"kind"', "kind", 1),
        "other JSON": "[1, 2]",
        "null": "null",
        "no files": '{"format": 1, "suites": []}',
        "other format": text.replace('"format": 1', '"format": 2'),
        "file twice": text.replace("reports/p.svg", path),
        "unknown field": with_entry(colour="red"),
        "size is text": with_entry(size="7"),
        "columns is a list": with_entry(columns=[]),
        "no kind of ours": with_entry(kind="picture"),
        "short hash": with_entry(sha256="abc"),
        "leads out": text.replace("reports/p.svg", "../p.svg"),
        "absolute": text.replace("reports/p.svg", "/etc/passwd"),
        "frozen leads out": text.replace('"files"', '"frozen": "../elsewhere", "files"', 1),
        "left out without reasons": text.replace('"files"', '"left_out": ["p"], "files"', 1),
        "suites is text": json.dumps({**value, "suites": "p"}),
    }


@pytest.mark.parametrize("name", list(malformed(json.dumps({"files": {"results/p/sums.parquet": {}}}))))
def test_a_malformed_manifest_is_refused(tmp_path: Path, name: str) -> None:
    build(tmp_path)
    path = tmp_path / BUILT
    path.write_text(malformed(path.read_text())[name])
    with pytest.raises(ManifestError, match="is not a manifest") as caught:
        read_manifest(path)
    assert caught.value.exit_code == 2
    assert str(path) in caught.value.message


def test_freezing_says_what_it_changes(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        freeze(tmp_path)
    build(tmp_path)
    assert freeze(tmp_path) == ["added    reports/p.svg", "added    results/p/sums.parquet"]
    assert (tmp_path / FROZEN).read_bytes() == (tmp_path / BUILT).read_bytes()
    assert freeze(tmp_path) == []
    build(tmp_path, shift=0.5)
    assert freeze(tmp_path) == ["changed  results/p/sums.parquet: columns mean"]
    build(tmp_path, agents="abc", shift=0.5)
    assert freeze(tmp_path) == [
        "changed  reports/p.svg: with c",
        "changed  results/p/sums.parquet: columns agent, n, mean; rows 6 -> 9; with c",
    ]


def test_freezing_part_of_the_suites_keeps_the_others(tmp_path: Path) -> None:
    build(tmp_path, "pq")
    freeze(tmp_path)
    build(tmp_path, "p", shift=1.0)
    assert freeze(tmp_path) == [
        "changed  results/p/sums.parquet: columns mean",
        "kept as frozen, since not built: q",
    ]
    frozen = read_manifest(tmp_path / FROZEN)
    assert frozen.suites == ("p", "q")
    assert len(frozen.files) == 4


def test_freezing_drops_what_is_no_longer_built(tmp_path: Path) -> None:
    build(tmp_path)
    freeze(tmp_path)
    write_manifest(tmp_path / BUILT, build_manifest(tmp_path, outputs()[:1], ["p"]))
    assert freeze(tmp_path) == ["removed  reports/p.svg"]


def test_freezing_refuses_what_is_missing_or_not_what_was_built(tmp_path: Path) -> None:
    build(tmp_path)
    freeze(tmp_path)
    before = (tmp_path / FROZEN).read_bytes()
    (tmp_path / "reports/p.svg").write_text("<svg>\nedited\n</svg>\n")
    with pytest.raises(NotBuilt, match=r"reports/p\.svg is not what"):
        freeze(tmp_path)
    (tmp_path / "reports/p.svg").unlink()
    with pytest.raises(NotBuilt, match=r"reports/p\.svg is in .* but not on disk"):
        freeze(tmp_path)
    assert (tmp_path / FROZEN).read_bytes() == before
