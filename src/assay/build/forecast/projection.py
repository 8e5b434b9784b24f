"""Estimate how long a configuration takes that was never built, from the job times of a measured build.

The time of a job is estimated by a linear model: a constant for starting, which is the time of the cheapest
job of the same rule, plus a rate times the number of items. Items are tasks, episodes or checks; for a merge
or a table, they are the episodes that go into it. The model underestimates a table that is sorted and
overestimates one that reads only summaries. A figure is assumed to take as long as in the measured build.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.build.forecast.measurement import Build, MeasuredJob
from assay.build.paths import BUILT, LEADERBOARD, PROFILE
from assay.build.planning.plan import Plan
from assay.build.planning.shards import Shard
from assay.errors import NotBuilt
from assay.tables.registry import BY_AGENT, BY_SUITE, COMMON

PLAYING = ("episodes", "scores", "audit")
"""The rules whose work the rule `sweep` does in one job."""

REPORT_OF_A_SUITE: Mapping[str, tuple[str, ...]] = {
    "downloads": ("tasks", "validation", "summary", "own"),
    "viewer": ("tasks", "episodes", "events", "scores", "audit"),
    "comparisons": ("tasks", "episodes", "events", "scores", "audit"),
}
REPORT_OF_ALL: Mapping[str, tuple[str, ...]] = {
    "leaderboard": ("episodes", "summary", "own"),
    "profile": ("scores", "audit"),
    "site": ("tasks", "validation", "summary", "episodes", "scores", "audit", "own", "figures"),
}
"""The jobs of the report, for each suite and for all suites, with the tables that they read."""


def projected(plan: Plan, build: Build) -> Build:
    """Return the jobs of a plan with times estimated from a measured build.

    Raises:
        NotBuilt: If the measured build has no comparable job for a job of the plan. Comparable jobs have the
            same rule and suite and, for episodes, scores and audit, the same agent.
    """
    made = _Projection(plan, _Rates(build))
    for suite in plan.contents.suites:
        made.add_suite(suite)
    made.add_report()
    return Build(made.jobs)


def items_of(build: Build) -> dict[str, int]:
    """Return the number of items of each job of a build, by the name of the job."""
    items: dict[str, int] = {}
    for name in build.order:
        job = build.jobs[name]
        before = [(build.jobs[n].rule, items[n]) for n in job.after]
        items[name] = _items(job.rule, before) if job.rule not in COUNTED else job.items
    return items


COUNTED = ("tasks", "calibration", "validation", "episodes", "sweep")
"""The rules whose jobs record their number of items; for others it follows from the jobs they wait for."""


def _items(rule: str, after: Iterable[tuple[str, int]]) -> int:
    """Return the number of items of a job, given the rule and number of items of each job it waits for."""
    if rule in ("artefact", "opinions", "figures"):
        return 0  # the time of these rules is taken to be independent of the number of episodes
    if rule.startswith("merge_") and rule != "merge_summary":
        return sum(items for _, items in after)
    whose = "episodes" if rule in PLAYING else "merge_episodes"
    return sum(items for other, items in after if other == whose)


@dataclass(frozen=True)
class _Rate:
    """The linear model of a job's time: `start` seconds, and `item` seconds for each item."""

    start: float
    item: float

    def seconds(self, items: int) -> float:
        return self.start + self.item * items


class _Rates:
    """The rates of a measured build, by rule, suite and agent; or by rule and suite if that is not known."""

    def __init__(self, build: Build) -> None:
        items = items_of(build)
        start: dict[str, float] = {}
        kinds: dict[tuple[str, ...], list[tuple[float, int]]] = {}
        for name, job in build.jobs.items():
            start[job.rule] = min(job.seconds, start.get(job.rule, job.seconds))
            # The names of logs are results/logs/<rule>/<suite>/<agent>/<shard>.log. Each rule of the report
            # has only one job.
            _, folder, suite, *rest = [*name.removeprefix("results/").split("/"), "", ""]
            suite = "" if folder == "report" else suite
            for kind in ((job.rule, suite, rest[0]), (job.rule, suite)):
                kinds.setdefault(kind, []).append((job.seconds, items[name]))
        self.known = {
            kind: _Rate(
                start[kind[0]],
                max(0.0, sum(s - start[kind[0]] for s, _ in jobs)) / sum(n for _, n in jobs),
            )
            if any(n for _, n in jobs)
            else _Rate(sum(s for s, _ in jobs) / len(jobs), 0.0)
            for kind, jobs in kinds.items()
        }

    def rate(self, rule: str, suite: str, agent: str) -> _Rate:
        for kind in ((rule, suite, agent), (rule, suite)):
            if kind in self.known and (rule not in PLAYING or len(kind) == 3):
                return self.known[kind]
        if rule == "sweep":
            parts = [self.rate(part, suite, agent) for part in PLAYING]
            return _Rate(max(part.start for part in parts), sum(part.item for part in parts))
        of = " by ".join(filter(None, [f"{rule} of {suite}".removesuffix(" of "), agent]))
        raise NotBuilt(
            f"the measured build has no job like: {of}",
            "build a configuration with the same suites and agents first, then ask again",
        )


@dataclass
class _Projection:
    """Collects the jobs of a plan; `made_by` maps each file to the name of the job that makes it."""

    plan: Plan
    rates: _Rates
    jobs: dict[str, MeasuredJob] = field(default_factory=dict)
    made_by: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        rule: str,
        suite: str,
        output: str,
        inputs: Sequence[str],
        *,
        items: int | None = None,
        agent: str = "",
        also: Sequence[str] = (),
    ) -> None:
        """Add a job that reads `inputs` and makes `output` and the files in `also`.

        Inputs that no other job makes are ignored, because they exist before the build.
        """
        after = tuple(sorted({self.made_by[path] for path in inputs if path in self.made_by}))
        if items is None:
            items = _items(rule, [(self.jobs[name].rule, self.jobs[name].items) for name in after])
        seconds = self.rates.rate(rule, suite, agent).seconds(items)
        self.jobs[output] = MeasuredJob(rule, output, seconds, after, items=items)
        self.made_by |= dict.fromkeys((output, *also), output)

    def add_suite(self, suite: str) -> None:
        """Add all jobs of a suite, each after the jobs whose outputs it reads."""
        contents, inputs = self.plan.contents, self.plan.inputs
        for shard, output in zip(inputs.task_shards(suite), inputs.task_parts(suite), strict=True):
            blobs = inputs.task_parts(suite, "blobs.parquet")[shard.number]
            self.add("tasks", suite, output, [], items=_size(shard), also=[blobs])
        for shard, output in zip(inputs.check_shards(suite), inputs.check_parts(suite), strict=True):
            read = self.artefacts("validation", suite)
            self.add("validation", suite, output, read, items=_size(shard))
        for shard, output in zip(
            inputs.calibration_shards(suite), inputs.calibration_parts(suite), strict=True
        ):
            read = inputs.tasks_of_calibration(suite, shard.number)
            read += self.artefacts("calibration", suite, shard)
            self.add("calibration", suite, output, read, items=_size(shard))
        parts = {
            "tasks": inputs.task_parts(suite),
            "calibration": inputs.calibration_parts(suite),
            "validation": inputs.check_parts(suite),
        }
        for table in BY_SUITE[:3]:
            self.add(f"merge_{table}", suite, COMMON[table].path(suite), parts[table])
        for agent in contents.agents(suite):
            self.add_agent(suite, agent)
        for judge, output in zip(contents.judges(suite), inputs.merged("opinions", suite), strict=True):
            self.add("opinions", suite, output, inputs.judged("episodes", suite, judge))
        summaries = [f"results/{suite}/shards/summary/{agent}.parquet" for agent in contents.agents(suite)]
        self.add("merge_summary", suite, COMMON["summary"].path(suite), summaries)
        if probed := inputs.probe_tables(suite):
            read = inputs.tasks_of_probes(suite) + inputs.artefacts_of_probes(suite)
            first, *others = probed.values()
            self.add(f"probes_{suite}", suite, first, read, also=others)
        if contents.tried(suite):
            (table,) = inputs.merged("conducts", suite)
            self.add(f"conducts_{suite}", suite, table, inputs.tasks_of_conducts(suite))
        played = [path for table in PLAYING for path in inputs.measured(table, suite)]
        self.add("validity", suite, COMMON["validity"].path(suite), played)
        merged = [path for table in COMMON if table != "validity" for path in inputs.merged(table, suite)]
        own = [f"results/{suite}/tables/{table}.parquet" for table in contents.tables(suite)]
        for table in own:
            self.add("own_table", suite, table, merged)
        for figure in contents.figures(suite):
            self.add("figures", suite, f"reports/figures/{suite}/{figure}.svg", [*merged, *own])

    def add_report(self) -> None:
        """Add the jobs of the report (of each suite and of all suites) and the job of the built manifest."""
        contents, inputs = self.plan.contents, self.plan.inputs
        for suite in contents.suites:
            for rule, tables in REPORT_OF_A_SUITE.items():
                read = [path for table in tables for path in inputs.shown(table)[f"{suite}/{table}"]]
                self.add_pages(f"{rule}_{suite}", contents.made_by(rule, suite), read)
        for rule, tables in REPORT_OF_ALL.items():
            read = [path for paths in inputs.shown(*tables).values() for path in paths]
            self.add_pages(rule, contents.made_by(rule), [*read, LEADERBOARD, PROFILE])
        promised = [path for suite in contents.suites for path in contents.targets(suite)]
        self.add("manifest", "", BUILT, [*promised, *contents.made_by("site").values()])

    def add_pages(self, rule: str, outputs: Mapping[str, str], inputs: Sequence[str]) -> None:
        """Add a job of the report, which is the only job of its rule and makes several files."""
        first, *others = outputs.values()
        self.add(rule, "", first, inputs, also=others)

    def artefacts(self, stage: str, suite: str, shard: Shard | None = None, agent: str = "") -> list[str]:
        """Return the artefacts that a job reads, and add a job for each artefact that has none yet."""
        number = None if shard is None else shard.number
        paths = self.plan.inputs.artefacts(stage, suite, number, agent)
        for path in paths:
            if path not in self.jobs:
                self.add("artefact", suite, path, [])
        return paths

    def add_agent(self, suite: str, agent: str) -> None:
        """Add the jobs of an agent: its episodes, scores and flags, the merged tables and the summary."""
        contents, inputs = self.plan.contents, self.plan.inputs
        full = agent in contents.agents_with_events(suite)
        attempts = contents.config.agents[agent].attempts
        for shard in inputs.episode_shards(suite, agent):
            read = inputs.tasks_of_episodes(suite, agent, shard.number)
            read += self.artefacts("episodes", suite, shard, agent)
            played, scores, audit, events = (
                f"results/{suite}/shards/{table}/{agent}/{shard.number}.parquet"
                for table in (*PLAYING, "events")
            )
            episodes = len(inputs.recordings(suite, agent, shard.number)) or _size(shard) * attempts
            if full:
                self.add("episodes", suite, played, read, items=episodes, agent=agent, also=[events])
                for rule, output in (("scores", scores), ("audit", audit)):
                    self.add(rule, suite, output, [*read, played], agent=agent)
            else:
                both = [scores, audit]
                self.add("sweep", suite, played, read, items=episodes, agent=agent, also=both)
        for table in BY_AGENT:
            if full or table != "events":
                output = COMMON[table].path(suite, agent)
                self.add(f"merge_{table}", suite, output, inputs.agent_parts(table, suite, agent))
        merged = [COMMON[table].path(suite, agent) for table in ("episodes", "scores")]
        summary = f"results/{suite}/shards/summary/{agent}.parquet"
        self.add("summary", suite, summary, [COMMON["tasks"].path(suite), *merged])


def _size(shard: Shard) -> int:
    return sum(span.last - span.first for span in shard.spans)
