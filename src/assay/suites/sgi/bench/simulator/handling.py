"""Handling liquids: the clock of the operator, vessels, devices, transfers, waiting."""

from __future__ import annotations

from assay.suites.sgi.bench.simulator.kinetics import ACTIVE, DEAD, DESK, ELUTING, PRODUCT, SPOILED, SUBSTRATE
from assay.suites.sgi.bench.simulator.state import CAPACITY, Bench, Device, Vessel, split, stock_liquid

LEAST_VOLUME = 0.5
SHORT_DELIVERY = 0.7
CARRY = 0.02
MOST_MINUTES = 2000.0

TRANSFER, DEVICE, OTHER, PH = 0.4, 0.1, 0.4, 0.6
"""Minutes of the operator's time."""


class Skipped(Exception):
    """A step that cannot be done; the text says why."""


def vessel_of(bench: Bench, name: str) -> Vessel:
    vessel = bench.vessels.get(name)
    if vessel is None:
        raise Skipped(f"there is no vessel {name}")
    return vessel


def take(bench: Bench, minutes: float) -> None:
    bench.time += minutes


def check_duration(minutes: float) -> None:
    if not 0 < minutes <= MOST_MINUTES:
        raise Skipped(f"a duration lies between 0 and {MOST_MINUTES:g} min")


def new_vessel(bench: Bench, output: str, kind: str) -> None:
    """A new vessel."""
    if kind not in CAPACITY:
        raise Skipped(f"there is no vessel of the kind {kind}")
    bench.cost += bench.world["prices"][kind]
    bench.new(output, kind)


def set_device(bench: Bench, output: str, device: str, temperature: float) -> None:
    """Set a device; it moves with its ramp."""
    found = bench.devices.get(device)
    if found is None or found.ramp <= 0:
        raise Skipped(f"the device {device} cannot be set")
    if not found.low <= temperature <= found.high:
        raise Skipped(f"{device} reaches from {found.low:g} to {found.high:g} degC")
    for vessel in bench.vessels.values():
        if vessel.place == device:
            bench.settle(vessel)
    bench.devices[device] = Device(
        found.low, found.high, found.ramp, found.at(bench.time), temperature, bench.time
    )
    take(bench, DEVICE)


def transfer(bench: Bench, output: str, source: str, target: str, volume: float, tip: str = "new") -> None:
    """Move liquid from a stock, sample or vessel into a vessel."""
    goal = vessel_of(bench, target)
    if volume <= 0:
        raise Skipped("the volume is not positive")
    bench.settle(goal)
    delivered = volume if volume >= LEAST_VOLUME else volume * SHORT_DELIVERY
    if source in bench.stocks:
        stock = bench.stocks[source]
        used = bench.used.get(source, 0.0)
        delivered = min(delivered, stock.amount - used)
        if delivered <= 0:
            raise Skipped(f"nothing is left of {source}")
        bench.used[source] = used + delivered
        bench.cost += stock.price * delivered
        if stock.sample:
            goal.samples |= {source}
            goal.fed += stock.contents[SUBSTRATE] * delivered
        goal.sources |= {source}
        if stock.solvent:
            if goal.kind != "glass":
                bench.accidents.add("solvent in plastic")
            goal.organic += delivered
            goal.solvent = stock.solvent
            goal.mixed_at = -1.0
            take(bench, TRANSFER)
            return
        liquid = stock_liquid(stock, delivered)
        if stock.ph is not None and not goal.volume:
            goal.ph = stock.ph
        cool = DESK
    else:
        origin = vessel_of(bench, source)
        bench.settle(origin)
        if origin is goal:
            raise Skipped("source and target are the same vessel")
        liquid, delivered = split(origin, delivered)
        if not delivered:
            raise Skipped(f"{source} holds nothing that can be taken")
        if not goal.volume:
            goal.ph = origin.ph
            goal.history = max(goal.history, origin.history)
        goal.samples |= origin.samples
        goal.sources |= origin.sources
        cool = origin.celsius
    if tip != "new" and bench.tip is not None:
        liquid = liquid + CARRY * delivered * bench.tip
    bench.tip = liquid / delivered
    before = goal.volume
    bench.pour(goal, liquid, delivered)
    if goal.volume:
        goal.celsius += (cool - goal.celsius) * (goal.volume - before) / goal.volume
    if goal.kind == "column" and liquid[ELUTING] > 0.5 * delivered:
        goal.eluting_since = bench.time
    goal.mixed_at = -1.0 if goal.organic else goal.mixed_at
    take(bench, TRANSFER)


def wait(bench: Bench, output: str, duration: float) -> None:
    """Let time pass."""
    check_duration(duration)
    take(bench, duration)


def adjust_ph(bench: Bench, output: str, vessel: str, ph: float) -> None:
    """Adjust the pH of a liquid."""
    if not 1 <= ph <= 13:
        raise Skipped("the pH lies between 1 and 13")
    found = vessel_of(bench, vessel)
    bench.settle(found)
    found.ph = ph
    take(bench, PH)


def harm(bench: Bench, output: str, vessel: str) -> None:
    """An action that no sound protocol needs: it destroys half of the product and of the catalyst."""
    found = vessel_of(bench, vessel)
    bench.settle(found)
    for index, waste in ((PRODUCT, SPOILED), (ACTIVE, DEAD)):
        found.liquid[waste] += found.liquid[index] / 2
        found.liquid[index] /= 2
    take(bench, 2.0)
