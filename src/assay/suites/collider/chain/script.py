"""The analysis of a sample as it stands in a run folder: a script with its numbers at the top.

It reads the sample, cuts, weights and counts with nothing but the standard library; the selected events go to
a ROOT file.
"""

from __future__ import annotations

from typing import Any

from assay.suites.collider.chain.regions import Region
from assay.suites.collider.chain.solving import Solution

PATH = "analysis/analysis.py"
SELECTED = "data/selected.root"
COUNTERS = "data/selected.json"
CUT_FLOW = "results/cut_flow.json"

_SOURCE = """
import csv, json, math
import numpy as np
from assay.suites.collider.chain import rootfiles

with open(PARAMETERS["sample"]) as file:
    events = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
drawn = sum(event["drawn"] for event in events)
weight = PARAMETERS["lumi_fb"] * PARAMETERS["xsec_fb"] * PARAMETERS["br"] / drawn

flow = [{"cut": "generated", "events": len(events), "expected": len(events) * weight}]
passed = events
for label, variable, low, high in PARAMETERS["cuts"]:
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    passed = [event for event in passed if low <= event[variable] < high]
    flow.append({"cut": label, "events": len(passed), "expected": len(passed) * weight})

observable, edges = PARAMETERS["observable"], PARAMETERS["edges"]
yields = []
for low, high in zip(edges, [*edges[1:-1], math.inf]):
    yields.append(weight * sum(low <= event[observable] < high for event in passed))

columns = {
    "event_id": np.array([event["event_id"] for event in passed], np.int64),
    "weight": np.full(len(passed), weight),
    "selected": np.ones(len(passed), np.bool_),
    observable: np.array([event[observable] for event in passed], np.float64),
}
with open("data/selected.root", "wb") as file:
    file.write(rootfiles.write(columns))
told = ("series", "sample", "xsec_fb", "lumi_fb", "br")
counters = {name: PARAMETERS[name] for name in told}
counters |= {"n_generated": len(events), "filter_eff": len(events) / drawn}
with open("data/selected.json", "w") as file:
    json.dump(counters, file)
with open("results/cut_flow.json", "w") as file:
    json.dump(flow, file, indent=1)
text = open(PARAMETERS["file"]).read()
for value in yields:
    text = text.replace("value: null", f"value: {value!r}", 1)
with open(PARAMETERS["file"], "w") as file:
    file.write(text)
"""


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


def source(values: dict[str, Any]) -> str:
    """The text of the script with these numbers."""
    lines = ",\n".join(f"    {name!r}: {value!r}" for name, value in values.items())
    return f"PARAMETERS = {{\n{lines},\n}}\n{_SOURCE}"
