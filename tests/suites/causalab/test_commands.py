"""`assay causalab`: what it prints, and how it refuses."""

from __future__ import annotations

import json

import pytest
from tests.suites.causalab.examples import ROOT, TARGET, first, hidden, second

from assay.cli import main as cli
from assay.suites.causalab.model.files import write_models


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "models.jsonl"
    write_models(
        path, [first(), second(), second(hidden_variable=hidden([TARGET, "ph", "moisture"], [-5, 5]))]
    )
    return str(path)


def run(capsys, *arguments):
    code = cli.main(["causalab", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_describe(capsys, file):
    code, out, _ = run(capsys, "describe", file, "--json")
    (row,) = json.loads(out)
    assert (code, row["nodes"], row["graphs"], row["edge_mean"]) == (0, 4, 3, 5.0)


def test_records(capsys, file):
    code, out, _ = run(capsys, "records", file, "--line", "1", "--count", "3", "--seed", "42", "--json")
    assert code == 0
    assert [row[TARGET] for row in json.loads(out)] == [42.0, 91.0, 136.0]


BASES = ["--base", "ph=10", "--base", "moisture=20", "--base", "density=30"]


def test_simulate(capsys, file):
    steps = ["--set", "moisture=9", "--set", "density=0"]
    code, out, _ = run(capsys, "simulate", file, "--line", "2", *BASES, *steps, "--json")
    assert code == 0
    assert [state[TARGET] for state in json.loads(out)] == [373, 232, -68]
    _, out, _ = run(
        capsys, "simulate", file, "--line", "2", *BASES, *steps[:2], "--semantics", "base", "--json"
    )
    assert json.loads(out)[-1][TARGET] == 362
    _, out, _ = run(capsys, "simulate", file, "--line", "3", *BASES, *steps[:2], "--hidden=5", "--json")
    # before and after: H shifts ph and the target by 5, and ph reaches them; moisture is set
    assert json.loads(out)[-1] == {"density": 30, "ph": 75, "moisture": 19, TARGET: 257}


def test_score(capsys, file, tmp_path):
    reply = tmp_path / "hypothesis.json"
    reply.write_text(json.dumps({"hypothesis": {"edges": [["ph", "freq"]], "coefficients": {"c_ph": 2}}}))
    code, out, _ = run(capsys, "score", file, "--line", "2", str(reply), "--json")
    result = json.loads(out)
    assert (code, result["edge_precision"], result["shd"], result["freq_weight_recall"]) == (0, 1, 5, 1 / 3)


def test_score_of_a_formula(capsys, file, tmp_path):
    reply = tmp_path / "hypothesis.json"
    record = {"hypothesis": {"edges": [["ph", "freq"]]}, "frequency_formula": "freq = 300 + 3 * ph"}
    reply.write_text(json.dumps(record))
    code, out, _ = run(capsys, "score", file, "--line", "2", str(reply), *BASES, "--json")
    results = {name: value for name, value in json.loads(out).items() if name.startswith("formula")}
    wanted = {
        "parsed": True,
        "roots_only": True,
        "value": 510,
        "error": 137,
        "hit": False,
    }  # ph is 70, freq 373
    assert (code, results) == (0, {f"formula_{name}": value for name, value in wanted.items()})
    code, _, err = run(capsys, "score", file, "--line", "2", str(reply), "--base", "heat=1")
    assert code == 1
    assert "--base: 'heat' cannot be set" in err


def test_write(capsys, tmp_path):
    out = tmp_path / "new.jsonl"
    code, _, _ = run(
        capsys, "write", "linear", "7", "--count", "5", "--seed", "11", "--mended", "--out", str(out)
    )
    assert code == 0
    assert len(out.read_text().splitlines()) == 5


def test_trajectory(capsys, tmp_path):
    out = tmp_path / "page.svg"
    code, reply, _ = run(capsys, "trajectory", "main-v0/1", "--agent", "greedy", "--out", str(out), "--json")
    assert (code, json.loads(reply)["status"]) == (0, "done")
    assert out.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "ph"], "'ph' is not of the form X=V"),
        (["--base", "ph=warm"], "'warm' is not a number"),
        (["--hidden", "1,two"], "'two' is not a number"),
    ],
)
def test_what_is_no_number_is_named(capsys, file, arguments, message):
    with pytest.raises(SystemExit) as ended:
        run(capsys, "simulate", file, "--line", "2", *arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["records", "FILE", "--line", "9"], "line 9: the file has 3 models"),
        (["simulate", "FILE", "--line", "2", "--set", "heat=1"], "--set: 'heat' cannot be set"),
        (["simulate", "FILE", "--line", "2", "--set", f"{TARGET}=1"], "cannot be set"),
        (["simulate", "FILE", "--line", "2", "--set", "ph=nan"], "a finite number"),
        (["simulate", "FILE", "--line", "2", "--set", "ph=1", "--hidden", "5"], "no hidden disturbance"),
        (["simulate", "FILE", "--line", "3", "--set", "ph=1", "--hidden", "5,5"], "one value for each"),
        (["score", "FILE", "--line", "2", "FILE"], "is not JSON"),
        (["score", "FILE", "--line", "2", "nothing.json"], "cannot be read"),
        (["trajectory", "main-v0/1", "--agent", "nobody", "--out", "x"], "'nobody' is not in SOLVERS"),
        (["write", "linear", "99", "--out", "x"], "a model of 99 variables"),
        (["write", "cubic", "4", "--out", "x"], "no family 'cubic'"),
    ],
)
def test_mistakes_end_in_two_lines(capsys, file, arguments, message):
    code, out, err = run(capsys, *[file if word == "FILE" else word for word in arguments])
    assert (code, out) == (1, "")
    error, remedy = err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert remedy.startswith("remedy: ")
