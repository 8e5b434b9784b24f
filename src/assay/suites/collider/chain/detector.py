"""The detector: what becomes of each final particle, in the acceptance and with the resolution of CMS.

A parametric detector: neither showers nor noise, but every particle with the resolution of the part that
measures it. Missing momentum is what the measured particles leave, with a Gaussian for pile-up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.draws import normal, sub
from assay.kernels import kernel
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.filters import INVISIBLE
from assay.suites.collider.chain.generation import Chunk

UNSEEN, PHOTON, ELECTRON, MUON, CHARGED, NEUTRAL = range(6)
"""How the detector sees a particle."""


CALORIMETERS = ("electromagnetic", "forward electromagnetic", "hadronic", "forward hadronic")


def _steepness(name: str) -> float:
    """The pz over pT at a pseudorapidity that bounds a part of the detector."""
    return math.sinh(parameters.value("detector", name))


TRACK_CONSTANT: float = parameters.value("detector", "track")["constant"] ** 2
TRACK_SLOPE: float = parameters.value("detector", "track")["slope"] ** 2
LEAST_TRACK: float = parameters.value("detector", "least track")
ACCEPTANCE = _steepness("acceptance")
TRACKER = _steepness("tracker")
MUON_CHAMBERS = _steepness("muon chambers")
CENTRAL = _steepness("central calorimeters")
PILE_UP: float = parameters.value("detector", "pile-up in missing momentum")


@dataclass(frozen=True)
class Measured:
    """What the detector measured of a chunk, flat: event n has the particles `offsets[n]` to `offsets[n+1]`.

    `rows` is the place of a particle in the chunk, `kind` how it was seen, `px`, `py`, `pz`, `energy` and
    `pt` in GeV, `eta` and `phi`. `miss_x` and `miss_y` have one number an event.
    """

    offsets: np.ndarray
    rows: np.ndarray
    kind: np.ndarray
    px: np.ndarray
    py: np.ndarray
    pz: np.ndarray
    energy: np.ndarray
    pt: np.ndarray
    eta: np.ndarray
    phi: np.ndarray
    miss_x: np.ndarray
    miss_y: np.ndarray

    @property
    def ptmiss(self) -> np.ndarray:
        """Missing transverse momentum of each event."""
        return np.asarray(np.sqrt(self.miss_x * self.miss_x + self.miss_y * self.miss_y))

    @property
    def counts(self) -> np.ndarray:
        """Measured particles of each event."""
        return np.diff(self.offsets)


def measure(chunk: Chunk, key: int) -> Measured:
    """Measure a chunk; `key` of a named stream gives each particle a draw of its own."""
    seen = _seen(chunk)
    scale = np.zeros(len(seen))
    pile_up = np.zeros((len(chunk), 2))
    momenta = (chunk.px, chunk.py, chunk.pz, chunk.energy)
    _respond(np.uint64(key), chunk.offsets, seen, *momenta, _resolutions(), scale, pile_up)
    (rows,) = np.nonzero(scale > 0)
    events = np.searchsorted(chunk.offsets, rows, side="right") - 1
    counts = np.bincount(events, minlength=len(chunk))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    px, py, pz, energy = (array[rows] * scale[rows] for array in (chunk.px, chunk.py, chunk.pz, chunk.energy))
    pt = np.sqrt(px * px + py * py)
    return Measured(
        offsets=offsets,
        rows=rows,
        kind=seen[rows],
        px=px,
        py=py,
        pz=pz,
        energy=energy,
        pt=pt,
        eta=np.arcsinh(pz / pt),
        phi=np.arctan2(py, px),
        miss_x=pile_up[:, 0] - np.bincount(events, weights=px, minlength=len(chunk)),
        miss_y=pile_up[:, 1] - np.bincount(events, weights=py, minlength=len(chunk)),
    )


def _resolutions() -> np.ndarray:
    """Squares of the stochastic, constant and noise terms, one row a calorimeter."""
    found = [parameters.value("detector", name) for name in CALORIMETERS]
    return np.array([[row[term] ** 2 for term in ("stochastic", "constant", "noise")] for row in found])


def _seen(chunk: Chunk) -> np.ndarray:
    """How each particle is seen; what is not final, or invisible, is not."""
    kinds = np.abs(chunk.ids)
    seen = np.where(chunk.charge == 0, NEUTRAL, CHARGED).astype(np.int8)
    for number, kind in ((22, PHOTON), (11, ELECTRON), (13, MUON)):
        seen[kinds == number] = kind
    seen[~chunk.final | np.isin(kinds, sorted(INVISIBLE))] = UNSEEN
    return seen


@kernel
def _respond(
    key: np.uint64,
    offsets: np.ndarray,
    seen: np.ndarray,
    px: np.ndarray,
    py: np.ndarray,
    pz: np.ndarray,
    energy: np.ndarray,
    calorimeters: np.ndarray,
    scale: np.ndarray,
    pile_up: np.ndarray,
) -> None:
    """Fill in by which factor each particle is measured (0: it is not), and the pile-up of each event."""
    for n in range(offsets.size - 1):
        event = sub(key, np.uint64(n))
        first = offsets[n]
        pile_up[n, 0] = PILE_UP * normal(event, np.uint64(0))
        pile_up[n, 1] = PILE_UP * normal(event, np.uint64(1))
        for i in range(first, offsets[n + 1]):
            kind = seen[i]
            pt2 = px[i] * px[i] + py[i] * py[i]
            steep = pz[i] * pz[i]
            if kind == UNSEEN or pt2 == 0.0 or steep > ACCEPTANCE * ACCEPTANCE * pt2:
                continue
            tracked = steep < TRACKER * TRACKER * pt2
            central = steep < CENTRAL * CENTRAL * pt2
            if kind == MUON:
                if steep > MUON_CHAMBERS * MUON_CHAMBERS * pt2 or pt2 < LEAST_TRACK * LEAST_TRACK:
                    continue
                variance = TRACK_CONSTANT + TRACK_SLOPE * pt2
            elif kind == CHARGED and tracked:
                if pt2 < LEAST_TRACK * LEAST_TRACK:
                    continue
                variance = TRACK_CONSTANT + TRACK_SLOPE * pt2
            else:
                part = 0 if kind in (PHOTON, ELECTRON) else 2
                terms = calorimeters[part] if central else calorimeters[part + 1]
                variance = terms[0] / energy[i] + terms[1] + terms[2] / (energy[i] * energy[i])
            factor = 1.0 + np.sqrt(variance) * normal(event, np.uint64(i - first + 2))
            if factor > 0.0:
                scale[i] = factor
