"""The brief of a task, which has the same layout for all tasks, and the empty template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.problems.catalogue import Entry

DATA_FILES = ("../data/brief.md",)

CM_ENERGY_GEV = 13000

ASKS = {
    "shape_norm": "Predict the expected number of signal events in each bin at the stated luminosity.",
    "shape": "Predict the shape of the distribution: the share of selected signal events in each bin.",
    "yield": "Predict the expected number of signal events in the whole region at the stated luminosity.",
}

OPEN_BIN = "the rightmost bin includes all events beyond its lower edge"


def template(facts: Mapping[str, Any], binning: Binning) -> str:
    """Return the text of the template with null values; `facts` are a task's public part."""
    metadata: dict[str, Any] = {
        "instructions": f"Fill in each value; change nothing else. Overflow: {OPEN_BIN}.",
        "description": f"{facts['observable']}, {facts['region']}",
        "target": facts["point"],
        "cm_energy_gev": CM_ENERGY_GEV,
        "luminosity_fb": facts["luminosity_fb"],
    }
    if facts["mode"] == "shape":
        metadata["scoring"] = "shape_only"
    return write(binning, [None] * len(binning.bins), metadata)


def brief(facts: Mapping[str, Any], binning: Binning) -> str:
    """Return the text of TASK.md; `facts` are a task's public part."""
    overflow = f" ({facts['overflow']})" if facts["overflow"] else ""
    note = f"\n- {facts['note']}" if facts["note"] else ""
    return documents.packaged_text("brief.md").format(
        **{**facts, "overflow": OPEN_BIN + overflow, "note": note},
        energy=CM_ENERGY_GEV / 1000,
        question=ASKS[facts["mode"]],
        units=binning.units or "no unit",
        edges=", ".join(f"{edge:g}" for edge in binning.edges),
    )


def facts_of(entry: Entry, mode: str, binning: Binning) -> dict[str, Any]:
    """Return the public facts of a published task, without brief and template."""
    name = variant_id(entry.id, mode, binning is not entry.binning and mode != "yield")
    return {
        "id": name,
        "paper": entry.paper,
        "point": entry.point,
        "signal": entry.signal,
        "region": entry.region,
        "observable": entry.text,
        "overflow": entry.overflow,
        "note": entry.note,
        "luminosity_fb": entry.luminosity_fb,
        "difficulty": entry.difficulty,
        "walltime": entry.walltime,
        "mode": mode,
        "file": f"results/{name.split('_', 1)[1].partition('-')[2]}.yaml",
    }


def variant_id(name: str, mode: str, full: bool) -> str:
    """Return the id of a variant of a published task.

    Its middle part is `sim`, `shape` or `yield`, as published. The ending `_26bins` is not a published one:
    it marks the binning of the earlier revision.
    """
    kind = {"shape_norm": "sim"}.get(mode, mode)
    return name.replace("_sim-", f"_{kind}-") + ("_26bins" if full else "")
