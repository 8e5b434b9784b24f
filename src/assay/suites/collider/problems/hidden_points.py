"""Signal points that are not published: masses are drawn from the seed.

Their references are made by this suite's own solver. Those of the public set are stored in
`data/hidden_points.yaml`. Those of a fresh set, whose seed is secret, are computed when its tasks are
generated (a few minutes each). `assay collider references` computes the stored ones again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.numbers import rng
from assay.suites.collider.formats import documents
from assay.suites.collider.problems import briefs, catalogue
from assay.suites.collider.problems.catalogue import Entry
from assay.suites.collider.problems.orders import HIDDEN
from assay.suites.collider.problems.reference import Reference

DATA_FILES = ("../data/hidden_points.yaml", "../data/papers.yaml")

EVENTS = 4_000
"""Number of events of a reference.

The regions select 30 to 70 % of them. A bin with a fifth of all events has a statistical error of 3.5 %.
"""

ENTRIES = (
    "sus-16-046_sim-T5Wg",
    "sus-16-046_sim-TChiWg",
    "sus-16-047_sim-T6gg_highHT",
    "sus-16-047_sim-T5Wg_highHT",
)
"""The published tasks whose regions are used: photon searches, which select a large share of events."""

LEAST_GAUGINO = 100
STEP = 50


def generate(index: int, seed: int) -> tuple[dict[str, Any], Reference]:
    """Return the public facts of a hidden point, without brief and template, and its reference."""
    entry = drawn(index, seed)
    facts = {**briefs.facts_of(entry, "shape_norm", entry.binning), "needs": []}
    facts["paper_title"] = catalogue.paper_title(entry.paper)
    facts["file"] = f"results/{entry.point}.yaml"
    kept = next(
        (
            row
            for row in documents.packaged("hidden_points.yaml")["references"]
            if (row["id"], row["point"]) == (entry.id, entry.point)
        ),
        None,
    )
    values = kept or made(facts, entry, rng.stream(seed, "reference").below(2**30), EVENTS)
    # Submissions and the reference use the same stored rate, so its error cannot make them differ.
    return facts, Reference(
        binning=entry.binning,
        yields=tuple(float(value) for value in values["yields"]),
        errors=tuple(float(value) for value in values["errors"]),
        published=True,
    )


def made(facts: dict[str, Any], entry: Entry, seed: int, events: int) -> dict[str, Any]:
    """Return the reference of a point: yields and their Monte Carlo standard deviations, with six digits."""
    from assay.suites.collider.chain import solving
    from assay.task import Task

    public = {**facts, "histogram": entry.binning.to_json()}
    task = Task("collider", "hidden-v0", entry.id, seed, 1, {}, public, {})
    solution = solving.solve(task, events, seed)
    return {
        "id": entry.id,
        "point": entry.point,
        "events": events,
        "seed": seed,
        "yields": [float(f"{value:.6g}") for value in solution.yields],
        "errors": [float(f"{value:.6g}") for value in solution.errors],
    }


def remade(index: int, seed: int, events: int = EVENTS) -> dict[str, Any]:
    """Return the reference of the task with this index and seed, computed even if it is stored."""
    entry = drawn(index, seed)
    facts = briefs.facts_of(entry, "shape_norm", entry.binning)
    return made(facts, entry, rng.stream(seed, "reference").below(2**30), events)


def drawn(index: int, seed: int) -> Entry:
    """Return a published task, moved to a point of its model that is not published."""
    stream = rng.stream(seed, "point")
    entry = next(e for e in catalogue.cms() if e.id == ENTRIES[index % len(ENTRIES)])
    model = entry.point.partition("_")[0]
    published = {e.point for e in catalogue.cms()}
    heavy = {e.mass for e in catalogue.cms() if e.process == entry.process and e.mass is not None}
    points = [
        (mass, f"{model}_{mass:g}" + (f"_{light}" if light else ""))
        for mass in sorted(heavy)
        for light in ((0,) if model == "TChiWg" else range(LEAST_GAUGINO, int(mass), STEP))
    ]
    mass, point = stream.choice([p for p in points if p[1] not in published])
    first, *rest = point.split("_")[1:]
    signal = documents.packaged("papers.yaml")["hidden signals"][model].format(
        first=first, second=rest[0] if rest else first
    )
    return replace(
        entry,
        id=entry.id.replace("_sim-", HIDDEN),
        point=point,
        signal=signal,
        binning=replace(entry.binning, series=point),
        mass=mass,
        suspect="",
        errors=None,
    )
