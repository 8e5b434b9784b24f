"""Named streams give the same numbers everywhere and for ever: these are they."""

from __future__ import annotations

import hashlib
import itertools
import json

import pytest

from assay.numbers import rng
from assay.numbers.rng import Stream


def named() -> Stream:
    return rng.stream(1, "petri", "task-1", "replicate", 7)


def test_bits_are_those_of_splitmix64() -> None:
    """The outputs of the authors' reference code (splitmix64.c) for the states 0 and 1234567."""
    of_zero, of_number = Stream(0), Stream(1234567)
    assert [of_zero.bits() for _ in range(5)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
        0xF88BB8A8724C81EC,
        0x1B39896A51A8749B,
    ]
    assert [of_number.bits() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_key_is_the_hash_of_seed_and_names() -> None:
    assert named().key == 13095512782142535274
    assert rng.stream(2**63 - 1, "é").key == 14066246010311517848
    text = json.dumps([5, "a", 1], separators=(",", ":"))
    assert rng.stream(5, "a", 1).key == int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def test_what_is_drawn_from_a_stream() -> None:
    items = list(range(8))
    assert [named().bits(), named().at] == [1778649001182517875, 0]
    stream = named()
    assert [stream.uniform() for _ in range(3)] == [
        0.09642075555856289,
        0.9534390818737458,
        0.28597919990754905,
    ]
    assert stream.at == 3
    stream = named()
    assert [stream.below(10) for _ in range(12)] == [0, 9, 2, 8, 6, 7, 1, 1, 9, 1, 2, 6]
    named().shuffle(items)
    assert items == [5, 7, 3, 2, 4, 1, 6, 0]
    assert named().sample("abcdefgh", 3) == ["f", "h", "d"]
    assert named().choice("abcdefgh") == "a"
    assert named().child("x", 1).key == 12967866921568929590


def test_names_are_told_apart() -> None:
    streams = [
        rng.stream(1),
        rng.stream(2),
        rng.stream(1, "a"),
        rng.stream(1, "a", "b"),
        rng.stream(1, "b", "a"),
        rng.stream(1, "ab"),
        rng.stream(1, "a,b"),
        rng.stream(1, "1"),
        rng.stream(1, 1),
        rng.stream(1, ""),
    ]
    assert len({stream.key for stream in streams}) == len(streams)


def test_a_child_does_not_depend_on_the_draws_before_it() -> None:
    stream = named()
    before = stream.child("x").key
    stream.bits()
    assert stream.child("x").key == before != stream.child("y").key


def test_uniform_numbers_come_near_both_ends_and_never_reach_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "bits", lambda self: 0)
    assert Stream(0).uniform() == 2.0**-53
    monkeypatch.setattr(Stream, "bits", lambda self: rng.MASK)
    assert Stream(0).uniform() == 1 - 2.0**-53


def test_below_reaches_every_number_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [0] * 7
    for draw in map(rng.stream(1, "below").below, itertools.repeat(7, 7000)):
        counts[draw] += 1
    assert all(870 < count < 1130 for count in counts)  # four and a half standard deviations
    monkeypatch.setattr(Stream, "bits", lambda self: rng.MASK)
    assert Stream(0).below(2**31 - 1) == 2**31 - 2


@pytest.mark.parametrize("n", [0, -1, 2**31])
def test_below_refuses_what_has_no_answer(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Stream(0).below(n)


def test_shuffled_items_are_the_same_items_in_every_order() -> None:
    orders = set()
    for n in range(200):
        items = [1, 2, 3]
        rng.stream(n, "order").shuffle(items)
        orders.add(tuple(items))
    assert orders == set(itertools.permutations([1, 2, 3]))
