"""What a reply in plain text holds: a tagged answer, fenced blocks, JSON objects, quantities."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation

OPENING, CLOSING = "<answer>", "</answer>"


def tagged(text):
    """The answer and whether it was tagged: of the last opening tag that is closed, else of the last."""
    if OPENING not in text:
        return text.strip(), False
    parts = text.split(OPENING)[1:]
    # A part that holds no closing tag may be closed in a later one.
    for k in range(len(parts) - 1, -1, -1):
        rest = OPENING.join(parts[k:])
        if CLOSING in rest:
            return rest.split(CLOSING)[0].strip(), True
    return parts[-1].strip(), True


def tagged_as_released(text):
    """The same with the very last opening tag, closed or not."""
    if OPENING not in text:
        return text.strip()
    return text.split(OPENING)[-1].split(CLOSING)[0].strip()


def objects(text):
    """All balanced JSON objects of a text in order, outer ones only."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
            found.append(value)
        except ValueError:
            at += 1
    return found


def last_object(text, keys):
    """The last object with one of these keys; empty where there is none."""
    fitting = [one for one in objects(text) if isinstance(one, dict) and any(key in one for key in keys)]
    return fitting[-1] if fitting else {}


def decimal(text):
    """A finite number of a sane size as a Decimal; null for anything else."""
    try:
        value = Decimal(str(text).strip())
    except InvalidOperation:
        return None
    if not value.is_finite() or abs(value.adjusted()) > 1000 or len(value.as_tuple().digits) > 1000:
        return None
    return value


UNITS = {  # unit: (what it measures, size in the base unit)
    "g": ("mass", "1"),
    "kg": ("mass", "1e3"),
    "mg": ("mass", "1e-3"),
    "ug": ("mass", "1e-6"),
    "ng": ("mass", "1e-9"),
    "L": ("volume", "1"),
    "mL": ("volume", "1e-3"),
    "uL": ("volume", "1e-6"),
    "nL": ("volume", "1e-9"),
    "s": ("time", "1"),
    "ms": ("time", "1e-3"),
    "us": ("time", "1e-6"),
    "ns": ("time", "1e-9"),
    "min": ("time", "60"),
    "h": ("time", "3600"),
    "d": ("time", "86400"),
    "M": ("concentration", "1"),
    "mM": ("concentration", "1e-3"),
    "uM": ("concentration", "1e-6"),
    "nM": ("concentration", "1e-9"),
    "m": ("length", "1"),
    "cm": ("length", "1e-2"),
    "mm": ("length", "1e-3"),
    "um": ("length", "1e-6"),
    "nm": ("length", "1e-9"),
    "km": ("length", "1e3"),
    "V": ("voltage", "1"),
    "mV": ("voltage", "1e-3"),
    "uV": ("voltage", "1e-6"),
    "kV": ("voltage", "1e3"),
    "A": ("current", "1"),
    "mA": ("current", "1e-3"),
    "uA": ("current", "1e-6"),
    "nA": ("current", "1e-9"),
    "Pa": ("pressure", "1"),
    "kPa": ("pressure", "1e3"),
    "MPa": ("pressure", "1e6"),
    "GPa": ("pressure", "1e9"),
    "bar": ("pressure", "1e5"),
    "mbar": ("pressure", "1e2"),
    "atm": ("pressure", "101325"),
    "eV": ("energy", "1.602176634e-19"),
    "meV": ("energy", "1.602176634e-22"),
    "J": ("energy", "1"),
    "kJ": ("energy", "1e3"),
    "Hz": ("frequency", "1"),
    "kHz": ("frequency", "1e3"),
    "MHz": ("frequency", "1e6"),
    "GHz": ("frequency", "1e9"),
    "Ohm": ("resistance", "1"),
    "kOhm": ("resistance", "1e3"),
    "MOhm": ("resistance", "1e6"),
    "F": ("capacitance", "1"),
    "mF": ("capacitance", "1e-3"),
    "uF": ("capacitance", "1e-6"),
    "nF": ("capacitance", "1e-9"),
    "pF": ("capacitance", "1e-12"),
    "W": ("power", "1"),
    "mW": ("power", "1e-3"),
    "kW": ("power", "1e3"),
    "mol": ("amount", "1"),
    "mmol": ("amount", "1e-3"),
    "umol": ("amount", "1e-6"),
    "%": ("share", "0.01"),
    "": ("share", "1"),
    "K": ("temperature", "1"),
    "degC": ("temperature", "1"),
}
ALIASES = {
    "ml": "mL",
    "ul": "uL",
    "µL": "uL",
    "µl": "uL",
    "µm": "um",
    "µM": "uM",
    "µg": "ug",
    "°C": "degC",
    "l": "L",
}


def in_base(value, unit):
    """What a quantity measures and its size; a unit that is not known measures itself."""
    unit = ALIASES.get((unit or "").strip(), (unit or "").strip())
    if unit not in UNITS:
        return unit, value
    kind, size = UNITS[unit]
    if unit == "degC":
        return kind, value + Decimal("273.15")
    return kind, value * Decimal(size)


def close(a, b, relative):
    return abs(a - b) <= Decimal(str(relative)) * max(abs(a), abs(b))


def quantity(text):
    """Number and unit of a text such as `5 g`; null where it is none."""
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", text)
    return (Decimal(match[1]), match[2]) if match else None
