"""A changed function in place of the one that runs: for every caller that already has it, in this process."""

from __future__ import annotations

import ast
import builtins
import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType

from tests.mutation.operators import MODULE, Mutant, Source

_COUNTER = "_line_begun_"


class Swapping:
    """The functions of some files as they live in this process, once everything is imported."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = {source.file: source for source in sources}
        paths = {str(source.path) for source in self.sources.values()}
        self._live: dict[tuple[str, str, int], list[FunctionType]] = {}
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and found.__code__.co_filename in paths:
                code = found.__code__
                key = (code.co_filename, code.co_qualname, code.co_firstlineno)
                self._live.setdefault(key, []).append(found)

    def knows(self, mutant: Mutant) -> bool:
        """Whether what is changed is there at all; a file that was never imported is not."""
        if mutant.function.startswith(MODULE):
            return self._module(mutant) is not None
        return bool(self._functions(mutant))

    def apply(self, mutant: Mutant) -> None:
        """Change this process for good; `ValueError` where the code does not fit (it lost a closure)."""
        source = self.sources[mutant.file]
        if not mutant.function.startswith(MODULE):
            code = source.code(mutant)
            for function in self._functions(mutant):
                function.__code__ = code
            return
        name = mutant.function.removeprefix(MODULE).strip()
        names = self._module(mutant)
        assert names is not None
        old, new = names[name], source.value(mutant, names)
        for module in [m for n, m in sys.modules.items() if n.partition(".")[0] in ("assay", "tests")]:
            if vars(module).get(name) is old:
                setattr(module, name, new)

    def readers(self, name: str) -> set[tuple[str, int]]:
        """The statements of functions that read a constant, as (file, line)."""
        return {
            (source.file, node.lineno)
            for source in self.sources.values()
            for function in source.functions
            for node in ast.walk(function.node)
            if isinstance(node, ast.stmt) and any(_reads(inner, name) for inner in ast.walk(node))
        }

    @contextmanager
    def counted(self, begun: set[tuple[str, int]]) -> Iterator[None]:
        """While this runs, every statement of the files that begins is put into `begun`: (file, line)."""
        before: list[tuple[FunctionType, object]] = []
        for source in self.sources.values():
            counter = f"{_COUNTER}{len(before)}"
            setattr(builtins, counter, lambda line, file=source.file: begun.add((file, line)))
            for function in source.functions:
                key = (str(source.path), function.name, function.first_line)
                for live in self._live.get(key, []):
                    before.append((live, live.__code__))
                    live.__code__ = source.counting(function, counter)
        try:
            yield
        finally:
            for live, code in before:
                live.__code__ = code  # type: ignore[assignment]

    def _functions(self, mutant: Mutant) -> list[FunctionType]:
        path = str(self.sources[mutant.file].path)
        return self._live.get((path, mutant.function, mutant.first_line), [])

    def _module(self, mutant: Mutant) -> dict[str, object] | None:
        path = str(self.sources[mutant.file].path)
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) == path:
                return vars(module)
        return None


def _reads(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (
        isinstance(node, ast.Attribute) and node.attr == name
    )
