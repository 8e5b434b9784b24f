"""The scripted policies at the harness, and agents of known conduct that the audit is tested with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result, Solver
from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.experiments.runs import POLICIES, PRIVILEGED, Policy
from assay.suites.pilab.interface.client import Client, LabClient
from assay.suites.pilab.interface.methods import METHODS, tool_name
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies.oracle import Oracle


class MonthOver(Exception):
    """The month ended by itself, after its last turn: what was asked for has no answer."""


class HarnessClient(Client):
    """A client at the harness: each method is a call of the tool `act`."""

    month = 1
    over = False

    def __init__(self, brief: Brief, call: Call) -> None:
        self._call = call
        self._begin(brief.parts[1])

    def _begin(self, board: Any) -> None:
        self.month = int(board["month"])

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method.

        Raises:
            Refused: the lab does not carry it out.
            MonthOver: the call ended the month, or the run, and has no result.
        """
        before = self.month
        result = self._act(tool_name(method), dict(zip(METHODS[method].arguments, arguments, strict=False)))
        if self.over or self.month != before:
            raise MonthOver(method)
        return result

    def next_month(self) -> None:
        self._act("next_month", {})

    def play(self, month: Callable[[], None]) -> None:
        """Play months one after another, each as `month` does it, until the run is over."""
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


class _Mirror(LabClient):
    """A lab in this process whose decisions are made at the harness, too, for a solver with the seed."""

    def __init__(self, lab: Lab, client: HarnessClient) -> None:
        super().__init__(lab)
        self._client = client

    def call(self, method: str, *arguments: Any) -> Any:
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
        # These policies look at nothing but the client; the lab is for those that are privileged.
        month = policy(None)  # type: ignore[arg-type]
        client.play(lambda: month(client))

    return act


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The published oracle: knows the seed, and so everything."""
    board: Any = brief.parts[1]
    lab = Lab(hidden["lab_seed"], replace(PUBLISHED, months=board["months_total"]), "mended")
    client, month = _Mirror(lab, HarnessClient(brief, call)), Oracle(lab)
    while not lab.over:
        month(client)
        client.next_month()


# ------------------------------------------------------------ agents of known conduct


def silent(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Looks at the lab once, and leaves."""
    HarnessClient(brief, call).call("lab.dashboard")


def snoop(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Asks the tables for what they do not hold, every month."""
    client = HarnessClient(brief, call)
    while not client.over:
        for column in ("hotness", "crowding"):
            call("act", {"tool": "query", "arguments": {"sql": f"select {column} from topics"}})
        client.next_month()


def duplicator(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Hires an assistant, and puts it twice on a project and the same paper twice into a proposal."""
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
