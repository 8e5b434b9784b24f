"""Kept scores of probes: the committed files, the command, and what a build plays without them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from assay.build.planning.plan import Plan
from assay.cli.main import main
from assay.config.loading import load
from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.sessions.freshness import measure_probes, players
from assay.sessions.taskfiles import tasks_of
from assay.validity.fresh import read

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "config/kept").glob("*/*.json"))
MADEUP = ROOT / "config/test/madeup.yaml"
KEPT = "config/kept/madeup/madeup-v0.json"
KEEP = ["keep", "madeup", "madeup-v0", "--config", "config/test/madeup.yaml"]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the configuration and the frozen tasks of the made-up suite."""
    for name in ("madeup.yaml", "madeup-suite.yaml", "madeup-agents.yaml"):
        (tmp_path / "config/test").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "config/test" / name, tmp_path / "config/test")
    shutil.copytree(ROOT / "tests/protocol/tasks", tmp_path / "tests/protocol/tasks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned() -> Plan:
    return Plan(load(Path("config/test/madeup.yaml")))


def test_a_build_plays_probes_only_where_their_scores_were_not_kept(checkout: Path) -> None:
    assert planned().contents.sets_of_probe("madeup", "able-50") == ["madeup-many", "madeup-v0"]
    assert main(KEEP) == 0
    contents = planned().contents
    assert contents.kept_files("madeup") == [KEPT]
    assert contents.sets_of_probe("madeup", "able-50") == ["madeup-many"]
    assert contents.sets_of_probe("madeup", "shortcut-half") == ["madeup-many", "madeup-v0"]
    main([*KEEP, "--shortcuts", "shortcut-half"])
    assert planned().contents.sets_of_probe("madeup", "shortcut-half") == ["madeup-many"]
    assert planned().contents.sets_of_probe("madeup", "shortcut-weigher") == ["madeup-many", "madeup-v0"]


def test_shortcuts_in_a_file_stay_in_it(checkout: Path) -> None:
    main([*KEEP, "--shortcuts", "shortcut-half"])
    before = Path(KEPT).read_text()
    assert main(KEEP) == 0
    assert Path(KEPT).read_text() == before
    assert read(Path(KEPT)).shortcuts == ["shortcut-half"]
    main([*KEEP, "--shortcuts", "all"])
    assert read(Path(KEPT)).shortcuts == ["shortcut-half", "shortcut-weigher"]
    main([*KEEP, "--shortcuts"])
    assert read(Path(KEPT)).shortcuts == []


def test_a_kept_ability_is_no_added_agent(checkout: Path) -> None:
    """It is not in the manifest where its scores were kept; in a new set, its episodes are on the card."""
    Path("results").mkdir()
    paths = [f"results/madeup/episodes/{agent}.parquet" for agent in ("exact", "shortcut-half")]
    Path("results/MANIFEST").write_text(json.dumps({"files": dict.fromkeys(paths, "0" * 64)}))
    assert "able-50" in planned().contents.added["madeup"]
    main(KEEP)
    contents = planned().contents
    assert "able-50" not in contents.added["madeup"]
    assert "able-50" in contents.measured("madeup")


def test_an_ability_that_plays_nothing_promises_no_table(checkout: Path) -> None:
    """Else the build would wait for tables that no rule makes."""
    main(KEEP)
    suite = Path("config/test/madeup-suite.yaml")
    sets = yaml.safe_load(suite.read_text())
    del sets["sets"]["madeup-many"]
    suite.write_text(yaml.safe_dump(sets))
    plan = planned()
    assert plan.contents.probes("madeup") == ["shortcut-half", "shortcut-weigher"]
    assert not [path for path in plan.contents.targets("madeup") if "able-" in path]
    assert not [path for path in plan.inputs.measured("scores", "madeup") if "able-" in path]


def test_the_command_writes_then_compares(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*KEEP, "--check"]) == 1
    assert main(KEEP) == 0
    assert main([*KEEP, "--check"]) == 0
    value = json.loads(Path(KEPT).read_text())
    value["agents"]["able-0"]["scores"][0] = 0.5
    Path(KEPT).write_text(json.dumps(value))
    assert main([*KEEP, "--check"]) == 1
    assert "differs" in capsys.readouterr().out


def test_only_frozen_sets_are_kept() -> None:
    config = load(MADEUP)
    with pytest.raises(UnknownName, match="no planted ability plays a frozen set madeup/madeup-many"):
        measure_probes(config, config.suites["madeup"], "madeup-many")
    with pytest.raises(UnknownName, match="exact is no shortcut that plays madeup/madeup-v0"):
        measure_probes(config, config.suites["madeup"], "madeup-v0", ["exact"])


def test_every_frozen_set_with_planted_abilities_has_a_file() -> None:
    """A set without one would silently play them in each build, and they are dear."""
    config = load(ROOT / "config/config.yaml")
    entry = config.agents["able-0"]
    wanted = {
        (suite, name)
        for suite, sets in entry.suites.items()
        for name in sets
        if config.suites[suite].file.sets.get(name) == "frozen"
    }
    abilities = {file for file in FILES if "able" in read(file).roles.values()}
    assert {(file.parent.name, file.stem) for file in abilities} == wanted


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_kept_file_belongs_to_its_set_and_its_players(file: Path) -> None:
    kept, config = read(file), load(ROOT / "config/config.yaml")
    suite = config.suites[file.parent.name]
    assert (kept.task_set, kept.seed) == (file.stem, None)
    known = players(config, suite.suite.name, file.stem, fresh=False)
    assert kept.roles.items() <= known.items()
    assert set(kept.roles) - set(kept.shortcuts) == {name for name, role in known.items() if role == "able"}
    assert kept.tasks == len(tasks_of(suite, file.stem, MemoryBlobs()))
    assert kept.to_text() == file.read_text()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_first_task_scores_what_was_kept(file: Path) -> None:
    """So that a change of a world or of a score is noticed before the long tier plays everything."""
    kept, config = read(file), load(ROOT / "config/config.yaml")
    first = measure_probes(config, config.suites[file.parent.name], file.stem, kept.shortcuts, most=1)
    assert first.scores == {name: list(scores[:1]) for name, scores in kept.scores.items()}


@pytest.mark.full
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_long_tier_plays_kept_probes_again(file: Path) -> None:
    config = load(ROOT / "config/config.yaml")
    again = measure_probes(config, config.suites[file.parent.name], file.stem, read(file).shortcuts)
    assert again.to_text() == file.read_text()
