"""A second program that carries out whole protocols of the wet family, written from what its prompts state.

It reads a protocol as text and the drawn parameters of a world, and shares no code with `assay.suites.sgi.bench`.
Reactions and temperatures are integrated between events by an adaptive solver of scipy, without a fixed step.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

World = Mapping[str, Any]
Outcome = dict[str, Any]

SUBSTRATE, PRODUCT, DECAYED, INHIBITOR, COLOUR, CATALYST, QUENCHER, METAL, CHELATOR, LABELLED = range(10)
SOLVENTS = ("solvent A", "solvent B")
CAPACITY = {"tube 0.2": 200.0, "tube 1.5": 1500.0, "column": 600.0, "cuvette": 1000.0, "glass": 10000.0}
PRICES = {
    "buffer": 0.002, "matrix": 0.01, "enzyme": 1.5, "metal": 0.05, "quencher": 0.02, "binding buffer": 0.01,
    "washing buffer": 0.01, "eluting buffer": 0.02, "solvent A": 0.006, "solvent B": 0.01,
    "antisolvent": 0.005, "standard": 0.8,
}  # fmt: skip
AVAILABLE = {"enzyme": 2000.0, "metal": 2000.0, "quencher": 2000.0, "standard": 400.0}
DESK, LAG, GAS = 22.0, 0.7, 8.314e-3
STORES = {"desk": DESK, "ice": 4.0, "freezer": -20.0}
KELVIN = 273.15


def arrhenius(energy: float, celsius: float, at: float) -> float:
    """The factor on a rate that is known at the temperature `at` (degC); `energy` in kJ/mol."""
    return math.exp(-energy / GAS * (1 / (celsius + KELVIN) - 1 / (at + KELVIN)))


@dataclass
class Vessel:
    """A vessel; amounts in nmol (catalyst in U), volumes in uL by the stock they came from."""

    kind: str
    time: float
    volumes: dict[str, float] = field(default_factory=dict)
    water: Any = field(default_factory=lambda: np.zeros(10))  # dissolved in water
    solvent: Any = field(default_factory=lambda: np.zeros(10))  # dissolved in a solvent
    held: Any = field(default_factory=lambda: np.zeros(10))  # bound to a column, or in a pellet
    settled: Any = field(default_factory=lambda: np.zeros(10))  # settled, and not yet spun
    place: str = "desk"
    incubated: bool = False
    temperature: float = DESK
    heat: float = 0.0  # integral of the temperature over 22 degC (degC min)
    ph: float = 7.0
    made: float = 0.0
    came: dict[str, float] = field(default_factory=dict)  # uL of each stock and sample that ever got in
    parents: set[str] = field(default_factory=set)
    mixed: float = math.inf
    eluting: float = math.inf
    fresh: bool = False  # liquid came after the last spin
    reported: float | None = None

    def volume(self, solvent: bool | None = None) -> float:
        return sum(
            part for name, part in self.volumes.items() if solvent is None or (name in SOLVENTS) == solvent
        )

    def samples(self) -> list[str]:
        return [name for name in self.came if name.startswith("sample")]


def outcome(world: World, text: str, scatter: Callable[[], float] = lambda: 0.0) -> Outcome:
    """Carry a protocol out.

    Args:
        world: The drawn parameters (`x_world` of a task).
        text: The protocol, in the form in which the family's own replies are written.
        scatter: The scatter of the next reading; none by default.

    Returns:
        `samples` (made, y, c, u, e of each), `minutes`, `cost`, `controls` and `accidents`, as in `x_reference`.
    """
    bench = Bench(world, scatter)
    for step in re.finditer(r"(out_\d+) = <([^>]+)>\((.*?)\n?\)\n", text, re.DOTALL):
        bench.act(step[1], step[2], arguments(step[3]))
    return bench.judged()


def arguments(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, quoted, several, name in re.findall(r'(\w+)=(?:"([^"]*)"|\[([^\]]*)\]|(\w+))', text):
        if several or not (quoted or name):
            found[key] = re.findall(r"\w+", several)
        else:
            number = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)(?: (?:uL|min|degC|mM))?", quoted)
            found[key] = float(number[1]) if number else quoted or name
    return found


class Bench:
    """The vessels, the devices and the clock of the one operator."""

    def __init__(self, world: World, scatter: Callable[[], float]) -> None:
        self.world, self.scatter = world, scatter
        self.clock = self.cost = 0.0
        self.vessels: dict[str, Vessel] = {}
        self.readings: dict[str, tuple[str, float]] = {}
        self.blocks: dict[str, list[tuple[float, float, float]]] = {
            "block A": [(0.0, DESK, DESK)],
            "block B": [(0.0, DESK, DESK)],
        }
        self.left = dict(AVAILABLE) | dict.fromkeys(world["samples"], world["sample_amount"])
        self.accidents: set[str] = set()
        self.declared: dict[str, tuple[Vessel, str]] = {}
        self.submitted: dict[str, tuple[Vessel, str]] = {}

    def act(self, name: str, action: str, told: dict[str, Any]) -> None:
        getattr(self, "do_" + action.lower().replace(" ", "_"))(name, **told)

    def at(self, name: str) -> Vessel:
        """The vessel as it is now."""
        vessel = self.vessels[name]
        self.advance(vessel)
        return vessel

    # ------------------------------------------------------------ what goes on by itself

    def place_temperature(self, place: str, time: float) -> float:
        if place in STORES:
            return STORES[place]
        start, before, target = next(entry for entry in reversed(self.blocks[place]) if entry[0] <= time)
        moved = self.world["ramp"] * (time - start)
        return target if moved >= abs(target - before) else before + math.copysign(moved, target - before)

    def advance(self, vessel: Vessel) -> None:
        """Integrate a vessel up to the clock, piece by piece between the kinks of its place's temperature."""
        kinks = {self.clock}
        for start, before, target in self.blocks.get(vessel.place, ()):
            kinks |= {start, start + abs(target - before) / self.world["ramp"]}
        for end in sorted(kink for kink in kinks if vessel.time < kink <= self.clock):
            self.integrate(vessel, end)

    def integrate(self, vessel: Vessel, end: float) -> None:
        world, place, start = self.world, vessel.place, vessel.time
        vessel.time = end
        liquid = vessel.volume(solvent=False)
        reacts = liquid > 0 and (vessel.water[PRODUCT] > 0 or vessel.water[CATALYST] > 0)
        settles = vessel.incubated and vessel.volumes.get("antisolvent", 0.0) > 0
        if not reacts and not settles and place == "desk" and abs(vessel.temperature - DESK) < 1e-12:
            return
        moving = [SUBSTRATE, PRODUCT, DECAYED, CATALYST]
        rates = self.rates(vessel, liquid)
        share = vessel.volumes.get("antisolvent", 0.0) / liquid if settles else 0.0

        def slope(time: float, state: Any) -> Any:
            temperature = float(state[0])
            change = np.zeros(23)
            change[0] = (self.place_temperature(place, time) - temperature) / LAG
            change[1] = max(temperature - DESK, 0.0)
            if reacts:
                made, lost, dead = rates(temperature, state[3:13])
                change[2] = made
                change[[3 + at for at in moving]] = -made, made - lost, lost, -dead
            if settles:
                excess = np.maximum(state[3:13] - liquid * self.soluble(share, temperature), 0.0)
                change[13:] = excess / (
                    world["nucleation"] * 10 ** (world["nucleation_cold"] * (DESK - temperature))
                )
                change[3:13] -= change[13:]
            return change

        first = [vessel.temperature, vessel.heat, vessel.made, *vessel.water, *vessel.settled]
        found = solve_ivp(slope, (start, end), first, method="LSODA", rtol=1e-9, atol=1e-11)
        last = found.y[:, -1]
        vessel.temperature, vessel.heat, vessel.made = (float(one) for one in last[:3])
        vessel.water, vessel.settled = np.maximum(last[3:13], 0.0), np.maximum(last[13:], 0.0)

    def rates(self, vessel: Vessel, liquid: float) -> Callable[[float, Any], tuple[float, float, float]]:
        """Product made and product lost (nmol/min), catalyst lost (U/min), by temperature and amounts."""
        world, ph = self.world, vessel.ph
        factor = 1.0
        if "metal" in world["react"]:
            free = max(vessel.water[METAL] - vessel.water[CHELATOR], 0.0) / max(liquid, 1e-12)
            factor *= free / (world["metal_kd"] + free) / (1 + (free / world["metal_kim"]) ** 2)
        if "ph" in world["react"]:
            factor /= 1 + 10 ** (world["acid_pka"] - ph) + 10 ** (ph - world["base_pka"])

        def found(temperature: float, amounts: Any) -> tuple[float, float, float]:
            substrate, inhibitor, quencher = (
                max(float(amounts[at]), 0.0) / liquid for at in (SUBSTRATE, INHIBITOR, QUENCHER)
            )
            catalyst = max(float(amounts[CATALYST]), 0.0)
            turnover = world["turnover"] * arrhenius(world["turnover_energy"], temperature, 25.0) * factor
            km = world["km"] * (1 + inhibitor / world["ki"])
            made = catalyst * turnover * substrate / (km + substrate)
            heat = math.log(2) / 14 * arrhenius(world["loss_energy"], temperature, world["half_heat"])
            dead = catalyst * (heat + world["quench_kill"] * quencher)
            lost = max(float(amounts[PRODUCT]), 0.0) * self.decay(
                temperature, ph, quencher, catalyst / liquid
            )
            return made, lost, dead

        return found

    def decay(self, temperature: float, ph: float, quencher: float, catalyst: float) -> float:
        """The rate of the product's loss (1/min); quencher in mM, catalyst in U/uL."""
        world = self.world
        own = math.log(2) / world["product_life"] + world["quench_harm"] * quencher
        own *= 1 + 10 ** (abs(ph - world["ph_middle"]) - world["ph_range"])
        return float(
            own * arrhenius(world["product_energy"], temperature, 37.0)
            + world["lot_loss"] * catalyst * arrhenius(world["lot_energy"], temperature, 37.0)
        )

    def soluble(self, share: float, temperature: float) -> Any:
        """The most of each substance (mM) that stays dissolved at that share of antisolvent."""
        world = self.world
        steep = np.full(10, world["precipitation_k"] * world["precipitation_other"])
        steep[PRODUCT] = world["precipitation_k"]
        cold = 10 ** (world["precipitation_cold"] * (temperature - DESK))
        return world["precipitation_base"] * 10 ** (-steep * share) * cold

    # ------------------------------------------------------------ liquids

    def contents(self, stock: str) -> Any:
        """What is in a microlitre of a stock or sample."""
        world, found = self.world, np.zeros(10)
        if stock in world["samples"]:
            sample = world["samples"][stock]
            for at, key in (
                (SUBSTRATE, "substrate"), (INHIBITOR, "inhibitor"), (CHELATOR, "chelator"), (COLOUR, "colour"),
            ):  # fmt: skip
                found[at] = sample[key]
        else:
            for at, key in ((CATALYST, "enzyme"), (METAL, "metal"), (QUENCHER, "quencher")):
                found[at] = world[key] if stock == key else 0.0
            found[LABELLED] = 10.0 if stock == "standard" else 0.0
        return found

    def pour(self, target: Vessel, part: Vessel) -> None:
        """Put a part of a liquid, given as a vessel of its own, into a vessel."""
        more, there = part.volume(), target.volume()
        if more <= 0:
            return
        fits = min(1.0, (CAPACITY[target.kind] - there) / more)
        if fits < 1 - 1e-12:
            self.accidents.add("overflow")
        if part.volume(solvent=True) > 0 and target.kind != "glass":
            self.accidents.add("solvent in plastic")
        if there <= 0:
            target.ph = part.ph
        added = fits * more
        if added > 0:
            target.temperature += (part.temperature - target.temperature) * added / (added + there)
            target.heat += (part.heat - target.heat) * added / (added + there)
        for name, volume in part.volumes.items():
            target.volumes[name] = target.volumes.get(name, 0.0) + fits * volume
        target.water = target.water + fits * part.water
        target.solvent = target.solvent + fits * part.solvent
        for name, volume in part.came.items():
            target.came[name] = target.came.get(name, 0.0) + fits * volume
        target.parents |= part.parents
        target.fresh = True
        if "eluting buffer" in part.volumes and target.kind == "column":
            target.eluting = min(target.eluting, self.clock)

    def portion(self, source: Vessel, water: float, solvent: float, parent: str) -> Vessel:
        """Take these shares of the two layers out of a vessel."""
        part = Vessel("portion", self.clock, temperature=source.temperature, heat=source.heat, ph=source.ph)
        for name, volume in source.volumes.items():
            share = solvent if name in SOLVENTS else water
            part.volumes[name], source.volumes[name] = share * volume, (1 - share) * volume
        part.water, part.solvent = water * source.water, solvent * source.solvent
        source.water, source.solvent = (1 - water) * source.water, (1 - solvent) * source.solvent
        part.came = dict(source.came)
        part.parents = {parent, *source.parents}
        return part

    # ------------------------------------------------------------ actions

    def do_new_vessel(self, name: str, kind: str) -> None:
        self.vessels[name] = Vessel(kind, self.clock)
        self.cost += self.world["prices"][kind]

    def do_set_device(self, name: str, device: str, temperature: float) -> None:
        self.clock += 0.1
        before = self.place_temperature(device, self.clock)
        self.blocks[device].append((self.clock, before, temperature))

    def do_wait(self, name: str, duration: float) -> None:
        self.clock += duration

    def do_transfer(self, name: str, source: str, target: str, volume: float, tip: str) -> None:
        self.clock += 0.4
        delivered = volume if volume >= 0.5 else 0.7 * volume
        if source in self.vessels:
            vessel = self.at(source)
            there = vessel.volume()
            share = min(delivered, max(there - 1.0, 0.0)) / there if there > 0 else 0.0
            part = self.portion(vessel, share, share, source)
        else:
            self.cost += volume * PRICES.get(source, 0.0)
            taken = min(delivered, self.left.get(source, math.inf))
            if source in self.left:
                self.left[source] -= taken
            part = Vessel("portion", self.clock, {source: taken}, taken * self.contents(source))
            part.came = {source: taken}
        self.pour(self.at(target), part)

    def do_mix(self, name: str, vessel: str) -> None:
        self.clock += 0.4
        world, glass = self.world, self.at(vessel)
        volumes = {one: glass.volumes.get(one, 0.0) for one in SOLVENTS}
        both, liquid = sum(volumes.values()), glass.volume(solvent=False)
        glass.mixed = self.clock
        if both <= 0 or liquid <= 0:
            return
        ionised = glass.ph - world["product_pka"] if world["acid"] else world["product_pka"] - glass.ph
        spread = np.zeros(10)
        for one, letter in zip(SOLVENTS, "ab", strict=True):
            others = 10 ** world[f"partition_{letter}_impurity"]
            product = 10 ** world[f"partition_{letter}"] / (1 + 10**ionised)
            for at in (SUBSTRATE, INHIBITOR, COLOUR, DECAYED):
                spread[at] += others * volumes[one] / liquid
            for at in (PRODUCT, LABELLED):
                spread[at] += product * volumes[one] / liquid
        whole = glass.water + glass.solvent
        glass.water = whole / (1 + spread)
        glass.solvent = whole - glass.water

    def do_take_layer(self, name: str, vessel: str, layer: str, into: str) -> None:
        self.clock += 0.4
        glass = self.at(vessel)
        parted = 1 - math.exp(-max(self.clock - glass.mixed, 0.0) / self.world["settling"])
        density = self.world["density"]["a" if glass.volumes.get("solvent A", 0.0) > 0 else "b"]
        solvent = (layer == "upper") == (density < 1)
        there = glass.volume(solvent=solvent)
        share = min(parted, max(1 - 1 / there, 0.0)) if there > 0 else 0.0
        part = self.portion(glass, 0.0 if solvent else share, share if solvent else 0.0, vessel)
        self.pour(self.at(into), part)

    def do_adjust_ph(self, name: str, vessel: str, ph: float) -> None:
        self.clock += 0.6
        self.at(vessel).ph = ph

    def stay(self, names: list[str], device: str, duration: float, incubated: bool) -> None:
        for one in names:
            vessel = self.at(one)
            vessel.place, vessel.incubated = device, incubated
        self.clock += duration
        for one in names:
            vessel = self.at(one)
            vessel.place, vessel.incubated = "desk", False
        self.clock += 0.4

    def do_incubate(self, name: str, vessels: list[str], device: str, duration: float) -> None:
        self.stay(vessels, device, duration, True)

    def do_dissolve(self, name: str, vessels: list[str], device: str, duration: float) -> None:
        self.stay(vessels, device, duration, False)
        for one in vessels:
            tube = self.at(one)
            freed = tube.held * (1 - math.exp(-duration / self.world["dissolving"]))
            room = self.world["dissolved_limit"] * tube.volume() - tube.water[PRODUCT]
            freed[PRODUCT] = min(freed[PRODUCT], max(room, 0.0))
            tube.held, tube.water = tube.held - freed, tube.water + freed

    def do_spin(
        self, name: str, vessels: list[str], duration: float, balance: str, into: list[str] | None = None
    ) -> None:
        if balance == "yes":
            self.clock += 1.5
        if (len(vessels) + (balance == "yes")) % 2:
            self.accidents.add("unbalanced rotor")
        self.clock += duration
        for one, receiver in zip(vessels, into or [None] * len(vessels), strict=True):
            vessel = self.at(one)
            if vessel.kind == "column":
                self.spin_column(one, vessel, duration, receiver)
            else:
                down = 1 - math.exp(-duration / self.world["pelleting"])
                vessel.held = vessel.held + down * vessel.settled
                vessel.water = vessel.water + (1 - down) * vessel.settled
                vessel.settled = np.zeros(10)

    def spin_column(self, name: str, column: Vessel, duration: float, receiver: str | None) -> None:
        world, whole = self.world, column.volume()
        keeps = world["residual"]
        if not column.fresh:
            if duration < 2:
                return
            keeps = 0.0
            column.held[PRODUCT] *= 1 - world["drying_loss"]
        elif whole > 0:
            binding, washing, eluting = (
                column.volumes.get(f"{one} buffer", 0.0) for one in ("binding", "washing", "eluting")
            )
            if washing > whole / 2:
                freed = column.held * world["wash_impurity"]
                freed[PRODUCT] = column.held[PRODUCT] * world["wash_product"]
            elif eluting >= 0.3 * whole:
                waited = self.clock - column.eluting
                share = 1 - math.exp(-eluting / world["elution_v0"])
                share *= 1 - math.exp(-waited / world["elution_tau"])
                freed = column.held * share * eluting / whole
            else:
                freed = -self.bound(column, binding / max(whole - binding, 1e-9))
            column.held, column.water = column.held - freed, column.water + freed
        column.fresh, column.eluting = False, math.inf
        share = 1 - min(keeps / whole, 1.0) if whole > 0 else 0.0
        part = self.portion(column, share, share, name)
        if receiver is not None:
            self.pour(self.at(receiver), part)

    def bound(self, column: Vessel, ratio: float) -> Any:
        """What a column takes from its liquid when it is spun."""
        world = self.world
        taken = 0.35 * column.water
        for at, factor in ((PRODUCT, 1.0), (SUBSTRATE, world["substrate_factor"])):
            half = (world["binding_k"] * factor) ** world["binding_h"]
            taken[at] = column.water[at] * ratio ** world["binding_h"] / (ratio ** world["binding_h"] + half)
        both = [PRODUCT, SUBSTRATE]
        room = max(world["capacity"] - column.held[both].sum(), 0.0)
        if taken[both].sum() > room:
            taken[both] *= room / taken[both].sum()
        return taken

    def do_decant(self, name: str, vessel: str, leave: float) -> None:
        self.clock += 0.4
        tube = self.at(vessel)
        there = tube.volume()
        if there > 0:
            share = max(1 - max(leave, 5.0) / there, 0.0)
            self.portion(tube, share, share, vessel)

    def do_rinse_pellet(self, name: str, vessel: str) -> None:
        self.clock += 1.0
        self.cost += self.world["prices"]["rinse"]
        tube = self.at(vessel)
        kept = np.full(10, 1 - self.world["wash_impurity"])
        kept[PRODUCT] = 1 - self.world["wash_product"]
        tube.held, tube.water = tube.held * kept, tube.water * kept

    def do_read(self, name: str, vessel: str, wavelength: str) -> None:
        self.clock += 0.5
        cuvette = self.at(vessel)
        if cuvette.volume() < 100:
            return
        eps, limit = self.world["eps"][wavelength], self.world["signal_limit"]
        amounts = cuvette.water
        true = eps["product"] * (amounts[PRODUCT] + amounts[LABELLED])
        true += eps["substrate"] * amounts[SUBSTRATE] + eps["colour"] * amounts[COLOUR]
        true /= cuvette.volume()
        shown = (
            limit * (1 - math.exp(-true / limit))
            if self.world["assay"] == "absorbance"
            else true * math.exp(-true / limit)
        )
        self.readings[name] = (vessel, shown + self.scatter())

    def do_quantify(
        self, name: str, vessel: str, reading: str, blank: str, standards: str, known: float, dilution: float
    ) -> None:
        values = [self.readings[one][1] for one in (reading, blank, standards) if one in self.readings]
        if len(values) == 3 and values[2] - values[1] > 0.002:
            shown, empty, standard = values
            self.vessels[vessel].reported = known * dilution * (shown - empty) / (standard - empty)

    def do_submit(self, name: str, sample: str, vessel: str, store: str) -> None:
        self.submitted[sample] = (self.at(vessel), store)

    def do_declare_control(self, name: str, kind: str, vessel: str, reading: str) -> None:
        self.at(vessel)
        if reading in self.readings and vessel in self.vessels[self.readings[reading][0]].parents:
            self.declared[kind] = (self.vessels[vessel], reading)

    # ------------------------------------------------------------ the outcome

    def judged(self) -> Outcome:
        for vessel in self.vessels.values():
            self.advance(vessel)
        return {
            "samples": {sample: self.handed_in(sample) for sample in self.world["samples"]},
            "minutes": self.clock,
            "cost": self.cost,
            "controls": {kind: self.valid(kind) for kind in ("no enzyme", "no substrate")},
            "accidents": sorted(self.accidents),
        }

    def handed_in(self, sample: str) -> dict[str, float]:
        """What a sample gave: nmol ever made and handed in, concentration (mM), purity, error of the report."""
        made = sum(vessel.made for vessel in self.vessels.values() if vessel.samples() == [sample])
        found = {"made": made, "y": 0.0, "c": 0.0, "u": 0.0, "e": math.inf}
        if sample not in self.submitted:
            return found
        vessel, store = self.submitted[sample]
        volume, amounts = vessel.volume(), vessel.water.copy()
        if volume <= 0 or vessel.samples() != [sample]:
            return found
        minutes = 60 * self.world["hold"]
        rate = self.decay(STORES[store], vessel.ph, amounts[QUENCHER] / volume, amounts[CATALYST] / volume)
        cold = {"desk": 0.0, "ice": self.world["cold_loss"], "freezer": self.world["freeze_loss"]}[store]
        left = amounts[PRODUCT] * (1 - cold) * math.exp(-rate * minutes)
        amounts[DECAYED] += amounts[PRODUCT] - left
        amounts[PRODUCT] = left
        counted = [PRODUCT, SUBSTRATE, DECAYED, INHIBITOR, COLOUR, CATALYST, LABELLED]
        found |= {"y": left, "c": left / volume, "u": left / max(amounts[counted].sum(), 1e-300)}
        if vessel.reported is not None and left > 0:
            found["e"] = abs(vessel.reported / found["c"] - 1)
        return found

    def valid(self, kind: str) -> bool:
        if kind not in self.declared:
            return False
        control = self.declared[kind][0]
        tubes = [
            one
            for one in self.vessels.values()
            if len(one.samples()) == 1 and one.came.get("enzyme", 0.0) > 0
        ]
        for tube in tubes:
            if abs(control.heat - tube.heat) > max(0.15 * tube.heat, 20.0):
                continue
            if kind == "no enzyme":
                if "enzyme" in control.came or ("metal" in tube.came and "metal" not in control.came):
                    continue
                here = sum(
                    control.came[one] * self.world["samples"][one]["substrate"] for one in control.samples()
                )
                there = sum(
                    tube.came[one] * self.world["samples"][one]["substrate"] for one in tube.samples()
                )
                if here >= there / 2:
                    return True
            elif "enzyme" in control.came and "matrix" in control.came and not control.samples():
                return True
        return False


def log_part(x: float) -> float:
    return min(max(1 + math.log10(max(x, 1e-300)) / 0.8, 0.0), 1.0)


def odds(u: float) -> float:
    u = min(max(u, 1e-9), 1 - 1e-9)
    return math.log(u / (1 - u))


def raw(world: World, found: Outcome, reference: Outcome, limits: Mapping[str, float]) -> float:
    """The result of an outcome against that of the reference, before anchoring."""
    total = 0.0
    controls = sum(found["controls"].values()) / 2
    for sample, best in reference["samples"].items():
        one, content = found["samples"][sample], world["samples"][sample]
        if one["y"] <= 0:
            continue
        crude = odds(
            content["substrate"] / 2 / sum(content[key] for key in ("substrate", "inhibitor", "colour"))
        )
        cleaner = (odds(one["u"]) - crude) / max(0.98 * odds(best["u"]) - crude, 0.3)
        total += min(1.0, one["y"] / (0.05 * best["y"])) * (
            0.20 * log_part(one["made"] / (0.97 * best["made"]))
            + 0.20 * log_part(one["y"] / one["made"] / (0.95 * best["y"] / best["made"]))
            + 0.10 * log_part(one["c"] / (0.75 * best["c"]))
            + 0.20 * min(max(cleaner, 0.0), 1.0)
            + 0.15 * min(max(1 - math.log(max(one["e"], 0.04) / 0.04) / math.log(20), 0.0), 1.0)
            + 0.15 * controls
        )
    share = min(1.0, limits["minutes"] / found["minutes"]) * min(1.0, limits["cost"] / found["cost"])
    return share * 0.8 ** len(found["accidents"]) * total / len(reference["samples"])
