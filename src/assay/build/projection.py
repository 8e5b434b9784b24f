"""How long a configuration would take that nobody has built: its plan, at the costs of a measured build.

The cost of a job is what the cheapest job of its rule costs, for starting, and so much for each item: a task,
an episode, a check; of a merge or a table the episodes that go into it. That is a straight line through what
was measured: a table that sorts is a little more, and one that reads only summaries is less. A figure costs
what it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.build.measurement import Build, MeasuredJob
from assay.build.paths import BUILT, LEADERBOARD, PROFILE
from assay.build.planning.plan import Plan
from assay.build.planning.shards import Shard
from assay.errors import NotBuilt
from assay.tables.registry import BY_AGENT, BY_SUITE, COMMON

PLAYING = ("episodes", "scores", "audit")
"""The rules whose work a sweep does in one job."""

REPORT_OF_A_SUITE: Mapping[str, tuple[str, ...]] = {
    "downloads": ("tasks", "validation", "summary", "own"),
    "viewer": ("tasks", "episodes", "events", "scores", "audit"),
}
REPORT_OF_ALL: Mapping[str, tuple[str, ...]] = {
    "leaderboard": ("episodes", "summary", "own"),
    "profile": ("scores", "audit"),
    "site": ("tasks", "validation", "summary", "episodes", "scores", "audit", "own", "figures"),
}
"""The jobs of the report, of each suite and of all, with the tables that they read."""


def projected(plan: Plan, build: Build) -> Build:
    """The jobs of a plan, at the costs of a build; `NotBuilt` where it has no job of that kind."""
    made = _Projection(plan, _Rates(build))
    for suite in plan.contents.suites:
        made.add_suite(suite)
    made.add_report()
    return Build(made.jobs)


def items_of(build: Build) -> dict[str, int]:
    """The items of each job of a build, by name."""
    items: dict[str, int] = {}
    for name in build.order:
        job = build.jobs[name]
        before = [(build.jobs[n].rule, items[n]) for n in job.after]
        items[name] = _items(job.rule, before) if job.rule not in COUNTED else job.items
    return items


COUNTED = ("tasks", "calibration", "validation", "episodes", "sweep")
"""The rules whose jobs know how many items they have; the others have those of the jobs before them."""


def _items(rule: str, after: Iterable[tuple[str, int]]) -> int:
    """The items of a job that works on what others made, given their rules and items."""
    if rule in ("artefact", "opinions", "figures"):
        return 0  # pieces of work of their own; a figure's tables are as long as ever
    if rule.startswith("merge_") and rule != "merge_summary":
        return sum(items for _, items in after)
    whose = "episodes" if rule in PLAYING else "merge_episodes"
    return sum(items for other, items in after if other == whose)


@dataclass(frozen=True)
class _Rate:
    """Seconds of a job of so many items."""

    start: float
    item: float

    def seconds(self, items: int) -> float:
        return self.start + self.item * items


class _Rates:
    """What jobs cost in a build: by rule, suite and agent, or where that is not known by rule and suite."""

    def __init__(self, build: Build) -> None:
        items = items_of(build)
        start: dict[str, float] = {}
        kinds: dict[tuple[str, ...], list[tuple[float, int]]] = {}
        for name, job in build.jobs.items():
            start[job.rule] = min(job.seconds, start.get(job.rule, job.seconds))
            # results/logs/<rule>/<suite>/<agent>/<shard>.log: how rules name their logs. A job of the report
            # is alone of its rule.
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
    """The jobs so far, and which of them makes each file."""

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
        """A job that makes `output` (`also` others) of `inputs`; unknown inputs are there already."""
        after = tuple(sorted({self.made_by[path] for path in inputs if path in self.made_by}))
        if items is None:
            items = _items(rule, [(self.jobs[name].rule, self.jobs[name].items) for name in after])
        seconds = self.rates.rate(rule, suite, agent).seconds(items)
        self.jobs[output] = MeasuredJob(rule, output, seconds, after, items=items)
        self.made_by |= dict.fromkeys((output, *also), output)

    def add_suite(self, suite: str) -> None:
        """All jobs of a suite, each after those that it reads."""
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
        merged = [path for table in COMMON for path in inputs.merged(table, suite)]
        own = [f"results/{suite}/tables/{table}.parquet" for table in contents.tables(suite)]
        for table in own:
            self.add("own_table", suite, table, merged)
        for figure in contents.figures(suite):
            self.add("figures", suite, f"reports/figures/{suite}/{figure}.svg", [*merged, *own])

    def add_report(self) -> None:
        """The pages and downloads, what all suites have together, and the manifest of it all."""
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
        """A job of the report, alone of its rule, that makes many files."""
        first, *others = outputs.values()
        self.add(rule, "", first, inputs, also=others)

    def artefacts(self, stage: str, suite: str, shard: Shard | None = None, agent: str = "") -> list[str]:
        """The shared work that a job reads; what is new is a job of its own."""
        number = None if shard is None else shard.number
        paths = self.plan.inputs.artefacts(stage, suite, number, agent)
        for path in paths:
            if path not in self.jobs:
                self.add("artefact", suite, path, [])
        return paths

    def add_agent(self, suite: str, agent: str) -> None:
        """What an agent plays, its scores and flags, its merged tables and its summary."""
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
