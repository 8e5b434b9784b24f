"""A run to examine: its files, its ledger and its id, from a run folder or from an episode's log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay import canonical
from assay.episode import Episode, Event
from assay.errors import AssayError
from assay.protocol import BlobRef, Blobs

LEDGER = "ledger.jsonl"
INFO = "run_info.json"
WORKSPACE = "workspace"
RECORDED = frozenset(("write_file", "cross_section", "generate", "run_analysis"))
"""Tools whose calls the ledger records."""

LARGEST = 256 << 20
MOST_FILES = 10_000


class RunError(AssayError):
    """A run folder that cannot be examined."""


@dataclass(frozen=True)
class Run:
    """A run to examine.

    Attributes:
        files: the files of the workspace by their path in it.
        ledger: the bytes of the ledger; None if there is none.
        info: the content of `run_info.json`.
        calls: the calls that the ledger records, as the harness logged them; None for a run folder, which has
            no such log.
    """

    files: Mapping[str, bytes]
    ledger: bytes | None
    info: Mapping[str, Any]
    calls: tuple[Event, ...] | None = None

    @cached_property
    def run_id(self) -> str:
        """The id of the run; empty if `run_info.json` has none."""
        return str(self.info.get("run", ""))


def of_folder(folder: Path) -> Run:
    """Return the run of a folder with `workspace/`, `ledger.jsonl` and `run_info.json`.

    Links are not followed, because they could lead out of the run. Raises `RunError` if there is no
    workspace, it is too large, or `run_info.json` is not a JSON object.
    """
    workspace = folder / WORKSPACE
    if not workspace.is_dir():
        raise RunError(
            f"{folder} holds no folder {WORKSPACE}",
            f"name the folder of a run: {WORKSPACE}/, {LEDGER} and {INFO} lie in it",
        )
    files: dict[str, bytes] = {}
    total = 0
    for path in sorted(workspace.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        total += path.stat().st_size
        if total > LARGEST or len(files) >= MOST_FILES:
            raise RunError(
                f"{workspace} holds more than {LARGEST} bytes or {MOST_FILES} files",
                "remove what the submission does not rest on, such as raw generator output",
            )
        files[path.relative_to(workspace).as_posix()] = path.read_bytes()
    ledger = folder / LEDGER
    info = folder / INFO
    content: Any = {}
    if info.is_file():
        try:
            content = canonical.loads(info.read_bytes())
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise RunError(f"{info} is no JSON object", "restore it from where the run was recorded")
    return Run(files, ledger.read_bytes() if ledger.is_file() else None, content)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, and create the folders between."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def of_episode(episode: Episode, blobs: Blobs) -> Run:
    """Return the run of an episode, with the last state of every file that its calls changed."""
    last: dict[str, BlobRef] = {}
    for event in episode.events:
        if event.kind == "file" and isinstance(event.parts[0], BlobRef):
            last[event.arguments["path"]] = event.parts[0]
    files = {path: blobs.get(ref.sha256) for path, ref in sorted(last.items())}
    prefix = WORKSPACE + "/"
    info = canonical.loads(files[INFO]) if INFO in files else {}
    inside = {path.removeprefix(prefix): data for path, data in files.items() if path.startswith(prefix)}
    calls = tuple(e for e in episode.events if e.kind == "call" and e.ok and e.tool in RECORDED)
    return Run(inside, files.get(LEDGER), info, calls)
