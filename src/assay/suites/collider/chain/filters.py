"""Filters before the shower: hard processes that cannot be selected are rejected, and counted.

Generating a hard process with its decays takes a fortieth of the time of a whole event. The conditions of a
filter are looser than the selection after it, so that few selected events are lost; the efficiency of the
filter enters the weights. `drawn` holds, for each event that was kept, the number of hard processes drawn for
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_DRAWN = 20_000
"""Number of hard processes after which a filter that has let none pass counts as one that lets none pass."""

NEUTRINOS = (12, 14, 16)
INVISIBLE = frozenset((*NEUTRINOS, 1000022, 1000039))


@dataclass(frozen=True)
class Filter:
    """The conditions on a hard process; the default values accept all.

    It must have at least `photons` photons and `leptons` leptons above their pT and within their abs(eta),
    and at least `ptmiss` of missing momentum. Leptons are electrons and muons, and also taus if `tau_pt` is
    finite. Momenta are in GeV.
    """

    photons: int = 0
    photon_pt: float = 0.0
    photon_eta: float = 1.6
    leptons: int = 0
    lepton_pt: float = 15.0
    tau_pt: float = math.inf
    lepton_eta: float = 2.8
    ptmiss: float = 0.0

    def keeps(self, other: Filter) -> bool:
        """Return whether every hard process that fulfils `other` fulfils this filter."""
        photons = self.photons == 0 or (
            self.photons <= other.photons
            and self.photon_pt <= other.photon_pt
            and self.photon_eta >= other.photon_eta
        )
        leptons = self.leptons == 0 or (
            self.leptons <= other.leptons
            and self.lepton_pt <= other.lepton_pt
            and self.tau_pt <= other.tau_pt
            and self.lepton_eta >= other.lepton_eta
        )
        return photons and leptons and self.ptmiss <= other.ptmiss


FILTERS: Mapping[str, Filter] = {
    "none": Filter(),
    "photon": Filter(photons=1, photon_pt=80.0),
    "photon-ptmiss": Filter(photons=1, photon_pt=80.0, ptmiss=180.0),
    "hard-photon": Filter(photons=1, photon_pt=130.0, ptmiss=100.0),
    "dilepton": Filter(leptons=2, ptmiss=30.0),
    "lepton": Filter(leptons=1, tau_pt=25.0),
    "lepton-ptmiss": Filter(leptons=1, tau_pt=25.0, ptmiss=140.0),
}


def passes(wanted: Filter, particles: Any) -> bool:
    """Return whether the final particles (id, px, py, pz; in GeV) of a hard process fulfil a filter."""
    photons = leptons = 0
    miss_x = miss_y = 0.0
    for number, px, py, pz in particles:
        kind = abs(number)
        if kind in INVISIBLE:
            miss_x += px
            miss_y += py
        elif kind in (11, 13, 15, 22):
            pt = math.sqrt(px * px + py * py)
            if kind == 22:
                photons += pt > wanted.photon_pt and abs(pz) < math.sinh(wanted.photon_eta) * pt
            else:
                least = wanted.tau_pt if kind == 15 else wanted.lepton_pt
                leptons += pt > least and abs(pz) < math.sinh(wanted.lepton_eta) * pt
    return (
        photons >= wanted.photons
        and leptons >= wanted.leptons
        and miss_x * miss_x + miss_y * miss_y >= wanted.ptmiss * wanted.ptmiss
    )


def hook(pythia8: Any, wanted: Filter, watched: Filter) -> Any:
    """Return a user hook of Pythia that applies the filter `wanted`.

    For each event that is kept, the list `drawn` of the hook gets the number of hard processes drawn, and
    `marked` whether it would also pass the filter `watched`. The caller empties both lists. After
    `MOST_DRAWN` hard processes none of which passes, `hopeless` is true, and all further ones are kept:
    otherwise the generator would never end.
    """

    class Hook(pythia8.UserHooks):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.drawn: list[int] = []
            self.marked: list[bool] = []
            self.waiting = 0
            self.hopeless = False

        def canVetoProcessLevel(self) -> bool:  # noqa: N802
            return True

        def doVetoProcessLevel(self, process: Any) -> bool:  # noqa: N802
            self.waiting += 1
            final = [
                (particle.id(), particle.px(), particle.py(), particle.pz())
                for particle in process
                if particle.isFinal()
            ]
            if not self.hopeless and not passes(wanted, final):
                self.hopeless = self.waiting >= MOST_DRAWN
                return True
            self.marked.append(watched is wanted or passes(watched, final))
            self.drawn.append(self.waiting)
            self.waiting = 0
            return False

    return Hook()
