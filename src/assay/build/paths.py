"""The files that a build promises in its manifest: their paths, and the rule that makes each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.build import links
from assay.build.store import FROZEN_VIEW
from assay.tables.registry import BY_AGENT, BY_SUITE, COMMON

BUILT = "results/built.json"
"""The path of the built manifest, which lists the files of this build."""

AGGREGATES = frozenset(
    {
        "merge_summary",
        "opinions",
        "own_table",
        "figures",
        "downloads",
        "comparisons",
        "validity",
        "leaderboard",
        "profile",
        "site",
    }
)
"""The rules whose files show several agents at once."""

LEADERBOARD = "results/leaderboard.parquet"
PROFILE = "results/profile.parquet"


class File(NamedTuple):
    """A promised file.

    Attributes:
        path: The path relative to the checkout.
        kind: Tables are compared column by column, all other files byte by byte. A `page` is HTML or one of
            the files that it needs, such as style sheets; `data` is for other programs.
        rule: The Snakemake rule that makes it.
        agents: The agents whose results it shows.
    """

    path: str
    kind: Literal["table", "figure", "page", "data"]
    rule: str
    agents: tuple[str, ...]


def files(suite: str, contents: Mapping[str, Any]) -> list[File]:
    """Return the files that a build promises for one suite.

    Args:
        suite: The name of the suite.
        contents: Lists of names: `agents`, `with_events` (the agents whose events are kept), `probes`,
            `judges`, `tables` and `figures`. `conducts` says whether the audit is tried with conducts.
            `episodes` maps each agent to the number of its episodes.
            `pictures` lists paths within the site, and `sets` has the number of tasks of each set.
    """
    agents = tuple(contents["agents"])
    probes = tuple(contents["probes"])
    promised = [
        File(COMMON[t].path(suite), "table", f"merge_{t}", agents if t == "summary" else ())
        for t in BY_SUITE
        if t not in ("validity", "conducts")
    ]
    if contents["conducts"]:
        promised += [
            File(COMMON["conducts"].path(suite), "table", "conducts", ()),
            File(f"{links.SITE}/{links.labelled(suite)}", "data", "conducts", ()),
        ]
    everybody = tuple(sorted(agents + probes))
    figure, data = links.figure(suite, links.CARD), links.figure_data(suite, links.CARD)
    promised += [
        File(COMMON["validity"].path(suite), "table", "validity", everybody),
        File(f"{links.SITE}/{figure}", "figure", "validity", everybody),
        *(File(f"{links.SITE}/{path}", _kind(path), "validity", everybody) for path in data.values()),
    ]
    promised += [
        File(COMMON[t].path(suite, probe), "table", "probes", (probe,))
        for probe in probes
        for t in BY_AGENT
        if t != "events"
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
        File(f"{links.SITE}/{path}", _kind(path), "figures", agents)
        for f in contents["figures"]
        for path in links.figure_data(suite, f).values()
    ]
    promised += [
        File(f"{links.SITE}/{path}", _kind(path), "downloads", agents)
        for path in links.downloads(suite, contents["tables"])
    ]
    promised += [
        File(f"{links.SITE}/{path}", "page", "viewer", (agent,))
        for agent in agents
        for path in links.episode_pages(suite, agent, contents["episodes"][agent])
    ]
    promised += [File(f"{links.SITE}/{path}", "page", "viewer", agents) for path in contents["pictures"]]
    promised += [
        File(f"{links.SITE}/{path}", "page", "comparisons", agents)
        for path in links.comparisons(suite, contents["sets"])
    ]
    return promised


def common_files(suites: Mapping[str, Mapping[str, Any]]) -> list[File]:
    """Return the files that show all suites at once.

    Args:
        suites: The contents of each suite by its name, as for `files`.
    """
    agents = everyone(suites)
    return [
        File(LEADERBOARD, "table", "leaderboard", agents),
        File(PROFILE, "table", "profile", agents),
        *(
            File(f"{links.SITE}/{path}", _kind(path), "site", agents)
            for path in links.site_pages(sorted(suites), agents)
        ),
    ]


def _kind(path: str) -> Literal["table", "page", "data"]:
    """Return the kind of a file of the site, which follows from the ending of its path."""
    if path.endswith(".parquet"):
        return "table"
    return "page" if path.endswith((".html", ".css", ".js")) else "data"


def frozen_files(suite: str, contents: Mapping[str, Any]) -> list[File]:
    """Return the files of a suite that are made a second time, from the results of the frozen agents alone.

    This is done if agents were added to the frozen ones. `contents` covers the frozen agents alone.
    """
    return [_in_frozen_view(file) for file in files(suite, contents) if file.rule in AGGREGATES]


def frozen_common_files(suites: Mapping[str, Mapping[str, Any]]) -> list[File]:
    """Return the files that show all suites at once and are made a second time, as in `frozen_files`."""
    return [_in_frozen_view(file) for file in common_files(suites)]


def _in_frozen_view(file: File) -> File:
    return file._replace(path=f"{FROZEN_VIEW}{file.path}")


def everyone(suites: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[str, ...]:
    """Return the names of all agents of these suites, sorted."""
    return tuple(sorted({agent for contents in suites.values() for agent in contents["agents"]}))
