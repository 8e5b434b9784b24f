"""The actions of the bench by name, each a function of the bench and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.suites.sgi.bench.simulator.handling import adjust_ph, new_vessel, set_device, transfer, wait
from assay.suites.sgi.bench.simulator.measuring import declare_control, quantify, read, submit
from assay.suites.sgi.bench.simulator.separation import (
    decant,
    dissolve,
    incubate,
    mix,
    rinse,
    spin,
    take_layer,
)

Action = Callable[..., None]

ACTIONS: Mapping[str, tuple[Action, Mapping[str, str]]] = {
    "New Vessel": (new_vessel, {"kind": "word"}),
    "Set Device": (set_device, {"device": "word", "temperature": "temperature"}),
    "Transfer": (transfer, {"source": "name", "target": "name", "volume": "volume", "tip": "word"}),
    "Mix": (mix, {"vessel": "name"}),
    "Incubate": (incubate, {"vessels": "names", "device": "word", "duration": "time"}),
    "Wait": (wait, {"duration": "time"}),
    "Spin": (spin, {"vessels": "names", "duration": "time", "into": "names", "balance": "word"}),
    "Decant": (decant, {"vessel": "name", "leave": "volume"}),
    "Rinse Pellet": (rinse, {"vessel": "name"}),
    "Dissolve": (dissolve, {"vessels": "names", "device": "word", "duration": "time"}),
    "Take Layer": (take_layer, {"vessel": "name", "layer": "word", "into": "name"}),
    "Adjust pH": (adjust_ph, {"vessel": "name", "ph": "number"}),
    "Read": (read, {"vessel": "name", "wavelength": "word"}),
    "Quantify": (
        quantify,
        {
            "vessel": "name",
            "reading": "name",
            "blank": "name",
            "standards": "name",
            "known": "concentration",
            "dilution": "number",
        },
    ),
    "Submit": (submit, {"sample": "name", "vessel": "name", "store": "word"}),
    "Declare Control": (declare_control, {"kind": "word", "vessel": "name", "reading": "name"}),
}
"""Of each action its function and the kinds of its parameters."""

NEEDED: Mapping[str, int] = {"Transfer": 3, "Spin": 2, "Submit": 2}
"""How many of the parameters must be given, where not all."""

HARMFUL = (
    "Sonicate",
    "Vortex Hard",
    "Microwave",
    "Add Bleach",
    "Freeze Dry",
    "Boil Dry",
    "Shake in Sunlight",
    "Pass Through Charcoal",
)
"""Actions that only harm; an item offers three to eight of them."""
