"""An episode's scores: the metrics of its reply, under every profile.

The profile `objective` is called `default` in the tables, as every suite's own. A reply that is missing
counts as an empty one: 0 on every metric, and in every denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.config import yaml
from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.sgi.columns import column
from assay.suites.sgi.columns.profiles import PROFILES, TABLE_NAMES, Profile
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.items import item_of
from assay.task import Task

DATA_FILES = ("metrics.yaml",)

METRICS: Mapping[str, Metric] = {
    name: Metric(**{"unit": "", "low": 0, "high": 1, **told})
    for name, told in yaml.read(Path(__file__).with_name(DATA_FILES[0])).items()
}


def score(
    task: Task, episode: Episode, materials: Materials, embedder: NamedEmbedder = HASHED
) -> Iterable[Score]:
    """All metrics of one episode under all profiles; the workflow knows one embedder, `HASHED`."""
    reply = episode.submission if isinstance(episode.submission, str) else ""
    missing = "" if episode.submission is not None else "no answer"
    for profile in PROFILES:
        yield from of_reply(task, reply, profile, embedder, missing)


def of_reply(
    task: Task, reply: str, profile: Profile, embedder: NamedEmbedder = HASHED, missing: str = ""
) -> Iterable[Score]:
    """All metrics of a reply under one profile; `missing` is the label of a reply that is not there."""
    name = TABLE_NAMES[profile]
    for value in column.score(task.public["family"], item_of(task), reply, profile, embedder=embedder):
        label = missing or value.label
        if value.metric != "headline":
            yield Score(value.metric, value.value, label, name)
            continue
        yield Score("score", None if value.value is None else 100 * value.value, label, name)
        yield Score("solved", None if value.value is None else float(value.value == 1), label, name)
