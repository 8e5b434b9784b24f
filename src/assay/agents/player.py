"""A language model as its entry in the configuration describes it.

What is here stands in the header of every recording and decides what a session is: how the model is reached
(`transport`: what it is, never where), how it decodes, how it calls tools, what an episode may use up and
what a token costs. Keys, addresses and how many requests go out at once are no part of it
(`assay.agents.ratelimit`), so that a session can be taken up on another machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

ToolProtocol = Literal["json", "native"]
"""How a model calls tools: one JSON object a reply, or its provider's native tool calls."""


@dataclass(frozen=True)
class Limits:
    """What an episode may use up: replies, tokens read and written in all of them, time waited for, money.

    `seconds` count from a request to its reply, over all requests; `money` is in the unit of the price.
    """

    turns: int = 100
    tokens: int = 1_000_000
    seconds: float | None = None
    money: float | None = None


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, read (`tokens_in`) and written (`tokens_out`), in any one unit of money."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of so many tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


@dataclass(frozen=True)
class Player:
    """A model: how it is reached, how it decodes and calls tools, its limits and its price."""

    transport: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)
    decoding: Mapping[str, Any] = field(default_factory=dict)
    protocol: ToolProtocol = "json"
    price: Price = field(default_factory=Price)

    def facts(self) -> dict[str, Any]:
        """What a recording's header says about the model: a JSON value."""
        return asdict(self)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Player:
        """The player of such facts; `TypeError` or `KeyError` where they are none."""
        limits, price = Limits(**facts["limits"]), Price(**facts["price"])
        return cls(facts["transport"], limits, facts["decoding"], facts["protocol"], price)
