"""The assurance ladder: what a program has checked about the results of an admitted agent.

Rungs are evidence, not marks. Each is computed from lines of the ledger; none is ever typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.admission.ledger import Ledger, Line

MEANING = {
    "claimed": "quoted from a paper or a page; nothing was executed",
    "replayed": "every recording was executed again, with equal results",
    "announced": "sets, attempts and entry were fixed in the ledger before the first admission",
    "operator": "the host asked the model itself, and signed that",
    "fresh": "confirmed on tasks that were committed to before and revealed after",
    "rebuilt": "two others rebuilt tables and row, and signed that they are identical",
}
"""What each rung says, for pages."""

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


def of(ledger: Ledger, admission: Line) -> list[str]:
    """Return the rungs of an admission, with the evidence that was added to the ledger later."""
    rungs = at_admission(Ledger(ledger.folder, ledger.lines[: admission.n]), admission.facts)
    for line in ledger.of("confirm"):
        facts = line.facts
        enough = facts["tasks"] >= FRESH_TASKS and facts["high"] < facts["limit"]
        if line.subject == admission.subject and line.n > admission.n and enough and "fresh" not in rungs:
            rungs.append("fresh")
    rebuilders = {
        line.facts["key"]
        for line in ledger.of("rebuild")
        if line.n > admission.n and line.facts["identical"] and line.facts["key"] != admission.facts["key"]
    }
    if len(rebuilders) >= 2:
        rungs.append("rebuilt")
    return rungs
