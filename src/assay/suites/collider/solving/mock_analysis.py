"""The analysis of a mock signal as an agent would write it: a script with its numbers at the top.

The reference solver and the scripts of known conduct use it, and so do checks that need many honest runs:
there the very same source is executed in this process, since its author is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.generators import mock

SCRIPT = "analysis/analysis.py"
SAMPLE = "data/gen.csv"
SELECTED = "data/selected.csv"
COUNTERS = "data/selected.json"

_SOURCE = """
import csv, json, math

columns, rows = None, []
with open(PARAMETERS["sample"]) as file:
    for row in csv.reader(file):
        if columns is None:
            columns = row
        else:
            rows.append([float(cell) for cell in row])
place = {name: n for n, name in enumerate(columns)}
rate = PARAMETERS["xsec_fb"] * PARAMETERS["lumi_fb"] * PARAMETERS["br"]
weight = rate / PARAMETERS["n_generated"]
edges = PARAMETERS["edges"]
bins = [[] for _ in edges[1:]]
with open("data/selected.csv", "w") as file:
    file.write("event_id,weight,selected,ptmiss\\n")
    for row in rows:
        value, ht = row[place["ptmiss"]], row[place["ht"]]
        selected = int(ht >= PARAMETERS["least_ht"] and value >= edges[0])
        file.write(f"{int(row[place['event_id']])},{weight!r},{selected},{value:.3f}\\n")
        if selected:
            above = [k for k, edge in enumerate(edges[:-1]) if value >= edge]
            bins[above[-1]].append(weight)
told = ("series", "sample", "n_generated", "xsec_fb", "lumi_fb", "br")
counters = {name: PARAMETERS[name] for name in told}
with open("data/selected.json", "w") as file:
    json.dump({**counters, "filter_eff": 1.0}, file)
yields = [math.fsum(weights) * PARAMETERS["scale"] for weights in bins]
text = open(PARAMETERS["file"]).read()
for value in yields:
    text = text.replace("value: null", f"value: {value!r}", 1)
with open(PARAMETERS["file"], "w") as file:
    file.write(text)
print("yields", yields)
"""


def parameters(facts: Mapping[str, Any], file: str, xsec_fb: float, events: int) -> dict[str, Any]:
    """What the script needs: the region, the weights, and where things lie."""
    return {
        "series": Binning.from_json(facts["histogram"]).series,
        "sample": SAMPLE,
        "n_generated": events,
        "xsec_fb": xsec_fb,
        "lumi_fb": facts["luminosity_fb"],
        "br": mock.BRANCHING,
        "edges": list(facts["histogram"]["edges"]),
        "least_ht": facts["least_ht"],
        "file": file,
        "scale": 1.0,
    }


def source(values: Mapping[str, Any]) -> str:
    """The text of the script with these parameters."""
    return f"PARAMETERS = {dict(values)!r}\n{_SOURCE}"
