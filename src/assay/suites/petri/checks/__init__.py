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
    "swarm-6": CheckSpec(
        "assay.suites.petri.checks.swarm:errors",
        "agents err by independent, uniform angles",
    ),
    "swarm-7": CheckSpec(
        "assay.suites.petri.checks.swarm:walk",
        "an agent alone is a correlated random walk of constant speed",
    ),
    "swarm-8": CheckSpec(
        "assay.suites.petri.checks.swarm:zones",
        "repulsion spreads a swarm, attraction gathers it, inertia steadies headings",
    ),
    "swarm-9": CheckSpec(
        "assay.suites.petri.checks.swarm:leaders",
        "few leaders steer the swarm, and more of them better",
    ),
    "swarm-10": CheckSpec(
        "assay.suites.petri.checks.swarm:torus",
        "agents without order are spread at random over a torus without edges",
    ),
    "market-1": CheckSpec(
        "assay.suites.petri.checks.market:tails",
        "returns have heavy tails, and those of a market with equal noise of both sides do not",
    ),
    "market-2": CheckSpec(
        "assay.suites.petri.checks.market:clusters",
        "large returns cluster, and not in a market with equal noise of both sides",
    ),
    "market-3": CheckSpec("assay.suites.petri.checks.market:memory", "the sign of returns has no memory"),
    "market-4": CheckSpec(
        "assay.suites.petri.checks.market:reversion",
        "fundamentalists alone draw the price back to its value",
    ),
    "market-5": CheckSpec(
        "assay.suites.petri.checks.market:trend",
        "chartists alone extend the last return",
    ),
    "market-6": CheckSpec(
        "assay.suites.petri.checks.market:sides",
        "agents change sides by bias and herding as in mean-field theory",
    ),
    "market-7": CheckSpec(
        "assay.suites.petri.checks.market:anchor",
        "agents turn to fundamentals where the price is far from its value",
    ),
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
    "origin-6": CheckSpec(
        "assay.suites.petri.checks.origin:clock",
        "without selection genomes diverge like a molecular clock",
    ),
    "origin-7": CheckSpec(
        "assay.suites.petri.checks.origin:assortment",
        "recombination assorts sites independently, half of each parent",
    ),
    "origin-8": CheckSpec(
        "assay.suites.petri.checks.origin:pursuit",
        "a target moves at random, and its speed costs fitness",
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
    "morph-8": CheckSpec(
        "assay.suites.petri.checks.morph:steady",
        "the uniform state is the steady state of the reaction",
    ),
    "morph-9": CheckSpec(
        "assay.suites.petri.checks.morph:diffusion",
        "waves of one substance alone decay by diffusion",
    ),
    "morph-10": CheckSpec(
        "assay.suites.petri.checks.morph:replication",
        "spots replicate",
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
    "social-5": CheckSpec(
        "assay.suites.petri.checks.social:conservation",
        "encounters keep the mean opinion, and end where groups do not hear each other",
    ),
    "social-6": CheckSpec(
        "assay.suites.petri.checks.social:decay",
        "among agents within reach variance decays as theory says",
    ),
    "social-7": CheckSpec(
        "assay.suites.petri.checks.social:renewal",
        "noise gives agents new opinions at the stated rate",
    ),
    "social-8": CheckSpec(
        "assay.suites.petri.checks.social:message",
        "media draw those within reach, at the stated rate",
    ),
    "social-9": CheckSpec(
        "assay.suites.petri.checks.social:inflexible",
        "inflexible agents prevent consensus",
    ),
    "social-10": CheckSpec(
        "assay.suites.petri.checks.social:lattice",
        "agents on a ring agree late, and in more groups",
    ),
}
