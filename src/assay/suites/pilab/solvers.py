"""Solvers that play the scripted policies through the harness, and agents of known conduct.

The agents of known conduct are there to test the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result, Solver
from assay.suites.pilab.environment.parameters import PUBLISHED, Mode
from assay.suites.pilab.experiments.runs import POLICIES, PRIVILEGED, Policy
from assay.suites.pilab.interface import prompt
from assay.suites.pilab.interface.client import Client, LabClient
from assay.suites.pilab.interface.methods import METHODS, STAFF, tool_name
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies.oracle import Oracle


class MonthOver(Exception):
    """Raised for a call that ended the month or the run; such a call has no result."""


class HarnessClient(Client):
    """A client that plays through the harness: each method is a call of the tool `act`."""

    month = 1
    over = False

    def __init__(self, brief: Brief, call: Call) -> None:
        self._call = call
        self._begin(brief.parts[1])

    def _begin(self, board: Any) -> None:
        self.month = int(board["month"])

    def call(self, method: str, *arguments: Any) -> Any:
        """Return the result of a method.

        Raises:
            Refused: the lab does not carry out the call.
            MonthOver: the call ended the month or the run, and has no result.
        """
        before = self.month
        result = self._act(tool_name(method), dict(zip(METHODS[method].arguments, arguments, strict=False)))
        if self.over or self.month != before:
            raise MonthOver(method)
        return result

    def next_month(self) -> None:
        self._act("next_month", {})

    def play(self, month: Callable[[], None]) -> None:
        """Play until the run is over: call `month` in each month, then end the month."""
        while not self.over:
            try:
                month()
            except MonthOver:
                continue
            if not self.over:
                self.next_month()

    def _act(self, tool: str, arguments: dict[str, Any]) -> Any:
        result: Result = self._call("act", {"tool": tool, "arguments": arguments})
        if result.ended is not None:
            self.over = True
            return None
        if result.fresh:
            self._begin(result.parts[1])
            return None
        value: Any = result.parts[0] if result.ok else {"ok": False, "error": result.error}
        if isinstance(value, dict) and value.get("ok") is False:
            raise Refused(value["error"])
        return value


class Mirror(LabClient):
    """A client of a lab in this process that repeats each decision at the harness.

    The seed of the lab must be known.
    """

    def __init__(self, lab: Lab, client: HarnessClient) -> None:
        super().__init__(lab)
        self._client = client

    def call(self, method: str, *arguments: Any) -> Any:
        if method in STAFF and not self.lab.rules.staff_tools:
            raise Refused(f"{method} cannot be called in this mode")
        result = super().call(method, *arguments)
        if METHODS[method].log is not None:
            self._client.call(method, *arguments)
        return result

    def next_month(self) -> None:
        super().next_month()
        self._client.next_month()


def _plays(policy: Callable[[Lab], Policy]) -> Callable[[Brief, Call, Stream, Any], None]:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        client = HarnessClient(brief, call)
        # These policies use the client alone; only a privileged policy needs the lab.
        month = policy(None)  # type: ignore[arg-type]
        client.play(lambda: month(client))

    return act


def mode_like(brief: Brief) -> Mode:
    """Return the mode of a task as its brief shows it: by the tools and the rules of authorship."""
    names = {tool.name for tool in brief.tools}
    if not {tool_name(name) for name in STAFF} <= names:
        return "as-published"
    return "closed" if prompt.PARTS["closed"]["authors"] in brief.system else "mended"


def lab_like(brief: Brief, seed: int) -> Lab:
    """Return a lab in the world of a seed, by the rules and with the horizon that a brief shows."""
    board: Any = brief.parts[1]
    return Lab(seed, replace(PUBLISHED, months=board["months_total"]), mode_like(brief))


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play the published oracle, which knows the seed and so the whole world."""
    lab = lab_like(brief, hidden["lab_seed"])
    client, month = Mirror(lab, HarnessClient(brief, call)), Oracle(lab)
    while not lab.over:
        month(client)
        client.next_month()


# ------------------------------------------------------------ agents of known conduct


def silent(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Read the dashboard once, then make no further call."""
    HarnessClient(brief, call).call("lab.dashboard")


def snoop(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Query the tables for hidden columns, which they do not have, every month."""
    client = HarnessClient(brief, call)
    while not client.over:
        for column in ("hotness", "crowding"):
            call("act", {"tool": "query", "arguments": {"sql": f"select {column} from topics"}})
        client.next_month()


def duplicator(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Hire an assistant, then name it twice for a project and attach the same draft twice to a proposal."""
    client = HarnessClient(brief, call)
    assistant = client.call("recruit.hire_ra")["staff_id"]
    client.call("projects.start", "theory", 1, [assistant], 500)

    def month() -> None:
        client.attempt("projects.start", "theory", 1, [assistant, assistant], 0)
        drafts = [draft["id"] for draft in client.call("papers.drafts")]
        for called in client.call("grants.calls")[:1] if drafts else []:
            client.attempt("grants.propose", called["id"], "theory", 10, [drafts[0], drafts[0]])

    client.play(month)


SOLVERS: Mapping[str, Solver] = {
    **{
        name: Solver(_plays(policy), f"the scripted policy {name}")
        for name, policy in POLICIES.items()
        if name not in PRIVILEGED
    },
    "oracle": Solver(oracle, "the published oracle", privileged=True),
    **{
        name: Solver(act, (act.__doc__ or "").strip())
        for name, act in {"silent": silent, "snoop": snoop, "duplicator": duplicator}.items()
    },
}
