"""Reading and writing of the released configuration files, which hold one JSON object per line.

Every rule of the format is checked. A violation raises a `ModelError` that names file, line, field and rule.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError, WriteError
from assay.suites.causalab.model import disturbance
from assay.suites.causalab.model.expressions import Expression, ExpressionError, parse
from assay.suites.causalab.model.mechanism import CYCLIC, Mechanism
from assay.suites.causalab.model.scm import (
    BaseDistribution,
    Edge,
    EvaluationError,
    Model,
    Variable,
    direct_causes,
    is_acyclic,
)
from assay.suites.causalab.model.variables import TARGET, base_key

_NAME = re.compile(r"[^\W\d]\w*")

LONGEST_LINE = 1_000_000
"""Largest number of characters in one line; a model of fifty variables takes about ten thousand."""


class ModelError(AssayError):
    """A model breaks a rule of the configuration format."""


class _Broken(Exception):
    """A field breaks a rule; `model_of` adds the place in the file."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(field, rule)
        self.field = field
        self.rule = rule


def read_models(path: Path) -> list[Model]:
    """Return all models of a file in order; raises `ModelError` at the first line that breaks a rule."""
    return [model_of(value, where) for where, value in _objects(path)]


def read_model(path: Path, line: int) -> Model:
    """Return the model in one line, counted from 1; raises `ModelError` if there is no such line."""
    n = 0
    for n, (where, value) in enumerate(_objects(path), 1):
        if n == line:
            return model_of(value, where)
    raise ModelError(f"{path}, line {line}: the file has {n} models", "give a line from 1 to that number")


def write_models(path: Path, models: Iterable[Model]) -> None:
    """Write one model per line; raises `WriteError` if the file cannot be written."""
    try:
        with path.open("w", encoding="utf-8", newline="\n") as out:
            for model in models:
                out.write(model_line(model) + "\n")
    except OSError as problem:
        raise WriteError(
            f"{path} could not be written ({problem.strerror})", "make room, or choose another place"
        ) from problem


def model_line(model: Model) -> str:
    """Return a model as one line of a file."""
    return json.dumps(model.raw, ensure_ascii=False, allow_nan=False)


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise ModelError(
            f"{path} cannot be read ({problem.strerror})", "give the path of a file of models, one a line"
        ) from problem
    except UnicodeDecodeError as problem:
        raise ModelError(
            f"{path} is not UTF-8 text", "give a file of models, one JSON object a line"
        ) from problem
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, _json(line, where)


def _json(line: str, where: str) -> Any:
    if len(line) > LONGEST_LINE:
        raise ModelError(f"{where}: longer than {LONGEST_LINE} characters", "write one model a line")
    strange = False

    def number(text: str) -> float:
        nonlocal strange
        parsed = float(text)
        strange = strange or not math.isfinite(parsed)
        return parsed

    try:
        value = json.loads(line, parse_float=number, parse_constant=number, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else problem
        raise ModelError(
            f"{where}: not a JSON object ({reason})", "restore the line: it may be cut, or not one object"
        ) from problem
    if strange:
        field, offender = next((place, f) for place, f in _floats(value) if not math.isfinite(f))
        raise ModelError(f"{where}: {field}: {offender} is not a finite number", "give a number there")
    return value


def _floats(value: Any) -> Iterator[tuple[str, float]]:
    """Yield the path and value of every float in a JSON value."""
    waiting = [("", value)]
    while waiting:
        place, inside = waiting.pop()
        if isinstance(inside, float):
            yield place, inside
        elif isinstance(inside, dict):
            waiting += [(f"{place}.{key}" if place else key, inner) for key, inner in inside.items()]
        elif isinstance(inside, list):
            waiting += [(f"{place}[{n}]", inner) for n, inner in enumerate(inside)]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value


def model_of(value: Any, where: str) -> Model:
    """Return the model in a JSON object; raises a `ModelError` that names `where` if a rule is broken."""
    try:
        return _model(value)
    except _Broken as broken:
        raise ModelError(
            f"{where}: {broken.field}: {broken.rule}", "correct that field (docs/causalab.md has the format)"
        ) from broken


def _model(value: Any) -> Model:
    if not isinstance(value, dict):
        raise _Broken("the line", "a model is a JSON object")
    graph_id = _field(value, "graph_id", str, "a text")
    nodes = _field(value, "nodes", dict, "an object with one entry a variable")
    params = _params(_field(value, "params", dict, "an object of numbers"))
    edges = _edges(_field(value, "edges", list, "a list of {from, to}"), nodes)
    budget = _field(value, "budget", int, "a whole number, not negative")
    if isinstance(budget, bool) or not 0 <= budget < 10**6:
        raise _Broken("budget", "must be a whole number, not negative")
    if TARGET not in nodes:
        raise _Broken("nodes", f"the target {TARGET!r} is missing")
    parents = direct_causes(tuple(nodes), edges)
    variables = tuple(_variable(name, node, params, parents[name]) for name, node in nodes.items())
    mechanism = value.get("mechanism") is not None
    cyclic = mechanism and value.get("equation_family") == CYCLIC
    if not cyclic and not is_acyclic(tuple(nodes), edges):
        raise _Broken("edges", "the graph has a directed cycle")
    if not any(to == TARGET for _, to in edges):
        raise _Broken("edges", f"{TARGET} has no cause")
    model = (Mechanism if mechanism else Model)(
        graph_id=graph_id,
        variables=variables,
        edges=edges,
        params=params,
        budget=budget,
        raw=value,
        disturbance=_disturbance(value, tuple(nodes)),
    )
    _check_presets(value, model.controllable)
    _evaluates(model)
    return model


def _check_presets(value: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Check that each preset crystal of a hard-quadratic model has a base for every variable in `names`."""
    metadata = value.get("quadratic_metadata", {})
    if not isinstance(metadata, dict):
        raise _Broken("quadratic_metadata", "must be an object")
    presets = metadata.get("observation_presets", [])
    if not isinstance(presets, list):
        raise _Broken("quadratic_metadata.observation_presets", "must be a list")
    named = {f"observation_presets[{n}]": preset for n, preset in enumerate(presets)}
    named |= {key: metadata[key] for key in ("property_manipulator", "reactor") if key in metadata}
    for key, preset in named.items():
        if not isinstance(preset, dict) or not all(is_number(preset.get(name)) for name in names):
            raise _Broken(f"quadratic_metadata.{key}", "must be an object with a number for each property")


def _field(value: Mapping[str, Any], key: str, kind: type, rule: str) -> Any:
    if key not in value:
        raise _Broken(key, "the field is missing")
    if not isinstance(value[key], kind):
        raise _Broken(key, f"must be {rule}")
    return value[key]


def is_number(value: Any) -> bool:
    """Tell whether a JSON value is a finite number that a float can represent."""
    kind = type(value)  # unlike isinstance, this excludes bool
    if kind is float:
        return math.isfinite(value)
    return kind is int and abs(value) < 1e300


def _params(value: Mapping[str, Any]) -> dict[str, float]:
    for name, number in value.items():
        if not is_number(number):
            raise _Broken(f"params.{name}", "must be a finite number")
    return dict(value)


def _edges(value: list[Any], nodes: Mapping[str, Any]) -> tuple[Edge, ...]:
    edges: dict[Edge, None] = {}
    for n, edge in enumerate(value):
        place = f"edges[{n}]"
        if not isinstance(edge, dict) or not {"from", "to"} <= edge.keys():
            raise _Broken(place, "must be an object with the keys from and to")
        for end in ("from", "to"):
            if not isinstance(edge[end], str) or edge[end] not in nodes:
                raise _Broken(f"{place}.{end}", f"{edge[end]!r:.60} is no variable of this model")
        pair = (edge["from"], edge["to"])
        if pair[0] == pair[1]:
            raise _Broken(place, f"{pair[0]} cannot be its own cause")
        if pair in edges:
            raise _Broken(place, f"{pair[0]} -> {pair[1]} is there twice")
        edges[pair] = None
    return tuple(edges)


def _variable(name: str, node: Any, params: Mapping[str, float], parents: tuple[str, ...]) -> Variable:
    place = f"nodes.{name}"
    if not _NAME.fullmatch(name):
        raise _Broken(place, "a variable's name has letters, digits and underscores only")
    if not isinstance(node, dict):
        raise _Broken(place, "must be an object")
    flags = {"is_controllable": False, "observable": True}
    for flag in flags:
        if flag in node:
            if not isinstance(node[flag], bool):
                raise _Broken(f"{place}.{flag}", "must be true or false")
            flags[flag] = node[flag]
    computation = _computation(name, node.get("computation"), parents, params)
    controllable = flags["is_controllable"]
    if computation is None and not controllable:
        raise _Broken(f"{place}.computation", "a variable that is not controllable needs a computation")
    if computation is None and parents:
        raise _Broken(f"{place}.computation", "a variable with causes needs a computation")
    if name == TARGET and controllable:
        raise _Broken(f"{place}.is_controllable", "the target is never controllable")
    display = node.get("display_name", name)
    if not isinstance(display, str):
        raise _Broken(f"{place}.display_name", "must be a text")
    base = _base(f"{place}.base_value", node["base_value"]) if "base_value" in node else None
    return Variable(
        name=name,
        display=display,
        controllable=controllable,
        observable=flags["observable"],
        base=base or (BaseDistribution() if controllable else None),
        computation=computation,
    )


def _computation(
    name: str, text: Any, parents: tuple[str, ...], params: Mapping[str, float]
) -> Expression | None:
    if text is None:
        return None
    place = f"nodes.{name}.computation"
    if not isinstance(text, str):
        raise _Broken(place, "must be a text")
    try:
        expression = parse(text)
    except ExpressionError as problem:
        raise _Broken(place, f"{text[:200]!r}: {problem}") from problem
    for symbol in expression.names:
        if symbol not in params and symbol not in parents and symbol not in ("base", base_key(name)):
            raise _Broken(
                place, f"{text[:200]!r}: {symbol!r:.60} is neither a cause of {name} nor a parameter"
            )
    return expression


_BASES = {
    "uniform": {"min": 10, "max": 50},
    "fixed": {"value": 20},
    "normal": {"mean": 30, "std": 5, "min": 0, "max": 100},
}
"""Parameters of each kind of base distribution, with their default values."""


def _base(place: str, value: Any) -> BaseDistribution:
    if not isinstance(value, dict):
        raise _Broken(place, "must be an object")
    kind = value.get("type", "uniform")
    if not isinstance(kind, str) or kind not in _BASES:
        raise _Broken(f"{place}.type", "must be uniform, fixed or normal")
    numbers = {}
    for key, default in _BASES[kind].items():
        numbers[key] = value.get(key, default)
        if not is_number(numbers[key]):
            raise _Broken(f"{place}.{key}", "must be a finite number")
    if kind != "fixed" and numbers["min"] > numbers["max"]:
        raise _Broken(f"{place}.min", "must not be above max")
    if kind == "uniform":
        return BaseDistribution("uniform", numbers["min"], numbers["max"])
    if kind == "fixed":
        return BaseDistribution("fixed", centre=numbers["value"])
    if numbers["std"] < 0:
        raise _Broken(f"{place}.std", "must not be negative")
    return BaseDistribution("normal", numbers["min"], numbers["max"], numbers["mean"], numbers["std"])


def _disturbance(value: Mapping[str, Any], names: tuple[str, ...]) -> disturbance.Disturbance | None:
    if value.get("hidden_variable") is None:
        return None
    hidden = value["hidden_variable"]
    place = "hidden_variable"
    if not isinstance(hidden, dict):
        raise _Broken(place, "must be an object")
    if not isinstance(hidden.get("enabled", True), bool):
        raise _Broken(f"{place}.enabled", "must be true or false")
    for key in ("value_space", "affected_nodes"):
        if not isinstance(hidden.get(key), list) or not hidden[key]:
            raise _Broken(f"{place}.{key}", "must be a list that is not empty")
    if not all(is_number(number) for number in hidden["value_space"]):
        raise _Broken(f"{place}.value_space", "must hold finite numbers")
    for name in hidden["affected_nodes"]:
        if name not in names:
            raise _Broken(f"{place}.affected_nodes", f"{name!r:.60} is no variable of this model")
    for key in ("edge_weight", "initial_value"):
        if not is_number(hidden.get(key, 0)):
            raise _Broken(f"{place}.{key}", "must be a finite number")
    return disturbance.from_json(hidden)


def _evaluates(model: Model) -> None:
    """Check that all computations give finite values when every base is 1."""
    try:
        model.evaluate(dict.fromkeys(model.controllable, 1))
    except KeyError as problem:
        raise _Broken("params", f"{problem} is missing, which a model with a mechanism needs") from problem
    except EvaluationError as problem:
        name = str(problem).partition(":")[0]
        raise _Broken(f"nodes.{name}.computation", f"cannot be evaluated ({problem})") from problem
