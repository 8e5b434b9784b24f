"""Inputs made by hypothesis from the grammar of a door: shapes of real values, expressions, statements."""

from __future__ import annotations

import json
import re
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.protocol.calls import ANYTHING, sequences
from tests.reliability.fuzzing import tools
from tests.reliability.fuzzing.bounds import Opened, told
from tests.reliability.fuzzing.door import Door
from tests.reliability.fuzzing.mutation import NUMBERS, ODD, WORDS, rechained

ODD_TEXT = st.text(st.characters(codec=None), max_size=12)
LEAF = st.one_of(ANYTHING, st.floats(), ODD_TEXT, st.integers())


def inputs(door: Door) -> st.SearchStrategy[bytes]:
    """Inputs of a door, by its form."""
    seeds = list(door.seeds())[:12]
    if door.form == "calls":
        return _calls(door)
    if door.form in ("json", "lines", "recording"):
        return _json(door, seeds)
    if door.form == "yaml":
        return st.one_of(_yaml(seeds), _words(door, seeds))
    made = {"expression": EXPRESSION, "sql": SQL, "slha": SLHA, "csv": CSV}.get(door.form)
    if made is not None:
        return st.one_of(made.map(lambda text: text.encode("utf-8", "surrogatepass")), _words(door, seeds))
    if door.form == "binary":
        return st.one_of(st.binary(max_size=200), _edited(seeds))
    return _words(door, seeds)


def shape(value: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values like this one: keys may be missing or more, leaves other ones of their kind, or of any."""
    if depth > 6:
        return st.just(value)
    if isinstance(value, dict):
        known = {
            key: st.one_of(shape(inner, depth + 1), shape(inner, depth + 1), LEAF)
            for key, inner in list(value.items())[:30]
        }
        fixed = st.fixed_dictionaries({}, optional=known)
        return st.one_of(
            st.fixed_dictionaries(known),
            fixed,
            st.builds(lambda a, b: {**a, **b}, fixed, st.dictionaries(ODD_TEXT, LEAF, max_size=2)),
        )
    if isinstance(value, list):
        inner = st.one_of([shape(one, depth + 1) for one in value[:6]]) if value else LEAF
        return st.lists(inner, max_size=min(len(value) + 2, 8))
    if isinstance(value, bool) or value is None:
        return st.sampled_from([True, False, None])
    if isinstance(value, int | float):
        return st.one_of(st.just(value), st.integers(-3, 100), st.floats(), st.integers())
    return st.one_of(
        st.just(value), st.just(value), ODD_TEXT, st.builds(lambda a, b: a + b, st.just(value), ODD_TEXT)
    )


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _json(door: Door, seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    found = []
    for seed in seeds:
        try:
            lines = [json.loads(line) for line in ([seed] if door.form == "json" else seed.splitlines()[:12])]
        except ValueError:
            continue
        found.append(st.tuples(*map(shape, lines)) if len(lines) < 13 else st.just(tuple(lines)))
    text = st.one_of(found or [st.tuples(LEAF)]).map(
        lambda values: b"\n".join(map(_dumped, values)) + b"\n" * (door.form != "json")
    )
    return text.map(rechained) if door.form == "recording" else text


def _yaml(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """JSON is YAML; so is what another library writes."""
    import yaml

    found = []
    for seed in seeds:
        try:
            found += [shape(page) for page in yaml.safe_load_all(seed)]
        except yaml.YAMLError:
            continue
    return st.one_of(found or [LEAF]).map(
        lambda value: json.dumps(value, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass")
    )


def _calls(door: Door) -> st.SearchStrategy[bytes]:
    """Calls whose arguments fit the tools' schemas, or nearly."""
    from assay.episodes.harness import open_episode

    names = {
        "petri": tools.PETRI,
        "causalab": tools.CAUSALAB,
        "collider": tools.COLLIDER,
        "pilab": tools.PILAB,
        "sgi": tools.SGI,
    }[door.suite]
    found, made, materials = tools.tasks(door.suite, names)
    wrap = (
        (lambda tool, arguments: ("act", {"tool": tool, "arguments": arguments}))
        if door.suite == "pilab"
        else None
    )
    each = []
    for number, task in enumerate(made):
        with open_episode(found, task, "nobody", 0, materials) as episode:
            brief = episode.harness.brief
        calls = sequences(brief, wrap, frozenset({"run_code", "python", "run_analysis"}))
        each.append(
            st.builds(
                lambda n, calls: _dumped({"task": n, "calls": [list(call) for call in calls]}),
                st.just(number),
                calls,
            )
        )
    return st.one_of(each)


def _words(door: Door, seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """The words of real inputs and of the grammar, in any order."""
    words = sorted({word for seed in seeds for word in re.findall(rb"\w+|\s+|[^\w\s]+", seed[:4000])})
    known = [*words, *WORDS.get(door.form, WORDS["text"]), *NUMBERS, *ODD]
    return st.lists(st.sampled_from(known), max_size=60).map(b"".join)


def _edited(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """A real input with a few of its bytes changed."""

    def edit(seed: bytes, edits: list[tuple[float, int]]) -> bytes:
        data = bytearray(seed)
        for place, byte in edits:
            if data:
                data[int(place * (len(data) - 1))] = byte
        return bytes(data)

    return st.builds(
        edit,
        st.sampled_from(seeds or [b""]),
        st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=5),
    )


NUMBER = st.one_of(
    st.integers(-5, 10**20).map(str), st.floats().map(repr), st.sampled_from([n.decode() for n in NUMBERS])
)

EXPRESSION = st.recursive(
    st.one_of(NUMBER, st.sampled_from(["a", "b", "base", "density", "c_density", "x_1", "é", ""])),
    lambda inner: st.one_of(
        st.builds(
            lambda a, s, b: f"{a}{s}{b}",
            inner,
            st.sampled_from(["+", "-", "*", "/", "^", "**", " = ", ","]),
            inner,
        ),
        inner.map(lambda a: f"({a})"),
        inner.map(lambda a: f"-{a}"),
    ),
    max_leaves=20,
)

_COLUMN = st.sampled_from(
    ["id", "month", "topic", "status", "amount", "name", "members", "*", "rowid", "sqlite_master"]
)
_VALUE = st.recursive(
    st.one_of(_COLUMN, NUMBER, st.sampled_from(["NULL", "'a'", "x'00'", "?", ":a", "'%'"])),
    lambda inner: st.one_of(
        st.builds(
            lambda a, s, b: f"{a} {s} {b}",
            inner,
            st.sampled_from(["+", "||", "=", "<", "AND", "LIKE", "GLOB", "IN", "->>", "<<", "IS"]),
            inner,
        ),
        st.builds(
            lambda f, a: f"{f}({a})",
            st.sampled_from(
                [
                    "count",
                    "max",
                    "sum",
                    "hex",
                    "abs",
                    "printf",
                    "json",
                    "json_each",
                    "replace",
                    "random",
                    "group_concat",
                    "substr",
                    "char",
                    "date",
                    "unicode",
                ]
            ),
            inner,
        ),
        inner.map(lambda a: f"({a})"),
        inner.map(lambda a: f"CASE WHEN {a} THEN 1 ELSE {a} END"),
    ),
    max_leaves=8,
)
_TABLE = st.sampled_from(
    [
        "students",
        "projects",
        "ledger",
        "news",
        "events",
        "venues",
        "sqlite_master",
        "nothing",
        "json_each('[1,2]')",
    ]
)
SQL = st.recursive(
    st.builds(lambda v, t, w: f"SELECT {v} FROM {t} WHERE {w}", _VALUE, _TABLE, _VALUE),
    lambda inner: st.one_of(
        st.builds(
            lambda a, s, b: f"{a} {s} {b}",
            inner,
            st.sampled_from(["UNION", "UNION ALL", "EXCEPT", ";"]),
            inner,
        ),
        st.builds(lambda a, v: f"{a} ORDER BY {v} LIMIT {v}", inner, _VALUE),
        st.builds(lambda a, v: f"SELECT {v} FROM ({a})", inner, _VALUE),
        inner.map(
            lambda a: f"WITH RECURSIVE c(x) AS ({a} UNION ALL SELECT x + 1 FROM c) SELECT x FROM c, c AS d"
        ),
    ),
    max_leaves=3,
)

_LINE = st.one_of(
    st.builds(lambda n, w: f"DECAY {n} {w}", NUMBER, NUMBER),
    st.builds(lambda r, n, d: f"  {r} {n} {' '.join(d)} # x", NUMBER, NUMBER, st.lists(NUMBER, max_size=4)),
    st.builds(lambda a: f"BLOCK {a}", ODD_TEXT),
    ODD_TEXT,
)
SLHA = st.lists(_LINE, max_size=12).map("\n".join)

CSV = st.builds(
    lambda head, rows: "\n".join([",".join(head), *(",".join(row) for row in rows)]),
    st.permutations(["event_id", "weight", "selected", "ptmiss"]),
    st.lists(st.lists(NUMBER, min_size=3, max_size=5), max_size=6),
)


def hold(door: Door, count: int, seed: int) -> None:
    """Try so many made inputs; fails with the shortest that breaks the door."""
    with Opened(door) as opened:

        @hypothesis.seed(seed)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(inputs(door))
        def check(data: bytes) -> None:
            finding = opened.try_(data)
            assert finding is None, f"seed {seed}: {told(finding)}"

        check()
