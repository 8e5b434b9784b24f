"""Worlds of the bench: which modules an item has, and its laws.

A world is a plain dictionary: variants of modules, values of laws, samples, stocks. The kernel's laws are a
part of it, so a solver that has fitted laws to tables makes a world of the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.portable import exp, log, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.bench.simulator import kinetics as k
from assay.suites.sgi.bench.simulator.state import Bench, Device, Stock

World = dict[str, Any]

VARIANTS: Mapping[str, tuple[str, ...]] = {
    "react": ("metal", "ph", "metal-ph"),
    "separate": ("column", "extraction", "precipitation"),
    "assay": ("absorbance", "fluorescence"),
}
"""Modules that come in variants."""

PLENTY = 100_000.0
STANDARD_STOCK = 10.0


@cache
def bank() -> Mapping[str, Any]:
    """The file `laws.yaml`."""
    from assay.config import yaml

    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name("laws.yaml"))
    return found


def widening(level: int) -> float:
    """The exponent of the fold of every law at a level."""
    return 0.85 + 0.0375 * (level - 1)


def drawn(entry: Mapping[str, Any], stream: Stream, level: int) -> float:
    """A value of a law, with six digits."""
    if "low" in entry:
        value = entry["low"] + (entry["high"] - entry["low"]) * stream.uniform()
    else:
        value = entry["middle"] * exp(log(entry["fold"]) * (2 * stream.uniform() - 1) * widening(level))
    return float(f"{value:.6g}")


def _spread(fold: float, stream: Stream) -> float:
    """A factor between 1/fold and fold, log-uniform."""
    return float(exp(log(fold) * (2 * stream.uniform() - 1)))


def draw(stream: Stream, level: int) -> World:
    """A world."""
    laws = bank()
    world: World = {name: stream.choice(kinds) for name, kinds in VARIANTS.items()}
    variants = set(world.values())
    for name, entry in laws.items():
        if name in ("contents", "prices", "per_microlitre"):
            continue
        value = drawn(entry, stream, level)
        if not entry.get("when") or variants & set(entry["when"]):
            world[name] = value
    if "acid_pka" in world:
        world["base_pka"] = round(world["acid_pka"] + world.pop("base_width"), 6)
    contents = {name: drawn(entry, stream, level) for name, entry in laws["contents"].items()}
    world["lot_loss"] = world["lot_loss"] if stream.below(4) else 0.0
    world["freeze_loss"] = min(world["freeze_loss"], 0.7)
    world["cold_loss"] = min(world["cold_loss"], 0.7)
    if world["separate"] == "extraction":
        world["acid"] = bool(stream.below(2))
        if not world["acid"]:
            world["product_pka"] = round(14.0 - world["product_pka"], 6)
    if "drying_loss" in world:
        world["drying_loss"] = min(world["drying_loss"], 0.6)
    names = stream.sample("ABCDEFGHKLMN", 1 + stream.below(4))
    world["samples"] = {
        f"sample {letter}": {
            "substrate": round(contents["substrate"] * (0.8 + 0.4 * stream.uniform()), 4),
            "inhibitor": round(contents["inhibitor"] * (0.8 + 0.4 * stream.uniform()), 4),
            "chelator": round(contents["chelator"] * (0.8 + 0.4 * stream.uniform()), 4),
            "colour": round(contents["colour"] * (0.8 + 0.4 * stream.uniform()), 4),
        }
        for letter in sorted(names)
    }
    world |= {name: contents[name] for name in ("enzyme", "metal", "quencher", "ramp")}
    world["sample_amount"] = float(stream.choice((120, 160, 200, 260)))
    world["hold"] = float(stream.choice((1, 4, 12, 24, 48, 96)))
    world["density"] = {
        "a": stream.choice((0.72, 0.87, 1.26, 1.49)),
        "b": stream.choice((0.69, 0.9, 1.33, 1.6)),
    }
    strength = [1.0, 0.45, 0.2]
    stream.shuffle(strength)
    world["eps"] = {
        f"w{at}": {
            "product": float(f"{world['eps_product'] * share:.5g}"),
            "colour": float(f"{3.0 * _spread(8.0, stream):.5g}"),
            "substrate": float(f"{0.3 * _spread(8.0, stream):.5g}"),
        }
        for at, share in enumerate(strength, 1)
    }
    world["prices"] = dict(laws["prices"])
    world["noise_key"] = stream.bits() >> 11
    return world


def kernel_laws(world: Mapping[str, Any]) -> Any:
    """The laws of `kinetics.LAWS` as an array; a law that a world does not have is 0."""
    return np.array([float(world.get(name, 0.0)) for name in k.LAWS])


def stocks_of(world: Mapping[str, Any]) -> dict[str, Stock]:
    """Stocks and samples."""
    price = bank()["per_microlitre"]
    contents: dict[str, tuple[dict[int, float], float, float | None]] = {
        "buffer": ({}, PLENTY, 7.0),
        "matrix": ({}, PLENTY, 7.0),
        "enzyme": ({k.ACTIVE: world["enzyme"]}, 2000.0, None),
        "metal": ({k.METAL: world["metal"]}, 2000.0, None),
        "quencher": ({k.QUENCHER: world["quencher"]}, 2000.0, None),
        "standard": ({k.STANDARD: STANDARD_STOCK}, 400.0, None),
        "binding buffer": ({k.BINDING: 1.0}, PLENTY, None),
        "washing buffer": ({k.WASHING: 1.0}, PLENTY, None),
        "eluting buffer": ({k.ELUTING: 1.0}, PLENTY, None),
        "antisolvent": ({k.ANTISOLVENT: 1.0}, PLENTY, None),
    }
    needless = {
        "column": {"antisolvent"},
        "extraction": {"antisolvent", "binding buffer", "washing buffer", "eluting buffer"},
        "precipitation": {"binding buffer", "washing buffer", "eluting buffer"},
    }[world["separate"]] | (set() if "metal_kd" in world else {"metal"})
    stocks = {
        name: Stock(inside, price[name], amount, ph)
        for name, (inside, amount, ph) in contents.items()
        if name not in needless
    }
    if world["separate"] == "extraction":
        for solvent in ("a", "b"):
            name = f"solvent {solvent.upper()}"
            stocks[name] = Stock({}, price[name], PLENTY, solvent=solvent)
    for name, inside in world["samples"].items():
        of = {
            k.SUBSTRATE: inside["substrate"],
            k.INHIBITOR: inside["inhibitor"],
            k.CHELATOR: inside["chelator"],
            k.COLOUR: inside["colour"],
        }
        stocks[name] = Stock(of, 0.0, world["sample_amount"], 7.0, sample=True)
    return stocks


def bench_of(world: Mapping[str, Any]) -> Bench:
    """A new bench of a world. Its constant parts are kept with the world, since a search needs many."""
    kept = _constant(world)
    devices = {
        "desk": Device(22, 22, 0),
        "ice": Device(4, 4, 0, 4, 4),
        "freezer": Device(-20, -20, 0, -20, -20),
        "block A": Device(4, 99, world["ramp"]),
        "block B": Device(4, 99, world["ramp"]),
    }
    return Bench(
        world, kept["laws"], kept["stocks"], devices, kept["noise"], expect=world.get("noise_key") is None
    )


_KEPT: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}


def _constant(world: Mapping[str, Any]) -> dict[str, Any]:
    found = _KEPT.get(id(world))
    if found is not None and found[0] is world:
        return found[1]
    if len(_KEPT) > 64:
        _KEPT.clear()
    made = {"laws": kernel_laws(world), "stocks": stocks_of(world), "noise": noise_of(world.get("noise_key"))}
    _KEPT[id(world)] = (world, made)
    return made


def noise_of(key: int | None) -> Callable[[int], float]:
    """The scatter of the n-th reading, standard normal; none without a key."""
    if key is None:
        return lambda n: 0.0
    return lambda n: float(norminv(rng.stream(key, "reading", n).uniform()))


def quiet(world: Mapping[str, Any]) -> World:
    """The same world with a reader that does not scatter."""
    return {**world, "noise_key": None}
