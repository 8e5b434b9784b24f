"""Analysis scripts of run folders: a source file of `data/` with its parameters at the top.

`chain` reads a sample of the physics chain, cuts, weights, counts and fills in the template, with nothing but
the standard library. `mock` does the same for a mock signal, as an agent would write it. Solvers run these
scripts in the sandbox; checks that need hundreds of honest runs execute the same source in their own process.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.suites.collider.formats import documents
from assay.suites.collider.generators import mock as generator

if TYPE_CHECKING:
    from assay.suites.collider.chain.searches.regions import Region

DATA_FILES = (
    "../data/chain_analysis.py.txt",
    "../data/mock_analysis.py.txt",
    "../data/objects_analysis.py.txt",
)

SCRIPT = "analysis/analysis.py"
COMPUTED = "events = [{**event, **variables(event)} for event in events]\n"
EFFICIENCIES = "object_efficiencies/photons.json"
SAMPLE = "data/gen.csv"
SELECTED = "data/selected.csv"
COUNTERS = "data/selected.json"
CUT_FLOW = "results/cut_flow.json"


def chain(values: Mapping[str, Any], variables: str = "") -> str:
    """Return the source of the analysis of a sample of the physics chain.

    Args:
        values: the parameters, as `chain_parameters` returns them.
        variables: source that defines `variables(event)`, for samples that do not hold the paper's variables.
    """
    lines = ",\n".join(f"    {name!r}: {value!r}" for name, value in values.items())
    source = documents.packaged_text("chain_analysis.py.txt")
    if variables:
        source = source.replace("import csv, json, math\n", f"import csv, json, math\n\n{variables}", 1)
        source = source.replace("# A filter before", f"{COMPUTED}# A filter before", 1)
    return f"PARAMETERS = {{\n{lines},\n}}\n{source}"


def objects() -> str:
    """Return source that computes the variables of CMS-SUS-16-047 from the candidates of an event."""
    return documents.packaged_text("objects_analysis.py.txt")


def chain_parameters(
    facts: Mapping[str, Any], file: str, region: Region, xsec_fb: float, br: float, sample: str = SAMPLE
) -> dict[str, Any]:
    """Return the parameters of the analysis of a sample of the physics chain.

    Args:
        facts: the public facts of the task.
        file: the path of the submission.
        region: the region that the task asks for.
        xsec_fb: the cross section in fb.
        br: the share of the process and of its decays that the sample represents.
        sample: the path of the sample.
    """

    def bound(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "sample": sample,
        "file": file,
        "series": facts["histogram"]["series"],
        "xsec_fb": xsec_fb,
        "lumi_fb": facts["luminosity_fb"],
        "br": br,
        "edges": facts["histogram"]["edges"],
        "observable": region.observable,
        "cuts": [[cut.label, cut.variable, bound(cut.low), bound(cut.high)] for cut in region.cuts],
    }


def mock(values: Mapping[str, Any]) -> str:
    """Return the source of the analysis of a mock signal; `values` are those of `mock_parameters`."""
    return f"PARAMETERS = {dict(values)!r}\n{documents.packaged_text('mock_analysis.py.txt')}"


def mock_parameters(facts: Mapping[str, Any], file: str, xsec_fb: float, events: int) -> dict[str, Any]:
    """Return the parameters of the analysis of a mock signal; arguments are as in `chain_parameters`."""
    return {
        "series": facts["histogram"]["series"],
        "sample": SAMPLE,
        "n_generated": events,
        "xsec_fb": xsec_fb,
        "lumi_fb": facts["luminosity_fb"],
        "br": generator.BRANCHING,
        "edges": list(facts["histogram"]["edges"]),
        "least_ht": facts["least_ht"],
        "file": file,
        "scale": 1.0,
    }
