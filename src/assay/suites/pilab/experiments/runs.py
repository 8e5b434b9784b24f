"""Whole runs of a policy in this process, in the published world and in those of the paper's ablations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.suites.pilab.environment.parameters import PUBLISHED, Parameters
from assay.suites.pilab.interface.client import Client, LabClient
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies.baseline import Baseline, ambitious, do_nothing, hire_max
from assay.suites.pilab.policies.learner import Learner
from assay.suites.pilab.policies.oracle import Oracle
from assay.suites.pilab.policies.steward import Steward

Policy = Callable[[Client], None]

POLICIES: Mapping[str, Callable[[Lab], Policy]] = {
    "baseline": lambda lab: Baseline(),
    "oracle": Oracle,
    "ambitious": lambda lab: ambitious,
    "hire-max": lambda lab: hire_max,
    "steward": lambda lab: Steward(),
    "learner": lambda lab: Learner(),
    "do-nothing": lambda lab: do_nothing,
}
"""Policies by name, each as a function that makes the policy for a lab."""

PRIVILEGED = frozenset({"oracle"})


def play(
    policy: Callable[[Lab], Policy],
    seed: int,
    parameters: Parameters = PUBLISHED,
    mode: str = "as-published",
    by_role: bool = False,
) -> Lab:
    """Run one lab with a policy.

    Args:
        policy: makes the policy for the lab.
        seed: seed of the world.
        parameters: parameters of the world.
        mode: the rules of the game (`parameters.RULES`), or an alias.
        by_role: whether random numbers are keyed by roles (`Lab.next_id`).

    Returns:
        The lab at the end of the run.

    >>> from assay.suites.pilab.lab.papers import impact
    >>> impact(play(POLICIES["baseline"], 103))
    51.0
    """
    lab = Lab(seed, parameters, mode, by_role)
    client, act = LabClient(lab), policy(lab)
    while not lab.over:
        act(client)
        client.next_month()
    return lab


SEEDS = tuple(range(101, 109))
"""The reference seeds."""

UNLIMITED = Parameters(attention_budget=1e6, service_tax_hours=0.0)


@dataclass(frozen=True)
class Ablation:
    """An ablation of the paper: a policy, and the parameters of the world that it plays in."""

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
