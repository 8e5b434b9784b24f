"""Whole runs of a policy in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.suites.pilab.environment.parameters import PUBLISHED, Mode, Parameters
from assay.suites.pilab.interface.client import Client, LabClient
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies import others
from assay.suites.pilab.policies.baseline import Baseline
from assay.suites.pilab.policies.oracle import Oracle
from assay.suites.pilab.policies.steward import Steward

Policy = Callable[[Client], None]

POLICIES: Mapping[str, Callable[[Lab], Policy]] = {
    "baseline": lambda lab: Baseline(),
    "oracle": Oracle,
    "ambitious": lambda lab: others.ambitious,
    "hire-max": lambda lab: others.hire_max,
    "steward": lambda lab: Steward(),
    "do-nothing": lambda lab: others.do_nothing,
}
"""Policies by name; each is made for one lab."""

PRIVILEGED = frozenset({"oracle"})


def play(
    policy: Callable[[Lab], Policy], seed: int, parameters: Parameters = PUBLISHED, mode: Mode = "released"
) -> Lab:
    """The lab at the end of a run of that policy."""
    lab = Lab(seed, parameters, mode)
    client, act = LabClient(lab), policy(lab)
    while not lab.over:
        act(client)
        client.next_month()
    return lab
