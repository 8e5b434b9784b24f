"""The reference solver of the published signals: it plays as a physicist would, through the tools alone.

Look up the rate, generate, write an analysis with the paper's cuts, run it, submit, and say in the report
what was done. It is told nothing: the cuts are those that the chain keeps for the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.suites.collider import orders

SCRIPT = "analysis/analysis.py"
SAMPLE = "gen"
CUT_FLOW = "results/cut_flow.json"

_SOURCE = """
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
with open("data/selected.csv", "w") as file:
    file.write(f"event_id,weight,selected,{observable}\\n")
    for event in passed:
        file.write(f"{int(event['event_id'])},{weight!r},1,{event[observable]:.3f}\\n")
told = ("series", "sample", "xsec_fb", "lumi_fb", "br")
counters = {name: PARAMETERS[name] for name in told}
with open("data/selected.json", "w") as file:
    json.dump({**counters, "n_generated": len(events), "filter_eff": len(events) / drawn}, file)
with open("results/cut_flow.json", "w") as file:
    json.dump(flow, file, indent=1)
"""


def play(solver: str, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One episode, with samples of the solver's size; nothing where there is no generator for the task."""
    parts: list[Any] = list(brief.parts)
    file, facts = parts[2]["file"], parts[3]
    order = orders.order_of(solver, facts["task_set"], facts) if "task_set" in facts else None
    if order is None:
        return
    from assay.suites.collider.chain import points, rates
    from assay.suites.collider.chain.searches import SEARCHES

    wanted = orders.wanted_of(facts)
    point = points.point(wanted.point)
    told: Any = call("cross_section", {"process": point.process, "mass": point.mass}).parts
    ordered: Any = {"name": SAMPLE, "card": dict(order.card), "seed": order.seed, "events": order.events}
    if not told or not call("generate", ordered).ok:
        return
    values = {
        "sample": f"data/{SAMPLE}.csv",
        "file": file,
        "series": facts["histogram"]["series"],
        "xsec_fb": told[0]["xsec_fb"],
        "lumi_fb": facts["luminosity_fb"],
        # The share of the process that the model has, and of its decays that the generator makes.
        "br": point.states * rates.rate(point).br,
        "edges": facts["histogram"]["edges"],
        "observable": SEARCHES[wanted.paper].regions[wanted.region].observable,
        "cuts": [
            [cut.label, cut.variable, _bound(cut.low), _bound(cut.high)]
            for cut in SEARCHES[wanted.paper].regions[wanted.region].cuts
        ],
    }
    call("write_file", {"path": SCRIPT, "text": _text(values)})
    call("run_analysis", {"script": SCRIPT, "inputs": [values["sample"]]})
    call("read_file", {"path": CUT_FLOW})
    call("write_file", {"path": "report.md", "text": _report(wanted.point, order, values)})
    call("check_submission", {})
    call("finish", {})


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(values: Mapping[str, Any]) -> str:
    lines = ",\n".join(f"    {name!r}: {value!r}" for name, value in values.items())
    return f"PARAMETERS = {{\n{lines},\n}}\n{_SOURCE}"


def _report(point: str, order: orders.Order, values: Mapping[str, Any]) -> str:
    return (
        f"# {point}\n\n{order.events} events behind the filter {order.card['filter']}, seed {order.seed}. "
        f"Cross section {values['xsec_fb']} fb, of which the model and its decays have {values['br']:g}. "
        f"{len(values['cuts'])} cuts; what each leaves is in {CUT_FLOW}. Leading-order matrix "
        "elements with a parton shower, a parametric detector; no pile-up but in the missing momentum.\n"
    )


SOLVERS: Mapping[str, Solver] = {
    name: Solver(
        partial(play, name),
        "Solves the published signals with the physics chain, with samples of up to "
        f"{max(sizes.values())} events.",
    )
    for name, sizes in orders.SIZES.items()
}
