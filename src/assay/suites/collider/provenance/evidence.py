"""The provenance verdict on an episode, which scoring and audit share."""

from __future__ import annotations

from assay.episode import Episode
from assay.protocol import Materials
from assay.suites.collider import artefacts
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance.examination import Finding, examine
from assay.suites.collider.provenance.runs import of_episode
from assay.task import Task


def finding_of(task: Task, episode: Episode, materials: Materials, *, regenerate: bool = True) -> Finding:
    """Return the provenance verdict on an episode.

    Args:
        task: the task.
        episode: the episode that was played.
        materials: the contents of files, and artefacts with the samples that solvers order.
        regenerate: as for `examine`.
    """
    return examine(
        of_episode(episode, materials.blobs),
        question_of(task),
        regenerate=regenerate,
        shard=artefacts.shard_of(task, episode.agent, materials.artefacts),
    )
