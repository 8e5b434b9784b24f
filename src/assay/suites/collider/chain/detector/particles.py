"""Parametric detector: acceptance and resolution of CMS or ATLAS for each final particle.

Showers are not simulated: each particle is measured with the resolution of the detector part that measures
it. The missing momentum is minus the sum of the measured momenta, plus a Gaussian term for pile-up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.numbers.draws import normal, sub
from assay.numbers.kernels import kernel
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.filters import INVISIBLE
from assay.suites.collider.chain.generation import Chunk

UNSEEN, PHOTON, ELECTRON, MUON, CHARGED, NEUTRAL = range(6)
"""Kinds of particles that the detector distinguishes."""


V0, V1 = CARDS = ("v0", "v1")
"""Versions of the detector. The first leaves objects as the particles give them, the second corrects them."""

CALORIMETERS = ("electromagnetic", "forward electromagnetic", "hadronic", "forward hadronic")


@dataclass(frozen=True)
class Apparatus:
    """A detector, defined by a group of parameters.

    If `by_tracks` is true, charged hadrons in the tracker are measured with its resolution, otherwise with
    that of the calorimeters. `card` is the version of the detector, one of `CARDS`; `performance` has the
    second.
    """

    group: str
    by_tracks: bool
    card: str = V0

    def value(self, name: str) -> Any:
        return parameters.value(self.group, name)

    def numbers(self) -> np.ndarray:
        """Return the parameters of `_respond` in its order; pseudorapidities are given as pz over pT."""
        bounds = ("acceptance", "tracker", "muon chambers", "central calorimeters")
        return np.array(
            [
                self.value("track")["constant"] ** 2,
                self.value("track")["slope"] ** 2,
                self.value("least track"),
                *(math.sinh(self.value(name)) for name in bounds),
                self.value("pile-up in missing momentum"),
                float(self.by_tracks),
            ]
        )

    def resolutions(self) -> np.ndarray:
        """Return the squared stochastic, constant and noise terms, one row per calorimeter."""
        rows = [self.value(name) for name in CALORIMETERS]
        return np.array([[row[term] ** 2 for term in ("stochastic", "constant", "noise")] for row in rows])


CMS = Apparatus("detector", by_tracks=True)
ATLAS = Apparatus("atlas detector", by_tracks=False)


@dataclass(frozen=True)
class Measured:
    """The measured particles of a chunk as flat arrays.

    The particles of event n have the indices from `offsets[n]` up to `offsets[n + 1]`.

    Attributes:
        offsets: the index of the first particle of each event, and the number of particles at the end.
        rows: the index of each particle in the chunk.
        kind: the kind of each particle, e.g. PHOTON.
        px, py, pz, energy, pt: in GeV.
        eta, phi: pseudorapidity and azimuth.
        miss_x, miss_y: the missing momentum of each event, GeV.
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
        return np.asarray(np.sqrt(self.miss_x * self.miss_x + self.miss_y * self.miss_y))

    @property
    def counts(self) -> np.ndarray:
        return np.diff(self.offsets)


def measure(chunk: Chunk, key: int, apparatus: Apparatus = CMS) -> Measured:
    """Return the measured particles of a chunk; each particle's random number is derived from `key`."""
    seen = _seen(chunk)
    scale = np.zeros(len(seen))
    pile_up = np.zeros((len(chunk), 2))
    momenta = (chunk.px, chunk.py, chunk.pz, chunk.energy)
    numbers, resolutions = apparatus.numbers(), apparatus.resolutions()
    _respond(np.uint64(key), chunk.offsets, seen, *momenta, numbers, resolutions, scale, pile_up)
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


def _seen(chunk: Chunk) -> np.ndarray:
    """Return the kind of each particle: UNSEEN if it is invisible or not final."""
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
    numbers: np.ndarray,
    calorimeters: np.ndarray,
    scale: np.ndarray,
    pile_up: np.ndarray,
) -> None:
    """Fill `scale` and `pile_up`.

    `scale` gets measured over true momentum of each particle (0 if it is not measured), `pile_up` the x and y
    components of the pile-up of each event (GeV).
    """
    constant, slope, least_track = numbers[0], numbers[1], numbers[2]
    acceptance, tracker, muon_chambers, inner = numbers[3], numbers[4], numbers[5], numbers[6]
    spread, by_tracks = numbers[7], numbers[8] > 0.0
    for n in range(offsets.size - 1):
        event = sub(key, np.uint64(n))
        first = offsets[n]
        pile_up[n, 0] = spread * normal(event, np.uint64(0))
        pile_up[n, 1] = spread * normal(event, np.uint64(1))
        for i in range(first, offsets[n + 1]):
            kind = seen[i]
            pt2 = px[i] * px[i] + py[i] * py[i]
            steep = pz[i] * pz[i]
            if kind == UNSEEN or pt2 == 0.0 or steep > acceptance * acceptance * pt2:
                continue
            tracked = steep < tracker * tracker * pt2
            central = steep < inner * inner * pt2
            if kind == MUON:
                if steep > muon_chambers * muon_chambers * pt2 or pt2 < least_track * least_track:
                    continue
                variance = constant + slope * pt2
            elif kind == CHARGED and tracked and pt2 < least_track * least_track:
                continue
            elif kind == CHARGED and tracked and by_tracks:
                variance = constant + slope * pt2
            else:
                part = 0 if kind in (PHOTON, ELECTRON) else 2
                terms = calorimeters[part] if central else calorimeters[part + 1]
                variance = terms[0] / energy[i] + terms[1] + terms[2] / (energy[i] * energy[i])
            factor = 1.0 + np.sqrt(variance) * normal(event, np.uint64(i - first + 2))
            if factor > 0.0:
                scale[i] = factor
