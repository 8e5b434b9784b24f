"""Event generation with Pythia: chunks of events as flat arrays, each chunk with a seed of its own.

A chunk depends only on point, filter, seed and its number. So its events do not depend on the size of the
sample, the size of a shard or the job that generates them. Setting up a `Source` takes about a second; then
it can generate any chunk.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import NotBuilt, PlatformError
from assay.numbers import rng
from assay.suites.collider.chain import filters, parameters
from assay.suites.collider.chain.arrays import ak
from assay.suites.collider.chain.signal import slha
from assay.suites.collider.chain.signal.points import Point
from assay.suites.collider.generators.registry import NothingPasses

CHUNK = 500
"""Number of events in one chunk, which has one seed and is held in memory as a whole."""

LARGEST_SEED = 900_000_000

TUNES = {"CMS": "tune", "ATLAS": "atlas tune"}

MISSING = "there is no generator of events: the package pythia8mc is not installed"


@dataclass(frozen=True)
class Chunk:
    """Particles of some events as flat arrays.

    The particles of event n have the indices from `offsets[n]` up to `offsets[n + 1]`.

    Attributes:
        offsets: the index of the first particle of each event, and the number of particles at the end.
        ids: PDG numbers.
        final: whether a particle reaches the detector.
        mothers: the index of the first mother within the event.
        px, py, pz, energy: in GeV.
        charge: in thirds of the proton's charge.
        drawn: for each event, the number of hard processes that were drawn for it.
        marked: for each event, whether it passes the filter that the source watches.
    """

    offsets: np.ndarray
    ids: np.ndarray
    final: np.ndarray
    mothers: np.ndarray
    px: np.ndarray
    py: np.ndarray
    pz: np.ndarray
    energy: np.ndarray
    charge: np.ndarray
    drawn: np.ndarray
    marked: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1


def available() -> bool:
    """Return whether the generator and its packages are installed."""
    from importlib.util import find_spec

    return all(find_spec(name) for name in ("pythia8mc", "fastjet", "awkward"))


def commands(point: Point, slha_file: str) -> tuple[str, ...]:
    """Return the configuration of Pythia for a point, one command each."""
    forced = ("23:onMode = off", "23:onIfAny = 11 13") if point.leptonic_z else ()
    return (
        f"Beams:eCM = {parameters.value('generator', 'energy')}",
        f"Tune:pp = {parameters.value('generator', TUNES[point.experiment])}",
        "Print:quiet = on",
        "Random:setSeed = on",
        "Random:seed = 1",
        f"SLHA:file = {slha_file}",
        "SLHA:verbose = 0",
        *point.commands,
        *forced,
    )


class Source:
    """The generator, set up for one point and one filter (a name in `filters.FILTERS`).

    `watched` names a second filter that rejects nothing; `Chunk.marked` says which events pass it.
    """

    def __init__(self, point: Point, filter_name: str, watched: str | None = None) -> None:
        self.point = point
        self.filter_name = filter_name
        pythia8 = library()
        wanted = filters.FILTERS[filter_name]
        self._hook = filters.hook(pythia8, wanted, filters.FILTERS[watched] if watched else wanted)
        self._pythia = pythia8.Pythia("", False)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "point.slha"
            file.write_text(slha.write(point.spectrum))
            for command in commands(point, str(file)):
                if not self._pythia.readString(command):
                    raise PlatformError(f"the generator refuses {command!r}", "install the locked version")
            self._pythia.setUserHooksPtr(self._hook)
            if not self._pythia.init():
                raise PlatformError(f"the generator does not start for {point.name}", "see its messages")
        self._charges: dict[int, int] = {}

    def chunk(self, seed: int, number: int, count: int = CHUNK) -> Chunk:
        """Return the first `count` events of the chunk with this number.

        Raises:
            NothingPasses: no hard process passes the filter.
        """
        named = rng.stream(seed, "collider", "generation", self.point.name, self.filter_name, number)
        self._pythia.rndm.init(1 + named.below(LARGEST_SEED))
        self._hook.drawn.clear()
        self._hook.marked.clear()
        self._hook.waiting = 0
        self._hook.hopeless = False
        batch = self._pythia.nextBatch(count)
        if self._hook.hopeless:
            raise NothingPasses(
                f"none of {filters.MOST_DRAWN} hard processes of {self.point.name} passes the filter "
                f"{self.filter_name}",
                "choose another filter",
            )
        return _flat(batch, self._hook.drawn, self._hook.marked, self._charge_of)

    def cross_section_fb(self) -> tuple[float, float]:
        """Return the leading-order cross section and its error (fb), from the processes drawn so far."""
        info = self._pythia.infoPython()
        return float(info.sigmaGen()) * 1e12, float(info.sigmaErr()) * 1e12

    def bare_batch(self, count: int) -> None:
        """Generate events and discard them; a benchmark compares `chunk` with this."""
        self._pythia.nextBatch(count)

    def _charge_of(self, number: int) -> int:
        if number not in self._charges:
            self._charges[number] = int(self._pythia.particleData.chargeType(number))
        return self._charges[number]


def library() -> Any:
    """Return the generator's module. Raises `NotBuilt` if it is not installed."""
    try:
        import pythia8mc
    except ImportError:
        raise NotBuilt(MISSING, "make setup EXTRAS=collider") from None
    return pythia8mc


def _flat(batch: Any, drawn: list[int], marked: list[bool], charge_of: Any) -> Chunk:
    particles = batch.prt
    counts = ak.to_numpy(ak.num(particles.id))
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])

    def column(array: Any, kind: Any) -> np.ndarray:
        return np.ascontiguousarray(ak.to_numpy(ak.flatten(array)), dtype=kind)

    ids = column(particles.id, np.int32)
    kinds, place = np.unique(ids, return_inverse=True)
    charges = np.array([charge_of(int(kind)) for kind in kinds], np.int8)
    momentum = particles.p
    return Chunk(
        offsets=offsets,
        ids=ids,
        final=column(particles.status, np.int32) > 0,
        mothers=column(particles.mother1, np.int32),
        px=column(momentum.px, np.float64),
        py=column(momentum.py, np.float64),
        pz=column(momentum.pz, np.float64),
        energy=column(momentum.e, np.float64),
        charge=charges[place],
        drawn=_drawn(drawn, len(counts)),
        marked=np.array(marked[: len(counts)], np.bool_),
    )


def _drawn(drawn: list[int], events: int) -> np.ndarray:
    """Return the number of hard processes drawn for each event.

    Those drawn for events that the generator gave up are added to the last event.
    """
    counts = np.array(drawn[:events], np.int64)
    if events:
        counts[-1] += sum(drawn[events:])
    return counts
