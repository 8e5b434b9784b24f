"""Messages between a box and its parent: JSON values, each preceded by its length in four bytes.

Only JSON is sent, no pickles and no descriptors. The text is canonical (sorted keys, no blanks, ASCII). The
reader checks length, encoding, nesting depth and numbers, because hostile code may have written the message.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import select
import time
from typing import Any

HEADER = 4
"""Number of bytes that encode the length of a message, in big-endian order."""

CHUNK = 1 << 16
"""Largest number of bytes that are read at once."""

DEEPEST = 100
"""Largest nesting depth of lists and objects, limited because other code may process values recursively."""

OVERHEAD = 64
"""Bytes added to each message's length in `received`, because even a small message takes time to read."""


class ChannelError(Exception):
    """The other side has closed its end, is late, or has sent something that is not a message."""


class Closed(ChannelError):
    """The other side has closed its end."""


class Late(ChannelError):
    """The deadline has passed."""


class Malformed(ChannelError):
    """The received bytes are not a message."""


class TooLong(Malformed):
    """A message is longer than the channel permits."""


def encode(message: Any) -> bytes:
    """Encode a message without its length. Arrays and scalars of numpy become lists and numbers.

    Raises:
        TypeError: The message contains a value that JSON cannot represent.
        ValueError: A number is not finite, or the message is nested too deeply.
    """
    data = _encode(message).encode("ascii")
    if _too_deep(data):
        raise ValueError(f"nested more than {DEEPEST} levels deep")
    return data


def decode(data: bytes) -> Any:
    """Decode a message.

    Raises:
        Malformed: The bytes are not JSON, contain repeated keys or non-finite numbers, or are nested deeper
            than `DEEPEST`.
    """
    if _too_deep(data):
        raise Malformed(f"not a message: nested more than {DEEPEST} levels deep")
    try:
        return json.loads(
            data.decode("ascii"),
            parse_constant=_no_number,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    except (ValueError, RecursionError) as problem:
        raise Malformed(f"not a message: {type(problem).__name__}") from None


class Channel:
    """One end of a connected socket.

    Deadlines are values of `time.monotonic`. A call without a deadline waits without limit. Sending with a
    deadline needs a non-blocking descriptor.

    Attributes:
        fd: The descriptor.
        most: The largest size in bytes of a message that is read or written.
        received: The number of bytes received, plus `OVERHEAD` for each message.
    """

    def __init__(self, fd: int, most: int) -> None:
        self.fd = fd
        self.most = most
        self.received = 0
        self._waiting = bytearray()
        self._readable = select.poll()
        self._readable.register(fd, select.POLLIN)

    @property
    def pending(self) -> bool:
        """Whether bytes were read from the socket that no call of `receive` has returned yet."""
        return bool(self._waiting)

    def send(self, message: Any, deadline: float | None = None) -> None:
        """Write one message.

        Raises:
            TooLong: The message is longer than `most`.
            Closed: The other side has closed its end.
            Late: The deadline has passed.
        """
        data = self.check(message)
        left = memoryview(len(data).to_bytes(HEADER, "big") + data)
        while left:
            try:
                left = left[os.write(self.fd, left) :]
            except BlockingIOError:
                writable = select.poll()
                writable.register(self.fd, select.POLLOUT)
                _wait(writable, deadline)
            except OSError:  # a broken pipe, a reset, or a closed descriptor
                raise Closed("the other side is gone") from None

    def check(self, message: Any) -> bytes:
        """Encode a message and check its length.

        Raises:
            TooLong: The message is longer than `most`.
            TypeError: See `encode`.
            ValueError: See `encode`.
        """
        data = encode(message)
        if len(data) > self.most:
            raise TooLong(f"a message of {len(data)} bytes; {self.most} is the most")
        return data

    def receive(self, deadline: float | None = None) -> Any:
        """Read one message.

        Raises:
            Closed: The other side has closed its end.
            Late: The deadline has passed.
            Malformed: The received bytes are not a message.
        """
        size = int.from_bytes(self._take(HEADER, deadline), "big")
        if size > self.most:
            raise TooLong(f"a message of {size} bytes; {self.most} is the most")
        self.received += OVERHEAD + size
        return decode(self._take(size, deadline))

    def _take(self, size: int, deadline: float | None) -> bytes:
        while len(self._waiting) < size:
            if deadline is not None:
                _wait(self._readable, deadline)
            try:
                data = os.read(self.fd, CHUNK)
            except BlockingIOError:  # a spurious wake-up
                continue
            except OSError:
                raise Closed("the other side is gone") from None
            if not data:
                raise Closed("the other side is gone")
            self._waiting += data
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        return data


def _wait(ready: select.poll, deadline: float | None, clock: Any = time.monotonic) -> None:
    """Wait until the descriptor is ready.

    The clock is a default argument, so that it stays the real one when `pretence` replaces `time.monotonic`.

    Raises:
        Late: The deadline has passed.
    """
    left = None if deadline is None else deadline - clock()
    if left is not None and left <= 0:
        raise Late("the deadline has passed")
    if not ready.poll(None if left is None else math.ceil(left * 1000)):
        raise Late("the deadline has passed")


_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""Matches a JSON string. An unterminated string matches to the end, so that the search takes linear time."""

_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def _too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return False
    brackets = _TEXT.sub(b"", data).translate(None, _NO_BRACKETS)
    return max(itertools.accumulate(map(_STEP.__getitem__, brackets)), default=0) > DEEPEST


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = json.JSONEncoder(allow_nan=False, sort_keys=True, separators=(",", ":"), default=_plain).encode


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number without a finite value")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value
