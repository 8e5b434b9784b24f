"""The best policy with managers whom nobody pays."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.policies.steward import Steward
from assay.suites.pilab.solvers import HarnessClient

MANAGERS = 2
"""The most that a lab can have."""

MANAGER = "manager"


class _Unseen(HarnessClient):
    """The lab's interface without its managers: the policy plans as if nobody had to pay them.

    `planned` is the runway before they were hired.
    """

    planned: float | None = None

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; lists of people leave managers out."""
        found = super().call(method, *arguments)
        if method == "students.list":
            return [member for member in found if member["role"] != MANAGER]
        if method == "lab.dashboard":
            return {**found, "staff": [member for member in found["staff"] if member["role"] != MANAGER]}
        return found

    def runway(self) -> float | None:
        """For how many months the money lasts."""
        return self.planned


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Each month: hire managers, play the steward's month with the hours they free, dismiss them."""
    client, steward = _Unseen(brief, call), Steward()

    def month() -> None:
        client.planned = client.call("lab.dashboard")["runway_months"]
        hired = [client.attempt("recruit.hire_manager") for _ in range(MANAGERS)]
        steward(client)
        for manager in hired:
            if manager is not None:
                client.attempt("recruit.dismiss", manager["staff_id"])

    client.play(month)
