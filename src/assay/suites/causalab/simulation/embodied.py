"""The embodied front end: a room with two devices, a body that moves, and dialogs with numbered options.

It uses the same laboratory as the text protocol; actions have the form of the paper's appendix A.4. Every
action costs a step, whether it succeeds or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.config import data
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import POOL, TARGET, display
from assay.suites.causalab.simulation.conditions import shown
from assay.suites.causalab.simulation.laboratory import Laboratory, Refusal

DATA_FILES = ("../data/room.yaml",)

ROOM = "Causal Discovery Lab"
PLACE = "causal reactor lab"


@dataclass(frozen=True)
class _Thing:
    __pydantic_config__ = data.CLOSED

    name: str
    at: tuple[int, int]


@dataclass(frozen=True)
class _Room:
    __pydantic_config__ = data.CLOSED

    start: tuple[int, int]
    objects: Mapping[int, _Thing]
    instruments: Mapping[str, str]
    actions: frozenset[str]
    phantoms: Mapping[str, float]


_ROOM: _Room = data.read(Path(__file__).parent / DATA_FILES[0], _Room)
START, OBJECTS, INSTRUMENTS = _ROOM.start, _ROOM.objects, _ROOM.instruments
REACTOR, MANIPULATOR, REACTOR_CRYSTAL, MANIPULATOR_CRYSTAL = (101, 102, 201, 202)

DIRECTIONS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}

PLACEHOLDER = "(do not select: send a value)"

SIDE = 32

Answer = tuple[bool, str]
"""Whether an action succeeded, and the reply to it."""


@dataclass
class Embodied:
    """One body in the laboratory.

    `screen` is the open dialog: `menu`, `value` or `locked` at the manipulator, `reactor` or `frequency` at
    the reactor, and empty if no dialog is open. If `asleep`, the dialog was reset, and the next choice only
    opens it again. States of a `sealed` task are listed in alphabetical order.
    """

    lab: Laboratory
    at: tuple[int, int] = START
    facing: str = "south"
    screen: str = ""
    chosen: str = ""
    asleep: bool = False
    submitted: bool = False
    sealed: bool = False
    instruments: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        names = [v.name for v in self.lab.manipulator.model.variables if v.observable]
        self.instruments = {
            401 + n: INSTRUMENTS.get(name, f"meter of {name}") for n, name in enumerate(names)
        }

    # ---------------------------------------------------- observations

    def _manipulator(self) -> Values:
        """Return the state of the manipulator crystal in the order and form in which it is shown."""
        state = self.lab.manipulator.shown
        return shown(state, list(state)) if self.sealed else state

    def observation(self) -> dict[str, Any]:
        """Return what the body observes: the open dialog, or else its place and the things around it."""
        if self.screen:
            text, options = self._dialog()
            return {
                "in_dialog": True,
                "dialog_box": {
                    "dialogIn": text,
                    "dialogOptions": {str(n): option for n, option in enumerate(options, 1)},
                },
            }
        nearby: list[Any] = [{"uuid": uuid, "name": thing.name} for uuid, thing in OBJECTS.items()]
        return {
            "in_dialog": False,
            "room": ROOM,
            "location": {"x": self.at[0], "y": self.at[1], "facing": self.facing},
            "valid_directions_to_move": [name for name in DIRECTIONS if self._free(self._beside(name))],
            "inventory": [{"uuid": uuid, "name": name} for uuid, name in self.instruments.items()],
            "accessible": [thing for thing in nearby if self._near(thing["uuid"])],
            "nearby": nearby,
            "teleport_locations": {PLACE: {"x": START[0], "y": START[1]}},
        }

    def _dialog(self) -> tuple[str, list[str]]:
        lab = self.lab
        if self.screen in ("value", "frequency"):
            what = display(self.chosen) if self.screen == "value" else "frequency (0-10000 Hz)"
            return f"Enter the new value of: {what}", [PLACEHOLDER]
        if self.screen == "reactor":
            lines = ["Crystal Reactor", "Crystal properties (directly shown):"]
            known: Values = {**_ROOM.phantoms, **lab.reactor_values}
            listed = [*POOL, *(name for name in lab.reactor_values if name not in POOL)]
            lines += [f"- {name}: {known[name]}" for name in listed if name in known]
            lines += [
                f"Current frequency: {lab.reactor.frequency} Hz",
                "Allowed range: 0-10000 Hz",
                f"Submissions: {len(lab.reactor.submitted)}/{lab.reactor.most}",
            ]
            return "\n".join(lines), ["Set frequency to a specific value", "Exit"]
        if self.screen == "locked" and lab.opened:
            return "Property Manipulator\nREACTOR ALREADY OPENED! The manipulator is locked.", ["Exit"]
        model = lab.manipulator.model
        lines = ["Property Manipulator", "Crystal Analysis:"]
        for name, value in self._manipulator().items():
            variable = model.by_name[name]
            lines.append(f"  {variable.display}: {value if variable.observable else '[unobservable]'}")
        lines.append("Setting a property adjusts its base value.")
        lines.append(f"  Uses: {lab.uses}/{lab.budget} (Remaining: {lab.remaining})")
        if self.screen == "locked":
            return "\n".join(lines), ["Exit"]
        return "\n".join(lines), [f"Adjust {model.by_name[n].display}" for n in model.controllable] + ["Exit"]

    # ---------------------------------------------------- actions

    def act(self, payload: dict[str, Any]) -> Answer:
        """Carry out one action; returns whether it succeeded, and the reply."""
        if self.screen:
            return self._answer(payload)
        name = payload.get("action")
        if "action" not in payload:
            return False, "The action is missing the key 'action'."
        if name == "SUBMIT":
            self.submitted = True
            return True, "Submitted."
        if not isinstance(name, str) or name not in _ROOM.actions:
            return False, f"Unknown action {str(name)[:60]!r}."
        return self._body(name, payload.get("arg1"), payload.get("arg2"))

    def _body(self, name: str, first: Any, second: Any) -> Answer:
        if name in ("MOVE_DIRECTION", "ROTATE_DIRECTION"):
            if not isinstance(first, str) or first not in DIRECTIONS:
                return False, "A direction is north, east, south or west."
            self.facing = first
            if name == "MOVE_DIRECTION":
                if not self._free(self._beside(first)):
                    return False, "Something is in the way."
                self.at = self._beside(first)
            return True, f"You face {first}."
        if name == "TELEPORT_TO_LOCATION":
            if first != PLACE:
                return False, f"The only location is {PLACE!r}."
            self.at = START
            return True, f"You are at the {PLACE}."
        if name == "DISCOVERY_FEED_GET_UPDATES":
            return True, "There are no posts."
        if name == "DISCOVERY_FEED_GET_POST_BY_ID":
            return False, "There is no such post."
        uuid = as_integer(first)
        if uuid is None or (uuid not in OBJECTS and uuid not in self.instruments):
            return False, f"Could not find object with UUID {str(first)[:60]!r}"
        if name == "TELEPORT_TO_OBJECT":
            if uuid in OBJECTS:
                x, y = OBJECTS[uuid].at
                self.at, self.facing = (x, y + 1), "north"
            return True, "You are there."
        if not self._near(uuid):
            return False, f"Could not find object with UUID {uuid} that can be reached"
        if name == "TALK":
            return self._talk(uuid)
        if name == "USE":
            return self._use(uuid, second)
        return False, "Nothing can be done that way with this object."

    def _talk(self, uuid: int) -> Answer:
        if uuid in (MANIPULATOR, MANIPULATOR_CRYSTAL):
            # The menu stays open after the last intervention; it is locked when it is opened again.
            self.screen = "locked" if self.lab.opened or not self.lab.remaining else "menu"
            return True, "The manipulator's screen lights up."
        if uuid in (REACTOR, REACTOR_CRYSTAL):
            self.lab.open_reactor()
            self.screen = "reactor"
            return True, "The reactor's screen lights up."
        return False, "It does not answer."

    def _use(self, uuid: int, other: Any) -> Answer:
        other = as_integer(other)
        if uuid not in self.instruments or other not in OBJECTS or not self._near(other):
            return False, "An instrument is used on an object within reach."
        crystals = {
            REACTOR_CRYSTAL: self.lab.reactor_values,
            MANIPULATOR_CRYSTAL: self._manipulator(),
        }
        if other not in crystals:
            return False, "There is nothing to measure."
        name = next((n for n, i in INSTRUMENTS.items() if i == self.instruments[uuid]), "")
        if name == TARGET or name not in crystals[other]:
            return True, "The instrument shows nothing."
        return True, f"The {self.instruments[uuid]} shows {crystals[other][name]}."

    # ---------------------------------------------------- dialogs

    def _answer(self, payload: dict[str, Any]) -> Answer:
        if self.screen in ("value", "frequency"):
            return self._value(payload)
        if "chosen_dialog_option_int" not in payload:
            # A second wrong payload cancels the first; a reset shows whether the manipulator is locked.
            self.asleep = not self.asleep
            if self.screen == "menu" and (self.lab.opened or not self.lab.remaining):
                self.screen = "locked"
            return True, "The dialog begins anew."
        option = as_integer(payload["chosen_dialog_option_int"])
        options = self._dialog()[1]
        if option is None or not 1 <= option <= len(options):
            return False, f"An option is a whole number from 1 to {len(options)}."
        if self.asleep:
            self.asleep = False
            return True, "The dialog begins anew."
        if option == len(options):
            self.screen = ""
            return True, "You leave the dialog."
        if self.screen == "reactor":
            self.screen = "frequency"
            return True, "Enter a frequency."
        if self.lab.opened or not self.lab.remaining:
            self.screen = "locked"
            return True, "The manipulator is locked."
        self.chosen = self.lab.manipulator.model.controllable[option - 1]
        self.screen = "value"
        return True, "Enter a value."

    def _value(self, payload: dict[str, Any]) -> Answer:
        prompt = "property" if self.screen == "value" else "frequency"
        if "value" not in payload:
            return False, f"In {prompt} input mode, provide 'value' field with a number."
        number = as_float(payload["value"])
        wrong = f"Invalid {prompt} value. Must be a number."
        if number is None:
            return False, wrong
        if self.screen == "frequency":
            self.screen = "reactor"  # even at the limit, as there is no other way out of the value screen
            if not self.lab.reactor.remaining:
                return False, "The limit of submissions is reached."
            if self.lab.reactor.submit(number):
                self.screen = ""
                return True, "The reactor is activated."
            return True, "The reactor stays off."
        try:
            self.lab.intervene(self.chosen, number)
        except Refusal:
            return False, wrong
        self.screen = "menu"
        return True, "The property is set."

    # ---------------------------------------------------- space

    def _beside(self, direction: str) -> tuple[int, int]:
        x, y = DIRECTIONS[direction]
        return self.at[0] + x, self.at[1] + y

    def _free(self, place: tuple[int, int]) -> bool:
        inside = 0 <= place[0] < SIDE and 0 <= place[1] < SIDE
        return inside and all(place != thing.at for thing in OBJECTS.values())

    def _near(self, uuid: int) -> bool:
        """Tell whether a thing is in the inventory, or on the body's tile or one next to it."""
        if uuid in self.instruments:
            return True
        x, y = OBJECTS[uuid].at
        return abs(x - self.at[0]) + abs(y - self.at[1]) <= 1


def as_integer(value: Any) -> int | None:
    """Convert a whole number, or a string of one as the original accepts it; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return int(value)
    except ValueError:
        return None


def as_float(value: Any) -> float | None:
    """Convert a number or numeric string with `float`; returns None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
