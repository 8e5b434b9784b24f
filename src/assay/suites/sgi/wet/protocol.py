"""A protocol before it becomes text: steps with materials and settings, from a family and a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.numbers.rng import Stream
from assay.suites.sgi.text.program import Step, Value
from assay.suites.sgi.wet.machine import Action, ProtocolFamily, Setting, computed, printed
from assay.suites.sgi.wet.order import Pair, completing, random_extension

SYLLABLES = ("ba", "do", "fi", "ka", "lu", "me", "no", "pi", "ra", "su", "ta", "ve", "zo", "ri", "mo", "gel")


@dataclass(frozen=True)
class Given:
    """A setting of an action with its numbers: what the text says, and what the program has to say.

    `sample` is null where it holds for all; `values` are the given number (three for a computed one).
    """

    action: str
    setting: Setting
    sample: str | None
    values: tuple[str, ...]
    literal: str

    @property
    def is_computed(self) -> bool:
        """Whether the literal is to be computed from the values."""
        return self.setting.kind in ("dilution", "scaled", "mass")


@dataclass(frozen=True)
class Protocol:
    """The steps in protocol order. `labels` say each step in words; `constraints` are to be stated."""

    family: ProtocolFamily
    samples: tuple[str, ...]
    labels: tuple[str, ...]
    steps: tuple[Step, ...]
    dependencies: tuple[Pair, ...]
    constraints: tuple[Pair, ...]
    given: tuple[Given, ...]


def replicates(family: ProtocolFamily, level: int) -> int:
    """Samples at a level: 7 to 9 steps at level 1, up to 20 at level 4."""
    shared = len(family.needed) - len(family.branch)
    most = (20 - shared) // len(family.branch)
    return min(level if level < 4 else 5, most)


def label(action: str, sample: str | None) -> str:
    """A step in words."""
    return action if sample is None else f"{action} of {sample}"


def lay_out(family: ProtocolFamily, level: int, stream: Stream) -> Protocol:
    """Draw samples, settings and an order; the steps get their outputs' names in that order."""
    samples = _names(replicates(family, level), stream)
    nodes: list[tuple[Action, str | None]] = [(action, None) for action in (*family.prefix, *family.side)]
    nodes += [(action, name) for name in samples for action in family.branch]
    nodes += [(action, None) for action in (family.join, *family.suffix)]
    maker = {(action.gives, name): at for at, (action, name) in enumerate(nodes)}
    sources = [_sources(action, name, samples, maker) for action, name in nodes]
    pairs = sorted({(a, b) for b, taken in enumerate(sources) for found in taken.values() for a in found})
    order = random_extension(len(nodes), pairs, stream)
    place = {node: at for at, node in enumerate(order)}
    given = _settings(family, samples, stream)
    literals = {(g.action, g.sample, g.setting.parameter): g.literal for g in given}
    steps = []
    for at, node in enumerate(order):
        action, name = nodes[node]
        arguments: dict[str, Value] = {}
        for parameter, kind in action.takes:
            outputs = tuple(f"out_{place[source] + 1}" for source in sources[node][parameter])
            arguments[parameter] = outputs if kind.endswith("*") else outputs[0]
        for setting in action.sets:
            found = literals.get((action.name, name, setting.parameter))
            arguments[setting.parameter] = found or literals[action.name, None, setting.parameter]
        steps.append(Step(f"out_{at + 1}", action.name, arguments))
    dependencies = sorted((place[a], place[b]) for a, b in pairs)
    return Protocol(
        family=family,
        samples=samples,
        labels=tuple(label(nodes[node][0].name, nodes[node][1]) for node in order),
        steps=tuple(steps),
        dependencies=tuple(dependencies),
        constraints=tuple(completing(range(len(nodes)), dependencies)),
        given=tuple(given),
    )


def _names(n: int, stream: Stream) -> tuple[str, ...]:
    """Invented names of samples, all different."""
    found: list[str] = []
    while len(found) < n:
        name = (stream.choice(SYLLABLES) + stream.choice(SYLLABLES)).capitalize() + f"-{1 + stream.below(9)}"
        if name not in found:
            found.append(name)
    return tuple(found)


def _sources(
    action: Action, name: str | None, samples: Sequence[str], maker: dict[tuple[str, str | None], int]
) -> dict[str, tuple[int, ...]]:
    """For each material that an action takes, the steps that make it."""
    found = {}
    for parameter, kind in action.takes:
        if kind.endswith("*"):
            found[parameter] = tuple(maker[kind[:-1], each] for each in samples)
        else:
            found[parameter] = (maker.get((kind, name), maker.get((kind, None), -1)),)
    return found


def _settings(family: ProtocolFamily, samples: Sequence[str], stream: Stream) -> list[Given]:
    """A value for every setting of every action; a series has another for each sample."""
    found = []
    for action in family.needed:
        for setting in action.sets:
            if setting.kind == "series":
                for name, number in zip(samples, stream.sample(setting.numbers, len(samples)), strict=True):
                    found.append(Given(action.name, setting, name, (number,), _amount(number, setting.unit)))
            elif setting.kind == "sample":
                found += [Given(action.name, setting, name, (), name) for name in samples]
            elif setting.kind == "word":
                chosen = stream.choice(setting.words)
                found.append(Given(action.name, setting, None, (chosen,), chosen))
            elif setting.kind == "stated":
                number = stream.choice(setting.numbers)
                found.append(Given(action.name, setting, None, (number,), _amount(number, setting.unit)))
            else:
                values = tuple(
                    stream.choice(numbers)
                    for numbers in (setting.numbers, setting.more, setting.most)
                    if numbers
                )
                result: Fraction = computed(setting, values, len(samples))
                literal = _amount(printed(result), setting.unit)
                found.append(Given(action.name, setting, None, values, literal))
    return found


def _amount(number: str, unit: str) -> str:
    return f"{number} {unit}" if unit else number
