"""Formulas from readings to an answer: arithmetic in a small language, evaluated without `eval`.

Names are readings (`r0`, `r1`, ...), what a wrong reader takes instead (`e0`, ...) and numbers that the
question gives. Functions are `exp`, `log`, `log2`, `sqrt`, `sin` (of degrees), `abs` and `change`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from assay.numbers import portable

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


def value(formula: str, names: Mapping[str, Any]) -> Any:
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
