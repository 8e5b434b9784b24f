"""The conditions of an episode, which its task fixes: regime, budgets, front end and modes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from assay import canonical
from assay.suites.causalab.beyond import crystal
from assay.suites.causalab.beyond.rules import Rules
from assay.suites.causalab.dsl import PLAIN, Form
from assay.suites.causalab.model import disturbance
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.mechanism import Mechanism
from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation import golden, instances
from assay.suites.causalab.simulation.laboratory import Laboratory, Manipulator, Semantics
from assay.suites.causalab.simulation.reactor import SUBMISSIONS, TOLERANCE, Mode, Reactor
from assay.task import Task

Verification = Literal["none", "prompt", "intercept"]
"""How the equation is checked: not at all, by a sentence in the brief, or by one interruption before the
reactor opens."""

Profile = Literal["ours", "paper"]
"""The profile of the prompt: ours, shown once, or that of the paper's appendix A.4, shown at each step."""

PUBLIC_SEEDS = ("env_seed", "record_seed")

REPROMPTS = 2
"""Number of times that an invalid record may be rewritten before the step is lost."""


@dataclass(frozen=True)
class Conditions:
    """The rules of an episode that differ between tasks.

    `records` is the number of prior records that are shown, `budget` the number of interventions and `steps`
    the number of records that the agent may write. With `initial_state` the brief shows the manipulator's
    state; otherwise it is first shown after an intervention.
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
    profile: Profile = "ours"

    def to_json(self, *, sealed: bool = False) -> dict[str, Any]:
        """Return the conditions as a JSON object.

        A sealed task has no seeds in its public half. The profile is named if it is not ours, so that
        older tasks keep their bytes.
        """
        values = asdict(self)
        if values["profile"] == "ours":
            del values["profile"]
        return {name: values[name] for name in values if not (sealed and name in PUBLIC_SEEDS)}


def step_cap(nodes: int, interventions: int, flat: bool) -> int:
    """Return the released limit of steps.

    It is 25 + `nodes`, plus 24 if `flat`, otherwise plus two per intervention. With more than seven variables
    the larger of both additions counts.
    """
    start = 25 + nodes
    if nodes > 7:
        return start + max(24, 2 * interventions)
    return start + (24 if flat else 2 * interventions)


def shown(values: Mapping[str, float], names: Sequence[str]) -> Values:
    """Return a state as an agent sees it: every number a float, in alphabetical order of the names.

    Whether a number is whole, and the order of a listing, would otherwise tell which variables have causes.
    """
    return {name: float(values[name]) + 0.0 for name in sorted(names)}


class Setup:
    """One task with its hidden truth: model, conditions and the initial states of an episode."""

    def __init__(self, task: Task) -> None:
        order = tuple(name for name, _ in task.public["variables"])
        self.model = _model(canonical.dumps(task.hidden["model"]), order)
        self.conditions = Conditions(**task.public["conditions"])
        self.crystals: Mapping[str, Any] | None = task.hidden.get("crystals")
        rules = task.public.get("rules")
        self.rules = None if rules is None else Rules(**rules)

    @property
    def sealed(self) -> bool:
        """Whether the crystals were drawn for this task alone (`simulation.sealed`).

        Those of a run of the paper's harness stand in the hidden half, too, but were read from its log.
        """
        return self.crystals is not None and not self.logged

    @property
    def logged(self) -> bool:
        """Whether this is the task of a run of the paper's harness (`original.tasks`)."""
        return self.crystals is not None and "logged" in self.crystals

    @property
    def mechanism(self) -> Mechanism:
        """The model of a task beyond the paper's families."""
        kind = "" if self.rules is None else self.rules.kind
        if not isinstance(self.model, Mechanism) or self.model.raw["mechanism"] != kind:
            raise ValueError(f"its rules are of the setting {kind!r}, its model is of another")
        return self.model

    @property
    def form(self) -> Form:
        """What a hypothesis may hold beyond an acyclic graph and one term a cause."""
        return PLAIN if self.rules is None else Form(self.rules.cyclic, self.rules.products)

    @property
    def inapplicable(self) -> frozenset[str]:
        """The metrics that say nothing in this task."""
        return frozenset() if self.rules is None else self.rules.inapplicable

    @cached_property
    def records(self) -> list[Values]:
        if self.crystals is not None and self.rules is not None:
            seed = self.crystals["disturbances"]
            numbered = enumerate(self.crystals["records"])
            return [crystal.record(self.mechanism, self.rules, bases, seed, n) for n, bases in numbered]
        if self.crystals is not None:
            return [self.model.evaluate(bases) for bases in self.crystals["records"]]
        return instances.records(self.model, self.conditions.records, self.conditions.record_seed)

    @cached_property
    def golden(self) -> list[golden.Item]:
        """The golden trace, which is empty if the model has none."""
        return golden.items_of(self.model)

    @cached_property
    def manipulator_bases(self) -> Mapping[str, float]:
        if self.crystals is not None:
            bases: Mapping[str, float] = self.crystals["manipulator"]
            return bases
        return instances.manipulator_bases(self.model, self.conditions.env_seed)

    @cached_property
    def initial(self) -> Values:
        return self.model.evaluate(dict(self.manipulator_bases))

    @cached_property
    def reactor(self) -> Values:
        if self.crystals is not None and self.rules is not None:
            return crystal.reactor(self.mechanism, self.crystals["reactor"], self.crystals["disturbances"])
        if self.crystals is not None:
            return self.model.evaluate(self.crystals["reactor"])
        return self.model.evaluate(dict(instances.reactor_bases(self.model, self.conditions.env_seed)))

    @property
    def target(self) -> float:
        return float(self.reactor[TARGET])

    def observed(self, values: Mapping[str, float]) -> Values:
        """Return the observable values of a state, as they are shown."""
        visible = [name for name in values if self.model.by_name[name].observable]
        return shown(values, visible) if self.sealed else {name: values[name] for name in visible}

    def laboratory(self) -> Laboratory:
        """Return a new laboratory for one episode."""
        model, conditions = self.model, self.conditions
        hidden = None
        if model.disturbance is not None:
            key = f"{model.graph_id}|{conditions.env_seed}|H"
            drawn = None if self.crystals is None else self.crystals["disturbances"]
            hidden = (
                itertools.chain(drawn, itertools.repeat(0.0))
                if isinstance(drawn, list)
                else disturbance.sequence(model.disturbance.values, key if drawn is None else str(drawn))
            )
        properties = {name: value for name, value in self.observed(self.reactor).items() if name != TARGET}
        bases = dict(self.manipulator_bases)
        if self.rules is not None and self.crystals is not None:
            manipulator: Manipulator = crystal.Crystal(
                model, bases, rules=self.rules, seed=self.crystals["disturbances"]
            )
        else:
            manipulator = Manipulator(model, bases, conditions.semantics, hidden)
        return Laboratory(
            manipulator,
            Reactor(self.target, conditions.mode, conditions.submissions),
            properties,
            conditions.budget,
        )


def setup_of(task: Task) -> Setup:
    """Return the setup of a task. World, scoring and audit of an episode share one, which nobody changes."""
    global _latest
    if _latest is None or _latest[0] is not task:
        _latest = (task, Setup(task))
    return _latest[1]


_latest: tuple[Task, Setup] | None = None


@lru_cache(maxsize=1024)  # several agents play the tasks of a set one after another in a job
def _model(text: str, order: tuple[str, ...]) -> Model:
    """Return the model of a task with its variables in `order`, which the sorted JSON of a task loses."""
    value = canonical.loads(text)
    if set(order) != set(value["nodes"]):
        raise ValueError("its public variables are not those of its model")
    nodes = {name: value["nodes"][name] for name in order}
    return model_of({**value, "nodes": nodes}, "the task's model")
