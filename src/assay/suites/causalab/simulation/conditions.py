"""Under what conditions an episode is played: regime, budgets, front end, modes; fixed by its task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from assay import canonical
from assay.suites.causalab.model import disturbance
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation import golden, instances
from assay.suites.causalab.simulation.laboratory import Laboratory, Manipulator, Semantics
from assay.suites.causalab.simulation.reactor import SUBMISSIONS, TOLERANCE, Mode, Reactor
from assay.task import Task

Verification = Literal["none", "prompt", "intercept"]
"""Check of the equation: none, a sentence in the brief, or one interruption before the agent commits."""

REPROMPTS = 2
"""Number of times that a record that breaks a rule may be written again."""


@dataclass(frozen=True)
class Conditions:
    """The rules of an episode that differ between tasks.

    `records` prior records, `budget` interventions, `steps` records that may be written. With `initial_state`
    the brief shows the manipulator's state; without, it is seen after the first intervention only.
    """

    records: int
    budget: int
    steps: int
    front: Literal["text", "embodied"] = "text"
    mode: Mode = "compat"
    semantics: Semantics = "setpoint"
    verification: Verification = "none"
    initial_state: bool = True
    submissions: int = SUBMISSIONS
    tolerance: float = TOLERANCE
    env_seed: int = 1
    record_seed: int = instances.RECORD_SEED

    def to_json(self) -> dict[str, Any]:
        """The conditions as a JSON object."""
        return asdict(self)


def step_cap(nodes: int, interventions: int, flat: bool) -> int:
    """The released caps on steps: a number by size, plus 24 (`flat`) or plus two an intervention.

    Beyond seven variables, the larger of both.
    """
    start = 25 + nodes
    if nodes > 7:
        return start + max(24, 2 * interventions)
    return start + (24 if flat else 2 * interventions)


class Setup:
    """The truth of one task: its model, its conditions, and what an episode with it begins with."""

    def __init__(self, task: Task) -> None:
        order = tuple(name for name, _ in task.public["variables"])
        self.model = _model(canonical.dumps(task.hidden["model"]), order)
        self.conditions = Conditions(**task.public["conditions"])

    @cached_property
    def records(self) -> list[Values]:
        return instances.records(self.model, self.conditions.records, self.conditions.record_seed)

    @cached_property
    def golden(self) -> list[golden.Item]:
        """The golden trace; empty where the model has none."""
        return golden.items_of(self.model)

    @cached_property
    def initial(self) -> Values:
        bases = instances.manipulator_bases(self.model, self.conditions.env_seed)
        return self.model.evaluate(dict(bases))

    @cached_property
    def reactor(self) -> Values:
        return self.model.evaluate(dict(instances.reactor_bases(self.model, self.conditions.env_seed)))

    @property
    def target(self) -> float:
        return float(self.reactor[TARGET])

    def observed(self, values: Mapping[str, float]) -> Values:
        """Return the observable part of a state, in the order of the listing."""
        return {name: value for name, value in values.items() if self.model.by_name[name].observable}

    def laboratory(self) -> Laboratory:
        """Set up a new laboratory for one episode."""
        model, conditions = self.model, self.conditions
        hidden = None
        if model.disturbance is not None:
            hidden = disturbance.sequence(model.disturbance.values, model.graph_id, conditions.env_seed)
        bases = instances.manipulator_bases(model, conditions.env_seed)
        properties = {name: value for name, value in self.observed(self.reactor).items() if name != TARGET}
        return Laboratory(
            Manipulator(model, dict(bases), conditions.semantics, hidden),
            Reactor(self.target, conditions.mode, conditions.submissions),
            properties,
            conditions.budget,
        )


@lru_cache(maxsize=64)
def _model(text: str, order: tuple[str, ...]) -> Model:
    """The model of a task; the order of its variables matters, and a task's JSON is sorted by key."""
    value = canonical.loads(text)
    if set(order) != set(value["nodes"]):
        raise ValueError("its public variables are not those of its model")
    nodes = {name: value["nodes"][name] for name in order}
    return model_of({**value, "nodes": nodes}, "the task's model")
