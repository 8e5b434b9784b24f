"""From a language model's entry in the configuration to what asks it: the player, its endpoint, its limit."""

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
    """The model as recordings name it, with the limits of the task set where its entry has none."""
    own = entry.limits
    return Player(
        entry.transport.model_dump(mode="json"),
        Limits(own.turns or task_set.replies, own.tokens or task_set.tokens, own.seconds, own.money),
        entry.decoding.model_dump(exclude_none=True),
        entry.protocol,
        price(entry),
    )


def judge(entry: JudgeEntry) -> Player:
    """The model of a judge: it calls no tools, and its limits are kept before it is asked."""
    return Player(**entry.model_facts(), price=price(entry))


def price(entry: LanguageModel) -> Price:
    """What its tokens cost."""
    return Price(**entry.price.model_dump())


def endpoint(entry: LanguageModel) -> Endpoint:
    """Where the model is found on this machine."""
    access = entry.access
    return Endpoint(access.key, access.address, access.file, tuple(access.pass_on), access.timeout)


def limit(entry: LanguageModel, tokens_in: int, tokens_out: int) -> RateLimit:
    """The limit of its requests; the tokens that it has used up before count against its budget."""
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
    """What to tell where the variable that should hold the model's key is empty; null where nothing lacks."""
    key = entry.access.key
    if key is None or os.environ.get(key):
        return None
    return ConfigError(f"{name}: the variable {key} holds no key", f"set it: export {key}=...")
