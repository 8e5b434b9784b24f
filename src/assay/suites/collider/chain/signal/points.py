"""Signal points: what is produced, what it decays to, and what of it is generated at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from assay.errors import UnknownName
from assay.suites.collider.chain.signal.slha import Channel, Spectrum
from assay.suites.collider.problems.catalogue import NLO_NLL, NNLO_NNLL, Order

GLUINO, N1, N2, C1, GRAVITINO = 1000021, 1000022, 1000023, 1000024, 1000039
STOP = 1000006
PHOTON, Z, W = 22, 23, 24
LIGHT = (1, 2, 3, 4)
"""Quarks of the simplified models: d, u, s and c."""

EIGHT_SQUARKS = tuple(side + quark for side in (1000000, 2000000) for quark in LIGHT)
EIGHT_OF_TEN = 0.8
"""Kept cross sections are of ten states, with those of the b quark."""

GRAVITINO_MASS = 1e-3
COLOURED_WIDTH, WEAK_WIDTH = 1.0, 1e-2
"""Nominal widths in GeV: narrow, and prompt."""


@dataclass(frozen=True)
class Point:
    """A signal point.

    `commands` choose the process in the generator's words; `process` and `mass` name its kept cross section,
    taken to `order`, of which `states` is the share that the model has. `leptonic_z` says that only decays of
    the Z to electrons and muons are generated. `experiment` is whose tune the generator has.
    """

    name: str
    spectrum: Spectrum
    commands: tuple[str, ...]
    process: str
    mass: float
    states: float = 1.0
    leptonic_z: bool = False
    order: Order = NLO_NLL
    experiment: str = "CMS"


MODELS: Mapping[str, Callable[[str, tuple[float, ...]], Point]]


def point(name: str) -> Point:
    """The point of a name such as `T5Wg_1750_1700`, with masses in GeV; `UnknownName` where there is none."""
    model, *numbers = name.split("_")
    try:
        masses = tuple(float(number) for number in numbers)
        return MODELS[model](name, masses)
    except (KeyError, ValueError):
        known = ", ".join(MODELS)
        raise UnknownName(
            f"{name!r} is no signal point", f"give MODEL_MASS_MASS (GeV, descending), MODEL one of {known}"
        ) from None


def _t5wg(name: str, masses: tuple[float, ...]) -> Point:
    gluino, gaugino = _descending(masses, 2)
    neutral = [Channel(0.125, (N1, quark, -quark)) for quark in LIGHT]
    charged = [Channel(0.125, daughters) for daughters in _CHARGED]
    decays = {GLUINO: (COLOURED_WIDTH, (*neutral, *charged)), **_to_gravitino()}
    spectrum = Spectrum({GLUINO: gluino, N1: gaugino, C1: gaugino, GRAVITINO: GRAVITINO_MASS}, decays)
    return Point(name, spectrum, _GLUINOS, "gluino-pair", gluino)


def _t5gg(name: str, masses: tuple[float, ...]) -> Point:
    gluino, neutralino = _descending(masses, 2)
    neutral = tuple(Channel(0.25, (N1, quark, -quark)) for quark in LIGHT)
    decays = {GLUINO: (COLOURED_WIDTH, neutral), N1: _to_gravitino()[N1]}
    spectrum = Spectrum({GLUINO: gluino, N1: neutralino, GRAVITINO: GRAVITINO_MASS}, decays)
    return Point(name, spectrum, _GLUINOS, "gluino-pair", gluino)


def _t6wg(name: str, masses: tuple[float, ...]) -> Point:
    squark, gaugino = _descending(masses, 2)
    partner = {1: (-C1, 2), 2: (C1, 1), 3: (-C1, 4), 4: (C1, 3)}
    decays = {
        state: (COLOURED_WIDTH, (Channel(0.5, (N1, state % 10)), Channel(0.5, partner[state % 10])))
        for state in EIGHT_SQUARKS
    } | _to_gravitino()
    masses_of = dict.fromkeys(EIGHT_SQUARKS, squark) | {N1: gaugino, C1: gaugino, GRAVITINO: GRAVITINO_MASS}
    return Point(name, Spectrum(masses_of, decays), _PAIRS, "squark-antisquark", squark, states=EIGHT_OF_TEN)


def _t6gg(name: str, masses: tuple[float, ...]) -> Point:
    squark, neutralino = _descending(masses, 2)
    decays = _TO_QUARK_AND_N1 | {N1: (WEAK_WIDTH, (Channel(1.0, (GRAVITINO, PHOTON)),))}
    masses_of = dict.fromkeys(EIGHT_SQUARKS, squark) | {N1: neutralino, GRAVITINO: GRAVITINO_MASS}
    return Point(name, Spectrum(masses_of, decays), _PAIRS, "squark-antisquark", squark, states=EIGHT_OF_TEN)


def _tchiwg(name: str, masses: tuple[float, ...]) -> Point:
    (mass,) = _descending(masses, 1)
    spectrum = Spectrum({N1: mass, C1: mass, GRAVITINO: GRAVITINO_MASS}, _to_gravitino(), wino=1)
    return Point(name, spectrum, _chargino_with(N1), "c1n2", mass)


def _tchiwz(name: str, masses: tuple[float, ...]) -> Point:
    heavy, light = _descending(masses, 2)
    decays = {
        C1: (WEAK_WIDTH, (Channel(1.0, (N1, W)),)),
        N2: (WEAK_WIDTH, (Channel(1.0, (N1, Z)),)),
    }
    spectrum = Spectrum({C1: heavy, N2: heavy, N1: light}, decays)
    return Point(name, spectrum, _chargino_with(N2), "c1n2", heavy, leptonic_z=True)


def _t2tt(name: str, masses: tuple[float, ...]) -> Point:
    stop, neutralino = _descending(masses, 2)
    decays = {STOP: (COLOURED_WIDTH, (Channel(1.0, (N1, 6)),))}
    return Point(name, Spectrum({STOP: stop, N1: neutralino}, decays), _STOPS, "stop-pair", stop)


def _t2bw(name: str, masses: tuple[float, ...]) -> Point:
    stop, chargino, neutralino = _descending(masses, 3)
    decays = {
        STOP: (COLOURED_WIDTH, (Channel(1.0, (C1, 5)),)),
        C1: (WEAK_WIDTH, (Channel(1.0, (N1, W)),)),
    }
    spectrum = Spectrum({STOP: stop, C1: chargino, N1: neutralino}, decays)
    return Point(name, spectrum, _STOPS, "stop-pair", stop)


def _gluinos_to_n1(order: Order, name: str, masses: tuple[float, ...]) -> Point:
    gluino, neutralino = _descending(masses, 2, massless=True)
    decays = {GLUINO: (COLOURED_WIDTH, tuple(Channel(0.25, (N1, quark, -quark)) for quark in LIGHT))}
    spectrum = Spectrum({GLUINO: gluino, N1: neutralino}, decays)
    return Point(name, spectrum, _GLUINOS, "gluino-pair", gluino, order=order, experiment="ATLAS")


def _gluinos_to_w(order: Order, name: str, masses: tuple[float, ...]) -> Point:
    gluino, chargino, neutralino = _descending(masses, 3, massless=True)
    decays = {
        GLUINO: (COLOURED_WIDTH, tuple(Channel(0.25, daughters) for daughters in _CHARGED)),
        C1: (WEAK_WIDTH, (Channel(1.0, (N1, W)),)),
    }
    spectrum = Spectrum({GLUINO: gluino, C1: chargino, N1: neutralino}, decays)
    return Point(name, spectrum, _GLUINOS, "gluino-pair", gluino, order=order, experiment="ATLAS")


def _squarks_to_n1(order: Order, name: str, masses: tuple[float, ...]) -> Point:
    squark, neutralino = _descending(masses, 2, massless=True)
    spectrum = Spectrum(dict.fromkeys(EIGHT_SQUARKS, squark) | {N1: neutralino}, _TO_QUARK_AND_N1)
    return Point(
        name,
        spectrum,
        _PAIRS,
        "squark-antisquark",
        squark,
        states=EIGHT_OF_TEN,
        order=order,
        experiment="ATLAS",
    )


_GLUINOS = ("SUSY:gg2gluinogluino = on", "SUSY:qqbar2gluinogluino = on")
_PAIRS = ("SUSY:gg2squarkantisquark = on", "SUSY:qqbar2squarkantisquark = on")
_TO_QUARK_AND_N1 = {state: (COLOURED_WIDTH, (Channel(1.0, (N1, state % 10)),)) for state in EIGHT_SQUARKS}
_CHARGED = ((C1, 1, -2), (-C1, 2, -1), (C1, 3, -4), (-C1, 4, -3))
"""What a gluino decays to beside a chargino, of the first two generations."""

_STOPS = (*_PAIRS, f"SUSY:idA = {STOP}", f"SUSY:idB = {STOP}")


def _chargino_with(neutralino: int) -> tuple[str, ...]:
    return ("SUSY:qqbar2chi+-chi0 = on", f"SUSY:idA = {C1}", f"SUSY:idB = {neutralino}")


def _to_gravitino() -> dict[int, tuple[float, tuple[Channel, ...]]]:
    return {
        N1: (WEAK_WIDTH, (Channel(1.0, (GRAVITINO, PHOTON)),)),
        C1: (WEAK_WIDTH, (Channel(1.0, (GRAVITINO, W)),)),
    }


def _descending(masses: tuple[float, ...], count: int, massless: bool = False) -> tuple[float, ...]:
    """The masses of a point; `ValueError` where there are not so many, or they do not descend. The last may
    be zero where `massless` is set.
    """
    if len(masses) != count or not all(0 <= mass < 6500 for mass in masses):
        raise ValueError("masses")
    if 0.0 in masses[: count if not massless else count - 1]:
        raise ValueError("massless")
    if any(a <= b for a, b in pairwise(masses)):
        raise ValueError("masses do not descend")
    return masses


MODELS = {
    "T5Wg": _t5wg,
    "T5gg": _t5gg,
    "T6gg": _t6gg,
    "T6Wg": _t6wg,
    "TChiWg": _tchiwg,
    "TChiWZ": _tchiwz,
    "T2tt": _t2tt,
    "T2bW": _t2bw,
    "T1": partial(_gluinos_to_n1, NLO_NLL),
    "T2qq": partial(_squarks_to_n1, NLO_NLL),
    "T5WW": partial(_gluinos_to_w, NLO_NLL),
    "Gl": partial(_gluinos_to_n1, NNLO_NNLL),
    "Sq": partial(_squarks_to_n1, NNLO_NNLL),
}

PUBLISHED = (
    "TChiWZ_550_200",
    "T5Wg_1750_1700",
    "TChiWg_700",
    "T5Wg_1600_100",
    "T6gg_1750_1650",
    "T2bW_900_475_50",
    "T2tt_1000_50",
    "T2tt_800_400",
    "T1_1800_800",
    "T2qq_1500_0",
    "T5WW_1600_1590_60",
    "T5WW_1705_865_25",
    "Gl_2400_400",
    "Sq_850_825",
    "Sq_1800_600",
)
"""The points of the tasks that the chain has: eight of CMS, seven of ATLAS."""
