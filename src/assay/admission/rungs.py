"""The assurance ladder: what a program has checked about the results of an admitted agent.

Rungs are evidence, not marks. Each is computed from lines of the ledger; none is ever typed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from assay.admission.ledger import Ledger, Line
from assay.config.secret import SUFFIX

MEANING = {
    "claimed": "quoted from a paper or a page; nothing was executed",
    "played": "a program of this repository, which the build itself lets play",
    "replayed": "every recording was executed again, with equal results",
    "announced": "sets, attempts and entry were fixed in the ledger before the first admission",
    "operator": "the host asked the model itself, and signed that",
    "fresh": "confirmed on tasks that were committed to before and revealed after",
    "rebuilt": "two others rebuilt tables and row, and signed that both are identical",
}
"""The meaning of each rung, as the pages of the report explain it."""

FRESH_TASKS = 40
"""The fewest fresh tasks that confirm a result."""


def at_admission(before: Ledger, facts: Mapping[str, Any]) -> list[str]:
    """Return the rungs of a bundle when it is admitted, given the lines before.

    Args:
        before: The ledger up to, and without, the line of the admission.
        facts: The facts of that line.
    """
    rungs = ["replayed"]
    if announcement(before, facts) is not None:
        rungs.append("announced")
        key = None if facts["key"] is None else before.key(facts["key"])
        if key is not None and key.facts["role"] == "operator":
            rungs.append("operator")
    return rungs


def announcement(before: Ledger, facts: Mapping[str, Any]) -> Line | None:
    """Return the announcement that an admission keeps to, made before the agent's first admission."""
    first = next((line.n for line in before.of("admit") if line.facts["agent"] == facts["agent"]), None)
    for line in before.of("announce"):
        if line.facts["agent"] == facts["agent"] and (first is None or line.n < first):
            same = all(line.facts[name] == facts[name] for name in ("entry_sha256", "sets", "attempts"))
            return line if same else None
    return None


def of(ledger: Ledger, admission: Line, task_set: str | None = None) -> list[str]:
    """Return the rungs of an admission, with the evidence that was added to the ledger later.

    Args:
        ledger: The ledger.
        admission: A line of it that admits a bundle.
        task_set: The set of a row, as suite/set. A confirmation counts only for the set whose fresh version
            was played; without `task_set`, it counts for any set.
    """
    rungs = at_admission(Ledger(ledger.folder, ledger.lines[: admission.n]), admission.facts)
    for line in ledger.of("confirm"):
        facts = line.facts
        enough = facts["tasks"] >= FRESH_TASKS and facts["high"] < facts["limit"]
        fits = task_set in (None, facts["fresh_set"].removesuffix(SUFFIX))
        if line.subject == admission.subject and line.n > admission.n and enough and fits:
            rungs.append("fresh")
            break
    if _rebuilt(ledger, admission):
        rungs.append("rebuilt")
    return rungs


def _rebuilt(ledger: Ledger, admission: Line) -> bool:
    """Whether two others, with different keys, rebuilt all tables and got the same rows of the agent."""
    keys: dict[str, set[str]] = defaultdict(set)
    for line in ledger.of("rebuild"):
        facts, row = line.facts, line.facts["rows"].get(admission.facts["agent"])
        other = facts["key"] != admission.facts["key"]
        if line.n > admission.n and facts["identical"] and other and row is not None:
            keys[row].add(facts["key"])
    return any(len(each) >= 2 for each in keys.values())


def of_row(ledger: Ledger, row: Mapping[str, Any], source: str | None) -> list[str]:
    """Return the rungs of a row of the leaderboard.

    Args:
        ledger: The ledger. If the leaderboard has none, this is a ledger without lines.
        row: The row.
        source: Where its episodes come from: `solver`, `recording`, or `None` if it has no episode that
            counts, or if a recording of it does not replay.
    """
    if row["kind"] == "quoted":
        return ["claimed"]
    if source is None:
        return []
    if source == "solver":
        return ["played"]
    for admission in ledger.admitted:
        if admission.facts["agent"] == row["agent"]:
            return of(ledger, admission, f"{row['suite']}/{row['task_set']}")
    return ["replayed"]
