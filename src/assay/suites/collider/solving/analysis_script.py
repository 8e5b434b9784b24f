"""The analysis of a sample as it stands in a run folder: a script with its numbers at the top.

It reads the sample, cuts, weights, counts and fills in the template with nothing but the standard library.
The selected events go to a file of CSV, or of ROOT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PATH = "analysis/analysis.py"
COUNTERS = "data/selected.json"
CUT_FLOW = "results/cut_flow.json"

_COUNT = """
import csv, json, math

with open(PARAMETERS["sample"]) as file:
    events = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
# A filter before the shower left out events that are never selected: each event kept stands for all drawn.
drawn = sum(event["drawn"] for event in events)
weight = PARAMETERS["lumi_fb"] * PARAMETERS["xsec_fb"] * PARAMETERS["br"] / drawn

flow = [{"cut": "generated", "events": len(events), "expected": len(events) * weight}]
passed = events
for label, variable, low, high in PARAMETERS["cuts"]:
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    passed = [event for event in passed if low <= event[variable] < high]
    flow.append({"cut": label, "events": len(passed), "expected": len(passed) * weight})
    print(f"{label}: {len(passed)} events")

observable, edges = PARAMETERS["observable"], PARAMETERS["edges"]
text = open(PARAMETERS["file"]).read()
for low, high in zip(edges, [*edges[1:-1], math.inf]):
    value = weight * sum(low <= event[observable] < high for event in passed)
    text = text.replace("value: null", f"value: {value!r}", 1)
with open(PARAMETERS["file"], "w") as file:
    file.write(text)
"""

_TELL = """told = ("series", "sample", "xsec_fb", "lumi_fb", "br")
counters = {name: PARAMETERS[name] for name in told}
with open("data/selected.json", "w") as file:
    json.dump({**counters, "n_generated": len(events), "filter_eff": len(events) / drawn}, file)
with open("results/cut_flow.json", "w") as file:
    json.dump(flow, file, indent=1)
"""

SELECTED_CSV = """with open("data/selected.csv", "w") as file:
    file.write(f"event_id,weight,selected,{observable}\\n")
    for event in passed:
        file.write(f"{int(event['event_id'])},{weight!r},1,{event[observable]:.3f}\\n")
"""
SELECTED_ROOT = """import numpy as np
from assay.suites.collider.chain import rootfiles

columns = {
    "event_id": np.array([event["event_id"] for event in passed], np.int64),
    "weight": np.full(len(passed), weight),
    "selected": np.ones(len(passed), np.bool_),
    observable: np.array([event[observable] for event in passed], np.float64),
}
with open("data/selected.root", "wb") as file:
    file.write(rootfiles.write(columns))
"""


def source(values: Mapping[str, Any], selected: str) -> str:
    """The text of the script with these numbers; `selected` is the part that writes the events."""
    lines = ",\n".join(f"    {name!r}: {value!r}" for name, value in values.items())
    return f"PARAMETERS = {{\n{lines},\n}}\n{_COUNT}{selected}{_TELL}"
