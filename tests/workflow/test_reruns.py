"""Exactly the work whose result can change is done again: a table of edits and the jobs that follow.

Each edit is made in a copy of a built checkout, and a dry run on the real DAG says what it would do.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from tests.workflow.checkout import SMALL, Checkout, Work

SUITE = "tests/protocol/madeup"
RECORDINGS = "recordings/recorded/madeup/madeup-v0"

# What follows from what. A rule stands for all its jobs, `rule:word` for those with such a wildcard.
END = "own_table figures manifest"
SUMMED = f"merge_summary {END}"
EVERYTHING = (
    "tasks merge_tasks artefact calibration merge_calibration validation merge_validation "
    "episodes sweep merge_episodes merge_events scores merge_scores audit merge_audit summary " + SUMMED
)
PLAYED = "episodes sweep merge_episodes merge_events scores merge_scores audit merge_audit summary " + SUMMED
SWEPT = "sweep merge_episodes:sweeper merge_scores:sweeper merge_audit:sweeper summary:sweeper " + SUMMED


def of(agent: str, shard: str = "") -> str:
    """The work of one agent whose events are kept, or of one of its shards, and what follows."""
    shards = " ".join(f"{rule}:{agent}{shard}" for rule in ("episodes", "scores", "audit"))
    merges = " ".join(f"merge_{table}:{agent}" for table in ("episodes", "events", "scores", "audit"))
    return f"{shards} {merges} summary:{agent} {SUMMED}"


SOLVED = f"{of('exact')} {SWEPT}"
"""The work in which a solver plays, and what follows."""


def code(file: str, statement: str = "EDITED = 1", **how: bool) -> Callable[[Checkout], None]:
    """An edit that adds a statement to a module."""
    return lambda checkout: checkout.append(file, f"\n\n{statement}\n", **how)


def text(file: str, old: str, new: str, **how: bool) -> Callable[[Checkout], None]:
    """An edit that replaces a text of a file."""
    return lambda checkout: checkout.replace(file, old, new, **how)


def touch_everything(checkout: Checkout) -> None:
    """New times for all that git knows, and the recordings."""
    for folder in ("src", "rules", "workflow", "config", "envs", "tests", "profiles", "recordings"):
        for file in (checkout.root / folder).rglob("*"):
            os.utime(file)
    os.utime(checkout.root / "Snakefile")


def reformat(checkout: Checkout) -> None:
    """Another layout, and a docstring less."""
    checkout.replace(
        f"{SUITE}/world.py",
        "    def close(self) -> None:\n        pass\n",
        "    def close(\n        self,\n    ) -> None:  # nothing to close\n\n"
        '        """Nothing is open."""\n        pass\n',
    )


def swap_attempts(checkout: Checkout) -> None:
    """Two agents exchange how often they try."""
    checkout.replace("config/test/small-agents.yaml", "attempts: 2, ", "")
    checkout.replace("config/test/small-agents.yaml", "[madeup-v0]}, seconds: 1", "[madeup-v0]}, attempts: 2")


def add_agent(checkout: Checkout) -> None:
    """One more model, of which nothing is recorded."""
    checkout.append(
        "config/test/small-agents.yaml",
        "  absent:\n    kind: model\n    transport: {kind: fake, script: urn}\n    suites: {madeup: all}\n",
    )


EDITS: dict[str, tuple[Callable[[Checkout], None], str]] = {
    # --- a suite's rooms
    "world": (code(f"{SUITE}/world.py"), PLAYED),
    "world, under its old time": (code(f"{SUITE}/world.py", keep_time=True), PLAYED),
    "solvers": (code(f"{SUITE}/solvers.py"), SOLVED),
    "what world, scoring and audit share": (code(f"{SUITE}/answers.py"), PLAYED),
    "scoring rule": (
        text(f"{SUITE}/scoring.py", "1 - abs(answer - red) / balls", "1.0 - abs(answer - red) / balls"),
        f"scores merge_scores summary {SWEPT}",
    ),
    "audit": (code(f"{SUITE}/audit.py"), f"audit merge_audit {SWEPT}"),
    "analysis": (code(f"{SUITE}/analysis.py"), END),
    "figure": (code(f"{SUITE}/figures.py"), "figures manifest"),
    "task generator": (
        code(f"{SUITE}/tasks.py"),
        f"tasks merge_tasks calibration merge_calibration {PLAYED}",
    ),
    "artefacts": (
        code(f"{SUITE}/artefacts.py"),
        f"artefact calibration merge_calibration validation merge_validation {PLAYED}",
    ),
    "calibration": (code(f"{SUITE}/calibration.py"), f"calibration merge_calibration {END}"),
    "validation": (code(f"{SUITE}/validation.py"), f"validation merge_validation {END}"),
    "settings": (code(f"{SUITE}/settings.py"), ""),
    "a module that nobody imports": (code(f"{SUITE}/idle.py"), ""),
    # --- the spine
    "plotting": (code("src/assay/plotting.py"), "figures manifest"),
    "stage": (code("src/assay/stages/summary.py"), f"summary {SUMMED}"),
    "program": (code("workflow/scripts/calibration.py"), f"calibration merge_calibration {END}"),
    "schema": (code("src/assay/schemas/summary.py"), f"summary {SUMMED}"),
    "harness": (code("src/assay/harness.py"), PLAYED),
    "replay": (code("src/assay/replay.py"), PLAYED),
    "writer of tables": (code("src/assay/tables.py"), EVERYTHING),
    "store and wrapper": (
        lambda checkout: [code(f"src/assay/{name}.py")(checkout) for name in ("store", "job", "fingerprint")],
        "",
    ),
    "command line and configuration": (
        lambda checkout: [code(f"src/assay/{name}.py")(checkout) for name in ("cli", "config", "plan")],
        "",
    ),
    # --- what cannot matter
    "comment": (code(f"{SUITE}/world.py", "# A word."), ""),
    "docstring": (text(f"{SUITE}/scoring.py", "How good an answer is", "How near an answer is"), ""),
    "layout": (reformat, ""),
    "comment of a rule": (text("rules/scores.smk", "rule scores:", "# A word.\nrule scores:"), ""),
    "resources of a rule": (text("rules/scores.smk", "mem_mb=1024", "mem_mb=1025"), ""),
    "everything touched": (touch_everything, ""),
    # --- configuration
    "comment of the configuration": (lambda c: c.append(SMALL, "# A word.\n"), ""),
    "config value": (
        lambda c: c.append("config/test/small-suite.yaml", "settings: {calibration: {guesses: 21}}\n"),
        f"calibration merge_calibration {END}",
    ),
    "two config values swapped": (swap_attempts, SOLVED),
    "costs": (text("config/test/small-suite.yaml", "episode: 10", "episode: 5"), of("recorded", ":0")),
    "an agent that has no recordings": (
        add_agent,
        "merge_episodes:absent merge_events:absent merge_scores:absent merge_audit:absent summary:absent "
        + SUMMED,
    ),
    "lock file": (text("envs/base.lock", "pyyaml==", "pyyaml==0.0."), EVERYTHING),
    "comment of the lock file": (lambda c: c.append("envs/base.lock", "# A word.\n"), ""),
    # --- inputs
    "recording, under its old time": (
        lambda c: c.append(f"{RECORDINGS}/urn-0006.0.jsonl", "\n", keep_time=True),
        of("recorded", ":1"),
    ),
    "recording removed": (
        lambda c: c.remove(f"{RECORDINGS}/urn-0002.0.jsonl"),
        of("recorded", ":0"),
    ),
    "all recordings of a shard removed": (
        lambda c: c.remove(f"{RECORDINGS}/urn-0006.0.jsonl"),
        of("recorded", ":no such shard"),
    ),
    "recording of an attempt that nobody asks for": (
        lambda c: c.append(f"{RECORDINGS}/urn-0006.7.jsonl", "{}\n"),
        "",
    ),
    "frozen task, under its old time": (
        lambda c: c.append("tests/protocol/tasks/madeup/madeup-v0/00000.json", " ", keep_time=True),
        "tasks:madeup-v0 merge_tasks calibration:madeup-v0 merge_calibration sweep:madeup-v0 "
        f"{of('exact')} {of('recorded')} {SWEPT.removeprefix('sweep ')}",
    ),
    # --- results
    "table deleted": (lambda c: c.remove("results/madeup/tables/tiers.parquet"), "own_table:tiers manifest"),
    "figure deleted": (lambda c: c.remove("reports"), "figures manifest"),
}


def expand(words: str, jobs: frozenset[Work]) -> frozenset[Work]:
    """The jobs that the words of the table stand for; a word that stands for none is a mistake in it."""
    found = set()
    for word in words.split():
        rule, *wildcards = word.split(":")
        found |= {job for job in jobs if job.rule == rule and set(wildcards) <= set(job.wildcards)}
    return frozenset(found)


@pytest.mark.parametrize("edit", EDITS)
def test_exactly_the_work_that_can_change_is_done_again(copy, edit):
    assert copy.to_do() == frozenset()
    change, expected = EDITS[edit]
    change(copy)
    assert copy.to_do() == expand(expected, copy.to_do("--forceall"))
