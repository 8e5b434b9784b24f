"""Site: the pages that show all suites."""

from __future__ import annotations

from assay.job import Job
from assay.report import links, page


def run(job: Job) -> None:
    """Write every page of the site but those of episodes."""
    shown = list(job.config["suites"])
    for name in job.outputs:
        if name.endswith(".html"):
            template = {"agents": "agent.html", "suites": "suite.html"}.get(name.split("/")[0], name)
            html = page.render(template, name, title=name, suites_shown=shown)
            job.output(name).write_text(html, encoding="utf-8")
        elif name in links.ASSETS:
            (job.output(name)).write_bytes((page.FOLDER.parent / name).read_bytes())
        else:
            job.output(name).write_text("{}\n", encoding="utf-8")
