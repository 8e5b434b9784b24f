"""Planted abilities: a policy of whose inferences a known share is right."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.policies.learner import Learner
from assay.suites.pilab.policies.steward import Steward
from assay.suites.pilab.solvers import HarnessClient, Mirror, lab_like, mode_like
from assay.validity.planted import Luck, abilities

WORKSHOP = "W-SHOP"


class Fallible(Learner):
    """The learner, whose inferences of each month are right or wrong, one by one.

    Where it is wrong about people, nobody is hired; about the field, the coldest topics seem the hottest;
    about money, no proposal is written; about a draft, it goes to the workshop.
    """

    def __init__(self, luck: Luck) -> None:
        super().__init__()
        self.luck = luck
        self.month = 0

    def __call__(self, client: Client) -> None:
        self.month = client.month
        super().__call__(client)

    def _right(self, *inference: str) -> bool:
        return self.luck.right(self.month, *inference)

    def _hire(self, client: Client, board: dict[str, Any]) -> None:
        if self._right("people"):
            super()._hire(client, board)

    def _work(self, client: Client, members: list[dict[str, Any]]) -> None:
        seen = self.hot
        if not self._right("field"):
            self.hot = {topic: -hot for topic, hot in seen.items()}
        super()._work(client, members)
        self.hot = seen

    def _ask(self, client: Client) -> None:
        if self._right("money"):
            super()._ask(client)

    def _choose(
        self, draft: str, month: int, score: float, spread: float, quality: float, refused: list[str]
    ) -> str | None:
        if self._right("venue", draft):
            return super()._choose(draft, month, score, spread, quality, refused)
        return WORKSHOP


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Lead the lab. In sets named -v0 each month is one inference: where it is wrong, nothing is done.

    In the other sets the policy reads from a copy of the lab, and only its decisions go through the harness.
    What it reads is what any agent is shown, at a quarter of the processor time.
    """
    client = HarnessClient(brief, call)
    if mode_like(brief) != "mended":
        lab, policy = lab_like(brief, hidden["lab_seed"]), Fallible(luck)
        mirror = Mirror(lab, client)
        while not lab.over:
            policy(mirror)
            mirror.next_month()
        return
    steward = Steward()

    def month() -> None:
        if luck.right("month", client.month):
            steward(client)

    client.play(month)


ABILITIES = abilities(
    play, "Leads the lab as the policy learner does, or steward in sets named -v0.", privileged=True
)
