"""Clients of the lab: its interface as a policy calls it, by the names of its methods.

The same policy plays in this process (`LabClient`) and through the harness (`solvers`).
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
    """What a policy may ask of one lab and do in it; a subclass says how a method is called."""

    @property
    def month(self) -> int:
        """The present month."""
        raise NotImplementedError

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        raise NotImplementedError

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method with positional arguments.

        Raises:
            Refused: the lab does not carry it out.
        """
        raise NotImplementedError

    def next_month(self) -> None:
        """End the month."""
        raise NotImplementedError

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The result of a method, None where the lab refuses it."""
        try:
            return self.call(method, *arguments)
        except Refused:
            return None

    def runway(self) -> float | None:
        """Months until the money is gone, None where none is lost."""
        months: float | None = self.call("lab.dashboard")["runway_months"]
        return months

    def attention_left(self) -> float:
        """Hours that are left this month, to one decimal."""
        hours: float = self.call("lab.attention")["left"]
        return hours

    def members(self) -> list[str]:
        """Ids of the active members, staff included."""
        return [member["id"] for member in self.call("students.list") if member["status"] == "active"]

    def busy(self) -> set[str]:
        """Ids of those who are in an active project."""
        running = [p for p in self.call("projects.list") if p["status"] == "active"]
        return {member for project in running for member in project["members"]}

    def recent_topics(self, n: int) -> list[str]:
        """Topics of those of the last n items of news that are of the kind `field`."""
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
    """A client of a lab in this process; what policies ask often is read without making whole views."""

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
    """A client that notes every call that would change the lab, refused ones included."""

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
