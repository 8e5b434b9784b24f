"""Many inputs through all doors: `python -m tests.reliability.fuzzing.campaign --inputs 20000 --seed 1`.

Prints a line a batch, each finding with its input made short, a line a door, and the total. `--door NAME`
takes one door, `--only N` its input of that number again; `--from NAME` goes on at that door with what was
interrupted there. Nothing is written to a disk that stays.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.reliability.fuzzing.bounds import Finding, Opened, peak, shorter, told
from tests.reliability.fuzzing.door import Door
from tests.reliability.fuzzing.mutation import Mutator, stream
from tests.reliability.fuzzing.table import doors, quotas

BATCH = 5_000
MOST_FINDINGS = 5
"""Different ones of one door: then it is left, since it needs mending."""


@dataclass
class Tried:
    """What came of the inputs of one door; seconds are those of the processor."""

    inputs: int = 0
    taken: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: dict[str, Finding] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{self.inputs} inputs, {self.taken} taken, {len(self.findings)} findings, {self.seconds:.1f} s, "
            f"slowest {self.slowest:.2f} s"
        )


def through(
    door: Door,
    seed: int,
    count: int,
    first: int = 0,
    before: Callable[[int], object] = lambda number: None,
    progress: Callable[[Tried], None] = lambda tried: None,
) -> Tried:
    """So many inputs through one door, from that number on; `before` is told each number."""
    tried = Tried()
    with Opened(door) as opened:
        mutator = Mutator(door, door.seeds())
        for number in range(first, first + count):
            before(number)
            # A function of seed, door and number alone, so that it can be made again.
            data = mutator.make(stream(seed, door.name, number))
            began = time.process_time()
            finding = opened.try_(data)
            spent = time.process_time() - began
            tried.inputs += 1
            tried.taken += opened.took
            tried.seconds += spent
            tried.slowest = max(tried.slowest, spent)
            if finding is not None and finding.place not in tried.findings:
                finding = tried.findings[finding.place] = shorter(opened, finding)
                print(f"FOUND number {number}, seed {seed}: {told(finding)}", flush=True)
                if len(tried.findings) >= MOST_FINDINGS:
                    break
            if tried.inputs % BATCH == 0:
                progress(tried)
    return tried


def main(arguments: list[str] | None = None) -> int:
    """Run; returns 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--door", action="append", default=[])
    parser.add_argument("--only", type=int)
    parser.add_argument("--from", dest="first", metavar="NAME")
    parser.add_argument("--at", type=Path, help="a file that always names the input under way")
    args = parser.parse_args(arguments)
    faulthandler.enable()
    known = {name: door for name, door in doors().items() if not args.door or name in args.door}
    for name in [name for name, door in known.items() if door.missing]:
        print(f"left out: {name}, which needs {', '.join(known.pop(name).missing)}", flush=True)
    if args.only is not None:
        (door,) = known.values()
        return int(bool(through(door, args.seed, 1, args.only).findings))
    counts, done, findings = quotas(args.inputs, list(known)), 0, 0
    if args.first is not None:
        known = dict(itertools.dropwhile(lambda row: row[0] != args.first, known.items()))
        if not known:
            parser.error(f"--from: no door {args.first!r}")
    every = sum(counts[name] for name in known)
    began = time.monotonic()
    at = None if args.at is None else os.open(args.at, os.O_WRONLY | os.O_CREAT)

    def say(name: str, tried: Tried) -> None:
        whole = f"{done + tried.inputs} of {every} inputs, {time.monotonic() - began:.0f} s"
        print(f"{whole}, seed {args.seed}: {name}: {tried}", flush=True)

    for name, door in known.items():

        def before(number: int, name: str = name) -> None:
            if at is not None:
                os.pwrite(at, f"{name}, number {number}\n".ljust(100).encode(), 0)

        def progress(tried: Tried, name: str = name) -> None:
            say(name, tried)

        tried = through(door, args.seed, counts[name], before=before, progress=progress)
        say(name, tried)
        done += tried.inputs
        findings += len(tried.findings)
    print(
        f"TOTAL {done} inputs through {len(known)} doors, {findings} findings, "
        f"{time.monotonic() - began:.0f} s, at most {peak()} MiB, seed {args.seed}",
        flush=True,
    )
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
