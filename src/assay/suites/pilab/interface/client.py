"""Clients of the lab: its interface as a policy calls it, by the names of its methods.

The same policy plays in this process (`LabClient`) and through the harness (`solvers`).
"""

from __future__ import annotations

from typing import Any, Protocol

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface import methods, views
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab import events, funding
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab


class Client(Protocol):
    """What a policy may call of one lab."""

    @property
    def month(self) -> int:
        """The present month."""

    @property
    def over(self) -> bool:
        """Whether the run has ended."""

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; `Refused` where the lab says no."""

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The same, and null where the lab says no."""

    def runway(self) -> float | None:
        """The dashboard's `runway_months`."""

    def attention_left(self) -> float:
        """What `lab.attention` says is left, to one decimal."""

    def members(self) -> list[str]:
        """The ids of those whom `students.list` shows as active."""

    def busy(self) -> set[str]:
        """The ids of those who are in an active project by `projects.list`."""

    def recent_topics(self, n: int) -> list[str]:
        """The topics of those of the last n items of `field.news` that are of the kind `field`."""

    def open_drafts(self) -> list[str]:
        """The ids of those drafts that `papers.drafts` shows as available."""

    def papers_out(self) -> list[tuple[str, str]]:
        """Id and topic of each of `papers.publications`."""

    def open_calls(self) -> list[tuple[str, str]]:
        """Id and agency of each of `grants.calls`."""

    def open_events(self) -> list[tuple[str, str]]:
        """Id and kind of each of `events.pending`."""

    def next_month(self) -> None:
        """End the month."""


class LabClient:
    """The interface of a lab in this process; what policies read often is read without whole lists."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    @property
    def month(self) -> int:
        """The present month."""
        return self.lab.month

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.lab.over

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; `Refused` where the lab says no."""
        return METHODS[method].call(self.lab, *arguments)

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The same, and null where the lab says no."""
        try:
            return METHODS[method].call(self.lab, *arguments)
        except Refused:
            return None

    def runway(self) -> float | None:
        """The dashboard's `runway_months`."""
        return views.runway_months(self.lab)

    def attention_left(self) -> float:
        """What `lab.attention` says is left, to one decimal."""
        return round(self.lab.attention_left(), 1)

    def members(self) -> list[str]:
        """The ids of those whom `students.list` shows as active."""
        return [member.id for member in self.lab.active()]

    def busy(self) -> set[str]:
        """The ids of those who are in an active project by `projects.list`."""
        return {member for project in self.lab.active_projects() for member in project.members}

    def recent_topics(self, n: int) -> list[str]:
        """The topics of those of the last n items of `field.news` that are of the kind `field`."""
        return [topic for _, kind, topic, _ in self.lab.news[-n:] if kind == "field" and topic]

    def open_drafts(self) -> list[str]:
        """The ids of those drafts that `papers.drafts` shows as available."""
        return [draft.id for draft in self.lab.drafts.values() if draft.status == "available"]

    def papers_out(self) -> list[tuple[str, str]]:
        """Id and topic of each of `papers.publications`."""
        return [(paper.id, TOPICS[paper.topic]) for paper in self.lab.published()]

    def open_calls(self) -> list[tuple[str, str]]:
        """Id and agency of each of `grants.calls`."""
        return [(call.id, call.agency) for call in funding.open_calls(self.lab)]

    def open_events(self) -> list[tuple[str, str]]:
        """Id and kind of each of `events.pending`."""
        return [(event.id, event.kind) for event in events.pending(self.lab)]

    def next_month(self) -> None:
        """End the month."""
        methods.next_month(self.lab)


class LoggedClient(LabClient):
    """A client that notes every call that would change the lab, those that are refused, too."""

    def __init__(self, lab: Lab) -> None:
        super().__init__(lab)
        self.log: list[list[Any]] = []

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of a method; `Refused` where the lab says no."""
        if METHODS[method].log is None:
            return super().call(method, *arguments)
        entry = [self.lab.month, method, list(arguments), 0]
        self.log.append(entry)
        result = super().call(method, *arguments)
        entry[3] = 1
        return result

    def attempt(self, method: str, *arguments: Any) -> Any:
        """The same, and null where the lab says no."""
        try:
            return self.call(method, *arguments)
        except Refused:
            return None

    def next_month(self) -> None:
        """End the month."""
        self.log.append([None, methods.NEXT_MONTH, [], 1])
        super().next_month()
