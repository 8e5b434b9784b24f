"""`assay compare` on tables, results of Assay and logs of Inspect AI; and what it says to bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.cli.main import main
from assay.comparison.attempts import from_table
from assay.errors import AssayError, TableError
from assay.tables.schemas.scores import SCORES
from assay.tables.writer import write_table

ROWS = pd.DataFrame(
    {
        "agent": ["a", "a", "b", "b", "c", "c"] * 2,
        "task": ["x"] * 6 + ["y"] * 6,
        "attempt": [0, 1] * 6,
        "score": [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0],
        "world": ["w"] * 6 + ["v"] * 6,
    }
)


def written(folder: Path, rows: pd.DataFrame, name: str = "scores.csv") -> Path:
    path = folder / name
    rows.to_parquet(path) if path.suffix == ".parquet" else rows.to_csv(path, index=False)
    return path


def test_two_agents_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for name in ("scores.csv", "scores.parquet"):
        assert main(["compare", "a", "b", "--table", str(written(tmp_path, ROWS, name)), "--json"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    values = json.loads(texts[0])
    assert values["difference"] == 0.5
    assert (values["tasks"], values["clusters"], values["attempts"]) == (2, 2, 8)
    assert values["agents"]["a"]["pass_at"] == {"1": 0.75, "2": 1.0}
    assert values["agents"]["a"]["pass_all"] == {"1": 0.75, "2": 0.5}
    assert {"se", "low", "high", "p", "method", "needed"} <= values.keys()
    assert values == json.loads(json.dumps(assay.compare("a", "b", table=ROWS)))


def test_a_difference_turns_its_sign_with_the_agents() -> None:
    there, back = (assay.compare(*agents, table=ROWS) for agents in (("a", "b"), ("b", "a")))
    assert there["difference"] == -back["difference"]
    assert (there["low"], there["high"]) == (-back["high"], -back["low"])


def test_words_say_what_was_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pd.concat([ROWS, pd.DataFrame({"agent": ["a"], "task": ["z"], "attempt": [0], "score": [1]})])
    assert main(["compare", "a", "b", "--table", str(written(tmp_path, rows))]) == 0
    words = capsys.readouterr().out
    assert "a less b: 0.5" in words
    assert "left out: 1 tasks that only a played" in words


def test_all_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, ROWS))
    assert main(["compare", "--table", path, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert [row["agent"] for row in values["agents"]] == ["a", "b", "c"]
    assert all(pair["p_holm"] >= pair["p"] for pair in values["pairs"])
    assert main(["compare", "--table", path]) == 0
    assert "share a letter" in capsys.readouterr().out


def test_clusters_are_a_column(tmp_path: Path) -> None:
    rows = ROWS.assign(world="w")
    assert assay.compare("a", "b", table=rows, cluster="world")["se"] is None
    assert assay.compare("a", "b", table=rows.rename(columns={"world": "cluster"}))["clusters"] == 1
    assert assay.compare("a", "b", table=ROWS, cluster="task")["clusters"] == 2


def test_results_of_assay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for agent, shift in (("a", 10.0), ("b", 0.0)):
        rows = [
            {
                "suite": "petri",
                "task_set": "core-v0",
                "task_id": f"t{i}",
                "agent": agent,
                "attempt": 0,
                "profile": "default",
                "metric": "score",
                "step": None,
                "value": 50.0 + shift * (i % 2),
                "label": "",
            }
            for i in range(4)
        ]
        path = tmp_path / "petri" / "scores" / f"{agent}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(rows, path, SCORES)
    command = ["compare", "a", "b", "--results", str(tmp_path), "--json", "--set"]
    assert main([*command, "petri/core-v0"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["difference"], values["tasks"]) == (5.0, 4)
    for name, words in (
        ("petri/other", "nobody has the metric 'score' in petri/other"),
        ("sgi/dry-v0", "holds no scores"),
        ("petri", "names no task set"),
    ):
        assert main([*command, name]) != 0
        assert words in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_logs_of_inspect(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.scorer import Score

    logs = []
    for name, values in (("one", "CCIC"), ("two", "ICII")):
        samples = [
            EvalSample(
                id=at // 2,
                epoch=at % 2 + 1,
                input="a question",
                target="yes",
                scores={"match": Score(value=value)},
                metadata={"world": at // 2},
            )
            for at, value in enumerate(values)
        ]
        spec = EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task="questions",
            dataset=EvalDataset(),
            model=f"mockllm/{name}",
            config=EvalConfig(),
        )
        logs.append(tmp_path / f"{name}.eval")
        write_eval_log(EvalLog(eval=spec, samples=samples, status="success"), str(logs[-1]))
    compared = assay.compare("mockllm/one", "mockllm/two", logs=logs)
    assert (compared["tasks"], compared["attempts"]) == (2, 8)
    assert compared["difference"] == 0.5
    assert assay.compare("mockllm/one", "mockllm/two", logs=logs, cluster="world")["clusters"] == 2
    with pytest.raises(AssayError, match="--scorer"):
        assay.compare("mockllm/one", "mockllm/two", logs=logs, scorer="other")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agent,task\na,x\n", "there is no column 'score'"),
        ("agent,task,score\na,x,1\na,y,high\n", "row 2: the score 'high' is no finite number"),
        ("agent,task,score\na,x,inf\n", "is no finite number"),
        ("agent,task,score\na,x,\n", "row 1: the score"),
        ("agent,task,attempt,score\na,x,0,1\na,x,0,0\n", "row 2: attempt 0 of a at x occurs twice"),
        ("", "cannot be read as a table"),
    ],
)
def test_bad_tables_are_named(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(TableError) as raised:
        from_table(path)
    assert words in raised.value.message
    assert str(path) in raised.value.message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"table": ROWS, "first": "a"}, "two agents"),
        ({"table": ROWS, "first": "a", "second": "a"}, "two agents"),
        ({"table": ROWS, "first": "a", "second": "nobody"}, "no attempt of 'nobody'"),
        ({"table": ROWS, "task_set": "petri/core-v0"}, "one source"),
        ({}, "one source"),
        ({"table": ROWS, "cluster": "planet"}, "no column 'planet'"),
        ({"table": ROWS.assign(cluster=range(12)), "first": "a", "second": "b"}, "lies in two clusters"),
        ({"table": ROWS.query("agent != 'b' or task != 'x'").query("agent != 'a' or task != 'y'"),
          "first": "a", "second": "b"}, "no task in common"),
    ],
)  # fmt: skip
def test_bad_requests_are_named(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(AssayError) as raised:
        assay.compare(**arguments)  # type: ignore[arg-type]
    assert words in raised.value.message
