"""The contents of a build: suites, sets, agents and judges, and the files that the build promises.

If agents were added to those of the frozen manifest, each file that shows several agents is made twice: for
all agents, and for the frozen agents alone, so that the second can be compared with the frozen file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from assay import canonical
from assay.build import links
from assay.build import paths as layout
from assay.build.planning.task_sets import TaskSets
from assay.build.store import FROZEN_VIEW
from assay.config.agents import Judging, ModelEntry, SolverEntry
from assay.config.models import Config, SuiteConfig
from assay.errors import NotBuilt
from assay.sessions import uncovered
from assay.suite import Suite
from assay.validity.fresh import kept_path, read


class Contents:
    """The suites, sets, agents and judges of a configuration, and the files that the build promises.

    Args:
        config: The configuration.
        root: The checkout.
        view: The folder of the files that show several agents: empty for the checkout itself, or
            `FROZEN_VIEW` for the contents that cover the frozen agents alone.
        twice: The suites whose files are made a second time in `view`. The files of other suites cover only
            frozen agents anyway, and are read from the checkout.
    """

    def __init__(
        self, config: Config, root: Path = Path(), view: str = "", twice: Iterable[str] = ()
    ) -> None:
        self.config = config
        self.root = root.resolve()
        self.view = view
        self.twice = frozenset(twice)
        self.task_sets = TaskSets(config, self.root)

    # --- suites, sets, agents ------------------------------------------------------------------------

    @cached_property
    def suites(self) -> list[str]:
        return sorted(set(self.config.suites) - set(self.left_out))

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The suites that cannot be built on this machine, each with a text of reason and remedy."""
        reasons = {}
        for name, suite in sorted(self.config.suites.items()):
            needed = suite.file.requires
            if needed is not None and needed.missing:
                reasons[name] = (
                    f"{' and '.join(needed.missing)} {'is' if len(needed.missing) == 1 else 'are'} not "
                    f"installed; make setup EXTRAS={needed.extra}, where there are wheels for this platform"
                )
        return reasons

    @cached_property
    def uncovered(self) -> list[str]:
        """A note for each agent with recordings that this configuration leaves out, with the entry to add."""
        return uncovered.notes(self.config, root=self.root)

    def suite(self, name: str) -> Suite:
        return self.suite_config(name).suite

    def suite_config(self, name: str) -> SuiteConfig:
        """Return the suite with this name, with its settings."""
        return self.config.suites[name]

    def sets(self, suite: str) -> list[str]:
        """Return the task sets of a suite, in the order of its tables."""
        return sorted(self.suite_config(suite).file.sets)

    def checks(self, suite: str) -> list[str]:
        """Return the names of the checks that validate a suite's worlds, sorted."""
        return sorted(self.suite_config(suite).settings.get("validation", {}).get("checks", []))

    def tables(self, suite: str) -> list[str]:
        return list(self.suite_config(suite).settings.get("analysis", {}).get("tables", []))

    def figures(self, suite: str) -> list[str]:
        return list(self.suite_config(suite).settings.get("figures", {}).get("figures", []))

    def agents(self, suite: str) -> list[str]:
        """The agents that play a suite, by name; without those that measure its sets (`probes`)."""
        return sorted(
            name
            for name, entry in self.config.agents.items()
            if suite in entry.suites and not _is_probe(entry)
        )

    def probes(self, suite: str) -> list[str]:
        """The shortcuts and planted abilities that play a suite: its card shows them, and no ranking does."""
        return sorted(
            name
            for name, entry in self.config.agents.items()
            if suite in entry.suites and _is_probe(entry) and self.sets_of_probe(suite, name)
        )

    def sets_of_probe(self, suite: str, probe: str) -> list[str]:
        """Return the sets that a probe plays in this build: those in which its scores were not kept."""
        return [
            name for name in self.agent_sets(suite, probe) if probe not in self._kept[suite].get(name, ())
        ]

    def kept_files(self, suite: str) -> list[str]:
        """Return the files of what probes scored in frozen sets of a suite (`assay keep`)."""
        return [kept_path(suite, task_set) for task_set in self._kept[suite]]

    @cached_property
    def _kept(self) -> dict[str, dict[str, Collection[str]]]:
        """By suite and frozen set: the probes whose scores were kept, where one of them plays the set."""
        kept: dict[str, dict[str, Collection[str]]] = {}
        for suite in self.suites:
            kinds, kept[suite] = self.suite_config(suite).file.sets, {}
            for agent, entry in self.config.agents.items():
                if suite in entry.suites and _is_probe(entry):
                    for task_set in self.agent_sets(suite, agent):
                        path = self.root / kept_path(suite, task_set)
                        if task_set not in kept[suite] and kinds[task_set] == "frozen" and path.exists():
                            kept[suite][task_set] = read(path).roles
        return kept

    def _kept_probes(self, suite: str) -> set[str]:
        """The probes that the manifest does not list because their scores were kept."""
        return {probe for probes in self._kept[suite].values() for probe in probes}

    def tried(self, suite: str) -> bool:
        """Whether the audit of a suite is tried with composed and independent conducts."""
        return self.suite(suite).has("conducts")

    def measured(self, suite: str) -> list[str]:
        """Return the agents and probes that the cards of a suite cover.

        A card describes a task set, not those who play it: agents that were added to the frozen ones leave it
        as it is, and enter it when the results are frozen with them.
        """
        names = [*self.agents(suite), *self.probes(suite)]
        return [name for name in names if name not in self.added.get(suite, ())]

    def roles(self, suite: str) -> dict[str, str]:
        """What each agent and probe of a suite is played for; of models, `model` or `scripted`."""
        roles = {}
        for name in (*self.agents(suite), *self.probes(suite)):
            entry = self.config.agents[name]
            if isinstance(entry, ModelEntry):
                roles[name] = "scripted" if entry.transport.kind == "fake" else "model"
            else:
                roles[name] = entry.role_in(suite)
        return roles

    @property
    def ranked(self) -> list[str]:
        """All agents but those that measure sets."""
        return [name for name, entry in self.config.agents.items() if not _is_probe(entry)]

    def agents_by_log(self, log: Literal["full", "digest"]) -> list[str]:
        """The agents whose events are kept in full, or as a digest only."""
        return [name for name in self.ranked if _log(self.config.agents[name]) == log]

    def agents_with_events(self, suite: str) -> list[str]:
        """Return the agents of a suite whose events are kept in full."""
        return [name for name in self.agents(suite) if _log(self.config.agents[name]) == "full"]

    def table_agents(self, table: str, suite: str) -> list[str]:
        """Return the agents of a suite that have a table with this name."""
        return self.agents_with_events(suite) if table == "events" else self.agents(suite)

    def agent_sets(self, suite: str, agent: str) -> list[str]:
        """Return the sets of a suite that an agent plays."""
        sets = self.config.agents[agent].suites.get(suite, [])
        return [s for s in self.sets(suite) if sets == "all" or s in sets]

    def kinds(self, suites: Iterable[str] | None = None) -> dict[str, str]:
        """Return the kind of each agent that plays one of these suites (by default, any suite).

        The kinds are `solver`, `model` and `scripted`. A scripted agent is a solver that was written to test
        the audit or a metric, or a script that replaces a model (the transport `fake`).
        """
        kinds = {}
        of = self.suites if suites is None else suites
        for name in sorted({name for suite in of for name in self.agents(suite)}):
            entry = self.config.agents[name]
            model = isinstance(entry, ModelEntry)
            if isinstance(entry, ModelEntry):
                scripted = entry.transport.kind == "fake"
            else:
                scripted = any(entry.role_in(suite) == "conduct" for suite in entry.suites)
            kinds[name] = "scripted" if scripted else "model" if model else "solver"
        return kinds

    def judges(self, suite: str) -> list[str]:
        """Return the names of the judges of a suite's episodes, sorted."""
        return sorted(name for name, entry in self.config.judges.items() if suite in entry.judges)

    def judging(self, suite: str, judge: str) -> Judging:
        """Return the judge's entry for a suite: its role, the agents and the sets.

        Raises:
            NotBuilt: If it is not a judge of the suite.
        """
        if judge not in self.judges(suite):
            raise NotBuilt(f"{judge} is no judge of the suite {suite}", "build `all` instead")
        return self.config.judges[judge].judges[suite]

    def judged(self, suite: str, judge: str) -> list[str]:
        """Return the agents that a judge judges; agents whose events are not kept are left out."""
        agents = self.judging(suite, judge).agents
        return [name for name in self.agents_with_events(suite) if agents == "all" or name in agents]

    def missing(self, suite: str, *agents: str) -> list[list[Any]]:
        """Return the sessions of admitted agents that count as zero, as [agent, set, task, attempt].

        Args:
            suite: The suite.
            *agents: The agents; by default, all agents of the suite.
        """
        return [
            [agent, absent.task_set.partition("/")[2], absent.task_id, absent.attempt]
            for agent in agents or self.agents(suite)
            if agent in self.config.admitted
            for absent in self.config.admitted[agent].missing
            if absent.task_set.partition("/")[0] == suite
        ]

    # --- frozen and added agents ---------------------------------------------------------------------

    @cached_property
    def added(self) -> dict[str, list[str]]:
        """The agents and judges of each suite that the frozen manifest does not list.

        Suites without such agents are left out. Added agents change no number of a frozen agent
        (`assay.stages.shared.added`). If the manifest lists no agent of a suite, or the build is to be
        frozen, no agent of the suite counts as added.
        """
        if self.view or self.config.project.freezing:
            return {}
        frozen = _frozen_agents(self.root / self.config.project.frozen)
        added = {
            suite: [
                name
                for name in [*self.agents(suite), *self.judges(suite), *self.probes(suite)]
                if name not in frozen[suite] | self._kept_probes(suite)
            ]
            for suite in self.suites
            if suite in frozen
        }
        return {suite: names for suite, names in added.items() if names}

    @cached_property
    def of_frozen(self) -> Contents | None:
        """The contents that cover the frozen agents alone, or `None` if no agent was added."""
        if not self.added:
            return None
        agents = {
            name: entry.model_copy(update={"suites": self._without_added(name, entry.suites)})
            for name, entry in self.config.agents.items()
        }
        judges = {
            name: entry.model_copy(update={"judges": self._without_added(name, entry.judges)})
            for name, entry in self.config.judges.items()
        }
        config = self.config.model_copy(update={"agents": agents, "judges": judges})
        return Contents(config, self.root, FROZEN_VIEW, self.added)

    def _without_added(self, name: str, suites: Mapping[str, Any]) -> dict[str, Any]:
        return {suite: value for suite, value in suites.items() if name not in self.added.get(suite, ())}

    def place(self, path: str, suite: str | None = None) -> str:
        """Return the path of a file that shows several agents of a suite; without `suite`, of all suites."""
        return f"{self.view}{path}" if suite is None or suite in self.twice else path

    # --- the promised files --------------------------------------------------------------------------

    def of(self, suite: str) -> dict[str, Any]:
        """Return the contents of a suite's results in the form that `assay.build.paths.files` takes."""
        return {
            "agents": self.agents(suite),
            "probes": self.probes(suite),
            "conducts": self.tried(suite),
            "with_events": self.agents_with_events(suite),
            "judges": self.judges(suite),
            "tables": self.tables(suite),
            "figures": self.figures(suite),
            "episodes": {agent: self.episode_count(suite, agent) for agent in self.agents(suite)},
            "pictures": self.task_sets.pictures(suite),
            "sets": self.task_sets.sizes(suite, self.sets(suite)),
        }

    def episode_count(self, suite: str, agent: str) -> int:
        """Return the number of episodes in an agent's table; for a model, the number of its recordings."""
        entry = self.config.agents[agent]
        spans = self.task_sets.whole(suite, self.agent_sets(suite, agent))
        if isinstance(entry, ModelEntry):
            return len(self.task_sets.recordings(suite, agent, spans))
        return entry.attempts * sum(span.last for span in spans)

    def targets(self, suite: str) -> list[str]:
        """Return the promised files of a suite; in the frozen view, only those made a second time."""
        contents = self.of(suite)
        if self.view:
            return [file.path for file in layout.frozen_files(suite, contents)] if suite in self.twice else []
        return [file.path for file in layout.files(suite, contents)]

    def common_targets(self) -> list[str]:
        """Return the promised files that show all suites at once; empty if there is no suite."""
        contents = {suite: self.of(suite) for suite in self.suites}
        files = layout.frozen_common_files if self.view else layout.common_files
        return [file.path for file in files(contents)] if contents else []

    def made_by(self, rule: str, suite: str | None = None) -> dict[str, str]:
        """Return the paths of the promised files that one rule makes, by their path within the site.

        Args:
            rule: The name of the rule.
            suite: The suite, or `None` for a rule that shows all suites at once.
        """
        if suite is None:
            files = layout.common_files({name: self.of(name) for name in self.suites})
        else:
            files = layout.files(suite, self.of(suite))
        return {
            file.path.removeprefix(f"{links.SITE}/"): self.place(file.path, suite)
            for file in files
            if file.rule == rule
        }


def _frozen_agents(manifest: Path) -> dict[str, set[str]]:
    """Return the agents and judges of each suite that a frozen manifest lists.

    They are recognised by their own files: `episodes/<agent>.parquet` and `opinions/<judge>.parquet`.
    """
    frozen: dict[str, set[str]] = {}
    try:
        paths = list(canonical.loads(manifest.read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # `assay verify` reports what is wrong with the manifest
    for path in paths:
        if own := re.fullmatch(r"results/([^/]+)/(?:episodes|opinions)/([^/]+)\.parquet", path):
            frozen.setdefault(own[1], set()).add(own[2])
    return frozen


def _is_probe(entry: SolverEntry | ModelEntry) -> bool:
    return isinstance(entry, SolverEntry) and entry.is_probe


def _log(entry: SolverEntry | ModelEntry) -> str:
    return entry.log if isinstance(entry, SolverEntry) else "full"
