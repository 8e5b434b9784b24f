"""`assay petri`: what it prints, and how it refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.suites.petri.playing import ROOT, frozen, scripted

from assay.cli import main as cli
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.worlds import WORLDS


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


def run(capsys, *arguments):
    code = cli.main(["petri", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_an_experiment_is_what_an_agent_is_shown(capsys):
    arguments = ["experiment", "core-v0/0", "--a", "radius=0.9", "--b", "noise=0.33", "--b", "radius=1.1"]
    code, out, _ = run(capsys, *arguments, "--metric", "groups", "--json")
    assert code == 0
    configs = {"config_a": {"radius": 0.9}, "config_b": {"noise": 0.33, "radius": 1.1}}
    _, (result,) = scripted(frozen("core-v0", 0), ("experiment", {**configs, "metric": "groups"}))
    named = {"task": "core-v0/00000-l1-swarm", **configs, "metric": "groups"}
    assert json.loads(out) == named | result.parts[0]


def test_the_target_is_the_default_and_people_get_lines(capsys):
    code, out, _ = run(capsys, "experiment", "l2-v0/00001-l2-swarm", "--b", "noise=0.33")
    assert code == 0
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert lines["metric"] == "polarization"
    assert lines["significant"] == "True"


def test_a_run_shows_raw_metrics(capsys):
    code, out, _ = run(
        capsys, "run", "swarm", "--set", "noise=0.9", "--set", "n_agents=50", "--seed", "7", "--json"
    )
    result = json.loads(out)
    config = WORLDS["swarm"].resolved({"noise": 0.9, "n_agents": 50})
    assert code == 0
    assert result["parameters"] == config
    assert list(result["metrics"].values()) == replicates("swarm", config, [7])[0].tolist()
    assert list(result["metrics"]) == list(WORLDS["swarm"].metrics)


def test_where_all_metrics_are_shown_none_is_named(capsys):
    code, out, _ = run(capsys, "experiment", "vector-v0/0", "--b", "noise=0.33", "--json")
    assert code == 0
    assert set(json.loads(out)) == {"task", "config_a", "config_b", *WORLDS["swarm"].metrics}


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        (["experiment", "core-v0/99"], "core-v0 has no task '99'", "00000-l1-swarm"),
        (["experiment", "core-v0/0", "--b", "noise=0.9"], "--b: noise must be a number from 0.22", "P=V"),
        (["experiment", "core-v0/0", "--a", "heat=1"], "--a holds an unknown parameter", "P=V"),
        (["experiment", "core-v0/0", "--metric", "joy"], "metric must be one of polarization", "change"),
        (["experiment", "l4-v0/0"], "a task of tier L4 has no experiments", "L1, L2, L3"),
        (["experiment", "blind-v0/0"], "metric must be one of polarization", "change"),
        (["run", "chess"], "there is no world 'chess'", "swarm"),
        (["run", "swarm", "--set", "heat=1"], "no parameter 'heat'", "n_agents, noise"),
        (["run", "swarm", "--set", "noise=1.5"], "the engine runs from 0 to 1", "tasks use 0.22 to 0.6"),
        (["run", "swarm", "--set", "noise=nan"], "the engine runs from 0 to 1", "in that range"),
        (["run", "swarm", "--seed", "-1"], "--seed -1 is out of range", "whole number"),
        (["experiment", "x/0", "--config", "config/test/madeup.yaml"], "no suite 'petri'", "--config"),
    ],
)
def test_mistakes_end_in_two_lines(capsys, arguments, message, remedy):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    error, reply = err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert reply.startswith("remedy: ")
    assert remedy in reply


@pytest.mark.parametrize("wrong", [["run", "swarm", "--set", "noise"], ["run"], [], ["dance"]])
def test_wrong_usage(capsys, wrong):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["petri", *wrong])
    assert stopped.value.code == 2
    assert "usage: assay petri" in capsys.readouterr().err


def test_groups_are_listed_and_not_imported():
    program = (
        "import sys; from assay.cli import main as cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith('assay.suites')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "single experiments and single runs" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_shows_an_example(capsys):
    for words in (["experiment"], ["run"]):
        with pytest.raises(SystemExit):
            cli.main(["petri", *words, "--help"])
        assert f"example: assay petri {words[0]}" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit):
        cli.main(["petri", "--help"])
    assert "example: assay petri experiment core-v0/0" in " ".join(capsys.readouterr().out.split())


def test_a_suite_without_a_docstring_is_listed_by_name(tmp_path):
    (tmp_path / "chess").mkdir()
    (tmp_path / "chess" / "commands.py").write_text("")
    assert cli.suite_commands(tmp_path)["chess"].help == "the suite chess"
