"""Tasks: a published point, region and binning with a hidden reference, or a point drawn from the seed.

Published facts do not depend on a seed. The canary does: it is a string that only stands in the hidden part,
and would show that it leaked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import Blobs, TaskSet
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.generators import mock
from assay.suites.collider.problems import briefs, catalogue, hidden_points
from assay.suites.collider.problems.catalogue import Entry
from assay.suites.collider.problems.hidden import reference_of
from assay.suites.collider.problems.reference import Mode, Reference
from assay.suites.collider.problems.sets import CHAIN
from assay.suites.collider.problems.sets import SETS as SETS
from assay.task import Task

VERSION = 1

FROZEN_WITHOUT_RATES = "atlas-v0"
"""This set was frozen before its cross sections were stored: `hidden.rate_error` looks them up."""

POINTS_FROZEN_WITHOUT_ERROR = ("T6gg_1750_1650",)
"""Points whose sets were frozen before the error of their cross section was known.

`hidden.rate_error` looks it up.
"""

TOLERANCE = 0.05


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """Generate a task.

    Args:
        task_set: the recipe of the set.
        set_name: the name of the set.
        index: the position of the task in the set; after the last published task, the first one follows
            again.
        seed: the base seed of the set.
        blobs: not used; the tasks hold no files.
    """
    task_seed = seed_of(set_name, index, seed)
    mode: Mode = task_set.params["mode"]
    if task_set.params["source"] == "mock":
        facts, reference = _mock(task_seed)
        extra: dict[str, Any] = {"suspect": "", "exact": True}
    elif task_set.params["source"] == "hidden":
        facts, reference = hidden_points.generate(index, task_seed)
        extra = {"suspect": "", "exact": False}
    else:
        entry = _entry(task_set, index)
        reference = entry.reference(mode, full=task_set.params["source"] == "binning")
        facts = briefs.facts_of(entry, mode, reference.binning)
        facts["paper_title"] = catalogue.paper_title(entry.paper)
        if task_set.params.get("generator") == CHAIN:
            facts["needs"] = catalogue.beyond_the_chain(entry.needs)
        else:
            facts["needs"] = list(entry.needs)
        if set_name == FROZEN_WITHOUT_RATES or entry.point in POINTS_FROZEN_WITHOUT_ERROR:
            reference = replace(reference, cross_section_error=0.0)
        extra = {"suspect": entry.suspect, "exact": False}
    binning = reference.binning
    facts["tolerance"] = TOLERANCE
    facts["histogram"] = binning.to_json()
    facts["template"] = briefs.template(facts, binning)
    facts["brief"] = briefs.brief(facts, binning)
    return Task(
        suite="collider",
        task_set=set_name,
        task_id=f"{index:02d}-{facts['id'].lower()}",
        seed=task_seed,
        version=VERSION,
        strata={
            "source": task_set.params["source"],
            "paper": facts["paper"],
            "difficulty": facts["difficulty"],
            "mode": mode,
        },
        public=facts,
        hidden={
            "yields": list(reference.yields),
            "errors": list(reference.errors),
            "published_errors": reference.published,
            "cross_section_error": reference.cross_section_error or 0.0,
            "canary": f"collider-canary-{rng.stream(task_seed, 'canary').bits():016x}",
            **extra,
        },
    )


def seed_of(set_name: str, index: int, seed: int) -> int:
    """Return the seed of a task, from the base seed of its set."""
    return rng.stream(seed, "collider", set_name, index).bits() >> 11


def verify(task: Task) -> None:
    """Check a task.

    Raises:
        TaskError: reference, template and brief do not belong together.
    """
    reference = reference_of(task)
    binning = reference.binning
    problem = None
    if len(reference.yields) != len(binning.bins) or len(reference.errors) != len(binning.bins):
        problem = "the reference has other bins than the template"
    elif min(reference.yields) < 0 or not any(reference.yields):
        problem = "the reference holds no yields"
    elif any(low >= high for low, high in binning.bins):
        problem = "the edges do not ascend"
    elif task.public["template"] != briefs.template(task.public, binning):
        problem = "the template is not that of its facts"
    elif task.public["brief"] != briefs.brief(task.public, binning):
        problem = "the brief is not that of its facts"
    if problem is not None:
        raise TaskError(f"{task.task_set}/{task.task_id}: {problem}", "generate the task again")


def _entry(task_set: TaskSet, index: int) -> Entry:
    """Return the published task of this index, among the set's tasks `only` or all of its source."""
    entries = {
        "cms": catalogue.cms(),
        "atlas": catalogue.atlas(),
        "binning": tuple(entry for entry in catalogue.cms() if entry.full is not None),
    }[task_set.params["source"]]
    only = task_set.params.get("only")
    chosen = [entry for entry in entries if only is None or entry.id in only]
    return chosen[index % len(chosen)]


def _mock(seed: int) -> tuple[dict[str, Any], Reference]:
    """Return a mock point with four bins, each with at least a tenth of the selected events."""
    stream = rng.stream(seed, "collider", "mock", "point")
    mass = stream.choice(mock.MASSES)
    first = round(0.1 * mass / 10) * 10
    width = round(0.15 * mass / 10) * 10
    edges = tuple(float(first + width * k) for k in range(5))
    least_ht = float(round(mass / 10) * 10)
    luminosity = float(stream.choice((20, 36, 60, 100)))
    binning = Binning(mock.point(mass), "PTMISS", "GEV", edges)
    yields = tuple(mock.expected(mass, luminosity, edges, least_ht))
    facts: dict[str, Any] = {
        "id": f"mock_sim-{mock.point(mass)}",
        "paper": "MOCK",
        "paper_title": "a made-up search, to try tools and gate",
        "point": mock.point(mass),
        "signal": f"pairs of mock particles of {mass} GeV; {100 * mock.BRANCHING:g} % of events are visible",
        "region": f"H_T >= {least_ht:g} GeV",
        "observable": "missing transverse momentum",
        "overflow": None,
        "note": "the generator makes visible events only, and its columns are the reconstructed quantities",
        "luminosity_fb": luminosity,
        "difficulty": "easy",
        "walltime": "10m",
        "mode": "shape_norm",
        "file": f"results/{mock.point(mass)}.yaml",
        "needs": [],
        "mass": mass,
        "least_ht": least_ht,
    }
    return facts, Reference(binning, yields, (0.0,) * 4)
