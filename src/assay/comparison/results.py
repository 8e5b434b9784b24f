"""The results of a build as data frames: tasks, episodes, scores, flags, leaderboard and cards.

    scores = results("petri").scores(agent="ofat", task_set="core-v0")

The columns are those of the tables in `results/`; the page *Data* of the report describes each of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import NotBuilt, UnknownName
from assay.tables.reader import read_frame
from assay.tables.registry import COMMON
from assay.tables.schema import Schema
from assay.tables.schemas.leaderboard import LEADERBOARD

if TYPE_CHECKING:
    import pandas as pd

Names = str | Iterable[str] | None
"""One name, several names, or None for all."""


@dataclass(frozen=True)
class SuiteTables:
    """The tables of a suite in a folder of results.

    Attributes:
        suite: The suite.
        folder: The folder, with `leaderboard.parquet` and a folder for each suite.
    """

    suite: str
    folder: Path

    @property
    def agents(self) -> list[str]:
        """The agents with episodes in the suite, shortcuts and planted abilities included."""
        return sorted(path.stem for path in (self.folder / self.suite / "episodes").glob("*.parquet"))

    def tasks(self, task_set: Names = None) -> pd.DataFrame:
        """Return the tasks of the suite, one row each (schema `tasks`)."""
        return _chosen(self._table("tasks"), task_set=task_set)

    def episodes(self, agent: Names = None, task_set: Names = None) -> pd.DataFrame:
        """Return episodes, one row each (schema `episodes`).

        Args:
            agent: One agent or several; by default all.
            task_set: One set or several; by default all.

        Raises:
            NotBuilt: If there are no results of the suite.
            UnknownName: If an agent or a set has no row.
        """
        return _chosen(self._by_agent("episodes", agent), task_set=task_set)

    def events(self, agent: Names = None, task_set: Names = None) -> pd.DataFrame:
        """Return the events of episodes (schema `events`); agents whose log is a digest have none."""
        return _chosen(self._by_agent("events", agent), task_set=task_set)

    def scores(
        self,
        agent: Names = None,
        task_set: Names = None,
        metric: Names = "score",
        *,
        every_step: bool = False,
    ) -> pd.DataFrame:
        """Return metrics of episodes, one row each (schema `scores`).

        Args:
            agent: One agent or several; by default all.
            task_set: One set or several; by default all.
            metric: One metric or several; by default the headline `score`; None for all metrics.
            every_step: Whether values of single steps and of other profiles than `default` are returned, too.
                Without them, an episode has one row for each metric.

        Raises:
            NotBuilt: If there are no results of the suite.
            UnknownName: If an agent, a set or a metric has no row.
        """
        table = self._by_agent("scores", agent)
        if not every_step:
            table = table[(table["profile"] == "default") & table["step"].isna()]
        return _chosen(table, task_set=task_set, metric=metric)

    def flags(self, agent: Names = None, task_set: Names = None, flag: Names = None) -> pd.DataFrame:
        """Return the decisions of the audit (schema `audit`); `raised` is missing where it cannot decide."""
        return _chosen(self._by_agent("audit", agent), task_set=task_set, flag=flag)

    def summary(self, agent: Names = None) -> pd.DataFrame:
        """Return means and intervals of metrics by stratum of tasks (schema `summary`)."""
        return _chosen(self._table("summary"), agent=agent)

    def validity(self) -> pd.DataFrame:
        """Return the cards of the suite's sets (schema `validity`)."""
        return self._table("validity")

    def leaderboard(self, task_set: Names = None) -> pd.DataFrame:
        """Return the suite's rows of the leaderboard (schema `leaderboard`)."""
        table = _read(self.folder / "leaderboard.parquet", LEADERBOARD)
        return _chosen(_chosen(table, suite=self.suite), task_set=task_set)

    def _table(self, name: str) -> pd.DataFrame:
        return _read(self.folder / self.suite / f"{name}.parquet", COMMON[name].load_schema())

    def _by_agent(self, name: str, agent: Names) -> pd.DataFrame:
        import pandas as pd

        folder = self.folder / self.suite / name
        known = sorted(path.stem for path in folder.glob("*.parquet"))
        if not known:
            raise NotBuilt(f"there are no results in {folder}", "build them: make reproduce")
        wanted = known if agent is None else [agent] if isinstance(agent, str) else list(agent)
        for each in wanted:
            if each not in known:
                raise UnknownName(f"{folder} has no agent {each!r}", f"its agents are {', '.join(known)}")
        schema = COMMON[name].load_schema()
        frames = [_read(folder / f"{each}.parquet", schema) for each in wanted]
        return pd.concat(frames, ignore_index=True)


def results(suite: str, folder: Path | str = "results") -> SuiteTables:
    """Return the tables of a suite as data frames.

    Args:
        suite: The name of the suite.
        folder: The folder of results, by default that of the working folder.

    Raises:
        NotBuilt: If the folder has no results of the suite.
    """
    tables = SuiteTables(suite, Path(folder))
    if not (tables.folder / suite).is_dir():
        raise NotBuilt(f"there are no results of {suite} in {folder}", "build them: make reproduce")
    return tables


def _read(path: Path, schema: Schema) -> pd.DataFrame:
    if not path.exists():
        raise NotBuilt(f"{path} does not exist", "build it: make reproduce")
    frame: pd.DataFrame = read_frame(path, schema)
    return frame


def _chosen(table: pd.DataFrame, **wanted: Names) -> pd.DataFrame:
    """Return the rows with these values; raise `UnknownName` for a value that no row has."""
    for column, names in wanted.items():
        if names is None:
            continue
        values: list[Any] = [names] if isinstance(names, str) else list(names)
        known = set(table[column].unique())
        for each in values:
            if each not in known:
                raise UnknownName(
                    f"no row has the {column} {each!r}", f"there are {', '.join(sorted(known)) or 'no rows'}"
                )
        table = table[table[column].isin(values)]
    return table.reset_index(drop=True)
