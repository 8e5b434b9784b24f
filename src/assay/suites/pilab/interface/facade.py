"""The lab's interface inside the sandbox: namespaces whose methods are calls of tools.

This is what a block of code finds, as source: it holds no world, only the names of tools.
"""

from __future__ import annotations

from pathlib import Path

from assay.suites.pilab.interface.methods import METHODS

FREE = {"next_month": "()", "query": '("sql",)', "write_memory": '("text",)', "read_memory": "()"}
"""Functions without a namespace, each the tool of that name, with the names of its arguments."""

DATA_FILES = ("../data/facade.txt",)
START = (Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8")
"""What the namespaces are made with: plain values, methods that call tools."""


def tool_name(method: str) -> str:
    """The tool of a method, e.g. `recruit_offer` of `recruit.offer`."""
    return method.replace(".", "_")


def source() -> str:
    """The program that makes the namespaces and the free functions."""
    spaces: dict[str, list[str]] = {}
    for name, method in METHODS.items():
        space, _, short = name.partition(".")
        names = tuple(method.arguments)
        spaces.setdefault(space, []).append(f"{short}=_method({tool_name(name)!r}, {names!r})")
    lines = [f"{space} = _Namespace({', '.join(methods)})" for space, methods in spaces.items()]
    lines += [f'{name} = _method("{name}", {names})' for name, names in FREE.items()]
    return START + "\n".join(lines) + "\n"
