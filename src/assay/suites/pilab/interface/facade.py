"""The lab's interface inside the sandbox: namespaces whose methods are calls of tools.

This is what a block of code finds, as source: it holds no world, only the names of tools.
"""

from __future__ import annotations

from assay.suites.pilab.interface.methods import METHODS

FREE = ("next_month", "query", "write_memory", "read_memory")
"""Functions without a namespace; each is the tool of that name."""

_START = '''
ApiError = ToolError


def _plain(value):
    """Values of numpy as values of Python."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise ToolError("numbers must be finite")
    return value


def _method(tool, names):
    def method(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{tool} takes {len(names)} arguments: {', '.join(names)}")
        arguments = dict(zip(names, args))
        for name, value in kwargs.items():
            if name in arguments or name not in names:
                raise TypeError(f"{tool}: unexpected or repeated argument {name}")
            arguments[name] = value
        return call(tool, _plain(arguments))

    method.__name__ = method.__qualname__ = tool
    return method


class _Namespace:
    def __init__(self, **methods):
        self.__dict__.update(methods)


'''


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
    lines += [
        'next_month = _method("next_month", ())',
        'query = _method("query", ("sql",))',
        'write_memory = _method("write_memory", ("text",))',
        'read_memory = _method("read_memory", ())',
    ]
    return _START + "\n".join(lines) + "\n"
