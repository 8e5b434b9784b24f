"""Inputs made of real ones: spoilt as bytes, as lines, as JSON values, or mixed from their words.

Every input is a function of the seed, the door and its number: one that broke a door can be made again.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.reliability.fuzzing.door import Door, Form

from assay import canonical

LONG = 1_000_000
"""Characters of the longest texts that are put in."""

SHORT = 2_000
"""Bytes of what once broke a door, to be a seed as well."""

NUMBERS = (
    b"0",
    b"-0",
    b"-1",
    b"1e308",
    b"1e400",
    b"-1e400",
    b"NaN",
    b"-Infinity",
    b"Infinity",
    b"1e-400",
    b"0.1e",
    b"9007199254740993",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"1" + b"0" * 400,
    b"1" * 5000,
    b"0x1F",
    b"1_000",
    b"+1",
    b".5",
    b"5.",
    b"1e+",
    b"true",
    b"null",
    b"010",
    "٣".encode(),
    "²".encode(),
)

ODD = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    "\u2028".encode(),
    "\u202e".encode(),
    "\x85".encode(),
    "ß".encode(),
    "\U0001f9ea".encode(),
    b"\r\n",
    b"\x1b[2J",
    b"\x7f",
    b"../../etc/passwd",
    b"/dev/zero",
    b"<script>",
    b"%s%n",
    b"{}",
    b"{0.__class__}",
    b"'",
    b'"',
    b"\\",
    b"\\ud800",
)

WORDS: dict[Form, tuple[bytes, ...]] = {
    "json": (
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"null",
        b"true",
        b'""',
        b"{}",
        b"[]",
        b"\\u0000",
        b'"a":1,',
    ),
    "yaml": (
        b"&a ",
        b"*a",
        b"<<: *a\n",
        b"!!python/object:os.system ",
        b"!!binary |\n",
        b"!!set ",
        b"!!timestamp ",
        b"2001-99-99",
        b"!!int ",
        b"!!float ",
        b"!!omap ",
        b"? ",
        b"- ",
        b": ",
        b"|\n",
        b">\n",
        b"---\n",
        b"...\n",
        b"%YAML 9.9\n",
        b"{",
        b"[",
        b"\t",
        b"no",
        b"1:30",
        b".inf",
        b".nan",
        b"0o7",
        b"~",
        b"!x ",
        b"&a [*a]",
    ),
    "toml": (
        b"[",
        b"]",
        b"[[",
        b"=",
        b'"""',
        b"'''",
        b".",
        b"inf",
        b"1979-05-27T07:32:00Z",
        b"{",
        b"}",
        b"\n",
    ),
    "expression": (
        b"(",
        b")",
        b"**",
        b"^",
        b"*",
        b"/",
        b"+",
        b"-",
        b"=",
        b"1e9",
        b"base",
        b"c_",
        b"_1",
        b".",
    ),
    "sql": (
        b"SELECT ",
        b"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) ",
        b" FROM students",
        b" UNION ",
        b" JOIN ledger",
        b" ORDER BY 1",
        b" GROUP BY ",
        b"random()",
        b"hex(zeroblob(1000000000))",
        b"printf('%1000000d',1)",
        b"replace(",
        b"group_concat(",
        b"json_each(",
        b"PRAGMA ",
        b"ATTACH 'x' AS y",
        b";",
        b"--",
        b"/*",
        b"'",
        b"x'00'",
        b"load_extension('x')",
        b" GLOB ",
        b" LIKE ",
        b"CAST(",
        b"1e999",
        b"(((((",
        b" COLLATE ",
        b" OVER ()",
        b"*",
        b"?1",
    ),
    "slha": (b"DECAY ", b"BLOCK MASS\n", b"#", b"1000021", b" 2 ", b"\n", b"1.0", b"nan", b"inf", b"-1"),
    "csv": (b",", b"\n", b"event_id", b"nan", b"inf", b"1e400", b'"', b";", b"\r", b"weight"),
    "text": (
        b"<answer>",
        b"</answer>",
        b"```json\n",
        b"```",
        b"\\boxed{",
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
        b" = <",
        b">(",
        b"<think>",
        b"</think>",
        b"#",
        b"=",
        b",",
        b"\n",
        b'"',
        b"'",
        b"A",
        b"1",
        b"e-3",
    ),
}

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"\w+|\s+|.", re.DOTALL)


def stream(seed: int, door: str, number: int) -> random.Random:
    """The chance of one input."""
    return random.Random(f"{seed} {door} {number}")


class Mutator:
    """Makes inputs for a door from its seeds."""

    def __init__(self, door: Door, seeds: Sequence[bytes]) -> None:
        self.seeds = [*seeds, *(data for data in door.broken if len(data) < SHORT)] or [b""]
        self._door = door
        form = door.form
        jsonlike = form in ("json", "lines", "recording", "calls")
        self._words = (*WORDS.get("json" if jsonlike else form, WORDS["text"]), *NUMBERS, *ODD)
        self._ways: list[Callable[[random.Random, bytes], bytes]] = [
            self._flip,
            self._cut_out,
            self._twice,
            self._word,
            self._word,
            self._number,
            self._truncated,
            self._joined,
            self._line,
            self._odd_byte,
        ]
        if jsonlike:
            self._ways += [self._value] * 10
        if form in ("yaml", "toml"):
            self._ways += [self._indent, self._key_twice, self._value_gone, self._value_gone]
        self._chains = _chains(self.seeds) if form not in ("binary", "recording") else {}

    def make(self, rng: random.Random) -> bytes:
        """One input."""
        if self._chains and rng.random() < 0.12:
            return self._mixed(rng)
        data = rng.choice(self.seeds)
        if rng.random() < 0.004:
            return self._huge(rng, data)
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
            data = rng.choice(self._ways)(rng, data)
        if self._door.form == "recording" and rng.random() < 0.6:
            data = rechained(data)
        return data

    def spoil(self, rng: random.Random, data: bytes) -> bytes:
        """Another input near this one."""
        data = rng.choice(self._ways)(rng, data)
        return rechained(data) if self._door.form == "recording" and rng.random() < 0.6 else data

    # ------------------------------------------------------------ as bytes

    def _flip(self, rng: random.Random, data: bytes) -> bytes:
        if not data:
            return b"\x00"
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]

    def _odd_byte(self, rng: random.Random, data: bytes) -> bytes:
        at = rng.randint(0, len(data))
        return data[:at] + rng.choice(ODD) + data[at:]

    def _cut_out(self, rng: random.Random, data: bytes) -> bytes:
        start, end = _span(rng, data)
        return data[:start] + data[end:]

    def _twice(self, rng: random.Random, data: bytes) -> bytes:
        start, end = _span(rng, data)
        return data[:end] + data[start:end] * rng.choice((1, 1, 2, 20)) + data[end:]

    def _word(self, rng: random.Random, data: bytes) -> bytes:
        start, end = _span(rng, data) if rng.random() < 0.4 else (rng.randint(0, len(data)),) * 2
        return data[:start] + rng.choice(self._words) + data[end:]

    def _number(self, rng: random.Random, data: bytes) -> bytes:
        found = list(NUMBER.finditer(data))
        if not found:
            return self._word(rng, data)
        match = rng.choice(found)
        return data[: match.start()] + rng.choice(NUMBERS) + data[match.end() :]

    def _truncated(self, rng: random.Random, data: bytes) -> bytes:
        return data[: rng.randint(0, len(data))]

    def _joined(self, rng: random.Random, data: bytes) -> bytes:
        other = rng.choice(self.seeds)
        return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]

    def _line(self, rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        how = rng.randrange(3)
        if how == 0:
            lines[a], lines[b] = lines[b], lines[a]
        elif how == 1:
            lines.insert(a, lines[b])
        else:
            del lines[a]
        return b"\n".join(lines)

    # ------------------------------------------------------------ as lines with keys

    def _indent(self, rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        lines[at] = b"  " + lines[at] if rng.random() < 0.5 else lines[at].lstrip()
        return b"\n".join(lines)

    def _key_twice(self, rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        return b"\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]])

    def _value_gone(self, rng: random.Random, data: bytes) -> bytes:
        """Another value behind a key."""
        lines = data.split(b"\n")
        sign = b"=" if self._door.form == "toml" else b":"
        places = [at for at, line in enumerate(lines) if sign in line]
        if not places:
            return self._word(rng, data)
        at = rng.choice(places)
        key, _, _ = lines[at].partition(sign)
        lines[at] = (
            key
            + sign
            + b" "
            + rng.choice(
                (*NUMBERS, b"[]", b"{}", b"[{}]", b"text", b"", b"''", b"*a", b"&a [x]", b"!!set {a}")
            )
        )
        return b"\n".join(lines)

    # ------------------------------------------------------------ as JSON

    def _value(self, rng: random.Random, data: bytes) -> bytes:
        """A JSON value (of one line) with one place changed; keys may come twice."""
        lines = [data] if self._door.form in ("json", "calls") else data.split(b"\n")
        at = rng.randrange(len(lines))
        try:
            value = json.loads(lines[at])
        except (ValueError, RecursionError):
            return self._word(rng, data)
        spoilt = _spoilt(rng, value, self._other(rng))
        try:
            lines[at] = json.dumps(spoilt, ensure_ascii=rng.random() < 0.2).encode("utf-8", "surrogatepass")
        except (ValueError, RecursionError):
            return data
        return b"\n".join(lines)

    def _other(self, rng: random.Random) -> Any:
        """A value to be put in the place of another."""
        return rng.choice(
            (
                None,
                True,
                False,
                0,
                -1,
                2,
                1e308,
                float("nan"),
                float("inf"),
                10**30,
                10**400,
                0.1,
                "",
                "a",
                "\x00",
                "\ud800",
                "x" * 5000,
                [],
                {},
                [[]],
                {"a": {}},
                [1, "a", None],
                {"": 0},
                -0.0,
                "1",
                "é",
                [0] * 300,
                {"kind": "x"},
                "set",
                "<answer>",
                "{}",
                {"__class__": "x"},
                2**53 + 1,
                -(2**63) - 1,
            )
        )

    # ------------------------------------------------------------ mixed, huge

    def _mixed(self, rng: random.Random) -> bytes:
        """A walk from word to word, each of which follows the other somewhere in the seeds."""
        word = rng.choice(rng.choice(self.seeds).split() or [b""])[:40]
        found = [word]
        for _ in range(rng.choice((5, 20, 60, 200))):
            if rng.random() < 0.08:
                word = rng.choice(self._words)
            else:
                word = rng.choice(self._chains.get(found[-1]) or self._chains[b""])
            found.append(word)
        return b"".join(found)

    def _huge(self, rng: random.Random, data: bytes) -> bytes:
        """A text of a million signs, or of very many levels, somewhere in a real input."""
        at = rng.randint(0, len(data))
        unit = rng.choice(
            (
                b"a",
                b" ",
                b"[",
                b"{",
                b"(",
                b"\n",
                b"1",
                b'{"a":',
                b"- ",
                b"9.",
                b"\x00",
                b"-",
                b"'",
                b"a,",
                b"x=",
                b"*a,",
            )
        )
        return data[:at] + unit * (LONG // len(unit)) + data[at:]


def rechained(data: bytes) -> bytes:
    """The lines of a recording with their chain computed anew, as a forger would."""
    chain, lines = "", []
    for raw in data.split(b"\n"):
        try:
            line = json.loads(raw)
            line.pop("chain", None)
            chain = hashlib.sha256((chain + canonical.dumps(line)).encode()).hexdigest()
            lines.append(canonical.dumps({**line, "chain": chain}).encode())
        except (ValueError, TypeError, AttributeError, RecursionError):
            lines.append(raw)
    return b"\n".join(lines)


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 10, 40, 200)))


def _chains(seeds: Sequence[bytes]) -> dict[bytes, list[bytes]]:
    """For each word of the seeds those that follow it; behind the empty word all of them."""
    found: dict[bytes, list[bytes]] = {}
    for seed in seeds:
        words = WORD.findall(seed[:20_000])
        for a, b in itertools.pairwise(words):
            found.setdefault(a, []).append(b)
        found.setdefault(b"", []).extend(words)
    return found


class _Twice(dict[str, Any]):
    """An object that is written with one of its keys twice."""

    def __init__(self, value: dict[str, Any], key: str, other: Any) -> None:
        super().__init__(value)
        self._more = (key, other)

    def items(self) -> Any:
        return [*super().items(), self._more]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all that a JSON value holds, itself included."""
    found, waiting = [], [(value, path)]
    while waiting:
        inner, at = waiting.pop()
        found.append(at)
        if isinstance(inner, dict):
            waiting += [(below, (*at, key)) for key, below in inner.items()]
        elif isinstance(inner, list):
            waiting += [(below, (*at, n)) for n, below in enumerate(inner)]
        if len(found) > 3000:
            break
    return found


def _spoilt(rng: random.Random, value: Any, other: Any) -> Any:
    places = _places(value)
    path = rng.choice(places)
    how = rng.random()
    if not path:
        return other if how < 0.3 else [value] if how < 0.6 else value
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    if how < 0.45:
        holder[key] = other
    elif how < 0.6:
        del holder[key]
    elif how < 0.7 and isinstance(holder, dict):
        holder[rng.choice(("", "a", "kind", str(key) + " ", "x" * 300))] = other
    elif how < 0.75 and isinstance(holder, dict):
        parent = value
        for step in path[:-2]:
            parent = parent[step]
        twice = _Twice(holder, str(key), other)
        if len(path) == 1:
            return twice
        parent[path[-2]] = twice
    elif how < 0.85:
        source: Any = value
        for step in rng.choice(places):
            source = source[step]
        holder[key] = json.loads(json.dumps(source))
    elif how < 0.93 and isinstance(holder[key], str):
        text = holder[key]
        at = rng.randint(0, len(text))
        word = rng.choice(
            ("\x00", "\ud800", "x" * 3000, "\n", "é", "{", "}", "1", " ", "-", "=", "/", "..", "\u2028")
        )
        holder[key] = text[:at] + word + text[at + rng.randrange(3) :]
    elif isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] = rng.choice(
            (
                holder[key] + 1,
                -holder[key],
                holder[key] * 10,
                float(holder[key]) if abs(holder[key]) < 1e300 else 0,
                10**20,
                1e-9,
                str(holder[key]),
            )
        )
    else:
        deep: Any = holder[key]
        for _ in range(rng.choice((1, 10, 90, 120, 600))):
            deep = [deep]
        holder[key] = deep
    return value
