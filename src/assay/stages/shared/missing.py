"""Sessions that an admitted bundle lists as missing: rows of `scores` in which each counts as zero."""

from __future__ import annotations

from typing import Any

from assay.build.job import Job

COUNTED = ("score", "solved")
"""The metrics in which a missing session counts. All others describe sessions that took place."""


def zeros(job: Job) -> list[dict[str, Any]]:
    """Return the rows of the missing sessions in the table `scores`.

    The configuration of the job lists them as `missing`, if there are any (`Contents.missing`).
    """
    return [
        {
            "suite": job.config["suite"],
            "task_set": task_set,
            "task_id": task_id,
            "agent": agent,
            "attempt": attempt,
            "profile": "default",
            "metric": metric,
            "step": None,
            "value": 0.0,
            "label": "missing",
        }
        for agent, task_set, task_id, attempt in job.config.get("missing", ())
        for metric in COUNTED
    ]
