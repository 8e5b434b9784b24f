"""The workspace and its tools: what is refused, what the ledger keeps, what a script can hand back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.suites.collider.mocks import mock_task, task_of

from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Json, Materials, Result
from assay.suite import suite
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.evidence import finding_of
from assay.suites.collider.provenance.examination import examine
from assay.suites.collider.provenance.runs import of_episode
from assay.suites.collider.tools.mirrors import VARIABLE
from assay.task import Task

COLLIDER = suite("collider")


class Session:
    """An agent that makes given calls, and what came back."""

    def __init__(self, *calls: tuple[str, Json]) -> None:
        self.calls = calls
        self.results: list[Result] = []

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        self.results = [call(tool, arguments) for tool, arguments in self.calls]


@pytest.fixture
def materials() -> Iterator[Materials]:
    blobs = MemoryBlobs()
    yield materials_for(COLLIDER, blobs)


def session(task: Task, materials: Materials, *calls: tuple[str, Json]) -> tuple[list[Result], Episode]:
    agent = Session(*calls)
    episode = play(COLLIDER, task, "script", agent, 0, materials)
    assert episode.status != "crashed", episode.reason
    return agent.results, episode


def write(path: str, text: str = "x") -> tuple[str, Json]:
    return "write_file", {"path": path, "text": text}


@pytest.mark.parametrize(
    "path",
    [
        "data/mine.csv",
        "agent_context/TASK.md",
        "ledger.jsonl",
        "../ledger.jsonl",
        "analysis/../../ledger.jsonl",
        "analysis//x",
        "/etc/passwd",
        "analysis/a\x00b",
        "analysis/" + "a" * 150,
        "analysis/a/b/c/d/e/f/g/h/i",
        "analysis/",
        "results",
        "results/Mock_1150.yaml/x",
        "analysis/ü.py",
    ],
)
def test_illegal_places_are_refused(path: str, materials: Materials) -> None:
    (result,), episode = session(mock_task(), materials, write(path))
    assert not result.ok
    assert [e.kind for e in episode.events] == ["call"]


def test_a_folder_is_no_file_and_a_file_no_folder(materials: Materials) -> None:
    results, _ = session(
        mock_task(), materials, write("analysis/a/b"), write("analysis/a"), write("analysis/a/b/c")
    )
    assert [result.ok for result in results] == [True, False, False]


def test_the_run_folder_comes_with_the_first_change(materials: Materials) -> None:
    task = mock_task()
    results, episode = session(
        task,
        materials,
        ("read_file", {"path": "agent_context/TASK.md"}),
        ("list_files", {}),
        ("cross_section", {"process": "mock-pair", "mass": task.public["mass"]}),
        ("read_file", {"path": "nowhere"}),
    )
    assert [result.ok for result in results] == [True, True, True, False]
    assert results[0].parts == (task.public["brief"],)
    run = of_episode(episode, materials.blobs)
    assert run.files[task.public["file"]] == task.public["template"].encode()
    (line,) = ledger.read(run.ledger or b"")
    assert line["tool"] == "cross_section"
    assert line["result"]["xsec_fb"] == results[2].parts[0]["xsec_fb"]  # type: ignore[call-overload, index]


@pytest.mark.parametrize("mass", [10**400, -(10**400), 1e308, -1.0, 0])
def test_a_mass_that_no_float_holds_is_refused_and_no_way_out_of_a_score(
    mass: float, materials: Materials
) -> None:
    call = ("cross_section", {"process": "mock-pair", "mass": mass})
    _, episode = session(mock_task(), materials, call)
    assert (episode.status, episode.events[0].ok) == ("no_submission", False)


def test_kept_cross_sections(materials: Materials) -> None:
    results, _ = session(
        task_of("cms-v0", 3),
        materials,
        ("cross_section", {"process": "gluino-pair", "mass": 1600}),
        ("cross_section", {"process": "gluino-pair", "mass": 1601}),
        ("cross_section", {"process": "mock-pair", "mass": 800}),
        ("generate", {"name": "a", "card": {}, "seed": 1, "events": 1}),
    )
    answer: Any = results[0].parts[0]
    assert (answer["xsec_fb"], answer["relative_error"]) == (8.10078, 0.24)
    assert "gluino-pair at 1750" in str(results[1].error)
    assert not results[2].ok
    assert "not for this task" in str(results[3].error)


def test_generation_is_of_card_seed_and_number_alone(materials: Materials) -> None:
    card: Json = {"generator": "mock", "point": "Mock_700", "mass": 700}
    calls: list[tuple[str, Json]] = [
        ("generate", {"name": name, "card": card, "seed": 4, "events": events})
        for name, events in (("a", 700), ("b", 700), ("c", 1200))
    ]
    results, episode = session(mock_task(), materials, *calls)
    assert all(result.ok for result in results)
    assert episode.counters["event"] == 2600
    files = of_episode(episode, materials.blobs).files
    assert files["data/a.csv"] == files["data/b.csv"]
    assert files["data/c.csv"].startswith(files["data/a.csv"])
    (wrong,), _ = session(
        mock_task(), materials, ("generate", {"name": "a", "card": {}, "seed": 1, "events": 1})
    )
    assert "generator is one of mock" in str(wrong.error)
    for mass in (700.0, True, [700], None, 701):
        card = {"generator": "mock", "point": "Mock_700", "mass": mass}  # type: ignore[dict-item]
        (wrong,), _ = session(
            mock_task(), materials, ("generate", {"name": "a", "card": card, "seed": 1, "events": 1})
        )
        # The log's canonical JSON keeps 700.0 apart from 700.
        assert "mass is one of" in str(wrong.error)


def test_a_script_hands_back_data_and_results_alone(materials: Materials) -> None:
    code = (
        "import os\n"
        "for path in ('data/a.csv', 'results/b.txt', 'sims/c', 'analysis/d.py', 'e'):\n"
        "    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n"
        "    open(path, 'w').write('event_id\\n')\n"
        "print('done')\n"
    )
    results, episode = session(
        mock_task(),
        materials,
        write("analysis/a.py", code),
        ("run_analysis", {"script": "analysis/a.py", "inputs": []}),
        ("run_analysis", {"script": "analysis/none.py", "inputs": []}),
        ("run_analysis", {"script": "analysis/a.py", "inputs": ["data/none"]}),
        write("analysis/b.py", "1 / 0"),
        ("run_analysis", {"script": "analysis/b.py", "inputs": []}),
        write("analysis/c.py", "import os\nos.mkdir('data')\nopen('data/x', 'w').write('y' * 5_000_000)"),
        ("run_analysis", {"script": "analysis/c.py", "inputs": []}),
    )
    answer: Any = [result.parts[0] if result.ok else None for result in results]
    assert answer[1]["status"] == "ok"
    assert answer[1]["stdout"] == "done\n"
    assert answer[1]["files"] == ["data/a.csv", "results/b.txt"]
    assert answer[2:4] == [None, None]
    assert "ZeroDivisionError" in answer[5]["error"]
    assert (answer[7]["status"], answer[7]["files"]) == ("error", [])
    lines = ledger.read(of_episode(episode, materials.blobs).ledger or b"")
    assert [line["exit_code"] for line in lines if line["tool"] == "run_analysis"] == [0, 1, 1]


def test_samples_and_cards_are_read_only_for_scripts(materials: Materials) -> None:
    task = mock_task()
    mass = task.public["mass"]
    card = {"generator": "mock", "point": f"Mock_{mass}", "mass": mass}
    code = "for path in ('data/gen.csv', 'data/new.csv'):\n    open(path, 'w').write('event_id\\n')\n"
    results, episode = session(
        task,
        materials,
        ("generate", {"name": "gen", "card": card, "seed": 1, "events": 10}),
        write("analysis/a.py", code),
        ("run_analysis", {"script": "analysis/a.py", "inputs": ["data/gen.csv"]}),
    )
    assert results[2].parts[0]["files"] == ["data/new.csv"]  # type: ignore[call-overload, index]
    assert len(of_episode(episode, materials.blobs).files["data/gen.csv"].splitlines()) == 11


def test_the_ledger_is_what_the_harness_logged(materials: Materials) -> None:
    task = mock_task()
    _, episode = session(task, materials, write("report.md", "one"), write("report.md", "two"))
    run = of_episode(episode, materials.blobs)
    assert run.calls is not None and len(run.calls) == 2
    assert examine(run, question_of(task)).check("ledger").passed
    lines = ledger.read(run.ledger or b"")
    forged = ledger.append(b"", lines[0]["run"], "write_file", {"path": "report.md", "text": "one"})
    for last, why in (
        (forged, "the lines of the ledger are not the calls that the harness logged"),
        (
            ledger.append(forged, lines[0]["run"], "write_file", {"path": "report.md", "text": "three"}),
            "line 1 is not the call that the harness logged",
        ),
    ):
        check = examine(replace(run, ledger=last), question_of(task)).check("ledger")
        assert (check.passed, check.detail) == (False, why)


def test_finish_needs_a_submission(materials: Materials) -> None:
    task = mock_task()
    (result,), episode = session(task, materials, ("finish", {}))
    assert not result.ok
    assert (episode.status, episode.submission) == ("no_submission", None)
    results, episode = session(
        task, materials, write(task.public["file"], "nonsense"), ("check_submission", {}), ("finish", {})
    )
    answer: Any = results[1].parts[0]
    assert (answer["valid"], answer["reason"], episode.status) == (False, "no_histogram", "invalid")
    assert finding_of(task, episode, materials).verdict == "FAILED"


def test_mirrors_answer_clearly_with_and_without(
    materials: Materials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, Json]] = [
        ("hepdata", {"action": "find"}),
        ("ufo", {}),
        ("read_paper", {}),
        ("hepdata", {"action": "tables", "record": "ins1"}),
        ("hepdata", {"action": "get", "record": "ins1", "table": "Table 1"}),
        ("hepdata", {"action": "get", "record": "ins1", "table": "Table 2"}),
        ("hepdata", {"action": "get", "record": "ins1", "table": "Table 3"}),
        ("simulate", {}),
    ]
    monkeypatch.delenv(VARIABLE, raising=False)
    task = task_of("cms-v0", 0)
    results, _ = session(task, materials, *calls)
    answer: Any = [result.parts[0] for result in results]
    assert all(not t["found"] and "is kept here" in t["answer"] for t in answer[:7])
    assert set(answer[7]) >= {"mg5_aMC", "DelphesHepMC3"}
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    record = tmp_path / "hepdata" / "ins1"
    record.mkdir(parents=True)
    (tmp_path / "ufo" / "SMS_T5Wg").mkdir(parents=True)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "CMS-SUS-16-034.txt").write_text("p" * 30_000)
    (record / "submission.yaml").write_text(
        "---\nname: Table 1\ndescription: efficiencies\ndata_file: one.yaml\n"
        "---\nname: Table 2\ndescription: expected signal yields\ndata_file: two.yaml\n"
        "---\nname: Table 3\ndescription: limits\ndata_file: ../../../secret\n"
    )
    (record / "one.yaml").write_text("efficiency: 0.8\n")
    (tmp_path / "secret").write_text("s")
    results, _ = session(task, materials, *calls)
    answer = [result.parts[0] for result in results]
    assert answer[0] == {"found": True, "records": ["ins1"]}
    assert answer[1]["models"] == ["SMS_T5Wg"]
    assert (answer[2]["parts"], len(answer[2]["text"])) == (2, 20_000)
    assert [t["name"] for t in answer[3]["tables"]] == ["Table 1", "Table 2", "Table 3"]
    assert answer[4] == {"found": True, "text": "efficiency: 0.8\n"}
    assert "which are to be predicted" in answer[5]["answer"]
    assert "lacks the file" in answer[6]["answer"]
