"""Registry of the suite's checks, by the functions that make their comparisons; `validation` runs them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "draws": CheckSpec(
        "tests.protocol.madeup.validation:draws",
        "the first half of a shuffled urn holds half of its red balls",
    ),
    "scale": CheckSpec("tests.protocol.madeup.validation:scale", "a heavier urn never has fewer red balls"),
}
