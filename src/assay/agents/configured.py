"""Functions that make the player, endpoint and rate limit of a language model from its configuration."""

from __future__ import annotations

import os

from assay.agents.player import Limits, Player, Price
from assay.agents.ratelimit import Access, Budget, RateLimit
from assay.agents.transport import Endpoint
from assay.config.agents import JudgeEntry, LanguageModel, ModelEntry
from assay.console import report
from assay.errors import ConfigError
from assay.protocol import TaskSet


def player(entry: ModelEntry, task_set: TaskSet) -> Player:
    """Return the model as recordings describe it. Limits that its entry omits are those of the task set."""
    limits = entry.limits
    return Player(
        entry.transport.model_dump(mode="json"),
        Limits(
            limits.turns or task_set.replies, limits.tokens or task_set.tokens, limits.seconds, limits.money
        ),
        entry.decoding.model_dump(exclude_none=True),
        entry.protocol,
        price(entry),
    )


def judge(entry: JudgeEntry) -> Player:
    """Return the model of a judge without limits: the length of a question is checked before it is asked."""
    return Player(**entry.model_facts(), price=price(entry))


def price(entry: LanguageModel) -> Price:
    """Return the price of a model's tokens."""
    return Price(**entry.price.model_dump())


def endpoint(entry: LanguageModel) -> Endpoint:
    """Return the variables, files and time limit with which this machine reaches the model."""
    access = entry.access
    return Endpoint(access.key, access.address, access.file, tuple(access.pass_on), access.timeout)


def limit(entry: LanguageModel, tokens_in: int, tokens_out: int) -> RateLimit:
    """Return the rate limit and budget of the model's requests.

    Args:
        entry: The model's entry in the configuration.
        tokens_in: The tokens that the model has read in earlier sessions, which count against its budget.
        tokens_out: The tokens that the model has written in earlier sessions.
    """
    access, cost = entry.access, price(entry)
    return RateLimit(
        Access(access.requests, access.per_minute, access.retries),
        Budget(**entry.budget.model_dump()),
        cost,
        tokens_in + tokens_out,
        cost.of(tokens_in, tokens_out),
        tell=report,
    )


def missing_key(name: str, entry: LanguageModel) -> ConfigError | None:
    """Return an error if the environment variable for the model's key is empty, otherwise `None`."""
    key = entry.access.key
    if key is None or os.environ.get(key):
        return None
    return ConfigError(f"{name}: the variable {key} holds no key", f"set it: export {key}=...")
