"""Events made by hand, for tests of what comes after the generator."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.suites.collider.chain.generation import Chunk

Particle = tuple[int, float, float, float]
"""PDG number, pT (GeV), eta and phi of something massless."""

CHARGES = {11: -3, 13: -3, 211: 3, 2212: 3, 15: -3}


def chunk_of(*events: Sequence[Particle]) -> Chunk:
    """A chunk of events whose particles are all final."""
    flat = [particle for event in events for particle in event]
    ids = np.array([p[0] for p in flat], np.int32)
    pt, eta, phi = (np.array([p[axis] for p in flat], np.float64) for axis in (1, 2, 3))
    charge = [int(math.copysign(1, n)) * CHARGES.get(abs(n), 0) for n in ids.tolist()]
    return Chunk(
        offsets=np.cumsum([0, *map(len, events)]),
        ids=ids,
        final=np.ones(len(ids), np.bool_),
        mothers=np.zeros(len(ids), np.int32),
        px=pt * np.cos(phi),
        py=pt * np.sin(phi),
        pz=pt * np.sinh(eta),
        energy=pt * np.cosh(eta),
        charge=np.array(charge, np.int8),
        drawn=np.ones(len(events), np.int64),
        marked=np.ones(len(events), np.bool_),
    )
