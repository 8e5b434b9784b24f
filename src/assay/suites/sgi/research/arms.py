"""The three arms of deep research: with a literature behind tools, with documents given, with nothing.

Only the arm `agent` is the benchmark. `documents` shows what reasoning is worth without retrieval, `closed`
what an answer is worth that rests on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Blobs, TaskSet
from assay.suites.sgi.arms import Arm
from assay.suites.sgi.families import HEADLINE_ARMS
from assay.suites.sgi.research.items import corpus
from assay.suites.sgi.research.library import Library
from assay.suites.sgi.research.papers import to_lines

SETS: Mapping[str, TaskSet] = {
    "research-v0": TaskSet(
        12,
        1,
        "Deep research: a literature behind a search.",
        {"family": "deep_research", "arm": "agent"},
        archived=True,
    ),
    "research-closed-v0": TaskSet(
        4,
        2,
        "Deep research without any document: a probe.",
        {"family": "deep_research", "arm": "closed"},
        archived=True,
    ),
    "research-given-v0": TaskSet(
        4,
        3,
        "Deep research with the documents given.",
        {"family": "deep_research", "arm": "documents"},
        archived=True,
    ),
}


def of(task_set: TaskSet, row: Mapping[str, Any], blobs: Blobs) -> Arm:
    """The arm of an item in a set; a literature that is searched is put into `blobs`."""
    arm: str = task_set.params.get("arm", HEADLINE_ARMS["deep_research"])
    own, papers = {"arm": arm}, corpus(row)
    if arm == "agent":
        return Arm(own, own, (blobs.put(to_lines(papers), "application/jsonl"),))
    if arm == "documents":
        library = Library(papers)
        wanted = sorted({*row["x_docs"], *row["x_docs_read"]})
        return Arm(own, {**own, "documents": [library.text(doc_id) for doc_id in wanted]})
    return Arm(own, own)
