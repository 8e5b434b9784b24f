"""The reference solver of the published signals: it plays as a physicist would, through the tools alone.

Look up the rate, generate, write an analysis with the paper's cuts, run it, submit, and say in the report
what was done. It is told nothing: the cuts are those that the chain keeps for the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.collider.problems.catalogue import NLO_NLL
from assay.suites.collider.solving import analysis_script, orders

SAMPLE = "gen"


def play(solver: str, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One episode, with samples of the solver's size; nothing where there is no generator for the task."""
    parts: list[Any] = list(brief.parts)
    file, facts = parts[2]["file"], parts[3]
    order = orders.order_of(solver, facts["task_set"], facts) if "task_set" in facts else None
    if order is None:
        return
    from assay.suites.collider.chain.searches.registry import SEARCHES
    from assay.suites.collider.chain.signal import points, rates

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
        "xsec_fb": told[0]["xsec_fb" if point.order == NLO_NLL else "xsec_fb_nnlo_approx"],
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
    script = analysis_script.source(values, analysis_script.SELECTED_CSV)
    call("write_file", {"path": analysis_script.PATH, "text": script})
    call("run_analysis", {"script": analysis_script.PATH, "inputs": [values["sample"]]})
    call("read_file", {"path": analysis_script.CUT_FLOW})
    call("write_file", {"path": "report.md", "text": _report(wanted.point, order, values)})
    call("check_submission", {})
    call("finish", {})


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _report(point: str, order: orders.Order, values: Mapping[str, Any]) -> str:
    return (
        f"# {point}\n\n{order.events} events behind the filter {order.card['filter']}, seed {order.seed}. "
        f"Cross section {values['xsec_fb']} fb, of which the model and its decays have {values['br']:g}. "
        f"{len(values['cuts'])} cuts; what each leaves is in {analysis_script.CUT_FLOW}. "
        "Leading-order matrix elements with a parton shower, a parametric detector; no pile-up but in the "
        "missing momentum.\n"
    )


SOLVERS: Mapping[str, Solver] = {
    name: Solver(
        partial(play, name),
        "Solves the published signals with the physics chain, with samples of up to "
        f"{max(sizes.values())} events.",
    )
    for name, sizes in orders.SIZES.items()
}
