"""Registry of the suite's checks, with the functions in `validation` that make their comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "baseline": CheckSpec(
        "assay.suites.pilab.validation:baseline",
        "the rule-based baseline on the eight reference seeds comes out as published",
    ),
    "oracle": CheckSpec(
        "assay.suites.pilab.validation:oracle",
        "the oracle on the eight reference seeds comes out as published",
    ),
    "ablations": CheckSpec(
        "assay.suites.pilab.validation:ablations",
        "each ablation on each reference seed comes out as published",
    ),
    "grid": CheckSpec(
        "assay.suites.pilab.validation:grid", "the grid that the baseline was tuned on comes out as published"
    ),
    "no-grants": CheckSpec(
        "assay.suites.pilab.validation:no_grants",
        "a lab that hires all it can and asks for no money ends as published",
    ),
    "field": CheckSpec(
        "assay.suites.pilab.validation:field", "the hidden field of the reference seeds is the published one"
    ),
    "idle": CheckSpec(
        "assay.suites.pilab.validation:idle",
        "what a lab that does nothing sees in 60 months is the published",
    ),
    "ties": CheckSpec("assay.suites.pilab.validation:ties", "ties and rounding are resolved as published"),
    "quoted-statistics": CheckSpec(
        "assay.suites.pilab.validation:quoted_statistics",
        "what the paper says of its 36 runs follows from their figures",
    ),
}
