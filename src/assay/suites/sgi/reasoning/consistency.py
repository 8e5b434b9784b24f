"""Whether an answer follows from the readings that a reply itself reports.

Formulas are arithmetic in a small language, evaluated without `eval`. Names are readings (`r0`, `r1`, ...)
and numbers that the question gives. Functions are `exp`, `log`, `log2`, `sqrt`, `sin` (of degrees), `abs` and
`change`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers import portable
from assay.suites.sgi.metrics.reasoning import letter, reading_key
from assay.suites.sgi.text.quantities import decimal, folded

DATA_FILES = ("formulas.yaml",)

Answer = float | str


def formula_of(item: Mapping[str, Any]) -> Callable[[list[Any]], str | None] | None:
    """From readings to the letter of the option that the item's formula selects; null without a formula.

    The letter is null where a reading is missing, the formula makes nothing of them, or no option is near.
    """
    template = _templates().get(item.get("x_template", ""))
    if template is None:
        return None

    def selected(given: list[Any]) -> str | None:
        values = reported(item["x_readings"], given)
        if values is None:
            return None
        try:
            found = nearest(item["options"], _answer(template, item["x_fields"], values))
        except ValueError:
            return None
        return None if found is None else letter(found)

    return selected


@cache
def _templates() -> Mapping[str, Mapping[str, Any]]:
    """The formula of each template of questions, and the causes that its words stand for."""
    found: Mapping[str, Mapping[str, Any]] = yaml.read(Path(__file__).with_name("formulas.yaml"))
    return found


def _answer(template: Mapping[str, Any], fields: Mapping[str, Any], values: Sequence[float]) -> Answer:
    """What the formula makes of readings: a number, or a cause; `ValueError` where it makes nothing."""
    names = {name: value for name, value in fields.items() if not isinstance(value, str)}
    found = _result(template["formula"], {**names, **{f"r{k}": value for k, value in enumerate(values)}})
    if causes := template.get("causes"):
        if found not in causes:
            raise ValueError(f"no known cause has the effects {found}")
        return str(causes[found])
    return float(found)


def number(option: str) -> float | None:
    """The number that an option begins with; null where it begins with none."""
    value = decimal(folded(option.split(" ")[0]))
    return None if value is None else float(value)


def nearest(options: Sequence[str], found: Answer) -> int | None:
    """The option that an answer selects, counted from 0; null where it selects none.

    A number selects the nearest option if that is nearer than half the smallest gap between options, words
    select their like.
    """
    if isinstance(found, str):
        return next((k for k, o in enumerate(options) if o.casefold() == found.casefold()), None)
    values = [number(option) for option in options]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    ordered = sorted(numbers)
    gap = min(b - a for a, b in pairwise(ordered))
    best = min(range(len(numbers)), key=lambda k: (abs(numbers[k] - found), k))
    return best if abs(numbers[best] - found) < gap / 2 else None


def reported(asked: Sequence[Mapping[str, Any]], given: Sequence[Any]) -> list[float] | None:
    """The values of a reply's own readings in the order asked for; null where one is missing.

    Panel and quantity are compared casefolded; of a repeated reading the first counts.
    """
    found: dict[tuple[str, str], float] = {}
    for reading in given:
        if not isinstance(reading, dict):
            continue
        value = decimal(folded(str(reading.get("value", ""))).strip())
        if value is not None:
            found.setdefault(reading_key(reading), float(value))
    values = [found.get(reading_key(want)) for want in asked]
    return None if None in values else [value for value in values if value is not None]


SAME = 0.1
"""What `change` takes for no change: a tenth."""


def change(before: float, after: float) -> str:
    """`rises`, `falls` or `stays`, by more than a tenth of the value before."""
    if abs(after - before) <= SAME * abs(before):
        return "stays"
    return "rises" if after > before else "falls"


def _log(x: float) -> float:
    if x <= 0:
        raise ValueError("the logarithm of a number that is not positive")
    return portable.log(x)


def _exp(x: float) -> float:
    if abs(x) > 700:
        raise ValueError("an exponent beyond all readings")
    return portable.exp(x)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": _exp,
    "log": _log,
    "log2": lambda x: _log(x) / portable.log(2.0),
    "sqrt": math.sqrt,
    "sin": lambda degrees: portable.sincos(degrees * math.pi / 180)[0],
    "abs": abs,
    "change": change,
}

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _result(formula: str, names: Mapping[str, Any]) -> Any:
    """The value of a formula: a number, or words joined by `/` where it compares.

    `ValueError` where a name is missing, a number is out of range, or the text is no formula.
    """
    try:
        found = _value(_tree(formula), names)
    except (KeyError, TypeError, ValueError, ArithmeticError, SyntaxError) as problem:
        raise ValueError(f"{formula} has no value here: {problem!r}") from problem
    if isinstance(found, float) and not math.isfinite(found):
        raise ValueError(f"{formula} has no value here: no finite number")
    return found


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Tuple):
        return "/".join(str(_value(part, names)) for part in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](*(_value(part, names) for part in node.args))
    raise ValueError(f"not part of a formula: {ast.dump(node)}")
