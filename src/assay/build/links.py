"""The pages of the report, their paths within `reports/`, and the addresses of episodes.

The plan uses this module to list the files of a build, so it imports nothing heavy. The address of an episode
follows from the index of its row in `results/<suite>/episodes/<agent>.parquet`. The number of these rows is
known before the build, so the pages can be planned.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

SITE = "reports"
"""The folder of the site."""

PER_PAGE = 50
"""The number of episodes on one page."""

SHOWN = 10_000
"""Largest number of episodes shown of an agent in a suite; `assay show` makes a page of any other."""

PICTURES = ("image/png", "image/jpeg", "image/gif")
"""Media types of contents that a page shows as pictures. SVG is excluded, because it can hold scripts."""

INDEX = "index.html"
VERDICT = "verdict.html"
LEADERBOARD = "leaderboard.html"
VALIDITY = "validity.html"
HISTORY = "history.html"
DICTIONARY = "data.html"
CRATE = "ro-crate-metadata.json"
ASSETS = ("assets/style.css", "assets/episode.css", "assets/site.js", "assets/sortable.min.js")

WORKFLOW = "workflow/Snakefile"
"""A copy of the workflow's main file, which the RO-Crate lists as the program that made it."""

STANDINGS = "leaderboard"
"""The name of the table of every agent in every set."""

CARD = "validity"
"""The name of the figure of a suite's cards."""

_FORMATS = (("Parquet", "parquet"), ("CSV", "csv"), ("Markdown", "md"))
"""The formats of tables on the site, with the ends of their file names."""

COMMON_TABLES = ("summary", "tasks", "validation", "validity")
"""The common tables that a suite's page offers for download, in addition to the suite's own tables."""


def site_pages(suites: Sequence[str], agents: Iterable[str]) -> list[str]:
    """Return the files of the site that show all suites at once.

    The page of the verdict is left out, because the manifest does not promise it.
    """
    return [
        INDEX,
        LEADERBOARD,
        VALIDITY,
        HISTORY,
        DICTIONARY,
        *map(agent_page, agents),
        *map(suite_page, suites),
        *map(croissant, suites),
        CRATE,
        WORKFLOW,
        *table_data("", STANDINGS).values(),
        *ASSETS,
    ]


def agent_page(agent: str) -> str:
    """Return the path of the page about an agent's method in all suites."""
    return f"agents/{agent}.html"


def suite_page(suite: str) -> str:
    return f"suites/{suite}.html"


def croissant(suite: str) -> str:
    """Return the path of the description of a suite's tasks as a data set, in the format Croissant."""
    return f"data/{suite}/croissant.json"


def figure(suite: str, name: str) -> str:
    return f"figures/{suite}/{name}.svg"


def figure_data(suite: str, name: str) -> dict[str, str]:
    """Return the paths of the data of a figure by format: Parquet and CSV."""
    return {words: f"data/{suite}/figures/{name}.{end}" for words, end in _FORMATS[:2]}


def table_data(suite: str, name: str) -> dict[str, str]:
    """Return the paths of a table of a suite by format: Parquet, CSV and Markdown.

    Args:
        suite: The name of the suite; empty for a table of all suites.
        name: The name of the table.
    """
    folder = f"data/{suite}" if suite else "data"
    return {words: f"{folder}/{name}.{end}" for words, end in _FORMATS}


def downloads(suite: str, tables: Iterable[str]) -> list[str]:
    """Return the paths of all tables that a suite's page offers for download."""
    return [path for name in [*COMMON_TABLES, *tables] for path in table_data(suite, name).values()]


def labelled(suite: str) -> str:
    """Return the path of the labelled set of a suite: episodes of known conduct with their flags."""
    return f"data/{suite}/conducts.jsonl"


def episode_list(suite: str, agent: str) -> str:
    return f"episodes/{suite}/{agent}.html"


def episode_page(suite: str, agent: str, page: int) -> str:
    """Return the path of one page of an agent's episodes.

    Each agent has a folder, because without folders the pages of agents named `a` and `a-1` could collide.
    """
    return f"episodes/{suite}/{agent}/{page}.html"


def episode_pages(suite: str, agent: str, episodes: int) -> list[str]:
    """Return the paths of the list of an agent's episodes and of the pages with these episodes.

    Args:
        suite: The suite of the episodes.
        agent: The agent that played them.
        episodes: The number of episodes; only the first `SHOWN` are shown.
    """
    pages = range(-(-min(episodes, SHOWN) // PER_PAGE))
    return [episode_list(suite, agent), *(episode_page(suite, agent, page) for page in pages)]


TASKS_SHOWN = 2_000
"""Agents are compared on so many tasks of a set: Snakemake compares the names of all pages with inputs."""

TASKS_PER_PAGE = 25
"""The number of tasks on a page that says who solved each of them."""

BESIDE_PER_PAGE = 5
"""The number of tasks on a page of episodes side by side."""


def matrix(suite: str, task_set: str) -> str:
    """Return the path of the page with the score of every agent at every task of a set."""
    return f"matrix/{suite}/{task_set}.html"


def task(suite: str, task_set: str, index: int, task_id: str = "") -> str:
    """Return the address of a task, given its index in the set; without `task_id`, that of its page.

    >>> task("petri", "core-v0", 26, "00026")
    'tasks/petri/core-v0/1.html#00026'
    """
    anchor = f"#{quote(task_id)}" if task_id else ""
    return f"tasks/{suite}/{task_set}/{index // TASKS_PER_PAGE}.html{anchor}"


def beside(suite: str, task_set: str, index: int, task_id: str = "", agent: str = "") -> str:
    """Return the address of an agent's episode at a task beside the leader's; without names, the page."""
    anchor = f"#{quote(f'{task_id}.{agent}')}" if task_id else ""
    return f"beside/{suite}/{task_set}/{index // BESIDE_PER_PAGE}.html{anchor}"


def comparisons(suite: str, sets: Mapping[str, int]) -> list[str]:
    """Return the paths of the pages on which agents are compared task by task.

    Args:
        suite: The suite.
        sets: The number of tasks in each of its sets; only the first `TASKS_SHOWN` are shown.
    """
    pages = []
    for name, tasks in sets.items():
        size = min(tasks, TASKS_SHOWN)
        pages.append(matrix(suite, name))
        pages += [task(suite, name, first) for first in range(0, size, TASKS_PER_PAGE)]
        pages += [beside(suite, name, first) for first in range(0, size, BESIDE_PER_PAGE)]
    return pages


def picture(suite: str, sha256: str, media_type: str) -> str:
    """Return the path of a picture that tasks of a suite show."""
    return f"pictures/{suite}/{sha256[:20]}.{media_type.removeprefix('image/')}"


def episode_id(task_set: str, task_id: str, attempt: int) -> str:
    """Return the name of an episode, which is unique within the pages of its agent."""
    return f"{task_set}.{task_id}.{attempt}"


def episode(suite: str, agent: str, rank: int, name: str) -> str:
    """Return the address of an episode within the site.

    Args:
        suite: The suite of the episode.
        agent: The agent that played it.
        rank: The index of its row in the table of the agent's episodes, from 0.
        name: The name of the episode, from `episode_id`.

    Returns:
        Page and anchor. An episode that is not shown has the address of the list of episodes, which says how
        to see it.

    >>> episode("petri", "ofat", 51, episode_id("petri-v0", "00012", 0))
    'episodes/petri/ofat/1.html#petri-v0.00012.0'
    """
    if rank >= SHOWN:
        return episode_list(suite, agent)
    return f"{episode_page(suite, agent, rank // PER_PAGE)}#{quote(name)}"


def relative(to: str, page: str) -> str:
    """Return the address of a file of the site relative to one of its pages.

    >>> relative("figures/petri/taxonomy.svg", "suites/petri.html")
    '../figures/petri/taxonomy.svg'
    """
    return posixpath.relpath(to, posixpath.dirname(page) or ".")
