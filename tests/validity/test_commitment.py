"""Commitments: what is published before, what is revealed, and which seed follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import ConfigError
from assay.validity import commitment
from assay.validity.commitment import NAME, SIZE, commit, draw, read, seed_of, write

SECRET = bytes(range(SIZE))


def test_what_was_committed_to_can_be_revealed_and_rebuilt(tmp_path: Path) -> None:
    write(tmp_path / "core-v1", commit(SECRET))
    published = read(tmp_path / "core-v1")
    assert published.secret is None
    assert SECRET.hex() not in (tmp_path / "core-v1" / NAME).read_text()
    write(tmp_path / "core-v1", published.revealed(SECRET))
    assert bytes.fromhex(read(tmp_path / "core-v1").secret or "") == SECRET


def test_seeds_follow_from_the_secret_and_differ_by_set() -> None:
    seeds = {seed_of(SECRET, suite, name) for suite in ("petri", "sgi") for name in ("a-v1", "b-v1")}
    assert len(seeds) == 4
    assert all(0 <= seed < 1 << 63 for seed in seeds)
    assert seed_of(SECRET, "petri", "core-v1") == 4021739423510105403


def test_secrets_are_drawn_anew() -> None:
    assert len({draw() for _ in range(10)}) == 10
    assert len(draw()) == SIZE


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not the bytes of the commitment"):
        commit(SECRET).revealed(bytes(SIZE))
    with pytest.raises(ConfigError, match="32 bytes, not 3"):
        commit(b"abc")
    write(tmp_path, commitment.Commitment("0" * 64, SECRET.hex()))
    with pytest.raises(ConfigError, match="not the bytes"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"sha256":"x","secret":"no hex"}'])
def test_what_is_no_commitment_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(ConfigError, match="is no commitment"):
        read(tmp_path)


def test_a_missing_commitment_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path)
