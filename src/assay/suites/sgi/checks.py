"""Registry of the suite's checks, by the functions that make their comparisons; `validation` runs them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "literature": CheckSpec(
        "assay.suites.sgi.validation:literature",
        "every question has one answer in its literature, and every trap an answer of its own",
    ),
    "mutants": CheckSpec(
        "assay.suites.sgi.validation:mutants",
        "every test catches a mistake, every mistake is caught, recall passes nowhere",
    ),
    "options": CheckSpec(
        "assay.suites.sgi.validation:options", "neither its letter nor its size tells the right option"
    ),
    "orders": CheckSpec(
        "assay.suites.sgi.validation:orders", "every generated protocol has exactly one order"
    ),
    "released-order": CheckSpec(
        "assay.suites.sgi.validation:released_order",
        "the order similarity of the public code is not the printed one",
    ),
}
