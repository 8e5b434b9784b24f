"""What a door is: a place where bytes come in that Assay has not written, or that anybody may have edited.

A door is a row of the table in `table.py`. It is called with bytes, whatever it takes in truth: a file is
written to a folder first, a text is decoded, a call of tools is read as the reply of a model is.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import AssayError

ROOT = Path(__file__).parents[3]

Call = Callable[[bytes], object]
"""One input: returns what the door makes of it, or raises."""

Form = Literal[
    "json",
    "lines",
    "recording",
    "yaml",
    "toml",
    "text",
    "expression",
    "sql",
    "slha",
    "csv",
    "calls",
    "binary",
]
"""What the inputs of a door look like, so that they can be made and spoilt with its grammar in mind."""


class Defect(Exception):
    """What a row of the table says when a door has let something through that it must not."""


@dataclass(frozen=True)
class Door:
    """A row of the table.

    `open(folder)` prepares the door once, with an empty folder for its files, and gives what takes an input.
    `seeds` are real inputs, from which others are made. `declared` are the errors that may come out. `weight`
    is the door's part of all inputs: dear ones have a small one. `files` are patterns of the configuration
    files that come in here, `suite` is the one whose tools the seeds call. `broken` are inputs that once
    broke the door. `needs` are packages of an extra.
    """

    name: str
    form: Form
    open: Callable[[Path], Call]
    seeds: Callable[[], Sequence[bytes]]
    declared: tuple[type[BaseException], ...] = (AssayError,)
    weight: int = 10
    files: tuple[str, ...] = ()
    suite: str = ""
    broken: tuple[bytes, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


def text_of(data: bytes) -> str:
    """A text with whatever a text can hold in Python, halves of surrogate pairs included."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def on_text(take: Callable[[str], object]) -> Callable[[Path], Call]:
    """A door that takes a text."""
    return lambda folder: lambda data: take(text_of(data))


def on_bytes(take: Call) -> Callable[[Path], Call]:
    """A door that takes bytes."""
    return lambda folder: take


def on_file(name: str, take: Callable[[Path], object]) -> Callable[[Path], Call]:
    """A door that takes the path of a file of that name."""

    def opened(folder: Path) -> Call:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)

        def call(data: bytes) -> object:
            path.write_bytes(data)
            return take(path)

        return call

    return opened


def files(*patterns: str) -> Callable[[], list[bytes]]:
    """The contents of files of the checkout, in order of their paths."""

    def found() -> list[bytes]:
        paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
        return [path.read_bytes() for path in paths if path.is_file()]

    return found


def some(*values: bytes | str) -> Callable[[], list[bytes]]:
    """Inputs written down here."""
    return lambda: [value.encode() if isinstance(value, str) else value for value in values]
