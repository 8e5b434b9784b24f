"""Numbers and units as people write them: one small table, full unit strings only, nothing is guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.config import yaml

DATA_FILES = ("units.yaml",)

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"(?<!\s)\s*+[×x*]\s*10\s*(?:\^|\*\*)?\s*\{?([+-]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}?")

NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
"""Digits are never given back: a search among the ways to split a thousand of them takes seconds."""

RANGE = re.compile(rf"({NUMBER.pattern})\s*(?:([^\d\s-]\S*)\s*)?(?:-|–|to|\.\.)\s*({NUMBER.pattern})\s*(.*)")

MOST_DIGITS, MOST_EXPONENT = 1000, 1000

_DATA: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))

UNITS: Mapping[str, tuple[str, Fraction]] = {
    prefix + base: (dimension, Fraction(str(factor)) * Fraction(str(_DATA["prefixes"].get(prefix, 1))))
    for dimension, bases in _DATA["units"].items()
    for base, (factor, prefixes) in bases.items()
    for prefix in ("", *prefixes)
}
"""Dimension and factor to its base unit. Temperatures are apart: they have an offset."""

ALIASES: Mapping[str, str] = {alias: unit for unit, names in _DATA["aliases"].items() for alias in names}
"""The unit that another name stands for."""


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
