"""`python -m tests.mutation [MODULE...]`: the share of mutants that the tests kill, and the survivors."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.mutation.explained import reason_of
from tests.mutation.ledger import Ledger
from tests.mutation.modules import MODULES, Group
from tests.mutation.operators import Mutant
from tests.mutation.running import KILLED, SURVIVED, TIMED_OUT, UNREACHED, Verdict, run

GOAL = 0.95


@dataclass
class Tally:
    """Verdicts of one module."""

    counts: Counter[str] = field(default_factory=Counter)
    explained: int = 0
    survivors: list[tuple[Mutant, Verdict]] = field(default_factory=list)
    wrongly_explained: list[Mutant] = field(default_factory=list)

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        self.counts[verdict.status] += 1
        if reason_of(mutant) and verdict.status not in (SURVIVED, UNREACHED):
            self.wrongly_explained.append(mutant)
        if verdict.status in (SURVIVED, UNREACHED):
            if reason_of(mutant):
                self.explained += 1
            else:
                self.survivors.append((mutant, verdict))

    @property
    def tried(self) -> int:
        return self.counts.total()

    @property
    def killed(self) -> int:
        return self.counts[KILLED] + self.counts[TIMED_OUT]

    @property
    def share(self) -> float:
        """Of all that are not explained."""
        return self.killed / max(1, self.tried - self.explained)

    @property
    def share_of_all(self) -> float:
        return self.killed / max(1, self.tried)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}; all without")
    parser.add_argument("--group", help="one group of files alone")
    parser.add_argument("--sample", type=int, help="that many mutants of each group, instead of all")
    parser.add_argument("--anew", action="store_true", help="do not use what is known from earlier runs")
    parser.add_argument("--explained", action="store_true", help="try those that are explained, too")
    parser.add_argument("--kept", action="store_true", help="print what was found last; try nothing")
    parser.add_argument("--strict", action="store_true", help="fail where any survives that is not explained")
    options = parser.parse_args(arguments)
    if unknown := set(options.modules) - MODULES.keys():
        parser.error(f"no module {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
    tallies = {}
    for name in options.modules or MODULES:
        tally = tallies[name] = Tally()
        for group in MODULES[name]:
            if options.group in (None, group.name):
                how = {name: getattr(options, name) for name in ("anew", "kept", "explained")}
                for mutant, verdict in judged(group, options.sample, **how):
                    tally.add(mutant, verdict)
    print(table(tallies))
    for name, tally in tallies.items():
        for mutant, verdict in tally.survivors:
            print(f"{name}: {verdict.status} ({verdict.tests} tests) {mutant.name}")
        for mutant in tally.wrongly_explained:
            print(f"{name}: killed, though equivalent.yaml says why it cannot be: {mutant.name}")
    if options.strict:
        return int(any(tally.survivors for tally in tallies.values()))
    return int(any(tally.tried and tally.share < GOAL for tally in tallies.values()))


def table(tallies: dict[str, Tally]) -> str:
    """A line a module."""
    head = ("module", "mutants", "killed", "timed out", "survived", "explained", "share", "share of all")
    rows = [
        (
            name,
            str(tally.tried),
            str(tally.counts[KILLED]),
            str(tally.counts[TIMED_OUT]),
            str(tally.tried - tally.killed),
            str(tally.explained),
            f"{100 * tally.share:.1f} %",
            f"{100 * tally.share_of_all:.1f} %",
        )
        for name, tally in tallies.items()
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) for cell, w in zip(r, widths, strict=True)) for r in (head, *rows)
    )


def judged(
    group: Group, sample: int | None, *, anew: bool = False, kept: bool = False, explained: bool = False
) -> Iterator[tuple[Mutant, Verdict]]:
    """The verdict on every mutant of a group, or of a sample; what is not known is tried now, in a child."""
    sources = group.sources()
    mutants = group.mutants(sources, sample)
    ledger = Ledger(group)
    taken = {mutant for mutant in mutants if reason_of(mutant) and not explained}
    open_ = [m for m in mutants if m not in taken and (anew or ledger.verdict(m) is None)]
    if open_ and not kept:
        _say(f"{group.name}: {len(open_)} of {len(mutants)} mutants to try")
        child = os.fork()  # what one group imports, another does not see
        if child == 0:
            code = 3
            try:
                code = run(group, sources, open_, _keeping(group, len(open_)), _say)
            finally:
                sys.stdout.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 5):
            raise SystemExit(f"the tests of {group.name} do not run: {os.waitstatus_to_exitcode(status)}")
        ledger = Ledger(group)
    for mutant in mutants:
        found = ledger.last(mutant) if kept else ledger.verdict(mutant)
        verdict = Verdict(SURVIVED) if mutant in taken else found
        if verdict is not None:
            yield mutant, verdict


def _keeping(group: Group, count: int):
    ledger, done, start = Ledger(group), Counter[str](), time.monotonic()

    def keep(mutant: Mutant, verdict: Verdict) -> None:
        ledger.keep(mutant, verdict)
        done[verdict.status] += 1
        if done.total() % 25 == 0 or done.total() == count:
            seconds = time.monotonic() - start
            counts = ", ".join(f"{n} {status}" for status, n in sorted(done.items()))
            _say(f"{group.name}: {done.total()} of {count} in {seconds:.0f} s: {counts}")

    return keep


def _say(text: str) -> None:
    os.write(_STDOUT, (text + "\n").encode())


_STDOUT = os.dup(1)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
