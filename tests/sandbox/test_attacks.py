"""The attack corpus: each case ends in a logged refusal or at a limit, and leaves all else as it was."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sandbox.arena import WAYS, Arena, Attack, arena, attacks

CORPUS = attacks()
NAMES = [attack.name for attack in CORPUS]
REPETITIONS = 20
AT_ONCE = 2


@pytest.fixture(scope="module")
def strongest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena("strongest", tmp_path_factory.mktemp("arena")) as opened:
        yield opened


@pytest.mark.parametrize("attack", CORPUS, ids=NAMES)
def test_attack(strongest: Arena, attack: Attack) -> None:
    strongest.play(attack)


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
@pytest.mark.parametrize("way", [way for way in WAYS if way != "strongest"])
def test_attacks_in_other_ways(way: str, tmp_path: Path) -> None:
    failed = {}
    with arena(way, tmp_path) as opened:
        assert opened.level == ("reduced" if way == "without namespaces" else "full")
        for attack in CORPUS:
            try:
                opened.play(attack)
            except AssertionError as problem:
                failed[attack.name] = str(problem)[:500]
    assert not failed, "\n".join(f"{name}: {why}" for name, why in failed.items())


@pytest.mark.full
def test_attacks_again_and_again(tmp_path: Path) -> None:
    """Twenty times each, in random order, two at a time."""
    played = CORPUS * REPETITIONS
    random.Random(1).shuffle(played)
    failed: list[str] = []

    def work(number: int) -> None:
        place = tmp_path / str(number)
        place.mkdir()
        with arena("strongest", place) as opened:
            for attack in played[number::AT_ONCE]:
                try:
                    opened.play(attack)
                except AssertionError as problem:
                    failed.append(f"{attack.name}: {str(problem)[:500]}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(AT_ONCE)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
