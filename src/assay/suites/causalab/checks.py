"""Registry of the suite's checks. Each entry names the function that makes the comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "table-1": CheckSpec(
        "assay.suites.causalab.validation:table_1", "edges, forks and colliders are those of Table 1"
    ),
    "access": CheckSpec(
        "assay.suites.causalab.validation:access", "what is shown and what can be set is as in Table 2"
    ),
    "generator": CheckSpec(
        "assay.suites.causalab.validation:generator",
        "coefficients and bases are drawn uniformly, and the target is caused and no cause",
    ),
    "observation-only": CheckSpec(
        "assay.suites.causalab.validation:observation_only",
        "stating the target's equation alone scores what the paper prints for it",
    ),
    "structures": CheckSpec(
        "assay.suites.causalab.validation:structures",
        "complete evidence leaves the graphs that contain the true one",
    ),
    "ceilings": CheckSpec(
        "assay.suites.causalab.validation:ceilings",
        "the reactor's range bounds accuracy as it does on the released graphs",
    ),
}
