"""The rooms of a suite as types: one protocol for each module that a suite has.

A room is a module, so it satisfies its protocol when its functions and constants have these names and types.
Mypy checks every caller (`assay.suite.Suite.room`) and every suite (`tests/protocol/rooms.py`) against them.
A function of a room may have further parameters, if they have defaults. `assay.suite` says which stage calls
which room, and `docs/adding-a-suite.md` explains them.

No module imports this one at run time, so a change here does not make any stage run again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from assay.episode import Episode
    from assay.numbers.rng import Stream
    from assay.protocol import (
        Axis,
        Blobs,
        CheckRow,
        CheckSpec,
        Conduct,
        Evidence,
        FigureSpec,
        Flag,
        FlagSpec,
        Key,
        Materials,
        Measure,
        Metric,
        Opinion,
        Question,
        Quoted,
        Role,
        Score,
        Solver,
        TableSpec,
        TaskSet,
        Workspace,
        World,
        Yardstick,
    )
    from assay.task import Task


class SettingsRoom(Protocol):
    """The room that validates the suite's section of the configuration.

    Every run loads it, so it must not import large packages.
    """

    @property
    def Settings(self) -> type[BaseModel]:  # noqa: N802  (a class in the module)
        """The model; its fields are `calibration`, `validation`, `analysis` and `figures`."""


class TasksRoom(Protocol):
    """The room that generates tasks.

    Attributes:
        SETS: The public task sets by name.
    """

    SETS: Mapping[str, TaskSet]

    def generate(self, task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
        """Generate one task, as a pure function of the arguments.

        Args:
            task_set: The recipe of the set. A private set has the recipe of a public one.
            set_name: The name of the set, which differs from the recipe's name in a private set.
            index: The task's number in the set, from 0.
            seed: The base seed, `task_set.seed` in a public set and a secret in a private one.
            blobs: Receives the task's pictures and files.

        Raises:
            TaskError: If there is no such task.
        """

    def verify(self, task: Task) -> None:
        """Check that a task is sound: its truth can be recomputed from its public and hidden parts.

        Raises:
            TaskError: If the task is not sound.
        """


class ReleasedTasksRoom(TasksRoom, Protocol):
    """A room `tasks` that also reads files released with a paper, for sets given as `{path: FOLDER}`."""

    def released_files(self, folder: Path) -> Iterable[Path]:
        """List the files in a folder that `read_released` reads; other files are left alone."""

    def read_released(self, folder: Path, set_name: str, blobs: Blobs) -> Iterable[Task]:
        """Read the tasks of a folder, in any order.

        Args:
            folder: The folder.
            set_name: The name of the set, which the tasks bear.
            blobs: Receives the tasks' pictures and files.

        Raises:
            AssayError: If a file breaks a rule of its format; the message names the file and the place.
        """


class ArtefactsRoom(Protocol):
    """The optional room that makes artefacts, i.e. expensive work that several jobs share."""

    def needs(self, stage: str, task: Task | None, agent: str) -> Iterable[Key]:
        """List the artefacts that a job needs.

        Args:
            stage: The name of the stage that asks.
            task: The job's task; `None` for the stage `validation`, which plays no task.
            agent: The agent's name in the configuration, which may differ from the solver's.
        """

    def make(self, key: Key, materials: Materials, out: Path) -> None:
        """Make one artefact and write it to the file `out`; equal keys give equal bytes."""


class WorldRoom(Protocol):
    """The room that opens worlds."""

    def open(self, task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> World:
        """Open the world of a task for one episode.

        Args:
            task: The task.
            materials: Contents by hash and shared work by key.
            workspace: The folder of the episode.
            stream: The source of the world's random numbers; equal streams give equal worlds.
        """


class SolversRoom(Protocol):
    """The room with the suite's reference algorithms.

    Attributes:
        SOLVERS: The solvers by name, agents of known conduct among them.
    """

    SOLVERS: Mapping[str, Solver]


class ShortcutsRoom(Protocol):
    """Offers solvers that score without doing what the suite measures.

    Attributes:
        SHORTCUTS: The shortcuts by name, each with what it exploits; none is told the truth.

    A room with trained guessers also has `GUESSERS`, which gives for the names of their shortcuts the
    `assay.validity.trained.Guesser`; `assay train` and a long test find them there.
    """

    SHORTCUTS: Mapping[str, Solver]


class AbilitiesRoom(Protocol):
    """Offers solvers of planted ability.

    Attributes:
        ABILITIES: The solvers `able-0` to `able-100`, see `assay.validity.planted.abilities`.
    """

    ABILITIES: Mapping[str, Solver]


class ConductsRoom(Protocol):
    """Offers agents whose conduct is known, to measure the audit as a detector.

    Attributes:
        TRIAL: Where they play, and the families `composed` and `independent`.
    """

    # `Any` stands for `assay.validity.conduct.Trial`: `assay.validity` is a layer above this one.
    TRIAL: Any


class CalibrationRoom(Protocol):
    """The room that measures how hard tasks are."""

    def calibrate(self, task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
        """Measure one task; `settings` is the section `calibration` of the suite's settings."""


class ValidationRoom(Protocol):
    """The room that compares worlds with published results.

    Attributes:
        CHECKS: The checks by name, each with its claim in words.
    """

    CHECKS: Mapping[str, CheckSpec]

    def check(self, name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
        """Make one check and return its rows, one for each statistic of the published claim.

        `settings` is the section `validation` of the suite's settings.
        """


class ScoringRoom(Protocol):
    """The room that scores episodes.

    Attributes:
        METRICS: What each metric means, by name.
    """

    METRICS: Mapping[str, Metric]

    def score(self, task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
        """Score one episode from its log, with at most one `Score` for each metric, profile and step."""


class AuditRoom(Protocol):
    """The room that decides integrity flags.

    Attributes:
        FLAGS: What each flag means, by name.
    """

    FLAGS: Mapping[str, FlagSpec]

    def audit(self, task: Task, episode: Episode, materials: Materials) -> Iterable[Flag]:
        """Decide every flag of `FLAGS` for one episode, from its log alone.

        A room with several kinds of tasks may have `flags_of(task)`, the flags that are decided at a task.
        """

    def expected(self, agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
        """Return the known conduct of an agent, or `None` for an agent whose conduct is not known in advance.

        Args:
            agent: The name of the solver.
            strata: The strata of the task.
            answered: Whether the episode has a submission.
        """


class ValidityRoom(Protocol):
    """Says how scores are read on the cards of the suite's sets.

    Attributes:
        YARDSTICK: Scale, chance and ceiling of the score.
    """

    YARDSTICK: Yardstick


class OpinionRoom(Protocol):
    """The optional room that asks a model for its opinion on an episode.

    Attributes:
        ROLES: The roles of judges, i.e. the kinds of questions, by name.
    """

    ROLES: Mapping[str, Role]

    def question(self, role: str, task: Task, episode: Episode, materials: Materials) -> Question | None:
        """Write the question about an episode, or return `None` if the episode gives no cause to ask."""

    def opinion(self, role: str, text: str) -> Opinion | None:
        """Read a judge's reply, or return `None` if it contains no opinion."""


class AnalysisRoom(Protocol):
    """The room that makes the suite's tables.

    Attributes:
        TABLES: The tables by name.
    """

    TABLES: Mapping[str, TableSpec]


class FiguresRoom(Protocol):
    """The room that draws the suite's figures.

    Attributes:
        FIGURES: The figures by name.
    """

    FIGURES: Mapping[str, FigureSpec]


class ViewerRoom(Protocol):
    """The room that makes the content of an episode's page in the report."""

    # `Any` stands for `assay.report.blocks.Block`: `assay.report` is a layer above this one.
    def show(
        self,
        task: Task,
        episode: Episode,
        scores: Sequence[Score],
        flags: Sequence[Flag],
        materials: Materials,
    ) -> Iterable[Any]:
        """Yield the blocks (`assay.report.blocks`) of the page of one episode, in order."""


class ReportingRoom(Protocol):
    """The room that says how the suite appears in the report.

    Attributes:
        ABOUT: The suite in one sentence.
        FIRST: The name of the set that the report shows first.
        PROFILE: The evidence for each aspect of an agent's method.

    A suite may also declare PAPER, the citation of the paper whose figures are quoted, and RUBRIC, a text
    that says how the headline score is made of points.
    """

    ABOUT: str
    FIRST: str
    PROFILE: Mapping[Axis, tuple[Evidence, ...]]

    def quoted(self, published: Mapping[str, Any]) -> Iterable[Quoted]:
        """Yield the results that the suite's paper states; `published` is the content of its YAML file."""
