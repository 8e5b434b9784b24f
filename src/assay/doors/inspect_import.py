"""`assay import`: turns the episodes in a log of Inspect into recordings.

A log of the tasks of `assay.doors.inspect_tasks` holds the recording of each sample. Before a recording is
kept, all its calls are executed again. It is refused if a result differs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.comparison.attempts import read_log
from assay.config.loading import load, suite_of
from assay.config.models import Config
from assay.config.option import add_config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError, RecordingError
from assay.sessions import uncovered
from assay.sessions.recording import RecordingFile
from assay.sessions.rerun import judge
from assay.sessions.session import identity_of
from assay.sessions.taskfiles import find_task
from assay.writing import write_whole

RECORDING = "assay_recording"
"""The key under which a sample's store holds the lines of its recording."""


@dataclass(frozen=True)
class Imported:
    """An imported recording.

    Attributes:
        path: The file of the recording.
        status: The status of its episode.
        before: Whether the file existed before the import.
    """

    path: Path
    status: str
    before: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay import`."""
    parser.add_argument("log", type=Path, help="a log of Inspect (.eval or .json)")
    parser.add_argument("--agent", required=True, help="the agent whose recordings these become")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Import every sample of a log. Return 0 if all were imported, else 1."""
    config = load(args.config)
    refused = 0
    samples = list(read_log(args.log).samples or ())
    for sample in samples:
        where = f"sample {sample.id}, epoch {sample.epoch}"
        try:
            imported = import_lines(config, args.config, lines_of(sample), args.agent, sample.epoch - 1)
        except AssayError as problem:
            refused += 1
            print(f"{where}: refused: {problem.message}")
        else:
            words = ", there before" if imported.before else ""
            print(f"{where}: {imported.status}: {imported.path}{words}")
    print(f"{args.agent}: {len(samples) - refused} of {len(samples)} samples imported")
    for recordings in uncovered.notes(config, args.agent):
        print(f"note: {recordings}")
    return int(refused > 0)


def lines_of(sample: Any) -> list[dict[str, Any]]:
    """The lines of the recording in a sample's store.

    Raises:
        RecordingError: The sample has no recording.
    """
    lines = sample.store.get(RECORDING)
    if not isinstance(lines, list) or not lines or not all(isinstance(line, dict) for line in lines):
        failed = getattr(sample, "error", None)
        error = f", it ended with an error: {failed.message}" if failed else ""
        raise RecordingError(
            f"it holds no recording{error}", "import logs of our own tasks (inspect eval assay/...)"
        )
    return lines


def import_lines(
    config: Config, path: Path, lines: list[dict[str, Any]], agent: str, attempt: int
) -> Imported:
    """Execute a recording again and keep it under the name of an agent.

    Args:
        config: The configuration.
        path: The path of the configuration.
        lines: The lines of the recording.
        agent: The agent whose recording it becomes.
        attempt: The number of the attempt, from 0.

    Raises:
        RecordingError: A result differs, or the file of the recording holds another session.
    """
    header = lines[0]
    suite = suite_of(config, str(header.get("suite")), path)
    blobs = MemoryBlobs()
    task = find_task(suite, f"{header.get('task_set')}/{header.get('task_id')}", blobs)
    identity = identity_of(task, agent, attempt)
    renamed = [{**header, "agent": agent, "attempt": attempt}, *lines[1:]]
    with tempfile.TemporaryDirectory(prefix="assay-import-") as root:
        written = identity.path(Path(root))
        write_recording(written, renamed)
        materials = materials_for(suite.suite, blobs)
        report = judge(suite.suite, task, written, materials)
        if report["verdict"] != "identical":
            raise RecordingError(
                f"it is {report['verdict']}: {report['reason']}", "import the log as Inspect wrote it"
            )
        place = identity.path(config.project.recordings)
        return Imported(place, report["status"], before=_keep(written.read_bytes(), place))


def write_recording(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write the lines of a recording, with their chain of hashes, to a new file.

    Raises:
        RecordingError: A line is not JSON.
    """
    with RecordingFile(path) as file:
        for line in lines:
            try:
                file.append(line)
            except (ValueError, TypeError) as problem:
                raise RecordingError(
                    "it holds what is no JSON", "import the log as Inspect wrote it"
                ) from problem


def _keep(data: bytes, place: Path) -> bool:
    """Write a file atomically, unless it exists with the same bytes. Return whether it did.

    Raises:
        RecordingError: The file exists with other bytes.
    """
    if place.exists():
        if place.read_bytes() == data:
            return True
        raise RecordingError(
            f"{place} holds another session", "choose another --agent, or move the file aside"
        )
    write_whole(place, data)
    return False
