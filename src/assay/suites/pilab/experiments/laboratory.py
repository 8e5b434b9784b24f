"""The policy laboratory: two configurations compared in the same worlds, and what each decision was worth.

Runs of a pair have common random numbers that are keyed by roles (`Lab.next_id`): the luck of the project
that a member began in month 4 is the same in both, however many other projects there are. So differences are
due to what was changed, and a single decision can be left out without changing the luck of any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay import plotting
from assay.numbers.paired import clustered, student_interval
from assay.suites.pilab.experiments.configurations import Configuration
from assay.suites.pilab.experiments.runs import Policy, play
from assay.suites.pilab.interface.client import LabClient, LoggedClient
from assay.suites.pilab.interface.methods import NEXT_MONTH
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab

Maker = Callable[[Lab], Policy]

MEASURES: dict[str, Callable[[Lab], float]] = {
    "impact": papers.impact,
    "closed": lambda lab: float(lab.collapse_month is not None),
    "papers": lambda lab: float(len(lab.published())),
    "awards": lambda lab: float(len(lab.awards)),
    "people": lambda lab: float(sum(member.researcher for member in lab.members.values())),
    "quits": lambda lab: float(sum(member.status == "quit" for member in lab.members.values())),
    "graduates": lambda lab: float(sum(member.status == "graduated" for member in lab.members.values())),
}
"""What is measured at the end of a run, by name."""


@dataclass(frozen=True)
class Comparison:
    """One measure of two arms in the same worlds.

    Attributes:
        measure: name of the measure.
        a: values of arm A, by world; `b` likewise.
    """

    measure: str
    a: Sequence[float]
    b: Sequence[float]

    def to_json(self) -> dict[str, Any]:
        """Return the means and the paired difference, B less A, with its 95 % interval (Student's t)."""
        differences = [b - a for a, b in zip(self.a, self.b, strict=True)]
        interval = student_interval(clustered(differences, range(len(differences))))
        return {
            "a": math.fsum(self.a) / len(self.a),
            "b": math.fsum(self.b) / len(self.b),
            "difference": math.fsum(differences) / len(differences),
            "low": interval.low,
            "high": interval.high,
        }


def experiment(
    a: Configuration, b: Configuration, policy: Maker, seeds: Sequence[int], b_policy: Maker | None = None
) -> list[Comparison]:
    """Play a policy in the same worlds under two configurations.

    Args:
        a: configuration of arm A.
        b: configuration of arm B.
        policy: makes the policy for a lab.
        seeds: seeds of the worlds.
        b_policy: makes the policy of arm B, if it is another one.

    Returns:
        One comparison for each measure.
    """
    ends = [
        [play(maker, seed, arm.parameters, arm.mode, by_role=True) for seed in seeds]
        for arm, maker in ((a, policy), (b, b_policy or policy))
    ]
    return [
        Comparison(name, [measure(lab) for lab in ends[0]], [measure(lab) for lab in ends[1]])
        for name, measure in MEASURES.items()
    ]


def draw(comparison: Comparison) -> Any:
    """Draw the two arms of each world, and the mean difference with its interval."""
    figure = plotting.figure(width_mm=150, height_mm=80)
    worlds, gain = figure.subplots(1, 2, width_ratios=(2, 1))
    top = max(*comparison.a, *comparison.b, 1.0)
    worlds.plot([0, top], [0, top], color=plotting.COLOURS["black"], linewidth=0.6)
    worlds.plot(comparison.a, comparison.b, "o", markersize=3, color=plotting.COLOURS["blue"])
    worlds.set(xlabel=f"{comparison.measure} in A", ylabel="the same world in B", title="worlds")
    result = comparison.to_json()
    plotting.interval(gain, 0, result["difference"], result["low"], result["high"], vertical=True)
    gain.axhline(0, color=plotting.COLOURS["black"], linewidth=0.6)
    gain.set(xticks=[], ylabel="B less A", title="mean difference, 95 %")
    return figure


# ------------------------------------------------------------ single decisions


@dataclass(frozen=True)
class Worth:
    """What one decision was worth: IMPACT with it less IMPACT without it.

    Attributes:
        call: number of the call in the log, from 0.
        month: month of the call.
        method: the method that was called.
        arguments: its arguments.
        worth: the difference; negative if the decision did harm.
        refused: number of later calls of the log that the lab refused only because of its absence.
    """

    call: int
    month: int
    method: str
    arguments: Sequence[Any]
    worth: float
    refused: int


def logged(policy: Maker, seed: int, arm: Configuration) -> tuple[list[list[Any]], Lab]:
    """Return the log of a run, each entry as month, method, arguments and 1 if it was carried out."""
    lab = Lab(seed, arm.parameters, arm.mode, by_role=True)
    client, act = LoggedClient(lab), policy(lab)
    while not lab.over:
        act(client)
        client.next_month()
    return client.log, lab


def replayed(log: Iterable[Sequence[Any]], seed: int, arm: Configuration) -> tuple[Lab, int]:
    """Return the lab after the carried out calls of a log, and how many of them were refused."""
    lab = Lab(seed, arm.parameters, arm.mode, by_role=True)
    client, refused = LabClient(lab), 0
    for _, method, arguments, done in log:
        if lab.over:
            break
        if method == NEXT_MONTH:
            client.next_month()
        elif done:
            try:
                client.call(method, *arguments)
            except Refused:
                refused += 1
    while not lab.over:
        client.next_month()
    return lab, refused


def decisions(policy: Maker, seed: int, arm: Configuration, methods: Sequence[str] = ()) -> list[Worth]:
    """Return what each decision of a run was worth, in the order of the log.

    The log is carried out again once for each decision, without it. Later calls that need its result (a
    project of somebody who was not hired) are refused: their worth belongs to the decision, too.

    Args:
        policy: makes the policy for a lab.
        seed: seed of the world.
        arm: the configuration of the world.
        methods: only decisions by these methods; all if empty.
    """
    log, lab = logged(policy, seed, arm)
    impact = papers.impact(lab)
    return [
        Worth(at, month, method, arguments, impact - papers.impact(without), refused)
        for at, (month, method, arguments, done) in enumerate(log)
        if done and method != NEXT_MONTH and (not methods or method in methods)
        for without, refused in [replayed([*log[:at], *log[at + 1 :]], seed, arm)]
    ]
