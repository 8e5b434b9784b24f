"""The scripted policies at the harness, and agents of known conduct that the audit is tested with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result, Solver
from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.experiments.runs import POLICIES, PRIVILEGED, Policy
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.interface.facade import tool_name
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies.oracle import Oracle


class MonthOver(Exception):
    """The month ended by itself, after its last turn: what was asked for has no answer."""


class HarnessClient:
    """The lab's interface through the harness: each method is a call of `act`."""

    def __init__(self, brief: Brief, call: Call) -> None:
        self._call = call
        board: Any = brief.parts[1]
        self.month = int(board["month"])
        self.over = False

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; `Refused` where the lab says no, `MonthOver` where it says nothing more."""
        names = list(METHODS[method].arguments)
        before = self.month
        found = self._act(tool_name(method), dict(zip(names, arguments, strict=False)))
        if self.over or self.month != before:
            raise MonthOver(method)
        return found

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The same, and null where the lab says no."""
        try:
            return self.call(method, *arguments)
        except Refused:
            return None

    def runway(self) -> float | None:
        """The dashboard's `runway_months`."""
        shown: float | None = self.call("lab.dashboard")["runway_months"]
        return shown

    def attention_left(self) -> float:
        """What `lab.attention` says is left."""
        left: float = self.call("lab.attention")["left"]
        return left

    def members(self) -> list[str]:
        """The ids of those whom `students.list` shows as active."""
        return [member["id"] for member in self.call("students.list") if member["status"] == "active"]

    def busy(self) -> set[str]:
        """The ids of those who are in an active project by `projects.list`."""
        running = [p for p in self.call("projects.list") if p["status"] == "active"]
        return {member for project in running for member in project["members"]}

    def recent_topics(self, n: int) -> list[str]:
        """The topics of those of the last n items of `field.news` that are of the kind `field`."""
        return [item["topic"] for item in self.call("field.news", n) if item["kind"] == "field"]

    def open_drafts(self) -> list[str]:
        """The ids of those drafts that `papers.drafts` shows as available."""
        return [draft["id"] for draft in self.call("papers.drafts") if draft["status"] == "available"]

    def papers_out(self) -> list[tuple[str, str]]:
        """Id and topic of each of `papers.publications`."""
        return [(paper["id"], paper["topic"]) for paper in self.call("papers.publications")]

    def open_calls(self) -> list[tuple[str, str]]:
        """Id and agency of each of `grants.calls`."""
        return [(call["id"], call["agency"]) for call in self.call("grants.calls")]

    def open_events(self) -> list[tuple[str, str]]:
        """Id and kind of each of `events.pending`."""
        return [(event["id"], event["kind"]) for event in self.call("events.pending")]

    def next_month(self) -> None:
        """End the month."""
        self._act("next_month", {})

    def play(self, month: Callable[[], None]) -> None:
        """Months one after another, each as `month` does it, until the lab is closed."""
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
            board: Any = result.parts[1]
            self.month = int(board["month"])
            return None
        shown: Any = result.parts[0] if result.ok else {"ok": False, "error": result.error}
        if isinstance(shown, dict) and shown.get("ok") is False:
            raise Refused(shown["error"])
        return shown


class _Mirror(LabClient):
    """A lab of one's own, whose decisions are made at the harness, too: for who knows the seed."""

    def __init__(self, lab: Lab, client: HarnessClient) -> None:
        super().__init__(lab)
        self._client = client

    def call(self, method: str, *arguments: Any) -> Any:
        """The result in one's own lab; decisions go to the harness."""
        result = super().call(method, *arguments)
        if METHODS[method].log is not None:
            self._client.call(method, *arguments)
        return result

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The same, and null where the lab says no."""
        try:
            return self.call(method, *arguments)
        except Refused:
            return None

    def next_month(self) -> None:
        """End the month in both."""
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
