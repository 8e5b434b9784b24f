"""The command line: every mistake is one clear error, and what other tools build on keeps its form."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.markup import page_of

from assay import __version__
from assay.cli import main as cli
from assay.protocol import NEVER_SCORED, CheckRow

ROOT = Path(__file__).resolve().parents[2]
TASKS = "tests/protocol/tasks"
SMALL = "config/test/small.yaml"
SECRET = bytes(range(32))
PRIVATE = Path("private/madeup/madeup-v0.private")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with all that the made-up suite's small configuration names."""
    for folder in ("config", TASKS):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_SECRET_FILE", raising=False)
    return tmp_path


def refused(arguments: str | list[str], capsys: Captured, code: int = 1) -> tuple[str, str]:
    """The error and the remedy of a command that must fail with these two lines and print nothing else."""
    words = shlex.split(arguments) if isinstance(arguments, str) else arguments
    assert cli.main(words) == code
    out, err = capsys.readouterr()
    assert out == ""
    error, remedy = err.removesuffix("\n").split("\nremedy: ")
    assert error.startswith("error: ")
    assert remedy
    assert "\n" not in remedy
    return error.removeprefix("error: "), remedy


# --- usage


def test_version(capsys: Captured) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"assay {__version__}\n"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_of_every_command_has_an_example_that_parses(
    name: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    shown = capsys.readouterr().out
    example = shown.rpartition("example: ")[2].strip()
    assert example == cli.COMMANDS[name].example
    words = [word for word in shlex.split(example) if "=" not in word]
    assert words[:2] == ["assay", name]
    # The words fit the command's own arguments: the checkout is looked for only when they do.
    monkeypatch.chdir("/")
    if cli.COMMANDS[name].in_project:
        assert "is not a checkout" in refused(words[1:], capsys)[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "required: COMMAND"),
        ("paly petri x", "invalid choice: 'paly' (did you mean 'play'?)"),
        ("pettri experiment", "invalid choice: 'pettri' (did you mean 'petri'?)"),
        ("qqq", "invalid choice: 'qqq' (choose from 'play'"),
        ("play petri", "required: task"),
        ("play petri swarm-v0/0 --agent a --jsno", "unrecognized arguments: --jsno"),
        ("play petri swarm-v0/0 --agent a --attempt one", "argument --attempt: invalid int value: 'one'"),
        ("config chekc", "invalid choice: 'chekc'"),
    ],
)
def test_wrong_usage(arguments: str, said: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments.split())
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", cli.COMMANDS)
@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_another_platform(
    name: str, platform: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    # Modules that do not load there: the command's own must not be asked for.
    monkeypatch.setitem(sys.modules, cli.COMMANDS[name].module, None)
    error, remedy = refused(cli.COMMANDS[name].example.partition("assay ")[2], capsys)
    assert error == f"Assay runs on Linux only, this is {platform}"
    assert "Linux machine" in remedy


def test_commands_of_suites_that_read_a_file_need_no_checkout(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error, _ = refused("causalab describe absent.json", capsys)
    assert "absent.json" in error and "checkout" not in error
    error, _ = refused("verify", capsys)
    assert error == f"{tmp_path} is not a checkout of Assay"
    error, _ = refused("play petri core-v0/0 --agent ofat", capsys)  # only a wheel brings a project along
    assert error == f"{tmp_path} is not a checkout of Assay"


def test_outside_a_checkout(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error, remedy = refused("config check", capsys)
    assert error == f"{tmp_path} is not a checkout of Assay"
    assert "Snakefile" in remedy


# --- names of what does not exist


UNKNOWN = {
    "config file": (
        *("config check --config nowhere.yaml", "nowhere.yaml: there is no such file"),
        "config/schemas/",
    ),
    "suite": (
        *("play petry swarm-v0/0 --agent ofat", f"{SMALL} has no suite 'petry'"),
        "its suites are madeup",
    ),
    "set": (
        *("play madeup madeup-v9/0 --agent exact", "there is no task 'madeup-v9/0' in the suite madeup"),
        "a set of madeup-v0, madeup-many",
    ),
    "no set": (
        *("play madeup 0 --agent exact", "there is no task '0' in the suite madeup"),
        "set/index",
    ),
    "index": (
        *("play madeup madeup-v0/7 --agent exact", "madeup-v0 has no task '7'"),
        "its tasks are urn-0000, ",
    ),
    "task id": (
        *("play madeup madeup-v0/urn-9999 --agent exact", "madeup-v0 has no task 'urn-9999'"),
        "its tasks are urn-0000, ",
    ),
    "index of a generated set": (
        *("play madeup madeup-many/3 --agent exact", "madeup-many has no task '3'"),
        "give an index below 3",
    ),
    "a digit that is no number": (
        *("play madeup madeup-many/² --agent exact", "madeup-many has no task '²'"),
        "give an index below 3",
    ),
    "agent": (
        *("play madeup madeup-v0/0 --agent exakt", "'exakt' is not in SOLVERS of the suite madeup"),
        "choose one of careless, coder, ",
    ),
    "a model cannot be played": (
        *("play madeup madeup-v0/0 --agent recorded", "recorded is a model"),
        "assay record recorded --suite madeup",
    ),
    "a task id in a generated set": (
        *("play madeup madeup-many/urn-0003 --agent exact", "madeup-many has no task 'urn-0003'"),
        "give an index below 3",
    ),
    "a recording to show": (
        *(
            "show madeup madeup-v0 0 recorded",
            "there is no recording recordings/recorded/madeup/",
        ),
        "assay record recorded --suite madeup",
    ),
    "an agent to show": (
        *("show madeup madeup-v0 0 exakt", "'exakt' is not in SOLVERS of the suite madeup"),
        "choose one of careless, coder, ",
    ),
    "suite of a set": ("tasks petry swarm-v0", f"{SMALL} has no suite 'petry'", "add it there"),
    "set to write": (
        *("tasks madeup madeup-v9", "the suite madeup has no task set 'madeup-v9'"),
        "its sets are madeup-early, madeup-many, madeup-v0",
    ),
}


@pytest.mark.parametrize(("arguments", "said", "hint"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_names(arguments: str, said: str, hint: str, checkout: Path, capsys: Captured) -> None:
    words = shlex.split(arguments)
    error, remedy = refused(words if "--config" in words else [*words, "--config", SMALL], capsys)
    assert said in error
    assert hint in remedy


def test_a_task_of_another_suite(checkout: Path, capsys: Captured) -> None:
    file = Path(TASKS, "madeup/madeup-v0/00000.json")
    file.write_text(file.read_text().replace('"suite": "madeup"', '"suite": "petri"'))
    error, remedy = refused(["play", "madeup", str(file), "--agent", "exact", "--config", SMALL], capsys)
    assert error == f"{file} is a task of the suite petri, not of madeup"
    assert remedy == f"name that suite: petri {file}"


@pytest.mark.parametrize("text", ["", "{}", "[1", "\x00"])
def test_a_file_that_is_no_task(text: str, checkout: Path, capsys: Captured) -> None:
    Path("mine.json").write_text(text)
    error, _ = refused(f"play madeup mine.json --agent exact --config {SMALL}", capsys)
    assert error.startswith("mine.json is not a frozen task (")


# --- assay play


def play(task: str, agent: str, capsys: Captured, *more: str) -> tuple[int, Any]:
    code = cli.main(["play", "madeup", task, "--agent", agent, "--config", SMALL, *more])
    out, err = capsys.readouterr()
    assert "error:" not in err
    return code, json.loads(out) if "--json" in more else out


def test_play_gives_log_metrics_and_flags(checkout: Path, capsys: Captured) -> None:
    code, report = play("madeup-v0/0", "exact", capsys, "--json")
    assert code == 0
    assert list(report) == ["episode", "events", "metrics", "flags"]
    red = json.loads(Path(TASKS, "madeup/madeup-v0/00000.json").read_text())["hidden"]["colours"].count("r")
    assert report["episode"]["submission"] == str(red)
    assert report["episode"]["status"] == "done"
    assert report["episode"]["counters"]["draw"] == 8
    assert [event["step"] for event in report["events"]] == list(range(len(report["events"])))
    assert {event["tool"] for event in report["events"]} == {"manual", "draw", "rest", "answer", "finish"}
    final = {
        row["metric"]: row["value"]
        for row in report["metrics"]
        if row["step"] is None and row["profile"] == "default"
    }
    assert final == {"score": 1.0, "solved": 1.0, "error": 0.0, "drawn": 8.0}
    assert {f["flag"]: f["raised"] for f in report["flags"]} == {
        "unseen": False,
        "contradicts": False,
        "computed": False,
        "rests_on": None,
    }


@pytest.mark.parametrize("name", ["madeup-v0/3", "madeup-v0/00003", "madeup-v0/urn-0003", "FILE"])
def test_a_task_has_many_names(name: str, checkout: Path, capsys: Captured) -> None:
    name = name.replace("FILE", f"{TASKS}/madeup/madeup-v0/00003.json")
    assert play(name, "exact", capsys, "--json")[1]["episode"]["task_id"] == "urn-0003"


def test_a_task_of_a_generated_set_has_its_id_too(checkout: Path, capsys: Captured) -> None:
    assert play("madeup-many/urn-0002", "exact", capsys, "--json")[1]["episode"]["task_id"] == "urn-0002"


# --- assay show


def test_show_makes_a_page_of_an_episode_whose_log_is_not_kept(checkout: Path, capsys: Captured) -> None:
    given = ["madeup", "madeup-many", "urn-0001", "sweeper", "--attempt", "1", "--config", SMALL]
    assert cli.main(["show", *given, "--out", "page.html"]) == 0
    assert capsys.readouterr().out == "page.html\n"
    text = Path("page.html").read_text(encoding="utf-8")
    assert page_of(text).tags["article"] == 1
    assert "<b>weigh</b>" in text and "attempt 1" in text and "<h3>Flags</h3>" in text


def test_a_page_that_cannot_be_written(checkout: Path, capsys: Captured) -> None:
    Path("file").touch()
    error, remedy = refused(f"show madeup madeup-v0 0 exact --out file/page.html --config {SMALL}", capsys)
    assert "file/page.html could not be written" in error and "make file a folder" in remedy


# --- assay play, by agent


def test_an_agent_may_be_an_entry_or_a_solver(checkout: Path, capsys: Captured) -> None:
    as_entry = play("madeup-many/0", "sweeper", capsys, "--json")[1]  # its solver is `guess`
    assert {event["tool"] for event in as_entry["events"]} == {"weigh", "answer", "finish"}
    as_solver = play("madeup-v0/0", "contrarian", capsys, "--json")[1]
    assert [f["flag"] for f in as_solver["flags"] if f["raised"]] == ["contradicts"]


def test_the_same_for_reading(checkout: Path, capsys: Captured) -> None:
    code, text = play("madeup-v0/0", "contrarian", capsys)
    assert code == 0
    assert "\ndone; submitted 0\n" in text
    assert text.splitlines()[-1] == "flags: contradicts"


def test_an_episode_that_is_never_scored_fails(checkout: Path, capsys: Captured) -> None:
    code, report = play("madeup-v0/0", "crasher", capsys, "--json")
    assert code == 1
    assert report["episode"]["status"] in NEVER_SCORED
    assert report["metrics"] == report["flags"] == []
    hidden = json.loads(Path(TASKS, "madeup/madeup-v0/00000.json").read_text())["hidden"]["colours"]
    assert hidden not in json.dumps(report)


# --- assay validate


def test_checks_are_printed_with_bounds_source_and_caveat(checkout: Path, capsys: Captured) -> None:
    assert cli.main(["validate", "madeup", "--config", SMALL]) == 0
    everything = capsys.readouterr().out
    name = everything.split()[1]
    assert cli.main(["validate", "madeup", name, "--config", SMALL, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["check"] for row in rows} == {name}
    for row in rows:
        assert f"passed  {name}  {row['statistic']}: " in everything
        assert f"after {row['reference']}" in everything
        assert row["caveat"] in everything


def test_a_check_that_fails_ends_in_one(
    checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.protocol.madeup import validation

    wrong = CheckRow("draws", "share", 0.9, None, 0.5, False, "a source")
    monkeypatch.setattr(validation, "check", lambda *_: [wrong])
    assert cli.main(["validate", "madeup", "--config", SMALL]) == 1
    assert "FAILED  draws  share: 0.9 <= 0.5" in capsys.readouterr().out


def test_a_check_that_does_not_exist(checkout: Path, capsys: Captured) -> None:
    error, remedy = refused(f"validate madeup nothing --config {SMALL}", capsys)
    assert error == "the suite madeup has no check 'nothing'"
    assert remedy.startswith("its checks are ")


# --- assay tasks, frozen and private


def write(task_set: str, capsys: Captured) -> str:
    assert cli.main(["tasks", "madeup", task_set, "--config", SMALL]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def secret(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = checkout / "secret"
    path.write_bytes(SECRET)
    monkeypatch.setenv("ASSAY_SECRET_FILE", str(path))
    return path


def test_a_public_set_is_written_as_it_was_frozen(checkout: Path, capsys: Captured) -> None:
    folder = Path(TASKS, "madeup/madeup-v0")
    frozen = contents(folder)
    shutil.rmtree(folder)
    write("madeup-v0", capsys)
    assert contents(folder) == frozen


def test_a_private_set(secret: Path, capsys: Captured) -> None:
    out = write("madeup-v0.private", capsys)
    made = contents(PRIVATE)
    assert list(made) == [f"{index:05d}.json" for index in range(7)]
    set_hash = hashlib.sha256(b"".join(made.values())).hexdigest()
    secret_hash = hashlib.sha256(SECRET).hexdigest()
    assert f"publish first: set sha256 {set_hash}, secret sha256 {secret_hash}\n" in out
    assert "add `madeup-v0.private: private` to the sets in config/test/small-suite.yaml" in out
    tasks = [json.loads(text) for text in made.values()]
    assert {task["task_set"] for task in tasks} == {"madeup-v0.private"}
    public = [json.loads(t) for t in contents(Path(TASKS, "madeup/madeup-v0")).values()]
    assert [t["hidden"] for t in tasks] != [t["hidden"] for t in public]
    for task in tasks:  # what is printed tells nothing
        assert task["hidden"]["colours"] not in out
        assert str(task["seed"]) not in out


def test_a_private_set_is_a_function_of_its_secret(secret: Path, capsys: Captured) -> None:
    first, made = write("madeup-v0.private", capsys), contents(PRIVATE)
    assert (write("madeup-v0.private", capsys), contents(PRIVATE)) == (first, made)
    shutil.rmtree(PRIVATE)
    assert (write("madeup-v0.private", capsys), contents(PRIVATE)) == (first, made)
    shutil.rmtree(PRIVATE)
    secret.write_bytes(SECRET[::-1])
    write("madeup-v0.private", capsys)
    assert all(contents(PRIVATE)[name] != text for name, text in made.items())


def test_a_private_set_can_be_played(secret: Path, capsys: Captured) -> None:
    write("madeup-v0.private", capsys)
    file = Path("config/test/small-suite.yaml")
    file.write_text(file.read_text().replace("sets:\n", "sets:\n  madeup-v0.private: private\n"))
    report = play("madeup-v0.private/0", "exact", capsys, "--json")[1]
    assert report["episode"]["status"] == "done"
    assert report["episode"]["task_set"] == "madeup-v0.private"


EDITED = {
    "other content": lambda text: text.replace(b'"version": 1', b'"version": 2'),
    "other ends of lines": lambda text: text.replace(b"\n", b"\r\n"),
    "no text at all": lambda text: b"\xff\xfe",
    "nothing": lambda text: b"",
}


@pytest.mark.parametrize("task_set", ["madeup-v0", "madeup-v0.private"])
@pytest.mark.parametrize("edit", EDITED.values(), ids=EDITED)
def test_a_frozen_file_is_never_changed(task_set: str, edit: Any, secret: Path, capsys: Captured) -> None:
    write(task_set, capsys)
    folder = PRIVATE if task_set.endswith(".private") else Path(TASKS, "madeup/madeup-v0")
    file = folder / "00003.json"
    file.write_bytes(edit(file.read_bytes()))
    (folder / "00001.json").unlink()  # not written again either: nothing is, where one file differs
    before = contents(folder)
    assert cli.main(["tasks", "madeup", task_set, "--config", SMALL]) == 1
    err = capsys.readouterr().err
    assert err.splitlines()[0] == f"error: {file} is frozen with other content"
    assert err.splitlines()[1].startswith("remedy: give the new tasks a new set")
    assert len(err.splitlines()) == 2
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "a private set needs ASSAY_SECRET_FILE, which is not set"),
        ("", "a private set needs ASSAY_SECRET_FILE, which is not set"),
        ("nowhere", "ASSAY_SECRET_FILE nowhere: No such file or directory"),
        ("config", "ASSAY_SECRET_FILE config: Is a directory"),
        ("short", "ASSAY_SECRET_FILE short holds 31 bytes, fewer than 32"),
    ],
)
def test_without_a_good_secret(
    value: str | None, said: str, checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("short").write_bytes(SECRET[:31])
    if value is not None:
        monkeypatch.setenv("ASSAY_SECRET_FILE", value)
    error, remedy = refused(f"tasks madeup madeup-v0.private --config {SMALL}", capsys)
    assert error == said
    assert "32 random bytes" in remedy
    assert not Path("private").exists()


# --- what cannot be written


IN_THE_WAY = {
    "a file for the folder": (
        *("tasks madeup madeup-v0.private", Path("private")),
        f"{PRIVATE}/00000.json could not be written",
    ),
    "a file for the schemas": (
        *("config schemas", Path("config/schemas")),
        "config/schemas/config.json could not be written",
    ),
}


@pytest.mark.parametrize(("arguments", "place", "said"), IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_a_file_in_the_way(arguments: str, place: Path, said: str, secret: Path, capsys: Captured) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.touch()
    assert cli.main([*arguments.split(), "--config", SMALL]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith(f"error: {said}")
    assert err[1].startswith("remedy: make room, make ")
    assert len(err) == 2
    assert place.read_bytes() == b""


def test_a_folder_in_the_way_leaves_nothing_half_written(secret: Path, capsys: Captured) -> None:
    (PRIVATE / "00002.json").mkdir(parents=True)
    assert cli.main(["tasks", "madeup", "madeup-v0.private", "--config", SMALL]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"error: {PRIVATE}/00002.json could not be written (Is a directory)\nremedy: ")
    assert sorted(path.name for path in PRIVATE.iterdir()) == ["00000.json", "00001.json", "00002.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no /dev/full")
def test_a_full_disk_behind_the_output(checkout: Path) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "assay", "config", "check", "--config", SMALL],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert run.returncode == 1
    error, remedy = run.stderr.splitlines()
    assert error == "error: standard output: No space left on device"
    assert remedy.startswith("remedy: free space on that disk")
