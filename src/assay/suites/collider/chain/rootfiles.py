"""ROOT files with one tree, through uproot: the same columns give the same bytes.

uproot stamps a file with the time and a number of its own; here both are fixed.
"""

from __future__ import annotations

import datetime
import io
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

EPOCH = datetime.datetime(1995, 1, 1)
"""The first moment that a ROOT file can tell."""


def write(columns: Mapping[str, np.ndarray], tree: str = "events") -> bytes:
    """The bytes of a ROOT file that holds the columns as a tree."""
    import uproot

    buffer = _Kept()
    with _stopped_clock(), uproot.recreate(buffer, uuid_function=lambda: uuid.UUID(int=0)) as file:
        file.mktree(tree, {name: array.dtype for name, array in columns.items()}).extend(dict(columns))
    return buffer.data


class _Kept(io.BytesIO):
    """A file in memory whose bytes outlive its closing."""

    data = b""

    def close(self) -> None:
        if not self.closed:
            self.data = self.getvalue()
        super().close()


@contextmanager
def _stopped_clock() -> Iterator[None]:
    """uproot has no option for the time that it writes: every one goes through this function of its own."""
    import uproot

    before = uproot._util.datetime_to_code
    uproot._util.datetime_to_code = lambda moment: before(EPOCH)
    try:
        yield
    finally:
        uproot._util.datetime_to_code = before
