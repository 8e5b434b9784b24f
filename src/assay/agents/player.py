"""A language model as recordings describe it.

The header of a recording holds the model's transport, its settings for decoding, its way of calling tools,
the limits of an episode and the price of a token. A session can only be continued if they are the same. Keys
and addresses (`assay.agents.transport.Endpoint`) and rates of requests (`assay.agents.ratelimit`) are not
part of it, so that a session can be continued on another machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

ToolProtocol = Literal["json", "native"]
"""The way in which a model calls tools: one JSON object per reply, or its provider's native tool calls."""


@dataclass(frozen=True)
class Limits:
    """The limits of an episode.

    Attributes:
        turns: The largest number of replies.
        tokens: The largest number of tokens, read and written in all replies together.
        seconds: The largest sum of the times from a request to its reply; `None` for no limit.
        money: The largest cost, in the unit of the price; `None` for no limit.
    """

    turns: int = 100
    tokens: int = 1_000_000
    seconds: float | None = None
    money: float | None = None


@dataclass(frozen=True)
class Price:
    """The price of a million tokens, in any unit of money that is the same for both.

    Attributes:
        tokens_in: The price of a million tokens that the model reads.
        tokens_out: The price of a million tokens that the model writes.
    """

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return the cost of these numbers of tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


@dataclass(frozen=True)
class Player:
    """A model as its entry in the configuration describes it.

    Attributes:
        transport: The section `transport` of the entry.
        limits: The limits of an episode.
        decoding: The settings for decoding, such as `temperature`.
        protocol: The way in which the model calls tools.
        price: The price of its tokens.
    """

    transport: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)
    decoding: Mapping[str, Any] = field(default_factory=dict)
    protocol: ToolProtocol = "json"
    price: Price = field(default_factory=Price)

    def facts(self) -> dict[str, Any]:
        """Return the field `model` of a recording's header, a JSON value."""
        return asdict(self)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Player:
        """Return the player that the field `model` of a recording's header describes.

        Raises:
            KeyError, TypeError: If it does not describe a player.
        """
        limits, price = Limits(**facts["limits"]), Price(**facts["price"])
        return cls(facts["transport"], limits, facts["decoding"], facts["protocol"], price)
