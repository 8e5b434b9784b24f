"""The episode log and its two tables' rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import canonical
from assay.episode import (
    Episode,
    Event,
    blobs_of,
    decode_parts,
    encode_parts,
    episode_row,
    event_rows,
    from_rows,
)
from assay.protocol import BlobRef, Part

REF = BlobRef("ab" * 32, "image/png", 10)


def event(step: int, **changes: Any) -> Event:
    plain = Event(step, None, "call", "draw", {"n": 1}, ("text", REF, {"x": [1.5, None]}), True, None, 1)
    return replace(plain, **changes)


EPISODE = Episode(
    suite="s",
    task_set="set",
    task_id="t",
    agent="a",
    attempt=2,
    status="budget",
    reason="more than 60 calls",
    submission={"red": 3},
    counters={"draw": 1, "calls": 4},
    events=(
        event(0),
        event(1, ok=False, error="no", parts=(), charged=0),
        event(2, tool="run"),
        event(3, tool="draw", kind="code", parent=2),
    ),
    tokens_in=10,
    tokens_out=20,
    source="recording",
    scaffold_sha256="cd" * 32,
    privileged=True,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PARTS = st.lists(JSON | st.builds(BlobRef, st.text(), st.text(), st.integers()), max_size=4)


@given(PARTS)
def test_parts_are_told_apart_in_json(parts: list[Part]) -> None:
    """A text stays a text, whatever it holds, and data that look like a content stay data."""
    encoded = canonical.loads(canonical.dumps(encode_parts(parts)))
    assert decode_parts(encoded) == tuple(parts)


def test_data_that_look_like_parts_are_data() -> None:
    for part in ({"text": "x"}, {"blob": {"sha256": "x", "media_type": "y", "size": 1}}, {"json": None}):
        assert decode_parts(encode_parts([part])) == (part,)


def test_an_event_reads_back() -> None:
    for one in EPISODE.events:
        assert Event.from_json(canonical.loads(canonical.dumps(one.to_json()))) == one
    assert blobs_of(EPISODE.events[0]) == [REF.sha256]


@pytest.mark.parametrize("name", ["parts", "arguments", "step"])
def test_half_an_event_is_none(name: str) -> None:
    value = EPISODE.events[0].to_json()
    del value[name]
    with pytest.raises((KeyError, TypeError)):
        Event.from_json(value)


def test_an_episode_reads_back_from_its_rows() -> None:
    assert from_rows(episode_row(EPISODE), event_rows(EPISODE)) == EPISODE
    bare = replace(EPISODE, submission=None, events=(), tokens_in=None, tokens_out=None, scaffold_sha256=None)
    assert episode_row(bare)["submission"] is None
    assert from_rows(episode_row(bare), event_rows(bare)) == bare


def test_rows_are_canonical() -> None:
    row = episode_row(EPISODE)
    assert row["counters"] == '{"calls":4,"draw":1}'
    assert row["n_events"] == 4
    first = next(event_rows(EPISODE))
    assert first["arguments"] == '{"n":1}'
    assert first["blobs"] == f'["{REF.sha256}"]'


def test_the_log_is_known_by_its_digest() -> None:
    assert replace(EPISODE, agent="b", status="done", submission=None).log_sha256 == EPISODE.log_sha256
    for changed in (
        event(0, tool="other"),
        event(0, arguments={"n": 1.0}),
        event(0, parts=("text", {"x": [1.5, None]}, REF)),
        event(0, charged=0),
        event(0, kind="code"),
    ):
        assert replace(EPISODE, events=(changed, *EPISODE.events[1:])).log_sha256 != EPISODE.log_sha256
    assert replace(EPISODE, events=()).log_sha256 == canonical.digest([])


def test_calls_are_those_of_the_agent() -> None:
    assert [e.step for e in EPISODE.calls("draw")] == [0]
    assert [e.step for e in EPISODE.calls("draw", ok=False)] == [0, 1]
    assert EPISODE.calls("fly") == ()
