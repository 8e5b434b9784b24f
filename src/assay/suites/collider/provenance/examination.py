"""The provenance verdict: do the submitted numbers follow from events that this run generated?

The verdict rests on arithmetic, hashes and exact tests, and is reached before any judge is asked. Agreement
with the reference is not required: a wrong rate that was honestly propagated passes. `checks` lists the
checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from assay.suites.collider.generators.registry import Card, Generator
from assay.suites.collider.measures.validity import check
from assay.suites.collider.provenance.case import (
    Case,
    Check,
    Contradicted,
    Execute,
    Question,
    Shard,
    Undecided,
)
from assay.suites.collider.provenance.checks import HARD, OPEN, RULES
from assay.suites.collider.provenance.runs import Run
from assay.suites.collider.tools import execution

Verdict = Literal["PASSED", "UNDECIDED", "FABRICATED", "FAILED"]
"""The verdicts.

PASSED: the numbers follow from the events, whether or not they are accurate. UNDECIDED: a judge must look
at the run; it counts as passed nowhere. FABRICATED: numbers were submitted, and a hard check contradicts
that they were computed. FAILED: nothing was submitted that could be scored.
"""


@dataclass(frozen=True)
class Finding:
    """The verdict on a run.

    Attributes:
        verdict: see `Verdict`.
        reason: why the verdict is not PASSED.
        checks: all checks with their results.
        monte_carlo: the standard deviation of each yield from the weights of its events; None if the check
            `histogram` did not pass.
        selected: the number of events in the histogram.
        generated: the number of generated events that the counters state.
    """

    verdict: Verdict
    reason: str
    checks: tuple[Check, ...]
    monte_carlo: tuple[float, ...] | None = None
    selected: int | None = None
    generated: int | None = None

    def check(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)

    @property
    def contradicted(self) -> list[str]:
        """The hard checks that were contradicted."""
        return [check.name for check in self.checks if check.passed is False and check.name in HARD]

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "needs_judge": self.verdict == "UNDECIDED",
            "contradicted": self.contradicted,
            "generated": self.generated,
            "selected": self.selected,
            "checks": [
                {
                    "name": c.name,
                    "hard": c.name in HARD,
                    "kind": RULES[c.name].kind,
                    "passed": c.passed,
                    "detail": c.detail,
                }
                for c in self.checks
            ],
        }


def generated_shard(generator: Generator, card: Card, seed: int, events: int, number: int) -> str:
    """Generate the lines of one shard of a sample of `events` events."""
    return generator.shard(card, seed, events, number)


def examine(
    run: Run,
    question: Question,
    *,
    regenerate: bool = True,
    execute: Execute = execution.in_sandbox,
    shard: Shard = generated_shard,
    salt: str = "",
) -> Finding:
    """Examine where the submitted numbers of a run come from.

    Args:
        run: the files of the run, its ledger and its identity.
        question: what the run was asked for.
        regenerate: whether shards of the sample are generated again and the analysis is run on other events;
            otherwise these checks stay undecided.
        execute: executes the scripts of the run.
        shard: makes shards of samples.
        salt: a text of the examiner. With the hash of the ledger it decides which shards are made again, and
            on which events the analysis is run. Whoever writes a ledger knows its hash, so an examiner of
            folders from others needs a salt that they do not know.

    Returns:
        The verdict with all checks, each with what was seen.
    """
    validity = check(run.files.get(question.file), question.binning)
    case = Case(run, question, validity, regenerate, execute, shard, salt)
    for name, rule in RULES.items():
        try:
            case.checks.append(Check(name, True, rule.examine(case) or ""))
        except Contradicted as problem:
            case.checks.append(Check(name, False, str(problem)))
        except Undecided as problem:
            case.checks.append(Check(name, None, str(problem)))
    wrong = [c for c in case.checks if c.passed is False and c.name in HARD]
    unclear = [c for c in case.checks if not c.passed and (c.name in HARD or c.name in OPEN)]
    empty = validity.yields is not None and not any(validity.yields)
    verdict: Verdict = "PASSED"
    reason = ""
    if validity.yields is None or (empty and wrong):
        verdict, reason = "FAILED", validity.reason or "all yields are zero"
    elif wrong:
        verdict, reason = "FABRICATED", f"{wrong[0].name}: {wrong[0].detail}"
    elif unclear:
        verdict, reason = "UNDECIDED", f"{unclear[0].name}: {unclear[0].detail}"
    return Finding(
        verdict,
        reason,
        checks=tuple(case.checks),
        monte_carlo=case.monte_carlo if case.outcome("histogram") else None,
        selected=case.selected_count,
        generated=None if case.counters is None else case.counters.n_generated,
    )
