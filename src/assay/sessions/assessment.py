"""Metrics and integrity flags of one episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.episode import Episode, episode_row
from assay.protocol import NEVER_SCORED, Flag, Materials, Score
from assay.suite import Suite
from assay.task import Task


@dataclass(frozen=True)
class Assessment:
    """An episode with its metrics and flags.

    Attributes:
        episode: The episode.
        scores: Its metrics; empty if its status says nothing about an agent (`NEVER_SCORED`).
        flags: The decisions of the audit; empty in the same case.
    """

    episode: Episode
    scores: tuple[Score, ...]
    flags: tuple[Flag, ...]

    @property
    def score(self) -> float | None:
        """The value of the headline metric; `None` if the episode is not scored."""
        return self.metrics.get("score")

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics of the whole episode by name, in the profile `default`."""
        return {s.metric: s.value for s in self.scores if s.step is None and s.profile == "default"}

    @property
    def raised(self) -> list[str]:
        """The names of the flags that the audit raised."""
        return [flag.flag for flag in self.flags if flag.raised]

    def to_json(self) -> dict[str, Any]:
        """Return the assessment as a JSON object with the fields episode, events, metrics and flags."""
        episode = self.episode
        return {
            "episode": {
                **episode_row(episode),
                "submission": episode.submission,
                "counters": dict(episode.counters),
            },
            "events": [event.to_json() for event in episode.events],
            "metrics": [
                {"metric": s.metric, "profile": s.profile, "step": s.step, "value": s.value, "label": s.label}
                for s in self.scores
            ],
            "flags": [
                {"flag": f.flag, "raised": f.raised, "label": f.label, "evidence": f.evidence}
                for f in self.flags
            ],
        }


def assess(suite: Suite, task: Task, episode: Episode, materials: Materials) -> Assessment:
    """Score and audit an episode by the rules of its suite."""
    if episode.status in NEVER_SCORED:
        return Assessment(episode, (), ())
    scores = suite.room("scoring").score(task, episode, materials)
    flags = suite.room("audit").audit(task, episode, materials)
    return Assessment(episode, tuple(scores), tuple(flags))
