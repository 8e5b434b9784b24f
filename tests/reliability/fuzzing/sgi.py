"""The doors of sgi: replies of every family, released files, items and replies in files, queries."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reliability.fuzzing.door import (
    ROOT,
    Call,
    Defect,
    Door,
    files,
    on_bytes,
    on_file,
    on_text,
    some,
    text_of,
)
from tests.reliability.fuzzing.tools import sgi_seeds

from assay.errors import AssayError, ConfigError, TableError, UnknownName
from assay.suites.sgi.families import FAMILIES, Family
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.text import contracts, program, quantities

SETS: dict[Family, str] = {
    "wet_experiment": "wet-v0",
    "idea_generation": "ideas-v0",
    "experimental_reasoning": "reasoning-v0",
    "deep_research": "research-closed-v0",
    "dry_experiment": "dry-v0",
}


@functools.lru_cache
def item(family: Family, number: int = 0) -> dict[str, Any]:
    """The item of a frozen task, its reference included."""
    from assay.suites.sgi.items import item_of
    from assay.task import read_frozen

    path = sorted((ROOT / "tasks/sgi" / SETS[family]).glob("*.json"))[number]
    return dict(item_of(read_frozen(path)))


def replies() -> list[bytes]:
    """Replies of models and of references, each as a text."""
    found = []
    for data in sgi_seeds():
        try:
            found += [
                arguments["text"].encode()
                for tool, arguments in json.loads(data)["calls"]
                if tool == "answer"
            ]
        except ValueError:
            found.append(data)
    for number in range(3):
        found.append(str(item("wet_experiment", number)["answer"]).encode())
    found.append(json.dumps([{"output": "a", "action": "Mix", "params": {"x": [1, "b"]}}]).encode())
    found.append(b"Steps:\n1. a\n\\boxed{\\text{(B)}}\n```\nC\n```")
    return found


def texts(text: str) -> object:
    """All that finds answers in a reply."""
    found = program.parse(text)
    for step in found.steps[:50]:
        program.written(step)
    program.parse_released(text)
    contracts.unfenced(text)
    contracts.choice(text)
    contracts.released_choice(text)
    ideas.parse(text)
    return contracts.json_object(text, ("answer", "Idea"))


def scored(family: Family) -> Callable[[Path], Call]:
    """A reply, scored under every profile."""

    def opened(folder: Path) -> Call:
        from assay.suites.sgi.columns import column
        from assay.suites.sgi.columns.profiles import PROFILES

        rows = [item(family, 0), item(family, 1)]

        def call(data: bytes) -> object:
            text = text_of(data)
            found = []
            for profile in PROFILES:
                for value in column.score(family, rows[len(data) % 2], text, profile):
                    if value.value is not None and not -1e300 < float(value.value) < 1e300:
                        raise Defect(f"{value.metric} is {value.value}")
                    found.append(value.value)
            return found

        return call

    return opened


def small(text: str) -> object:
    """Quantities and outputs of programs: what is read of single lines."""
    from assay.suites.sgi.dry import verdict

    found = None
    for line in text.splitlines()[:20]:
        found = quantities.quantity(line)
        if found is not None:
            quantities.close(found, found)
        quantities.ends(line)
    verdict.same_text("loss 0.5\n1.25", text)
    verdict.same_output('{"a": 1, "b": [0.5, null], "c": NaN}', text, {"b": {"rtol": 0.1}})
    return found


def cell(data: bytes) -> object:
    """A released cell that holds a literal."""
    return ideas.literal(text_of(data)[:100_000])


def query(text: str) -> object:
    """A question in words."""
    from assay.suites.sgi.lab.evaluation.query import understand

    return understand(text, {"wet_experiment": ["buffer"], "deep_research": ["data", "mass balance"]})


@functools.lru_cache
def released_rows(family: Family) -> tuple[dict[str, Any], ...]:
    """Rows with the released columns."""
    from assay.suites.sgi.released.loader import COLUMNS

    return tuple(
        {key: item(family, n)[key] for key in COLUMNS[family] if key in item(family, n)} for n in range(2)
    )


def released(suffix: str) -> Callable[[Path], Call]:
    """A released file; the name of a family stands before it."""

    def opened(folder: Path) -> Call:
        from assay.suites.sgi.released.loader import load

        path = folder / f"test.{suffix}"

        def call(data: bytes) -> object:
            number, _, rest = data.partition(b"\n")
            family = FAMILIES[sum(number) % len(FAMILIES)]
            path.write_bytes(
                gzip.compress(rest, 1, mtime=0) if suffix == "jsonl.gz" and len(rest) % 2 else rest
            )
            found = []
            for strict in (True, False):
                try:
                    found.append(load(path, family, strict=strict))
                except TableError:
                    continue
            return found

        return call

    return opened


def _family_line(family: Family) -> bytes:
    """A line whose sum names the family."""
    return bytes([FAMILIES.index(family)]) + b"\n"


def released_lines() -> list[bytes]:
    """JSONL files of every family."""
    return [
        _family_line(family) + "".join(json.dumps(row) + "\n" for row in released_rows(family)).encode()
        for family in FAMILIES
    ]


def halved_rows() -> list[bytes]:
    """Good rows with half of a surrogate pair, which JSON can say and no table or hash can hold."""
    return [
        _family_line(family) + json.dumps({**released_rows(family)[0], "discipline": "\ud800"}).encode()
        for family in FAMILIES
    ]


def strange_rows() -> list[bytes]:
    """Good rows with a deep nest, and with a function whose name is none."""
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    research = {**released_rows("deep_research")[0], "discipline": deep}
    dry = {**released_rows("dry_experiment")[0], "incomplete_functions": [{"name": []}]}
    return [
        _family_line("deep_research") + json.dumps(research).encode(),
        _family_line("dry_experiment") + json.dumps(dry).encode(),
    ]


def released_parquet() -> list[bytes]:
    """Parquet files of every family."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    found = []
    for family in FAMILIES:
        table = pa.Table.from_pylist(list(released_rows(family)))
        buffer = io.BytesIO()
        with pq.ParquetWriter(buffer, table.schema) as writer:  # noqa: TID251
            writer.write_table(table)
        found.append(_family_line(family) + buffer.getvalue())
    return found


def item_file(path: Path) -> object:
    """An item in a file with a reply, as `assay sgi score` takes them; what would run code is left out."""
    from argparse import Namespace

    from assay.suites.sgi.commands import _score

    reply = path.with_name("reply.txt")
    if not reply.exists():
        reply.write_bytes(b"\n".join(replies()[:6]))
    if b"DryExperiment" in path.read_bytes():
        return None
    return _score(Namespace(item=path, prediction=reply, profile="paper", embedder="hash-tf-v1", json=True))


def items() -> list[bytes]:
    """Items in files."""
    families: tuple[Family, ...] = (
        "wet_experiment",
        "idea_generation",
        "experimental_reasoning",
        "deep_research",
    )
    return [json.dumps(item(family)).encode() for family in families]


def learning(path: Path) -> object:
    """The configuration of learning, with a change."""
    from assay.suites.sgi.lab.learning.configuration import read

    return read(path, {"training.seed": 3})


def reply_file(path: Path) -> object:
    """Replies in a file."""
    from assay.suites.sgi.lab.evaluation.answering import read_replies

    return read_replies(path)


SLOW = b"".join(b"%d" % n + b"1" * 478 + b" " * 519 + b"x\n" for n in range(8))
"""Lines with a number and blanks that were tried in all ways before they were no range: two seconds each."""


def rows() -> list[Door]:
    """The table's part."""
    deep = b"[" * 100_000
    lines = some(
        "3.5 mg",
        "1.2 × 10^-3 mol/L",
        "In Mix, volume is 3 mL.",
        "Finish A before B begins.",
        "5 to 7 degC",
        "±2",
        '{"a": 1, "b": [0.5, null], "c": NaN}',
        "The samples are A-1, B-2, in this order.",
        "loss 0.5\n1.25",
    )
    plain: tuple[Family, ...] = (
        "wet_experiment",
        "idea_generation",
        "experimental_reasoning",
        "deep_research",
    )
    return [
        Door("sgi reply", "text", on_text(texts), replies, (), 50),
        *(Door(f"sgi score of {family}", "text", scored(family), replies, (), 4) for family in plain),
        Door(
            "sgi lines",
            "text",
            on_text(small),
            lines,
            (),
            200,
            broken=(b"9" * 999 + b"e999 mg", "¹²³ mg".encode(), SLOW),
        ),
        Door(
            "sgi literal",
            "text",
            on_bytes(cell),
            some("{'1': 'known'}", '{"error": null}', "['new']", "[1, (2, 3), None, -1.5e3]"),
            (TableError,),
            200,
            broken=(
                b"(" * 300,
                b"1" * 5000,
                b"-" * 5000 + b"1",
                b"'\\ud800'",
                b"{[]: 1}",
                b"1" + b"+1" * 20_000,
            ),
        ),
        Door(
            "sgi question in words",
            "text",
            on_text(query),
            some(
                "wet protocols in chemistry",
                "20 hard dry experiments of level 3",
                "all families, ideas about physics",
            ),
            (UnknownName,),
            10,
            broken=("٣ items".encode(), b"0000 items", b"a " * 500_000),
        ),
        Door(
            "sgi released rows",
            "lines",
            released("jsonl"),
            released_lines,
            (TableError,),
            8,
            broken=(b"\x00\n" + deep, *halved_rows(), *strange_rows()),
        ),
        Door("sgi released rows, packed", "lines", released("jsonl.gz"), released_lines, (TableError,), 3),
        Door("sgi released table", "binary", released("parquet"), released_parquet, (TableError,), 3),
        Door("sgi item in a file", "json", on_file("item.json", item_file), items, (AssayError,), 2),
        Door(
            "sgi replies in a file",
            "lines",
            on_file("replies.jsonl", reply_file),
            some('{"idx": "SGX_WetExperiment_0003", "raw": "the reply"}\n{"idx": "b", "raw": ""}\n'),
            (TableError,),
            15,
            broken=(deep,),
        ),
        Door(
            "config/learning/sgi-ttrl.yaml",
            "yaml",
            on_file("learning.yaml", learning),
            files("config/learning/*.yaml"),
            (ConfigError,),
            4,
            files=("config/learning/*.yaml",),
            broken=(
                b"\xff",
                b"[" * 5000,
                b"1" * 5000,
                b"a: 2001-99-99",
                b"training: 3",
                b"training: []",
                b"&a {training: *a}",
            ),
        ),
    ]
