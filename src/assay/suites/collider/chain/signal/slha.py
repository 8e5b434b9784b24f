"""The SLHA file of a point (Skands et al. 2004): masses, mixings and decay tables, written and read back.

Only the particles of a simplified model have a mass below 100 TeV. Mixing matrices are unit matrices, except
that one neutralino is made a pure wino. Decays to three particles are flat in phase space.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.suites.collider.formats import documents

DATA_FILES = ("../../data/slha_head.txt", "../../data/slha_tail.txt")

DECOUPLED = 1e5
"""Mass in GeV of particles that a model does not have."""

WIDTHS_TOLERANCE = 1e-6

HIGGS, HEAVY_HIGGS = 25, (35, 36, 37)
_LEFT = tuple(1000000 + n for n in (*range(1, 7), *range(11, 17)))
_RIGHT = tuple(2000000 + n for n in (*range(1, 7), 11, 13, 15))
_GAUGINOS = (1000021, 1000022, 1000023, 1000024, 1000025, 1000035, 1000037, 1000039)
_KNOWN = (*_LEFT, *_RIGHT, *_GAUGINOS, *HEAVY_HIGGS)


class SlhaError(AssayError):
    """An SLHA text that cannot be used."""


@dataclass(frozen=True)
class Channel:
    """A decay: its branching ratio, and the daughters by their PDG numbers."""

    ratio: float
    daughters: tuple[int, ...]


Decays = Mapping[int, tuple[float, tuple[Channel, ...]]]
"""PDG number of a particle -> width in GeV and channels."""


@dataclass(frozen=True)
class Spectrum:
    """Masses (GeV) and decays by PDG number; a particle without decays is stable.

    `wino` is the number (1 or 2) of the neutralino that is a pure wino.
    """

    masses: Mapping[int, float]
    decays: Decays = field(default_factory=dict)
    wino: int = 2


def write(spectrum: Spectrum) -> str:
    """Return the SLHA text of a spectrum. Raises `SlhaError` if branching ratios do not add up to one."""
    check(spectrum.decays, "the spectrum")
    masses = dict.fromkeys(_KNOWN, DECOUPLED) | {HIGGS: 125.0} | dict(spectrum.masses)
    lines = ["BLOCK MASS", *(f"  {number:9d}  {mass:.8e}" for number, mass in sorted(masses.items()))]
    order = [1, 0, 2, 3] if spectrum.wino == 1 else [0, 1, 2, 3]
    lines += _matrix("NMIX", order)
    for name in ("UMIX", "VMIX", "STOPMIX", "SBOTMIX", "STAUMIX"):
        lines += _matrix(name, [0, 1])
    decays = []
    for number in sorted(spectrum.masses):
        width, channels = spectrum.decays.get(number, (0.0, ()))
        decays.append(f"DECAY  {number}  {width:.8e}")
        for channel in channels:
            daughters = "  ".join(f"{daughter:d}" for daughter in channel.daughters)
            decays.append(f"    {channel.ratio:.8e}  {len(channel.daughters)}  {daughters}")
    head, tail = (documents.packaged_text(f"slha_{end}.txt") for end in ("head", "tail"))
    return head + "\n".join(lines) + "\n" + tail + "\n".join(decays) + "\n"


def read_decays(text: str, name: str) -> dict[int, tuple[float, tuple[Channel, ...]]]:
    """Return the decay tables of an SLHA text.

    Raises `SlhaError`, which names the line that is not a decay, or the particle whose branching ratios do
    not add up to one.
    """
    decays: dict[int, tuple[float, tuple[Channel, ...]]] = {}
    current: int | None = None
    for at, raw in enumerate(text.splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        try:
            if words[0].upper() == "DECAY":
                current = int(words[1])
                decays[current] = (float(words[2]), ())
            elif words[0].upper() == "BLOCK":
                current = None
            elif current is not None:
                ratio, count = float(words[0]), int(words[1])
                daughters = tuple(int(word) for word in words[2:])
                if len(daughters) != count or not 0 <= ratio <= 1:
                    raise ValueError
                width, channels = decays[current]
                decays[current] = (width, (*channels, Channel(ratio, daughters)))
        except (ValueError, IndexError):
            raise SlhaError(f"{name}, line {at}: {raw.strip()[:60]!r} is no decay", "mend the line") from None
    check(decays, name)
    return decays


def check(decays: Decays, name: str) -> None:
    """Raise `SlhaError` if a width is negative or branching ratios do not add up to one."""
    for number, (width, channels) in decays.items():
        if not 0 <= width < math.inf:
            raise SlhaError(f"{name}: particle {number} has the width {width}", "give it in GeV, not below 0")
        total = math.fsum(channel.ratio for channel in channels)
        if channels and abs(total - 1) > WIDTHS_TOLERANCE:
            raise SlhaError(
                f"{name}: the branching ratios of particle {number} add up to {total:g}",
                "make them add up to 1",
            )


def _matrix(name: str, order: list[int]) -> list[str]:
    """Return the block of a mixing matrix that has 1 in column `order[i]` of row i, and 0 elsewhere."""
    cells = [
        f"  {row + 1}  {column + 1}  {float(order[row] == column):.8e}"
        for row in range(len(order))
        for column in range(len(order))
    ]
    return [f"BLOCK {name}", *cells]
