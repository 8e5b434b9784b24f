"""Viewer: the pages of a suite's episodes."""

from __future__ import annotations

from assay.job import Job
from assay.report import links, page
from assay.schemas.episodes import EPISODES
from assay.tables import read_rows


def run(job: Job) -> None:
    """Write, for each agent, the list of its episodes and their pages."""
    suite = job.config["suite"]
    for path in job.parts("episodes"):
        agent = path.stem
        rows = read_rows(path, EPISODES)
        shown = [
            {
                **row,
                "id": links.episode_id(row["task_set"], row["task_id"], row["attempt"]),
                "page": links.episode_page(suite, agent, rank // links.PER_PAGE),
            }
            for rank, row in enumerate(rows)
        ]
        for at, name in enumerate(links.episode_pages(suite, agent, len(rows))):
            some = shown if at == 0 else shown[(at - 1) * links.PER_PAGE : at * links.PER_PAGE]
            html = page.render(
                "episodes.html",
                name,
                title=f"{agent} in {suite}",
                suites_shown=job.config["shown"],
                suite=suite,
                agent=agent,
                whole=at == 0,
                episodes=some,
            )
            job.output(name).write_text(html, encoding="utf-8")
