"""Where the files lie that the manifest promises, and which rule makes each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

BUILT = "results/built.json"
"""The manifest of what was built."""

FROZEN = "results/MANIFEST"
"""The frozen manifest, where a configuration names no other."""

BY_SUITE = ("tasks", "calibration", "validation", "summary")
"""Tables that hold a whole suite."""

BY_AGENT = ("episodes", "events", "scores", "audit")
"""Tables that hold one agent each; `events` only of agents whose log is kept in full."""


class File(NamedTuple):
    """One promised file; `agents` are those whose results show in it."""

    path: str
    kind: Literal["table", "figure"]
    rule: str
    agents: tuple[str, ...]


def files(suite: str, contents: Mapping[str, Sequence[str]]) -> list[File]:
    """The files of a suite with these `agents` (of them `with_events`), `judges`, `tables` and `figures`."""
    agents = tuple(contents["agents"])
    found = [
        File(f"results/{suite}/{t}.parquet", "table", f"merge_{t}", agents if t == "summary" else ())
        for t in BY_SUITE
    ]
    found += [
        File(f"results/{suite}/{t}/{agent}.parquet", "table", f"merge_{t}", (agent,))
        for agent in agents
        for t in BY_AGENT
        if t != "events" or agent in contents["with_events"]
    ]
    found += [
        File(f"results/{suite}/opinions/{judge}.parquet", "table", "opinions", agents)
        for judge in contents["judges"]
    ]
    found += [
        File(f"results/{suite}/tables/{t}.parquet", "table", "own_table", agents) for t in contents["tables"]
    ]
    found += [
        File(f"reports/figures/{suite}/{f}.svg", "figure", "figures", agents) for f in contents["figures"]
    ]
    return found
