"""`assay export`: recordings, results and task sets in formats of others.

| format | what it takes | what it writes |
|---|---|---|
| `atif` | a recording | a trajectory of the Agent Trajectory Interchange Format |
| `recording` | such a trajectory | the recording that it was made from, byte for byte |
| `inspect` | recordings of one agent in one set | a log that Inspect View shows (`--out FILE.eval`) |
| `every-eval-ever` | suite/set | a record for each agent of the built leaderboard (`--out FOLDER`) |
| `harbor` | suite/set | a folder for each task, which Harbor runs (`--out FOLDER`) |
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.config.loading import load, suite_of
from assay.config.models import Config
from assay.config.option import add_config
from assay.doors.formats.atif import from_atif, to_atif
from assay.doors.inspect_import import write_recording
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import open_episode
from assay.episodes.identity import Identity
from assay.episodes.presentation import Picture, present
from assay.errors import ConfigError, RecordingError
from assay.sessions.programs.catalogue import checked_set
from assay.sessions.recording import read
from assay.sessions.taskfiles import find_task
from assay.writing import write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay export`."""
    parser.add_argument("format", choices=tuple(FORMATS), help="the format to write")
    parser.add_argument("source", nargs="+", help="recordings, a trajectory, or suite/set")
    parser.add_argument("--out", type=Path, help="the file or folder to write")
    parser.add_argument("--results", type=Path, default=Path("results"), help="where built results are")
    parser.add_argument(
        "--date", type=int, metavar="SECONDS", help="of records: when results were read (default: now)"
    )
    parser.add_argument("--tasks", type=int, metavar="N", help="of a set, only the first N tasks")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Write the export; returns 0."""
    FORMATS[args.format](load(args.config), args)
    return 0


def _single(args: argparse.Namespace) -> Path:
    if len(args.source) != 1:
        raise ConfigError(f"{args.format} takes one source, not {len(args.source)}", "export each alone")
    return Path(args.source[0])


def _out(args: argparse.Namespace) -> Path:
    if args.out is None:
        raise ConfigError(f"{args.format} needs --out", "name the file or folder to write")
    out: Path = args.out
    return out


def _atif(config: Config, args: argparse.Namespace) -> None:
    path = _single(args)
    identity = Identity.of(path)
    entry = suite_of(config, identity.suite, args.config)
    blobs = MemoryBlobs()
    task = find_task(entry, f"{identity.task_set}/{identity.task_id}", blobs)
    materials = materials_for(entry.suite, blobs)
    with open_episode(entry.suite, task, identity.agent, identity.attempt, materials) as episode:
        brief = episode.harness.brief
    shown = present(list(brief.parts), lambda ref: materials.blobs.get(ref.sha256))
    told = "\n\n".join("[a picture]" if isinstance(item, Picture) else item for item in shown)
    trajectory = to_atif(read(path), [("system", brief.system), ("user", told)])
    text = json.dumps(trajectory, indent=1, ensure_ascii=False) + "\n"
    if args.out is None:
        sys.stdout.write(text)
    else:
        write_whole(args.out, text)


def _recording(config: Config, args: argparse.Namespace) -> None:
    path, out = _single(args), _out(args)
    try:
        trajectory = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise RecordingError(f"{path} is no trajectory ({problem})", "give a file of ATIF") from problem
    if not isinstance(trajectory, dict):
        raise RecordingError(f"{path} is no trajectory", "give a file of ATIF")
    lines = from_atif(trajectory)
    if out.exists():
        raise RecordingError(f"{out} exists", "name another file")
    write_recording(out, lines)


def _inspect(config: Config, args: argparse.Namespace) -> None:
    from assay.doors.formats.inspect_view import write_log

    write_log(config, args.config, [Path(each) for each in args.source], _out(args))


def _every_eval(config: Config, args: argparse.Namespace) -> None:
    from assay.doors.formats.every_eval import place_of, records

    entry, task_set = checked_set(config, str(_single(args)), args.config)
    suite, out = entry.suite.name, _out(args)
    now = int(time.time()) if args.date is None else args.date
    for record in records(config, suite, task_set, now, args.results):
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        write_whole(out / place_of(record), text)


def _harbor(config: Config, args: argparse.Namespace) -> None:
    from assay.doors.formats.harbor import write_set

    entry, task_set = checked_set(config, str(_single(args)), args.config)
    write_set(config, entry, task_set, _out(args), args.tasks)


FORMATS: Mapping[str, Callable[[Config, argparse.Namespace], None]] = {
    "atif": _atif,
    "recording": _recording,
    "inspect": _inspect,
    "every-eval-ever": _every_eval,
    "harbor": _harbor,
}
