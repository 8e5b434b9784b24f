"""Which pages the report has, where they lie below `reports/`, and the address of an episode.

The plan asks here for what there is to build, so nothing heavy is imported. An episode's address follows from
the rank of its row in `results/<suite>/episodes/<agent>.parquet`, whose number of rows is known beforehand.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from urllib.parse import quote

SITE = "reports"
"""The folder of the site."""

PER_PAGE = 50
"""Episodes on one page."""

SHOWN = 10_000
"""Episodes of an agent in a suite that have a page; `assay show` makes one of any other."""

PICTURES = ("image/png", "image/jpeg", "image/gif")
"""Media types of contents that a page shows as pictures. SVG is excluded, because it can hold scripts."""

INDEX = "index.html"
VERDICT = "verdict.html"
LEADERBOARD = "leaderboard.html"
CRATE = "ro-crate-metadata.json"
ASSETS = ("assets/style.css", "assets/episode.css", "assets/site.js", "assets/sortable.min.js")

WORKFLOW = "workflow/Snakefile"
"""A copy of the workflow's main file, so that the crate holds what made it."""

COMMON_TABLES = ("summary", "tasks", "validation")
"""The common tables that a suite's page offers beside the suite's own."""


def site_pages(suites: Sequence[str], agents: Iterable[str]) -> list[str]:
    """The files of the site that show all suites at once; the verdict is none of them: it is not promised."""
    return [
        INDEX,
        LEADERBOARD,
        *map(agent_page, agents),
        *map(suite_page, suites),
        *map(croissant, suites),
        CRATE,
        WORKFLOW,
        *ASSETS,
    ]


def agent_page(agent: str) -> str:
    """The page of an agent's method in all suites."""
    return f"agents/{agent}.html"


def suite_page(suite: str) -> str:
    return f"suites/{suite}.html"


def croissant(suite: str) -> str:
    """The description of a suite's tasks as a data set."""
    return f"data/{suite}/croissant.json"


def figure(suite: str, name: str) -> str:
    return f"figures/{suite}/{name}.svg"


def figure_data(suite: str, name: str) -> tuple[str, str]:
    """The data of a figure, as Parquet and as CSV."""
    return f"data/{suite}/figures/{name}.parquet", f"data/{suite}/figures/{name}.csv"


def table_data(suite: str, name: str) -> tuple[str, str]:
    """A table of a suite, as Parquet and as CSV."""
    return f"data/{suite}/{name}.parquet", f"data/{suite}/{name}.csv"


def downloads(suite: str, tables: Iterable[str]) -> list[str]:
    """All tables that a suite's page offers."""
    return [path for name in [*COMMON_TABLES, *tables] for path in table_data(suite, name)]


def episode_list(suite: str, agent: str) -> str:
    return f"episodes/{suite}/{agent}.html"


def episode_page(suite: str, agent: str, page: int) -> str:
    """One page of an agent's episodes.

    Each agent has a folder, because agents may be called `a` and `a-1`.
    """
    return f"episodes/{suite}/{agent}/{page}.html"


def episode_pages(suite: str, agent: str, episodes: int) -> list[str]:
    """The list of an agent's episodes, and the pages of that many, as far as they are shown."""
    pages = range(-(-min(episodes, SHOWN) // PER_PAGE))
    return [episode_list(suite, agent), *(episode_page(suite, agent, page) for page in pages)]


def picture(suite: str, sha256: str, media_type: str) -> str:
    """A picture that tasks of a suite show."""
    return f"pictures/{suite}/{sha256[:20]}.{media_type.removeprefix('image/')}"


def episode_id(task_set: str, task_id: str, attempt: int) -> str:
    """The name of an episode within the pages of its agent."""
    return f"{task_set}.{task_id}.{attempt}"


def episode(suite: str, agent: str, rank: int, name: str) -> str:
    """The address of an episode within the site.

    Args:
        suite: of the episode.
        agent: who played it.
        rank: of its row in the table of the agent's episodes, from 0.
        name: as `episode_id` gives it.

    Returns:
        Page and anchor; for an episode without a page the list of episodes, which says how to see it.

    >>> episode("petri", "ofat", 51, episode_id("petri-v0", "00012", 0))
    'episodes/petri/ofat/1.html#petri-v0.00012.0'
    """
    if rank >= SHOWN:
        return episode_list(suite, agent)
    return f"{episode_page(suite, agent, rank // PER_PAGE)}#{quote(name)}"


def relative(to: str, page: str) -> str:
    """The address of a file of the site relative to one of its pages.

    >>> relative("figures/petri/taxonomy.svg", "suites/petri.html")
    '../figures/petri/taxonomy.svg'
    """
    return posixpath.relpath(to, posixpath.dirname(page) or ".")
