"""`assay collider solve`: solve a task, and write a run folder that can be examined."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.suites.collider.chain import generation, solving
from assay.suites.collider.chain.signal import points, slha
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance import examination
from assay.suites.collider.provenance.runs import WORKSPACE
from assay.suites.collider.tools import scripts
from assay.suites.collider.tools.recorder import Recorder
from assay.task import Task

SAMPLE = "gen"
SLHA, COMMANDS = "sims/point.slha", "sims/commands.dat"


class FolderInUse(AssayError):
    """The folder of a run exists already."""


def solve(task: Task, events: int, seed: int, folder: Path) -> dict[str, Any]:
    """Solve a task and write the run folder; sample, analysis and yields are those of `solving.solve`.

    Args:
        task: a task that the chain has a selection for.
        events: the number of events that pass the filter.
        seed: the seed of the sample.
        folder: the folder to write; it must not exist.

    Returns:
        The solution as a JSON value, with the provenance verdict on the run folder.

    Raises:
        FolderInUse: the folder exists already.
        NotBuilt: the generator is not installed.
    """
    if folder.exists():
        raise FolderInUse(f"{folder} is there already", "name a folder that is not")
    generation.library()
    facts = task.public
    card = solving.card_of(task)
    point = points.point(card.point)
    rate = points.rate(point)
    run = hashlib.sha256(f"{task.task_set}/{task.task_id} {events} {seed}".encode()).hexdigest()[:16]
    info = {"task_id": facts["id"], "task": f"{task.task_set}/{task.task_id}", "point": facts["point"]}
    record = Recorder(run, info | {"file": facts["file"]}, {facts["file"]: facts["template"].encode()})
    answer = {"xsec_fb": rate.xsec_fb, "relative_error": rate.relative_error, "states": rate.states}
    record.look_up(
        point.process, point.mass, answer | {"source": points.SOURCES[point.order], "share": point.states}
    )
    record.keep(
        "describe",
        {"point": point.name},
        {
            SLHA: slha.write(point.spectrum).encode(),
            COMMANDS: "\n".join((*generation.commands(point, SLHA), "")).encode(),
        },
    )
    record.generate(SAMPLE, card.to_json(), seed, events)
    sample = record.sample_files(SAMPLE)[1]
    columns = _columns(record.files[sample])
    solution = solving.solution(task, columns)
    values = scripts.chain_parameters(
        facts, facts["file"], solving.region_of(task), solution.xsec_fb, solution.br, sample
    )
    record.write(scripts.SCRIPT, scripts.chain(values))
    record.save(folder)
    _analyse(record, folder / WORKSPACE, [sample, facts["file"]], facts["file"])
    record.save(folder)
    verdict = examination.examine(record.finished(), question_of(task))
    return {
        "task": info["task"],
        "folder": str(folder),
        "seed": seed,
        **solution.to_json(),
        "verdict": verdict.verdict,
        "needs_judge": verdict.verdict == "UNDECIDED",
    }


def _columns(data: bytes) -> Any:
    import numpy as np

    names, *rows = data.decode().splitlines()
    table = np.array([row.split(",") for row in rows], dtype=np.float64).reshape(len(rows), -1)
    return dict(zip(names.split(","), table.T, strict=True))


def _analyse(record: Recorder, workspace: Path, inputs: list[str], submission: str) -> None:
    """Run the script in the workspace, and record the files that it read and wrote."""
    given = {path: record.files[path] for path in inputs}
    for path in (scripts.SELECTED, submission):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, scripts.SCRIPT], cwd=workspace, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssayError(
            f"{workspace / scripts.SCRIPT} ended with {done.returncode}: {done.stderr.strip()[-300:]}",
            "run it in that folder to see more",
        )
    left = (scripts.SELECTED, scripts.COUNTERS, scripts.CUT_FLOW, submission)
    record.analysed(scripts.SCRIPT, given, {path: (workspace / path).read_bytes() for path in left}, 0)
