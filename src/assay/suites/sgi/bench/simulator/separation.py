"""Separations: layers, precipitates and columns, and what moves between water and the rest on the way."""

from __future__ import annotations

import numpy as np

from assay.numbers.portable import exp, log
from assay.suites.sgi.bench.simulator import kinetics
from assay.suites.sgi.bench.simulator.handling import OTHER, Skipped, check_duration, take, vessel_of
from assay.suites.sgi.bench.simulator.kinetics import (
    ACTIVE,
    ANTISOLVENT,
    BINDING,
    COLOUR,
    DEAD,
    DESK,
    ELUTING,
    INHIBITOR,
    PRODUCT,
    SPOILED,
    STANDARD,
    SUBSTRATE,
    WASHING,
)
from assay.suites.sgi.bench.simulator.state import Bench, Vessel, saturating, split

BALANCE = 1.5
RINSE = 1.0

OTHERS = np.array(
    [i not in (SUBSTRATE, PRODUCT, STANDARD, BINDING, WASHING, ELUTING) for i in range(kinetics.AMOUNTS)]
)
"""What a column neither binds by its law nor counts as buffer."""

HELD_BACK = 0.35
"""Share of all others that stays on a column."""


def mix(bench: Bench, output: str, vessel: str) -> None:
    """Mix: two liquids exchange what dissolves in both; a precipitate dissolves at its rate afterwards."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    if found.organic > 0:
        partition(bench, found)
        found.mixed_at = bench.time
    take(bench, OTHER)


def partition(bench: Bench, vessel: Vessel) -> None:
    """Distribute substances between water and the organic layer; what is ionised stays in the water."""
    world = bench.world
    total = vessel.liquid + vessel.held
    water = max(vessel.volume, 1e-9)
    ionised = vessel.ph - world["product_pka"] if world["acid"] else world["product_pka"] - vessel.ph
    free = 1.0 / (1.0 + exp(2.302585 * ionised))
    for index, value in enumerate(total):
        if not value or (index >= BINDING and index != STANDARD):
            continue
        ratio = 0.0
        if index in (PRODUCT, STANDARD, SPOILED):
            ratio = exp(2.302585 * world[f"partition_{vessel.solvent}"]) * free
        elif index in (SUBSTRATE, COLOUR, INHIBITOR):
            ratio = exp(2.302585 * world[f"partition_{vessel.solvent}_impurity"])
        share = ratio * vessel.organic / (ratio * vessel.organic + water)
        vessel.held[index] = value * share
        vessel.liquid[index] = value - vessel.held[index]


def incubate(bench: Bench, output: str, vessels: list[str], device: str, duration: float) -> None:
    """Keep vessels in a device for a while, then put them back on the desk."""
    if device not in bench.devices:
        raise Skipped(f"there is no device {device}")
    check_duration(duration)
    inside = [vessel_of(bench, name) for name in dict.fromkeys(vessels)]
    for vessel in inside:
        bench.settle(vessel)
        vessel.place = device
    take(bench, duration)
    for vessel in inside:
        bench.settle(vessel)
        if "nucleation" in bench.world and vessel.liquid[ANTISOLVENT] > 0:
            precipitate(bench, vessel, duration)
        vessel.place = "desk"
    take(bench, OTHER)


def precipitate(bench: Bench, vessel: Vessel, minutes: float) -> None:
    """What exceeds the solubility settles, with the time constant of nucleation."""
    world = bench.world
    slower = exp(2.302585 * world["nucleation_cold"] * (DESK - vessel.celsius))
    formed = saturating(minutes / world["nucleation"] / slower)
    share = vessel.liquid[ANTISOLVENT] / max(vessel.volume, 1e-9)
    cold = exp(2.302585 * world["precipitation_cold"] * (vessel.celsius - DESK))
    product = world["precipitation_base"] * exp(-2.302585 * world["precipitation_k"] * share) * cold
    other = world["precipitation_base"] * exp(
        -2.302585 * world["precipitation_k"] * world["precipitation_other"] * share
    )
    for index in (PRODUCT, SPOILED, STANDARD, SUBSTRATE, COLOUR, INHIBITOR, ACTIVE, DEAD):
        limit = (product if index in (PRODUCT, STANDARD) else other * cold) * vessel.volume
        excess = max(vessel.liquid[index] - limit, 0.0) * formed
        vessel.held[index] += excess
        vessel.liquid[index] -= excess


def spin(
    bench: Bench,
    output: str,
    vessels: list[str],
    duration: float,
    into: tuple[str, ...] | list[str] = (),
    balance: str = "no",
) -> None:
    """Spin columns into vessels, or precipitates to the ground of their tubes."""
    check_duration(duration)
    inside = [vessel_of(bench, name) for name in dict.fromkeys(vessels)]
    if not inside:
        raise Skipped("nothing to spin")
    if (len(inside) + (balance == "yes")) % 2:
        bench.accidents.add("unbalanced rotor")
    if balance == "yes":
        take(bench, BALANCE)
    for vessel in inside:
        bench.settle(vessel)
    take(bench, duration)
    for at, vessel in enumerate(inside):
        bench.settle(vessel)
        if vessel.kind == "column":
            goal = bench.vessels.get(into[at]) if at < len(into) else None
            if goal is vessel:
                goal = None
            if goal is not None:
                bench.settle(goal)
            _through(bench, vessel, goal, duration)
        elif "pelleting" in bench.world:
            # What is not pelleted is whirled up again, and leaves with the liquid.
            kept = saturating(duration / bench.world["pelleting"])
            vessel.liquid = vessel.liquid + vessel.held * (1.0 - kept)
            vessel.held = vessel.held * kept


def _through(bench: Bench, column: Vessel, goal: Vessel | None, duration: float) -> None:
    """Spin a column: load, wash, elute or dry it, by what it contains."""
    world = bench.world
    if "binding_k" not in world:
        return
    volume = column.volume
    if volume <= world["residual"] + 1.0:
        # Dried: the rest of the liquid is gone, and a resin that does not stand it loses product.
        if duration >= 2.0 and volume > 0.5:
            column.held[PRODUCT] *= 1.0 - world["drying_loss"]
            column.liquid = column.liquid * (0.2 / volume)
            column.volume = 0.2
        return
    liquid = column.liquid
    left = 0.0
    if liquid[ELUTING] > 0.3 * volume:
        waited = bench.time - column.eluting_since
        share = saturating(liquid[ELUTING] / world["elution_v0"]) * saturating(waited / world["elution_tau"])
        share *= liquid[ELUTING] / volume
        liquid = liquid + column.held * share
        column.held = column.held * (1.0 - share)
    elif liquid[WASHING] > 0.5 * volume:
        freed = column.held * np.where(OTHERS, world["wash_impurity"], 0.0)
        freed[SUBSTRATE] = column.held[SUBSTRATE] * world["wash_impurity"]
        for index in (PRODUCT, STANDARD):
            freed[index] = column.held[index] * world["wash_product"]
        liquid = liquid + freed
        column.held = column.held - freed
        left = world["residual"]
    else:
        ratio = liquid[BINDING] / max(volume - liquid[BINDING], 1e-9)
        bound = liquid * np.where(OTHERS, HELD_BACK, 0.0)
        room = max(world["capacity"] - column.held[PRODUCT] - column.held[SUBSTRATE], 0.0)
        for index, factor in ((PRODUCT, 1.0), (STANDARD, 1.0), (SUBSTRATE, world["substrate_factor"])):
            bound[index] = liquid[index] * bound_share(ratio, world["binding_k"] * factor, world["binding_h"])
        wanted = bound[PRODUCT] + bound[STANDARD] + bound[SUBSTRATE]
        if wanted > room:
            for index in (PRODUCT, STANDARD, SUBSTRATE):
                bound[index] *= room / wanted
        liquid = liquid - bound
        column.held = column.held + bound
        left = world["residual"]
    out = liquid * ((volume - left) / volume)
    column.liquid = liquid - out
    column.volume = left
    if goal is not None:
        if not goal.volume:
            goal.history = max(goal.history, column.history)
        bench.pour(goal, out, volume - left)
        goal.samples |= column.samples
        goal.sources |= column.sources


def bound_share(ratio: float, k: float, h: float) -> float:
    """The share that a column binds at a volume ratio of binding buffer to sample."""
    if ratio <= 0:
        return 0.0
    return float(1.0 / (1.0 + exp(h * log(k / ratio))))


def decant(bench: Bench, output: str, vessel: str, leave: float) -> None:
    """Pour the liquid off, but for a rest."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    if leave < 0:
        raise Skipped("the rest is negative")
    leave = max(leave, 5.0)
    if found.volume > leave:
        found.liquid = found.liquid * (leave / found.volume)
        found.volume = leave
    take(bench, OTHER)


def dissolve(bench: Bench, output: str, vessels: list[str], device: str, duration: float) -> None:
    """Let what has settled dissolve in the liquid of its tube, in a device."""
    incubate(bench, output, vessels, device, duration)
    if "dissolving" not in bench.world:
        return
    for name in dict.fromkeys(vessels):
        found = vessel_of(bench, name)
        limit = bench.world["dissolved_limit"] * found.volume
        freed = found.held * saturating(duration / bench.world["dissolving"])
        if freed[PRODUCT] + found.liquid[PRODUCT] > limit:
            freed = freed * max(limit - found.liquid[PRODUCT], 0.0) / max(freed[PRODUCT], 1e-12)
        found.liquid = found.liquid + freed
        found.held = found.held - freed


def rinse(bench: Bench, output: str, vessel: str) -> None:
    """Rinse what has settled with washing buffer, and pour it off."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    if "wash_impurity" not in bench.world:
        raise Skipped("nothing settles here")
    loss = np.full(kinetics.AMOUNTS, bench.world["wash_impurity"])
    loss[PRODUCT] = loss[STANDARD] = bench.world["wash_product"]
    found.held = found.held * (1.0 - loss)
    found.liquid = found.liquid * (1.0 - bench.world["wash_impurity"])
    bench.cost += bench.world["prices"]["rinse"]
    take(bench, RINSE)


def take_layer(bench: Bench, output: str, vessel: str, layer: str, into: str) -> None:
    """Move the organic or the water layer into another vessel; before it has settled part stays behind."""
    found, goal = vessel_of(bench, vessel), vessel_of(bench, into)
    if found is goal or found.organic <= 0:
        raise Skipped(f"{vessel} has no two layers")
    bench.settle(found)
    bench.settle(goal)
    parted = (
        saturating((bench.time - found.mixed_at) / bench.world["settling"]) if found.mixed_at >= 0 else 0.0
    )
    heavier = bench.world["density"][found.solvent] > 1.0
    if layer not in ("upper", "lower"):
        raise Skipped("a layer is upper or lower")
    if (layer == "lower") == heavier:
        moved = found.held * parted
        found.held = found.held - moved
        if goal.kind != "glass":
            bench.accidents.add("solvent in plastic")
        goal.held = goal.held + moved
        goal.organic += found.organic * parted
        goal.solvent = found.solvent
        found.organic *= 1.0 - parted
    else:
        moved, volume = split(found, found.volume * parted)
        if not goal.volume:
            goal.ph = found.ph
        bench.pour(goal, moved, volume)
    goal.mixed_at = -1.0
    goal.samples |= found.samples
    goal.sources |= found.sources
    if not goal.history:
        goal.history = found.history
    take(bench, OTHER)
