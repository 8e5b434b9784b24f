"""Runs of the paper's harness: read, replayed, and refused where they are damaged."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.suites.causalab.examples import SECOND_RAW, TARGET, hidden
from tests.suites.causalab.logs import REACTOR, menu, steps, write_run
from tests.suites.causalab.playing import materials, raised, scores

from assay.cli.main import main
from assay.config.released import ReleasedSet
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError
from assay.suite import suite
from assay.suites.causalab.original.reading import BadLog, read_run
from assay.suites.causalab.original.replaying import replay, texts_of
from assay.suites.causalab.original.tasks import read_logs, task_of
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.transcript import transcript_of


@pytest.mark.parametrize("how", [{}, {"raw_io": False}, {"after": True}])
def test_a_run_is_an_episode_with_its_numbers(tmp_path: Path, how: dict[str, Any]) -> None:
    run = read_run(write_run(tmp_path / "seed_1", **how))
    task = task_of(run, "logs", 0)
    episode = replay(run, task)
    setup = Setup(task)
    crystals = task.hidden["crystals"]
    assert crystals["manipulator"] == {"ph": 10, "moisture": 20, "density": 30}
    assert crystals["reactor"] == {"ph": 1, "moisture": 2, "density": 3}
    transcript = transcript_of(setup, episode)
    assert [(i.target, i.value, i.values[TARGET]) for i in transcript.interventions] == [
        ("moisture", 9.0, 232.0),
        ("density", 0.0, -68.0),
    ]
    assert transcript.predictions[0][1:] == (60.9, True) and transcript.completed
    values = scores(task, episode)
    assert (values["solved"], values["freq_edge_f1"], values["freq_weight_f1"]) == (1.0, 1.0, 1.0)
    assert values["edge_recall"] == 0.5 and values["interventions"] == 2
    every = suite("causalab").room("scoring").score(task, episode, materials())
    assert {score.profile for score in every} == {"default"}
    assert "graph_wrong_answer_right" in raised(task, episode)
    assert task.strata["setting"] == "logged-main"
    assert task.public["conditions"]["profile"] == "paper"


def test_only_the_names_of_devices_are_changed(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "seed_1"))
    changed = [
        n for n, (mine, theirs) in enumerate(zip(texts_of(run), run.texts, strict=True)) if mine != theirs
    ]
    assert changed == [0, 1, 7, 8]


def test_hidden_disturbances_are_found_from_the_screens(tmp_path: Path) -> None:
    model = {**SECOND_RAW, "hidden_variable": hidden([TARGET, "ph", "moisture"], [-5, 0, 5])}
    rows = steps()
    # H is 5 after the first intervention: ph 70 + 5, moisture 9 + 5 + 5, frequency 232 + 5 + 2 * 5 + 10.
    rows[4] = (menu(1, 30, 75.0, 19.0, 257.0), rows[4][1])
    run = read_run(write_run(tmp_path / "seed_1", rows, model=model))
    task = task_of(run, "logs", 0)
    assert task.hidden["crystals"]["disturbances"] == [5.0, 0.0]
    assert transcript_of(Setup(task), replay(run, task)).completed
    assert task.strata["setting"] == "logged-hidden"
    rows[4] = (menu(1, 30, 76.0, 19.0, 257.0), rows[4][1])
    run = read_run(write_run(tmp_path / "seed_2", rows, model=model))
    with pytest.raises(BadLog, match=r"no value of the hidden disturbance explains .* intervention 1"):
        task_of(run, "logs", 0)


COSTS = {"task": 0.05, "calibration": 0.01, "check": 2, "episode": 0.03}


def changed_row(at: int, box: str) -> Callable[[Path], None]:
    """A run whose screen was edited at one step."""

    def change(folder: Path) -> None:
        path = folder / "run_tracking_simple.jsonl"
        rows = [{"dialog_box": {"dialogIn": b}, "action": a} for b, a in steps()]
        rows[at]["dialog_box"]["dialogIn"] = box
        path.write_text("\n".join(map(json.dumps, rows)))

    return change


def cut(name: str, keep: Callable[[str], str]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        path.write_text(keep(path.read_text()))

    return change


def other_graph(folder: Path) -> None:
    model = copy.deepcopy(SECOND_RAW)
    model["params"]["coeff_ph_freq"] = 3
    (folder / "graph_config.json").write_text(json.dumps(model))


DAMAGES: list[tuple[Callable[[Path], None], str]] = [
    (lambda f: (f / "run_tracking_simple.jsonl").unlink(), r"seed_1 has no \*_tracking_simple.jsonl"),
    (cut("run_tracking_simple.jsonl", lambda t: t[:-30]), r"simple.jsonl, object 12 \(line \d+\): not JSON"),
    (cut("run_tracking_simple.jsonl", lambda t: t + "[1]"), r"object 13 \(line \d+\): not an object"),
    (
        cut("run_tracking_simple.jsonl", lambda t: t.replace("dialog_box", "box", 1)),
        "object 1 .*: dialog_box: .* missing",
    ),
    (
        cut("raw_io.jsonl", lambda t: "\n".join(t.splitlines()[:5])),
        "simple.jsonl has 12 steps, raw_io.jsonl has 5",
    ),
    (
        cut("raw_io.jsonl", lambda t: "\n".join(t.splitlines()[:3] + t.splitlines()[4:])),
        r"raw_io.jsonl, object 4 \(line 4\): step 5 follows step 3",
    ),
    (
        cut("raw_io.jsonl", lambda t: t.replace('"raw_output"', '"output"', 1)),
        "object 1 .*: raw_output: must be a text",
    ),
    (
        cut("raw_io.jsonl", lambda t: t.replace('"step": 3', '"step": "3"')),
        "object 3 .*: step: must be a whole number",
    ),
    (
        cut("raw_io.jsonl", lambda t: t.replace("310.0", "311.0")),
        "observation 1: resonanceFreq is 311, by .* 310",
    ),
    (cut("run_complete.txt", lambda t: "yes"), "run_complete.txt: 'yes' is neither 0 nor 1"),
    (cut("run_complete.txt", lambda t: "0"), "reactor was not activated; in our laboratory it was activated"),
    (cut("graph_config.json", lambda t: t[:100]), r"graph_config.json, object 1 \(line 1\): not JSON"),
    (cut("graph_config.json", lambda t: t + "{}"), "graph_config.json holds 2 objects"),
    (
        cut("graph_config.json", lambda t: t.replace('"budget"', '"bugdet"')),
        "graph_config.json: budget: the field",
    ),
    (other_graph, "observation 1: resonanceFreq is 310, by the equations of graph_config.json 397"),
    (changed_row(2, menu(1, 30, 70, 150, 373.0)), "first screen shows 1 uses, not 0"),
    (changed_row(2, menu(0, 30, 70, 150, 374.0)), "object 3: resonanceFreq is 374, by the equations .* 373"),
    (changed_row(4, menu(1, 30, 70, 9.0, 233.0)), r"object 5: values: .*233.*; in our laboratory .*232"),
    (
        changed_row(6, menu(3, 0.0, 10.0, -111.0, -68.0)),
        r"object 7: uses: \(3, 12\); in our laboratory \(2, 12\)",
    ),
    (changed_row(9, REACTOR.replace("- ph: 7", "- pH: 7")), "object 10: the screen does not show ph"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=range(len(DAMAGES)))
def test_a_damaged_run_is_one_error_with_file_place_and_remedy(
    tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    folder = write_run(tmp_path / "seed_1")
    damage(folder)
    with pytest.raises(AssayError) as caught:
        for run, task in read_logs(tmp_path, "logs"):
            replay(run, task)
    assert re.search(words, caught.value.message), caught.value.message
    assert str(tmp_path) in caught.value.message and caught.value.remedy


def test_graphs_are_compared_with_the_released_files(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "seed_1")
    files = tmp_path / "files"
    files.mkdir()
    (files / "4nodes.jsonl").write_text(json.dumps(SECOND_RAW) + "\n")
    (((_, task)),) = read_logs(tmp_path / "logs", "logs", files)
    assert task.strata["setting"] == "logged-main"
    (files / "4nodes.jsonl").write_text(json.dumps({**SECOND_RAW, "graph_id": "4nodes_9"}) + "\n")
    with pytest.raises(BadLog, match="4nodes_1 is in none of the released files"):
        list(read_logs(tmp_path / "logs", "logs", files))
    (files / "4nodes.jsonl").write_text(json.dumps({**SECOND_RAW, "description": "x"}) + "\n")
    with pytest.raises(BadLog, match="description differs"):
        list(read_logs(tmp_path / "logs", "logs", files))


def test_a_folder_of_runs_is_a_task_set(tmp_path: Path) -> None:
    write_run(tmp_path / "4nodes_1" / "seed_1")
    write_run(tmp_path / "4nodes_1" / "seed_2", raw_io=False)
    logs = ReleasedSet(suite("causalab"), "their-runs", tmp_path)
    assert [path.name for path in logs.files] == [
        *("graph_config.json", "raw_io.jsonl", "run_complete.txt", "run_tracking_simple.jsonl"),
        *("graph_config.json", "run_complete.txt", "run_tracking_simple.jsonl"),
    ]
    tasks = logs.tasks(MemoryBlobs())
    assert [task.task_id for task in tasks] == ["00000-k4-logged-main", "00001-k4-logged-main"]


def test_the_command_prints_metrics_and_keeps_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path / "runs" / "seed_1")
    config = tmp_path / "config"
    config.mkdir()
    (config / "config.yaml").write_text(
        json.dumps(
            {
                "recordings": str(tmp_path / "recordings"),
                "suites": {"causalab": {"settings": str(config / "causalab.yaml")}},
                "agents": str(config / "agents.yaml"),
            }
        )
    )
    theirs = {"kind": "model", "suites": {"causalab": ["their-runs"]}, "transport": {"kind": "recorded"}}
    (config / "agents.yaml").write_text(json.dumps({"agents": {"theirs": theirs}}))
    (config / "causalab.yaml").write_text(
        json.dumps({"sets": {"their-runs": {"path": str(tmp_path / "runs")}}, "costs": COSTS})
    )
    arguments = [
        "causalab",
        "logs",
        str(tmp_path / "runs"),
        "--config",
        str(config / "config.yaml"),
        "--json",
    ]
    assert main([*arguments, "--agent", "theirs", "--set", "their-runs"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["run"], row["solved"], row["steps"]) == ("seed_1", 1.0, 12)
    assert "graph_wrong_answer_right" in row["flags"]
    (recording,) = (tmp_path / "recordings").rglob("*.jsonl")
    assert main(["replay", str(recording), "--config", str(config / "config.yaml")]) == 0
    assert main([*arguments, "--agent", "theirs"]) == 1
    assert "give both --agent and --set" in capsys.readouterr().err
    assert main(["causalab", "logs", str(config)]) == 1
    assert "has no run" in capsys.readouterr().err
