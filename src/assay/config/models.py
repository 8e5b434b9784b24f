"""Typed models of the configuration: what the target `all` builds, and what a user can set for a suite.

The models here and in `assay.config.agents` are the only definition. `assay config schemas` writes the JSON
schemas in `config/schemas/` from them, and a test checks that these are up to date. Jobs of the workflow
never import these modules: each job is given its part of the configuration as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, StringConstraints, Tag, model_validator

from assay.config.agents import Agents, JudgeEntry, ModelEntry, SolverEntry
from assay.config.base import NAME, Model, Name
from assay.config.places import FROZEN
from assay.suite import Suite


class SuiteEntry(Model):
    """A suite that `all` builds."""

    settings: Path = Field(strict=False, description="the suite's own file")
    package: str | None = Field(None, description="where its rooms are; assay.suites.<name> by default")
    tasks: Path = Field(
        Path("tasks"), strict=False, description="folder of frozen sets: <tasks>/<suite>/<set>/"
    )


class Project(Model):
    """config/config.yaml: what `all` builds."""

    suites: dict[Name, SuiteEntry] = Field(description="the suites, each with its own file")
    agents: Path = Field(
        Path("config/agents.yaml"), strict=False, description="the file that lists the agents"
    )
    recordings: Path = Field(
        Path("recordings"), strict=False, description="folder of recorded model sessions"
    )
    ledger: Path = Field(
        Path("ledger"),
        strict=False,
        description="folder of the ledger; admitted agents are added to `agents`",
    )
    prices: Path = Field(
        Path("config/prices.yaml"),
        strict=False,
        description="the file with prices of tokens, if there is one",
    )
    frozen: str = Field(
        FROZEN, description="the frozen manifest that builds of this configuration are held against"
    )
    freezing: bool = Field(
        False,
        strict=False,  # Snakemake's `--config freezing=true` gives a text
        description="treat every agent as a frozen one, also those that the frozen manifest does not list: "
        "for a build that is to be frozen",
    )
    seconds_per_job: float = Field(
        60, gt=0, description="work aimed at for one job; with the costs it gives the size of a shard"
    )
    shard_size: Annotated[int, Field(ge=1)] | Literal["all"] | None = Field(
        None, description="items in a shard, overriding the costs; results do not depend on it"
    )


class Generated(Model):
    """A set that is generated on the spot instead of being compared with frozen files."""

    count: int = Field(ge=1, description="how many tasks")


class Released(Model):
    """A set that is read from files of the user, such as those released with a paper."""

    path: Path = Field(strict=False, description="the folder that holds the files; nothing is copied from it")


_WithKeys = Annotated[
    Annotated[Generated, Tag("count")] | Annotated[Released, Tag("path")],
    # Which of the two is meant decides about the error messages.
    Discriminator(lambda value: "path" if isinstance(value, dict) and "path" in value else "count"),
]


class Costs(Model):
    """Seconds that an item takes on one core. They decide the size of shards and change no result."""

    task: float = Field(1, gt=0)
    calibration: float = Field(1, gt=0)
    check: float = Field(1, gt=0)
    episode: float = Field(0.1, gt=0)


class Requirement(Model):
    """Packages that have no wheel for some platforms, and so are no part of the base."""

    extra: Name = Field(description="the lock that holds them: envs/<extra>.lock")
    packages: list[str] = Field(min_length=1, description="the names under which Python imports them")

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed, found without importing any."""
        return [package for package in self.packages if find_spec(package) is None]


class SuiteFile(Model):
    """config/<suite>.yaml."""

    sets: dict[Name, Literal["frozen", "private"] | _WithKeys] = Field(
        description="task sets: frozen (files in tasks/, compared byte for byte with what the generator "
        "makes, or read where the suite declares the set archived), private (the same in private/, see "
        "`make fresh`), {count: N} (no files), or {path: FOLDER} (released files, read where they are)"
    )
    requires: Requirement | None = Field(
        None, description="what must be installed beside the base; without it the suite is not built"
    )
    costs: Costs = Costs()
    settings: dict[str, Any] = Field(default={}, description="the suite's own settings, by stage")


class Defect(Model):
    """A known defect of frozen tasks. They are never edited, so their pages state the defect."""

    tasks: list[Annotated[str, StringConstraints(pattern=rf"^{NAME}/{NAME}$")]] = Field(
        min_length=1, description="which tasks, each as set/task id"
    )
    identical: bool = Field(False, description="whether they ask for the same answer, so that one would do")
    reason: Annotated[str, StringConstraints(min_length=1)] = Field(description="what is wrong, for readers")


class Defects(Model):
    """config/defects/<suite>.yaml, where a suite has such a file."""

    defects: list[Defect]


class SuiteConfig(Model):
    """A suite with its entry in the project's file, its own file, its validated settings and its defects."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    suite: Suite
    entry: SuiteEntry
    file: SuiteFile
    settings: dict[str, dict[str, Any]]
    defects: tuple[Defect, ...] = ()

    @property
    def notices(self) -> dict[str, list[str]]:
        """The notices that the pages of defective tasks show, by `<set>/<task id>`."""
        notices: dict[str, list[str]] = {}
        for defect in self.defects:
            for name in defect.tasks:
                others = [other for other in defect.tasks if other != name]
                same = f" The item is identical with {' and '.join(others)}." if defect.identical else ""
                notices.setdefault(name, []).append(defect.reason + same)
        return notices


class Absent(Model):
    """A session that the submitter of an admitted bundle declared missing; it counts as zero."""

    task_set: Annotated[str, StringConstraints(pattern=rf"^{NAME}/{NAME}$")] = Field(description="suite/set")
    task_id: str
    attempt: int = Field(ge=0)


class Admitted(Model):
    """ledger/entries/<agent>.json: an agent that the ledger admits."""

    agent: Name
    root: str = Field(description="the root of its bundle")
    entry: ModelEntry = Field(description="its entry, for the sets of the bundle")
    missing: list[Absent] = Field(description="the sessions that count as zero")


class DatedPrice(Model):
    """The price of a model's tokens on a day, or the reason why it has none."""

    tokens_in: float | None = Field(None, ge=0, description="dollars for a million tokens read")
    tokens_out: float | None = Field(None, ge=0, description="dollars for a million tokens written")
    date: str = Field("", pattern=r"^(\d{4}-\d\d-\d\d)?$", description="the day of the price, YYYY-MM-DD")
    source: str = Field("", description="where the price was published")
    reason: str = Field("", description="why nobody is charged, in place of a price")

    @model_validator(mode="after")
    def _whole(self) -> DatedPrice:
        priced = self.tokens_in is not None and self.tokens_out is not None and bool(self.date)
        if priced == bool(self.reason):
            raise ValueError("give tokens_in, tokens_out and date, or reason alone")
        return self


class Prices(Model):
    """config/prices.yaml: what tokens of models cost."""

    currency: Literal["USD"]
    models: dict[str, DatedPrice] = Field(description="by the name of the model, or of the agent")


class Config(Model):
    """The whole validated configuration; `judges` and `agents` come from the same file.

    `agents` has the admitted agents too; `admitted` has what else is known of them.
    """

    project: Project
    agents: dict[str, SolverEntry | ModelEntry]
    admitted: dict[str, Admitted] = Field(default={})
    prices: dict[str, DatedPrice] = Field(default={})
    judges: dict[str, JudgeEntry]
    suites: dict[str, SuiteConfig]


SCHEMAS: Mapping[str, type[Model]] = {
    "config": Project,
    "agents": Agents,
    "suite": SuiteFile,
    "defects": Defects,
    "prices": Prices,
}
"""The model of each kind of file, by the name of its schema in `config/schemas/`."""
