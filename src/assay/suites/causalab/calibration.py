"""Difficulty of a task: size and shape of its graph, and the range of its reactor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.protocol import Materials, Measure
from assay.suites.causalab.metrics.imec import imec_targets
from assay.suites.causalab.model.topology import pairs
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation import instances
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.reactor import solvable
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Measure how hard a task is.

    Args:
        task: The task.
        settings: `env_seeds`, the number of reactor crystals tried.
        materials: Not used by this suite.

    Yields:
        Size and shape of the graph, the number of structures that are compatible with data without
        interventions, and the reactor's range. `reachable` is the share of crystals whose frequency the
        reactor can accept, `relevant` the share of properties that are direct or indirect causes of the
        target.
    """
    setup = Setup(task)
    model, mode = setup.model, setup.conditions.mode
    forks, colliders, _, _ = pairs(model.names, model.edges)
    # The crystals of a sealed task are its own; others would need the scales that it keeps.
    targets = [setup.target] if setup.sealed else []
    for seed in range(1, 1 if setup.sealed else settings["env_seeds"] + 1):
        targets.append(model.evaluate(dict(instances.reactor_bases(model, seed)))[TARGET])
    yield Measure("edges", float(len(model.edges)))
    yield Measure("forks", float(forks))
    yield Measure("colliders", float(colliders))
    yield Measure("target_causes", float(len(model.parents[TARGET])))
    yield Measure("relevant", len(model.ancestors(TARGET) - {TARGET}) / len(model.properties))
    for name, sink in (("structures", False), ("structures_sink", True)):
        defined = "imec_targets" not in setup.inapplicable
        yield Measure(name, imec_targets(model.names, model.edges, (), sink=sink).count if defined else None)
    yield Measure("solvable", float(solvable(setup.target, mode)))
    yield Measure("reachable", math.fsum(solvable(target, mode) for target in targets) / len(targets))
    yield Measure("target", setup.target)
    yield Measure("interventions_needed", float(len(model.controllable)))
    density = len(model.edges) / (len(model.names) * (len(model.names) - 1) / 2)
    yield Measure("band", label="dense" if density > 0.8 else "sparse" if density < 0.5 else "middle")
