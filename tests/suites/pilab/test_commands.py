"""`assay pilab`: runs, replays and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main

REPLAYS = Path(__file__).parent / "replays"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    code = main(["pilab", *map(str, words), "--json"])
    captured = capsys.readouterr()
    return code, (json.loads(captured.out) if captured.out else captured.err)


def test_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    code, found = run(capsys, "run", "--policy", "baseline", "--seed", 104, "--log", log)
    assert code == 0
    assert found["impact"] == 1129.5735505081689
    assert (found["budget"], found["reputation"]) == (496666.66666666674, 9.413733205035745)
    assert (found["collapse_month"], found["actions"], found["mode"]) == (None, 260, "as-published")
    code, again = run(capsys, "replay", log, "--seed", 104)
    assert (code, again["different"]) == (0, [])
    assert (again["impact"], again["budget"]) == (found["impact"], found["budget"])


def test_collapse(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run(capsys, "run", "--policy", "baseline", "--seed", 103, "--mode", "mended")
    assert (found["impact"], found["collapse_month"], found["budget"]) == (51.0, 59, -4800.0)


def test_replay(capsys: pytest.CaptureFixture[str]) -> None:
    expected = json.loads((REPLAYS / "expected.json").read_text())["random_88.json"]
    code, found = run(capsys, "replay", REPLAYS / "random_88.json", "--seed", 88)
    assert (code, found["different"]) == (0, [])
    assert found["statistics_sha256"] == expected["statistics_sha256"]
    assert (found["month"], found["collapsed"]) == (34, True)
    code, found = run(
        capsys, "replay", REPLAYS / "drill_101_3000000.json", "--seed", 101, "--start-budget", 3000000
    )
    assert (code, found["different"]) == (0, [])
    code, found = run(capsys, "replay", REPLAYS / "random_88.json", "--seed", 89)
    assert code == 1
    assert found["different"]


def test_one_decision_changed(capsys: pytest.CaptureFixture[str]) -> None:
    """The same lab, the same chance, without one call."""
    log = REPLAYS / "random_88.json"
    calls = json.loads(log.read_text())
    first = next(at for at, call in enumerate(calls) if call[1] == "recruit.hire_ra")
    _, whole = run(capsys, "replay", log, "--seed", 88)
    code, less = run(capsys, "replay", log, "--seed", 88, "--without", first)
    assert code == 0
    assert less["calls"] == whole["calls"] - 1
    assert less["budget"] != whole["budget"]


def test_field(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run(capsys, "field", "--seed", 101, "--month", 60)
    assert found["hotness"]["reasoning"] == 4.560042269767349
    assert found["crowding"]["embodied"] == 2.5205031125121753
    assert found["climate"] == 0.9810641983763566
    assert found["preferences"]["FEL"]["reasoning"] == 0.579900841762434


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "--policy", "nobody", "--seed", 1), "there is no policy"),
        (("run", "--policy", "baseline", "--seed", -1), "out of range"),
        (("field", "--seed", 1, "--month", 61), "out of range"),
        (("replay", "nowhere.json", "--seed", 1), "cannot be read"),
        (("replay", REPLAYS / "expected.json", "--seed", 1), "is not a list of calls"),
        (("replay", REPLAYS / "random_88.json", "--seed", 88, "--without", 9999), "the log has"),
        (("replay", REPLAYS / "random_88.json", "--seed", 88, "--start-budget", -1), "out of range"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], words: tuple[object, ...], says: str) -> None:
    code, found = run(capsys, *words)
    assert code != 0
    assert says in found
    assert "remedy:" in found


@pytest.mark.parametrize(
    "text", ["[[1]]", "[[1, 'x']", '[[1, "lab.nothing", [], 1]]', "{}", "[1, 2]", "\x00"]
)
def test_bad_logs(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    log = tmp_path / "log.json"
    log.write_text(text)
    code, found = run(capsys, "replay", log, "--seed", 1)
    assert code != 0
    assert str(log) in found


def test_calls_of_the_wrong_kind_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    calls = [
        [1, "recruit.offer", [17], 1],
        [1, "projects.start", ["theory", 1, "S001"], 0],
        [1, "grants.propose", [], 0],
        [1, "recruit.hire_ra", ["x"], 0],
    ]
    log.write_text(json.dumps(calls))
    code, found = run(capsys, "replay", log, "--seed", 1)
    assert code == 1
    assert [d["call"] for d in found["different"]] == [0]
