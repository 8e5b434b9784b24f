"""The ablations of the paper's Table 3: a policy in a world with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.suites.pilab.environment.parameters import PUBLISHED, Parameters
from assay.suites.pilab.experiments.runs import POLICIES, Policy
from assay.suites.pilab.lab.state import Lab

SEEDS = tuple(range(101, 109))
"""The reference seeds."""

UNLIMITED = Parameters(attention_budget=1e6, service_tax_hours=0.0)


@dataclass(frozen=True)
class Ablation:
    """One row of the table."""

    policy: Callable[[Lab], Policy]
    parameters: Parameters


ABLATIONS: Mapping[str, Ablation] = {
    "default": Ablation(POLICIES["baseline"], PUBLISHED),
    "no non-stationarity": Ablation(
        POLICIES["baseline"], Parameters(hot_ou_sigma=0.0, p_boom=0.0, p_bust=0.0)
    ),
    "no scooping": Ablation(POLICIES["baseline"], Parameters(scoop_base=0.0)),
    "unlimited attention": Ablation(POLICIES["baseline"], UNLIMITED),
    "12 months": Ablation(POLICIES["baseline"], Parameters(months=12)),
    "30 months": Ablation(POLICIES["baseline"], Parameters(months=30)),
    "ambitious": Ablation(POLICIES["ambitious"], PUBLISHED),
    "ambitious, unlimited": Ablation(POLICIES["ambitious"], UNLIMITED),
}
