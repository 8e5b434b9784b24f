"""Sessions that are equal where honest ones would differ, and counters that cannot be right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay import canonical
from assay.sessions.recording import Identity, Recording

FEWEST_CALLS = 5
"""Sessions with fewer calls may well be equal by chance."""

FEWEST_CHARACTERS = 100
"""Sessions whose replies have fewer characters in all may well be equal by chance."""

CHARACTERS_A_TOKEN = 8
"""No tokenizer writes so many characters with one token on average."""


@dataclass(frozen=True)
class Traits:
    """Digests by which a session is compared with other sessions.

    Attributes:
        calls: The hash of the agent's calls with their arguments.
        replies: The hash of the model's replies; `None` for a program, or for replies that are very short.
        n_calls: The number of the agent's calls.
    """

    calls: str
    replies: str | None
    n_calls: int

    @classmethod
    def of(cls, recording: Recording) -> Traits:
        """Return the traits of a recording."""
        events = [line["event"] for line in recording.lines if line["kind"] == "event"]
        calls = [[e["tool"], e["arguments"]] for e in events if e["kind"] == "call"]
        replies = [turn["reply"] for turn in recording.turns]
        long_enough = sum(characters(reply) for reply in replies) >= FEWEST_CHARACTERS
        return cls(canonical.digest(calls), canonical.digest(replies) if long_enough else None, len(calls))


def characters(value: Any) -> int:
    """Return the number of characters in all texts of a JSON value, without the keys of objects."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(characters(inner) for inner in value.values())
    return sum(characters(inner) for inner in value) if isinstance(value, list) else 0


def copied(
    ours: Mapping[Identity, Traits], others: Mapping[Identity, Traits]
) -> Iterator[tuple[Identity, str]]:
    """Yield our sessions whose replies equal those of another agent at the same task, with its name."""
    known = {(i.suite, i.task_set, i.task_id, t.replies): i.agent for i, t in others.items() if t.replies}
    for identity, traits in ours.items():
        key = (identity.suite, identity.task_set, identity.task_id, traits.replies)
        if traits.replies and key in known:
            yield identity, known[key]


def alike(ours: Mapping[Identity, Traits], others: Mapping[Identity, Traits]) -> dict[str, int]:
    """Return how many of our sessions of several calls make the calls of another agent, by that agent."""
    known: dict[Any, set[str]] = defaultdict(set)
    for identity, traits in others.items():
        known[identity.suite, identity.task_set, identity.task_id, traits.calls].add(identity.agent)
    counts: dict[str, int] = defaultdict(int)
    for identity, traits in ours.items():
        if traits.n_calls >= FEWEST_CALLS:
            for agent in known.get((identity.suite, identity.task_set, identity.task_id, traits.calls), ()):
                counts[agent] += 1
    return dict(sorted(counts.items()))


def repeated(ours: Mapping[Identity, Traits]) -> tuple[int, int]:
    """Return the tasks with equal attempts of several calls, and the tasks with more than one attempt."""
    attempts: dict[Any, list[Traits]] = defaultdict(list)
    for identity, traits in ours.items():
        attempts[identity.suite, identity.task_set, identity.task_id].append(traits)
    several = [group for group in attempts.values() if len(group) > 1]
    equal = 0
    for group in several:
        long_ones = [traits.replies or traits.calls for traits in group if traits.n_calls >= FEWEST_CALLS]
        equal += len(long_ones) > len(set(long_ones))
    return equal, len(several)


def implausible(recording: Recording, most_tokens: int | None) -> str | None:
    """Return why the counts of tokens of a session cannot be right, or `None`.

    Args:
        recording: The recording.
        most_tokens: The limit of tokens of an episode; `None` for no limit.
    """
    spent = 0
    for turn in recording.turns:
        usage, written = turn["usage"], characters(turn["reply"])
        if usage["tokens_out"] * CHARACTERS_A_TOKEN < written:
            return f"turn {turn['n']} has {written} characters in {usage['tokens_out']} tokens"
        # The limit is looked at before each request, so that the last reply may go beyond it.
        if most_tokens is not None and spent > most_tokens:
            return f"turn {turn['n']} was asked for after {spent} tokens, with a limit of {most_tokens}"
        spent += usage["tokens_in"] + usage["tokens_out"]
    return None
