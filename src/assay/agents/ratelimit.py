"""The limits on all requests of a sweep: number at once, rate, retries, and budget.

Episodes are played side by side, each in a thread; a request waits here until it may go out. A connection
that failed is tried again after a growing pause, and then given up: the episode ends as `transport`, which is
never scored and is taken up by the next `assay record`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeVar

from assay.agents.player import Price
from assay.agents.transport import Reply, TransportError
from assay.errors import AssayError

R = TypeVar("R")
S = TypeVar("S")

LONGEST_PAUSE = 60.0
"""Seconds; pauses between two tries double from one second up to this."""

NOTABLE_PAUSE = 10.0
"""Seconds of waiting for a turn from which on a request is reported."""


@dataclass(frozen=True)
class Budget:
    """What a model may use up over all its sessions; None means that there is no bound."""

    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True)
class Access:
    """How a model may be asked: requests in flight, requests a minute, tries after the first."""

    requests: int = 1
    per_minute: float | None = None
    retries: int = 5


@dataclass
class RateLimit:
    """The limit of one sweep; `tokens` and `money` are what earlier sessions of the model have used up.

    A request goes out while the budget holds what was spent and, for each request that is under way, as much
    as the dearest one so far. Near its end requests therefore go out one by one, and the budget is passed by
    part of one request at most. `tell` gets one line for each request that fails or waits.
    """

    access: Access = field(default_factory=Access)
    budget: Budget = field(default_factory=Budget)
    price: Price = field(default_factory=Price)
    tokens: int = 0
    money: float = 0.0
    sleep: Callable[[float], object] | None = None
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str], object] = lambda line: None
    under_way: int = field(default=0, init=False)
    most_under_way: int = field(default=0, init=False)
    _next: float = field(default=0.0, init=False)
    _dearest: tuple[int, float] = field(default=(0, 0.0), init=False)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._pause = self.sleep or self._stopped.wait  # an interruption ends every pause

    def ask(self, request: Callable[[], Reply], name: str = "a request") -> Reply:
        """Send a request as soon as the limits allow it, and again where its connection failed.

        An error that every request would meet, such as a refused key, stops all other requests, too.

        Raises:
            TransportError: All tries have failed, the budget is spent, or the sweep was stopped.
        """
        retries = self.access.retries
        for number in range(retries + 1):
            self._enter(name)
            try:
                return self._once(request)
            except TransportError as problem:
                if not problem.again or number == retries:
                    self.tell(f"{name}: {problem.message}; given up after {_tries(number + 1)}")
                    raise
                pause = min(max(2.0**number, problem.wait), LONGEST_PAUSE)
                self.tell(f"{name}: {problem.message}; retry {number + 1} of {retries} in {pause:g} s")
                self._pause(pause)
            except AssayError:
                self.stop()
                raise
        raise AssertionError("the last try returns or raises")

    @property
    def stopped(self) -> bool:
        """Whether the sweep was stopped."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Stop the sweep: no further request is sent."""
        with self._changed:
            self._stopped.set()
            self._changed.notify_all()

    def completed(self, waiting: Mapping[Future[R], S]) -> Iterator[tuple[S, R]]:
        """What futures stand for, with their results as they come.

        A defect in one, or an interruption, stops the others cleanly: no further request goes out.
        """
        done: SimpleQueue[Future[R]] = SimpleQueue()
        for future in waiting:
            future.add_done_callback(done.put)
        try:
            for _ in waiting:
                future = done.get()
                yield waiting[future], future.result()
        except BaseException:
            self.stop()
            for future in waiting:
                future.cancel()
            raise

    def _once(self, request: Callable[[], Reply]) -> Reply:
        reply = None
        try:
            reply = request()
        finally:
            self._leave(reply)
        return reply

    def _enter(self, name: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped.is_set() or self._may_go())
            self._go_on()
            if self._spent():
                raise TransportError("the budget of the model is spent", again=False)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            pause = self._pace()
        if pause >= NOTABLE_PAUSE:
            self.tell(f"{name}: waits {pause:.0f} s for its turn ({self.access.per_minute:g} a minute)")
        if pause > 0:
            self._pause(pause)
            try:
                self._go_on()
            except TransportError:
                self._leave(None)
                raise

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise TransportError("the recording was interrupted", again=False)

    def _leave(self, reply: Reply | None) -> None:
        with self._changed:
            self.under_way -= 1
            if reply is not None:
                tokens = reply.tokens_in + reply.tokens_out
                money = self.price.of(reply.tokens_in, reply.tokens_out)
                self.tokens += tokens
                self.money += money
                self._dearest = max(self._dearest[0], tokens), max(self._dearest[1], money)
            self._changed.notify_all()

    def _may_go(self) -> bool:
        """Whether a request may be sent now, or has to be refused because the budget is spent."""
        if self._spent():
            return True
        return self.under_way < self.access.requests and (self.under_way == 0 or self._one_more_fits())

    def _spent(self) -> bool:
        return (self.budget.tokens is not None and self.tokens >= self.budget.tokens) or (
            self.budget.money is not None and self.money >= self.budget.money
        )

    def _one_more_fits(self) -> bool:
        """Whether the budget covers this request and those under way, at the highest cost of one so far."""
        count, (tokens, money) = self.under_way + 1, self._dearest
        return (self.budget.tokens is None or self.tokens + count * tokens <= self.budget.tokens) and (
            self.budget.money is None or self.money + count * money <= self.budget.money
        )

    def _pace(self) -> float:
        """Seconds until this request may go out."""
        if self.access.per_minute is None:
            return 0.0
        now = self.clock()
        at = max(now, self._next)
        self._next = at + 60.0 / self.access.per_minute
        return at - now


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"
