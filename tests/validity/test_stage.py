"""The stages on the made-up suite: probes play in one job, and cards are made of their scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.protocol.madeup import SUITE

from assay.build.job import Job
from assay.episodes.blobs import MemoryBlobs
from assay.errors import ConfigError
from assay.stages.cards import probes, validity
from assay.stages.shared.inputs import write_blobs
from assay.tables.reader import read_rows
from assay.tables.schemas.drawn import DRAWN
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.tasks import TASKS
from assay.tables.schemas.validity import ABILITIES, VALIDITY
from assay.tables.writer import write_table
from assay.validity.fresh import Fresh

PLAYERS = {
    "exact": "reference",
    "guess": "reference",
    "privileged": "reference",
    "shortcut-half": "shortcut",
    "shortcut-weigher": "shortcut",
    **{f"able-{share}": "able" for share in ABILITIES},
}
TABLES = ("episodes", "scores", "audit")
SIZES = {"madeup-many": 40}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, ...]]:
    """The tables of all players in one set, as inputs of the stage `validity`."""
    folder = tmp_path_factory.mktemp("played")
    blobs, room = MemoryBlobs(), SUITE.room("tasks")
    recipe = room.SETS["madeup-many"]
    tasks = [room.generate(recipe, "madeup-many", at, recipe.seed, blobs) for at in range(40)]
    write_table((task.to_row(at) for at, task in enumerate(tasks)), folder / "tasks.parquet", TASKS)
    write_blobs(blobs, folder / "blobs.parquet")
    outputs = {
        f"{agent}/{table}": folder / table / f"{agent}.parquet" for agent in PLAYERS for table in TABLES
    }
    for table in TABLES:
        (folder / table).mkdir()
    spans = [["madeup-many", 0, 40]]
    entries = {agent: {"spans": spans, "attempts": 1, "solver": agent} for agent in PLAYERS}
    probes.run(
        Job(
            {"suite": SUITE.name, "package": SUITE.package, "probes": entries},
            {"tasks": (folder / "tasks.parquet",), "blobs": (folder / "blobs.parquet",)},
            outputs,
        )
    )
    return {table: tuple(folder / table / f"{agent}.parquet" for agent in PLAYERS) for table in TABLES}


def carded(
    played: dict[str, tuple[Path, ...]],
    folder: Path,
    sizes: dict[str, int],
    kept: tuple[Path, ...] = (),
) -> list[dict[str, object]]:
    outputs = {
        "table": folder / "validity.parquet",
        "figure": folder / "validity.svg",
        "data": folder / "drawn.parquet",
        "csv": folder / "drawn.csv",
    }
    roles = {path.stem: PLAYERS[path.stem] for path in played["scores"]}
    config = {"suite": SUITE.name, "package": SUITE.package, "roles": roles, "sets": sizes}
    validity.run(Job(config, {**played, "published": (), "fresh": (), "kept": kept}, outputs))
    return read_rows(outputs["table"], VALIDITY)


def test_the_card_of_a_set(played: dict[str, tuple[Path, ...]], tmp_path: Path) -> None:
    (card,) = carded(played, tmp_path, SIZES)
    assert card["tasks"] == 40
    assert (card["honest"], card["honest_agent"], card["ceiling"]) == (1.0, "exact", 1.0)
    curve = [float(str(card[f"able_{share}"])) for share in ABILITIES]
    assert curve == sorted(curve)
    assert curve[-1] == 1.0
    assert card["shortcut_agent"] == "shortcut-weigher"
    assert card["resolution"]
    assert card["note"].startswith("urns are made up; no fresh tasks were kept")


def test_the_figure_shows_every_shortcut_and_the_whole_curve(
    played: dict[str, tuple[Path, ...]], tmp_path: Path
) -> None:
    carded(played, tmp_path, SIZES)
    rows = read_rows(tmp_path / "drawn.parquet", DRAWN)
    assert len([row for row in rows if row["series"].startswith("planted")]) == len(ABILITIES)
    assert {"chance", "ceiling", "shortcuts", "honest agents"} <= {row["series"] for row in rows}
    assert "best shortcut" in (tmp_path / "validity.svg").read_text()


def test_kept_scores_of_probes_make_the_same_card(
    played: dict[str, tuple[Path, ...]], tmp_path: Path
) -> None:
    """Byte for byte; and kept scores of another number of tasks are an error."""
    probes = {name: role for name, role in PLAYERS.items() if role in {"able", "shortcut"}}
    others = {table: tuple(path for path in played[table] if path.stem not in probes) for table in TABLES}
    for folder in ("played", "kept", "of_another_size"):
        (tmp_path / folder).mkdir()
    carded(played, tmp_path / "played", SIZES)
    job = Job({"suite": SUITE.name, "package": SUITE.package, "roles": probes}, played, {})
    everybody = validity.played(job, validity.yardstick_of(SUITE), SIZES)["madeup-many"]
    scores = {player.agent: list(player.scores.values()) for player in everybody}
    ids = list(everybody[0].scores)
    kept = tmp_path / "madeup-many.json"
    kept.write_text(Fresh("madeup-many", None, 40, probes, scores, ids).to_text())
    carded(others, tmp_path / "kept", SIZES, (kept,))
    tables = [tmp_path / folder / "validity.parquet" for folder in ("played", "kept")]
    assert tables[0].read_bytes() == tables[1].read_bytes()
    assert (tmp_path / "played/validity.svg").read_bytes() == (tmp_path / "kept/validity.svg").read_bytes()
    kept.write_text(
        Fresh(
            "madeup-many", None, 39, probes, {name: scores[name][:39] for name in probes}, ids[:39]
        ).to_text()
    )
    with pytest.raises(ConfigError, match="39 tasks, and madeup-many has 40"):
        carded(others, tmp_path / "of_another_size", SIZES, (kept,))


def test_who_played_a_part_of_a_set_is_on_no_card(
    played: dict[str, tuple[Path, ...]], tmp_path: Path
) -> None:
    (card,) = carded(played, tmp_path, {"madeup-many": 41})
    assert (card["shortcut"], card["honest"], card["able_0"]) == (None, None, None)


def test_probes_are_marked_where_they_were_told_the_truth(played: dict[str, tuple[Path, ...]]) -> None:
    told = {path.stem: any(r["privileged"] for r in read_rows(path, EPISODES)) for path in played["episodes"]}
    assert {name for name, knows in told.items() if knows} == {
        "privileged",
        *(f"able-{share}" for share in ABILITIES),
    }
