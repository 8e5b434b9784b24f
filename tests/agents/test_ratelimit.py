"""The limit of all requests of a sweep: how many at once, how fast, how often again, for how much."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from assay.agents.player import Price
from assay.agents.ratelimit import LONGEST_PAUSE, Access, Budget, RateLimit
from assay.agents.transport import Reply, TransportError
from assay.errors import ConfigError


@dataclass
class Busy:
    """Answers after a while, and knows how many it is answering."""

    seconds: float = 0.002
    now: int = 0
    most: int = 0
    asked: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> Reply:
        with self.lock:
            self.asked += 1
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.seconds)
        with self.lock:
            self.now -= 1
        return Reply("", tokens_in=8, tokens_out=2)


def storm(limit: RateLimit, busy: Busy, episodes: int, turns: int) -> list[str]:
    """So many episodes side by side, each asking so often; how each came to an end."""

    def episode(_: int) -> str:
        try:
            for _ in range(turns):
                limit.ask(busy)
        except TransportError as problem:
            return str(problem)
        return "done"

    with ThreadPoolExecutor(episodes) as threads:
        return list(threads.map(episode, range(episodes)))


@pytest.mark.parametrize("requests", [1, 5, 48])
def test_64_episodes_keep_so_many_requests_under_way_and_never_more(requests: int) -> None:
    limit, busy = RateLimit(Access(requests=requests)), Busy(seconds=0.03 if requests > 5 else 0.002)
    assert storm(limit, busy, 64, 6) == ["done"] * 64
    assert busy.asked == 64 * 6
    assert limit.most_under_way == requests
    assert busy.most <= requests
    assert busy.most >= requests * 3 // 4  # they are kept busy, too
    assert (limit.tokens, limit.under_way) == (64 * 6 * 10, 0)


@pytest.mark.parametrize("side_by_side", [1, 16])
@pytest.mark.parametrize(("tokens", "asked"), [(10, 1), (95, 10), (100, 10), (101, 11)])
def test_a_budget_of_tokens_holds_to_the_call(side_by_side: int, tokens: int, asked: int) -> None:
    """The first request has no known price; from then on none goes out that would pass the budget."""
    limit, busy = RateLimit(Access(requests=side_by_side), Budget(tokens=tokens)), Busy()
    limit.ask(busy)
    ends = storm(limit, busy, side_by_side, 50)
    assert ends == ["the budget of the model is spent"] * side_by_side
    assert busy.asked == asked
    assert tokens <= limit.tokens < tokens + 10


def test_a_budget_of_money_counts_what_was_spent_before() -> None:
    limit = RateLimit(
        Access(), Budget(money=1.0), Price(tokens_in=12_500, tokens_out=12_500), tokens=50, money=0.625
    )
    busy = Busy()
    assert storm(limit, busy, 1, 50) == ["the budget of the model is spent"]
    assert busy.asked == 3
    assert limit.money == pytest.approx(1.0)


def test_a_lost_connection_is_tried_again_after_growing_pauses() -> None:
    pauses: list[float] = []
    limit = RateLimit(Access(retries=8), sleep=pauses.append)
    failures = iter(range(8))

    def flaky() -> Reply:
        if next(failures, None) is not None:
            raise TransportError("lost")
        return Reply("at last")

    assert limit.ask(flaky).text == "at last"
    assert pauses == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE]

    def lost() -> Reply:
        raise TransportError("lost for good")

    with pytest.raises(TransportError, match="lost for good"):
        limit.ask(lost)
    assert len(pauses) == 16
    assert limit.under_way == 0


def test_the_other_side_may_ask_for_a_longer_pause_and_each_is_told() -> None:
    pauses: list[float] = []
    told: list[str] = []
    limit = RateLimit(Access(retries=3), sleep=pauses.append, tell=told.append)
    waits = iter([20.0, 0.0, 3600.0, 0.0])

    def busy() -> Reply:
        raise TransportError("HTTP 429", details="slow down", wait=next(waits))

    with pytest.raises(TransportError):
        limit.ask(busy, "urn, request 7")
    assert pauses == [20, 2, LONGEST_PAUSE]
    assert told == [
        "urn, request 7: HTTP 429: slow down; retry 1 of 3 in 20 s",
        "urn, request 7: HTTP 429: slow down; retry 2 of 3 in 2 s",
        "urn, request 7: HTTP 429: slow down; retry 3 of 3 in 60 s",
        "urn, request 7: HTTP 429: slow down; given up after 4 tries",
    ]


def test_a_refused_key_stops_all_requests() -> None:
    asked: list[int] = []
    limit = RateLimit(Access(retries=5), sleep=lambda seconds: None)

    def refused() -> Reply:
        asked.append(1)
        raise ConfigError("the key is refused", "set another")

    with pytest.raises(ConfigError):
        limit.ask(refused)
    with pytest.raises(TransportError, match="interrupted"):
        limit.ask(refused)
    assert len(asked) == 1 and limit.stopped and limit.under_way == 0


def test_what_cannot_succeed_is_not_tried_again() -> None:
    pauses: list[float] = []
    asked: list[int] = []

    def forbidden() -> Reply:
        asked.append(1)
        raise TransportError("HTTP 401", again=False)

    with pytest.raises(TransportError, match="401"):
        RateLimit(Access(retries=5), sleep=pauses.append).ask(forbidden)
    assert (pauses, asked) == ([], [1])


def test_requests_keep_their_pace() -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    limit = RateLimit(Access(per_minute=30), sleep=sleep, clock=lambda: now[0])
    at = []
    for _ in range(4):
        limit.ask(lambda: at.append(now[0]) or Reply(""))  # type: ignore[func-returns-value]
    assert at == [100, 102, 104, 106]
    now[0] = 200.0
    limit.ask(lambda: at.append(now[0]) or Reply(""))  # type: ignore[func-returns-value]
    assert at[-1] == 200  # a pause is not made up for by haste


def test_who_waits_long_for_a_turn_is_told_and_an_interruption_sends_nothing() -> None:
    told: list[str] = []
    asked: list[int] = []
    limit = RateLimit(
        Access(per_minute=3), sleep=lambda seconds: limit.stop(), clock=lambda: 0.0, tell=told.append
    )

    def answer() -> Reply:
        asked.append(1)
        return Reply("")

    limit.ask(answer, "the first")
    with pytest.raises(TransportError, match="interrupted"):
        limit.ask(answer, "the second")
    assert told == ["the second: waits 20 s for its turn (3 a minute)"]
    assert len(asked) == 1 and limit.under_way == 0


def test_an_interruption_ends_the_pauses() -> None:
    """Who waits for a minute before the next try is not waited for."""
    limit, asked = RateLimit(Access(retries=30)), threading.Event()

    def lost() -> Reply:
        asked.set()
        raise TransportError("lost")

    with ThreadPoolExecutor(1) as threads:
        end = threads.submit(limit.ask, lost)
        assert asked.wait(30)
        limit.stop()
        assert str(end.exception(timeout=30)) == "the recording was interrupted"


def test_an_interruption_lets_nothing_more_out() -> None:
    limit, busy = RateLimit(Access(requests=2)), Busy(seconds=0.05)
    with ThreadPoolExecutor(1) as threads:
        ends = threads.submit(storm, limit, busy, 8, 1000)
        while busy.asked < 4:
            time.sleep(0.001)
        limit.stop()
        assert set(ends.result(timeout=30)) == {"the recording was interrupted"}
    assert busy.asked <= 4 + 2
