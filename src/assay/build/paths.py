"""Where the files lie that the manifest promises, and which rule makes each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.build import links
from assay.build.store import FROZEN_VIEW
from assay.tables.registry import BY_AGENT, BY_SUITE, COMMON

BUILT = "results/built.json"
"""The manifest of what was built."""

AGGREGATES = frozenset(
    {"merge_summary", "opinions", "own_table", "figures", "downloads", "leaderboard", "profile", "site"}
)
"""The rules whose files show several agents at once."""

LEADERBOARD = "results/leaderboard.parquet"
PROFILE = "results/profile.parquet"


class File(NamedTuple):
    """A promised file.

    Attributes:
        path: below the checkout.
        kind: tables are compared by their columns, all others by their bytes. A `page` is HTML or belongs to
            its looks; `data` is for other programs.
        rule: the rule of Snakemake that makes it.
        agents: those whose results it shows.
    """

    path: str
    kind: Literal["table", "figure", "page", "data"]
    rule: str
    agents: tuple[str, ...]


def files(suite: str, contents: Mapping[str, Any]) -> list[File]:
    """The files that a build promises for one suite.

    Args:
        suite: its name.
        contents: names of `agents`, of those `with_events`, of `judges`, `tables` and `figures`; `episodes`
            maps each agent to the number of its episodes, `pictures` are addresses within the site.
    """
    agents = tuple(contents["agents"])
    promised = [
        File(COMMON[t].path(suite), "table", f"merge_{t}", agents if t == "summary" else ()) for t in BY_SUITE
    ]
    promised += [
        File(COMMON[t].path(suite, agent), "table", f"merge_{t}", (agent,))
        for agent in agents
        for t in BY_AGENT
        if t != "events" or agent in contents["with_events"]
    ]
    promised += [
        File(COMMON["opinions"].path(suite, judge), "table", "opinions", agents)
        for judge in contents["judges"]
    ]
    promised += [
        File(f"results/{suite}/tables/{t}.parquet", "table", "own_table", agents) for t in contents["tables"]
    ]
    promised += [
        File(f"{links.SITE}/{links.figure(suite, f)}", "figure", "figures", agents)
        for f in contents["figures"]
    ]
    promised += [
        File(f"{links.SITE}/{path}", "table" if path.endswith(".parquet") else "data", "figures", agents)
        for f in contents["figures"]
        for path in links.figure_data(suite, f)
    ]
    promised += [
        File(f"{links.SITE}/{path}", "table" if path.endswith(".parquet") else "data", "downloads", agents)
        for path in links.downloads(suite, contents["tables"])
    ]
    promised += [
        File(f"{links.SITE}/{path}", "page", "viewer", (agent,))
        for agent in agents
        for path in links.episode_pages(suite, agent, contents["episodes"][agent])
    ]
    promised += [File(f"{links.SITE}/{path}", "page", "viewer", agents) for path in contents["pictures"]]
    return promised


def common_files(suites: Mapping[str, Mapping[str, Any]]) -> list[File]:
    """The files that show all suites at once.

    Args:
        suites: the contents of each suite by its name, as for `files`.
    """
    agents = everyone(suites)
    data = {links.CRATE, links.WORKFLOW, *map(links.croissant, suites)}
    return [
        File(LEADERBOARD, "table", "leaderboard", agents),
        File(PROFILE, "table", "profile", agents),
        *(
            File(f"{links.SITE}/{path}", "data" if path in data else "page", "site", agents)
            for path in links.site_pages(sorted(suites), agents)
        ),
    ]


def frozen_files(suite: str, contents: Mapping[str, Any]) -> list[File]:
    """The files of a suite that are also made over the frozen agents alone, where others were added.

    `contents` are those of the frozen agents.
    """
    return [_in_frozen_view(file) for file in files(suite, contents) if file.rule in AGGREGATES]


def frozen_common_files(suites: Mapping[str, Mapping[str, Any]]) -> list[File]:
    """The same for the files that show all suites at once."""
    return [_in_frozen_view(file) for file in common_files(suites)]


def _in_frozen_view(file: File) -> File:
    return file._replace(path=f"{FROZEN_VIEW}{file.path}")


def everyone(suites: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[str, ...]:
    """All agents of these suites, by name."""
    return tuple(sorted({agent for contents in suites.values() for agent in contents["agents"]}))
