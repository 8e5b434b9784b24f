"""`assay replay`: execute a recording again and compare it with the result (`assay.sessions.rerun`)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assay.config.loading import load
from assay.config.option import add_config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import NotBuilt
from assay.sessions.recording import Identity
from assay.sessions.rerun import judge
from assay.sessions.taskfiles import find_task

EXIT = {"identical": 0, "rejected": 1, "unfinished": 2}
"""The exit code of each verdict."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="<agent>/<suite>/<set>/<task>.<attempt>.jsonl, in any folder")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the verdict on a recording.

    Returns:
        0 if the replay is identical, 1 if the recording is rejected, 2 if it is not finished.

    Raises:
        NotBuilt: If the recording or its suite is missing.
        UnknownName: If the suite has no such task.
    """
    identity = Identity.of(args.file)
    if not args.file.is_file():
        raise NotBuilt(f"there is no file {args.file}", "name a recording, e.g. one below recordings/")
    entry = load(args.config).suites.get(identity.suite)
    if entry is None:
        raise NotBuilt(
            f"{args.config} has no suite {identity.suite!r}", "name the configuration with --config"
        )
    blobs = MemoryBlobs()
    task = find_task(entry, f"{identity.task_set}/{identity.task_id}", blobs)
    materials = materials_for(entry.suite, blobs)
    report = judge(entry.suite, task, args.file, materials)
    print(json.dumps(report, indent=1, ensure_ascii=False) if args.json else _text(report))
    return EXIT[report["verdict"]]


def _text(report: dict[str, Any]) -> str:
    ended = f"the episode ended as {report['status']}" + (f": {report['reason']}" if report["reason"] else "")
    return "\n".join(
        [
            f"{report['file']}: {report['verdict']}",
            f"  {ended}",
            f"  {report['n_events']} events made again and equal; requests {report['requests']}",
        ]
    )
