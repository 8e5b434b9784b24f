"""Fresh tasks: the committed files, the command, and what a card makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.fresh import added
from assay.cli.main import main
from assay.config.agents import SolverEntry
from assay.config.loading import load
from assay.errors import ConfigError
from assay.protocol import Yardstick
from assay.sessions import freshness
from assay.sessions.freshness import measure, players
from assay.validity.card import Played, card, players_of
from assay.validity.fresh import DIGITS, Fresh, read

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "config/fresh").glob("*/*.json"))
MADEUP = ROOT / "config/test/madeup.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def played(agent: str, role: str, *scores: float) -> Played:
    return Played(agent, role, False, {(f"{n:03d}", 0): score for n, score in enumerate(scores)})


def test_what_is_kept_can_be_read_and_damage_is_named(tmp_path: Path) -> None:
    kept = Fresh("a-v1", 7, 2, {"guess": "reference"}, {"guess": (0.5, 1 / 3)})
    path = tmp_path / "a-v1.json"
    path.write_text(kept.to_text())
    assert read(path).scores["guess"] == (0.5, 1 / 3)
    assert read(path).to_text() == kept.to_text()
    path.write_text(kept.to_text().replace('"tasks":2', '"tasks":3'))
    with pytest.raises(ConfigError, match="has not 3 scores"):
        read(path)
    path.write_text("{}")
    with pytest.raises(ConfigError, match="assay fresh"):
        read(path)


def test_solvers_play_fresh_tasks_and_conducts_do_not() -> None:
    config = load(MADEUP)
    suite = config.suites["madeup"].suite
    roles = players(config, "madeup", "madeup-many")
    assert "conduct" not in roles.values()
    kept = measure(config, suite, "madeup-many", 3, list(roles)[:2])
    assert kept == measure(config, suite, "madeup-many", 3, list(roles)[:2])
    assert all(round(score, DIGITS) == score for scores in kept.scores.values() for score in scores)
    assert all(len(scores) == 3 for scores in kept.scores.values())


def test_chance_is_played_as_often_as_in_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its luck would otherwise decide about the mark of a set."""
    config = load(MADEUP)
    assert config.agents["guess"].attempts == 3
    monkeypatch.setattr(freshness, "_score", lambda *arguments: float(arguments[-1]))
    kept = measure(config, config.suites["madeup"].suite, "madeup-many", 2, ["guess", "shortcut-half"])
    assert kept.scores == {"guess": [1.0, 1.0], "shortcut-half": [0.0, 0.0]}


def test_agents_are_added_to_a_file_that_has_the_same_tasks(tmp_path: Path) -> None:
    kept = Fresh("many", 2026, 2, {"guess": "reference", "old": "able"}, {"guess": [0, 0], "old": [1, 1]})
    played = Fresh("many", 2026, 2, {"guess": "reference"}, {"guess": [0.5, 0.5]})
    both = added(kept, played, tmp_path)
    assert both.scores == {"guess": [0.5, 0.5], "old": [1, 1]} and both.roles["old"] == "able"
    with pytest.raises(ConfigError, match="2 tasks, and 3 were played"):
        added(kept, Fresh("many", 2026, 3, {"guess": "reference"}, {"guess": [0.5] * 3}), tmp_path)


def test_the_command_names_who_does_not_play(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["fresh", "madeup", "madeup-many", "--agents", "nobody", "--config", str(MADEUP)])
    assert code != 0
    assert "nobody is no solver that plays madeup/madeup-many" in capsys.readouterr().err


def test_whether_a_set_can_be_gamed_is_decided_on_fresh_tasks_where_there_are_some() -> None:
    """In the public set the shortcut is lucky; in fresh tasks it is no better than chance."""
    yardstick = Yardstick(100.0, ("guess",))
    public = [played("guess", "reference", 10, 10), played("shortcut-a", "shortcut", 60, 60)]
    public.append(played("solver", "reference", 90, 80))
    assert card("made-up", "a-v1", 2, yardstick, public)["gameable"]
    roles = {"guess": "reference", "shortcut-a": "shortcut", "solver": "reference"}
    scores = {"guess": (10.0, 12.0), "shortcut-a": (11.0, 11.0), "solver": (80.0, 70.0)}
    fresh = players_of(Fresh("a-v1", 7, 2, roles, scores))
    row = card("made-up", "a-v1", 2, yardstick, public, fresh)
    assert not row["gameable"]
    assert "decided on 2 fresh tasks: shortcut-a 11, chance 11" in row["note"]
    assert (row["public_less_fresh"], row["shortcut"]) == (10.0, 60.0)
    assert row["fresh_low"] < 10 < row["fresh_high"]
    assert 0 < row["fresh_p"] < 1
    no_chance = {name: player for name, player in fresh.items() if name != "guess"}
    assert card("made-up", "a-v1", 2, yardstick, public, no_chance)["gameable"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_kept_file_belongs_to_its_set_and_its_players(file: Path) -> None:
    kept, config = read(file), load(ROOT / "config/config.yaml")
    assert kept.task_set == file.stem
    known = players(config, file.parent.name, file.stem)
    assert {name: known[name] for name in kept.roles} == kept.roles
    assert kept.to_text() == file.read_text()
    assert "shortcut" in kept.roles.values()


@pytest.mark.full
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_long_tier_plays_fresh_tasks_again(file: Path) -> None:
    kept, config = read(file), load(ROOT / "config/config.yaml")
    suite = config.suites[file.parent.name].suite
    if suite.room("tasks").SETS[file.stem].archived:
        pytest.skip("the generator of an archived set is gone: its scores are kept as they were measured")
    again = measure(config, suite, file.stem, kept.tasks, list(kept.roles))
    assert again.to_text() == file.read_text()


def test_probes_may_play_fresh_tasks_alone() -> None:
    config = load(ROOT / "config/config.yaml")
    entry = config.agents["shortcut-listing"]
    assert isinstance(entry, SolverEntry) and entry.is_probe
    assert "main-v1" not in entry.suites.get("causalab", [])
    assert players(config, "causalab", "main-v1")["shortcut-listing"] == "shortcut"
