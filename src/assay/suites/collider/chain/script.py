"""What the analysis script of a solved task is told."""

from __future__ import annotations

from typing import Any

from assay.suites.collider.chain.searches.regions import Region
from assay.suites.collider.chain.solving import Solution

SELECTED = "data/selected.root"


def parameters(facts: Any, region: Region, found: Solution, sample: str) -> dict[str, Any]:
    """What the script needs of a task, its region and its rate."""

    def bound(value: float) -> float | None:
        return value if abs(value) < 1e300 else None

    return {
        "sample": sample,
        "file": facts["file"],
        "series": facts["histogram"]["series"],
        "observable": region.observable,
        "edges": facts["histogram"]["edges"],
        "cuts": [(cut.label, cut.variable, bound(cut.low), bound(cut.high)) for cut in region.cuts],
        "xsec_fb": found.xsec_fb,
        "lumi_fb": found.lumi_fb,
        "br": found.br,
    }
