"""Clients through which policies call the lab's methods by name.

The same policy can play in this process (`LabClient`) and through the harness (`solvers.HarnessClient`).
"""

from __future__ import annotations

from typing import Any

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface import methods, views
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab import events, funding
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab


class Client:
    """Base class of the clients of one lab; a subclass defines how a method is called."""

    @property
    def month(self) -> int:
        """The present month."""
        raise NotImplementedError

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        raise NotImplementedError

    def call(self, method: str, *arguments: Any) -> Any:
        """Return the result of a method with positional arguments.

        Raises:
            Refused: the lab does not carry out the call.
        """
        raise NotImplementedError

    def next_month(self) -> None:
        """End the month."""
        raise NotImplementedError

    def attempt(self, method: str, *arguments: Any) -> Any:
        """Return the result of a method, or `None` if the lab refuses the call."""
        try:
            return self.call(method, *arguments)
        except Refused:
            return None

    def runway(self) -> float | None:
        """Months until the money is used up at the present rate; `None` if no money is lost."""
        months: float | None = self.call("lab.dashboard")["runway_months"]
        return months

    def attention_left(self) -> float:
        """Hours of attention that are left this month, rounded to one decimal."""
        hours: float = self.call("lab.attention")["left"]
        return hours

    def members(self) -> list[str]:
        """Ids of the active members, staff included."""
        return [member["id"] for member in self.call("students.list") if member["status"] == "active"]

    def busy(self) -> set[str]:
        """Ids of the members of active projects."""
        running = [p for p in self.call("projects.list") if p["status"] == "active"]
        return {member for project in running for member in project["members"]}

    def recent_topics(self, n: int) -> list[str]:
        """Topics of the items of kind `field` among the last `n` items of news."""
        return [item["topic"] for item in self.call("field.news", n) if item["kind"] == "field"]

    def open_drafts(self) -> list[str]:
        """Ids of the drafts that can be submitted."""
        return [draft["id"] for draft in self.call("papers.drafts") if draft["status"] == "available"]

    def papers_out(self) -> list[tuple[str, str]]:
        """Id and topic of each publication."""
        return [(paper["id"], paper["topic"]) for paper in self.call("papers.publications")]

    def open_calls(self) -> list[tuple[str, str]]:
        """Id and agency of each open call for proposals."""
        return [(call["id"], call["agency"]) for call in self.call("grants.calls")]

    def open_events(self) -> list[tuple[str, str]]:
        """Id and kind of each event that waits for an answer."""
        return [(event["id"], event["kind"]) for event in self.call("events.pending")]


class LabClient(Client):
    """A client of a lab in this process.

    Values that policies need often are read from the lab directly, because making a whole view takes longer.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    @property
    def month(self) -> int:
        return self.lab.month

    @property
    def over(self) -> bool:
        return self.lab.over

    def call(self, method: str, *arguments: Any) -> Any:
        return METHODS[method].call(self.lab, *arguments)

    def next_month(self) -> None:
        methods.next_month(self.lab)

    def runway(self) -> float | None:
        return views.runway_months(self.lab)

    def attention_left(self) -> float:
        return round(self.lab.attention_left(), 1)

    def members(self) -> list[str]:
        return [member.id for member in self.lab.active()]

    def busy(self) -> set[str]:
        return {member for project in self.lab.active_projects() for member in project.members}

    def recent_topics(self, n: int) -> list[str]:
        return [topic for _, kind, topic, _ in self.lab.news[-n:] if kind == "field" and topic]

    def open_drafts(self) -> list[str]:
        return [draft.id for draft in self.lab.drafts.values() if draft.status == "available"]

    def papers_out(self) -> list[tuple[str, str]]:
        return [(paper.id, TOPICS[paper.topic]) for paper in self.lab.published()]

    def open_calls(self) -> list[tuple[str, str]]:
        return [(call.id, call.agency) for call in funding.open_calls(self.lab)]

    def open_events(self) -> list[tuple[str, str]]:
        return [(event.id, event.kind) for event in events.pending(self.lab)]


class LoggedClient(LabClient):
    """A client that logs every call of a method that changes the lab, including refused calls."""

    def __init__(self, lab: Lab) -> None:
        super().__init__(lab)
        self.log: list[list[Any]] = []

    def call(self, method: str, *arguments: Any) -> Any:
        if METHODS[method].log is None:
            return super().call(method, *arguments)
        entry = [self.lab.month, method, list(arguments), 0]
        self.log.append(entry)
        result = super().call(method, *arguments)
        entry[3] = 1
        return result

    def next_month(self) -> None:
        self.log.append([None, methods.NEXT_MONTH, [], 1])
        super().next_month()
