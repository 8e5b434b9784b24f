"""`assay collider` and task folders in the published layout."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.suites.collider.mocks import mock_task, task_of

from assay.cli.main import main
from assay.errors import AssayError
from assay.suites.collider.drills.honest import honest_run
from assay.suites.collider.formats.histogram import write
from assay.suites.collider.problems import catalogue, taskfolders
from assay.suites.collider.problems.sets import SETS

ENTRY = catalogue.cms()[0]


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any, str]:
    code = main(["collider", *map(str, words)])
    output = capsys.readouterr()
    return code, json.loads(output.out) if output.out.startswith("{") else output.out, output.err


def saved(path: Path, values: object) -> Path:
    path.write_text(write(ENTRY.binning, values), encoding="utf-8")  # type: ignore[arg-type]
    return path


def test_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = saved(tmp_path / "reference.yaml", list(ENTRY.yields))
    good = saved(tmp_path / "good.yaml", [1.1 * value for value in ENTRY.yields])
    code, answer, _ = run(capsys, "score", good, reference, "--json", "--toys", 2000)
    assert (code, answer["valid"], answer["d"], answer["acc"]) == (0, True, 0.1, 1)
    assert answer["shape"]["d_shape"] == 0
    assert answer["normalization"]["mean_abs_frac_error_pct"] == 10
    assert len(answer["bins"]) == 4
    assert answer["toys"]["p_norm"] > 0.3
    holes = saved(tmp_path / "holes.yaml", [None, *ENTRY.yields[1:]])
    code, answer, _ = run(capsys, "score", holes, reference, "--json")
    assert (code, answer["d"], answer["invalid_reason"], answer["n_filled"]) == (0, 1, "null_bins", 3)
    code, answer, _ = run(capsys, "score", tmp_path / "nowhere.yaml", reference, "--json")
    assert (answer["d"], answer["invalid_reason"]) == (1, "missing_file")
    code, output, _ = run(capsys, "score", good, reference)
    (line,) = (line for line in output.splitlines() if line.startswith("d "))
    assert line.split()[1].startswith("0.1")


def test_score_refuses_what_is_no_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = saved(tmp_path / "good.yaml", list(ENTRY.yields))
    holes = saved(tmp_path / "holes.yaml", [None] * 4)
    broken = tmp_path / "broken.yaml"
    broken.write_text("[")
    for wrong in (holes, broken, tmp_path / "nowhere.yaml", tmp_path):
        code, _, error = run(capsys, "score", good, wrong)
        assert code == 1
        assert error.startswith(f"error: {wrong}")
        assert "remedy: " in error


def test_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = mock_task(0)
    honest_run(task, 5, 400).save(tmp_path / "run")
    code, answer, _ = run(capsys, "gate", tmp_path / "run", "--json")
    assert (code, answer["verdict"], answer["ruling"]["by"]) == (0, "PASSED", "gate")
    assert answer["task"] == f"mock-v0/{task.task_id}"
    honest_run(task, 5, 400, scale=2.2).save(tmp_path / "scaled")
    opinion = tmp_path / "opinion.json"
    series = {task.public["point"]: {"classification": "TRACEABLE", "confidence": "high"}}
    audit = {"status": "VERIFIED", "series": series, "overrule": {"action": "NONE"}}
    opinion.write_text(json.dumps({"provenance_audit": audit}))
    words = ("gate", tmp_path / "scaled", "--task", "mock-v0/0", "--opinion", opinion, "--json")
    _, answer, _ = run(capsys, *words)
    assert answer["ruling"] == {"verdict": "FABRICATED", "by": "gate", "corrected": None}
    opinion.write_text("{}")
    code, _, error = run(capsys, *words)
    assert (code, "is no opinion" in error) == (1, True)


def test_gate_says_what_is_wrong_with_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "gate", tmp_path)
    assert (code, "holds no folder workspace" in error) == (1, True)
    (tmp_path / "workspace").mkdir()
    code, _, error = run(capsys, "gate", tmp_path)
    assert (code, "names the task ''" in error) == (1, True)
    (tmp_path / "run_info.json").write_text("[]")
    code, _, error = run(capsys, "gate", tmp_path)
    assert (code, "is no JSON object" in error) == (1, True)


@pytest.mark.parametrize("agent", ["mock-honest", "untouched"])
def test_an_episode_becomes_a_run_folder_that_the_gate_reads(
    agent: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, output, _ = run(capsys, "run", "mock-v0/0", tmp_path / "run", "--agent", agent, "--json")
    assert (code, output["task"]) == (0, f"mock-v0/{mock_task(0).task_id}")
    assert output["usage"]["events"] == (2000 if agent == "mock-honest" else 0)
    trace = [json.loads(line) for line in (tmp_path / "run/session.jsonl").read_text().splitlines()]
    assert [line["seq"] for line in trace] == list(range(len(trace)))
    code, answer, _ = run(capsys, "gate", tmp_path / "run", "--json")
    assert (code, answer["verdict"]) == (0, "PASSED" if agent == "mock-honest" else "FAILED")
    again = run(capsys, "run", "mock-v0/0", tmp_path / "again", "--agent", agent, "--json")[1]
    assert {**again, "folder": ""} == {**output, "folder": ""}
    assert files(tmp_path / "again") == files(tmp_path / "run")


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_recording_becomes_a_run_folder_and_its_tokens_are_priced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (recording, *_) = sorted(Path("recordings/scripted-experimentalist/collider/mock-v0").glob("*.jsonl"))
    words = ("run", recording, tmp_path / "run", "--price-as", "gpt-5.4-mini", "--json")
    code, output, _ = run(capsys, *words)
    assert (code, output["agent"], output["status"]) == (0, "scripted-experimentalist", "done")
    used = output["usage"]
    assert used["api_cost_usd"] == pytest.approx(
        (0.75 * used["input_tokens"] + 4.5 * used["output_tokens"]) / 1e6
    )
    assert run(capsys, "gate", tmp_path / "run", "--json")[1]["verdict"] == "PASSED"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mock-v0/0", "FOLDER"), "needs an agent"),
        (("mock-v0/0", "FOLDER", "--agent", "nobody"), "'nobody' is not in SOLVERS"),
        (("mock-v0/99", "FOLDER", "--agent", "flat"), "mock-v0 has no task '99'"),
        (("nowhere.jsonl", "FOLDER"), "there is no file nowhere.jsonl"),
        (("mock-v0/0", "USED", "--agent", "flat"), "is not an empty folder"),
        (("mock-v0/0", "USED/file", "--agent", "flat"), "is not an empty folder"),
    ],
)
def test_run_says_what_is_wrong(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used/file").write_text("x")
    places = {"FOLDER": str(tmp_path / "new"), "USED": str(tmp_path / "used")}
    places["USED/file"] = places["USED"] + "/file"
    code, _, error = run(capsys, "run", *(places.get(word, word) for word in words))
    assert (code, message in error, "remedy: " in error) == (1, True, True)
    assert not (tmp_path / "new").exists()


def test_the_manual_has_a_page_for_every_tool(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "manual")
    names = [line.split("`")[1] for line in output.splitlines() if line.startswith("- `")]
    assert (code, len(names)) == (0, 13)
    for name in names:
        code, page, _ = run(capsys, "manual", name)
        assert (code, page.startswith(f"{name}: "), "arguments (JSON schema)" in page) == (0, True, True)
    code, _, error = run(capsys, "manual", "dance")
    assert (code, "choose one of manual, read_file" in error) == (1, True)


@pytest.mark.parametrize("damage", ["binary", "deep", "huge", "folder", "link"])
def test_gate_and_score_end_well_whatever_lies_there(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    honest_run(mock_task(0), 5, 300).save(tmp_path / "run")
    task = mock_task(0)
    place = tmp_path / "run/workspace" / task.public["file"]
    ledger = tmp_path / "run/ledger.jsonl"
    for path in (place, ledger):
        path.unlink()
        if damage == "folder":
            path.mkdir()
        elif damage == "link":
            path.symlink_to("/etc/hostname")
        else:
            content = {"binary": bytes(range(256)) * 9, "deep": b"[" * 50_000, "huge": b"- 1\n" * 5_000_000}
            path.write_bytes(content[damage])
    code, answer, error = run(capsys, "gate", tmp_path / "run", "--json")
    assert code == 0, error
    assert answer["verdict"] == "FAILED"
    reference = saved(tmp_path / "reference.yaml", list(ENTRY.yields))
    code, answer, error = run(capsys, "score", place, reference, "--json")
    assert (code, "remedy: " in error) == (1, True) if damage == "folder" else (0, False)
    assert damage == "folder" or (answer["valid"], answer["d"]) == (False, 1)


@pytest.mark.parametrize("task_set", sorted(SETS))
def test_every_task_survives_its_folder(task_set: str, tmp_path: Path) -> None:
    for index in range(SETS[task_set].size):
        task = task_of(task_set, index)
        answer = taskfolders.load(taskfolders.save(task, tmp_path))
        assert answer.id == task.public["id"]
        assert (answer.mode, answer.tolerance) == (task.public["mode"], 0.05)
        assert answer.template == task.public["template"]
        assert answer.binning.edges == tuple(task.public["histogram"]["edges"])
        assert answer.reference is not None
        assert list(answer.reference.yields) == task.hidden["yields"]


def test_export_and_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = run(capsys, "export", "cms-v0", tmp_path, "--json")
    assert (code, answer["tasks"]) == (0, 10)
    folder = tmp_path / "tasks" / ENTRY.id
    code, answer, _ = run(capsys, "load", folder, "--json")
    assert (code, answer["id"], answer["bins"], answer["reference"]) == (0, ENTRY.id, 4, True)
    # A folder as agents get it, without the reference, loads too.
    (tmp_path / "shared" / ENTRY.paper / "reference" / "TChiWZ.yaml").unlink()
    assert taskfolders.load(folder).reference is None


def test_edges_that_were_computed_and_references_of_nulls_load(tmp_path: Path) -> None:
    """The original has an edge of 2.7756e-17 where 0 is meant, and one reference without numbers."""
    (index,) = [n for n, entry in enumerate(catalogue.atlas()) if entry.id.endswith("BDTGGd1_bdt")]
    folder = taskfolders.save(task_of("atlas-v0", index), tmp_path)
    (reference,) = (tmp_path / "shared").rglob("*.yaml")
    text = reference.read_text()
    noisy = re.sub(r"low: 0(\.0)?\b(?!\.\d)", "low: 2.7756e-17", text, count=1)
    assert noisy != text
    reference.write_text(noisy)
    answer = taskfolders.load(folder).reference
    assert answer is not None and answer.binning.edges[10] == pytest.approx(0, abs=1e-12)
    reference.write_text(re.sub(r"value: [-+.e\d]+", "value: null", text))
    assert taskfolders.load(folder).reference is None
    reference.write_text(text.replace("value: 0.22", "value: null", 1))
    with pytest.raises(AssayError, match="null_bins"):
        taskfolders.load(folder)


def test_a_template_of_other_bins_than_its_reference_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the published high-HT tasks were."""
    whole = task_of("binning-v0", 0)
    folder = taskfolders.save(whole, tmp_path)
    (reference,) = (tmp_path / "shared").rglob("*.yaml")
    (entry,) = [e for e in catalogue.cms() if e.id.endswith("T5Wg_highHT")]
    reference.write_text(write(entry.binning, entry.yields))
    code, _, error = run(capsys, "load", folder)
    assert (code, "26 bins from 0 to 800, its reference 3 from 350 to 800" in error) == (1, True)


PUBLISHED = """
[task]
id = "sus-00-000_{kind}-Made"
paper = "CMS-SUS-00-000"
type = "simulation"
target = "Made_900_1"
observable = "yield"

[metadata]
difficulty = "medium"
walltime = "2h30m"
tags = ["photon", "met"]

[metrics]
tolerance = 0.05
mode = "{mode}"
plot = "Events/bin"
report = ["d", "rmsle"]
"""
PAGE = "instructions: fill in\ntarget: Made_900_1\ncm_energy_gev: 13000\nluminosity_fb: 35.9\n"
VALUES = """dependent_variables:
- header: {{name: Made_900_1}}
  values: [{values}]
independent_variables:
- header: {{name: {name}}}
  values: [{bins}]
"""


@pytest.mark.parametrize(
    ("mode", "name", "bins", "filled"),
    [
        ("yield", "REGION", "{value: SR inclusive}", "{value: 6.157}"),
        (
            "shape_norm",
            "MASS",
            "{value: 400}, {value: 500}",
            "{value: 3.1, errors: [{symerror: 0.2}]}, {value: 2}",
        ),
        ("shape_norm", "PTMISS", "{low: 100, high: 150}, {low: 150, high: .inf}", "{value: 3}, {value: 2}"),
    ],
)
def test_a_folder_in_the_layout_of_the_original_loads_and_scores(
    mode: str, name: str, bins: str, filled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bins with labels, references of one page, tables that are not read here."""
    kind = "yield" if mode == "yield" else "sim"
    folder = tmp_path / "tasks" / f"sus-00-000_{kind}-Made"
    shared = tmp_path / "shared/CMS-SUS-00-000/reference"
    for place in (folder / "template", shared):
        place.mkdir(parents=True)
    (folder / "task.toml").write_text(PUBLISHED.format(kind=kind, mode=mode))
    (folder / "TASK.md").write_bytes(b"# Task \xe9\n")
    empty = ", ".join("{value: null}" for _ in bins.split("}, {"))
    template = PAGE + "---\n" + VALUES.format(values=empty, name=name, bins=bins)
    (folder / "template/Made.yaml").write_text(template)
    (shared / "Made.yaml").write_text(VALUES.format(values=filled, name=name, bins=bins))
    code, answer, error = run(capsys, "load", folder, "--json")
    if ".inf" in bins:
        assert (code, "is no histogram" in error) == (1, True)
        return
    assert (code, answer["mode"], answer["bins"], answer["reference"]) == (
        0,
        mode,
        len(bins.split("}, {")),
        True,
    )
    words = ("--mode", mode, "--json")
    code, answer, _ = run(capsys, "score", shared / "Made.yaml", shared / "Made.yaml", *words)
    assert (code, answer["valid"], answer["d"]) == (0, True, 0)
    renamed = tmp_path / "renamed.yaml"
    renamed.write_text(VALUES.format(values=filled, name=name, bins=bins.replace("{value: ", "{value: 1")))
    code, answer, _ = run(capsys, "score", renamed, shared / "Made.yaml", *words)
    assert (code, answer["d"], answer["invalid_reason"]) == (0, 1, "bins_changed")
    code, answer, _ = run(capsys, "score", folder / "template/Made.yaml", shared / "Made.yaml", *words)
    assert (code, answer["d"], answer["invalid_reason"]) == (0, 1, "null_bins")


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[", "is no TOML"),
        ("a = 1", "has no table [task]"),
        ('[task]\nid = "other"\npaper = "P"', "id is 'other'"),
        ('[task]\nid = "mine"\npaper = "P"\n[metrics]\nmode = "best"', "mode is 'best'"),
        ('[task]\nid = "mine"\npaper = "P"', "holds 0 histograms"),
        ('[task]\nid = "mine"\npaper = "P"\n[metrics]\ntolerance = "no"', "tolerance is 'no'"),
    ],
)
def test_broken_task_folders_say_where(
    toml: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tasks" / "mine"
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text(toml)
    code, _, error = run(capsys, "load", folder)
    assert (code, message in error) == (1, True)
