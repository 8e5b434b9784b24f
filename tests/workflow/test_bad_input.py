"""Bad input to the programs: one clear error with place and remedy, and nothing half written."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.madeup import solvers
from tests.workflow.checkout import ROOT, Checkout, Run

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result, Solver
from assay.stages.tasks import compare
from assay.suite import suite
from assay.task import read_frozen

SUITE = {"suite": "madeup", "package": "tests.protocol.madeup"}
SPANS = [["madeup-v0", 0, 7]]
FROZEN = [f"tests/protocol/tasks/madeup/madeup-v0/{index:05d}.json" for index in range(7)]
ROOMS = "tests.protocol.madeup"
SHARDS = "results/madeup/shards"
PARTS = {
    "tasks": f"{SHARDS}/tasks/madeup-v0/0.parquet",
    "blobs": f"{SHARDS}/tasks/madeup-v0/0.blobs.parquet",
}


class Programs(Checkout):
    """A checkout whose programs are called one by one, without Snakemake and without a store."""

    def program(
        self,
        name: str,
        rooms: str,
        config: Mapping[str, Any],
        inputs: Mapping[str, list[str]],
        outputs: Mapping[str, str],
        *before: str,
    ) -> Run:
        roots = ["workflow/scripts/stage.py", f"assay.stages.{name}"]
        roots += [f"{ROOMS}.{room}" for room in rooms.split()]
        words = ["--roots", ",".join(roots), "--config", json.dumps({**SUITE, **config})]
        words += [word for key, files in inputs.items() for word in ("--in", key, *files)]
        words += [word for key, file in outputs.items() for word in ("--out", key, file)]
        program = (".venv/bin/python", "workflow/scripts/stage.py", name)
        return self.do(*before, *program, *words, ASSAY_STORE="off")

    def tasks(self, *before: str) -> Run:
        """Generate the frozen set."""
        config = {"spans": SPANS, "frozen": dict.fromkeys(FROZEN, "")}
        return self.program("tasks", "tasks", config, {"frozen": FROZEN}, PARTS, *before)

    def calibration(self, *before: str) -> Run:
        """Calibrate the frozen set."""
        config = {"spans": SPANS, "settings": {"guesses": 3}}
        inputs = {name: [file] for name, file in PARTS.items()}
        out = {"calibration": f"{SHARDS}/calibration/madeup-v0/0.parquet"}
        return self.program("calibration", "calibration artefacts", config, inputs, out, *before)

    def episodes(self, solver: str) -> Run:
        """Let a solver play the frozen set."""
        config = {"spans": SPANS, "agent": solver, "solver": solver, "attempts": 1}
        inputs = {name: [file] for name, file in PARTS.items()}
        out = {name: f"{SHARDS}/{name}/{solver}/madeup-v0/0.parquet" for name in ("episodes", "events")}
        out["blobs"] = f"{SHARDS}/blobs/{solver}/madeup-v0/0.parquet"
        return self.program("episodes", "world solvers artefacts", config, inputs, out)

    def merge(self, *before: str) -> Run:
        """Merge the one shard of tasks there is."""
        config = {"schema": "assay.tables.schemas.tasks:TASKS"}
        out = {"table": "results/madeup/tasks.parquet"}
        return self.program("merge", "", config, {"parts": [PARTS["tasks"]]}, out, *before)


def files(root: Path) -> dict[str, bytes]:
    """The files below `results`, and its hidden folders: only an empty folder for outputs may come new."""
    everything = [root / "results", *(root / "results").rglob("*")]
    found = [path for path in everything if path.is_file() or path.name.startswith(".")]
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else b"" for path in found}


def one_clear_error(run: Run) -> tuple[str, str]:
    """The error and the remedy that a failed run ends with: two lines and no traceback."""
    assert run.code == 1, run.output
    assert "Traceback" not in run.output
    lines = [line for line in run.output.splitlines() if not line.startswith("Using workflow specific")]
    assert [line.partition(":")[0] for line in lines] == ["error", "remedy"], run.output
    return lines[0].removeprefix("error: "), lines[1].removeprefix("remedy: ")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """A checkout with one shard of tasks. Do not change it: copy it."""
    checkout = Programs.fresh(tmp_path_factory.mktemp("bad-input") / "checkout")
    made = Programs(checkout.root).tasks()
    assert made.code == 0, made.output
    return Programs(checkout.root)


@pytest.fixture
def programs(prepared: Programs, tmp_path: Path) -> Programs:
    return Programs(prepared.copy(tmp_path / "checkout").root)


# --- damaged tables


def flip(data: bytes) -> bytes:
    """One byte of the first page changed: the checksum of the page tells."""
    at = len(data) // 4
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "one byte": (flip, "column "),
    "truncated": (lambda data: data[: len(data) // 2], "cannot be read as Parquet"),
    "truncated by a byte": (lambda data: data[:-1], "cannot be read as Parquet"),
    "empty": (lambda data: b"", "cannot be read as Parquet"),
    "no Parquet": (lambda data: b"task_id,seed\n0,1\n", "cannot be read as Parquet"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_table(damage: Callable[[bytes], bytes], said: str, programs: Programs) -> None:
    path = programs.root / PARTS["tasks"]
    path.write_bytes(damage(path.read_bytes()))
    before = files(programs.root)
    error, remedy = one_clear_error(programs.calibration())
    assert error.startswith(PARTS["tasks"])
    assert said in error
    assert "delete it and run `make reproduce`" in remedy
    assert files(programs.root) == before


def test_a_damaged_part_is_not_merged(programs: Programs) -> None:
    path = programs.root / PARTS["tasks"]
    path.write_bytes(flip(path.read_bytes()))
    before = files(programs.root)
    error, _ = one_clear_error(programs.merge())
    assert error.startswith(f"{PARTS['tasks']}: column ")
    assert files(programs.root) == before


def test_a_solver_that_does_not_exist(programs: Programs) -> None:
    before = files(programs.root)
    error, remedy = one_clear_error(programs.episodes("nobody"))
    assert error == "'nobody' is not in SOLVERS of the suite madeup"
    assert "choose one of careless, " in remedy
    assert files(programs.root) == before


# --- frozen tasks that somebody has edited


def test_an_edited_task_stops_the_job_that_generates_it(programs: Programs) -> None:
    programs.replace(FROZEN[3], '"balls": 24', '"balls": 25')
    before = files(programs.root)
    error, remedy = one_clear_error(programs.tasks())
    line = (programs.root / FROZEN[3]).read_text().splitlines().index('  "balls": 25') + 1
    assert error.startswith(f"{FROZEN[3]}, line {line}: the frozen task is not what its generator makes")
    assert "'\"balls\": 25' in the file, '\"balls\": 24' made" in error
    assert remedy.startswith("a frozen set is never edited, only succeeded: restore the file from git")
    assert files(programs.root) == before


HAND_EDITS: dict[str, tuple[Callable[[list[str]], list[str]], int]] = {
    "first line": (lambda lines: ["[", *lines[1:]], 1),
    "a line more": (lambda lines: [*lines[:4], "", *lines[4:]], 5),
    "a line less": (lambda lines: [*lines[:4], *lines[5:]], 5),
    "truncated": (lambda lines: lines[:10], 11),
    "a space more": (lambda lines: [*lines[:8], lines[8] + " ", *lines[9:]], 9),
    "appended": (lambda lines: [*lines, "{}"], 25),
    "empty": (lambda lines: [], 1),
}


@pytest.mark.parametrize(("edit", "line"), HAND_EDITS.values(), ids=HAND_EDITS)
def test_the_line_of_an_edit_is_named(
    edit: Callable[[list[str]], list[str]], line: int, tmp_path: Path
) -> None:
    task, file = read_frozen(ROOT / FROZEN[0]), tmp_path / "00000.json"
    lines = task.frozen_text().splitlines()
    file.write_text(task.frozen_text())
    compare(task, file)  # unedited it is right
    file.write_text("".join(f"{text}\n" for text in edit(lines)))
    with pytest.raises(TaskError) as caught:
        compare(task, file)
    assert caught.value.message.startswith(f"{file}, line {line}: ")


# --- malformed configuration, met by `snakemake --dry-run`


def gap(checkout: Checkout) -> None:
    checkout.remove(FROZEN[2])


MALFORMED: dict[str, tuple[Callable[[Checkout], object], str]] = {
    "unknown key": (
        lambda c: c.replace("config/test/small-agents.yaml", "attempts: 2", "attemps: 2"),
        "config/test/small-agents.yaml: agents.sweeper.attemps: unknown key; did you mean 'attempts'?",
    ),
    "no YAML": (
        lambda c: c.append("config/test/small-suite.yaml", "costs: [\n"),
        "config/test/small-suite.yaml: line ",
    ),
    "a gap in a frozen set": (gap, "madeup-v0: a frozen set holds 00000.json, 00001.json and so on"),
}


@pytest.mark.parametrize(("spoil", "said"), MALFORMED.values(), ids=MALFORMED)
def test_snakemake_stops_before_any_job(
    spoil: Callable[[Checkout], object], said: str, programs: Programs
) -> None:
    spoil(programs)
    before = files(programs.root)
    run = programs.dry_run()
    assert run.code == 1
    assert "Traceback" not in run.output
    error, remedy = run.output.partition("error: ")[2].split("\nremedy: ")
    assert said in error
    assert len(remedy.splitlines()) == 1
    assert files(programs.root) == before


# --- illegal calls of tools


ILLEGAL: dict[str, tuple[str, Any, str]] = {
    "unknown tool": ("drow", {"n": 1}, "unknown tool 'drow'; the tools are draw, weigh, "),
    "tool of another door": ("look", {"at": 0}, "unknown tool 'look'"),
    "nothing given": ("draw", {}, "draw: "),
    "too small": ("draw", {"n": 0}, "draw: n: "),
    "of another type": ("draw", {"n": "1"}, "draw: n: "),
    "unknown argument": ("draw", {"n": 1, "colour": "red"}, "draw: "),
    "no object": ("draw", [1], "draw: "),
    "no number": ("draw", {"n": float("nan")}, "the arguments of draw must be a JSON object"),
    "impossible in this world": ("draw", {"n": 9}, "draw: n: 8 balls are left in the urn"),
    "not yet": ("finish", {}, "finish: no answer is written down"),
}


def episode_with(*calls: tuple[str, Any]) -> tuple[list[Result], Episode]:
    """The results of these calls in the first urn, and the whole episode, which `exact` plays to its end."""
    results = []

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        results.extend(call(tool, arguments) for tool, arguments in calls)
        solvers.exact(brief, call, stream, hidden)

    task, blobs = read_frozen(ROOT / FROZEN[0]), MemoryBlobs()
    room = suite("madeup", "tests.protocol.madeup")
    task_set = room.room("tasks").SETS["madeup-v0"]
    room.room("tasks").generate(task_set, "madeup-v0", 0, task_set.seed, blobs)
    materials = materials_for(room, blobs)
    agent = SolverAgent(Solver(act, ""), task)
    return results, play(room, task, "exact", agent, 0, materials)


@pytest.mark.parametrize(("tool", "arguments", "said"), ILLEGAL.values(), ids=ILLEGAL)
def test_an_illegal_call_is_refused_and_changes_nothing(tool: str, arguments: Any, said: str) -> None:
    (result,), episode = episode_with((tool, arguments))
    assert not result.ok
    assert result.error is not None
    assert result.error.startswith(said)
    assert (result.parts, result.charged, result.ended) == ((), 0, None)
    _, without = episode_with()
    assert episode.counters == {**without.counters, "calls": without.counters["calls"] + 1}
    assert (episode.status, episode.submission) == ("done", without.submission)
    assert [event.parts for event in episode.events[1:]] == [event.parts for event in without.events]


# --- places that cannot be written to


def in_namespace(options: str) -> tuple[str, ...]:
    """The start of a command that runs with another disk at `results`, and then lists what is on it."""
    left = 'find results -mindepth 1 "(" -type f -o -name ".*" ")"'
    script = f'mount -t tmpfs -o {options} none results && {{ "$@"; code=$?; {left}; exit $code; }}'
    return ("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh")


def can_mount() -> bool:
    command = "mount -t tmpfs none /tmp"
    run = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", command], capture_output=True)
    return run.returncode == 0


DISKS = {
    "full disk": (in_namespace("size=4k"), "No space left on device", "make room"),
    "read-only disk": (in_namespace("ro"), "Read-only file system", "work in a checkout on a disk"),
    "limit of files": (("sh", "-c", 'ulimit -f 1; exec "$@"', "sh"), "File too large", "make room"),
}


@pytest.mark.parametrize(("before", "said", "hint"), DISKS.values(), ids=DISKS)
def test_a_disk_that_takes_no_output(
    before: tuple[str, ...], said: str, hint: str, programs: Programs
) -> None:
    if before[0] == "unshare" and not can_mount():
        pytest.skip("this machine lets nobody mount a disk of their own")
    programs.remove("results")
    (programs.root / "results").mkdir()
    error, remedy = one_clear_error(programs.tasks(*before))
    assert error.startswith("results")
    assert said in error
    assert hint in remedy
    assert files(programs.root) == {}


def file_for_results(root: Path) -> None:
    shutil.rmtree(root / "results")
    (root / "results").touch()


def folder_for_output(root: Path) -> None:
    shutil.rmtree(root / "results")
    (root / PARTS["tasks"]).mkdir(parents=True)


IN_THE_WAY: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "file": (file_for_results, "Not a directory", "remove the file that stands where a folder"),
    "folder": (folder_for_output, "Is a directory", "remove the folder that stands where a file belongs"),
}


@pytest.mark.parametrize(("spoil", "said", "hint"), IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_something_in_the_way(
    spoil: Callable[[Path], object], said: str, hint: str, programs: Programs
) -> None:
    spoil(programs.root)
    before = files(programs.root)
    error, remedy = one_clear_error(programs.tasks())
    assert "results" in error
    assert said in error
    assert remedy.startswith(hint)
    assert files(programs.root) == before
