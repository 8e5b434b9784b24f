"""`assay list`, `add-agent` and `completion`, and `assay.tasks`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.agents.sessions import SET, write_checkout

import assay
from assay.cli import main as cli
from assay.cli.daily import completion
from assay.config.loading import load

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(capsys: Captured, *arguments: str) -> list[dict[str, object]]:
    assert cli.main(["list", *arguments, "--json"]) == 0
    value: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return value


def test_lists(checkout: Path, capsys: Captured) -> None:
    (suite,) = listed(capsys, "suites")
    assert suite["suite"] == "madeup"
    sets = listed(capsys, "sets", "madeup")
    assert f"madeup/{SET}" in [row["set"] for row in sets]
    assert suite["tasks"] == sum(int(str(row["tasks"])) for row in sets)
    tasks = listed(capsys, "tasks", f"madeup/{SET}")
    assert [row["task"] for row in tasks] == [f"{SET}/{n}" for n in range(len(tasks))]
    assert cli.main(["list", "agents"]) == 0
    assert capsys.readouterr().out.startswith("agent")


def test_tasks_of_a_project_elsewhere(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [task.to_json() for task in assay.tasks("madeup", SET)]
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert [task.to_json() for task in assay.tasks("madeup", SET, root=checkout)] == here
    with assay.open_task("madeup", f"{SET}/0", root=checkout) as session:
        assert session.task.task_id == here[0]["task_id"]
        assert session.task.hidden is None
    with pytest.raises(assay.errors.UnknownName, match="there is no set 'absent'"):  # type: ignore[attr-defined]
        assay.tasks("madeup", "absent", root=checkout)


def test_an_agent_is_added_once_it_has_answered(checkout: Path, capsys: Captured) -> None:
    file = Path("config/agents.yaml")
    before = file.read_text()
    words = ["add-agent", "mine", "--command", "echo ready", "--sets", f"madeup/{SET}"]
    assert cli.main([*words, "--attempts", "2"]) == 0
    assert "mine answers: ready (" in capsys.readouterr().out
    assert file.read_text().startswith(before.rstrip())  # comments stay
    entry = load().agents["mine"]
    assert (entry.suites, entry.attempts) == ({"madeup": [SET]}, 2)
    assert cli.main(words) == 1
    assert "has an entry mine already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fake", "tests.agents.scripts:absent"), "absent"),
        (("--model", "mockllm/model", "--key", "NO_SUCH_KEY"), "the variable NO_SUCH_KEY holds no key"),
        (("--command", "false"), "did not answer: the program ended with the code 1"),
        (("--recorded", "--sets", "madeup/absent"), "has no task set 'absent'"),
    ],
)
def test_an_agent_that_does_not_answer_is_not_written(
    options: tuple[str, ...], said: str, checkout: Path, capsys: Captured
) -> None:
    before = Path("config/agents.yaml").read_text()
    assert cli.main(["add-agent", "mine", "--sets", f"madeup/{SET}", *options]) == 1
    assert said in capsys.readouterr().err
    assert Path("config/agents.yaml").read_text() == before


def test_a_file_that_cannot_be_appended_to_is_left_alone(checkout: Path, capsys: Captured) -> None:
    file = Path("config/agents.yaml")
    file.write_text("agents: {}\n")
    before = file.read_text()
    assert cli.main(["add-agent", "mine", "--sets", f"madeup/{SET}", "--recorded"]) == 1
    assert "cannot be appended" in capsys.readouterr().err
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["pla"], {"play"}),
        (["play", "mad"], {"madeup"}),
        (["mcp", "madeup", ""], {SET}),
        (["play", "madeup", "x", "--at"], {"--attempt"}),
        (["list", "ta"], {"tasks"}),
        (["run", "a.py", "madeup/"], {f"madeup/{SET}"}),
        (["config", "ch"], {"check"}),
        (["play", "madeup", "x", "--agent", "exa"], {"exact"}),
        (["absent", ""], set()),
    ],
)
def test_completion(line: list[str], expected: set[str], checkout: Path) -> None:
    assert expected <= set(completion.words(line))
    assert expected or not completion.words(line)


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_the_script_of_a_shell_is_one(shell: str, checkout: Path, capsys: Captured) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert subprocess.run([shell, "-n"], input=script, text=True).returncode == 0


@pytest.mark.parametrize("option", ["--config", "--configfile"])
def test_the_configuration_is_spelled_either_way(option: str, checkout: Path, capsys: Captured) -> None:
    assert cli.main(["list", "suites", option, "config/config.yaml"]) == 0
    assert cli.main(["list", "suites", option, "absent.yaml"]) == 1
