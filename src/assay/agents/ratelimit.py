"""Limits on all requests to a model: number of parallel requests, rate, retries, and budget.

Episodes are played in parallel threads; a request waits here until the limits allow it. If the connection
fails, the request is repeated after pauses of growing length. After the last retry the episode ends with the
status `transport`, which is never scored, and the next `assay record` continues it.
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
"""The longest pause between two tries, in seconds. The first pause is one second, and each one doubles."""

NOTABLE_PAUSE = 10.0
"""The shortest time, in seconds, that a request waits for the rate limit and for which this is reported."""


@dataclass(frozen=True)
class Budget:
    """The limits of a model over all its sessions.

    Attributes:
        tokens: The largest number of tokens, read and written together; `None` for no limit.
        money: The largest cost, in the unit of the price; `None` for no limit.
    """

    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True)
class Access:
    """The limits on requests to a model.

    Attributes:
        requests: The largest number of requests at the same time.
        per_minute: The largest number of requests per minute; `None` for no limit.
        retries: How often a request is repeated if its connection fails.
    """

    requests: int = 1
    per_minute: float | None = None
    retries: int = 5


@dataclass
class RateLimit:
    """The limit of all requests to one model by one command.

    A request is sent if the budget covers what was spent and, for this request and each one in progress, the
    cost of the most expensive request so far. Requests are therefore sent one at a time when the budget is
    nearly spent, and the last one exceeds it by less than its own cost.

    Attributes:
        access: The limits on requests.
        budget: The limits of tokens and money.
        price: The price of the model's tokens.
        tokens: The number of tokens used so far, including those of earlier sessions.
        money: The cost so far, including that of earlier sessions.
        sleep: Called with the seconds of a pause; by default it waits until they have passed or the limit is
            stopped.
        clock: Returns the time in seconds.
        tell: Called with one line of text for each request that fails or waits.
        under_way: The number of requests in progress.
        most_under_way: The largest number of requests in progress at the same time so far.
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
        """Send a request as soon as the limits allow it, and repeat it if its connection fails.

        An error that every request would cause, such as a refused key, also stops all other requests.

        Args:
            request: Sends the request and returns the reply.
            name: The name of the request in messages.

        Raises:
            TransportError: If all tries have failed, the budget is spent, or the limit was stopped.
            AssayError: If no request can succeed, for example because the key is refused.
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
        """Whether `stop` was called, so that no further request is sent."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Refuse all further requests, including those that are waiting."""
        with self._changed:
            self._stopped.set()
            self._changed.notify_all()

    def completed(self, waiting: Mapping[Future[R], S]) -> Iterator[tuple[S, R]]:
        """Yield the value and the result of each future, in the order in which the futures complete.

        An exception in one of them, or an interruption, stops the others: no further request is sent.

        Args:
            waiting: The value that is yielded for each future, such as the session that it plays.
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
        """Return whether a request need not wait: it may be sent, or it is refused for a spent budget."""
        if self._spent():
            return True
        return self.under_way < self.access.requests and (self.under_way == 0 or self._one_more_fits())

    def _spent(self) -> bool:
        return (self.budget.tokens is not None and self.tokens >= self.budget.tokens) or (
            self.budget.money is not None and self.money >= self.budget.money
        )

    def _one_more_fits(self) -> bool:
        """Return whether the budget covers this request and those in progress, at the highest cost so far."""
        count, (tokens, money) = self.under_way + 1, self._dearest
        return (self.budget.tokens is None or self.tokens + count * tokens <= self.budget.tokens) and (
            self.budget.money is None or self.money + count * money <= self.budget.money
        )

    def _pace(self) -> float:
        """Return the seconds until this request may be sent, and reserve that time for it."""
        if self.access.per_minute is None:
            return 0.0
        now = self.clock()
        at = max(now, self._next)
        self._next = at + 60.0 / self.access.per_minute
        return at - now


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"
