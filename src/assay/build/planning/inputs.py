"""Divide the work into shards, and determine which files each job reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from typing import Any

from assay.build import links
from assay.build.planning import shards as sharding
from assay.build.planning.contents import Contents
from assay.build.planning.shards import Shard, Span
from assay.build.store import FROZEN_VIEW
from assay.config.agents import ModelEntry, SolverEntry
from assay.episodes.artefacts import digest as key_digest
from assay.errors import NotBuilt
from assay.protocol import Key
from assay.tables.registry import BY_AGENT, COMMON

TRIED = 20
"""Tasks of a public set, from the first on, among which the room `conducts` chooses."""


class Inputs:
    """The shards of a build and the files that jobs read, as paths relative to the checkout."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.config = contents.config
        self.root = contents.root
        self.task_sets = contents.task_sets
        self._keys: dict[str, Key] = {}

    # --- shards --------------------------------------------------------------------------------------

    @cache  # noqa: B019  (one plan lives as long as its process)
    def task_shards(self, suite: str) -> tuple[Shard, ...]:
        """Return the shards of the jobs that generate a suite's tasks."""
        costs = self.contents.suite_config(suite).file.costs
        sizes = self.task_sets.sizes(suite, self.contents.sets(suite))
        # Sets that are read from a path are a stage of their own, and so share no shard with others.
        alike = groupby(sizes, lambda name: self.task_sets.released(suite, name) is not None)
        groups = [{name: sizes[name] for name in names} for _, names in alike]
        shards = [shard for group in groups for shard in self._shards(group, costs.task)]
        return tuple(Shard(number, shard.spans) for number, shard in enumerate(shards))

    @cache  # noqa: B019
    def calibration_shards(self, suite: str) -> tuple[Shard, ...]:
        costs = self.contents.suite_config(suite).file.costs
        return self._shards(self.task_sets.sizes(suite, self.contents.sets(suite)), costs.calibration)

    @cache  # noqa: B019
    def check_shards(self, suite: str) -> tuple[Shard, ...]:
        """Return the shards of the jobs that validate a suite's worlds."""
        costs = self.contents.suite_config(suite).file.costs
        return self._shards({"": len(self.contents.checks(suite))}, costs.check)

    @cache  # noqa: B019
    def episode_shards(self, suite: str, agent: str) -> tuple[Shard, ...]:
        """Return the shards of the jobs in which an agent plays.

        For a model, shards without any recording are left out.
        """
        entry = self.config.agents[agent]
        seconds = entry.seconds if isinstance(entry, SolverEntry) else None
        cost = (seconds or self.contents.suite_config(suite).file.costs.episode) * entry.attempts
        shards = self._shards(self.task_sets.sizes(suite, self.contents.agent_sets(suite, agent)), cost)
        if isinstance(entry, ModelEntry):
            shards = tuple(s for s in shards if self.task_sets.recordings(suite, agent, s.spans))
        return shards

    def episode_shard(self, suite: str, agent: str, shard: int) -> Shard:
        """Return one of these shards by its number.

        Raises:
            NotBuilt: If there is no shard with this number.
        """
        shards = self._numbered_episode_shards(suite, agent)
        if shard not in shards:
            raise NotBuilt(f"{agent} has no shard {shard} of {suite}", "build `all` instead")
        return shards[shard]

    @cache  # noqa: B019
    def _numbered_episode_shards(self, suite: str, agent: str) -> dict[int, Shard]:
        return {shard.number: shard for shard in self.episode_shards(suite, agent)}

    def judged_tasks(self, suite: str, judge: str) -> Shard:
        """Return the tasks whose episodes a judge judges; they are whole sets."""
        sets = self.contents.judging(suite, judge).sets
        chosen = [s for s in self.contents.sets(suite) if sets == "all" or s in sets]
        return Shard(0, self.task_sets.whole(suite, chosen))

    def _shards(self, sizes: Mapping[str, int], cost: float) -> tuple[Shard, ...]:
        """Divide sets, given by name and size, into shards; an item takes `cost` seconds."""
        return sharding.cut(sizes, sharding.size(sum(sizes.values()), cost, self.config.project))

    # --- parts of tables -----------------------------------------------------------------------------

    def task_parts(self, suite: str, what: str = "parquet") -> list[str]:
        """Return the files of all task shards of a suite, in order.

        Args:
            suite: The name of the suite.
            what: The ending of the files: `parquet` for tasks, `blobs.parquet` for the contents they show.
        """
        return [_task_part(suite, shard, what) for shard in self.task_shards(suite)]

    def calibration_parts(self, suite: str) -> list[str]:
        """Return the files of all calibration shards of a suite, in order."""
        return [_part(suite, "calibration", shard) for shard in self.calibration_shards(suite)]

    def check_parts(self, suite: str) -> list[str]:
        """Return the files of all validation shards of a suite, in order."""
        return [_part(suite, "validation", shard) for shard in self.check_shards(suite)]

    def agent_parts(self, table: str, suite: str, agent: str) -> list[str]:
        """Return the files of all shards of one table of one agent, in order."""
        return [_part(suite, f"{table}/{agent}", shard) for shard in self.episode_shards(suite, agent)]

    def blobs_shown(self, suite: str) -> list[str]:
        """Return the files with the contents that tasks and logged episodes of a suite show."""
        agents = self.contents.agents_with_events(suite)
        return self.task_parts(suite, "blobs.parquet") + self._blobs(suite, agents)

    def _blobs(self, suite: str, agents: list[str]) -> list[str]:
        return [part for agent in agents for part in self.agent_parts("blobs", suite, agent)]

    # --- tasks and recordings ------------------------------------------------------------------------

    def frozen_files(self, suite: str, shard: int) -> list[str]:
        """Return the frozen files of a task shard; a set that is generated during the build has none."""
        return self.task_sets.files(suite, self.task_shards(suite)[shard])

    def released_folders(self, suite: str, shard: int) -> dict[str, str]:
        """Return the folder of each set of a task shard that is read from a path."""
        spans = self.task_shards(suite)[shard].spans
        sets = [self.task_sets.released(suite, span.task_set) for span in spans]
        return {each.name: str(each.folder) for each in sets if each is not None}

    def tasks_of_calibration(self, suite: str, shard: int, what: str = "parquet") -> list[str]:
        """Return the files of the task shards that a calibration shard reads."""
        return self._task_files(suite, self.calibration_shards(suite)[shard], what)

    def tasks_of_episodes(self, suite: str, agent: str, shard: int, what: str = "parquet") -> list[str]:
        """Return the files of the task shards that an episode shard, its scores and its flags read."""
        return self._task_files(suite, self.episode_shard(suite, agent, shard), what)

    def recordings(self, suite: str, agent: str, shard: int) -> list[str]:
        """Return the recordings that an episode shard replays; a solver has none."""
        if not isinstance(self.config.agents[agent], ModelEntry):
            return []
        return self.task_sets.recordings(suite, agent, self.episode_shard(suite, agent, shard).spans)

    @cache  # noqa: B019
    def _shards_of_tasks(self, suite: str) -> dict[str, list[tuple[Span, Shard]]]:
        """Return the spans of each set, in order, each with the task shard that contains it."""
        shards: dict[str, list[tuple[Span, Shard]]] = {}
        for shard in self.task_shards(suite):
            for span in shard.spans:
                shards.setdefault(span.task_set, []).append((span, shard))
        return shards

    def _task_files(self, suite: str, at: Shard, what: str) -> list[str]:
        """Return the files of the task shards that share tasks with the shard `at`."""
        needed = {}
        for wanted in at.spans:
            spans = self._shards_of_tasks(suite)[wanted.task_set]
            size = spans[0][0].last  # all spans of a set have this size, except that the last may be smaller
            for _, shard in spans[wanted.first // size : (wanted.last - 1) // size + 1]:
                needed[shard.number] = _task_part(suite, shard, what)
        return list(needed.values())

    # --- opinions ------------------------------------------------------------------------------------

    def judged(self, table: str, suite: str, judge: str) -> list[str]:
        """Return the files of one table of all agents that a judge judges."""
        return COMMON[table].paths(suite, self.contents.judged(suite, judge))

    def tasks_of_opinions(self, suite: str, judge: str, what: str = "parquet") -> list[str]:
        """Return the files of the task shards with the tasks of the episodes that a judge reads."""
        return self._task_files(suite, self.judged_tasks(suite, judge), what)

    def blobs_of_opinions(self, suite: str, judge: str) -> list[str]:
        """Return the files with the contents that these tasks and episodes show."""
        tasks = self.tasks_of_opinions(suite, judge, "blobs.parquet")
        return tasks + self._blobs(suite, self.contents.judged(suite, judge))

    def recorded_opinions(self, suite: str, judge: str) -> list[str]:
        """Return the files of the recorded replies of a judge."""
        role = self.contents.judging(suite, judge).role
        replies = []
        for span in self.judged_tasks(suite, judge).spans:
            for agent in self.contents.judged(suite, judge):
                folder = self.config.project.recordings / judge / suite / span.task_set / agent
                if (self.root / folder).is_dir():
                    names = sorted(entry.name for entry in os.scandir(self.root / folder))
                    replies += [str(folder / name) for name in names if name.endswith(f".{role}.json")]
        return replies

    # --- artefacts -----------------------------------------------------------------------------------

    def artefacts(self, stage: str, suite: str, shard: int | None = None, agent: str = "") -> list[str]:
        """Return the files of the artefacts, which are shared expensive work, that a job needs.

        If `shard` is `None`, these are the artefacts that the stage needs without regard to a task.
        """
        if not self._has_artefacts(suite):
            return []
        tasks: list[Any] = [None]
        if shard is not None:
            calibrates = stage == "calibration"
            at = (
                self.calibration_shards(suite)[shard]
                if calibrates
                else self.episode_shard(suite, agent, shard)
            )
            tasks = self.task_sets.tasks(suite, at)
        needs = self.contents.suite(suite).room("artefacts").needs
        keys = {key_digest(key): key for task in tasks for key in needs(stage, task, agent)}
        self._keys.update(keys)
        return [f"results/{suite}/artefacts/{digest}" for digest in sorted(keys)]

    def artefacts_of_probes(self, suite: str) -> list[str]:
        """The shared expensive work that the shortcuts and planted abilities of a suite need."""
        if not self._has_artefacts(suite):
            return []
        needs = self.contents.suite(suite).room("artefacts").needs
        keys = {
            key_digest(key): key
            for agent in self.contents.probes(suite)
            for task in self.task_sets.tasks(suite, self.whole_sets(suite, agent))
            for key in needs("episodes", task, agent)
        }
        self._keys.update(keys)
        return [f"results/{suite}/artefacts/{digest}" for digest in sorted(keys)]

    def whole_sets(self, suite: str, agent: str) -> Shard:
        """All tasks that a probe plays, as one shard."""
        return Shard(0, self.task_sets.whole(suite, self.contents.sets_of_probe(suite, agent)))

    def tasks_of_probes(self, suite: str, what: str = "parquet") -> list[str]:
        """The task shards that the shortcuts and planted abilities of a suite play."""
        sets = {
            name
            for agent in self.contents.probes(suite)
            for name in self.contents.sets_of_probe(suite, agent)
        }
        return self._task_files(suite, Shard(0, self.task_sets.whole(suite, sorted(sets))), what)

    def probe_tables(self, suite: str) -> dict[str, str]:
        """The tables of the shortcuts and planted abilities of a suite, named `<agent>/<table>`."""
        return {
            f"{agent}/{table}": COMMON[table].path(suite, agent)
            for agent in self.contents.probes(suite)
            for table in BY_AGENT
            if table != "events"
        }

    def conduct_tasks(self, suite: str) -> Shard:
        """The tasks among which the room `conducts` chooses: the first ones of each public set."""
        public = [name for name in self.contents.sets(suite) if self.task_sets.is_public(suite, name)]
        sizes = self.task_sets.sizes(suite, public)
        return Shard(0, tuple(Span(name, 0, min(TRIED, size)) for name, size in sizes.items()))

    def tasks_of_conducts(self, suite: str, what: str = "parquet") -> list[str]:
        """The task shards of these tasks."""
        return self._task_files(suite, self.conduct_tasks(suite), what)

    def artefact_key(self, suite: str, digest: str) -> Key:
        """Return the key of an artefact, given its digest.

        Raises:
            NotBuilt: If no job of the suite needs an artefact with this digest.
        """
        if digest not in self._keys:
            # If Snakemake runs this job alone, no other rule has asked for the artefact: look up all keys.
            self._all_keys(suite)
        if digest not in self._keys:
            raise NotBuilt(f"no job of the suite {suite} needs the artefact {digest}", "build `all` instead")
        return self._keys[digest]

    @cache  # noqa: B019
    def _has_artefacts(self, suite: str) -> bool:
        return self.contents.suite(suite).has("artefacts")

    def _all_keys(self, suite: str) -> None:
        self.artefacts("validation", suite)
        for shard in self.calibration_shards(suite):
            self.artefacts("calibration", suite, shard.number)
        self.artefacts_of_probes(suite)
        for agent in self.contents.agents(suite):
            for shard in self.episode_shards(suite, agent):
                self.artefacts("episodes", suite, shard.number, agent)

    # --- merged tables -------------------------------------------------------------------------------

    def merged(self, table: str, suite: str) -> list[str]:
        """Return the merged files of a common table: one for the suite, or one for each agent or judge."""
        common = COMMON[table]
        if common.partition == "agent":
            return common.paths(suite, self.contents.table_agents(table, suite))
        paths = (
            common.paths(suite, self.contents.judges(suite)) if table == "opinions" else [common.path(suite)]
        )
        if table == "conducts" and not self.contents.tried(suite):
            return []
        shows_agents = table in ("opinions", "summary", "validity")
        return [self.contents.place(path, suite) if shows_agents else path for path in paths]

    def measured(self, table: str, suite: str) -> list[str]:
        """Return the merged files of a table of all agents that a card covers (`Contents.measured`)."""
        return COMMON[table].paths(suite, self.contents.measured(suite))

    def files_of(self, suite: str, table: str) -> list[str]:
        """Return files of one kind that a page shows of a suite.

        Args:
            suite: The name of the suite.
            table: The name of a common table, `own` (the suite's own tables), `published` (the quoted
                figures), `tasks_csv` or `figures`.
        """
        if table in COMMON:
            return self.merged(table, suite)
        if table == "published":
            return self.published(suite)
        if table == "own":
            files = [f"results/{suite}/tables/{name}.parquet" for name in self.contents.tables(suite)]
        elif table == "card":
            files = [f"{links.SITE}/{links.figure(suite, links.CARD)}"]
        elif table == "tasks_csv":
            files = [f"{links.SITE}/{links.table_data(suite, 'tasks')['CSV']}"]
        else:
            assert table == "figures"
            files = [f"{links.SITE}/{links.figure(suite, name)}" for name in self.contents.figures(suite)]
        return [self.contents.place(path, suite) for path in files]

    def shown(self, *tables: str) -> dict[str, list[str]]:
        """Return these tables of every suite as named inputs; a name is `<suite>/<table>`."""
        return {
            f"{suite}/{table}": self.files_of(suite, table)
            for suite in self.contents.suites
            for table in tables
        }

    def published(self, suite: str) -> list[str]:
        """Return the file with figures quoted from the suite's paper; the list is empty if there is none."""
        path = f"config/published/{suite}.yaml"
        return [path] if (self.root / path).exists() else []

    def ledger(self) -> list[str]:
        """Return the file of the ledger; the list is empty if nothing was announced or admitted."""
        path = str(self.config.project.ledger / "ledger.jsonl")
        return [path] if (self.root / path).exists() else []

    def fresh(self, suite: str) -> list[str]:
        """Return the files of what was scored in fresh tasks of the sets of a suite (`assay fresh`)."""
        paths = [f"config/fresh/{suite}/{name}.json" for name in self.contents.sets(suite)]
        return [path for path in paths if (self.root / path).exists()]

    def frozen_table(self, path: str, suite: str | None = None) -> list[str]:
        """Return the version of a table that covers the frozen agents alone, if agents were added.

        The table that covers all agents keeps its rows (`assay.stages.shared.added`).
        """
        added = self.contents.added
        return [f"{FROZEN_VIEW}{path}"] if added and (suite is None or suite in added) else []


def _part(suite: str, folder: str, shard: Shard) -> str:
    return f"results/{suite}/shards/{folder}/{shard.number}.parquet"


def _task_part(suite: str, shard: Shard, what: str) -> str:
    return f"results/{suite}/shards/tasks/{shard.number}.{what}"
