"""A planner that reads background and pool as any agent can, and lays out the protocol by types.

Backwards from the result: whatever gives a missing material and is not forbidden is needed, once, or once
for each sample. Then settings are looked up or computed, and the order is what materials and constraints
leave (Kahn), the first of several where they leave several.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from assay.suites.sgi.text.program import Step, Value
from assay.suites.sgi.text.quantities import quantity
from assay.suites.sgi.wet.machine import Setting, SettingKind, computed, printed
from assay.suites.sgi.wet.protocol import label
from assay.suites.sgi.wet.sentences import read

Node = tuple[str, str | None]
"""An action, and the sample that it is done for."""


@dataclass
class Known:
    """What the text says."""

    samples: list[str] = field(default_factory=list)
    each: set[str] = field(default_factory=set)
    goal: str = ""
    forbidden: set[str] = field(default_factory=set)
    literals: dict[tuple[str, str | None, str], str] = field(default_factory=dict)
    labels: set[tuple[str, str]] = field(default_factory=set)
    before: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Offer:
    """An action of the pool: `takes` maps a parameter to its type and whether it is a list."""

    takes: dict[str, tuple[str, bool]] = field(default_factory=dict)
    sets: list[str] = field(default_factory=list)
    gives: str = ""


def plan(question: str, pool: str) -> list[Step]:
    """The steps of the protocol in order; none where the text cannot be read."""
    known, offers = _read_question(question), _read_pool(pool)
    makers: dict[str, list[str]] = defaultdict(list)
    for name, offer in offers.items():
        if name not in known.forbidden:
            makers[offer.gives].append(name)
    sources: dict[Node, dict[str, list[Node]]] = {}
    if not makers[known.goal]:
        return []
    _need((makers[known.goal][0], None), known, offers, makers, sources)
    order = _order(sources, known)
    place = {node: f"out_{at + 1}" for at, node in enumerate(order)}
    steps = []
    for node in order:
        name, sample = node
        arguments: dict[str, Value] = {}
        for parameter, (_, several) in offers[name].takes.items():
            outputs = tuple(place[source] for source in sources[node][parameter] if source in place)
            arguments[parameter] = outputs if several else (outputs or ("",))[0]
        for parameter in offers[name].sets:
            arguments[parameter] = _literal(name, sample, parameter, known)
        steps.append(Step(place[node], name, arguments))
    return steps


def _need(
    node: Node,
    known: Known,
    offers: dict[str, Offer],
    makers: dict[str, list[str]],
    sources: dict[Node, dict[str, list[Node]]],
) -> None:
    if node in sources:
        return
    name, sample = node
    sources[node] = {}
    for parameter, (kind, several) in offers[name].takes.items():
        found: list[Node] = []
        for maker in makers[kind][:1]:
            if several:
                found = [(maker, each) for each in known.samples]
            else:
                found = [(maker, sample if maker in known.each else None)]
        sources[node][parameter] = found
        for source in found:
            _need(source, known, offers, makers, sources)


def _order(sources: dict[Node, dict[str, list[Node]]], known: Known) -> list[Node]:
    """The nodes in an order that materials and stated constraints allow."""
    by_label = {label(*node): node for node in sources}
    before: dict[Node, set[Node]] = {
        node: {source for found in taken.values() for source in found} for node, taken in sources.items()
    }
    for first, second in known.before:
        if first in by_label and second in by_label:
            before[by_label[second]].add(by_label[first])
    found: list[Node] = []
    waiting = sorted(sources, key=lambda node: label(*node))
    while waiting:
        ready = next((node for node in waiting if before[node] <= set(found)), waiting[0])
        waiting.remove(ready)
        found.append(ready)
    return found


def _literal(name: str, sample: str | None, parameter: str, known: Known) -> str:
    if (name, parameter) in known.labels and sample is not None:
        return sample
    own = known.literals.get((name, sample, parameter))
    return own if own is not None else known.literals.get((name, None, parameter), "")


def _read_question(question: str) -> Known:
    known = Known()
    found = [parsed for line in question.splitlines() if (parsed := read(line)) is not None]
    for kind, said in found:
        if kind == "samples":
            known.samples = said["samples"].split(", ")
        elif kind == "each":
            known.each = set(said["actions"].split(", "))
    for kind, said in found:
        if kind == "goal":
            known.goal = said["goal"]
        elif kind == "never":
            known.forbidden.add(said["action"])
        elif kind == "before":
            known.before.append((said["first"], said["second"]))
        elif kind == "label":
            known.labels.add((said["action"], said["parameter"]))
        elif kind == "fact":
            known.literals[said["action"], None, said["parameter"]] = said["value"]
        elif kind == "series":
            known.literals[said["action"], said["sample"], said["parameter"]] = said["value"]
        elif kind in ("dilution", "scaled", "mass"):
            known.literals[said["action"], None, said["parameter"]] = _worked_out(
                kind, said, len(known.samples)
            )
    return known


def _worked_out(kind: str, said: dict[str, str], samples: int) -> str:
    amounts = [quantity(said[name]) for name in "abc" if name in said]
    numbers = [str(amount.value) for amount in amounts if amount is not None]
    kinds: dict[str, SettingKind] = {"dilution": "dilution", "scaled": "scaled", "mass": "mass"}
    result = computed(Setting("", kinds[kind]), numbers, samples)
    units = {"dilution": said.get("c", ""), "scaled": said.get("a", ""), "mass": "0 mg"}
    return f"{printed(result)} {units[kind].partition(' ')[2]}".strip()


_HEAD = re.compile(r"<([^<>]+)>\(")
_ARGUMENT = re.compile(r"\s{8}(\w+): (?:\[([^\]]+)\](, a list)?)?")
_RETURNS = re.compile(r"\s{4}Returns: \[([^\]]+)\]")


def _read_pool(pool: str) -> dict[str, Offer]:
    offers: dict[str, Offer] = {}
    current = Offer()
    for line in pool.splitlines():
        if head := _HEAD.match(line):
            current = offers[head[1]] = Offer()
        elif argument := _ARGUMENT.match(line):
            if argument[2]:
                current.takes[argument[1]] = (argument[2], bool(argument[3]))
            else:
                current.sets.append(argument[1])
        elif returns := _RETURNS.match(line):
            current.gives = returns[1]
    return offers
