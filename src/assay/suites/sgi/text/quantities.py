"""Numbers and units as people write them: one small table, full unit strings only, nothing is guessed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"(?<!\s)\s*+[×x*]\s*10\s*(?:\^|\*\*)?\s*\{?([+-]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}?")

NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
"""Digits are never given back: a search among the ways to split a thousand of them takes seconds."""

RANGE = re.compile(rf"({NUMBER.pattern})\s*(?:([^\d\s-]\S*)\s*)?(?:-|–|to|\.\.)\s*({NUMBER.pattern})\s*(.*)")

MOST_DIGITS, MOST_EXPONENT = 1000, 1000

_SI = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1)}
_SI_UP = {"k": Fraction(1000), "M": Fraction(10**6), "G": Fraction(10**9)}


def _table() -> dict[str, tuple[str, Fraction]]:
    """Unit string -> (dimension, factor to its base unit). Temperatures are apart: they have an offset."""
    found: dict[str, tuple[str, Fraction]] = {}
    for base, dimension, small, large in (
        ("g", "mass", "num", "k"),
        ("L", "volume", "num", ""),
        ("mol", "amount", "num", ""),
        ("M", "concentration", "num", ""),
        ("m", "length", "num", "k"),
        ("s", "time", "num", ""),
        ("Hz", "frequency", "", "kMG"),
        ("V", "voltage", "um", "k"),
        ("A", "current", "num", ""),
        ("W", "power", "um", "kMG"),
        ("J", "energy", "m", "kM"),
        ("Pa", "pressure", "m", "kMG"),
        ("bar", "bar", "m", ""),
        ("eV", "electronvolt", "m", "kMG"),
        ("Ohm", "resistance", "m", "kM"),
        ("F", "capacitance", "num", ""),
    ):
        found[base] = (dimension, Fraction(1))
        for prefix in small:
            found[prefix + base] = (dimension, _SI[prefix])
        for prefix in large:
            found[prefix + base] = (dimension, _SI_UP[prefix])
    found["pF"] = ("capacitance", Fraction(1, 10**12))
    found["cm"] = ("length", Fraction(1, 100))
    found["min"] = ("time", Fraction(60))
    found["h"] = ("time", Fraction(3600))
    found["%"] = ("ratio", Fraction(1, 100))
    for unit, pascals in (("bar", 100_000), ("mbar", 100), ("atm", 101_325)):
        found[unit] = ("pressure", Fraction(pascals))
    joule = Fraction("1.602176634e-19")
    for prefix, factor in (("", 1), ("m", Fraction(1, 1000)), ("k", 1000), ("M", 10**6), ("G", 10**9)):
        found[f"{prefix}eV"] = ("energy", joule * factor)
    for unit in ("rpm", "xg", "cycles"):
        found[unit] = (unit, Fraction(1))
    return found


UNITS = _table()

ALIASES = {
    "ml": "mL",
    "ul": "uL",
    "nl": "nL",
    "l": "L",
    "°C": "degC",
    "ohm": "Ohm",
    "kohm": "kOhm",
    "sec": "s",
    "hr": "h",
    "x g": "xg",
    "mol/L": "M",
    "mmol/L": "mM",
    "umol/L": "uM",
    "nmol/uL": "mM",
    "deg C": "degC",
    "°c": "degC",
    "Celsius": "degC",
    "degrees Celsius": "degC",
    "degree Celsius": "degC",
    "mins": "min",
    "hrs": "h",
    "secs": "s",
    **{
        name + plural: unit
        for name, unit in (
            ("microlitre", "uL"),
            ("microliter", "uL"),
            ("millilitre", "mL"),
            ("milliliter", "mL"),
            ("nanolitre", "nL"),
            ("litre", "L"),
            ("minute", "min"),
            ("hour", "h"),
            ("second", "s"),
            ("millimole per litre", "mM"),
        )
        for plural in ("", "s")
    },
}


def folded(text: str) -> str:
    """NFKC text; powers of ten as `e-3`, every minus sign as a hyphen, micro signs as u."""
    text = _POWER.sub(lambda m: "e" + m[1].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text).replace("−", "-")
    return text.replace("µ", "u").replace("μ", "u").replace("Ω", "Ohm")


def decimal(text: str) -> Decimal | None:
    """The number that a text is; null where it is none, or out of all proportion."""
    if len(text) > MOST_DIGITS or NUMBER.fullmatch(text) is None or not text.isascii():
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    if (
        not isinstance(exponent, int)
        or abs(exponent) > MOST_EXPONENT
        or abs(value.adjusted()) > MOST_EXPONENT
    ):
        return None
    return value


@dataclass(frozen=True)
class Quantity:
    """A number with the unit as it was written (aliases resolved); `unit` is empty where there is none."""

    value: Decimal
    unit: str = ""

    def base(self) -> tuple[str, Fraction] | None:
        """Dimension and exact value in the base unit; null for a unit that the table does not have.

        Degrees Celsius become kelvins, as absolute temperatures.
        """
        exact = Fraction(self.value)
        if self.unit == "K":
            return "temperature", exact
        if self.unit == "degC":
            return "temperature", exact + Fraction("273.15")
        if not self.unit:
            return "number", exact
        if self.unit not in UNITS:
            return None
        dimension, factor = UNITS[self.unit]
        return dimension, exact * factor


def unit_of(text: str) -> str:
    """A unit as the table has it."""
    text = " ".join(folded(text).split())
    return ALIASES.get(text, text)


@lru_cache(maxsize=16_384)
def quantity(text: str) -> Quantity | None:
    """The number and unit that a text is; null where it does not begin with a number."""
    text = folded(text[: 2 * MOST_DIGITS]).strip()
    match = NUMBER.match(text)
    if match is None:
        return None
    value = decimal(match[0])
    rest = text[match.end() :].strip()
    if value is None or rest[:1].isdigit():
        return None
    return Quantity(value, unit_of(rest))


_GROUPS = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_COMMA = re.compile(r"^([+-]?\d+),(\d+)(?!\d*,)")
_BARE_POWER = re.compile(r"^10\s*(?:\^|\*\*)\s*\{?([+-]?\d+)\}?")


def plain(text: str) -> str:
    """Rewrite grouped digits, a decimal comma and a bare power of ten as `quantity` reads numbers.

    Only for arguments that are one number: in a list a comma separates.
    """
    text = _GROUPS.sub("", text.strip().replace("−", "-"))
    text = _BARE_POWER.sub(r"1e\1", text)
    return _COMMA.sub(r"\1.\2", text)


def close(a: Quantity, b: Quantity, relative: float = 1e-6) -> bool:
    """Whether two quantities agree within a relative tolerance of the second (at zero: 1e-9).

    Units are converted where the table has both; otherwise they must be the same words.
    """
    first, second = a.base(), b.base()
    if first is None or second is None:
        if a.unit != b.unit:
            return False
        first, second = ("", Fraction(a.value)), ("", Fraction(b.value))
    if first[0] != second[0]:
        return False
    bound = abs(second[1]) * Fraction(relative) if second[1] else Fraction(1, 10**9)
    return abs(first[1] - second[1]) <= bound


@lru_cache(maxsize=16_384)
def ends(text: str) -> tuple[Quantity, Quantity] | None:
    """Both ends of a range such as `2-4 degC`; null where the text is none."""
    text = folded(text[:MOST_DIGITS]).strip()
    match = RANGE.fullmatch(text)
    if match is None:
        return None
    low, high = decimal(match[1]), decimal(match[3])
    if low is None or high is None:
        return None
    unit = unit_of(match[4])
    return Quantity(low, unit_of(match[2]) if match[2] else unit), Quantity(high, unit)
