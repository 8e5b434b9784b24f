"""ROOT files with one tree, written with uproot: the same columns give the same bytes.

uproot writes the time and a random UUID into each file; both are fixed here.
"""

from __future__ import annotations

import datetime
import io
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

EPOCH = datetime.datetime(1995, 1, 1)
"""The earliest time that a ROOT file can represent."""


def write(columns: Mapping[str, np.ndarray], tree: str = "events") -> bytes:
    """Return the bytes of a ROOT file that holds the columns as a tree."""
    import uproot

    buffer = _Kept()
    with _stopped_clock(), uproot.recreate(buffer, uuid_function=lambda: uuid.UUID(int=0)) as file:
        file.mktree(tree, {name: array.dtype for name, array in columns.items()}).extend(dict(columns))
    return buffer.data


class _Kept(io.BytesIO):
    """A file in memory whose bytes stay available after it is closed."""

    data = b""

    def close(self) -> None:
        if not self.closed:
            self.data = self.getvalue()
        super().close()


@contextmanager
def _stopped_clock() -> Iterator[None]:
    """Let uproot write `EPOCH` as the time.

    uproot has no option for this, so the private function that encodes times is replaced.
    """
    import uproot

    before = uproot._util.datetime_to_code
    uproot._util.datetime_to_code = lambda moment: before(EPOCH)
    try:
        yield
    finally:
        uproot._util.datetime_to_code = before
