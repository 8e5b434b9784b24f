"""Signal points: the particles produced, their decays, the share that is generated, and the rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from assay.errors import UnknownName
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.signal.slha import Channel, Decays, Spectrum
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.catalogue import NLO_NLL, NNLO_NNLL, Order
from assay.suites.collider.problems.orders import WANTED

GLUINO, N1, N2, C1, GRAVITINO = 1000021, 1000022, 1000023, 1000024, 1000039
STOP = 1000006
PHOTON, Z, W = 22, 23, 24
LIGHT = (1, 2, 3, 4)
"""Quarks of the simplified models: d, u, s and c."""

EIGHT_SQUARKS = tuple(side + quark for side in (1000000, 2000000) for quark in LIGHT)
EIGHT_OF_TEN = 0.8
"""Share of a stored squark cross section that belongs to a model.

The cross section includes ten states, with those of the b quark; a model has eight.
"""

GRAVITINO_MASS = 1e-3
COLOURED_WIDTH, WEAK_WIDTH = 1.0, 1e-2
"""Nominal widths in GeV: narrow resonances that decay promptly."""

HEAVIEST = 6500.0
"""Upper limit of masses in GeV: no pair of heavier particles can be produced at 13 TeV."""

SOURCES: Mapping[Order, str] = {
    NLO_NLL: "LHC SUSY Cross Section Working Group, NLO+NLL",
    NNLO_NNLL: "LHC SUSY Cross Section Working Group, approximate NNLO+NNLL",
}

_PAIRS = ("SUSY:gg2squarkantisquark = on", "SUSY:qqbar2squarkantisquark = on")
_CHARGINO = ("SUSY:qqbar2chi+-chi0 = on", f"SUSY:idA = {C1}")
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "gluino-pair": ("SUSY:gg2gluinogluino = on", "SUSY:qqbar2gluinogluino = on"),
    "squark-antisquark": _PAIRS,
    "stop-pair": (*_PAIRS, f"SUSY:idA = {STOP}", f"SUSY:idB = {STOP}"),
    "c1n2": (*_CHARGINO, f"SUSY:idB = {N2}"),
}


@dataclass(frozen=True)
class Model:
    """A simplified model.

    Attributes:
        process: the name of the stored cross section.
        masses: for each particle (PDG number) the position of its mass in the name of a point. The first mass
            is that of the produced particle.
        decays: the decays of its particles.
        commands: commands of Pythia that select the process; empty for those of `_COMMANDS`.
        states: the share of the stored cross section that belongs to the model.
        leptonic_z: whether only decays of the Z to electrons and muons are generated.
        wino: the number (1 or 2) of the neutralino that is a pure wino.
        order: the order of the cross section that the papers use.
        experiment: the experiment whose tune the generator uses. The lightest particle of points of ATLAS may
            be massless.
    """

    process: str
    masses: Mapping[int, int]
    decays: Decays
    commands: tuple[str, ...] = ()
    states: float = 1.0
    leptonic_z: bool = False
    wino: int = 2
    order: Order = NLO_NLL
    experiment: str = "CMS"


@dataclass(frozen=True, kw_only=True)
class Point(Model):
    """A point of a model: its name, its spectrum, and the mass (GeV) of its stored cross section."""

    name: str
    spectrum: Spectrum
    mass: float


@dataclass(frozen=True)
class Rate:
    """The rate of a point.

    Attributes:
        xsec_fb: cross section in fb.
        relative_error: the relative error of the cross section; None if it is not known.
        br: the share of decays that is generated.
        states: the states that the stored cross section includes.
    """

    xsec_fb: float
    relative_error: float | None
    br: float
    states: str


def point(name: str) -> Point:
    """Return the point with this name.

    Args:
        name: a model and its masses in GeV, descending, such as `T5Wg_1750_1700`.

    Raises:
        UnknownName: there is no such model, or the masses do not fit it.
    """
    kind, *numbers = name.split("_")
    try:
        model = MODELS[kind]
        masses = _descending([float(number) for number in numbers], model)
    except (KeyError, ValueError):
        known = ", ".join(MODELS)
        raise UnknownName(
            f"{name!r} is no signal point", f"give MODEL_MASS_MASS (GeV, descending), MODEL one of {known}"
        ) from None
    spectrum = {particle: masses[place] for particle, place in model.masses.items()}
    if N1 in model.decays:
        spectrum[GRAVITINO] = GRAVITINO_MASS
    commands = model.commands or _COMMANDS[model.process]
    return Point(
        **{**vars(model), "commands": commands},
        name=name,
        spectrum=Spectrum(spectrum, model.decays, model.wino),
        mass=masses[0],
    )


def rate(point: Point) -> Rate:
    """Return the rate of a point at 13 TeV. Raises `UnknownName` if no cross section is stored for it."""
    kept = catalogue.cross_section(point.process, point.mass)
    if kept is None:
        known = (c.mass for c in catalogue.cross_sections() if c.process == point.process)
        raise UnknownName(
            f"there is no cross section of {point.process} at {point.mass:g} GeV",
            f"choose a mass among {', '.join(f'{mass:g}' for mass in known)}, or keep one more",
        )
    return Rate(
        xsec_fb=kept.to(point.order).value * point.states,
        relative_error=kept.to(point.order).relative_error,
        br=generated_share(point),
        states=kept.states,
    )


def generated_share(point: Point) -> float:
    """Return the share of decays that is generated."""
    return parameters.value("generator", "z to electrons and muons") if point.leptonic_z else 1.0


def _descending(masses: list[float], model: Model) -> list[float]:
    """Return the masses.

    Raises `ValueError` if their number is not that of the model, or if they do not descend.
    """
    massive = masses[:-1] if model.experiment == "ATLAS" else masses
    if len(masses) != 1 + max(model.masses.values()) or not all(0 <= mass < HEAVIEST for mass in masses):
        raise ValueError("masses")
    if 0.0 in massive or any(a <= b for a, b in pairwise(masses)):
        raise ValueError("masses do not descend")
    return masses


def _equally(width: float, *daughters: tuple[int, ...]) -> tuple[float, tuple[Channel, ...]]:
    """Return a width (GeV) with decay channels of equal branching ratio."""
    return width, tuple(Channel(1 / len(daughters), channel) for channel in daughters)


_NEUTRAL = tuple((N1, quark, -quark) for quark in LIGHT)
_CHARGED = ((C1, 1, -2), (-C1, 2, -1), (C1, 3, -4), (-C1, 4, -3))
"""Decays of a gluino to a neutralino and to a chargino with quarks of the first two generations."""

_PARTNER = {1: (-C1, 2), 2: (C1, 1), 3: (-C1, 4), 4: (C1, 3)}
"""Decay of a squark of each flavour to a chargino and a quark."""

_SQUARKS = dict.fromkeys(EIGHT_SQUARKS, 0)
_SQUARKS_TO_N1 = {state: _equally(COLOURED_WIDTH, (N1, state % 10)) for state in EIGHT_SQUARKS}
_N1_TO_PHOTON = {N1: _equally(WEAK_WIDTH, (GRAVITINO, PHOTON))}
_TO_GRAVITINO = {**_N1_TO_PHOTON, C1: _equally(WEAK_WIDTH, (GRAVITINO, W))}
_C1_TO_W = {C1: _equally(WEAK_WIDTH, (N1, W))}

_GLUINOS_TO_N1 = ("gluino-pair", {GLUINO: 0, N1: 1}, {GLUINO: _equally(COLOURED_WIDTH, *_NEUTRAL)})
_SQUARKS_ALONE = ("squark-antisquark", _SQUARKS | {N1: 1}, _SQUARKS_TO_N1)

MODELS: Mapping[str, Model] = {
    "T5Wg": Model(
        "gluino-pair",
        {GLUINO: 0, N1: 1, C1: 1},
        {GLUINO: _equally(COLOURED_WIDTH, *_NEUTRAL, *_CHARGED), **_TO_GRAVITINO},
    ),
    "T5gg": Model(
        "gluino-pair", {GLUINO: 0, N1: 1}, {GLUINO: _equally(COLOURED_WIDTH, *_NEUTRAL), **_N1_TO_PHOTON}
    ),
    "T6gg": Model(
        "squark-antisquark", _SQUARKS | {N1: 1}, {**_SQUARKS_TO_N1, **_N1_TO_PHOTON}, states=EIGHT_OF_TEN
    ),
    "T6Wg": Model(
        "squark-antisquark",
        _SQUARKS | {N1: 1, C1: 1},
        {
            **{s: _equally(COLOURED_WIDTH, (N1, s % 10), _PARTNER[s % 10]) for s in EIGHT_SQUARKS},
            **_TO_GRAVITINO,
        },
        states=EIGHT_OF_TEN,
    ),
    "TChiWg": Model("c1n2", {N1: 0, C1: 0}, _TO_GRAVITINO, commands=(*_CHARGINO, f"SUSY:idB = {N1}"), wino=1),
    "TChiWZ": Model(
        "c1n2", {C1: 0, N2: 0, N1: 1}, {**_C1_TO_W, N2: _equally(WEAK_WIDTH, (N1, Z))}, leptonic_z=True
    ),
    "T2tt": Model("stop-pair", {STOP: 0, N1: 1}, {STOP: _equally(COLOURED_WIDTH, (N1, 6))}),
    "T2bW": Model(
        "stop-pair", {STOP: 0, C1: 1, N1: 2}, {STOP: _equally(COLOURED_WIDTH, (C1, 5)), **_C1_TO_W}
    ),
    "T1": Model(*_GLUINOS_TO_N1, experiment="ATLAS"),
    "T2qq": Model(*_SQUARKS_ALONE, states=EIGHT_OF_TEN, experiment="ATLAS"),
    "T5WW": Model(
        "gluino-pair",
        {GLUINO: 0, C1: 1, N1: 2},
        {GLUINO: _equally(COLOURED_WIDTH, *_CHARGED), **_C1_TO_W},
        experiment="ATLAS",
    ),
    "Gl": Model(*_GLUINOS_TO_N1, order=NNLO_NNLL, experiment="ATLAS"),
    "Sq": Model(*_SQUARKS_ALONE, states=EIGHT_OF_TEN, order=NNLO_NNLL, experiment="ATLAS"),
}

PUBLISHED = tuple(dict.fromkeys(wanted.point for wanted in WANTED.values()))
"""The points of the published tasks that the chain has a selection for."""
