"""Validity: the card of each task set of a suite, and its picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from assay import plotting
from assay.build import links
from assay.build.job import Job
from assay.config import yaml as strict_yaml
from assay.config.secret import SUFFIX
from assay.errors import ConfigError
from assay.protocol import NEVER_SCORED, Quoted, Yardstick
from assay.report.exports.drawn import marks
from assay.report.exports.texts import write_csv
from assay.stages.shared.inputs import suite_of
from assay.suite import Suite
from assay.tables.reader import read_rows
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.drawn import DRAWN
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.validity import VALIDITY
from assay.tables.writer import write_table
from assay.validity.card import Played, card, players_of
from assay.validity.figure import draw
from assay.validity.fresh import read, worth


def run(job: Job) -> None:
    """Write the table `validity`, and the figure of its cards with the data that it shows."""
    suite, sizes = suite_of(job), job.config["sets"]
    yardstick = yardstick_of(suite)
    by_set = played(job, yardstick, sizes)
    for path in job.parts("kept"):
        kept = read(path)
        if kept.tasks != sizes[kept.task_set]:
            raise ConfigError(
                f"{path} holds scores in {kept.tasks} tasks, and {kept.task_set} has {sizes[kept.task_set]}",
                f"write it again: assay keep {suite.name} {kept.task_set}",
            )
        by_set.setdefault(kept.task_set, []).extend(players_of(kept).values())
    fresh = {path.stem: players_of(read(path)) for path in job.parts("fresh")}
    for name in sizes:  # a private set that was played goes before fresh tasks that were kept
        if hidden := by_set.get(f"{name}{SUFFIX}"):
            fresh[name] = {**fresh.get(name, {}), **{player.agent: player for player in hidden}}
    ceilings = getattr(suite.room("validity"), "CEILINGS", {}) if suite.has("validity") else {}
    rows = [
        card(
            *(suite.name, name, sizes[name], yardstick, by_set.get(name, ())),
            fresh=fresh.get(name),
            most=ceilings.get(name),
        )
        for name in sorted(sizes)
    ]
    write_table(rows, job.output("table"), VALIDITY)
    quotes = _quoted(job, suite)
    with plotting.style():
        figure, alt = draw(rows, by_set, quotes)
        plotting.save_svg(figure, job.output("figure"), title=links.CARD, description=alt)
        write_table(marks(figure), job.output("data"), DRAWN)
    write_csv(job.output("data"), job.output("csv"))


def yardstick_of(suite: Suite) -> Yardstick:
    """How the suite's scores are read; without a room `validity`, over the range of the headline."""
    if suite.has("validity"):
        return suite.room("validity").YARDSTICK
    headline = next(metric for metric in suite.room("scoring").METRICS.values() if metric.headline)
    if headline.low is None or headline.high is None:
        return Yardstick(None, ())
    return Yardstick(headline.high - headline.low, ())


def played(job: Job, yardstick: Yardstick, sizes: Mapping[str, int]) -> dict[str, list[Played]]:
    """By set: what everybody scored who played every task of it."""
    by_set: dict[str, list[Played]] = defaultdict(list)
    paths, audits, own = (
        {path.stem: path for path in job.parts(name)} for name in ("scores", "audit", "episodes")
    )
    chance = () if isinstance(yardstick.chance, float | int) else yardstick.chance
    for agent, configured in job.config["roles"].items():
        role = "chance" if agent in chance and configured == "reference" else configured
        episodes = read_rows(own[agent], EPISODES)
        flags = read_rows(audits[agent], AUDIT) if yardstick.gate else []
        counted_as = worth(read_rows(paths[agent], SCORES), flags, yardstick)
        of_set: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
        for row in episodes:
            task_set, *episode = (row["task_set"], row["task_id"], row["attempt"])
            if row["status"] not in NEVER_SCORED:
                of_set[task_set][tuple(episode)] = counted_as.get((task_set, *episode)) or 0.0
        privileged = {row["task_set"] for row in episodes if row["privileged"]}
        for task_set, counted in of_set.items():
            if len({task for task, _ in counted}) == sizes.get(task_set):
                by_set[task_set].append(Played(agent, role, task_set in privileged, counted))
    return by_set


def _quoted(job: Job, suite: Suite) -> list[Quoted]:
    return [
        row
        for path in job.parts("published")
        for row in suite.room("reporting").quoted(strict_yaml.read(path))
    ]
