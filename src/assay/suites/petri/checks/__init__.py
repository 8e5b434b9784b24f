"""The checks of the worlds, with one module per world, and their registry.

A check is a function of the check's name and the seeds of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHECKS: Mapping[str, CheckSpec] = {
    "swarm-1": CheckSpec(
        "assay.suites.petri.checks.swarm:little_noise", "with little noise the swarm is ordered"
    ),
    "swarm-2": CheckSpec(
        "assay.suites.petri.checks.swarm:full_noise",
        "with full noise no order is left but that of finite number",
    ),
    "swarm-3": CheckSpec("assay.suites.petri.checks.swarm:falling", "order falls strictly as noise grows"),
    "swarm-4": CheckSpec(
        "assay.suites.petri.checks.swarm:fluctuations",
        "fluctuations peak at a transition between order and disorder",
    ),
    "swarm-5": CheckSpec("assay.suites.petri.checks.swarm:density", "order grows with density"),
    "market-1": CheckSpec(
        "assay.suites.petri.checks.market:tails",
        "returns have heavy tails, and those of a market without trends do not",
    ),
    "market-2": CheckSpec(
        "assay.suites.petri.checks.market:clusters",
        "large returns cluster, and not in a market without trends",
    ),
    "market-3": CheckSpec("assay.suites.petri.checks.market:memory", "the sign of returns has no memory"),
    "origin-1": CheckSpec(
        "assay.suites.petri.checks.origin:malthus", "without limits the population grows by ln(1 + b - d)"
    ),
    "origin-2": CheckSpec(
        "assay.suites.petri.checks.origin:logistic", "with limits it settles at K (1 - d/b)"
    ),
    "origin-3": CheckSpec(
        "assay.suites.petri.checks.origin:load", "errors cost a fitness of e**-U, whatever one costs"
    ),
    "origin-4": CheckSpec(
        "assay.suites.petri.checks.origin:threshold", "beyond an error threshold the master is lost"
    ),
    "origin-5": CheckSpec(
        "assay.suites.petri.checks.origin:meltdown", "with more errors more populations melt down"
    ),
    "morph-1": CheckSpec("assay.suites.petri.checks.morph:washout", "with much kill the reaction dies out"),
    "morph-2": CheckSpec("assay.suites.petri.checks.morph:starved", "with little feed the reaction dies out"),
    "morph-3": CheckSpec("assay.suites.petri.checks.morph:uniform", "with little kill v covers all"),
    "morph-4": CheckSpec("assay.suites.petri.checks.morph:spots", "between lie spots"),
    "morph-5": CheckSpec(
        "assay.suites.petri.checks.morph:labyrinth", "with more feed the spots join to a labyrinth"
    ),
    "morph-6": CheckSpec("assay.suites.petri.checks.morph:falling", "v covers less as kill grows"),
    "morph-7": CheckSpec(
        "assay.suites.petri.checks.morph:breaking", "as kill grows the network breaks into spots"
    ),
    "social-1": CheckSpec(
        "assay.suites.petri.checks.social:scaling", "the number of clusters grows as 1 / (2 epsilon)"
    ),
    "social-2": CheckSpec(
        "assay.suites.petri.checks.social:deviation", "it stays within one of 1 / (2 epsilon)"
    ),
    "social-3": CheckSpec("assay.suites.petri.checks.social:falling", "it does not grow with confidence"),
    "social-4": CheckSpec(
        "assay.suites.petri.checks.social:consensus",
        "consensus comes with confidence, between epsilon 0.2 and 0.4",
    ),
}
