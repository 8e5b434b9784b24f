"""Commitments: what is published before, what is revealed, and which seed follows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.protocol.madeup import SUITE
from tests.protocol.madeup import tasks as madeup

from assay.cli.main import main
from assay.config.sets import find_recipe, find_set
from assay.errors import ConfigError
from assay.protocol import COMMITTED, TaskSet
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


def test_a_set_is_committed_to_revealed_and_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {"urns-v1": TaskSet(2, COMMITTED, "two urns", {"small": 8, "large": 24})}
    monkeypatch.setattr(madeup, "SETS", sets)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text(
        json.dumps({"suites": {"madeup": {"package": SUITE.package, "settings": "config/madeup.yaml"}}})
    )
    (tmp_path / "config/madeup.yaml").write_text("sets: {}")
    (tmp_path / "config/agents.yaml").write_text("agents: {}")
    command = ["tasks", "madeup", "urns-v1"]

    assert main([*command, "--commit", "secret"]) == 0
    published = read(tmp_path / "tasks/madeup/urns-v1")
    assert published.secret is None
    assert main([*command, "--commit", "another"]) == 1
    assert "a commitment is made once" in capsys.readouterr().err
    assert not (tmp_path / "another").exists()

    assert find_set(SUITE, "urns-v1").size == 2
    with pytest.raises(ConfigError, match="before its host reveals"):
        find_recipe(SUITE, "urns-v1")
    assert find_recipe(SUITE, "urns-v1", 5).seed == 5
    assert main(command) == 1
    assert "before its host reveals the committed secret" in capsys.readouterr().err

    (tmp_path / "other").write_bytes(bytes(SIZE))
    assert main([*command, "--reveal", "other"]) == 1
    assert "not the bytes of the commitment" in capsys.readouterr().err
    assert main([*command, "--reveal", "secret"]) == 0
    secret = (tmp_path / "secret").read_bytes()
    assert read(tmp_path / "tasks/madeup/urns-v1").secret == secret.hex()
    seed = seed_of(secret, "madeup", "urns-v1")
    assert f"declare the seed {seed} " in capsys.readouterr().out

    sets["urns-v1"] = replace(sets["urns-v1"], seed=seed)
    assert main(command) == 0
    assert len(list((tmp_path / "tasks/madeup/urns-v1").glob("*.json"))) == 2
