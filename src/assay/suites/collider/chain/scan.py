"""A scan: the acceptance of a search at each point of a grid, as needed for a limit in the plane of masses.

Each point is a separate job (`snakemake collider_scan`).
"""

from __future__ import annotations

import math
from typing import Any

from assay import plotting
from assay.build.job import Job
from assay.errors import UnknownName
from assay.tables.reader import read_rows
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table

SCAN = Schema(
    "scan",
    1,
    (
        Column("paper", "string", "the search"),
        Column("region", "string", "its region"),
        Column("point", "string", "the signal point"),
        Column("heavy", "float64", "mass of what is produced", unit="GeV"),
        Column("light", "float64", "mass of what it decays to", unit="GeV"),
        Column("generated", "int64", "events behind the filter"),
        Column("drawn", "int64", "hard processes that they stand for"),
        Column("selected", "int64", "events that the region takes"),
        Column("acceptance", "float64", "selected over drawn"),
        Column("error", "float64", "its Monte Carlo standard deviation"),
        Column("expected", "float64", "selected events in 1/fb at the kept rate", unit="fb"),
    ),
    key=("paper", "region", "point"),
    doc="One row a point of the grid.",
)


def run(job: Job) -> None:
    """Write the row of the job's point; a job without a point draws the figure of the whole table."""
    if "point" in job.config:
        write_table([_row(job.config["settings"], job.config["point"])], job.output("point"), SCAN)
        return
    (table,) = job.parts("table")
    with plotting.style():
        figure = draw(read_rows(table, SCAN))
        title = "Acceptance in the plane of masses"
        plotting.save_svg(figure, job.output("figure"), title=title, description=f"{title}, point by point.")


def _row(settings: dict[str, Any], name: str) -> dict[str, Any]:
    from assay.suites.collider.chain import samples
    from assay.suites.collider.chain.filters import FILTERS
    from assay.suites.collider.chain.searches.registry import SEARCHES
    from assay.suites.collider.chain.signal import points

    paper, region = settings["paper"], settings["region"]
    if paper not in SEARCHES or region not in SEARCHES[paper].regions:
        known = "; ".join(f"{p}: {', '.join(s.regions)}" for p, s in SEARCHES.items())
        raise UnknownName(
            f"settings.scan: the chain has no region {region!r} of {paper!r}", f"give one of {known}"
        )
    if settings["filter"] not in FILTERS:
        raise UnknownName(
            f"settings.scan.filter: there is no filter {settings['filter']!r}",
            f"give one of {', '.join(FILTERS)}",
        )
    point = points.point(name)
    rate = points.rate(point)
    sample = samples.sample(
        samples.Card(paper, name, settings["filter"]), settings["seed"], settings["events"]
    )
    drawn = int(sample["drawn"].sum())
    selected = int(SEARCHES[paper].regions[region].passes(sample).sum())
    heavy, light = (float(mass) for mass in name.split("_")[1:])
    return {
        "paper": paper,
        "region": region,
        "point": name,
        "heavy": heavy,
        "light": light,
        "generated": len(sample["event_id"]),
        "drawn": drawn,
        "selected": selected,
        "acceptance": selected / drawn,
        "error": math.sqrt(selected) / drawn,
        "expected": rate.xsec_fb * rate.br * selected / drawn,
    }


def draw(rows: list[dict[str, Any]]) -> Any:
    """Draw the acceptances as a heat map: heavy masses on the x axis, light ones on the y axis."""
    heavy = sorted({row["heavy"] for row in rows})
    light = sorted({row["light"] for row in rows}, reverse=True)
    of = {(row["light"], row["heavy"]): row["acceptance"] for row in rows}
    values = [[of.get((y, x)) for x in heavy] for y in light]
    figure = plotting.figure(width_mm=60 + 18 * len(heavy), height_mm=35 + 10 * len(light))
    axes = figure.subplots()
    columns, names = [f"{x:g}" for x in heavy], [f"{y:g}" for y in light]
    plotting.heatmap(axes, values, names, columns, low=0, high=max(of.values(), default=1.0) or 1.0)
    first = rows[0] if rows else {"paper": "", "region": "", "point": ""}
    axes.set(xlabel="mass of what is produced [GeV]", ylabel="mass of what it decays to [GeV]")
    axes.set_title(f"{first['point'].partition('_')[0]}: acceptance of {first['paper']}, {first['region']}")
    return figure
