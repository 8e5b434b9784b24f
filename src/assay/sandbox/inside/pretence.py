"""A simulated clock and seeded random numbers, so that a block prints the same in every run.

They make honest code reproducible, but are no protection: hostile code can reach the machine's clock and
entropy.

* All clocks are simulated, and start at the date of the box. Reading a clock advances all of them by one
  millisecond, and sleeping advances them without waiting. Loops that wait for a time therefore end after a
  fixed number of readings.
* `random`, numpy's legacy generator, generators made without a seed, `os.urandom`, `secrets` and `uuid4` are
  derived from the seed of the block.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import random
import sys
import time
from hashlib import sha256
from typing import Any

LOOK = 1_000_000
"""Nanoseconds by which each reading of a clock advances all clocks."""

YEAR = 365 * 24 * 3600
"""Longest simulated sleep in seconds. Longer ones advance the clock by this time."""


class Pretence:
    """The clock and the random numbers of one box.

    Args:
        date: Start of the clock, in seconds since 1970-01-01 UTC.
    """

    def __init__(self, date: float) -> None:
        self.now = self.began = round(date * 1e9)
        self._pool = 0
        self._key = b""
        self._replace_clocks()
        self._replace_dates()
        self._replace_entropy()

    def seed(self, seed: int) -> None:
        """Seed all generators of random numbers."""
        self._key, self._pool = seed.to_bytes(8, "big"), 0
        random.seed(seed)
        chance = sys.modules.get("numpy.random")
        if chance is not None:
            chance.seed(seed % (1 << 32))
            # numpy calls `randbits` to seed generators that are made without a seed.
            source: Any = sys.modules.get("numpy.random.bit_generator")
            if source is not None and hasattr(source, "randbits"):
                source.randbits = self._bits

    def look(self) -> int:
        """Advance the clock and return its time in nanoseconds since 1970."""
        self.now += LOOK
        return self.now

    def _sleep(self, seconds: float) -> None:
        if not seconds >= 0:
            raise ValueError("sleep length must be non-negative")
        self.now += int(min(seconds, YEAR) * 1e9)

    def _replace_clocks(self) -> None:
        replaced: dict[str, Any] = {
            "time": lambda: self.look() / 1e9,
            "time_ns": lambda: self.look(),
            "sleep": lambda seconds: self._sleep(seconds),
        }
        for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
            replaced[name] = lambda: (self.look() - self.began) / 1e9
            replaced[f"{name}_ns"] = lambda: self.look() - self.began
        for name in ("gmtime", "localtime", "ctime"):
            replaced[name] = _now_by_default(getattr(time, name), replaced["time"])
        for name, put_in_place in replaced.items():
            put_in_place.__name__ = name
            setattr(time, name, put_in_place)
        real = time.strftime

        def strftime(format: str, moment: Any = None) -> str:  # noqa: A002 - the name that time.strftime has
            return real(format, time.gmtime() if moment is None else moment)

        time.strftime = strftime

    def _replace_dates(self) -> None:
        """Replace `now`, `today` and `utcnow` in the types of `datetime`.

        Compiled packages hold references to the types, so replacing the types in the module would not
        suffice. Attributes of a type written in C cannot be assigned, but its dictionary can be changed, and
        the garbage collector gives access to it.
        """

        def moment(cls: Any, tz: datetime.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(self.look() / 1e9, tz)

        def day(cls: Any) -> Any:
            return cls.fromtimestamp(self.look() / 1e9)

        def utcnow(cls: Any) -> Any:
            return cls.fromtimestamp(self.look() / 1e9, datetime.UTC).replace(tzinfo=None)

        for kind, replaced in (
            (datetime.date, {"today": day}),
            (datetime.datetime, {"now": moment, "utcnow": utcnow, "today": day}),
        ):
            inner: dict[str, Any] = gc.get_referents(kind.__dict__)[0]
            inner |= {name: classmethod(function) for name, function in replaced.items()}
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))

    def _replace_entropy(self) -> None:
        os.urandom = self._bytes
        random._urandom = self._bytes  # type: ignore[attr-defined]
        real = random.Random.seed

        def seed(generator: Any, a: Any = None, version: int = 2) -> None:
            real(generator, self._bits(64) if a is None else a, version)

        random.Random.seed = seed  # type: ignore[method-assign, assignment]
        random.seed = random._inst.seed

    def _bytes(self, size: int) -> bytes:
        made = b""
        while len(made) < size:
            self._pool += 1
            made += sha256(self._key + self._pool.to_bytes(8, "big")).digest()
        return made[:size]

    def _bits(self, k: int) -> int:
        return int.from_bytes(self._bytes((k + 7) // 8), "big") >> (-k % 8)


def _now_by_default(real: Any, now: Any) -> Any:
    return lambda seconds=None: real(now() if seconds is None else seconds)
