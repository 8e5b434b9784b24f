"""The attack corpus: each case ends in a logged refusal or at a limit, and leaves all else as it was."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.arena import WAYS, Arena, Attack, arena, attacks, play_all

from assay.sandbox.template import warm

CORPUS = attacks()
NAMES = [attack.name for attack in CORPUS]
REPETITIONS = 20
AT_ONCE = 2


@pytest.fixture(scope="module")
def strongest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena("strongest", tmp_path_factory.mktemp("arena")) as opened:
        yield opened
        opened.check_fresh_box()


def _marked(attack: Attack) -> Any:
    return pytest.param(attack, id=attack.name, marks=pytest.mark.full if attack.variant else ())


@pytest.mark.parametrize("attack", [_marked(attack) for attack in CORPUS])
def test_attack(strongest: Arena, attack: Attack) -> None:
    strongest.play(attack, fresh=False)


def test_the_corpus_is_large_and_says_what_it_is_for() -> None:
    assert len(CORPUS) >= 80
    assert len(set(NAMES)) == len(NAMES)
    assert all(attack.harm and attack.endings for attack in CORPUS)


def test_an_attack_that_gets_through_is_noticed(strongest: Arena) -> None:
    through = Attack("through", "prints the secret", f"print({strongest.secret!r})", ("ok",))
    with pytest.raises(AssertionError, match="leaked"):
        strongest.play(through)
    with pytest.raises(AssertionError, match="HARM"):
        strongest.play(Attack("through", "says that it did", "harm()", ("ok",)))


@pytest.mark.full
@pytest.mark.parametrize("way", WAYS)
def test_attacks_in_every_way(way: str, tmp_path: Path) -> None:
    """And after each attack a fresh box is looked at."""
    level = "reduced" if way == "without namespaces" else "full"
    offer = warm((), ()).offer
    if (offered := offer.level(offer.walls(WAYS[way]))) != level:
        pytest.skip(f"this machine offers the level {offered}")
    assert play_all(way, tmp_path / "arena", NAMES) == []


@pytest.mark.soak
def test_attacks_again_and_again(tmp_path: Path) -> None:
    """Twenty times each, in random order, two at a time."""
    played = NAMES * REPETITIONS
    random.Random(1).shuffle(played)
    with ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("spawn")) as workers:
        parts = [
            workers.submit(play_all, "strongest", tmp_path / str(part), played[part::AT_ONCE])
            for part in range(AT_ONCE)
        ]
        assert [failed for part in parts for failed in part.result()] == []
