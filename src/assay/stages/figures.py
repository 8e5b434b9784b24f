"""Figures: draw one of a suite's own figures from its tables, and write the data that it shows."""

from __future__ import annotations

from assay import plotting
from assay.build.job import Job
from assay.report.exports.drawn import marks
from assay.report.exports.texts import write_csv
from assay.stages.shared.collection import Collection
from assay.stages.shared.inputs import suite_of
from assay.tables.schemas.drawn import DRAWN
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Draw the suite's figure that the job's configuration names."""
    suite = suite_of(job)
    spec = suite.find("figures", "FIGURES", job.config["figure"])
    own = {name: table.schema for name, table in suite.room("analysis").TABLES.items()}
    with plotting.style():
        figure = spec.draw(Collection(job, own))
        plotting.save_svg(figure, job.output("figure"), title=job.config["figure"], description=spec.alt)
        write_table(marks(figure), job.output("data"), DRAWN)
    write_csv(job.output("data"), job.output("csv"))
