"""Mistakes to be caught: a reference with another convention, without a guard, or with another operator."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from assay.suites.sgi.dry.specification import Choices, Specification

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


def mutants(specification: Specification, choices: Choices) -> Iterator[str]:
    """Sources of the target with one mistake each: other conventions first, then guards, then operators."""
    for name, options in specification.conventions.items():
        for code, _ in options:
            if code != choices[name]:
                yield specification.target.source({**choices, name: code}, ())
    source = specification.target.source(choices, ())
    for kind in (_guards, _comparisons, _operators, _numbers):
        yield from kind(source)


def _places(source: str, kinds: type | tuple[type, ...]) -> int:
    return sum(isinstance(node, kinds) for node in ast.walk(ast.parse(source)))


def _at(tree: ast.AST, kinds: type | tuple[type, ...], place: int) -> ast.AST:
    return [node for node in ast.walk(tree) if isinstance(node, kinds)][place]


def _guards(source: str) -> Iterator[str]:
    """Without one of the `if` statements that end a function or a round."""
    for place in range(_places(source, ast.If)):
        tree = ast.parse(source)
        node = _at(tree, ast.If, place)
        assert isinstance(node, ast.If)
        if isinstance(node.body[-1], ast.Return | ast.Continue | ast.Break):
            node.test = ast.copy_location(ast.Constant(False), node.test)
            yield ast.unparse(tree)


def _comparisons(source: str) -> Iterator[str]:
    for place in range(_places(source, ast.Compare)):
        tree = ast.parse(source)
        node = _at(tree, ast.Compare, place)
        assert isinstance(node, ast.Compare)
        other = SWAPS.get(type(node.ops[0]))
        if other is not None:
            node.ops[0] = copy.copy(other())  # type: ignore[call-overload]
            yield ast.unparse(tree)


def _operators(source: str) -> Iterator[str]:
    kinds = (ast.BinOp, ast.AugAssign)
    for place in range(_places(source, kinds)):
        tree = ast.parse(source)
        node = _at(tree, kinds, place)
        assert isinstance(node, kinds)
        other = SWAPS.get(type(node.op))
        if other is not None:
            node.op = other()  # type: ignore[assignment]
            yield ast.unparse(tree)


def _numbers(source: str) -> Iterator[str]:
    """With a number that is larger by one."""
    for place in range(_places(source, ast.Constant)):
        tree = ast.parse(source)
        node = _at(tree, ast.Constant, place)
        assert isinstance(node, ast.Constant)
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            node.value += 1
            yield ast.unparse(tree)
