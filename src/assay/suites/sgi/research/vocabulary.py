"""Invented names, and the quantities and conditions that each discipline's papers report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.numbers.rng import Stream

ONSETS = ("b", "br", "d", "dr", "f", "g", "k", "kl", "l", "m", "n", "p", "r", "s", "t", "tr", "v", "z")
VOWELS = ("a", "e", "i", "o", "u", "ei", "au")
CODAS = ("l", "n", "r", "s", "x", "th", "nd")

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "astronomy": ("is", "ara"),
    "chemistry": ("ine", "ate"),
    "earth": ("mark", "fell"),
    "energy": ("cell", "ode"),
    "information": ("net", "code"),
    "life": ("ella", "ium"),
    "material": ("ite", "alloy"),
    "mathematics": ("grid", "form"),
    "neuroscience": ("cyte", "ula"),
    "physics": ("tron", "on"),
}
"""How names of entities of a discipline end."""

KINDS: Mapping[str, str] = {
    "astronomy": "star",
    "chemistry": "compound",
    "earth": "catchment",
    "energy": "electrode",
    "information": "network",
    "life": "species",
    "material": "alloy",
    "mathematics": "scheme",
    "neuroscience": "neuron type",
    "physics": "device",
}
"""What an entity of a discipline is."""

CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "astronomy": ("quiet phase", "active phase", "early eclipse", "late eclipse"),
    "chemistry": ("pH 4", "pH 6", "pH 8", "pH 10"),
    "earth": ("low water", "mean water", "high water", "spring flood"),
    "energy": ("rate 1C", "rate 2C", "rate 5C", "rate 10C"),
    "information": ("light load", "half load", "full load", "overload"),
    "life": ("cohort A", "cohort B", "cohort C", "cohort D"),
    "material": ("as cast", "annealed", "quenched", "cold rolled"),
    "mathematics": ("coarse mesh", "middle mesh", "fine mesh", "adaptive mesh"),
    "neuroscience": ("resting", "low drive", "high drive", "under block"),
    "physics": ("zero field", "weak field", "strong field", "pulsed field"),
}
"""Where a quantity is measured; neighbours in the list are easily confused."""

TEMPERATURES = ("290 K", "310 K", "330 K", "350 K", "370 K")
TIMES = ("1 h", "2 h", "4 h", "8 h", "12 h")
YEARS = ("1991", "1996", "2001", "2006", "2011", "2016")
ADDITIONS = ("the blank run", "the first run", "the spiked run", "the repeated run")


@dataclass(frozen=True)
class Quantity:
    """What is reported: its unit, another unit that some papers use (empty: none), and its range."""

    name: str
    unit: str
    other: str
    low: float
    high: float


def _of(*rows: tuple[str, str, str, float, float]) -> tuple[Quantity, ...]:
    return tuple(Quantity(*row) for row in rows)


QUANTITIES: Mapping[str, tuple[Quantity, ...]] = {
    "astronomy": _of(
        ("pulse period", "s", "ms", 1.2, 9.0),
        ("flare length", "min", "s", 12, 80),
        ("line frequency", "GHz", "MHz", 3, 40),
        ("dust temperature", "K", "", 18, 90),
        ("radial speed", "km/s", "", 11, 95),
        ("halo power", "kW", "W", 2, 60),
    ),
    "chemistry": _of(
        ("molar absorbance", "mM", "uM", 1.1, 8.9),
        ("boiling pressure", "kPa", "Pa", 12, 88),
        ("solubility limit", "g/L", "", 2, 75),
        ("reaction heat", "kJ", "J", 15, 92),
        ("elution time", "min", "s", 3, 28),
        ("product yield", "%", "", 21, 88),
    ),
    "earth": _of(
        ("grain length", "mm", "um", 1.2, 9.5),
        ("pore pressure", "kPa", "Pa", 11, 94),
        ("nitrate level", "mM", "uM", 1.2, 8.7),
        ("soil heat", "degrees", "", 4, 26),
        ("lag time", "h", "min", 2, 40),
        ("cover share", "%", "", 12, 86),
    ),
    "energy": _of(
        ("cell voltage", "V", "mV", 1.1, 4.6),
        ("stored energy", "kJ", "J", 14, 88),
        ("peak power", "kW", "W", 2, 55),
        ("charge time", "h", "min", 1.2, 14),
        ("leak current", "mA", "uA", 1.3, 38),
        ("retained share", "%", "", 31, 92),
    ),
    "information": _of(
        ("mean latency", "ms", "us", 2, 64),
        ("clock rate", "GHz", "MHz", 1.1, 6.4),
        ("drawn power", "W", "mW", 2.1, 48),
        ("recall rate", "%", "", 24, 93),
        ("queue length", "frames", "", 12, 96),
        ("training time", "h", "min", 2, 44),
    ),
    "life": _of(
        ("body length", "mm", "um", 2, 42),
        ("brood time", "h", "min", 12, 94),
        ("tissue mass", "mg", "ug", 3, 82),
        ("sodium level", "mM", "uM", 11, 96),
        ("survival share", "%", "", 25, 91),
        ("heart rate", "beats/min", "", 32, 96),
    ),
    "material": _of(
        ("yield stress", "MPa", "kPa", 110, 940),
        ("grain size", "um", "nm", 1.4, 38),
        ("fatigue time", "h", "min", 14, 90),
        ("fracture energy", "kJ", "J", 12, 84),
        ("hardness", "HV", "", 110, 720),
        ("porosity", "%", "", 2, 31),
    ),
    "mathematics": _of(
        ("solve time", "s", "ms", 1.2, 28),
        ("step length", "mm", "um", 1.1, 9.4),
        ("residual share", "%", "", 2, 41),
        ("condition index", "units", "", 12, 96),
        ("iteration count", "steps", "", 14, 98),
        ("setup time", "min", "s", 2, 36),
    ),
    "neuroscience": _of(
        ("spike width", "ms", "us", 1.1, 8.8),
        ("firing rate", "Hz", "", 3, 84),
        ("input current", "nA", "uA", 12, 95),
        ("spine length", "um", "nm", 1.1, 7.9),
        ("response delay", "ms", "us", 12, 88),
        ("release share", "%", "", 12, 89),
    ),
    "physics": _of(
        ("gap energy", "eV", "meV", 1.1, 6.8),
        ("beam current", "mA", "uA", 1.2, 44),
        ("mode frequency", "GHz", "MHz", 1.4, 38),
        ("vacuum level", "kPa", "Pa", 1.3, 62),
        ("coherence time", "us", "ns", 1.2, 48),
        ("detection share", "%", "", 14, 95),
    ),
}

OPERANDS: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in _of(
        ("resistance", "kOhm", "Ohm", 1.2, 9.8),
        ("capacitance", "nF", "pF", 22, 240),
        ("rate constant", "1/s", "", 1.1, 9.6),
        ("lattice constant", "nm", "", 0.31, 0.72),
        ("formula mass", "g/mol", "", 41, 320),
        ("dose per body mass", "mg/kg", "", 1.2, 18),
        ("body mass", "kg", "g", 1.2, 38),
        ("plasma concentration", "uM", "nM", 4, 92),
        ("maximal response", "mV", "V", 21, 96),
        ("half-maximal concentration", "uM", "nM", 2, 38),
        ("signal", "mA", "uA", 1.2, 8.9),
        ("cases", "cases", "", 24, 190),
    )
}
"""What the calculations of single questions need, in any discipline."""

BY_NAME: Mapping[str, Quantity] = {
    **{quantity.name: quantity for own in QUANTITIES.values() for quantity in own},
    **OPERANDS,
}

VENUES = ("Annals", "Letters", "Proceedings", "Reports", "Reviews", "Transactions")


def names(discipline: str, count: int, stream: Stream) -> list[str]:
    """Different names of entities."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[_word(stream, 2) + stream.choice(ENDINGS[discipline])] = None
    return list(found)


def author(stream: Stream) -> str:
    """A surname with others."""
    return f"{_word(stream, 2)} et al."


def sample_code(stream: Stream) -> str:
    """A label on a specimen."""
    letters = "".join(stream.choice("ABCDEFGHKLMNPRSTVXZ") for _ in range(2))
    return f"{letters}-{100 + stream.below(900)}"


def _word(stream: Stream, syllables: int) -> str:
    parts = [stream.choice(ONSETS) + stream.choice(VOWELS) for _ in range(syllables)]
    return ("".join(parts) + stream.choice(CODAS)).capitalize()
