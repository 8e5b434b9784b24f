"""Failures of agents by kind, by explanation and by difficulty (sections 7.2 and 7.3 of the paper)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from assay.numbers.stats import mann_whitney
from assay.protocol import Tables
from assay.suites.petri.tables.leaderboard import AGENT, SCOPE, by_task
from assay.suites.petri.tables.scopes import scopes_of
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import flag_raised, frame, mean, strata

TAXONOMY = Schema(
    "taxonomy",
    2,
    (
        SCOPE,
        AGENT,
        Column("flag", "string", "the flag, declared in the suite's `FLAGS`"),
        Column("label", "string", "the finding in a word, where flags of one name differ; empty: none"),
        Column("raised", "int64", "episodes that raised it with this label"),
        Column("decided", "int64", "episodes in which the flag could be decided, whatever the label"),
    ),
    key=("scope", "agent", "flag", "label"),
    partition="agent",
    doc="How often each kind of failure occurred; flags of one episode may co-occur.",
)

EXPLANATIONS: Mapping[str, str] = {
    "no_probe": "never measured: no probe",
    "indirect": "never measured: indirect probes only",
    "not_significant": "measured, not significant",
    "inconsistent": "measured, inconsistent",
    "contradicted": "measured, contradicted",
}
"""Explanations of a wrong direction: column of `directions` to label of the audit."""

DIRECTIONS = Schema(
    "directions",
    1,
    (
        SCOPE,
        AGENT,
        Column("right_parameter", "int64", "episodes at L1 and L2 that found the parameter", nullable=True),
        Column("errors", "int64", "of these, episodes with the wrong direction"),
        *(Column(name, "int64", f"of these, {label}") for name, label in EXPLANATIONS.items()),
    ),
    key=("scope", "agent"),
    doc="Every direction error explained from the log; the scope `paper` is quoted.",
)

DIFFICULTY = Schema(
    "difficulty",
    1,
    (
        SCOPE,
        AGENT,
        Column("band", "string", "the rating of the tasks by oracle power"),
        Column("tasks", "int64", "tasks of that band"),
        Column("power", "float64", "their mean oracle power; null where there is none", nullable=True),
        Column("episodes", "int64", "the agent's episodes at them"),
        Column("score", "float64", "mean score", unit="points"),
        Column("solved", "float64", "share of episodes with a right answer"),
    ),
    key=("scope", "agent", "band"),
    partition="agent",
    doc="Whether failures follow the rating; the rows of ofat-rand are the score of blind values by band.",
)

TRACKING = Schema(
    "tracking",
    1,
    (
        SCOPE,
        AGENT,
        Column("solved", "int64", "tasks solved in at least half of the attempts"),
        Column("failed", "int64", "the other tasks"),
        Column(
            "delta",
            "float64",
            "Cliff's delta of oracle power, solved tasks against failed ones: positive where failures have "
            "less; null where one kind is missing",
            nullable=True,
        ),
        Column("p", "float64", "exact Mann-Whitney p; null also for many tasks", nullable=True, digits=6),
    ),
    key=("scope", "agent"),
    partition="agent",
    doc="Whether an agent fails where the oracle's power is low.",
)

MOST_TASKS = 60
"""Largest number of tasks for which the exact distribution is computed; more would take too long."""


def taxonomy(tables: Tables) -> Any:
    """Return the table `taxonomy`: one row per flag and label that occurred, one per flag never raised."""
    scopes = scopes_of(tables)
    raised: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    decided: Counter[tuple[str, str, str]] = Counter()
    for row in tables["audit"].itertuples(index=False):
        for scope in scopes[row.task_set, row.task_id]:
            key = (scope, row.agent, row.flag)
            labels = raised[key]
            if (verdict := flag_raised(row)) is not None:
                decided[key] += 1
                if verdict:
                    labels[row.label] += 1
    rows = [
        (*key, label, n, decided[key])
        for key, labels in sorted(raised.items())
        for label, n in sorted(labels.items() or [("", 0)])
    ]
    return frame(rows, TAXONOMY)


def directions(tables: Tables) -> Any:
    """Return the table `directions`: explanations of each agent's direction errors, and of the paper's."""
    scopes = scopes_of(tables)
    parameter: dict[Any, bool] = {}
    wrong: dict[Any, str] = {}
    for row in tables["audit"].itertuples(index=False):
        verdict = flag_raised(row)
        if verdict is None:
            continue
        episode = (row.agent, row.task_set, row.task_id, row.attempt)
        if row.flag in ("wrong_parameter", "no_answer"):
            parameter[episode] = parameter.get(episode, True) and not verdict
        elif row.flag == "direction_error":
            wrong[episode] = row.label if verdict else ""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for episode, label in wrong.items():
        for scope in scopes[episode[1:3]]:
            count = counts[scope, episode[0]]
            count["right_parameter"] += parameter[episode]
            count["errors"] += bool(label)
            count[label] += 1
    rows = [
        (*key, count["right_parameter"], count["errors"], *(count[label] for label in EXPLANATIONS.values()))
        for key, count in counts.items()
    ]
    rows += [_quoted(quoted["taxonomy"]["direction_errors"]) for quoted in tables["published"]]
    return frame(sorted(rows), DIRECTIONS).astype({"right_parameter": "Int64"})


def _quoted(errors: Mapping[str, int]) -> tuple[Any, ...]:
    """Return the row of the paper's six models together."""
    never, indirect = errors["never_measured_no_probe"], errors["never_measured_indirect_probes"]
    read = errors["measured_contradicted"]
    return ("paper", "six models", None, errors["L1_and_L2"], never, indirect, 0, 0, read)


def difficulty(tables: Tables) -> Any:
    levels, power = strata(tables), measured(tables, "oracle_power")
    solved = by_task(tables, "solved")
    rows = []
    for (agent, scope), of_tasks in by_task(tables, "score").items():
        for band in sorted({levels[task]["band"] for task in of_tasks}):
            tasks = [task for task in of_tasks if levels[task]["band"] == band]
            scores = [value for task in tasks for value in of_tasks[task]]
            known = [power[task] for task in tasks if task in power]
            right = [value for task in tasks for value in solved[agent, scope][task]]
            rows.append((scope, agent, band, len(tasks), mean(known), len(scores), mean(scores), mean(right)))
    rows.sort(key=lambda row: row[:3])
    return frame(rows, DIFFICULTY)


def tracking(tables: Tables) -> Any:
    power = measured(tables, "oracle_power")
    rows = []
    for (agent, scope), of_tasks in by_task(tables, "solved").items():
        right: list[float] = []
        wrong: list[float] = []
        for task, values in of_tasks.items():
            if task in power:
                (right if 2 * sum(values) >= len(values) else wrong).append(power[task])
        test = mann_whitney(wrong, right) if right and wrong and len(of_tasks) <= MOST_TASKS else None
        delta, p = (test.delta, test.p) if test else (None, None)
        rows.append((scope, agent, len(right), len(wrong), delta, p))
    rows.sort(key=lambda row: row[:2])
    return frame(rows, TRACKING)


def measured(tables: Tables, measure: str) -> dict[tuple[str, str], float]:
    """Return the value of a measure of the calibration stage for each task that has it."""
    rows = tables["calibration"]
    rows = rows[(rows["measure"] == measure) & rows["value"].notna()]
    return {(row.task_set, row.task_id): row.value for row in rows.itertuples(index=False)}
