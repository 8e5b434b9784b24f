"""`assay show`: write one episode as a single HTML page, with its whole log.

The solver plays again, or the recording is replayed. So no build is needed, and the page shows the calls even
of an agent whose log is kept as a digest only.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from assay.agents.solver import SolverAgent
from assay.build import links
from assay.config.loading import load, suite_of
from assay.config.models import Config
from assay.config.option import add_config
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import UnknownName
from assay.protocol import BlobRef, Materials
from assay.report import page
from assay.report.pages import comparisons
from assay.report.viewer import WHOLE, Shown, Viewer
from assay.sessions.assessment import assess
from assay.sessions.taskfiles import find_task
from assay.suite import Suite
from assay.task import Task
from assay.writing import write_whole

STYLE = page.FOLDER.parent / "assets/episode.css"

PLAIN = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem}:root{color-scheme:light dark}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task_set", help="the set, e.g. l2-v0")
    parser.add_argument("task", help="the task's id, or its index in the set")
    parser.add_argument("agent", help="an agent of config/agents.yaml, or a solver's name")
    parser.add_argument("--beside", metavar="OTHER", help="show the episode of another agent beside it")
    parser.add_argument("--attempt", type=int, default=0, help="which attempt (default: 0)")
    parser.add_argument(
        "--out", type=Path, default=Path("episode.html"), help="the file (default: %(default)s)"
    )
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Play or replay the episode, assess it, write the page and print its path; returns the exit code, 0."""
    config = load(args.config)
    entry = suite_of(config, args.suite, args.config)
    blobs = MemoryBlobs()
    task = find_task(entry, f"{args.task_set}/{args.task}", blobs)
    materials = materials_for(entry.suite, blobs)
    episode = _episode(config, entry.suite, task, args.agent, args.attempt, materials)
    if args.beside is not None:
        other = _episode(config, entry.suite, task, args.beside, args.attempt, materials)
        write_whole(
            args.out, two_episodes(entry.suite, task, episode, other, materials).encode(errors="replace")
        )
        print(args.out)
        return 0
    defects = entry.notices.get(f"{task.task_set}/{task.task_id}", ())
    text = own_page(entry.suite, task, episode, materials, defects)
    write_whole(args.out, text.encode(errors="replace"))
    print(args.out)
    return 0


def own_page(
    suite: Suite, task: Task, episode: Episode, materials: Materials, defects: Sequence[str] = ()
) -> str:
    """Return the page of an episode as self-contained HTML: style and pictures are embedded, without scripts.

    Args:
        suite: The suite of the task.
        task: The task that was played.
        episode: The episode.
        materials: The contents and artefacts of the episode.
        defects: Notices about known defects of the task.
    """
    report = assess(suite, task, episode, materials)

    def picture(content: BlobRef) -> str | None:
        if content.media_type not in links.PICTURES:
            return None
        data = base64.b64encode(materials.blobs.get(content.sha256)).decode()
        return f"data:{content.media_type};base64,{data}"

    viewer = Viewer(suite, materials, picture, WHOLE)
    events = len(episode.events)
    shown = Shown(task, episode, report.scores, report.flags, True, events, tuple(defects))
    title = f"{episode.agent} at {task.task_set}/{task.task_id}"
    return _single(title, viewer.article(shown), viewer.legend())


def two_episodes(suite: Suite, task: Task, first: Episode, second: Episode, materials: Materials) -> str:
    """Return a page with two episodes of a task side by side, aligned up to the first call that differs."""
    sides = []
    for episode in (first, second):
        report = assess(suite, task, episode, materials)
        shown = Shown(task, episode, report.scores, report.flags, True, len(episode.events), ())
        sides.append(comparisons.played(shown, 0, with_calls=True))
    pair = comparisons.pair(suite.name, 0, task, sides[0], sides[1], most=max(map(_calls, sides)))
    title = f"{first.agent} and {second.agent} at {task.task_set}/{task.task_id}"
    return _single(title, page.macros("pair.html").article(pair, None), "")


def _calls(side: comparisons.Played) -> int:
    return len(side.calls or ())


def _single(title: str, article: str, legend: str) -> str:
    style = PLAIN + STYLE.read_text("utf-8")
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        page.environment()
        .get_template("single.html")
        .render(
            title=title,
            policy=f"default-src 'none'; img-src data:; style-src 'sha256-{known}'",
            style=Markup(style),
            article=article,
            legend=legend,
        )
    )


def _episode(
    config: Config, suite: Suite, task: Task, agent: str, attempt: int, materials: Materials
) -> Episode:
    entry = config.agents.get(agent)
    if entry is not None and entry.kind == "model":
        from assay.sessions.replay import replay

        folder = config.project.recordings / agent / suite.name / task.task_set
        path = folder / f"{task.task_id}.{attempt}.jsonl"
        if not path.is_file():
            raise UnknownName(
                f"there is no recording {path}", f"record it: assay record {agent} --suite {suite.name}"
            )
        return replay(suite, task, path, materials)
    solver = suite.solver((entry.solver if entry else None) or agent)
    episode = play(suite, task, agent, SolverAgent(solver, task, materials.blobs), attempt, materials)
    return replace(episode, privileged=solver.privileged)
