"""Signals in tests: programs that start with one ignored, and what is left when one has ended them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BY_SIGNAL = [
    pytest.param(signal.SIGTERM, (), id="SIGTERM"),
    pytest.param(signal.SIGINT, (signal.SIGINT,), id="SIGINT that was ignored"),
    pytest.param(signal.SIGINT, (), id="SIGINT"),
    pytest.param(signal.SIGHUP, (), id="SIGHUP"),
]
"""Signals that end a program, each with those that were ignored when it was started."""


@contextmanager
def ignored(*numbers: signal.Signals) -> Iterator[None]:
    """Programs that start meanwhile ignore these signals, as those in a script's background do SIGINT.

    They ignore no other signal, however the tests were started.
    """
    dispositions = {
        number: signal.signal(number, signal.SIG_IGN if number in numbers else signal.SIG_DFL)
        for number in {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, *numbers}
    }
    try:
        yield
    finally:
        for number, handler in dispositions.items():
            signal.signal(number, handler)
