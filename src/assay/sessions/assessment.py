"""What an episode is worth: its metrics and its integrity flags, by the suite's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.episode import Episode, episode_row
from assay.protocol import NEVER_SCORED, Flag, Materials, Score
from assay.suite import Suite
from assay.task import Task


@dataclass(frozen=True)
class Assessment:
    """An episode with its metrics and flags; both are empty where its status says nothing about an agent."""

    episode: Episode
    scores: tuple[Score, ...]
    flags: tuple[Flag, ...]

    @property
    def score(self) -> float | None:
        """The headline metric; null where the episode is not scored."""
        return self.metrics.get("score")

    @property
    def metrics(self) -> dict[str, float | None]:
        """The final metrics by name, of the profile `default`."""
        return {s.metric: s.value for s in self.scores if s.step is None and s.profile == "default"}

    @property
    def raised(self) -> list[str]:
        """The names of the flags that the audit raised."""
        return [flag.flag for flag in self.flags if flag.raised]

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON value: {episode, events, metrics, flags}."""
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
    """Score and audit an episode."""
    if episode.status in NEVER_SCORED:
        return Assessment(episode, (), ())
    scores = suite.room("scoring").score(task, episode, materials)
    flags = suite.room("audit").audit(task, episode, materials)
    return Assessment(episode, tuple(scores), tuple(flags))
