"""Arithmetic expressions, which are parsed with the grammar below and never executed as Python code.

    sum     = product {("+" | "-") product}
    product = signed {("*" | "/") signed}
    signed  = ("+" | "-") signed | power
    power   = atom [("^" | "**") signed]
    atom    = number | name | "(" sum ")"

Evaluation uses double arithmetic in the written order; integers stay integers, as in the released engine.
Exponents are integers from 0 to 16, so that a power is computed as a chain of products with the same result
on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

LONGEST = 20_000
"""Largest number of characters in an expression."""

LONGEST_REMEMBERED = 500
"""Largest number of characters in an expression whose parsed form is cached."""

DEEPEST = 60
"""Largest depth of nesting."""

LARGEST_EXPONENT = 16
LARGEST_WHOLE = 2**63
"""Integers beyond this are converted to floats, so that no expression can exhaust the memory."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|[-+*/^()]))"
)

Tree = tuple[Any, ...]


class ExpressionError(ValueError):
    """An expression cannot be parsed or evaluated; the message names the broken rule."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression. `names` are the symbols in it, in order of first occurrence."""

    text: str
    tree: Tree

    @cached_property
    def names(self) -> tuple[str, ...]:
        symbols: dict[str, None] = {}
        stack = [self.tree]
        while stack:
            node = stack.pop()
            if node[0] == "name":
                symbols[node[1]] = None
            else:
                stack.extend(reversed([child for child in node[1:] if isinstance(child, tuple)]))
        return tuple(symbols)

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Return the value; raises `ExpressionError` if a name is unknown or the result is not finite."""
        try:
            value = _evaluate(self.tree, values)
        except OverflowError as problem:
            raise ExpressionError("the value is not a finite number") from problem
        if not math.isfinite(value):
            raise ExpressionError("the value is not a finite number")
        return value


def parse(text: str, powers: tuple[str, ...] = ("^", "**")) -> Expression:
    """Parse an expression, in which `powers` are the operators for powers; raises `ExpressionError`."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression has at most {LONGEST} characters")
    return _remembered(text, powers) if len(text) <= LONGEST_REMEMBERED else _parse(text, powers)


def _parse(text: str, powers: tuple[str, ...]) -> Expression:
    reader = _Reader(_tokens(text), powers)
    tree = reader.sum(0)
    kind, left = reader.tokens[reader.at]
    if kind != "end":
        raise ExpressionError(f"{left!r} is not expected here")
    return Expression(text, tree)


# The cache pays off: an agent repeats its equation at every step, and the models of a set share computations.
_remembered = lru_cache(maxsize=2048)(_parse)


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return the kind and text of every token, followed by an end token."""
    tokens, at, end = [], 0, len(text.rstrip())
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if match.start() != at or kind is None:
            break
        tokens.append((kind, match[kind]))
        at = match.end()
    if at < end:
        raise ExpressionError(f"{text[at : at + 20].strip()!r} is no number, name or operator")
    tokens.append(("end", ""))
    return tokens


class _Reader:
    """A recursive-descent parser over the tokens of one expression."""

    def __init__(self, tokens: list[tuple[str, str]], powers: tuple[str, ...]) -> None:
        self.tokens = tokens
        self.powers = powers
        self.at = 0

    def sum(self, depth: int) -> Tree:
        tree = self.product(depth)
        while (sign := self.tokens[self.at][1]) in ("+", "-"):
            self.at += 1
            tree = (sign, tree, self.product(depth))
        return tree

    def product(self, depth: int) -> Tree:
        tree = self.signed(depth)
        while (sign := self.tokens[self.at][1]) in ("*", "/"):
            self.at += 1
            tree = (sign, tree, self.signed(depth))
        return tree

    def signed(self, depth: int) -> Tree:
        if depth > DEEPEST:
            raise ExpressionError(f"nested in more than {DEEPEST} levels")
        if (sign := self.tokens[self.at][1]) in ("+", "-"):
            self.at += 1
            inner = self.signed(depth + 1)
            return ("negative", inner) if sign == "-" else inner
        return self.power(depth)

    def power(self, depth: int) -> Tree:
        tree = self.atom(depth)
        if (sign := self.tokens[self.at][1]) in ("^", "**"):
            self.at += 1
            if sign not in self.powers:
                raise ExpressionError(f"{sign!r} is not an operator here")
            return ("power", tree, self.signed(depth + 1))
        return tree

    def atom(self, depth: int) -> Tree:
        kind, text = self.tokens[self.at]
        if kind == "end":
            raise ExpressionError("a number or a name is missing at the end")
        self.at += 1
        if kind == "number":
            return ("number", _number(text))
        if kind == "name":
            return ("name", text)
        if text == "(":
            tree = self.sum(depth + 1)
            if self.tokens[self.at][1] != ")":
                raise ExpressionError("a closing parenthesis is missing")
            self.at += 1
            return tree
        raise ExpressionError(f"{text!r} is not expected here")


def _number(text: str) -> float:
    value: float = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else float(text)
    if not math.isfinite(value):
        raise ExpressionError(f"{text} is not a finite number")
    return value


def _evaluate(tree: Tree, values: Mapping[str, float]) -> float:
    # A long sum is a left-leaning chain. A loop follows it, so that its length does not add recursion depth.
    chain = []
    while tree[0] in ("+", "-", "*", "/"):
        chain.append(tree)
        tree = tree[1]
    value = _atom(tree, values)
    for sign, _, right in reversed(chain):
        other = _evaluate(right, values)
        if sign == "+":
            value = value + other
        elif sign == "-":
            value = value - other
        elif sign == "*":
            value = value * other
        elif other == 0:
            raise ExpressionError("division by zero")
        else:
            value = value / other
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            value = float(value)
    return value


def _atom(tree: Tree, values: Mapping[str, float]) -> float:
    kind = tree[0]
    if kind == "number":
        value: float = tree[1]
        return value
    if kind == "name":
        if tree[1] not in values:
            raise ExpressionError(f"{tree[1]!r} has no value")
        return values[tree[1]]
    if kind == "negative":
        return -_evaluate(tree[1], values)
    base, exponent = _evaluate(tree[1], values), _evaluate(tree[2], values)
    if exponent != exponent or exponent != int(exponent) or not 0 <= exponent <= LARGEST_EXPONENT:
        raise ExpressionError(f"an exponent is a whole number from 0 to {LARGEST_EXPONENT}")
    product: float = 1
    for _ in range(int(exponent)):
        product = product * base
        if isinstance(product, int) and abs(product) > LARGEST_WHOLE:
            product = float(product)
    return product
