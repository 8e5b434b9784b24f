"""What the best inference makes of an agent's own data, and how well the agent chose what to set.

The yoked control gives the data of an episode to the best inference under the declared prior (`attainable`).
What it recovers beyond the agent was lost in inferring; what an agent with the best interventions recovers
beyond it was lost in choosing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.metrics.attainable import CERTAIN, Known
from assay.suites.causalab.metrics.graphs import EXACT
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.scm import Edge, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.transcript import Transcript

REMEMBERED = 4096
"""Number of beliefs that are remembered, because many agents gather the same data in a task."""

Frozen = tuple[tuple[float, ...], ...]


def applies(setup: Setup) -> bool:
    """Tell whether the declared prior is that of the model: sealed, linear, undisturbed, all in reach."""
    model = setup.model
    return (
        setup.sealed
        and (setup.rules is None or setup.rules.kind == "continuous")
        and not setup.golden
        and not model.quadratic
        and model.disturbance is None
        and not model.target_is_parent
        and model.controllable == model.properties
        and len(model.names) <= beliefs.LARGEST
    )


def yoked_edges(transcript: Transcript) -> tuple[Edge, ...]:
    """Return the edges of the graph with the best expected F1, given all that an agent saw."""
    setup = transcript.setup
    crystals = [setup.observed(setup.reactor)] if transcript.opened is not None else []
    known = _known(transcript, None, crystals)
    return _best(known)


def information_shares(transcript: Transcript) -> list[tuple[int, float, float | None]]:
    """Return step, information (bits) and share of the best possible, for each intervention.

    The information is that which an intervention gave. The share compares expectations, of the property that
    was set and of the best one, both shifted by `attainable.SHIFT`; it is None where nothing was left to
    learn. With more than `EXACT` variables the list is empty.
    """
    properties = transcript.setup.model.properties
    if len(properties) >= EXACT:
        return []
    shares: list[tuple[int, float, float | None]] = []
    before = _known(transcript, 0, ())
    for uses, done in enumerate(transcript.interventions, 1):
        after = _known(transcript, uses, ())
        entropy, expected = _worth(before)
        share = None
        if entropy > CERTAIN and max(expected) > 0.0:
            share = min(1.0, expected[properties.index(done.target)] / max(expected))
        shares.append((done.step, entropy - _worth(after)[0], share))
        before = after
    return shares


def _known(transcript: Transcript, uses: int | None, crystals: Sequence[Values]) -> tuple[Frozen | str, ...]:
    """Return the evidence after some interventions in a form that can be remembered."""
    names = transcript.setup.model.properties
    evidence = transcript.evidence(uses)
    order = (*names, TARGET)
    done = transcript.interventions
    unseen = len(evidence.states) == len(evidence.targets) + 1 and not transcript.start_seen and done
    parts = (evidence.records, evidence.states)
    frozen = (tuple(tuple(float(state[name]) for name in order) for state in states) for states in parts)
    shown = tuple(tuple(float(crystal[name]) for name in names) for crystal in crystals)
    first = done[0].target if unseen else ""
    return (*frozen, shown, "|".join(names), "|".join(evidence.targets), first)


def _thawed(key: tuple[Frozen | str, ...]) -> Known:
    records, states, crystals, names, targets, first = key
    order = str(names).split("|")

    def values(rows: Frozen | str) -> list[Values]:
        return [dict(zip((*order, TARGET), row, strict=False)) for row in rows]  # type: ignore[arg-type]

    evidence = Evidence(values(records), values(states), str(targets).split("|") if targets else [])
    return Known(tuple(order), evidence, tuple(values(crystals)), str(first))


@lru_cache(maxsize=REMEMBERED)
def _best(key: tuple[Frozen | str, ...]) -> tuple[Edge, ...]:
    known = _thawed(key)
    graph, _ = beliefs.best_graph(known.belief)
    return beliefs.named(known.names, graph)


@lru_cache(maxsize=REMEMBERED)
def _worth(key: tuple[Frozen | str, ...]) -> tuple[float, tuple[float, ...]]:
    """Return the entropy, and the expected information of setting each property (empty where certain)."""
    known = _thawed(key)
    if known.entropy <= CERTAIN:
        return known.entropy, ()
    return known.entropy, tuple(known.expected(name) for name in known.names)
