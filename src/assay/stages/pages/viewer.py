"""Viewer: write the episodes of a suite as pages to read, from its tables alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from markupsafe import Markup

from assay import canonical
from assay.build import links
from assay.build.job import Job
from assay.episode import from_rows
from assay.protocol import BlobRef, Flag, Score
from assay.report import page
from assay.report.drawing import number
from assay.report.viewer import STATUS_WORDS, Shown, Viewer, words
from assay.stages.shared.inputs import materials_of, suite_of
from assay.tables.reader import opened, read_rows, read_table
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.episodes import EPISODES, EVENTS
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.tasks import TASKS
from assay.task import Task


def run(job: Job) -> None:
    """Write the list and the pages of each agent's episodes, and the pictures that these show."""
    suite, materials = suite_of(job), materials_of(job)
    tasks = {
        (row["task_set"], row["task_id"]): Task.from_row(row) for row in read_rows(job.input("tasks"), TASKS)
    }
    pictures = _pictures(suite.name, tasks.values(), set(job.config["pictures"]))
    for name, sha256 in pictures.items():
        job.output(name).write_bytes(materials.blobs.get(sha256))
    viewer = Viewer(suite, materials, _address(suite.name, pictures))
    legend = viewer.legend()
    parts = {table: {path.stem: path for path in job.parts(table)} for table in TABLES}
    for done, agent in enumerate(job.config["agents"], 1):
        episodes = shown_of(tasks, job.config["defects"], *(parts[table].get(agent) for table in TABLES))
        with opened(parts["episodes"][agent]) as file:
            total = file.metadata.num_rows
        _write(job, agent, islice(episodes, links.SHOWN), total, viewer, legend)
        job.progress(done, len(job.config["agents"]))


TABLES = ("episodes", "scores", "audit", "events")
"""The tables from which the pages of an agent are made; `events` exists only if its log is kept in full."""


def shown_of(
    tasks: Mapping[tuple[str, str], Task],
    defects: Mapping[str, Sequence[str]],
    episodes: Path | None,
    scores: Path | None,
    audit: Path | None,
    events: Path | None,
) -> Iterator[Shown]:
    """Yield the episodes of one agent in the order of their table.

    All tables have the same order, so the events of an episode follow those of the episode before it.

    Args:
        tasks: The tasks by (set, id).
        defects: The notices about defects of tasks, by `<set>/<task id>`.
        episodes: The table `episodes` of the agent.
        scores: The table `scores` of the agent.
        audit: The table `audit` of the agent.
        events: The table `events` of the agent, or `None` if its log is not kept in full.

    Raises:
        ValueError: If one of the other tables is `None`, or the events do not match the episodes.
    """
    if episodes is None or scores is None or audit is None:
        raise ValueError("an agent has episodes, scores and flags")
    own_scores, own_flags = _grouped(read_rows(scores, SCORES)), _grouped(read_rows(audit, AUDIT))
    log = None if events is None else read_table(events, EVENTS)
    at = 0
    for row in read_rows(episodes, EPISODES):
        key = _key(row)
        kept: list[dict[str, Any]] = []
        if log is not None:
            kept = log.slice(at, row["n_events"]).to_pylist()
            at += row["n_events"]
            if any(_key(event) != key for event in kept):
                raise ValueError(f"{events} does not hold the events of {key} that {episodes} counts")
        yield Shown(
            task=tasks[row["task_set"], row["task_id"]],
            episode=from_rows(row, kept),
            scores=tuple(
                Score(s["metric"], s["value"], s["label"], s["profile"], s["step"])
                for s in own_scores.get(key, ())
            ),
            flags=tuple(
                Flag(f["flag"], f["raised"], f["label"], canonical.loads(f["evidence"]))
                for f in own_flags.get(key, ())
            ),
            logged=log is not None,
            n_events=row["n_events"],
            defects=tuple(defects.get(f"{row['task_set']}/{row['task_id']}", ())),
        )


def _write(job: Job, agent: str, episodes: Iterable[Shown], total: int, viewer: Viewer, legend: str) -> None:
    """Write the list and the pages of the episodes of one agent.

    Args:
        job: The job, whose outputs are the planned pages.
        agent: The name of the agent.
        episodes: The episodes that are shown.
        total: The number of all episodes of the agent.
        viewer: Renders an episode as HTML.
        legend: The HTML of the legend of each page.

    Raises:
        ValueError: If the number of pages differs from the plan.
    """
    suite, suites = job.config["suite"], job.config["shown"]
    listed = links.episode_list(suite, agent)
    rows: list[dict[str, Any]] = []
    pages: list[list[str]] = []
    for rank, entry in enumerate(episodes):
        if rank % links.PER_PAGE == 0:
            pages.append([])
        pages[-1].append(viewer.article(entry))
        rows.append(_row(entry, links.relative(links.episode(suite, agent, rank, entry.name), listed)))
    names = links.episode_pages(suite, agent, total)
    folder = links.episode_page(suite, agent, 0).removesuffix("0.html")
    if {listed, *(name for name in job.outputs if name.startswith(folder))} != set(names):
        raise ValueError(f"{agent} has {total} episodes in {suite}; pages of another number were planned")
    common = {"suites_shown": suites, "suite": suite, "agent": agent}
    title = f"{agent} in {suite}"
    text = page.render("episode_list.html", names[0], title=title, episodes=rows, total=total, **common)
    _save(job, names[0], text)
    for n, (name, articles) in enumerate(zip(names[1:], pages, strict=True)):
        first = n * links.PER_PAGE
        text = page.render(
            "episodes.html",
            name,
            title=f"{agent} in {suite}, episodes {first + 1} to {first + len(articles)}",
            page=n,
            first=first + 1,
            last=first + len(articles),
            episodes=len(rows),
            articles=Markup("".join(articles)),
            legend=Markup(legend),
            **common,
        )
        _save(job, name, text)


def _save(job: Job, name: str, text: str) -> None:
    job.output(name).write_text(text, encoding="utf-8", errors="replace", newline="")


def _row(entry: Shown, address: str) -> dict[str, Any]:
    values = {s.metric: s.value for s in entry.scores if s.step is None and s.profile == "default"}
    solved = values.get("solved")
    return {
        "task_set": entry.episode.task_set,
        "task_id": entry.episode.task_id,
        "attempt": entry.episode.attempt,
        "address": address,
        "ended": STATUS_WORDS[entry.episode.status],
        "score": number(values.get("score")),
        "solved": "" if solved is None else "yes" if solved == 1 else "no",
        "flags": ", ".join(words(flag.flag) for flag in entry.flags if flag.raised),
    }


def _pictures(suite: str, tasks: Iterable[Task], planned: set[str]) -> dict[str, str]:
    """Return the sha256 of each planned picture, by its path in the site."""
    pictures = {
        links.picture(suite, ref.sha256, ref.media_type): ref.sha256
        for task in tasks
        for ref in task.blobs
        if ref.media_type in links.PICTURES
    }
    return {name: sha256 for name, sha256 in sorted(pictures.items()) if name in planned}


def _address(suite: str, pictures: Mapping[str, str]) -> Callable[[BlobRef], str | None]:
    """Return a function that gives the address of a picture relative to the pages of episodes.

    The function returns `None` for a picture that the site does not have.
    """
    here = links.episode_page(suite, "any", 0)

    def address(content: BlobRef) -> str | None:
        name = links.picture(suite, content.sha256, content.media_type)
        return links.relative(name, here) if name in pictures else None

    return address


def _key(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["task_set"], row["task_id"], row["attempt"]


def _grouped(rows: list[dict[str, Any]]) -> dict[tuple[str, str, int], list[dict[str, Any]]]:
    groups: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_key(row), []).append(row)
    return groups
