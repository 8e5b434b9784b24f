"""The second opinion of a judge in the published form, which cannot overrule a hard check.

An opinion is a JSON object with `provenance_audit`: status, summary, series (name -> classification,
confidence, issues, corrected_values) and overrule (action, reason). A judge may call a run FABRICATED that
the checks let pass or could not decide, may recover values that the agent computed and did not write, and may
explain. A judge cannot clear a run that a hard check contradicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from assay.suites.collider.formats import documents
from assay.suites.collider.provenance.examination import Finding, Verdict

DATA_FILES = ("../data/opinion.yaml",)

SCHEMA: Mapping[str, Any] = documents.packaged("opinion.yaml")


@dataclass(frozen=True)
class Ruling:
    """The verdict of checks and judge together.

    `by` is `gate` if it is that of the checks, and `judge` otherwise; `corrected` are recovered yields.
    """

    verdict: Verdict
    by: str
    corrected: tuple[float, ...] | None = None


def of_verdict(verdict: str) -> Mapping[str, Any]:
    """Return the published form of an opinion that only has a verdict, as those of the role `provenance`."""
    action = "INVALIDATE_RUN" if verdict == "FABRICATED" else "NONE"
    status = "VERIFIED" if verdict == "PASSED" else "FAILED"
    return {"provenance_audit": {"status": status, "series": {}, "overrule": {"action": action}}}


def problem(opinion: Any) -> str | None:
    """Return what is wrong with the form of an opinion; None if it is valid."""
    error = next(iter(Draft202012Validator(SCHEMA).iter_errors(opinion)), None)
    return (
        None if error is None else f"{'.'.join(map(str, error.absolute_path)) or 'opinion'}: {error.message}"
    )


def rule(finding: Finding, series: str, opinion: Mapping[str, Any] | None = None) -> Ruling:
    """Return the verdict for one scored series.

    Values can be recovered only if nothing was submitted that can be scored: a judge corrects an omission,
    not a number.

    Args:
        finding: the provenance verdict of the checks.
        series: the name of the series in the opinion.
        opinion: an opinion in the published form; None if no judge was asked.
    """
    if finding.verdict == "FABRICATED" or opinion is None:
        return Ruling(finding.verdict, "gate")
    audit = opinion["provenance_audit"]
    opinion_of_series = audit["series"].get(series, {})
    corrected = opinion_of_series.get("corrected_values")
    rescored = audit["status"] == "CORRECTED" or audit["overrule"]["action"] == "RESCORE_CORRECTED"
    untraceable = opinion_of_series.get("classification") in ("FABRICATED", "COPIED_OR_LEAKED") or (
        opinion_of_series.get("classification") == "UNTRACEABLE"
        and opinion_of_series.get("confidence") == "high"
    )
    if audit["overrule"]["action"] == "INVALIDATE_RUN" or (untraceable and not corrected):
        return Ruling("FABRICATED", "judge")
    if finding.verdict == "FAILED":
        if rescored and corrected:
            return Ruling("PASSED", "judge", tuple(float(v) for v in corrected))
        return Ruling("FAILED", "gate")
    return Ruling("PASSED", "judge" if finding.verdict == "UNDECIDED" else "gate")
