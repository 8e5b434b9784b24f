"""Structural causal models, evaluated as the released engine evaluates them (paper, section 3.1).

Every value is rounded to two decimals with Python's `round` before its children use it; integers stay
integers. A state lists the variables in the order in which a depth-first search over parents finishes them.
While H is not zero, the released engine uses another order (`Model.shifted_order`), which reveals H.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from assay.suites.causalab.model.disturbance import Disturbance
from assay.suites.causalab.model.expressions import Expression, ExpressionError
from assay.suites.causalab.model.variables import TARGET, base_key

Edge = tuple[str, str]
"""An edge as the names of its cause and its effect."""

Values = dict[str, float]
"""A state: the value of every variable, in the order in which they are listed."""


@dataclass(frozen=True)
class BaseDistribution:
    """Distribution of a base: `uniform`, `fixed`, or `normal` clipped to two bounds."""

    kind: Literal["uniform", "fixed", "normal"] = "uniform"
    low: float = 10
    high: float = 50
    centre: float = 30
    spread: float = 5

    def draw(self, chance: random.Random) -> float:
        """Draw one base."""
        if self.kind == "uniform":
            return chance.uniform(self.low, self.high)
        if self.kind == "fixed":
            return self.centre
        return min(self.high, max(self.low, chance.gauss(self.centre, self.spread)))


@dataclass(frozen=True)
class Variable:
    """One variable of a model. `computation` is None for roots; `base` is None if it is never drawn."""

    name: str
    display: str
    controllable: bool
    observable: bool
    base: BaseDistribution | None
    computation: Expression | None


@dataclass(frozen=True)
class Term:
    """One term of a computation: a coefficient times a parent to the first or second power."""

    parameter: str
    parent: str
    power: int


class EvaluationError(ValueError):
    """A computation has no value; the message names the variable and the reason."""


@dataclass(frozen=True)
class Model:
    """A structural causal model: variables in the order of its file, edges, parameters and budget.

    `raw` is the JSON object that the model was read from, in which it is also written.
    """

    graph_id: str
    variables: tuple[Variable, ...]
    edges: tuple[Edge, ...]
    params: Mapping[str, float]
    budget: int
    raw: Mapping[str, Any]
    disturbance: Disturbance | None = None

    # -------------------------------------------------------- structure

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All variables in the order of the file."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def properties(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name != TARGET)

    @cached_property
    def controllable(self) -> tuple[str, ...]:
        """The variables that can be set, in the order of the file."""
        return tuple(variable.name for variable in self.variables if variable.controllable)

    @cached_property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """The direct causes of each variable, in the order of the edges."""
        return direct_causes(self.names, self.edges)

    @cached_property
    def children(self) -> dict[str, tuple[str, ...]]:
        """The direct effects of each variable, in the order of the edges."""
        return direct_causes(self.names, [(b, a) for a, b in self.edges])

    @cached_property
    def quadratic(self) -> bool:
        """Whether any computation has a quadratic term."""
        return any(term.power == 2 for name in self.names for term in self.terms(name) or ())

    @cached_property
    def family(self) -> str:
        return "quadratic" if self.quadratic else "linear"

    @cached_property
    def target_is_parent(self) -> bool:
        """Whether the target may be a cause (FreqParent)."""
        return bool(self.raw.get("frequency_can_be_parent", False)) or bool(self.children[TARGET])

    @cached_property
    def listing(self) -> tuple[str, ...]:
        """The order in which values are computed and shown; each variable comes after its parents."""
        return tuple(_finished(self.names, self.parents))

    @cached_property
    def drawing_order(self) -> tuple[str, ...]:
        """The order in which bases are drawn: that in which a depth-first search over parents starts them."""
        seen: dict[str, None] = {}

        def walk(name: str) -> None:
            if name not in seen:
                seen[name] = None
                for parent in self.parents[name]:
                    walk(parent)

        for name in self.names:
            walk(name)
        return tuple(seen)

    @cached_property
    def shifted_order(self) -> tuple[str, ...]:
        """The order of a state while H is not zero: the reverse of a depth-first search over children."""
        return tuple(reversed(_finished(self.names, self.children)))

    def ancestors(self, name: str) -> frozenset[str]:
        """Return all direct and indirect causes of a variable."""
        return ancestors(self.edges, name)

    @cached_property
    def roots(self) -> frozenset[str]:
        """The ancestors of the target that have no causes."""
        return frozenset(name for name in self.ancestors(TARGET) if not self.parents[name])

    def terms(self, name: str) -> tuple[Term, ...] | None:
        """Return a computation as terms added to an intercept, or None if it has another form."""
        return self._forms[name]

    def products(self, name: str) -> Mapping[tuple[str, str], float]:
        """Return the coefficients of products of two causes, which only `model.mechanism` has."""
        return {}

    @cached_property
    def _forms(self) -> dict[str, tuple[Term, ...] | None]:
        return {variable.name: self._form(variable) for variable in self.variables}

    def _form(self, variable: Variable) -> tuple[Term, ...] | None:
        if variable.computation is None:
            return ()
        tree, summands = variable.computation.tree, []
        while tree[0] == "+":
            summands.append(tree[2])
            tree = tree[1]
        if tree not in (("name", "base"), ("name", base_key(variable.name))):
            return None
        terms = []
        for summand in reversed(summands):
            term = self._term(summand)
            if term is None:
                return None
            terms.append(term)
        return tuple(terms)

    def _term(self, tree: tuple[Any, ...]) -> Term | None:
        if tree[0] != "*" or tree[1][0] != "name" or tree[1][1] not in self.params:
            return None
        coefficient, factor = tree[1][1], tree[2]
        if factor[0] == "name" and factor[1] in self.by_name:
            return Term(coefficient, factor[1], 1)
        if factor[0] == "power" and factor[1][0] == "name" and factor[2] == ("number", 2):
            return Term(coefficient, factor[1][1], 2) if factor[1][1] in self.by_name else None
        return None

    # -------------------------------------------------------- evaluation

    @cached_property
    def _steps(self) -> dict[str, Any]:
        """For each variable: the variable, its terms or else its expression, and its base in the file."""
        steps: dict[str, Any] = {}
        for variable in self.variables:
            name = variable.name
            terms = self._forms[name]
            file_base = self.params.get(base_key(name), self.params.get("base"))
            if variable.computation is None:
                steps[name] = (variable, None, None, file_base)
            elif terms is None or file_base is None:
                steps[name] = (variable, None, variable.computation, file_base)
            else:
                plain = tuple((self.params[t.parameter], t.parent, t.power == 2) for t in terms)
                steps[name] = (variable, plain, None, file_base)
        return steps

    def own_value(self, name: str, base: float | None, values: Mapping[str, float]) -> float:
        """Return a variable's value before rounding, given its base and its parents' values."""
        variable, plain, expression, file_base = self._steps[name]
        if not variable.controllable or base is None:
            base = file_base if variable.computation is not None else base
        if plain is not None:
            total: float = base if base is not None else 0
            for coefficient, parent, square in plain:
                value = values[parent]
                total = total + coefficient * (value * value if square else value)
            return total
        if expression is None:
            if base is None:
                raise EvaluationError(f"{name} has no base")
            return base
        known = {**self.params, **{parent: values[parent] for parent in self.parents[name]}}
        if base is not None:
            known["base"] = known[base_key(name)] = base
        try:
            result: float = expression.evaluate(known)
        except ExpressionError as problem:
            raise EvaluationError(f"{name}: {expression.text!r}: {problem}") from problem
        return result

    def evaluate(self, bases: Mapping[str, float]) -> Values:
        """Return all values of a crystal without H, given the bases of its controllable variables.

        Raises `EvaluationError` if a value is not finite.
        """
        values: Values = {}
        for name, controllable, plain, fallback in self._plan:
            base = bases.get(name) if controllable else fallback
            if plain is None or base is None:
                value = self.own_value(name, base, values)
            else:
                value = base
                for coefficient, parent, square in plain:
                    cause = values[parent]
                    value = value + coefficient * (cause * cause if square else cause)
            # This difference is 0 for finite numbers and NaN for the infinities and NaN.
            if value - value != 0:
                raise EvaluationError(f"{name}: the value is not a finite number")
            values[name] = round(value, 2)
        return values

    @cached_property
    def _plan(self) -> tuple[tuple[str, bool, Any, float | None], ...]:
        """Name, controllability, terms and base in the file of each variable, in the order of `listing`."""
        plan = []
        for name in self.listing:
            variable, plain, _, file_base = self._steps[name]
            root = variable.computation is None
            plan.append((name, variable.controllable, () if root else plain, file_base))
        return tuple(plan)

    def evaluate_shifted(self, bases: Mapping[str, float], delta: float) -> Values:
        """Return all values with the affected variables shifted by `delta`, in the order `shifted_order`."""
        if delta == 0 or self.disturbance is None:
            return self.evaluate(bases)
        affected = self.disturbance.affected
        values: Values = {}
        for name in self.shifted_order:
            value = self.own_value(name, bases.get(name), values)
            if value - value != 0:
                raise EvaluationError(f"{name}: the value is not a finite number")
            value = round(value, 2)
            values[name] = round(value + delta, 2) if name in affected else value
        return values

    def drawn_bases(self, chance: random.Random) -> Values:
        """Draw a base from each controllable variable's distribution, in the engine's order."""
        bases = {}
        for name in self.drawing_order:
            base = self.by_name[name].base
            if base is not None and self.by_name[name].controllable:
                bases[name] = base.draw(chance)
        return bases

    def inferred_bases(self, values: Mapping[str, float]) -> Values:
        """Return the bases implied by a state: a root's value, or a value minus its parents' contribution."""
        bases: Values = {}
        for name in self.controllable:
            if self.by_name[name].computation is None:
                bases[name] = values[name]
            else:
                bases[name] = round(values[name] - self.own_value(name, 0, values), 2)
        return bases


def direct_causes(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, tuple[str, ...]]:
    """Return the direct causes of each variable, in the order of the edges."""
    parents: dict[str, list[str]] = {name: [] for name in names}
    for a, b in edges:
        parents[b].append(a)
    return {name: tuple(causes) for name, causes in parents.items()}


def _finished(names: Sequence[str], following: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the variables in the order in which a depth-first search along `following` finishes them."""
    done: dict[str, None] = {}

    def walk(name: str) -> None:
        if name not in done:
            for other in following[name]:
                walk(other)
            done[name] = None

    for name in names:
        walk(name)
    return list(done)


def ancestors(edges: Collection[Edge], name: str) -> frozenset[str]:
    """Return all direct and indirect causes of a variable; it is its own cause only on a cycle."""
    known: set[str] = set()
    fresh = {name}
    while fresh:
        fresh = {a for a, b in edges if b in fresh} - known
        known |= fresh
    return frozenset(known)


def is_acyclic(names: Sequence[str], edges: Sequence[Edge]) -> bool:
    """Tell whether the graph has no directed cycle."""
    waiting = dict.fromkeys(names, 0)
    for _, b in edges:
        waiting[b] += 1
    free = [name for name in names if waiting[name] == 0]
    done = 0
    children: dict[str, list[str]] = {}
    for a, b in edges:
        children.setdefault(a, []).append(b)
    while free:
        done += 1
        for child in children.get(free.pop(), ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                free.append(child)
    return done == len(waiting)
