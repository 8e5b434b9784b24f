"""Messages over the channel: what crosses, what does not, and whom a deadline frees."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.sandbox.inside.channel import (
    DEEPEST,
    OVERHEAD,
    Channel,
    Closed,
    Late,
    Malformed,
    TooLong,
    decode,
    encode,
)

MOST = 1 << 16

values = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(10**30), 10**30)
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.text(some.characters()),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4),
    max_leaves=20,
)


class Ends:
    """Both ends: `near` with deadlines as the parent has it, `far` without, as a box has it."""

    def __init__(self) -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        self.sockets = (near, far)
        self.near, self.far = Channel(near.fileno(), MOST), Channel(far.fileno(), MOST)

    def raw(self, data: bytes) -> None:
        self.sockets[1].sendall(data)


@pytest.fixture
def ends() -> Iterator[Ends]:
    both = Ends()
    yield both
    for end in both.sockets:
        end.close()


@given(values)
def test_a_value_comes_back(value: Any) -> None:
    assert decode(encode(value)) == value
    assert encode(decode(encode(value))) == encode(value)


def test_the_text_is_canonical() -> None:
    assert encode({"b": [1.0, "é"], "a": None}) == b'{"a":null,"b":[1.0,"\\u00e9"]}'


def test_arrays_become_lists() -> None:
    assert encode({"a": np.arange(3), "b": np.float64(0.5), "c": np.bool_(True)}) == (
        b'{"a":[0,1,2],"b":0.5,"c":true}'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"x", 10**5000], ids=type)
def test_what_is_no_json_is_not_sent(ends: Ends, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        ends.far.send(["x", value])
    ends.far.send(["next"])
    assert ends.near.receive(time.monotonic() + 1) == ["next"]


def test_messages_arrive_in_order_however_they_are_cut(ends: Ends) -> None:
    data = b"".join(len(text).to_bytes(4, "big") + text for text in (encode([n]) for n in range(50)))

    def trickle() -> None:
        for at in range(0, len(data), 3):
            ends.raw(data[at : at + 3])

    writer = threading.Thread(target=trickle)
    writer.start()
    assert [ends.near.receive(time.monotonic() + 5) for _ in range(50)] == [[n] for n in range(50)]
    writer.join()
    assert ends.near.received == len(data) - 50 * 4 + 50 * OVERHEAD


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nonsense",
        b"[1,",
        b"[NaN]",
        b"[-Infinity]",
        b"[1e999]",
        b'{"a":1,"a":2}',
        b"\xff\xfe",
        '["é"]'.encode(),
        b"9" * 5000,
        b"[" * 30_000 + b"]" * 30_000,
        b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1),
        b'["\\\\",' + b'{"a":' * DEEPEST + b"1" + b"}" * DEEPEST + b"]",
        b'["' + b'\\"' * 30_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_no_message_is_refused(ends: Ends, text: bytes) -> None:
    ends.raw(len(text).to_bytes(4, "big") + text)
    with pytest.raises(Malformed):
        ends.near.receive(time.monotonic() + 1)


def test_depth_is_counted_outside_of_texts() -> None:
    deepest: Any = "[" * 200 + '\\"{' * 200
    for _ in range(DEEPEST):
        deepest = [deepest]
    assert decode(encode(deepest)) == deepest
    with pytest.raises(ValueError, match="levels deep"):
        encode([deepest])
    wide: list[Any] = [[{}]] * 1000
    assert decode(encode(wide)) == wide


def test_a_length_is_not_believed(ends: Ends) -> None:
    ends.raw((MOST + 1).to_bytes(4, "big"))
    with pytest.raises(TooLong):
        ends.near.receive(time.monotonic() + 1)
    longest = "x" * (MOST - 2)
    ends.far.check(longest)
    with pytest.raises(TooLong, match=f"{MOST + 1} bytes; {MOST} is the most"):
        ends.far.send(longest + "x")


def test_a_reader_does_not_wait_for_ever(ends: Ends) -> None:
    ends.raw((100).to_bytes(4, "big") + b"[")
    began = time.monotonic()
    with pytest.raises(Late):
        ends.near.receive(began + 0.05)
    assert 0.05 <= time.monotonic() - began < 10


def test_a_writer_does_not_wait_for_ever(ends: Ends) -> None:
    began = time.monotonic()
    with pytest.raises(Late):
        while True:
            ends.near.send("x" * 60_000, began + 0.05)
    assert 0.05 <= time.monotonic() - began < 10


def test_the_other_side_is_gone(ends: Ends) -> None:
    ends.raw(b"\0\0")
    ends.sockets[1].close()
    with pytest.raises(Closed):
        ends.near.receive(time.monotonic() + 1)
    with pytest.raises(Closed):
        ends.near.send(1)


def test_both_sides_write_the_same_json_as_the_standard_library() -> None:
    value = {"a": [1, 2.5, "x", None, True], "b": {"c": -0.0}}
    assert json.loads(encode(value)) == value
