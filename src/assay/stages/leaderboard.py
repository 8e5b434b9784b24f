"""Leaderboard: the scores of every agent in every set of every suite, and the figures quoted from papers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from assay.admission import rungs
from assay.admission.ledger import Ledger
from assay.build.job import Job
from assay.config.yaml import read_published
from assay.errors import ConfigError
from assay.numbers.rankings import tie_groups
from assay.protocol import NEVER_SCORED, Quoted
from assay.stages.shared.added import write_beside_frozen
from assay.stages.shared.costs import Costs, frontiers
from assay.suite import suite
from assay.tables.reader import read_rows, read_table
from assay.tables.rivals import PAIRS, PASSES
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.leaderboard import LEADERBOARD, is_partial
from assay.tables.schemas.summary import SUMMARY

LEVEL = 0.05
"""Level of significance of a comparison, after Holm's correction over all pairs of a set."""


def run(job: Job) -> None:
    """Write the table `leaderboard`."""
    rows: list[dict[str, Any]] = []
    ledger = ledger_of(job)
    for name, of_suite in job.config["suites"].items():
        rows += _played(job, name, of_suite, ledger)
        rows += _quoted(job, name, of_suite)
    rows.sort(key=lambda row: tuple(row[column] for column in LEADERBOARD.key))
    write_beside_frozen(job, rows, LEADERBOARD)


def ledger_of(job: Job) -> Ledger:
    """Return the ledger that a job reads; without such a file, a ledger without lines."""
    paths = job.parts("ledger")
    return Ledger.read(paths[0].parent) if paths else Ledger(Path(), ())


def _played(job: Job, name: str, of_suite: Mapping[str, Any], ledger: Ledger) -> Iterator[dict[str, Any]]:
    summary = {
        (row["level"], row["agent"], row["metric"]): row
        for row in read_rows(job.input(f"{name}/summary"), SUMMARY, where={"stratum": "task_set"})
        if row["profile"] == "default" and row["metric"] in ("score", "solved")
    }
    played = _episodes(job.parts(f"{name}/episodes"))
    privileged, tasks = played.privileged, played.tasks
    missing: Counter[tuple[str, str]] = Counter()
    for agent, task_set, task_id, _ in of_suite.get("missing", ()):
        missing[task_set, agent] += 1
        tasks[task_set, agent].add(task_id)
    coverage = {
        key: {"tasks": len(tasks[key]), "set_tasks": of_suite["sets"][key[0]]}
        for key in ((task_set, agent) for task_set, agent, _ in summary)
    }
    own_tables = {path.stem: path for path in job.parts(f"{name}/own")}
    passes = _passes(own_tables.get("passes"))
    standing = _pairs(own_tables.get("pairs"), {key for key, row in coverage.items() if is_partial(row)})
    means = {key[:2]: row["mean"] for key, row in summary.items() if key[2] == "score"}
    ties = _ties(standing, means)
    costs = Costs.of(job.parts(f"{name}/episodes"), job.config.get("prices", {}))
    sure = frontiers(
        job.parts(f"{name}/scores"), costs, standing.counts[2].keys(), of_suite.get("missing", ())
    )
    for task_set, agent, metric in sorted(summary):
        if metric != "score":
            continue
        score = summary[task_set, agent, "score"]
        solved = summary.get((task_set, agent, "solved"))
        spent = passes.get((task_set, agent), {})
        key = (task_set, agent)
        above, below, compared = (each.get(key) for each in standing.counts)
        row = {
            "suite": name,
            "task_set": task_set,
            "kind": "privileged"
            if key in privileged and job.config["kinds"][agent] == "solver"
            else job.config["kinds"][agent],
            "agent": agent,
            **coverage[key],
            "episodes": score["n"],
            "missing": missing[key],
            "score": score["mean"],
            "low": score["low"],
            "high": score["high"],
            "method": score["method"],
            "solved": None if solved is None else solved["mean"],
            "always": spent.get("always"),
            "calls": spent.get("calls"),
            "tokens": spent.get("tokens"),
            **costs.row(task_set, agent),
            **sure.get(key, {"frontier": None, "spent": ""}),
            "compared": compared,
            "above": above,
            "below": below,
            "rank_low": None if below is None else 1 + below,
            "rank_high": None if above is None or compared is None else 1 + compared - above,
            "ties": ties.get(key, ""),
            "note": score["note"] or "; ".join(_notes(coverage[key], key in privileged)),
        }
        yield {**row, "rungs": ", ".join(rungs.of_row(ledger, row, played.source.get(key)))}


def _notes(coverage: Mapping[str, int], privileged: bool) -> Iterator[str]:
    if is_partial(coverage):
        yield f"played {coverage['tasks']} of {coverage['set_tasks']} tasks: not ranked"
    if privileged:
        yield "told the truth, so it is compared with nobody"


def quotes(name: str, package: str | None, path: Path) -> list[Quoted]:
    """Return the figures that a suite quotes from its paper.

    Args:
        name: The name of the suite.
        package: The package of the suite; `None` for the default.
        path: The YAML file with the figures.

    Raises:
        ConfigError: If the file cannot be read, or is not of the form that the suite reads.
    """
    remedy = "restore the file from git, or write it as the suite's room `reporting` reads it"
    published = read_published(path)
    try:
        return list(suite(name, package).room("reporting").quoted(published))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
        raise ConfigError(f"{path}: not the figures that {name} quotes ({problem!r})", remedy) from problem


def _quoted(job: Job, name: str, of_suite: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for path in job.parts(f"{name}/published"):
        for row in quotes(of_suite["suite"], of_suite["package"], path):
            yield {
                **dict.fromkeys(("tasks", "set_tasks", "episodes", "missing", "always")),
                **dict.fromkeys(("dollars", "frontier")),
                **dict.fromkeys(("compared", "above", "below", "rank_low", "rank_high")),
                "suite": name,
                "task_set": row.task_set,
                "kind": "quoted",
                "agent": row.agent,
                "score": row.score,
                "low": row.low,
                "high": row.high,
                "method": "as the paper gives it" if row.low is not None else "",
                "solved": row.solved,
                "calls": row.calls,
                "tokens": row.tokens,
                "cost": "the paper gives no prices of tokens",
                "spent": "",
                "ties": "",
                "rungs": "claimed",
                "note": row.note,
            }


@dataclass
class _Played:
    """What the episodes of a suite say about its rows, which are named by (set, agent).

    Attributes:
        privileged: The rows with a privileged episode.
        tasks: The scored tasks of each row. A task counts as scored if one of its episodes was scored.
        source: Where the episodes of a row come from. A row with a recording that does not replay has none.
    """

    privileged: set[tuple[str, str]] = field(default_factory=set)
    tasks: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    source: dict[tuple[str, str], str] = field(default_factory=dict)


def _episodes(paths: Iterable[Path]) -> _Played:
    played, rejected = _Played(), set()
    for path in paths:
        table = read_table(path, EPISODES)
        table = table.select(["task_set", "agent", "task_id", "status", "privileged", "source"])
        for task_set, agent, task_id, status, knows, source in zip(
            *(column.to_pylist() for column in table.columns), strict=True
        ):
            key = (task_set, agent)
            if knows:
                played.privileged.add(key)
            if status not in NEVER_SCORED:
                played.tasks[key].add(task_id)
                played.source[key] = source
            if status == "rejected":
                rejected.add(key)
    for key in rejected:
        played.source.pop(key, None)
    return played


def _passes(path: Path | None) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows with score and cost over all attempts, by set and agent."""
    rows = read_rows(path, PASSES, where={"attempt": None}) if path else []
    return {(row["task_set"], row["agent"]): row for row in rows}


class _Standing(NamedTuple):
    """Significant comparisons of a suite.

    Attributes:
        counts: By (set, agent): how many agents it beats, how many beat it, and with how many it is compared.
        beats: By set, the pairs of agents of which the first is significantly better.
    """

    counts: tuple[Mapping[Any, int], Mapping[Any, int], Mapping[Any, int]]
    beats: Mapping[str, set[tuple[str, str]]]


def _pairs(path: Path | None, partial: Collection[tuple[str, str]]) -> _Standing:
    """Collect the significant comparisons of each agent in each set.

    Args:
        path: The table `pairs` of the suite; `None` if the suite has none.
        partial: Pairs (set, agent) that are not compared, because not all tasks were played.
    """
    above: dict[Any, int] = {}
    below: dict[Any, int] = {}
    compared: dict[Any, int] = {}
    beats: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in read_rows(path, PAIRS) if path else []:
        first, second = (row["task_set"], row["first"]), (row["task_set"], row["second"])
        if first in partial or second in partial:
            continue
        for key in (first, second):
            compared[key] = compared.get(key, 0) + 1
            above.setdefault(key, 0)
            below.setdefault(key, 0)
        if row["p_holm"] < LEVEL and row["margin"]:
            better, worse = (first, second) if row["margin"] > 0 else (second, first)
            above[better] += 1
            below[worse] += 1
            beats[row["task_set"]].add((better[1], worse[1]))
    return _Standing((above, below, compared), beats)


def _ties(standing: _Standing, means: Mapping[tuple[str, str], float | None]) -> dict[tuple[str, str], str]:
    """Return the letters of each agent that is compared, by (set, agent); the best has the letter a.

    The letters follow from the corrected p values of all pairs (`assay.numbers.rankings`).
    """
    compared = standing.counts[2]
    ties = {}
    for task_set in {each for each, _ in compared}:
        agents = sorted(
            (agent for each, agent in compared if each == task_set),
            key=lambda agent: (-(means.get((task_set, agent)) or 0.0), agent),
        )
        for agent, letters in tie_groups(agents, standing.beats.get(task_set, set())).items():
            ties[task_set, agent] = letters
    return ties
