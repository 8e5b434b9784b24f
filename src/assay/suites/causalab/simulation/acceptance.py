"""Requirements that a model must meet for a fair episode.

The released files hold models that no agent can solve, because the target is beyond the reactor's range, and
models whose target equation cannot be identified. Sets generated with `mended` contain neither.
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
"""Largest number of variables for which sets of causes are enumerated.

In larger models the target counts as identifiable if every direct cause of it has changed.
"""


def faults(model: Model, env_seed: int = 1) -> list[str]:
    """Return the faults of a model as a list of phrases, which is empty for an acceptable model.

    The faults are `not acyclic`, `no finite values`, `beyond the reactor` and `target not identifiable`. The
    last means that the target's causes are not the only smallest set that explains interventions on every
    property.
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
