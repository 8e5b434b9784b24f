"""The parameters of jobs as canonical JSON, and the fingerprint of the source that they start from.

The configuration of a job is a single JSON text, since Snakemake compares the parameters of a job as a set
without names. It holds no more than the job depends on, so that no other change makes the job run again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.build import fingerprint
from assay.build.planning.contents import Contents
from assay.build.planning.inputs import Inputs
from assay.config.agents import SolverEntry
from assay.errors import AssayError
from assay.suite import solver_room
from assay.tables.registry import COMMON

PROGRAM = "workflow/scripts/stage.py"
"""The path of the program that every job runs."""


class Parameters:
    """The configurations of jobs (`..._config`, JSON texts) and their sources (`..._source`).

    A source is a piece of the job's command line: the modules it starts from and their fingerprint.
    """

    def __init__(self, contents: Contents, inputs: Inputs) -> None:
        self.contents = contents
        self.inputs = inputs
        self.config = contents.config
        self.root = contents.root

    # --- of shards -----------------------------------------------------------------------------------

    def tasks_config(self, suite: str, shard: int) -> str:
        """Return the configuration of a job that generates tasks, with the digests of the frozen files."""
        frozen = self._digests(self.inputs.frozen_files(suite, shard))
        folders = self.inputs.released_folders(suite, shard)
        more = {"folders": folders} if folders else {}
        spans = self.inputs.task_shards(suite)[shard].as_json
        return self.suite_config(suite, spans=spans, frozen=frozen, **more)

    def tasks_stage(self, suite: str, shard: int) -> str:
        """Return the name of the stage that makes the tasks of a shard: from a folder or by drawing."""
        return "folders.released" if self.inputs.released_folders(suite, shard) else "tasks"

    def calibration_config(self, suite: str, shard: int) -> str:
        """Return the configuration of a job that calibrates tasks."""
        spans = self.inputs.calibration_shards(suite)[shard].as_json
        return self.suite_config(suite, spans=spans, settings=self._section(suite, "calibration"))

    def validation_config(self, suite: str, shard: int) -> str:
        """Return the configuration of a job that validates worlds."""
        (at,) = self.inputs.check_shards(suite)[shard].spans
        checks = self.contents.checks(suite)[at.first : at.last]
        settings = {k: v for k, v in self._section(suite, "validation").items() if k != "checks"}
        return self.suite_config(suite, checks=checks, settings=settings)

    def episodes_config(self, suite: str, agent: str, shard: int) -> str:
        """Return the configuration of a job that plays or replays episodes, with digests of recordings."""
        at = self.inputs.episode_shard(suite, agent, shard)
        entry = self.config.agents[agent]
        who: dict[str, Any] = {"agent": agent, "attempts": entry.attempts}
        if isinstance(entry, SolverEntry):
            who["solver"] = entry.solver or agent
        else:
            who["recordings"] = self._digests(self.inputs.recordings(suite, agent, shard))
        return self.suite_config(suite, spans=at.as_json, **who)

    def probes_config(self, suite: str) -> str:
        """Parameters of the job in which the shortcuts and planted abilities of a suite play."""
        probes = {}
        for agent in self.contents.probes(suite):
            entry = self.config.agents[agent]
            assert isinstance(entry, SolverEntry)
            probes[agent] = {
                "spans": self.inputs.whole_sets(suite, agent).as_json,
                "attempts": entry.attempts,
                "solver": entry.solver or agent,
            }
        return self.suite_config(suite, probes=probes)

    def conducts_config(self, suite: str) -> str:
        """Parameters of the job in which conducts try the audit of a suite."""
        return self.suite_config(suite, spans=self.inputs.conduct_tasks(suite).as_json)

    def judging_config(self, suite: str, agent: str, shard: int) -> str:
        """Return the configuration of a job that scores or audits episodes: the tasks of the episodes."""
        return self.suite_config(suite, spans=self.inputs.episode_shard(suite, agent, shard).as_json)

    # --- of suites -----------------------------------------------------------------------------------

    def suite_config(self, suite: str, **more: Any) -> str:
        """Return the configuration of a job of one suite: its name, its package and the entries in `more`."""
        rooms = self.contents.suite(suite)
        return canonical.dumps({"suite": rooms.name, "package": rooms.package, **more})

    def artefact_config(self, suite: str, digest: str) -> str:
        """Return the configuration of the job that makes one artefact."""
        key = self.inputs.artefact_key(suite, digest)
        return self.suite_config(suite, kind=key.kind, params=key.params, shard=key.shard)

    def opinions_config(self, suite: str, judge: str) -> str:
        """Return the configuration of a job that replays opinions, with digests of the recorded replies."""
        return self.suite_config(
            suite,
            judge=judge,
            role=self.contents.judging(suite, judge).role,
            model=self.config.judges[judge].model_facts(),
            spans=self.inputs.judged_tasks(suite, judge).as_json,
            folder=str(self.config.project.recordings),
            recordings=self._digests(self.inputs.recorded_opinions(suite, judge)),
        )

    def analysis_config(self, suite: str, **more: Any) -> str:
        """Return the configuration of a job that makes a suite's own table or figure.

        It holds the kinds of the suite's agents, and their missing sessions, in addition to `suite_config`.
        """
        return self.suite_config(suite, kinds=self.contents.kinds([suite]), **self._missing(suite), **more)

    def table_config(self, suite: str, table: str) -> str:
        """Return the configuration of a job that makes one of a suite's own tables."""
        return self.analysis_config(suite, table=table, **self._added_to(suite))

    def summary_config(self, suite: str, agent: str) -> str:
        """Return the configuration of the job that summarises an agent: the episodes that are expected."""
        entry = self.config.agents[agent]
        return self.suite_config(
            suite,
            agent=agent,
            attempts=entry.attempts,
            sets=self.contents.agent_sets(suite, agent),
            kind=entry.kind,
            **self._missing(suite, agent),
        )

    def validity_config(self, suite: str) -> str:
        """Return the parameters of the job that makes the cards of a suite's sets."""
        roles, sets = self.contents.roles(suite), self.contents.sets(suite)
        return self.suite_config(
            suite,
            roles={name: roles[name] for name in self.contents.measured(suite)},
            sets=self.contents.task_sets.sizes(suite, sets),
        )

    def viewer_config(self, suite: str) -> str:
        """Return the configuration of the job that makes the pages of a suite's episodes."""
        return self.suite_config(
            suite,
            agents=self.contents.agents(suite),
            defects=self.contents.suite_config(suite).notices,
            pictures=self.contents.task_sets.pictures(suite),
            shown=self.contents.suites,
        )

    def comparisons_config(self, suite: str) -> str:
        """Return the configuration of the job that makes the pages on which agents are compared by task."""
        contents = self.contents
        return self.suite_config(
            suite,
            agents=contents.agents(suite),
            defects=contents.suite_config(suite).notices,
            sets=contents.task_sets.sizes(suite, contents.sets(suite)),
            shown=contents.suites,
        )

    def own_settings(self, suite: str, room: str) -> dict[str, Any]:
        """Return the settings of one room without its lists of tables, figures and checks.

        These lists decide which jobs there are, and so do not belong to the configuration of a single job.
        """
        section = self._section(suite, room)
        return {k: v for k, v in section.items() if k not in ("tables", "figures", "checks")}

    def _section(self, suite: str, room: str) -> dict[str, Any]:
        return self.contents.suite_config(suite).settings.get(room, {})

    # --- of all suites -------------------------------------------------------------------------------

    def merge_config(self, table: str) -> str:
        """Return the configuration of a job that merges the shards of a table."""
        return canonical.dumps({"schema": COMMON[table].schema})

    def standing_config(self, **more: Any) -> str:
        """Return the configuration of a job that shows all suites.

        It holds the package, the contents and the sizes of the sets of each suite, and the kinds of agents.
        """
        contents = self.contents
        suites = {
            suite: {
                **canonical.loads(self.suite_config(suite)),
                **contents.of(suite),
                "sets": contents.task_sets.sizes(suite, contents.sets(suite)),
                **self._missing(suite),
            }
            for suite in contents.suites
        }
        added = self._added_to(*contents.suites)
        return canonical.dumps({"suites": suites, "kinds": contents.kinds(), **added, **more})

    def site_config(self) -> str:
        """Return the configuration of the job that makes the site: `standing_config` and all identities."""
        return self.standing_config(identity={name: self._identity(name) for name in self.contents.kinds()})

    def _identity(self, agent: str) -> dict[str, str]:
        """Return an agent's configured properties, in the order in which its page lists them."""
        entry = self.config.agents[agent]
        if isinstance(entry, SolverEntry):
            return {"solver": entry.solver or agent, "attempts": str(entry.attempts)}
        transport = entry.transport.model_dump(mode="json", exclude_defaults=True)
        sections = {
            "transport": transport,
            "decoding": entry.decoding.model_dump(exclude_defaults=True),
            "limits": entry.limits.model_dump(exclude_defaults=True),
        }
        facts = {
            name: ", ".join(f"{key} {value}" for key, value in section.items())
            for name, section in sections.items()
            if section
        }
        admitted = self.config.admitted.get(agent)
        bundle = {} if admitted is None else {"bundle": admitted.root}
        return {**facts, "protocol": entry.protocol, "attempts": str(entry.attempts), **bundle}

    def leaderboard_config(self) -> str:
        """Return the configuration of the leaderboard's job: that of `standing_config`, and the prices."""
        return self.standing_config(prices={name: self._price(name) for name in self.contents.kinds()})

    def _price(self, agent: str) -> dict[str, Any]:
        """Return the price of an agent's tokens, or the `reason` why its episodes have none in dollars."""
        entry = self.config.agents[agent]
        if isinstance(entry, SolverEntry):
            return {"reason": "a program, which buys no tokens"}
        transport = entry.transport
        if transport.kind == "fake":
            return {"reason": "a script takes the model's place, so no tokens are bought"}
        model = str(getattr(transport, "model", None) or getattr(transport, "name", agent))
        for name in (model, agent):
            if (price := self.config.prices.get(name)) is not None:
                return price.model_dump(exclude_defaults=True, exclude={"source"})
        return {"reason": f"{self.config.project.prices} has no price of {model}"}

    def manifest_config(self) -> str:
        """Return the configuration of the job that writes the built manifest."""
        contents = self.contents
        value: dict[str, Any] = {
            "suites": {suite: contents.of(suite) for suite in contents.suites},
            "left_out": contents.left_out,
            "frozen": self.config.project.frozen,
        }
        released = {
            f"{suite}/{name}": each.digest
            for suite in contents.suites
            for name in contents.sets(suite)
            if (each := contents.task_sets.released(suite, name)) is not None
        }
        if released:
            value["released"] = released
        if contents.of_frozen is not None:
            value["added"] = contents.added
            value["of_frozen"] = {suite: contents.of_frozen.of(suite) for suite in contents.suites}
        return canonical.dumps(value)

    def unverified_config(self) -> str:
        """Return the configuration of the job that writes a placeholder for the page of the verdict."""
        return canonical.dumps({"suites": self.contents.suites})

    def minutes(self) -> int:
        """Return the run time to request from a cluster, in minutes.

        It is ten times the time aimed at for a job (`seconds_per_job`), and at least an hour.
        """
        return max(60, int(self.config.project.seconds_per_job / 6))

    def _added_to(self, *suites: str) -> dict[str, list[str]]:
        """Return the entry `added` of a job about these suites, or nothing if no agent was added to them."""
        names = sorted({name for suite in suites for name in self.contents.added.get(suite, ())})
        return {"added": names} if names else {}

    def _missing(self, suite: str, *agents: str) -> dict[str, Any]:
        """Return the entry `missing` of a job about these agents, or nothing if no session is missing."""
        missing = self.contents.missing(suite, *agents)
        return {"missing": missing} if missing else {}

    def _digests(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: _sha256(self.root / path) for path in paths}

    # --- source --------------------------------------------------------------------------------------

    @cache  # noqa: B019  (one plan lives as long as its process)
    def source(self, stage: str, suite: str | None = None, *rooms: str) -> str:
        """Return the source of a job that starts from a stage and these rooms of a suite.

        A room that the suite does not have is left out. The room `artefacts` is added to rooms that use it.
        """
        roots = []
        if suite is not None:
            package = self.contents.suite(suite)
            wanted = [*rooms, "artefacts"] if {"world", "calibration", "validation"} & set(rooms) else rooms
            roots = [package.module(room) for room in wanted if package.has(room)]
        return self.source_of(f"assay.stages.{stage}", *roots)

    def entry_source(self, stage: str, suite: str, room: str, entry: str, *rooms: str) -> str:
        """Return the source of a job that uses one entry of a room's registry: one figure, or one table.

        Args:
            stage: The stage.
            suite: The suite.
            room: The room with the registry.
            entry: The name of the entry.
            *rooms: Further rooms, which are used whole.
        """
        package = self.contents.suite(suite)
        roots = [f"{package.module(room)}#{entry}", *(package.module(other) for other in rooms)]
        return self.source_of(f"assay.stages.{stage}", *roots)

    def merge_source(self, table: str) -> str:
        """Return the source of a job that merges shards, which includes the module of the table's schema."""
        return self.source_of("assay.stages.merge", COMMON[table].module)

    def player_source(self, stage: str, suite: str, agent: str, *rooms: str) -> str:
        """The source of a job in which an agent plays: a replay needs no solver."""
        entry = self.config.agents[agent]
        solvers = [solver_room(entry.solver or agent)[0]] if isinstance(entry, SolverEntry) else []
        return self.source(stage, suite, "world", *solvers, *rooms)

    def standing_source(self, stage: str, *rooms: str) -> str:
        """Return the source of a job that shows all suites, with these rooms of each suite."""
        contents = self.contents
        packages = [contents.suite(suite) for suite in contents.suites]
        roots = [package.module(room) for package in packages for room in rooms if package.has(room)]
        return self.source_of(f"assay.stages.{stage}", *roots)

    def source_of(self, *modules: str) -> str:
        """Return the source of a job that starts from the program and these modules."""
        roots = [PROGRAM, *modules]
        return f"--roots {','.join(roots)} --fingerprint {fingerprint.fingerprint(roots, self.root)}"


@cache
def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise AssayError(f"{path} cannot be read ({problem.strerror})", "restore it from git") from problem
