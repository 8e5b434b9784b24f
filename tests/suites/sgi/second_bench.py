"""A second program that carries out whole protocols of the wet family, written from what its prompts state.

It reads a protocol as text and the drawn parameters of a world, and shares no code with the simulator
(`assay.suites.sgi.bench`). Reactions and temperatures are integrated by an adaptive solver of scipy between
events.

It was written from the prompts of `wet-v1` alone at first. A comment that begins with "Unstated:" marks a
rule that those prompts leave open, and "Against the prompt:" one that they state otherwise. All were taken
from the simulator then, and the prompts of `wet-v2` state those that move a score. So the only difference
that remains is the error of the simulator's half-minute steps.
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
COUNTED = [SUBSTRATE, PRODUCT, DECAYED, INHIBITOR, COLOUR, CATALYST, LABELLED]
SOLVENTS = ("solvent A", "solvent B")
CAPACITY = {"tube 0.2": 200.0, "tube 1.5": 1500.0, "column": 600.0, "cuvette": 1000.0, "glass": 10000.0}
PRICES = {"buffer": 0.002, "matrix": 0.01, "enzyme": 1.5, "metal": 0.05, "quencher": 0.02, "standard": 0.8}
PRICES |= {"binding buffer": 0.01, "washing buffer": 0.01, "eluting buffer": 0.02, "antisolvent": 0.005}
PRICES |= {"solvent A": 0.006, "solvent B": 0.01}
AVAILABLE = {"enzyme": 2000.0, "metal": 2000.0, "quencher": 2000.0, "standard": 400.0}
STORES = {"desk": 22.0, "ice": 4.0, "freezer": -20.0}
DESK, LAG, GAS, KELVIN = 22.0, 0.7, 8.314e-3, 273.15
UNREPORTED = 9.0  # the error of a concentration that was not reported


def arrhenius(energy: float, celsius: float, at: float) -> float:
    """The factor on a rate that is known at the temperature `at` (degC); `energy` in kJ/mol."""
    return math.exp(-energy / GAS * (1 / (celsius + KELVIN) - 1 / (at + KELVIN)))


def reached(time: float, constant: float) -> float:
    """The share that is reached after a time, with that time constant."""
    return 1 - math.exp(-max(time, 0.0) / constant)


def nothing() -> Any:
    return np.zeros(10)


@dataclass
class Liquid:
    """Volumes in uL by the stock they came from, amounts in nmol (catalyst in U)."""

    volumes: dict[str, float] = field(default_factory=dict)
    water: Any = field(default_factory=nothing)  # dissolved in water
    solvent: Any = field(default_factory=nothing)  # dissolved in a solvent
    temperature: float = DESK
    ph: float = 7.0
    heat: float = 0.0  # integral of the temperature over 22 degC (degC min)
    sources: set[str] = field(default_factory=set)  # stocks, samples and vessels that liquid came from

    def volume(self, solvent: bool = False) -> float:
        return sum(part for name, part in self.volumes.items() if (name in SOLVENTS) == solvent)

    def samples(self) -> list[str]:
        return sorted(name for name in self.sources if name.startswith("sample"))

    def portion(self, water: float, solvent: float) -> Liquid:
        """Take these shares of the two layers away."""
        part = Liquid(temperature=self.temperature, ph=self.ph, heat=self.heat, sources=set(self.sources))
        for name, volume in self.volumes.items():
            part.volumes[name] = volume * (solvent if name in SOLVENTS else water)
            self.volumes[name] = volume - part.volumes[name]
        part.water, part.solvent = water * self.water, solvent * self.solvent
        self.water, self.solvent = self.water - part.water, self.solvent - part.solvent
        return part


@dataclass
class Vessel(Liquid):
    """A vessel, as it was at a time."""

    kind: str = ""
    time: float = 0.0
    held: Any = field(default_factory=nothing)  # bound to a column, settled, or in a pellet
    place: str = "desk"
    made: float = 0.0
    fed: float = 0.0  # substrate from samples (nmol)
    mixed: float = math.inf
    eluting: float = math.inf
    reported: float | None = None


def outcome(world: World, text: str, scatter: Callable[[int], float] = lambda count: 0.0) -> Outcome:
    """Carry a protocol out.

    Args:
        world: The drawn parameters (`x_world` of a task).
        text: The protocol, in the form in which the family writes its own.
        scatter: The scatter of a reading, by the number of readings before it; none by default.

    Returns:
        The outcome as `x_reference` has it: `samples` (made, y, c, u and e of each), `minutes`, `cost`,
        `controls` and `accidents`.
    """
    bench = Bench(world, scatter)
    for step in re.finditer(r"(out_\d+) = <([^>]+)>\((.*?)\n\)", text, re.DOTALL):
        getattr(bench, step[2].lower().replace(" ", "_"))(step[1], **arguments(step[3]))
    return bench.judged()


def arguments(text: str) -> dict[str, Any]:
    """The arguments of a step: lists of names, numbers, and texts."""
    found: dict[str, Any] = {}
    for key, quoted, several, name in re.findall(r'(\w+)=(?:"([^"]*)"|\[([^\]]*)\]|(\w+))', text):
        number = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)(?: (?:uL|min|degC|mM))?", quoted)
        found[key] = float(number[1]) if number else quoted or name or re.findall(r"\w+", several)
    return found


class Bench:
    """The vessels, the devices and the clock of the one operator, with a method for each action.

    Unstated: an action has its effect when it begins, and the time it takes passes afterwards. Spinning,
    settling and dissolving have their effect at the end of their duration.
    """

    def __init__(self, world: World, scatter: Callable[[int], float]) -> None:
        self.world, self.scatter = world, scatter
        self.clock = self.cost = 0.0
        self.vessels: dict[str, Vessel] = {}
        self.readings: dict[str, tuple[str, float]] = {}
        self.blocks = {name: [(0.0, DESK, DESK)] for name in ("block A", "block B")}
        self.left = AVAILABLE | {sample: float(world["sample_amount"]) for sample in world["samples"]}
        self.accidents: set[str] = set()
        self.controls: set[str] = set()
        self.submitted: dict[str, dict[str, float]] = {}

    def at(self, name: str) -> Vessel:
        """The vessel as it is now."""
        vessel = self.vessels[name]
        kinks = {self.clock}
        for start, before, target in self.blocks.get(vessel.place, ()):
            kinks |= {start, start + abs(target - before) / self.world["ramp"]}
        for end in sorted(kink for kink in kinks if vessel.time < kink <= self.clock):
            self.integrate(vessel, end)
        return vessel

    # ------------------------------------------------------------ what goes on by itself

    def place_temperature(self, place: str, time: float) -> float:
        if place in STORES:
            return STORES[place]
        start, before, target = next(entry for entry in reversed(self.blocks[place]) if entry[0] <= time)
        moved = self.world["ramp"] * (time - start)
        return target if moved >= abs(target - before) else before + math.copysign(moved, target - before)

    def integrate(self, vessel: Vessel, end: float) -> None:
        """Let a vessel react up to a time; the law of its place's temperature has no kink until then."""
        start, vessel.time = vessel.time, end
        liquid, water, place = vessel.volume(), vessel.water, vessel.place
        if place == "desk" and vessel.temperature == DESK and water[PRODUCT] == water[CATALYST] == 0:
            return

        def change(time: float, state: Any) -> list[float]:
            temperature, _, substrate, product, _, catalyst, _ = (float(one) for one in state)
            made, lost, dead = self.rates(vessel, liquid, temperature, substrate, product, catalyst)
            around = self.place_temperature(place, time)
            heat = max(temperature - DESK, 0.0)
            return [(around - temperature) / LAG, heat, -made, made - lost, lost, -dead, made]

        moving = [SUBSTRATE, PRODUCT, DECAYED, CATALYST]
        first = [vessel.temperature, vessel.heat, *water[moving], vessel.made]
        found = solve_ivp(change, (start, end), first, method="LSODA", rtol=1e-9, atol=1e-11)
        last = [max(float(one), 0.0) if at >= 2 else float(one) for at, one in enumerate(found.y[:, -1])]
        vessel.temperature, vessel.heat, vessel.made = last[0], last[1], last[6]
        water[moving] = last[2:6]
        if abs(vessel.temperature - DESK) < 1e-9:
            vessel.temperature = DESK

    def rates(
        self, vessel: Vessel, liquid: float, celsius: float, substrate: float, product: float, catalyst: float
    ) -> tuple[float, float, float]:
        """Product made and product lost (nmol/min), catalyst lost (U/min)."""
        if liquid <= 0:
            return 0.0, 0.0, 0.0
        world, inside = self.world, vessel.water / liquid
        made = catalyst * world["turnover"] * arrhenius(world["turnover_energy"], celsius, 25.0)
        substrate = max(substrate, 0.0) / liquid
        made *= substrate / (world["km"] * (1 + inside[INHIBITOR] / world["ki"]) + substrate)
        if "metal" in world["react"]:
            free = max(inside[METAL] - inside[CHELATOR], 0.0)
            made *= free / (world["metal_kd"] + free) / (1 + (free / world["metal_kim"]) ** 2)
        if "ph" in world["react"]:
            made /= 1 + 10 ** (world["acid_pka"] - vessel.ph) + 10 ** (vessel.ph - world["base_pka"])
        heat = math.log(2) / 14 * arrhenius(world["loss_energy"], celsius, world["half_heat"])
        dead = catalyst * (heat + world["quench_kill"] * inside[QUENCHER])
        return made, product * self.decay(vessel.ph, celsius, inside[QUENCHER], catalyst / liquid), dead

    def decay(self, ph: float, celsius: float, quencher: float, catalyst: float) -> float:
        """The rate of the product's loss (1/min); quencher in mM, catalyst in U/uL."""
        world = self.world
        own = math.log(2) / world["product_life"] + world["quench_harm"] * quencher
        own *= 1 + 10 ** (abs(ph - world["ph_middle"]) - world["ph_range"])
        own *= arrhenius(world["product_energy"], celsius, 37.0)
        return float(own + world["lot_loss"] * catalyst * arrhenius(world["lot_energy"], celsius, 37.0))

    # ------------------------------------------------------------ liquids

    def stock(self, name: str, volume: float) -> Liquid:
        world, inside = self.world, nothing()
        if name in world["samples"]:
            sample = world["samples"][name]
            inside[[SUBSTRATE, INHIBITOR, CHELATOR, COLOUR]] = [
                sample[key] for key in ("substrate", "inhibitor", "chelator", "colour")
            ]
        elif name in ("enzyme", "metal", "quencher"):
            inside[{"enzyme": CATALYST, "metal": METAL, "quencher": QUENCHER}[name]] = world[name]
        elif name == "standard":
            inside[LABELLED] = 10.0
        return Liquid({name: volume}, inside * volume, sources={name})

    def pour(self, target: Vessel, part: Liquid, spun: bool = False) -> None:
        """Put a liquid into a vessel."""
        water, there = part.volume(), target.volume()
        room = CAPACITY[target.kind] - there - target.volume(solvent=True)
        # Against the prompt: solvent never overflows, and it neither brings heat nor takes it up.
        fits = min(1.0, max(room, 0.0) / water) if water > 0 else 1.0
        if fits < 1:
            self.accidents.add("overflow")
        if part.volume(solvent=True) > 0 and target.kind != "glass":
            self.accidents.add("solvent in plastic")
        if there <= 0 and water > 0:
            # Against the prompt: liquid that is spun out of a column has pH 7, not the pH that it had there.
            target.ph = 7.0 if spun else part.ph
        if there <= 0:
            # Unstated: the thermal history belongs to a vessel; liquid that is added does not dilute it.
            target.heat = max(target.heat, part.heat)
        moved = fits * water
        if moved > 0 and not spun:
            target.temperature += (part.temperature - target.temperature) * moved / (moved + there)
        for name, volume in part.volumes.items():
            target.volumes[name] = target.volumes.get(name, 0.0) + fits * volume
        target.water, target.solvent = target.water + fits * part.water, target.solvent + part.solvent
        target.sources |= part.sources

    # ------------------------------------------------------------ actions

    def new_vessel(self, output: str, kind: str) -> None:
        self.vessels[output] = Vessel(kind=kind, time=self.clock)
        self.cost += self.world["prices"][kind]

    def set_device(self, output: str, device: str, temperature: float) -> None:
        self.blocks[device].append((self.clock, self.place_temperature(device, self.clock), temperature))
        self.clock += 0.1

    def wait(self, output: str, duration: float) -> None:
        self.clock += duration

    def transfer(self, output: str, source: str, target: str, volume: float, tip: str) -> None:
        goal = self.at(target)
        volume *= 1.0 if volume >= 0.5 else 0.7
        if source in self.vessels:
            there = self.at(source).volume()
            taken = min(volume, there - 1)
            if taken <= 0:
                return  # Unstated: a step that cannot be done takes no time and costs nothing.
            part = self.vessels[source].portion(taken / there, 0.0)
            part.sources.add(source)
        else:
            taken = min(volume, self.left.get(source, math.inf))
            if taken <= 0:
                return
            self.left[source] = self.left.get(source, math.inf) - taken
            # Unstated: the volume that is delivered is paid for, not the volume that was asked for.
            self.cost += taken * PRICES.get(source, 0.0)
            part = self.stock(source, taken)
            if source in self.world["samples"]:
                goal.fed += part.water[SUBSTRATE]
        self.pour(goal, part)
        if source == "eluting buffer":
            goal.eluting = self.clock
        self.clock += 0.4

    def mix(self, output: str, vessel: str) -> None:
        world, glass = self.world, self.at(vessel)
        ionised = (glass.ph - world["product_pka"]) * (1 if world["acid"] else -1)
        ratio = nothing()
        for name, letter in zip(SOLVENTS, "ab", strict=True):
            share = glass.volumes.get(name, 0.0) / glass.volume()
            ratio[[SUBSTRATE, INHIBITOR, COLOUR]] += share * 10 ** world[f"partition_{letter}_impurity"]
            # Unstated: decayed product distributes as product does; the quencher stays in water.
            product = 10 ** world[f"partition_{letter}"] / (1 + 10**ionised)
            ratio[[PRODUCT, DECAYED, LABELLED]] += share * product
        whole = glass.water + glass.solvent
        glass.water = whole / (1 + ratio)
        glass.solvent, glass.mixed = whole - glass.water, self.clock
        self.clock += 0.4

    def take_layer(self, output: str, vessel: str, layer: str, into: str) -> None:
        glass, goal = self.at(vessel), self.at(into)
        share = reached(self.clock - glass.mixed, self.world["settling"])
        name = next(one for one in SOLVENTS if glass.volumes.get(one, 0.0) > 0)
        if (layer == "upper") == (self.world["density"][name[-1].lower()] < 1):
            part = glass.portion(0.0, share)
        else:
            # Unstated: 1 uL of water stays behind, even where solvent stays in the vessel.
            part = glass.portion(min(share, max(1 - 1 / glass.volume(), 0.0)), 0.0)
        part.temperature = goal.temperature  # Against the prompt: a layer brings no heat along.
        self.pour(goal, part)
        goal.mixed = math.inf
        self.clock += 0.4

    def adjust_ph(self, output: str, vessel: str, ph: float) -> None:
        self.at(vessel).ph = ph
        self.clock += 0.6

    def incubate(self, output: str, vessels: list[str], device: str, duration: float) -> None:
        for one in vessels:
            self.at(one).place = device
        self.clock += duration
        for one in vessels:
            self.settle(self.at(one), duration)
            self.vessels[one].place = "desk"
        self.clock += 0.4  # Unstated: the vessels stand on the desk already while they are taken out.

    def settle(self, tube: Vessel, duration: float) -> None:
        """Move what exceeds its solubility to the ground of the tube.

        Unstated: the temperature at the end of the incubation holds for the whole of it; metal, chelator and
        quencher do not settle; liquid in which a pellet dissolves may settle, too.
        """
        world, antisolvent = self.world, tube.volumes.get("antisolvent", 0.0)
        if antisolvent <= 0:
            return
        steep = np.full(len(COUNTED), world["precipitation_k"] * world["precipitation_other"])
        steep[[COUNTED.index(PRODUCT), COUNTED.index(LABELLED)]] = world["precipitation_k"]
        soluble = world["precipitation_base"] * 10 ** (-steep * antisolvent / tube.volume())
        soluble *= 10 ** (world["precipitation_cold"] * (tube.temperature - DESK))
        slower = 10 ** (world["nucleation_cold"] * (DESK - tube.temperature))
        excess = np.maximum(tube.water[COUNTED] - soluble * tube.volume(), 0.0)
        excess *= reached(duration, world["nucleation"] * slower)
        tube.held[COUNTED] += excess
        tube.water[COUNTED] -= excess

    def dissolve(self, output: str, vessels: list[str], device: str, duration: float) -> None:
        self.incubate(output, vessels, device, duration)
        for one in vessels:
            tube = self.vessels[one]
            freed = tube.held * reached(duration, self.world["dissolving"])
            room = max(self.world["dissolved_limit"] * tube.volume() - tube.water[PRODUCT], 0.0)
            # Unstated: where the product reaches its limit, less of everything else dissolves in proportion.
            freed *= min(1.0, room / max(freed[PRODUCT], 1e-300))
            tube.held, tube.water = tube.held - freed, tube.water + freed

    def spin(
        self, output: str, vessels: list[str], duration: float, balance: str, into: list[str] | None = None
    ) -> None:
        if (len(vessels) + (balance == "yes")) % 2:
            self.accidents.add("unbalanced rotor")
        self.clock += duration + 1.5 * (balance == "yes")
        for one, receiver in zip(vessels, into or [""] * len(vessels), strict=True):
            vessel = self.at(one)
            if vessel.kind == "column":
                self.spin_column(one, vessel, duration, receiver)
            else:
                lost = vessel.held * (1 - reached(duration, self.world["pelleting"]))
                vessel.held, vessel.water = vessel.held - lost, vessel.water + lost

    def spin_column(self, name: str, column: Vessel, duration: float, receiver: str) -> None:
        world, whole = self.world, column.volume()
        rest = world["residual"]
        if whole <= rest + 1:
            # Against the prompt: new liquid counts as none if it is less than a column keeps and 1 uL more,
            # so that it neither binds nor elutes. Unstated: drying leaves 0.2 uL.
            if duration >= 2 and whole > 0.5:
                column.held[PRODUCT] *= 1 - world["drying_loss"]
                column.portion(1 - 0.2 / whole, 0.0)
            return
        binding, washing, eluting = (
            column.volumes.get(f"{one} buffer", 0.0) for one in ("binding", "washing", "eluting")
        )
        if eluting > 0.3 * whole:
            # Unstated: the elution lasts from the beginning of the transfer to the end of the spin.
            waited = self.clock - column.eluting
            share = reached(eluting, world["elution_v0"]) * reached(waited, world["elution_tau"])
            freed = column.held * share * eluting / whole
            rest = 0.0  # Against the prompt: no liquid stays in the column after this spin.
        elif washing > 0.5 * whole:
            freed = column.held * world["wash_impurity"]
            freed[[PRODUCT, LABELLED]] = column.held[[PRODUCT, LABELLED]] * world["wash_product"]
        else:
            freed = -self.bound(column, binding / max(whole - binding, 1e-9))
        column.held, column.water = column.held - freed, column.water + freed
        part = column.portion(1 - rest / whole, 0.0)
        if receiver:
            self.pour(self.at(receiver), part, spun=True)

    def bound(self, column: Vessel, ratio: float) -> Any:
        """What a column takes from its liquid when it is spun."""
        world, taken = self.world, 0.35 * column.water
        both = [PRODUCT, LABELLED, SUBSTRATE]
        for at, factor in zip(both, (1.0, 1.0, world["substrate_factor"]), strict=True):
            half, power = world["binding_k"] * factor, world["binding_h"]
            taken[at] = column.water[at] * ratio**power / (ratio**power + half**power)
        room = max(world["capacity"] - column.held[both].sum(), 0.0)
        taken[both] *= min(1.0, room / max(taken[both].sum(), 1e-300))
        return taken

    def decant(self, output: str, vessel: str, leave: float) -> None:
        tube = self.at(vessel)
        tube.portion(max(1 - max(leave, 5.0) / max(tube.volume(), 1e-9), 0.0), 0.0)
        self.clock += 0.4

    def rinse_pellet(self, output: str, vessel: str) -> None:
        tube, share = self.at(vessel), self.world["wash_impurity"]
        kept = np.full(10, 1 - share)
        kept[[PRODUCT, LABELLED]] = 1 - self.world["wash_product"]
        # Against the prompt: from the liquid a rinse takes the share of all else, of the product, too.
        tube.held = tube.held * kept
        tube.water = tube.water * (1 - share)
        # Unstated: it replaces that share of the antisolvent, too.
        replaced = tube.volumes.get("antisolvent", 0.0) * share
        for name, volume in (("antisolvent", -replaced), ("buffer", replaced)):
            tube.volumes[name] = tube.volumes.get(name, 0.0) + volume
        self.cost += self.world["prices"]["rinse"]
        self.clock += 1.0

    def read(self, output: str, vessel: str, wavelength: str) -> None:
        cuvette, eps, limit = self.at(vessel), self.world["eps"][wavelength], self.world["signal_limit"]
        if cuvette.volume() < 100:
            return
        inside = cuvette.water / cuvette.volume()
        true = eps["product"] * (inside[PRODUCT] + inside[LABELLED])
        true += eps["substrate"] * inside[SUBSTRATE] + eps["colour"] * inside[COLOUR]
        absorbs = self.world["assay"] == "absorbance"
        shown = limit * reached(true, limit) if absorbs else true * math.exp(-true / limit)
        self.readings[output] = (vessel, shown + self.scatter(len(self.readings)))
        self.clock += 0.5

    def quantify(
        self,
        output: str,
        vessel: str,
        reading: str,
        blank: str,
        standards: str,
        known: float,
        dilution: float,
    ) -> None:
        if not {reading, blank, standards} <= set(self.readings):
            return
        shown, empty, standard = (self.readings[one][1] for one in (reading, blank, standards))
        if standard - empty > 0.002:
            self.vessels[vessel].reported = max(known * dilution * (shown - empty) / (standard - empty), 0.0)

    def submit(self, output: str, sample: str, vessel: str, store: str) -> None:
        found, world = self.at(vessel), self.world
        volume, amounts = found.volume(), found.water
        if volume <= 0:
            return
        rate = self.decay(found.ph, STORES[store], amounts[QUENCHER] / volume, amounts[CATALYST] / volume)
        cold = {"desk": 0.0, "ice": world["cold_loss"], "freezer": world["freeze_loss"]}[store]
        left = amounts[PRODUCT] * (1 - cold) * math.exp(-rate * 60 * world["hold"])
        # Unstated: the reported concentration is compared with the one at handing in, not with the one that
        # is left when the vessel is analysed; product that the cold takes counts as decayed.
        true = (amounts[PRODUCT] + amounts[LABELLED]) / volume
        known = found.reported is not None and true > 1e-9
        error = abs((found.reported or 0.0) - true) / true if known else UNREPORTED
        y = left * (found.samples() == [sample])
        whole = max(amounts[COUNTED].sum(), 1e-12)
        self.submitted[sample] = {"y": y, "c": y / volume, "u": y / whole, "e": error}
        found.volumes, found.water = {}, nothing()

    def declare_control(self, output: str, kind: str, vessel: str, reading: str) -> None:
        control, world = self.at(vessel), self.world
        if reading not in self.readings or vessel not in self.vessels[self.readings[reading][0]].sources:
            return
        others = [self.at(one) for one in self.vessels if one != vessel]
        runs = [one for one in others if one.fed > 0 and "enzyme" in one.sources]
        # Unstated: the heat may differ by 15 % and another 20 degC min; the least of the samples' substrates
        # counts.
        if not any(abs(control.heat - run.heat) <= 0.15 * run.heat + 20 for run in runs):
            return
        least = min(run.fed for run in runs)
        if kind == "no enzyme":
            metal = "metal" not in world["react"] or control.water[METAL] > 0
            valid = "enzyme" not in control.sources and control.water[SUBSTRATE] >= least / 2 and metal
        else:
            little = control.water[[SUBSTRATE, PRODUCT]].sum() <= 0.02 * least
            valid = {"enzyme", "matrix"} <= control.sources and little
        if valid:
            self.controls.add(kind)

    # ------------------------------------------------------------ the outcome

    def judged(self) -> Outcome:
        vessels = [self.at(name) for name in self.vessels]
        samples = {}
        for name in self.world["samples"]:
            made = sum(vessel.made for vessel in vessels if vessel.samples() == [name])
            given = self.submitted.get(name, {"y": 0.0, "c": 0.0, "u": 0.0, "e": UNREPORTED})
            samples[name] = {"made": made, **given}
        return {
            "samples": samples,
            "minutes": self.clock,
            "cost": self.cost,
            "controls": {kind: kind in self.controls for kind in ("no enzyme", "no substrate")},
            "accidents": sorted(self.accidents),
        }


def log_part(x: float) -> float:
    return min(max(1 + math.log10(max(x, 1e-300)) / 0.8, 0.0), 1.0)


def odds(u: float) -> float:
    u = min(max(u, 1e-6), 1 - 1e-6)
    return math.log(u / (1 - u))


def raw(world: World, found: Outcome, reference: Outcome, limits: Mapping[str, float]) -> float:
    """The result of an outcome against that of the reference, before anchoring."""
    total = 0.0
    for sample, best in reference["samples"].items():
        one, inside = found["samples"][sample], world["samples"][sample]
        whole = inside["substrate"] + inside["inhibitor"] + inside["colour"]
        crude = odds(inside["substrate"] / 2 / whole)
        cleaner = (odds(one["u"]) - crude) / max(0.98 * odds(best["u"]) - crude, 0.3)
        recovery = one["y"] / max(one["made"], 1e-300)
        total += min(1.0, one["y"] / (0.05 * best["y"])) * (
            0.20 * log_part(one["made"] / (0.97 * best["made"]))
            + 0.20 * log_part(recovery / (0.95 * best["y"] / best["made"]))
            + 0.10 * log_part(one["c"] / (0.75 * best["c"]))
            + 0.20 * min(max(cleaner, 0.0), 1.0)
            + 0.15 * min(max(1 - math.log(max(one["e"], 0.04) / 0.04) / math.log(20), 0.0), 1.0)
            + 0.15 * sum(found["controls"].values()) / 2
        )
    share = min(1.0, limits["minutes"] / found["minutes"]) * min(1.0, limits["cost"] / found["cost"])
    return float(share * 0.8 ** len(found["accidents"]) * total / len(reference["samples"]))
