"""What a mutant is: one small change of one function, such as a tired programmer makes.

Not changed: annotations, decorators, default values, docstrings, assertions, the literal text of f-strings
and the argument `strict` of `zip` (a claim about its own input). Functions that numba compiles are left out,
since they are machine code by the time they could be changed. At the level of a module only numbers are
changed, and those not inside a call: a declaration such as `Metric("...", 0, 1)` is data for a reader.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

MODULE = "<module>"
"""In place of a function's name: a constant of the module."""

LONGEST = 72
"""Characters of code that show where a change is."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_EXACT = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_COMPILED = ("njit", "jit", "vectorize", "kernel")


@dataclass(frozen=True)
class Mutant:
    """A change of a function of a file; `change` is unique in the function and holds no line number.

    `line` is where it is, `statement` where the statement around it begins, `first_line` where the function
    does (with its decorators).
    """

    file: str
    function: str
    line: int
    change: str
    statement: int
    first_line: int
    site: Site

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return f"{self.file}:{self.line} {self.function}: {self.change}"


@dataclass(frozen=True)
class Site:
    """Where in a tree what stands instead; `top` is the statement of the module that holds it."""

    top: ast.stmt
    parent: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST
    line: int
    statement: int

    @contextmanager
    def changed(self) -> Iterator[None]:
        self._put(self.new)
        try:
            yield
        finally:
            self._put(self.old)

    def _put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


class Source:
    """A file of source and all its mutants, in the order of its lines."""

    def __init__(self, root: Path, file: str) -> None:
        self.file = file
        self.path = root / file
        self.text = self.path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.functions = list(_functions(self.tree))
        self.mutants = [mutant for f in self.functions for mutant in self._of(f)]
        self.mutants += self._of_constants()

    @property
    def module(self) -> str:
        """The name under which it is imported."""
        return self.file.removeprefix("src/").removesuffix(".py").replace("/", ".")

    def _of(self, function: _Function) -> Iterator[Mutant]:
        seen: Counter[str] = Counter()
        for site, change in _sites(function.top, function.node):
            seen[change] += 1
            change += f" #{seen[change]}" if seen[change] > 1 else ""
            yield Mutant(
                self.file, function.name, site.line, change, site.statement, function.first_line, site
            )

    def _of_constants(self) -> Iterator[Mutant]:
        for top in self.tree.body:
            if isinstance(top, ast.Assign | ast.AnnAssign) and top.value is not None:
                (target,) = top.targets if isinstance(top, ast.Assign) else [top.target]
                seen: Counter[str] = Counter()
                if not isinstance(target, ast.Name):
                    continue
                for site, change in _sites(top, top, numbers_alone=True):
                    seen[change] += 1
                    change += f" #{seen[change]}" if seen[change] > 1 else ""
                    name = f"{MODULE} {target.id}"
                    yield Mutant(self.file, name, site.line, change, site.statement, top.lineno, site)

    def code(self, mutant: Mutant) -> CodeType:
        """The code of the changed function."""
        with mutant.site.changed():
            return self._compiled(mutant.site.top, mutant.function, mutant.first_line)

    def value(self, mutant: Mutant, names: dict[str, Any]) -> Any:
        """The value of a changed constant."""
        top = mutant.site.top
        assert isinstance(top, ast.Assign | ast.AnnAssign) and top.value is not None
        with mutant.site.changed():
            return eval(compile(ast.Expression(top.value), str(self.path), "eval"), dict(names))

    def counting(self, function: _Function, counter: str) -> CodeType:
        """The code of a function that gives the builtin `counter` the line of each statement that begins."""
        top = deepcopy(function.top)
        (node,) = (f.node for f in _functions(ast.Module([top], [])) if f.name == function.name)
        for parent in ast.walk(node):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(parent, name, None)
                if isinstance(block, list):
                    setattr(parent, name, [s for one in block for s in (_count(one, counter), one)])
        return self._compiled(ast.fix_missing_locations(top), function.name, function.first_line)

    def _compiled(self, top: ast.stmt, function: str, first_line: int) -> CodeType:
        head = ast.parse("from __future__ import annotations").body
        module = compile(ast.Module([*head, top], []), str(self.path), "exec", dont_inherit=True)
        codes = [module]
        while codes:
            code = codes.pop()
            if code.co_qualname == function and code.co_firstlineno == first_line:
                return code
            codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        raise LookupError(f"{self.file} has no function {function}")


def _count(statement: ast.stmt, counter: str) -> ast.stmt:
    call = ast.Call(ast.Name(counter, ast.Load()), [ast.Constant(statement.lineno)], [])
    return ast.copy_location(ast.Expr(call), statement)


# ------------------------------------------------------------ functions


@dataclass(frozen=True)
class _Function:
    name: str
    first_line: int
    top: ast.stmt
    node: ast.FunctionDef


def _functions(tree: ast.Module) -> Iterator[_Function]:
    """Functions of the module and methods of its classes; what is nested in them belongs to them."""

    def inside(body: list[ast.stmt], prefix: str, top: ast.stmt | None) -> Iterator[_Function]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from inside(node.body, f"{prefix}{node.name}.", top or node)
            elif isinstance(node, ast.FunctionDef) and not any(map(_compiles, node.decorator_list)):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                yield _Function(prefix + node.name, first, top or node, node)

    return inside(tree.body, "", None)


def _compiles(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] in _COMPILED


# ------------------------------------------------------------ sites


def _sites(
    top: ast.stmt, root: ast.FunctionDef | ast.Assign | ast.AnnAssign, numbers_alone: bool = False
) -> Iterator[tuple[Site, str]]:
    """Every change below a node: where, and how it reads before and after."""

    def walk(parent: ast.AST, above: list[ast.AST]) -> Iterator[tuple[Site, str]]:
        for field, index, node in _children(parent):
            if numbers_alone and isinstance(node, ast.Call | ast.Lambda | ast.Subscript):
                continue
            chain = [*above, parent]
            statement = next(one.lineno for one in (node, *reversed(chain)) if isinstance(one, ast.stmt))
            line = getattr(node, "lineno", statement)
            for new in _replacements(node, numbers_alone):
                site = Site(top, parent, field, index, node, new, line, statement)
                yield site, _described(site, chain)
            yield from walk(node, chain)

    return walk(root, [])


def _children(parent: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    left_out = {
        ast.FunctionDef: ("decorator_list", "args", "returns"),
        ast.ClassDef: ("decorator_list", "bases", "keywords"),
        ast.AnnAssign: ("annotation", "target"),
        ast.FormattedValue: ("format_spec",),
        ast.Assert: ("test", "msg"),
        ast.Lambda: ("args",),
        ast.Global: ("names",),
        ast.Match: (),
    }.get(type(parent), ())
    for field, value in ast.iter_fields(parent):
        if field in left_out or field in ("ctx", "type_comment", "type_params"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.keyword) and node.arg == "strict":
                continue
            if isinstance(parent, ast.JoinedStr) and isinstance(node, ast.Constant):
                continue
            if isinstance(node, ast.AST) and not _is_docstring(node):
                yield field, index, node


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _described(site: Site, above: list[ast.AST]) -> str:
    """The change in the largest piece of code around it that is short enough to read."""
    if isinstance(site.old, ast.If | ast.While | ast.ExceptHandler) and isinstance(site.new, type(site.old)):
        return f"{_head(site.old)} -> {_head(site.new)}"
    around: ast.AST = site.old
    for node in reversed(above):
        simple = isinstance(node, ast.expr | ast.keyword | ast.comprehension) or (
            isinstance(node, ast.stmt) and not hasattr(node, "body")
        )
        if not simple or len(ast.unparse(node)) > LONGEST:
            break
        around = node
    before = _read(around)
    if around is not site.old:
        with site.changed():
            return f"{before} -> {_read(around)}"
    if isinstance(site.old, ast.Call) and isinstance(site.new, ast.Call) and len(before) > LONGEST:
        gone = [one.arg for one in site.old.keywords if one not in site.new.keywords]
        if gone:
            return f"{before} -> without {gone[0]}"
    return f"{before} -> {_read(site.new)}"


def _head(node: ast.AST) -> str:
    return _read(node).partition(":     ")[0]


def _read(node: ast.AST) -> str:
    text = ast.unparse(node).replace("\n", " ")
    return text if len(text) <= 2 * LONGEST else text[: 2 * LONGEST] + "..."


# ------------------------------------------------------------ changes


def _replacements(node: ast.AST, numbers_alone: bool) -> Iterator[ast.AST]:
    found = _of_number(node) if numbers_alone else _all_replacements(node)
    for new in found:
        yield ast.fix_missing_locations(ast.copy_location(new, node))


def _of_number(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield from _of_constant(node.value)


def _all_replacements(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr):
        yield from _of_expression(node)
    elif isinstance(node, ast.stmt):
        yield from _of_statement(node)
    elif isinstance(node, ast.comprehension):
        for at, condition in enumerate(node.ifs):
            for new in _negated(condition):
                ifs = [*node.ifs[:at], new, *node.ifs[at + 1 :]]
                yield ast.comprehension(node.target, node.iter, ifs, node.is_async)
    elif isinstance(node, ast.ExceptHandler) and node.type is not None:
        yield ast.ExceptHandler(ast.Tuple([], ast.Load()), node.name, node.body)


def _negated(condition: ast.expr) -> Iterator[ast.expr]:
    """The contrary of a condition, unless another change comes to the same."""
    same = isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not)
    if isinstance(condition, ast.Compare) and len(condition.ops) == 1:
        same = same or isinstance(condition.ops[0], _EXACT)
    if not same:
        yield ast.copy_location(ast.UnaryOp(ast.Not(), condition), condition)


def _of_expression(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                ops = [*node.ops[:at], _COMPARED[type(op)](), *node.ops[at + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.BinOp() if type(node.op) in _CALCULATED:
            yield ast.BinOp(node.left, _CALCULATED[type(node.op)](), node.right)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.IfExp():
            for new in _negated(node.test):
                yield ast.IfExp(new, node.body, node.orelse)
        case ast.Constant():
            yield from _of_constant(node.value)
        case ast.Call():
            yield from _of_call(node)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step)):
            if lower is not None:
                yield ast.Subscript(node.value, ast.Slice(None, upper, step), node.ctx)
            if upper is not None:
                yield ast.Subscript(node.value, ast.Slice(lower, None, step), node.ctx)


def _of_constant(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        if value + 1 != value:  # of 1e100 one more is the same
            yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant("XX" + value)
    elif isinstance(value, bytes):
        yield ast.Constant(b"XX" + value)


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in _EXCHANGED:
        called = ast.copy_location(ast.Name(_EXCHANGED[node.func.id], ast.Load()), node.func)
        yield ast.Call(called, node.args, node.keywords)
    first_two = node.args[:2]
    different = len({ast.dump(one) for one in first_two}) == 2
    ordered = not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max"))
    if different and ordered and not any(isinstance(one, ast.Starred) for one in first_two):
        yield ast.Call(node.func, [*reversed(first_two), *node.args[2:]], node.keywords)
    for at, keyword in enumerate(node.keywords):
        if keyword.arg not in (None, "strict"):
            yield ast.Call(node.func, node.args, [*node.keywords[:at], *node.keywords[at + 1 :]])


def _of_statement(node: ast.stmt) -> Iterator[ast.AST]:
    nothing = ast.Constant(None)
    match node:
        case ast.If():
            for new in _negated(node.test):
                yield ast.If(new, node.body, node.orelse)
        case ast.While():
            for new in _negated(node.test):
                yield ast.While(new, node.body, node.orelse)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield ast.Return(nothing)
        case ast.Expr() | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Assign() if not _is_none(node.value):
            yield ast.Assign(node.targets, nothing)
        case ast.AnnAssign(value=ast.expr() as value) if not _is_none(value):
            yield ast.AnnAssign(node.target, node.annotation, nothing, node.simple)
        case ast.AugAssign():
            yield ast.AugAssign(node.target, _CALCULATED[type(node.op)](), node.value)
            target = node.target
            yield ast.Assign([target], node.value)
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
