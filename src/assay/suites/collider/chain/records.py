"""The level `objects`: candidates of photons, leptons and jets of each event, before a paper's definitions.

An event is one line of a sample. Each kind of object has a fixed number of places, by falling pT; a place
that is not taken holds zeros. Which candidates count as objects, how they overlap, and which events are
selected, is left to the analysis. Efficiencies are applied with the column `u` of a candidate, a whole number
from 0 to 999,999 drawn uniformly: an efficiency e keeps the candidates with u < 1,000,000 e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, uniforms_like
from assay.suites.collider.chain.detector import cones, objects, tagging
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.particles import PHOTON, UNSEEN, V1, Measured
from assay.suites.collider.chain.generation import Chunk
from assay.suites.collider.chain.searches.columns import trigger
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.formats import documents

DATA_FILES = ("../data/objects.yaml",)

MILLION = 1_000_000

_DECLARED: Mapping[str, Any] = documents.packaged("objects.yaml")

PAPERS: Mapping[str, str] = _DECLARED["papers"]
"""The papers whose tasks exist at this level, with the group of their parameters."""

KINDS: Mapping[str, Mapping[str, Any]] = _DECLARED["kinds"]
"""For each kind of candidate its number of places, and its fields with their meanings."""

VARIABLES: Mapping[str, str] = {
    **_DECLARED["event"],
    **{
        f"{kind}{n}_{field}": f"{meaning} of {kind} {n}"
        for kind, entry in KINDS.items()
        for n in range(1, entry["places"] + 1)
        for field, meaning in entry["fields"].items()
    },
}
"""The columns of a sample after `event_id` and `drawn`, with their meanings."""

OF_EVENT = len(_DECLARED["event"])
"""Number of columns that describe the event, and come first in `VARIABLES`."""

WHOLE = ("u", "id", "tag")
"""Fields that are whole numbers, and are written as such."""


def table(paper: str, generated: Chunk, stream: rng.Stream) -> dict[str, np.ndarray]:
    """Return the columns of `VARIABLES` for generated events, measured by the second version of the detector.

    Args:
        paper: the paper whose trigger is simulated.
        generated: the particles.
        stream: the random numbers of the detector.
    """
    event = objects.reconstruct(generated, stream, replace(detector.CMS, card=V1))
    lists = {
        "photon": _photons(event.measured, stream.child("photon candidates")),
        "lepton": _leptons(event.leptons),
        "jet": tagging.tag(event.jets(np.ones(len(generated), np.bool_)), stream.child("tagging")),
    }
    columns: dict[str, np.ndarray] = {
        "trigger": trigger(event, PAPERS[paper]).astype(np.int64),
        "ptmiss": event.ptmiss,
        "phimiss": event.phimiss,
    }
    for kind, entry in KINDS.items():
        padded = ak.pad_none(lists[kind], entry["places"], clip=True)
        for field in entry["fields"]:
            values = np.asarray(ak.to_numpy(ak.fill_none(padded[field], 0)))
            whole = values.astype(np.int64) if field in WHOLE else values
            columns |= {f"{kind}{n + 1}_{field}": whole[:, n] for n in range(entry["places"])}
    return {name: columns[name] for name in VARIABLES}


def _photons(measured: Measured, stream: rng.Stream) -> Any:
    """Return all photons in the tracker above the least pT, with the pT of everything else around each."""
    near = (measured.kind == PHOTON) & (measured.pt > parameters.value("photons", "least"))
    (places,) = np.nonzero(near & (np.abs(measured.eta) < objects.TRACKER))
    radii = np.full(len(places), parameters.value("photons", "cone"))
    around = cones.sums(measured, places, radii, measured.kind != UNSEEN)
    photons = objects.records(measured, places, {"iso": around})
    return _with_u(photons, uniforms_like(stream.key, photons))


def _leptons(leptons: Any) -> Any:
    """Return electrons and muons of any origin, with the pT around each in the shrinking cone."""
    signed = ak.with_field(leptons, -leptons.charge * leptons.flavour, "id")
    return _with_u(ak.with_field(signed, leptons.isolation * leptons.pt, "iso"), leptons.chance)


def _with_u(candidates: Any, chance: Any) -> Any:
    return ak.with_field(candidates, np.floor(chance * MILLION), "u")


@dataclass(frozen=True)
class _Recorded:
    """Recorded candidates in the form that the module of a paper reads (`objects.Event`)."""

    photons: Any
    recorded_jets: Any
    ptmiss: np.ndarray
    phimiss: np.ndarray
    stream: rng.Stream

    def __len__(self) -> int:
        return len(self.ptmiss)

    def jets(self, wanted: np.ndarray) -> Any:
        return self.recorded_jets[ak.ones_like(self.recorded_jets.pt, dtype=np.bool_) & wanted]


def variables(paper: str, columns: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
    """Return the paper's variables of recorded events, with the object definitions of the physics chain.

    The examination of a run compares a selection with them. They need not be the ones that an analysis uses.

    Args:
        paper: one of `PAPERS`.
        columns: the columns of a sample.
    """
    given = {name: np.asarray(columns[name], dtype=np.float64) for name in VARIABLES}
    photons = _listed("photon", given)
    photons = photons[photons.iso < parameters.value("photons", "most in cone") * photons.pt]
    identified = photons.u < MILLION * objects.photon_efficiency(photons)
    event: Any = _Recorded(
        ak.with_field(photons, identified, "identified"),
        _listed("jet", given),
        given["ptmiss"],
        given["phimiss"],
        rng.stream(0, "collider", "recorded"),
    )
    return {**SEARCHES[paper].compute(event), "trigger": given["trigger"]}


def _listed(kind: str, columns: Mapping[str, np.ndarray]) -> Any:
    """Return the candidates of a kind as lists of records, without the places that are not taken."""
    places = range(1, KINDS[kind]["places"] + 1)
    fields = {
        field: ak.from_regular(np.stack([columns[f"{kind}{n}_{field}"] for n in places], axis=1))
        for field in KINDS[kind]["fields"]
    }
    candidates = ak.zip(fields)
    return candidates[candidates.pt > 0]
