"""A build in which nothing has changed is recognized; one in which anything has changed is not."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.build import settled
from assay.build.settled import FILES, NOTE, Settled

ARGUMENTS = ["--cores", "2", "--configfile", "config/a.yaml", "--", "all"]


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout that has just been built."""
    monkeypatch.chdir(tmp_path)
    inputs, outputs = ["tasks/s/1.json", "far/in.txt"], ["results/t.parquet", settled.REWRITTEN]
    for name in ("Snakefile", "src/a/b.py", "config/a.yaml", *inputs, *outputs):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    NOTE.parent.mkdir()
    FILES.write_text(json.dumps({"inputs": inputs, "outputs": outputs}))
    time.sleep(0.02)  # file times have a coarse clock
    Settled(ARGUMENTS).note()


def rewritten_in_secret() -> None:
    """Other bytes of the same number at the same modification time."""
    path = Path("results/t.parquet")
    before = path.stat()
    time.sleep(0.02)
    path.write_text("RESULTS/t.parquet")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def touched() -> None:
    Path("tasks/s/1.json").touch()


def recording_added() -> None:
    Path("recordings").mkdir()
    Path("recordings/r.jsonl").write_text("")


CHANGES: dict[str, Callable[[], object]] = {
    "source edited": lambda: Path("src/a/b.py").write_text("x"),
    "source added": lambda: Path("src/a/c.py").write_text(""),
    "source removed": lambda: Path("src/a/b.py").unlink(),
    "configuration edited": lambda: Path("config/a.yaml").write_text("x"),
    "input touched": touched,
    "input added": lambda: Path("tasks/s/2.json").write_text(""),
    "input added elsewhere": lambda: Path("far/more.txt").write_text(""),
    "recording added": recording_added,
    "output removed": lambda: Path("results/t.parquet").unlink(),
    "output edited": lambda: Path("results/t.parquet").write_text("longer than before"),
    "output edited in secret": rewritten_in_secret,
    "note cut": lambda: NOTE.write_text(NOTE.read_text()[:-9]),
    "plan lost": FILES.unlink,
}


def test_nothing_has_changed() -> None:
    assert Settled(ARGUMENTS).holds()
    assert Settled(["--cores", "7", *ARGUMENTS[2:]]).holds()


def test_a_verdict_is_no_change() -> None:
    time.sleep(0.02)
    Path(settled.REWRITTEN).write_text("identical")
    assert Settled(ARGUMENTS).holds()
    Path(settled.REWRITTEN).unlink()
    assert not Settled(ARGUMENTS).holds()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change: str) -> None:
    time.sleep(0.02)
    CHANGES[change]()
    assert not Settled(ARGUMENTS).holds()


@pytest.mark.parametrize(
    "arguments",
    [
        [*ARGUMENTS[:-1], "other"],
        ["--cores", "2", "--configfile", "config/b.yaml", "--", "all"],
        ["--cores", "2", "--config", "freezing=true", "--", "all"],
        ["--dry-run", *ARGUMENTS],
        ["--forceall", *ARGUMENTS],
        ["-R", "scores", *ARGUMENTS],
        ["-n", *ARGUMENTS],
        ["--cores", "2"],
    ],
)
def test_other_arguments_go_the_long_way(arguments: list[str]) -> None:
    assert not Settled(arguments).holds()


def test_another_environment_goes_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_STORE", "off")
    assert not Settled(ARGUMENTS).holds()


@pytest.mark.parametrize("file", ["src/a/b.py", "tasks/s/1.json"])
def test_what_was_edited_during_a_run_is_not_settled(file: str) -> None:
    """Snakemake may have read the file before the edit."""
    run = Settled(ARGUMENTS)
    time.sleep(0.02)
    Path(file).write_text(f"# {Path(file).read_text()}")
    run.note()
    assert not NOTE.exists()
    assert not Settled(ARGUMENTS).holds()


def test_unusual_options_leave_no_note() -> None:
    Settled(["--dry-run", *ARGUMENTS]).note()
    assert not NOTE.exists()


def test_a_configuration_elsewhere_is_not_known() -> None:
    arguments = ["--configfile", "far/in.txt", "--", "all"]
    Settled(arguments).note()
    assert not Settled(arguments).holds()


def test_options_with_values_are_read_as_snakemake_reads_them() -> None:
    assert settled.plain(["all", "--config", "a=1", "b=2", "-c", "4"]) == ["all", "--config", "a=1", "b=2"]
    assert settled.plain(["--cores=4", "--configfile=config/x", "all"]) == ["--configfile=config/x", "all"]
    assert settled.plain(["--", "-n"]) == ["--", "-n"]
