"""Measuring and handing in: readings, concentrations, stored samples, controls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.numbers.portable import exp
from assay.suites.sgi.bench.simulator import kinetics
from assay.suites.sgi.bench.simulator.handling import Skipped, take, vessel_of
from assay.suites.sgi.bench.simulator.kinetics import (
    ACTIVE,
    COLOUR,
    DEAD,
    DESK,
    INHIBITOR,
    METAL,
    PRODUCT,
    QUENCHER,
    SPOILED,
    STANDARD,
    SUBSTRATE,
)
from assay.suites.sgi.bench.simulator.state import Bench, Vessel, saturating

SCATTER = 0.003
LEAST_READ = 100.0
READING = 0.5

IMPURITIES = (SUBSTRATE, SPOILED, ACTIVE, INHIBITOR, COLOUR, STANDARD)
"""What counts against the purity of a product, in nmol and U alike; dead catalyst clumps and does not."""


def signal(world: Mapping[str, Any], wavelength: str, liquid: Any, volume: float) -> float:
    """The noise-free reading of a liquid."""
    eps = world["eps"][wavelength]
    whole = (liquid[PRODUCT] + liquid[STANDARD]) * eps["product"] + liquid[COLOUR] * eps["colour"]
    whole = (whole + liquid[SUBSTRATE] * eps["substrate"]) / max(volume, 1e-9)
    return reader(world, whole)


def reader(world: Mapping[str, Any], whole: float) -> float:
    """What the reader shows of a true absorbance or fluorescence."""
    limit = world["signal_limit"]
    if world["assay"] == "fluorescence":
        return float(whole * exp(-whole / limit))
    return float(limit * saturating(whole / limit))


def read(bench: Bench, output: str, vessel: str, wavelength: str) -> None:
    """Read a liquid."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    if found.volume < LEAST_READ:
        raise Skipped(f"a reading needs {LEAST_READ:g} uL")
    if wavelength not in bench.world["eps"]:
        raise Skipped(f"the reader has no wavelength {wavelength}")
    value = signal(bench.world, wavelength, found.liquid, found.volume)
    value += SCATTER * bench.noise(len(bench.readings))
    bench.readings[output] = (value, found.sources)
    take(bench, READING)


def quantify(
    bench: Bench,
    output: str,
    vessel: str,
    reading: str,
    blank: str,
    standards: str,
    known: float,
    dilution: float,
) -> None:
    """Compute the concentration of a vessel from three readings."""
    vessel_of(bench, vessel)
    values = [bench.readings.get(name) for name in (reading, blank, standards)]
    if any(value is None for value in values) or known <= 0 or dilution <= 0:
        raise Skipped("a reading is missing, or a number is not positive")
    of, zero, one = (value[0] for value in values if value is not None)
    if one - zero <= 0.002:
        raise Skipped("the standard does not read above the blank")
    bench.reported[vessel] = max((of - zero) / (one - zero) * known * dilution, 0.0)
    if bench.expect:
        bench.doubt[vessel] = SCATTER * (1.0 / max(abs(of - zero), 1e-6) + 1.0 / (one - zero))


def submit(bench: Bench, output: str, sample: str, vessel: str, store: str = "desk") -> None:
    """Hand in a vessel for a sample; it is kept at a place until it is collected."""
    found = vessel_of(bench, vessel)
    if sample in bench.submitted or not (sample in bench.stocks and bench.stocks[sample].sample):
        raise Skipped(f"{sample} is no sample, or was handed in before")
    bench.settle(found)
    own = found.samples <= {sample} and sample in found.samples
    true = (found.liquid[PRODUCT] + found.liquid[STANDARD]) / max(found.volume, 1e-9)
    given = bench.reported.get(vessel)
    error = abs(given - true) / true if given is not None and true > 1e-9 else 9.0
    error += bench.doubt.get(vessel, 0.0)
    bench.submitted[sample] = _stored(bench, found, store, own) | {"error": error, "history": found.history}
    found.liquid = kinetics.empty()
    found.volume = 0.0


def _stored(bench: Bench, vessel: Vessel, store: str, own: bool) -> dict[str, float]:
    celsius = {"ice": 4.0, "freezer": -20.0}.get(store, DESK)
    liquid = vessel.liquid
    volume = max(vessel.volume, 1e-9)
    rate = kinetics.product_loss(
        bench.laws, celsius, liquid[ACTIVE] / volume, liquid[QUENCHER] / volume, vessel.ph
    )
    kept = exp(-rate * bench.world["hold"] * 60.0)
    kept *= 1.0 - {"ice": bench.world["cold_loss"], "freezer": bench.world["freeze_loss"]}.get(store, 0.0)
    y = liquid[PRODUCT] * kept * own
    against = math.fsum(liquid[index] for index in IMPURITIES) + liquid[PRODUCT] * (1.0 - kept)
    return {"y": y, "c": y / volume, "u": y / max(y + against, 1e-12)}


def declare_control(bench: Bench, output: str, kind: str, vessel: str, reading: str) -> None:
    """Declare a control; whether it is valid follows from what is in the vessel."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    bench.controls[kind] = bench.controls.get(kind, False) or _valid(bench, kind, found, reading)


def _valid(bench: Bench, kind: str, vessel: Vessel, reading: str) -> bool:
    read_of = bench.readings.get(reading)
    if read_of is None or not vessel.sources <= read_of[1] or not vessel.sources:
        return False
    runs = [v for v in bench.vessels.values() if v.fed > 0 and "enzyme" in v.sources and v is not vessel]
    if not any(abs(vessel.history - run.history) <= 0.15 * run.history + 20.0 for run in runs):
        return False
    least = min(run.fed for run in runs)
    liquid = vessel.liquid
    catalyst = liquid[ACTIVE] + liquid[DEAD]
    if kind == "no enzyme":
        metal = liquid[METAL] > 0 or "metal_kd" not in bench.world
        return bool(catalyst <= 0 and liquid[SUBSTRATE] >= 0.5 * least and metal)
    little = liquid[SUBSTRATE] + liquid[PRODUCT] <= 0.02 * least
    return bool(kind == "no substrate" and catalyst > 0 and little and "matrix" in vessel.sources)
