"""Search for recordings that a build would leave out, because no entry for an agent covers them.

Only `assay record` requires such an entry to record a session; other interfaces record without one. So every
command that makes or reads recordings names those that a build would leave out, and prints the entry to add.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from assay.config.agents import ModelEntry
from assay.config.models import Config
from assay.sessions.recording import Identity, find


def notes(config: Config, agent: str = "*", root: Path = Path()) -> list[str]:
    """Return one message for each agent with recordings that are not covered.

    Recordings of suites and sets that are not in this configuration are ignored.

    Args:
        config: The configuration.
        agent: Only this agent; `*` for all.
        root: The folder of the project.
    """
    uncovered: dict[str, list[Identity]] = {}
    for identity, _ in find(root / config.project.recordings, agent):
        suite = config.suites.get(identity.suite)
        if suite is not None and identity.task_set in suite.file.sets and not _covered(config, identity):
            uncovered.setdefault(identity.agent, []).append(identity)
    return ["\n".join(_note(config, name, sessions)) for name, sessions in uncovered.items()]


def _covered(config: Config, identity: Identity) -> bool:
    entry = config.agents.get(identity.agent)
    if not isinstance(entry, ModelEntry):
        return False
    sets = entry.suites.get(identity.suite, ())
    return (sets == "all" or identity.task_set in sets) and identity.attempt < entry.attempts


def _note(config: Config, name: str, sessions: list[Identity]) -> Iterator[str]:
    """Yield the lines of a message: which recordings are left out and why, and the entry to add."""
    count = "1 recording" if len(sessions) == 1 else f"{len(sessions)} recordings"
    left_out = f"{count} in {config.project.recordings / name} will not be built"
    file, entry = config.project.agents, config.agents.get(name)
    if name in config.judges or (entry is not None and not isinstance(entry, ModelEntry)):
        kind = "judge" if name in config.judges else "solver"
        yield f"{left_out}: {name} is a {kind} in {file}; record under a name that no other agent has"
        return
    suites: dict[str, Any] = dict(entry.suites) if entry is not None else {}
    for identity in sessions:
        sets = suites.get(identity.suite, [])
        if sets != "all" and identity.task_set not in sets:
            suites[identity.suite] = sorted([*sets, identity.task_set])
    attempts = max(entry.attempts if entry is not None else 1, *(each.attempt + 1 for each in sessions), 1)
    wanted: dict[str, Any] = {"suites": suites, "attempts": attempts}
    if entry is None:
        yield f"{left_out}: {file} has no entry {name}; add it below `agents`:"
        wanted = {"kind": "model", **wanted, "transport": {"kind": "recorded"}}
    else:
        yield f"{left_out}: the entry {name} in {file} does not cover them; change in it:"
    text = yaml.safe_dump({name: wanted}, default_flow_style=None, sort_keys=False, width=1000)
    yield textwrap.indent(text.rstrip(), "  ")
