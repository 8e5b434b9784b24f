"""What the suites' rules say of an episode, as plain values, and the file that holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.episode import Episode
from assay.stages.audit import flag_rows
from assay.stages.scores import score_rows
from assay.suite import suite
from assay.task import Task
from tests.judgements.episodes import materials

FOLDER = Path(__file__).parent / "frozen"


def judgement(name: str, task: Task, episode: Episode) -> dict[str, Any]:
    """Every score and flag that is not null, nothing or unraised."""
    found = suite(name)
    scores = {
        " ".join(
            map(str, (row["profile"], row["metric"], *([] if row["step"] is None else [row["step"]])))
        ): ([row["value"], row["label"]] if row["label"] else row["value"])
        for row in score_rows(found, task, episode, materials(name))
        if row["value"] is not None or row["label"]
    }
    flags = {
        row["flag"]: [row["raised"], row["label"], row["evidence"]]
        for row in flag_rows(found, task, episode, materials(name))
        if row["raised"] is not False or row["label"] or row["evidence"] not in ("{}", "null")
    }
    value = {"scores": scores, "flags": flags}
    return json.loads(json.dumps(value))


def frozen(name: str) -> dict[str, Any]:
    """By episode."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return {found.pop("episode"): found for found in map(json.loads, lines)}
