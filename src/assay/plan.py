"""What the Snakefile has to build: from the configuration to shards, their inputs and their parameters.

A job is a shard of items (`assay.sharding`). Every parameter of a job is one canonical JSON text with the
least it depends on, since Snakemake compares parameters as an unnamed set. This module runs while the DAG is
built, so it imports no numpy and reads no table.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from assay import canonical, fingerprint, layout, sharding
from assay.artefacts import digest as key_digest
from assay.config import Config, Generated, Judging, ModelEntry, SolverEntry, SuiteConfig, load
from assay.errors import AssayError, ConfigError, NotBuilt
from assay.protocol import Key
from assay.report import links
from assay.sharding import Shard, Span
from assay.suite import Suite
from assay.task import file_name, read_frozen

SCHEMAS = {
    "tasks": "assay.schemas.tasks:TASKS",
    "calibration": "assay.schemas.calibration:CALIBRATION",
    "validation": "assay.schemas.validation:VALIDATION",
    "episodes": "assay.schemas.episodes:EPISODES",
    "events": "assay.schemas.episodes:EVENTS",
    "scores": "assay.schemas.scores:SCORES",
    "audit": "assay.schemas.audit:AUDIT",
    "summary": "assay.schemas.summary:SUMMARY",
}
"""Where the schema of each common table is declared."""

PICTURE = b'"media_type": "image/'
"""What the file of a frozen task holds where the task shows a picture."""


class Plan:
    """The DAG in words: every method answers one question of one rule."""

    def __init__(self, config: Config, root: Path = Path()) -> None:
        self.config = config
        self.root = root.resolve()

    @classmethod
    def of(cls, given: Mapping[str, Any], files: Sequence[str], *, within_job: bool = False) -> Plan:
        """The plan of Snakemake's `config` and of the files named on its command line.

        Without `--configfile` it is config/config.yaml; `--config key=value` overrides top-level keys. A
        cluster job plans anew, `within_job`: what lies in `results/` was judged when the run began.
        """
        if len(files) > 1:
            raise ConfigError(f"{len(files)} config files are given", "give one: --configfile FILE")
        path = Path(files[0]) if files else Path("config/config.yaml")
        # With --configfile, `given` is what that file holds (and the overrides): no harm in giving it twice.
        plan = cls(load(path, given))
        plan.check()
        if not within_job:  # there, other jobs have just written what is not recorded yet
            _check_copied_results(plan.suites)
        return plan

    def check(self) -> None:
        """Look at every frozen set now: what is wrong there is one clear error, not one within a rule."""
        for suite in self.suites:
            for task_set in self.sets(suite):
                self._size(suite, task_set)

    # --- what there is -------------------------------------------------------------------------------

    @cached_property
    def suites(self) -> list[str]:
        """The suites to build, by name."""
        return sorted(set(self.config.suites) - set(self.left_out))

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The suites that cannot be built on this machine, each with the reason and the remedy."""
        reasons = {}
        for name, suite in sorted(self.config.suites.items()):
            needed = suite.file.requires
            if needed is not None and needed.missing:
                reasons[name] = (
                    f"{' and '.join(needed.missing)} {'is' if len(needed.missing) == 1 else 'are'} not "
                    f"installed; make setup EXTRAS={needed.extra}, where there are wheels for this platform"
                )
        return reasons

    def suite(self, name: str) -> Suite:
        """One of them."""
        return self._suite(name).suite

    def sets(self, suite: str) -> list[str]:
        """The task sets of a suite, in the order in which they stand in its tables."""
        return sorted(self._suite(suite).file.sets)

    def agents(self, suite: str) -> list[str]:
        """The agents that play a suite, by name."""
        return sorted(name for name, entry in self.config.agents.items() if suite in entry.suites)

    def agents_by_log(self, log: Literal["full", "digest"]) -> list[str]:
        """The agents whose events are kept in full, or as a digest only."""
        return [name for name, entry in self.config.agents.items() if _log(entry) == log]

    def agents_with_events(self, suite: str) -> list[str]:
        """The agents of a suite whose events are kept."""
        return [name for name in self.agents(suite) if _log(self.config.agents[name]) == "full"]

    def table_agents(self, table: str, suite: str) -> list[str]:
        """The agents of a suite that have a table of that name."""
        return self.agents_with_events(suite) if table == "events" else self.agents(suite)

    def judges(self, suite: str) -> list[str]:
        """The judges of a suite's episodes, by name."""
        return sorted(name for name, entry in self.config.judges.items() if suite in entry.judges)

    def opinions(self, suite: str) -> list[str]:
        """The tables of their opinions."""
        return [f"results/{suite}/opinions/{judge}.parquet" for judge in self.judges(suite)]

    def tables(self, suite: str) -> list[str]:
        """The suite's own tables."""
        return list(self._suite(suite).settings.get("analysis", {}).get("tables", []))

    def figures(self, suite: str) -> list[str]:
        """The suite's own figures."""
        return list(self._suite(suite).settings.get("figures", {}).get("figures", []))

    def published(self, suite: str) -> list[str]:
        """The file with figures quoted from the suite's paper, where there is one."""
        path = f"config/published/{suite}.yaml"
        return [path] if (self.root / path).exists() else []

    # --- shards --------------------------------------------------------------------------------------

    @cache  # noqa: B019  (one plan lives as long as its process)
    def task_shards(self, suite: str) -> tuple[Shard, ...]:
        """The jobs that generate a suite's tasks."""
        return self._shards(self._sizes(suite, self.sets(suite)), self._suite(suite).file.costs.task)

    @cache  # noqa: B019
    def calibration_shards(self, suite: str) -> tuple[Shard, ...]:
        """The jobs that calibrate them."""
        return self._shards(self._sizes(suite, self.sets(suite)), self._suite(suite).file.costs.calibration)

    @cache  # noqa: B019
    def check_shards(self, suite: str) -> tuple[Shard, ...]:
        """The jobs that validate a suite's worlds."""
        return self._shards({"": len(self._checks(suite))}, self._suite(suite).file.costs.check)

    @cache  # noqa: B019
    def episode_shards(self, suite: str, agent: str) -> tuple[Shard, ...]:
        """The jobs in which an agent plays; of a recorded agent only those that hold a recording."""
        entry = self.config.agents[agent]
        own = entry.seconds if isinstance(entry, SolverEntry) else None
        cost = (own or self._suite(suite).file.costs.episode) * entry.attempts
        shards = self._shards(self._sizes(suite, self._agent_sets(suite, agent)), cost)
        if isinstance(entry, ModelEntry):
            shards = tuple(shard for shard in shards if self._held(suite, agent, shard))
        return shards

    # --- files ---------------------------------------------------------------------------------------

    def frozen_files(self, suite: str, shard: int) -> list[str]:
        """The frozen files of a task shard; none for a set that is generated on the spot."""
        return [
            str(self._folder(suite, span.task_set) / file_name(index))
            for span in self.task_shards(suite)[shard].spans
            if not isinstance(self._suite(suite).file.sets[span.task_set], Generated)
            for index in range(span.first, span.last)
        ]

    def task_parts(self, suite: str, what: str = "parquet") -> list[str]:
        """All task shards of a suite, in order."""
        return [_task_part(suite, shard, what) for shard in self.task_shards(suite)]

    def calibration_parts(self, suite: str) -> list[str]:
        """All calibration shards of a suite, in order."""
        return [
            f"results/{suite}/shards/calibration/{shard.number}.parquet"
            for shard in self.calibration_shards(suite)
        ]

    def check_parts(self, suite: str) -> list[str]:
        """All validation shards of a suite, in order."""
        return [
            f"results/{suite}/shards/validation/{shard.number}.parquet" for shard in self.check_shards(suite)
        ]

    def agent_parts(self, table: str, suite: str, agent: str) -> list[str]:
        """All shards of one table of one agent, in order."""
        return [
            f"results/{suite}/shards/{table}/{agent}/{shard.number}.parquet"
            for shard in self.episode_shards(suite, agent)
        ]

    def tasks_of_calibration(self, suite: str, shard: int, what: str = "parquet") -> list[str]:
        """The task shards that a calibration shard reads."""
        return self._task_files(suite, self.calibration_shards(suite)[shard], what)

    def tasks_of_episodes(self, suite: str, agent: str, shard: int, what: str = "parquet") -> list[str]:
        """The task shards that an episode shard, its scores and its flags read."""
        return self._task_files(suite, self._episode_shard(suite, agent, shard), what)

    def recordings(self, suite: str, agent: str, shard: int) -> list[str]:
        """The recordings that an episode shard replays; none for a solver."""
        if not isinstance(self.config.agents[agent], ModelEntry):
            return []
        return self._held(suite, agent, self._episode_shard(suite, agent, shard))

    def judged(self, table: str, suite: str, judge: str) -> list[str]:
        """That table of each agent whom a judge judges."""
        return [f"results/{suite}/{table}/{agent}.parquet" for agent in self._judged(suite, judge)]

    def tasks_of_opinions(self, suite: str, judge: str, what: str = "parquet") -> list[str]:
        """The task shards with the tasks whose episodes a judge judges."""
        return self._task_files(suite, self._judged_tasks(suite, judge), what)

    def blobs_of_opinions(self, suite: str, judge: str) -> list[str]:
        """The contents that these tasks and episodes show."""
        shown = self.tasks_of_opinions(suite, judge, "blobs.parquet")
        for agent in self._judged(suite, judge):
            shown += self.agent_parts("blobs", suite, agent)
        return shown

    def recorded_opinions(self, suite: str, judge: str) -> list[str]:
        """The replies of a judge that are kept."""
        role = self._judging(suite, judge).role
        found = []
        for span in self._judged_tasks(suite, judge).spans:
            for agent in self._judged(suite, judge):
                folder = self.config.project.recordings / judge / suite / span.task_set / agent
                if (self.root / folder).is_dir():
                    names = sorted(entry.name for entry in os.scandir(self.root / folder))
                    found += [str(folder / name) for name in names if name.endswith(f".{role}.json")]
        return found

    # --- artefacts -----------------------------------------------------------------------------------

    def artefacts(self, stage: str, suite: str, shard: int | None = None, agent: str = "") -> list[str]:
        """The shared expensive work that a job needs, as files of the rule `artefact`.

        Without a shard: what the suite needs for this stage as a whole.
        """
        if not self._has_artefacts(suite):
            return []
        tasks: Iterable[Any] = [None]
        if shard is not None:
            calibrates = stage == "calibration"
            found = (
                self.calibration_shards(suite)[shard]
                if calibrates
                else self._episode_shard(suite, agent, shard)
            )
            tasks = [
                task
                for span in found.spans
                if not isinstance(self._suite(suite).file.sets[span.task_set], Generated)
                for task in self._tasks(suite, span.task_set)[span.first : span.last]
            ]
        needs = self.suite(suite).room("artefacts").needs
        keys = {key_digest(key): key for task in tasks for key in needs(stage, task, agent)}
        self._keys.update(keys)
        return [f"results/{suite}/artefacts/{digest}" for digest in sorted(keys)]

    def artefact_config(self, suite: str, key: str) -> str:
        """Parameters of the job that makes one artefact."""
        if key not in self._keys:
            # A job started alone sees no other rule ask for its key: ask for all of the suite's.
            self._all_keys(suite)
        if key not in self._keys:
            raise NotBuilt(f"no job of the suite {suite} needs the artefact {key}", "build `all` instead")
        found = self._keys[key]
        return self._slice(suite, kind=found.kind, params=found.params, shard=found.shard)

    # --- parameters ----------------------------------------------------------------------------------

    def tasks_config(self, suite: str, shard: int) -> str:
        """Parameters of a job that generates tasks, with the digests of the frozen files."""
        frozen = {path: _sha256(self.root / path) for path in self.frozen_files(suite, shard)}
        return self._slice(suite, spans=self.task_shards(suite)[shard].as_json, frozen=frozen)

    def calibration_config(self, suite: str, shard: int) -> str:
        """Parameters of a job that calibrates tasks."""
        settings = self._suite(suite).settings.get("calibration", {})
        return self._slice(suite, spans=self.calibration_shards(suite)[shard].as_json, settings=settings)

    def validation_config(self, suite: str, shard: int) -> str:
        """Parameters of a job that validates worlds."""
        (at,) = self.check_shards(suite)[shard].spans
        settings = {k: v for k, v in self._suite(suite).settings["validation"].items() if k != "checks"}
        return self._slice(suite, checks=self._checks(suite)[at.first : at.last], settings=settings)

    def episodes_config(self, suite: str, agent: str, shard: int) -> str:
        """Parameters of a job that plays or replays episodes, with the digests of the recordings."""
        at = self._episode_shard(suite, agent, shard)
        entry = self.config.agents[agent]
        who: dict[str, Any] = {"agent": agent, "attempts": entry.attempts}
        if isinstance(entry, SolverEntry):
            who["solver"] = entry.solver or agent
        else:
            held = self.recordings(suite, agent, shard)
            who["recordings"] = {path: _sha256(self.root / path) for path in held}
        return self._slice(suite, spans=at.as_json, **who)

    def judging_config(self, suite: str, agent: str, shard: int) -> str:
        """Parameters of a job that scores or audits episodes: which tasks they belong to."""
        return self._slice(suite, spans=self._episode_shard(suite, agent, shard).as_json)

    def opinions_config(self, suite: str, judge: str) -> str:
        """Parameters of a job that replays opinions, with the digests of the recorded replies."""
        return self._slice(
            suite,
            judge=judge,
            role=self._judging(suite, judge).role,
            model=self.config.judges[judge].model_facts(),
            spans=self._judged_tasks(suite, judge).as_json,
            folder=str(self.config.project.recordings),
            recordings={path: _sha256(self.root / path) for path in self.recorded_opinions(suite, judge)},
        )

    def suite_config(self, suite: str, **more: Any) -> str:
        """Parameters of a job that needs to know no more than its suite (and what is given)."""
        return self._slice(suite, **more)

    def merge_config(self, table: str) -> str:
        """Parameters of a job that merges shards."""
        return canonical.dumps({"schema": SCHEMAS[table]})

    def summary_config(self, suite: str, agent: str) -> str:
        """Parameters of an agent's summary: which episodes there should be."""
        entry = self.config.agents[agent]
        return self._slice(
            suite,
            agent=agent,
            attempts=entry.attempts,
            sets=self._agent_sets(suite, agent),
            kind=entry.kind,
        )

    def own_settings(self, suite: str, room: str) -> dict[str, Any]:
        """The settings of one room, without the choice of its tables or figures (that is the DAG's)."""
        section = self._suite(suite).settings.get(room, {})
        return {k: v for k, v in section.items() if k not in ("tables", "figures", "checks")}

    # --- source --------------------------------------------------------------------------------------

    @cache  # noqa: B019
    def source(self, program: str, suite: str | None = None, *rooms: str) -> str:
        """The source a job starts from (program, stage and the rooms it calls), with its fingerprint."""
        roots = [f"workflow/scripts/{program}.py"]
        if (Path(__file__).parent / "stages" / f"{program}.py").exists():
            roots.append(f"assay.stages.{program}")
        if suite is not None:
            found = self.suite(suite)
            wanted = [*rooms, "artefacts"] if {"world", "calibration", "validation"} & set(rooms) else rooms
            roots += [found.module(room) for room in wanted if found.has(room)]
        return self._fingerprinted(roots)

    def merge_source(self, table: str) -> str:
        """The same for a job that merges shards: the table's schema besides program and stage."""
        schema = SCHEMAS[table].split(":")[0]
        return self._fingerprinted(["workflow/scripts/merge.py", "assay.stages.merge", schema])

    def source_of(self, *roots: str) -> str:
        """The same for a job that belongs to no stage: from the roots that are given."""
        return self._fingerprinted(list(roots))

    def player_source(self, program: str, suite: str, agent: str, *rooms: str) -> str:
        """The same for a job in which an agent plays: a replay needs no solver."""
        solvers = ["solvers"] if isinstance(self.config.agents[agent], SolverEntry) else []
        return self.source(program, suite, "world", *solvers, *rooms)

    def _fingerprinted(self, roots: list[str]) -> str:
        return f"--roots {','.join(roots)} --fingerprint {fingerprint.fingerprint(roots, self.root)}"

    # --- the end of the DAG --------------------------------------------------------------------------

    def contents(self, suite: str) -> dict[str, Any]:
        """What a suite's results consist of, by name (see `assay.layout`)."""
        return {
            "agents": self.agents(suite),
            "with_events": self.agents_with_events(suite),
            "judges": self.judges(suite),
            "tables": self.tables(suite),
            "figures": self.figures(suite),
            "episodes": {agent: self.episode_count(suite, agent) for agent in self.agents(suite)},
            "pictures": self.pictures(suite),
        }

    def episode_count(self, suite: str, agent: str) -> int:
        """How many episodes an agent's table has: of a model, as many as are recorded."""
        entry = self.config.agents[agent]
        if isinstance(entry, ModelEntry):
            return sum(len(self._held(suite, agent, shard)) for shard in self.episode_shards(suite, agent))
        return entry.attempts * sum(self._sizes(suite, self._agent_sets(suite, agent)).values())

    @cache  # noqa: B019
    def pictures(self, suite: str) -> list[str]:
        """The pictures of a suite's tasks, by their place in the site; of frozen and private sets only."""
        found = set()
        for task_set in self.sets(suite):
            if isinstance(self._suite(suite).file.sets[task_set], Generated):
                continue  # what its tasks show is known when they are made, and that is too late
            for index in range(self._size(suite, task_set)):
                path = self.root / self._folder(suite, task_set) / file_name(index)
                if PICTURE in path.read_bytes():
                    found |= {
                        links.picture(suite, ref.sha256, ref.media_type)
                        for ref in read_frozen(path).blobs
                        if ref.media_type in links.PICTURES
                    }
        return sorted(found)

    def blobs_shown(self, suite: str) -> list[str]:
        """The contents that tasks and logged episodes of a suite show."""
        shown = self.task_parts(suite, "blobs.parquet")
        for agent in self.agents_with_events(suite):
            shown += self.agent_parts("blobs", suite, agent)
        return shown

    def viewer_config(self, suite: str) -> str:
        """Parameters of the job that makes the pages of a suite's episodes."""
        return self._slice(suite, agents=self.agents(suite), pictures=self.pictures(suite), shown=self.suites)

    def targets(self, suite: str) -> list[str]:
        """The files of a suite that the manifest promises."""
        return [file.path for file in layout.files(suite, self.contents(suite))]

    def common_targets(self) -> list[str]:
        """The promised files that show all suites at once; none where there is no suite."""
        contents = {suite: self.contents(suite) for suite in self.suites}
        return [file.path for file in layout.common_files(contents)] if contents else []

    def made_by(self, rule: str, suite: str | None = None) -> dict[str, str]:
        """The promised files of one rule, of a suite or of all at once, by their path within the site."""
        if suite is None:
            found = layout.common_files({name: self.contents(name) for name in self.suites})
        else:
            found = layout.files(suite, self.contents(suite))
        return {file.path.removeprefix(f"{links.SITE}/"): file.path for file in found if file.rule == rule}

    def shown(self, *tables: str) -> dict[str, list[str]]:
        """These tables of every suite, as inputs named `<suite>/<table>`; `own` are the suite's own."""
        found = {}
        for suite in self.suites:
            for table in tables:
                found[f"{suite}/{table}"] = self._files_of(suite, table)
        return found

    def standing_config(self, **more: Any) -> str:
        """Parameters of a job that shows all suites: their packages and contents, and the kinds of agents."""
        suites = {
            suite: {**canonical.loads(self._slice(suite)), **self.contents(suite), "sets": self.sets(suite)}
            for suite in self.suites
        }
        return canonical.dumps({"suites": suites, "kinds": self.kinds(), **more})

    def unverified_config(self) -> str:
        """Parameters of the page that stands in the place of a verdict."""
        return canonical.dumps({"suites": self.suites})

    def kinds(self) -> dict[str, str]:
        """What each agent is: a solver, a model, or scripted: a conduct, or a script in a model's place."""
        found = {}
        for name in sorted({name for suite in self.suites for name in self.agents(suite)}):
            entry = self.config.agents[name]
            model = isinstance(entry, ModelEntry)
            scripted = entry.transport.kind == "fake" if isinstance(entry, ModelEntry) else entry.scripted
            found[name] = "scripted" if scripted else "model" if model else "solver"
        return found

    def standing_source(self, program: str, *rooms: str) -> str:
        """The source of such a job, with the given rooms of every suite."""
        roots = [self.suite(suite).module(room) for suite in self.suites for room in rooms]
        return self.source_of(f"workflow/scripts/{program}.py", f"assay.stages.{program}", *roots)

    def manifest_config(self) -> str:
        """Parameters of the job that writes the built manifest."""
        contents = {suite: self.contents(suite) for suite in self.suites}
        return canonical.dumps(
            {"suites": contents, "left_out": self.left_out, "frozen": self.config.project.frozen}
        )

    def _files_of(self, suite: str, table: str) -> list[str]:
        """The merged files of a table."""
        if table == "published":
            return self.published(suite)
        if table == "own":
            return [f"results/{suite}/tables/{name}.parquet" for name in self.tables(suite)]
        if table == "tasks_csv":
            return [f"{links.SITE}/{links.table_data(suite, 'tasks')[1]}"]
        if table == "figures":
            return [f"{links.SITE}/{links.figure(suite, name)}" for name in self.figures(suite)]
        if table in layout.BY_AGENT:
            return [f"results/{suite}/{table}/{agent}.parquet" for agent in self.table_agents(table, suite)]
        return [f"results/{suite}/{table}.parquet"]

    def minutes(self) -> int:
        """The run time to ask a cluster for: ten times the aim of a job, an hour at least."""
        return max(60, int(self.config.project.seconds_per_job / 6))

    # --- inside --------------------------------------------------------------------------------------

    @cache  # noqa: B019
    def _has_artefacts(self, suite: str) -> bool:
        return self.suite(suite).has("artefacts")

    @cached_property
    def _keys(self) -> dict[str, Key]:
        return {}

    def _all_keys(self, suite: str) -> None:
        self.artefacts("validation", suite)
        for shard in self.calibration_shards(suite):
            self.artefacts("calibration", suite, shard.number)
        for agent in self.agents(suite):
            for shard in self.episode_shards(suite, agent):
                self.artefacts("episodes", suite, shard.number, agent)

    def _suite(self, name: str) -> SuiteConfig:
        return self.config.suites[name]

    def _folder(self, suite: str, task_set: str) -> Path:
        """Where the files of a frozen or private set are."""
        config = self._suite(suite)
        private = config.file.sets[task_set] == "private"
        return (Path("private") if private else config.entry.tasks) / suite / task_set

    def _checks(self, suite: str) -> list[str]:
        return sorted(self._suite(suite).settings.get("validation", {}).get("checks", []))

    def _agent_sets(self, suite: str, agent: str) -> list[str]:
        sets = self.config.agents[agent].suites.get(suite, [])
        return [s for s in self.sets(suite) if sets == "all" or s in sets]

    def _judging(self, suite: str, judge: str) -> Judging:
        """What a judge judges in a suite."""
        if judge not in self.judges(suite):
            raise NotBuilt(f"{judge} is no judge of the suite {suite}", "build `all` instead")
        return self.config.judges[judge].judges[suite]

    def _judged(self, suite: str, judge: str) -> list[str]:
        """The agents whom a judge judges: their events are kept."""
        agents = self._judging(suite, judge).agents
        return [name for name in self.agents_with_events(suite) if agents == "all" or name in agents]

    def _judged_tasks(self, suite: str, judge: str) -> Shard:
        """The tasks whose episodes a judge judges, whole sets."""
        sets = self._judging(suite, judge).sets
        sizes = self._sizes(suite, [s for s in self.sets(suite) if sets == "all" or s in sets])
        return Shard(0, tuple(Span(task_set, 0, size) for task_set, size in sizes.items()))

    @cache  # noqa: B019
    def _size(self, suite: str, task_set: str) -> int:
        """How many tasks a set has."""
        entry = self._suite(suite).file.sets[task_set]
        if isinstance(entry, Generated):
            return entry.count
        folder = self.root / self._folder(suite, task_set)
        names = {f.name for f in os.scandir(folder)} if folder.is_dir() else set()
        files = sorted(name for name in names if name.endswith(".json"))
        expected = [file_name(i) for i in range(len(files))]
        if not files or files != expected:
            missing = next((name for name in expected if name not in names), file_name(0))
            others = [name for name in files if name not in expected]
            raise ConfigError(
                f"{self._folder(suite, task_set)}: a {entry} set holds 00000.json, 00001.json and so "
                f"on without a gap; {missing} is missing, found {', '.join(others[:5]) or 'no others'}",
                f"write them: ASSAY_SECRET_FILE=FILE assay tasks {suite} {task_set}"
                if entry == "private"
                else "restore the folder from git, or give the set as {count: N} to have it generated",
            )
        return len(files)

    @cache  # noqa: B019
    def _tasks(self, suite: str, task_set: str) -> list[Any]:
        folder = self.root / self._folder(suite, task_set)
        return [read_frozen(folder / file_name(i)) for i in range(self._size(suite, task_set))]

    def _sizes(self, suite: str, sets: Iterable[str]) -> dict[str, int]:
        return {task_set: self._size(suite, task_set) for task_set in sets}

    def _shards(self, sizes: Mapping[str, int], cost: float) -> tuple[Shard, ...]:
        """Sets by name and size as shards of items of that cost."""
        project = self.config.project
        return sharding.cut(sizes, sharding.size(sum(sizes.values()), cost, project))

    def _episode_shard(self, suite: str, agent: str, shard: int) -> Shard:
        shards = self._numbered_episode_shards(suite, agent)
        if shard not in shards:
            raise NotBuilt(f"{agent} has no shard {shard} of {suite}", "build `all` instead")
        return shards[shard]

    @cache  # noqa: B019
    def _numbered_episode_shards(self, suite: str, agent: str) -> dict[int, Shard]:
        return {shard.number: shard for shard in self.episode_shards(suite, agent)}

    @cache  # noqa: B019
    def _shards_of_tasks(self, suite: str) -> dict[str, list[tuple[Span, Shard]]]:
        """By set: its spans in order, each with the task shard that it is in."""
        found: dict[str, list[tuple[Span, Shard]]] = {}
        for shard in self.task_shards(suite):
            for span in shard.spans:
                found.setdefault(span.task_set, []).append((span, shard))
        return found

    def _task_files(self, suite: str, at: Shard, what: str) -> list[str]:
        """The task shards that overlap a shard of something else."""
        needed = {}
        for wanted in at.spans:
            spans = self._shards_of_tasks(suite)[wanted.task_set]
            size = spans[0][0].last  # all spans of a set but the last have one size
            for _, shard in spans[wanted.first // size : (wanted.last - 1) // size + 1]:
                needed[shard.number] = _task_part(suite, shard, what)
        return list(needed.values())

    def _held(self, suite: str, agent: str, shard: Shard) -> list[str]:
        """The recordings of an agent that belong to a shard."""
        return [
            path
            for span in shard.spans
            for index, paths in self._recordings(suite, agent, span.task_set).items()
            if span.first <= index < span.last
            for path in paths
        ]

    @cache  # noqa: B019
    def _recordings(self, suite: str, agent: str, task_set: str) -> dict[int, list[str]]:
        """Recordings by the index of their task, in order of attempt."""
        folder = self.config.project.recordings / agent / suite / task_set
        if not (self.root / folder).is_dir():
            return {}
        names = {f.name for f in os.scandir(self.root / folder) if f.name.endswith(".jsonl")}
        attempts = self.config.agents[agent].attempts
        found = {}
        for index, task in enumerate(self._tasks(suite, task_set)):
            own = [f"{task.task_id}.{attempt}.jsonl" for attempt in range(attempts)]
            if held := [str(folder / name) for name in own if name in names]:
                found[index] = held
        return found

    def _slice(self, suite: str, **values: Any) -> str:
        found = self.suite(suite)
        return canonical.dumps({"suite": found.name, "package": found.package, **values})


def _task_part(suite: str, shard: Shard, what: str) -> str:
    return f"results/{suite}/shards/tasks/{shard.number}.{what}"


def _log(entry: SolverEntry | ModelEntry) -> str:
    return entry.log if isinstance(entry, SolverEntry) else "full"


@cache
def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise AssayError(f"{path} cannot be read ({problem.strerror})", "restore it from git") from problem


def _check_copied_results(suites: Iterable[str]) -> None:
    """Refuse results whose making nobody has recorded: Snakemake would take them as current."""
    if os.environ.get("ASSAY_COPIED_RESULTS") == "trust":
        return
    for suite in suites:
        table = f"results/{suite}/tasks.parquet"
        if Path(table).exists() and not _is_recorded(table):
            raise ConfigError(
                f"{table} is there, but no record in .snakemake/metadata: Snakemake cannot know from which "
                "source these results were made",
                "either run `make clean` (the store gives back what is still right), or, after `assay "
                "verify` says identical, `ASSAY_COPIED_RESULTS=trust snakemake --touch --forceall all`",
            )


def _is_recorded(output: str) -> bool:
    """Whether Snakemake has made a file, or was about to record it when it was killed."""
    name = base64.urlsafe_b64encode(output.encode()).decode()
    return any(Path(".snakemake", kind, name).exists() for kind in ("metadata", "incomplete"))
