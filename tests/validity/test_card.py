"""The card of a set: its numbers from known scores, and its rules at their borders."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from assay.numbers import rng
from assay.protocol import Yardstick
from assay.tables.schemas.validity import ABILITIES, VALIDITY
from assay.validity.card import Played, card, is_gameable

PERCENT = Yardstick(100.0, ("guesser",))


OWN = "no fresh tasks were kept, so whether it can be gamed was decided on its own tasks"


def played(agent: str, role: str, *scores: float, privileged: bool = False) -> Played:
    return Played(agent, role, privileged, {(f"{n:03d}", 0): score for n, score in enumerate(scores)})


def curve(*means: float, tasks: int = 40, spread: float = 10.0) -> list[Played]:
    """Planted abilities with these means, in the order of `ABILITIES`; noise of their own around them."""
    agents = []
    for share, mean in zip(ABILITIES, means, strict=True):
        stream = rng.stream(0, "curve", share)
        noise = [spread * (stream.uniform() - 0.5) for _ in range(tasks)]
        agents.append(played(f"able-{share}", "able", *(mean + one for one in noise)))
    return agents


def made(*players: Played, yardstick: Yardstick = PERCENT, tasks: int = 4) -> dict[str, Any]:
    row = card("made-up", "set-v0", tasks, yardstick, players)
    assert list(row) == list(VALIDITY.names)
    return row


def test_who_stands_where() -> None:
    row = made(
        played("guesser", "reference", 10, 10, 10, 10),
        played("solver", "reference", 60, 70, 60, 70),
        played("oracle", "reference", 99, 99, 99, 99, privileged=True),
        played("cheat", "conduct", 100, 100, 100, 100),
        played("scientist", "scripted", 100, 100, 100, 100),
        played("model", "model", 20, 20, 20, 20),
        played("shortcut-weak", "shortcut", 11, 11, 11, 11),
        played("shortcut-good", "shortcut", 50, 50, 40, 40),
    )
    assert (row["chance"], row["honest"], row["honest_agent"]) == (10, 65, "solver")
    assert (row["shortcut"], row["shortcut_agent"], row["ceiling"]) == (45, "shortcut-good", 99)
    assert row["shortcut_low"] <= 45 <= row["shortcut_high"]
    assert row["gameable"] is True
    assert row["resolution"] is None
    assert row["note"] == f"{OWN}; no planted abilities"


def test_a_shortcut_whose_score_is_chance_is_no_attack() -> None:
    """Otherwise a set that no other shortcut plays could not be marked, and would look sound."""
    yardstick = Yardstick(1.0, ("shortcut-prior", "shortcut-dummy"))
    guess = played("shortcut-prior", "shortcut", 0.5, 0.5)
    row = made(guess, yardstick=yardstick)
    assert (row["chance"], row["shortcut"], row["gameable"]) == (0.5, None, False)
    row = made(guess, played("shortcut-good", "shortcut", 0.4, 0.4), yardstick=yardstick)
    assert (row["shortcut"], row["shortcut_agent"]) == (0.4, "shortcut-good")


def test_a_ceiling_that_a_search_found_goes_before_what_was_reached() -> None:
    players = [played("solver", "reference", 0.75, 0.75)]
    row = card("made-up", "set-v0", 2, Yardstick(None, 0.25), players, most=3.5)
    assert (row["ceiling"], row["scale"]) == (3.5, 0.5)


def test_a_set_that_nobody_played_has_a_card() -> None:
    row = made()
    assert row["gameable"] is False
    assert all(row[name] is None for name in ("chance", "shortcut", "honest", "ceiling", "resolution"))


def test_what_the_yardstick_says_goes_before_what_was_played() -> None:
    yardstick = Yardstick(None, 0.25, ceiling=1.0, notes={"": "all", "set-v0": "this", "other-v0": "no"})
    row = made(played("solver", "reference", 0.75, 0.75), yardstick=yardstick)
    assert (row["chance"], row["ceiling"], row["scale"]) == (0.25, 1.0, 0.5)
    assert row["note"] == "all; this; no planted abilities"


@pytest.mark.parametrize(("score", "gameable"), [(14.0, False), (15.0, False), (15.001, True)])
def test_a_shortcut_counts_from_more_than_a_twentieth_of_the_scale_on(score: float, gameable: bool) -> None:
    shortcut = played("shortcut-a", "shortcut", score, score, score)
    assert is_gameable(shortcut, 10.0, 100.0) is gameable


def test_the_standard_error_of_the_shortcut_is_taken_off() -> None:
    scores = (10.0, 20.0, 30.0, 40.0)  # mean 25, standard error sqrt(500 / 3 / 4)
    shortcut = played("shortcut-a", "shortcut", *scores)
    assert shortcut.error == pytest.approx(math.sqrt(500 / 12))
    border = 25.0 - shortcut.error - 5.0
    assert is_gameable(shortcut, border - 1e-9, 100.0)
    assert not is_gameable(shortcut, border + 1e-9, 100.0)


def test_a_rising_curve_has_a_resolution_and_no_remark() -> None:
    row = made(*curve(10, 30, 50, 70, 90), tasks=40)
    assert [row[f"able_{share}"] for share in ABILITIES] == sorted(row[f"able_{s}"] for s in ABILITIES)
    assert 2 <= row["resolution"] <= 6
    assert row["note"] == ""


def test_a_finer_difference_needs_more_tasks() -> None:
    coarse = made(*curve(10, 30, 50, 70, 90), tasks=40)["resolution"]
    fine = made(*curve(42, 46, 50, 54, 58, spread=20), tasks=40)["resolution"]
    assert fine > coarse


def test_a_curve_that_falls_is_remarked_and_has_no_resolution() -> None:
    row = made(*curve(10, 30, 20, 70, 90), tasks=40)
    assert row["resolution"] is None
    assert "the score falls from able-25 to able-50" in row["note"]
    assert "not told apart" in row["note"]


def test_an_incomplete_curve_has_no_resolution() -> None:
    row = made(*curve(10, 30, 50, 70, 90)[:3], tasks=40)
    assert (row["resolution"], row["able_75"]) == (None, None)
    assert row["note"] == "planted abilities are incomplete"


def test_attempts_count_as_tasks_of_the_simulation_and_not_of_the_mean() -> None:
    twice = Played("able-0", "able", False, {("a", 0): 0.0, ("a", 1): 10.0, ("b", 0): 20.0})
    assert twice.mean == 12.5
    assert replace(twice, episodes={("a", 0): 5.0}).interval() == (None, None)
