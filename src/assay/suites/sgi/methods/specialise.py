"""Cuts one program out of a function with branches by `pick`, and collects what it calls."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from assay.suites.sgi.methods import support
from assay.suites.sgi.methods.bank import Part
from assay.suites.sgi.methods.support import Picks

SHARED = ("trajectory", "propagated")
"""Functions of `support` that a program may hold."""


class _Cut(ast.NodeTransformer):
    """Replaces comparisons of `pick[...]` by their truth, and removes branches that are never taken."""

    def __init__(self, pick: Picks) -> None:
        self._pick = pick

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left = node.left
        if not (
            isinstance(left, ast.Subscript) and isinstance(left.value, ast.Name) and left.value.id == "pick"
        ):
            self.generic_visit(node)
            return node
        value, wanted = self._pick[ast.literal_eval(left.slice)], ast.literal_eval(node.comparators[0])
        return ast.Constant(value in wanted if isinstance(node.ops[0], ast.In) else value == wanted)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        stops = isinstance(node.op, ast.Or)
        kept = [part for part in node.values if not _is(part, not stops)]
        if any(_is(part, stops) for part in kept):
            return ast.Constant(stops)
        if not kept:
            return ast.Constant(not stops)
        node.values = kept
        return kept[0] if len(kept) == 1 else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.args = [part for part in node.args if not (isinstance(part, ast.Name) and part.id == "pick")]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        node.args.args = [part for part in node.args.args if part.arg != "pick"]
        for part in node.args.args:
            part.annotation = None
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


@cache
def _definition(module: str, name: str) -> str:
    """The source of a function of ours."""
    for node in ast.parse(inspect.getsource(import_module(module))).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.unparse(node)
    raise KeyError(f"{module} has no function {name}")


@cache
def _cut(module: str, name: str, pick: tuple[tuple[str, str], ...]) -> str:
    tree = _Cut(dict(pick)).visit(ast.parse(_definition(module, name)))
    return ast.unparse(ast.fix_missing_locations(tree))


def source(part: Part, pick: Picks) -> str:
    """The source of a part's function with one branch of each `if pick[...]`."""
    return _cut(part.module, part.name, tuple(sorted(pick.items())))


def shared(sources: Iterable[str], method: str) -> list[str]:
    """The shared functions that sources call, cut to a method."""
    text = "\n".join(sources)
    return [_cut(support.__name__, name, (("method", method),)) for name in SHARED if f"{name}(" in text]
