"""A malformed configuration: every problem of every file at once, each with its file, key and remedy."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.cli.config import schemas
from assay.config.loading import load
from assay.config.models import Config
from assay.errors import ConfigError

Edit = Callable[[dict[str, Any]], object]

PROJECT = {
    "suites": {"madeup": {"package": "tests.protocol.madeup", "settings": "suite.yaml"}},
    "agents": "agents.yaml",
}
SUITE = {"sets": {"madeup-v0": "frozen", "madeup-many": {"count": 3}}}
AGENTS = {
    "agents": {
        "exact": {"kind": "solver", "suites": {"madeup": ["madeup-v0"]}},
        "brief": {"kind": "solver", "solver": "guess", "log": "digest", "suites": {"madeup": "all"}},
    }
}
ROOT = Path(__file__).resolve().parents[2]


class Files:
    """The three files of a configuration in the working directory, right until they are edited."""

    def __init__(self) -> None:
        self.values = copy.deepcopy({"project.yaml": PROJECT, "suite.yaml": SUITE, "agents.yaml": AGENTS})
        self.write()

    def write(self) -> None:
        for name, value in self.values.items():
            Path(name).write_text(yaml.safe_dump(value))

    def edit(self, name: str, keys: str, value: Any) -> None:
        """Set the value at a path of keys, separated by slashes."""
        *inner, last = keys.split("/")
        at: Any = self.values[name]
        for key in inner:
            at = at.setdefault(key, {})
        at[last] = value
        self.write()

    def load(self, **override: Any) -> Config:
        return load(Path("project.yaml"), override)

    def problems(self, **override: Any) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            self.load(**override)
        first, *lines = caught.value.message.splitlines()
        number = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
        assert first == f"the configuration has {number}:"
        assert "config/schemas/" in caught.value.remedy
        return [line.removeprefix("  ") for line in lines]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    return Files()


def test_defects_of_tasks_are_told_by_task(files: Files) -> None:
    assert files.load().suites["madeup"].notices == {}
    _defects(
        {"tasks": ["madeup-v0/a", "madeup-v0/b"], "identical": True, "reason": "Too easy."},
        {"tasks": ["madeup-v0/b"], "reason": "Too long."},
    )
    assert files.load().suites["madeup"].notices == {
        "madeup-v0/a": ["Too easy. The item is identical with madeup-v0/b."],
        "madeup-v0/b": ["Too easy. The item is identical with madeup-v0/a.", "Too long."],
    }


@pytest.mark.parametrize(
    ("defect", "problem"),
    [
        ({"tasks": ["madeup-v0/a"]}, "defects.0.reason: field required"),
        ({"tasks": ["a"], "reason": "x"}, "defects.0.tasks.0: string should match pattern"),
        ({"tasks": ["madeup-v1/a"], "reason": "x"}, "defects.0.tasks: the suite has no set 'madeup-v1'"),
        (
            {"tasks": ["madeup-v0/a"], "reason": "x", "identical": True},
            "defects.0.tasks: identical tasks are two at least",
        ),
    ],
)
def test_what_is_wrong_with_a_list_of_defects(defect: dict[str, Any], problem: str, files: Files) -> None:
    _defects(defect)
    (line,) = files.problems()
    assert line.startswith(f"config/defects/madeup.yaml: {problem}")


def _defects(*defects: dict[str, Any]) -> None:
    Path("config/defects").mkdir(parents=True)
    Path("config/defects/madeup.yaml").write_text(yaml.safe_dump({"defects": list(defects)}))


def test_the_files_of_these_tests_are_right(files: Files) -> None:
    config = files.load()
    assert list(config.suites) == ["madeup"]
    assert config.agents["exact"].attempts == 1


E = "agents/exact"
MISTAKES: dict[str, tuple[str, str, Any, str]] = {
    # --- unknown keys
    "key of the project": ("project.yaml", "agnets", 1, "agnets: unknown key; did you mean 'agents'?"),
    "key of a suite": (
        *("project.yaml", "suites/madeup/pakcage", "x"),
        "suites.madeup.pakcage: unknown key; did you mean 'package'?",
    ),
    "key of the costs": (
        *("suite.yaml", "costs", {"episod": 1}),
        "costs.episod: unknown key; did you mean 'episode'?",
    ),
    "key of an agent": (
        *("agents.yaml", f"{E}/attemps", 2),
        "agents.exact.attemps: unknown key; did you mean 'attempts'?",
    ),
    "key like no other": (
        *("suite.yaml", "zzz", 1),
        "zzz: unknown key; keys here: costs, requires, sets, settings",
    ),
    "key of a suite's own settings": (
        *("suite.yaml", "settings", {"calibration": {"gueses": 1}}),
        "settings: calibration.gueses: unknown key; did you mean 'guesses'?",
    ),
    # --- wrong values
    "text for a number": (
        *("agents.yaml", f"{E}/attempts", "3"),
        "agents.exact.attempts: input should be a valid integer (got '3')",
    ),
    "truth for a number": (
        *("agents.yaml", f"{E}/attempts", True),
        "agents.exact.attempts: input should be a valid integer (got True)",
    ),
    "too small": (
        *("agents.yaml", f"{E}/attempts", 0),
        "agents.exact.attempts: input should be greater than or equal to 1 (got 0)",
    ),
    "no end of seconds": (
        *("project.yaml", "seconds_per_job", float("inf")),
        "seconds_per_job: input should be a finite number (got inf)",
    ),
    "a number for a path": ("project.yaml", "agents", 3, "agents: input is not a valid path for "),
    "neither number nor all": (
        *("project.yaml", "shard_size", "al"),
        "shard_size: input should be a valid integer; or input should be 'all' (got 'al')",
    ),
    "neither all nor a list": (
        *("agents.yaml", f"{E}/suites/madeup", "al"),
        "agents.exact.suites.madeup: input should be 'all'; or input should be a valid list (got 'al')",
    ),
    "a set of an unknown form": (
        *("suite.yaml", "sets/madeup-v0", "frozn"),
        "sets.madeup-v0: input should be 'frozen' or 'private'; or input should be a valid dictionary "
        "(got 'frozn')",
    ),
    "a set without tasks": (
        *("suite.yaml", "sets/madeup-many", {"count": 0}),
        "sets.madeup-many.count: input should be greater than or equal to 1 (got 0)",
    ),
    "an agent of an unknown kind": (
        *("agents.yaml", f"{E}/kind", "solvr"),
        "agents.exact.kind: input should be one of 'solver', 'model', 'judge' (got 'solvr')",
    ),
    "an agent without a kind": ("agents.yaml", E, {"suites": {}}, "agents.exact.kind: field required"),
    "an agent without suites": (
        *("agents.yaml", E, {"kind": "solver"}),
        "agents.exact.suites: field required",
    ),
    "a name with capitals": (
        *("agents.yaml", "agents/Exact", {"kind": "solver", "suites": {}}),
        "agents.Exact: string should match pattern ",
    ),
    "a suite's own setting": (
        *("suite.yaml", "settings", {"calibration": {"guesses": 0}}),
        "settings: calibration.guesses: input should be greater than or equal to 1 (got 0)",
    ),
    # --- names of what does not exist
    "an unknown package": (
        *("project.yaml", "suites/madeup/package", "tests.protocol.madup"),
        "suites.madeup: there is no package tests.protocol.madup ",
    ),
    "a package that is no suite": (
        *("project.yaml", "suites/madeup/package", "json"),
        "suites.madeup: there is no package json with a room `settings`",
    ),
    "a relative package": (
        *("project.yaml", "suites/madeup/package", ".madeup"),
        "suites.madeup: there is no package .madeup ",
    ),
    "an unknown set": (
        *("agents.yaml", f"{E}/suites/madeup", ["madeup-v1"]),
        "agents.exact.suites.madeup: the suite has no set 'madeup-v1'; did you mean 'madeup-v0'?",
    ),
    **{
        name: (
            "agents.yaml",
            "agents/juror",
            {
                "kind": "judge",
                "transport": {"kind": "fake", "script": "juror"},
                "judges": {"madeup": {"role": "support", **judging}},
            },
            f"agents.juror.judges.madeup.{said}",
        )
        for name, judging, said in (
            (
                "an unknown agent that is judged",
                {"agents": ["exct"]},
                "agents: no agent 'exct' plays the suite",
            ),
            (
                "an agent without events that is judged",
                {"agents": ["brief"]},
                "agents: brief keeps no events",
            ),
            (
                "an unknown set that is judged",
                {"sets": ["madeup-v1"]},
                "sets: the suite has no set 'madeup-v1'",
            ),
            ("a judge's unknown key", {"agent": "all"}, "agent: unknown key; did you mean 'agents'?"),
        )
    },
    "a private set without the ending": (
        *("suite.yaml", "sets/madeup-v0", "private"),
        "sets.madeup-v0: a private set, and no frozen one, has a name that ends in .private",
    ),
    "a frozen set with the ending": (
        *("suite.yaml", "sets/madeup-v0.private", "frozen"),
        "sets.madeup-v0.private: a private set, and no frozen one, has a name that ends in .private",
    ),
}


@pytest.mark.parametrize(("name", "keys", "value", "said"), MISTAKES.values(), ids=MISTAKES)
def test_one_mistake_is_one_problem_with_file_and_key(
    name: str, keys: str, value: Any, said: str, files: Files
) -> None:
    files.edit(name, keys, value)
    (problem,) = files.problems()
    assert problem.startswith(f"{name}: {said}")


def test_a_mistyped_suite_is_told_the_ones_of_assay(files: Files) -> None:
    files.edit("project.yaml", "suites/petry", {"settings": "suite.yaml"})
    (problem,) = files.problems()
    assert problem.endswith("did you mean 'petri'?")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("suites: {a: [}\n", "line 1, column 14: not YAML ("),
        ("suites:\n\t- x\n", "line 2, column 1: not YAML ("),
        ("suites: {}\nagents: a\nsuites: {}\n", "line 3, column 1: not YAML (the key 'suites' stands here"),
        ("a: *b\n", "line 1, column 4: not YAML (found undefined alias 'b')"),
        ("!!python/object:os.system {}\n", "line 1, column 1: not YAML ("),
        ("a: \0\n", "not YAML ("),
        ("a: \xe9\n", "byte 3: not UTF-8"),
        ("", "must hold a mapping"),
        ("- 1\n", "must hold a mapping"),
    ],
)
@pytest.mark.parametrize("name", ["project.yaml", "suite.yaml", "agents.yaml"])
def test_what_is_no_mapping_in_yaml(name: str, text: str, said: str, files: Files) -> None:
    Path(name).write_text(text, encoding="latin-1")
    (problem,) = files.problems()
    assert problem.startswith(f"{name}: {said}")


@pytest.mark.parametrize("name", ["project.yaml", "suite.yaml", "agents.yaml"])
def test_a_file_that_is_missing_or_a_folder(name: str, files: Files) -> None:
    Path(name).unlink()
    assert files.problems() == [f"{name}: there is no such file; write it, or correct the path that names it"]
    Path(name).mkdir()
    assert files.problems() == [f"{name}: cannot be read (Is a directory)"]


@pytest.mark.parametrize("of_project", [False, True])
def test_all_problems_of_all_files_at_once(of_project: bool, files: Files) -> None:
    files.edit("suite.yaml", "costs", {"task": 0, "episod": 1})
    files.edit("agents.yaml", f"{E}/attempts", 0)
    expected = ["agents.yaml: agents.exact.attempts", "suite.yaml: costs.task", "suite.yaml: costs.episod"]
    if of_project:
        files.edit("project.yaml", "shard_size", 0)
        expected.insert(0, "project.yaml: shard_size")
    assert [problem.rpartition(": ")[0] for problem in files.problems()] == expected


def test_snakemake_s_overrides_are_checked_too(files: Files) -> None:
    assert files.load(shard_size=2).project.shard_size == 2
    (problem,) = files.problems(shard_sise=2)
    assert problem == "project.yaml: shard_sise: unknown key; did you mean 'shard_size'?"


TESTED = ("test/madeup.yaml", "test/real.yaml", "test/small.yaml", "test/smoke.yaml")


@pytest.mark.parametrize("name", ["config.yaml", *TESTED])
def test_the_committed_files_load(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    config = load(Path("config") / name)
    assert config.agents
    assert all(config.suites[suite].file.sets for suite in config.project.suites)


def test_every_test_configuration_is_tried() -> None:
    projects = {f"test/{p.name}" for p in (ROOT / "config/test").glob("*.yaml") if "-" not in p.stem}
    assert projects == set(TESTED)


def test_the_committed_schemas_are_what_the_models_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    committed = {path.name: path.read_text() for path in Path("config/schemas").iterdir()}
    assert committed == schemas(Path("config/config.yaml")), "run: assay config schemas"
    assert json.loads(committed["config.json"])["additionalProperties"] is False


def test_roles_are_read_in_either_spelling(files: Files) -> None:
    files.edit("agents.yaml", "agents/cheat", {**AGENTS["agents"]["exact"], "scripted": True})
    files.edit("agents.yaml", "agents/liar", {**AGENTS["agents"]["exact"], "role": {"madeup": "conduct"}})
    files.edit("agents.yaml", "agents/shortcut-half", {**AGENTS["agents"]["exact"], "role": "shortcut"})
    files.edit("agents.yaml", "agents/able-75", {**AGENTS["agents"]["exact"], "role": "able"})
    agents = {name: entry for name, entry in files.load().agents.items() if entry.kind == "solver"}
    assert {name: entry.role_in("madeup") for name, entry in agents.items()} == {
        "exact": "reference",
        "brief": "reference",
        "cheat": "conduct",
        "liar": "conduct",
        "shortcut-half": "shortcut",
        "able-75": "able",
    }
    assert {name for name, entry in agents.items() if entry.is_probe} == {"shortcut-half", "able-75"}


@pytest.mark.parametrize(
    ("name", "entry", "problem"),
    [
        ("exact", {"role": "shortcut"}, "role: names of agents with `role: shortcut` begin with shortcut-"),
        ("able-101", {"role": "able"}, "role: names of agents with `role: able` are able-0 to able-100"),
        ("shortcut-x", {}, "role: an agent of that name has `role: shortcut` in every suite"),
        ("able-5", {"role": "conduct"}, "role: an agent of that name has `role: able` in every suite"),
        ("exact", {"role": "conduct", "scripted": True}, "`scripted: true` is the old spelling"),
        ("exact", {"role": {"petri": "conduct"}}, "role.petri: the agent does not play that suite"),
        ("shortcut-x", {"role": "shortcut", "solver": "guess"}, "solver: 'guess' is no shortcut"),
    ],
)
def test_what_is_wrong_with_a_role(name: str, entry: dict[str, Any], problem: str, files: Files) -> None:
    files.edit("agents.yaml", f"agents/{name}", {**AGENTS["agents"]["exact"], **entry})
    (line,) = files.problems()
    assert line.startswith(f"agents.yaml: agents.{name}: {problem}")
