"""The words of a problem archetype: what is hard, what was tried, and three programmes that would help.

Fields in braces: `{system}` and `{reading}` by discipline, `{q}` a quantity that is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SYSTEMS: Mapping[str, tuple[str, str]] = {
    "astronomy": ("variable stars", "light curves"),
    "chemistry": ("reaction mixtures", "infrared spectra"),
    "earth": ("river basins", "gauge records"),
    "energy": ("battery packs", "voltage traces"),
    "information": ("traffic in networks", "packet logs"),
    "life": ("microbial communities", "sequence counts"),
    "material": ("alloys under load", "acoustic emissions"),
    "mathematics": ("chaotic maps", "orbit samples"),
    "neuroscience": ("cortical populations", "spike trains"),
    "physics": ("trapped plasmas", "probe currents"),
}
"""Of each discipline: what is studied, and what is measured of it."""


@dataclass(frozen=True)
class Step:
    """One step of a plan: its closed type, a text with one quantity `{q}` in `unit`, what goes in and out."""

    type: str
    text: str
    takes: str
    gives: str
    unit: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Programme:
    """A way to a solution.

    `keywords`: each a list of surface forms. `idea`: the sentences of the core idea. `sides` are two steps
    that can be done in either order, `join` needs both. `limit` says what it cannot do, where it is known
    already.
    """

    name: str
    keywords: tuple[tuple[str, ...], ...]
    idea: tuple[str, ...]
    sides: tuple[Step, Step]
    join: Step
    limit: str


@dataclass(frozen=True)
class Archetype:
    """A kind of problem with three programmes; related work uses `tried`, the hidden part of it `unseen`."""

    name: str
    challenge: str
    limitation: str
    motivation: str
    objective: str
    data: str
    metrics: tuple[tuple[str, str], ...]
    tried: tuple[str, ...]
    unseen: tuple[str, ...]
    programmes: tuple[Programme, Programme, Programme]


def step(kind: str, text: str, unit: str, *numbers: int) -> Step:
    """A step from its text, in which `[..]` marks what goes in and `<..>` what comes out."""
    takes = text[text.index("[") + 1 : text.index("]")]
    gives = text[text.index("<") + 1 : text.index(">")]
    plain = text.translate(str.maketrans("", "", "[]<>"))
    return Step(kind, plain, takes, gives, unit, numbers)


def forms(text: str) -> tuple[tuple[str, ...], ...]:
    """Keywords between semicolons, their surface forms between strokes."""
    return tuple(tuple(form.strip() for form in one.split("|")) for one in text.split(";"))
