"""Fills the holes of a program with the functions of an answer.

This module's source is run inside the sandbox, since a parser can be crashed by what it reads: it imports
nothing but `ast`.
"""

from __future__ import annotations

import ast


def patch(incomplete: str, names: list[str], answer: str, released: bool) -> dict[str, object]:
    """The program with the last top-level definition of each name in the answer in place of its hole.

    `code` is the program, `unfilled` the names without a definition, `idle` those whose function uses none
    of its parameters, `issue` is empty or `syntax`. The rest of the answer's imports and functions goes
    after the program's imports; the released code drops it, and decorators, and leaves tabs as they are.
    """
    incomplete = incomplete.replace("\r\n", "\n").replace("\r", "\n")
    answer = answer.replace("\r\n", "\n").replace("\r", "\n")
    if not released:
        incomplete, answer = incomplete.expandtabs(4), answer.expandtabs(4)
    nothing: dict[str, object] = {
        "code": incomplete,
        "unfilled": list(names),
        "idle": list(names),
        "issue": "syntax",
    }
    try:
        given, program = ast.parse(answer), ast.parse(incomplete)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return nothing
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {node.name: node for node in given.body if isinstance(node, kinds) and node.name in names}
    lines, source = incomplete.split("\n"), answer.split("\n")
    holes = {node.name: node for node in program.body if isinstance(node, kinds) and node.name in found}
    for name in sorted(holes, key=lambda name: -holes[name].lineno):
        start, end = _span(holes[name], not released)
        first, last = _span(found[name], not released)
        lines[start:end] = source[first:last]
    if not released:
        kept = (*kinds, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Try)
        extra = []
        for node in given.body:
            if isinstance(node, kept) and getattr(node, "name", None) not in names:
                first, last = _span(node)
                extra += source[first:last]
        imports = [node for node in program.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        place = max((node.end_lineno or 0 for node in imports), default=0)
        lines[place:place] = extra
    code = "\n".join(lines)
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return nothing
    return {
        "code": code,
        "unfilled": [name for name in names if name not in holes],
        "idle": [name for name in names if name not in holes or _is_idle(found[name])],
        "issue": "",
    }


def _span(node: ast.stmt, decorated: bool = True) -> tuple[int, int]:
    """First line and line after the last, from 0, with decorators or without."""
    decorators = getattr(node, "decorator_list", []) if decorated else []
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return first - 1, node.end_lineno or node.lineno


def _is_idle(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function has parameters and uses none of them."""
    arguments = node.args
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    parameters = {each.arg for each in every if each is not None}
    used = {inner.id for part in node.body for inner in ast.walk(part) if isinstance(inner, ast.Name)}
    return bool(parameters) and not parameters & used
