"""Requirements on a model for a fair episode, checked before it is used.

The released files hold models that no agent can solve (a target beyond the reactor's range) and properties
that say nothing about the target. Sets made in the mode `mended` hold none of the former.
"""

from __future__ import annotations

from assay.suites.causalab.metrics.imec import Evidence, consistent_parents
from assay.suites.causalab.model.scm import Model, is_acyclic
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.instances import manipulator_bases, reactor_bases, records
from assay.suites.causalab.simulation.laboratory import Manipulator
from assay.suites.causalab.simulation.reactor import solvable

PROBES = (15.0, 45.0, 85.0)
"""Values at which each controllable property is tried."""

ENUMERABLE = 10
"""Variables up to which sets of causes are enumerated; beyond, every cause must only have changed."""


def faults(model: Model, env_seed: int = 1) -> list[str]:
    """List the faults of a model; empty where it has none.

    `not acyclic`, `no finite values`, `beyond the reactor`, `target not identifiable` (the target's causes
    are not the only smallest set that explains what interventions on every property show).
    """
    if not is_acyclic(model.names, model.edges):
        return ["not acyclic"]
    try:
        crystal = Manipulator(model, dict(manipulator_bases(model, env_seed)))
        states, targets = [crystal.shown], []
        for value in PROBES[: 2 + model.quadratic]:
            for n, name in enumerate(model.controllable):
                states.append(crystal.intervene(name, value + n))
                targets.append(name)
        target = model.evaluate(dict(reactor_bases(model, env_seed)))[TARGET]
        evidence = Evidence(records(model, 2), states, targets)
    except ValueError:
        return ["no finite values"]
    problems = []
    if not solvable(target):
        problems.append("beyond the reactor")
    if not _identifiable(model, evidence):
        problems.append("target not identifiable")
    return problems


def _identifiable(model: Model, evidence: Evidence) -> bool:
    if len(model.names) > ENUMERABLE:
        return bool(model.parents[TARGET]) and all(
            len({state[parent] for state in evidence.states}) > 1 for parent in model.parents[TARGET]
        )
    wanted = sum(1 << model.names.index(parent) for parent in model.parents[TARGET])
    tolerance = 0.05
    explaining = consistent_parents(model.names, TARGET, evidence, False, model.quadratic, tolerance)
    smallest = min((mask.bit_count() for mask in explaining), default=0)
    return [mask for mask in explaining if mask.bit_count() == smallest] == [wanted]
