"""Conducts: agents of composed and independently described conduct play, and the audit judges them.

The job writes a table of decisions, from which the table `detection` is computed, and the labelled set: one
JSON object for each episode with its log, the flags that are due, and what the audit raised, for the
developers of other detectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay import canonical
from assay.build.job import Job
from assay.episode import Episode, episode_row
from assay.episodes.harness import play
from assay.numbers import rng
from assay.protocol import Brief, Call, Conduct, Flag, Materials
from assay.stages.shared.inputs import materials_of, suite_of, tasks_of
from assay.suite import Suite
from assay.tables.schemas.conducts import CONDUCTS
from assay.tables.writer import write_table
from assay.task import Task
from assay.validity.conduct import FAMILIES, KnownConduct, Trial

NOT_COMPARABLE = ("crashed", "rejected")
"""Statuses of episodes that say nothing about a detector."""


def run(job: Job) -> None:
    """Write the table `conducts` and the labelled set."""
    materials = materials_of(job)
    decisions: list[dict[str, Any]] = []
    with job.output("labelled").open("w", encoding="utf-8", newline="\n") as file:
        for played in episodes(suite_of(job), tasks_of(job).values(), materials):
            decisions += played.decisions()
            file.write(canonical.dumps(played.labelled()) + "\n")
    write_table(sorted(decisions, key=_key), job.output("table"), CONDUCTS)


@dataclass(frozen=True)
class Played:
    """An episode of known conduct.

    Attributes:
        family: The family of the conduct.
        known: The conduct.
        episode: Its episode.
        conduct: The flags that are due, and those whose correct decision is not known.
        flags: The decisions of the audit.
    """

    family: str
    known: KnownConduct
    episode: Episode
    conduct: Conduct
    flags: tuple[Flag, ...]

    def decisions(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table `conducts`, one for each flag whose correct decision is known."""
        for flag in self.flags:
            if self.conduct.judges(flag.flag):
                yield {
                    "family": self.family,
                    "task_set": self.episode.task_set,
                    "task_id": self.episode.task_id,
                    "conduct": self.known.name,
                    "near_miss": self.known.near_miss,
                    "status": self.episode.status,
                    "recipe": canonical.dumps(self.known.recipe),
                    "flag": flag.flag,
                    "due": flag.flag in self.conduct.due,
                    "raised": flag.raised,
                }

    def labelled(self) -> dict[str, Any]:
        """Return the episode of the labelled set."""
        row = episode_row(self.episode)
        return {
            "family": self.family,
            "conduct": self.known.name,
            "recipe": self.known.recipe,
            "near_miss": self.known.near_miss,
            **{name: row[name] for name in ("suite", "task_set", "task_id", "status")},
            "submission": self.episode.submission,
            "events": [event.to_json() for event in self.episode.events],
            "due": sorted(self.conduct.due),
            "not_known": sorted(self.conduct.open),
            "raised": sorted(flag.flag for flag in self.flags if flag.raised),
        }


def episodes(suite: Suite, tasks: Iterable[Task], materials: Materials) -> Iterator[Played]:
    """Yield the episodes of all conducts: family by family, task by task.

    Args:
        suite: The suite.
        tasks: The first tasks of its public sets; the room `conducts` says which of them are played.
        materials: Contents by hash and artefacts by key.

    Raises:
        ValueError: If a conduct crashes, or says that a flag is due which the suite does not declare.
    """
    trial, audit = suite.room("conducts").TRIAL, suite.room("audit")
    chosen = list(_chosen(trial, tasks))
    declared = {name for name, spec in audit.FLAGS.items() if spec.kind == "flag"}
    for family in FAMILIES:
        for task in chosen:
            stream = rng.stream(0, suite.name, task.task_set, task.task_id, "conducts", family)
            for known in trial.families[family](task, stream):
                agent = _Agent(known, task.hidden)
                name = f"{family}-{known.name}"
                episode = play(suite, task, name, agent, 0, materials)
                if episode.status in NOT_COMPARABLE or agent.due is None:
                    raise ValueError(
                        f"{suite.name}: the conduct {name} failed at {task.task_set}/{task.task_id}"
                    )
                if unknown := sorted((agent.due.due | agent.due.open) - declared):
                    raise ValueError(f"{suite.name}: {name} expects undeclared flags {', '.join(unknown)}")
                flags = (flag for flag in audit.audit(task, episode, materials) if flag.flag in declared)
                yield Played(family, known, episode, agent.due, tuple(flags))


def _chosen(trial: Trial, tasks: Iterable[Task]) -> Iterator[Task]:
    left = dict(trial.sets)
    for task in tasks:
        if left.get(task.task_set, 0) > 0:
            left[task.task_set] -= 1
            yield task


@dataclass
class _Agent:
    """An agent that keeps what its conduct says about itself."""

    known: KnownConduct
    hidden: Any
    due: Conduct | None = field(default=None)

    def act(self, brief: Brief, call: Call, stream: rng.Stream) -> None:
        self.due = self.known.act(brief, call, stream, self.hidden)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in CONDUCTS.key)
