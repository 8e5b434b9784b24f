"""Makes player, endpoint and rate limit of a language model from its entry in the configuration."""

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
    """The model as recordings name it; limits that its entry leaves out are those of the task set."""
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
    """The model of a judge. It calls no tools, and the limit of a question is checked before it is asked."""
    return Player(**entry.model_facts(), price=price(entry))


def price(entry: LanguageModel) -> Price:
    """What its tokens cost."""
    return Price(**entry.price.model_dump())


def endpoint(entry: LanguageModel) -> Endpoint:
    """How this machine reaches the model."""
    access = entry.access
    return Endpoint(access.key, access.address, access.file, tuple(access.pass_on), access.timeout)


def limit(entry: LanguageModel, tokens_in: int, tokens_out: int) -> RateLimit:
    """The rate limit of the model's requests; tokens of earlier sessions count against its budget."""
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
    """The error to report if the variable that should hold the model's key is empty, else None."""
    key = entry.access.key
    if key is None or os.environ.get(key):
        return None
    return ConfigError(f"{name}: the variable {key} holds no key", f"set it: export {key}=...")
