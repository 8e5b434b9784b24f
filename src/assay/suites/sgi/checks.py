"""Registry of the suite's checks, by the functions that make their comparisons; `validation` runs them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "released-order": CheckSpec(
        "assay.suites.sgi.validation:released_order",
        "the order similarity of the public code is not the printed one",
    ),
}
