"""The verdict on a recording: its calls are executed again, and its requests made again.

In addition to the comparison by `assay.sessions.replay`, the loop that asks models is run again with the
recorded replies. This checks that every recorded request follows from the session before it. It is done only
if the scaffold is the one that recorded the session.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.episode import Episode
from assay.protocol import Materials
from assay.sessions.record import retrace
from assay.sessions.recording import Difference, parse
from assay.sessions.replay import replay
from assay.suite import Suite
from assay.task import Task


def judge(suite: Suite, task: Task, path: Path, materials: Materials) -> dict[str, Any]:
    """Return the verdict on a recording as a JSON value: {file, verdict, status, reason, requests, ...}."""
    return judged(suite, task, path, materials)[0]


def judged(suite: Suite, task: Task, path: Path, materials: Materials) -> tuple[dict[str, Any], Episode]:
    """Return the verdict on a recording, as `judge` does, and its episode."""
    episode = replay(suite, task, path, materials)
    status, reason = episode.status, episode.reason
    compared = False
    unfinished = False
    if status != "rejected":
        recording = parse(path.read_bytes())
        unfinished = recording.end is None
        try:
            compared = retrace(suite, task, recording, materials)
        except Difference as difference:
            status, reason = "rejected", str(difference)
    verdict = "rejected" if status == "rejected" else "unfinished" if unfinished else "identical"
    report = {
        "file": str(path),
        "verdict": verdict,
        "status": status,
        "reason": reason,
        "n_events": len(episode.events),
        "log_sha256": episode.log_sha256,
        "requests": "identical" if compared else "not compared",
        "scaffold_sha256": episode.scaffold_sha256,
    }
    return report, episode
