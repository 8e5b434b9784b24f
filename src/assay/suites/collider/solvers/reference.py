"""The reference solver of the published signals: it plays as a physicist would, through the tools alone.

It looks up the rate, generates, writes an analysis with the paper's cuts, runs it, submits, and says in its
report what was done. It does not see the reference; its cuts are those that the chain stores for the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.collider.problems import orders, sets
from assay.suites.collider.problems.catalogue import NLO_NLL
from assay.suites.collider.solvers.client import Client
from assay.suites.collider.tools import scripts


def play(solver: str, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play one episode with samples of the solver's size; do nothing if the task has no generator."""
    client = Client(brief, call)
    facts = client.facts
    order = orders.order_of(solver, facts["task_set"], facts) if "task_set" in facts else None
    if order is None:
        return
    from assay.suites.collider.chain.searches.registry import SEARCHES
    from assay.suites.collider.chain.signal import points

    wanted = orders.wanted_of(facts)
    point = points.point(wanted.point)
    rate: Any = call("cross_section", {"process": point.process, "mass": point.mass}).parts
    sample: Any = {"name": "gen", "card": dict(order.card), "seed": order.seed, "events": order.events}
    if not rate or not call("generate", sample).ok:
        return
    values = scripts.chain_parameters(
        facts,
        client.file,
        SEARCHES[wanted.paper].regions[wanted.region],
        rate[0]["xsec_fb" if point.order == NLO_NLL else "xsec_fb_nnlo_approx"],
        # The share of the process that belongs to the model, times the share of decays that is generated.
        br=point.states * points.rate(point).br,
    )
    if sets.generator_of(facts["task_set"]) == sets.OBJECTS:
        client.execute(scripts.chain(values, scripts.objects()), [scripts.SAMPLE, scripts.EFFICIENCIES])
    else:
        client.execute(scripts.chain(values), [scripts.SAMPLE])
    call("read_file", {"path": scripts.CUT_FLOW})
    call("write_file", {"path": "report.md", "text": _report(wanted.point, order, values)})
    call("check_submission", {})
    call("finish", {})


def _report(point: str, order: orders.Order, values: Mapping[str, Any]) -> str:
    return (
        f"# {point}\n\n{order.events} events behind the filter {order.card['filter']}, seed {order.seed}. "
        f"Cross section {values['xsec_fb']} fb, of which the model and its decays have {values['br']:g}. "
        f"{len(values['cuts'])} cuts; what each leaves is in {scripts.CUT_FLOW}. "
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
