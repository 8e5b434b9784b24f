"""b tagging: each jet gets the tightest working point that it passes, and a discriminator.

Only the efficiencies of the working points are public. So the discriminator is the class of the working point
(tight above medium above loose above none) plus a uniform random number, which orders the jets within a
class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, uniforms
from assay.suites.collider.chain.detector.jets import BOTTOM, CHARM

NONE, LOOSE, MEDIUM, TIGHT = range(4)
"""Classes of the discriminator."""


def efficiencies(pt: np.ndarray, flavour: np.ndarray, medium_light: float | None = None) -> np.ndarray:
    """Return the probabilities of jets to pass tight, medium and loose, shape (3, jets).

    `medium_light` replaces the probability of light jets to pass medium, for a paper that states its own.
    """
    given = {p.name: p.value for p in parameters.table() if p.group == "tagging"}
    medium_b = np.interp(pt, given["pt"], given["medium b"])
    light = given["medium light"] if medium_light is None else medium_light
    rows = (
        (given["tight of medium b"] * medium_b, given["tight charm"], given["tight light"]),
        (medium_b, given["medium charm"], light),
        (np.maximum(given["loose b"], medium_b), given["loose charm"], given["loose light"]),
    )
    return np.array([np.where(flavour == BOTTOM, b, np.where(flavour == CHARM, c, u)) for b, c, u in rows])


def tag(jets: Any, stream: Stream, medium_light: float | None = None) -> Any:
    """Return jets (records with pt and flavour) with two more fields: `tag`, a class, and `discriminator`."""
    counts = ak.to_numpy(ak.num(jets))
    flat = ak.flatten(jets)
    chance = uniforms(stream.child("class").key, counts)
    tight, medium, loose = efficiencies(ak.to_numpy(flat.pt), ak.to_numpy(flat.flavour), medium_light)
    if "forward" in ak.fields(jets):  # the second version of the detector: b tagging falls with abs(eta)
        forward = np.where(ak.to_numpy(flat.flavour) == BOTTOM, ak.to_numpy(flat.forward), 1.0)
        tight, medium, loose = tight * forward, medium * forward, loose * forward
    classes = (chance < tight).astype(np.int64) + (chance < medium) + (chance < loose)
    within = uniforms(stream.child("within").key, counts)
    tagged = ak.with_field(jets, ak.unflatten(classes, counts), "tag")
    return ak.with_field(tagged, ak.unflatten(classes + within, counts), "discriminator")
