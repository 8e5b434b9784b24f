"""The words of a protocol family: typed actions and the settings that they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

SettingKind = Literal["stated", "word", "sample", "series", "dilution", "scaled", "mass"]


@dataclass(frozen=True)
class Setting:
    """A literal parameter of an action.

    `stated`: one of `numbers`, said in the text. `word`: one of `words`. `sample`: the sample's name.
    `series`: another of `numbers` for each sample (a time course, a dilution row). The rest is to be
    computed. `dilution`: the volume of a stock, C1 V1 = C2 V2, from `numbers` (stock), `more` (target) and
    `most` (final volume, in `unit`), concentrations in `other`. `scaled`: a total from an amount a sample
    (`numbers`), the number of samples, and a spare of `more` samples. `mass`: of a solute, in mg, from
    `numbers` (mM), `more` (mL) and `most` (g/mol).
    """

    parameter: str
    kind: SettingKind
    unit: str = ""
    numbers: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    other: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Action:
    """A transformation of materials: `takes` pairs parameters with types, a list of one that ends in *."""

    name: str
    takes: tuple[tuple[str, str], ...]
    sets: tuple[Setting, ...]
    gives: str
    doc: str


@dataclass(frozen=True)
class ProtocolFamily:
    """A kind of protocol.

    `prefix` and `side` are chains of shared steps; `branch` is done once for each sample and may take what
    they give; `join` takes the last output of all branches, `suffix` goes on from there. `decoys` are
    actions that nobody needs: one that could stand in for a needed one is forbidden in the text.
    """

    name: str
    discipline: str
    story: str
    goal: str
    prefix: tuple[Action, ...]
    side: tuple[Action, ...]
    branch: tuple[Action, ...]
    join: Action
    suffix: tuple[Action, ...]
    decoys: tuple[Action, ...]

    @property
    def needed(self) -> tuple[Action, ...]:
        """All actions of the protocol, each once."""
        return (*self.prefix, *self.side, *self.branch, self.join, *self.suffix)


def _pairs(takes: str) -> tuple[tuple[str, str], ...]:
    """`parameter: type, parameter: type*` as pairs."""
    found = []
    for piece in takes.split(",") if takes else ():
        parameter, _, kind = piece.partition(":")
        found.append((parameter.strip(), kind.strip()))
    return tuple(found)


def act(name: str, takes: str, gives: str, doc: str, *sets: Setting) -> Action:
    """An action; `takes` is written as `sample: lysate, buffer: wash buffer`."""
    return Action(name, _pairs(takes), sets, gives, doc)


def stated(parameter: str, unit: str, *numbers: str) -> Setting:
    """A quantity that the text says."""
    return Setting(parameter, "stated", unit, numbers)


def word(parameter: str, *words: str) -> Setting:
    """A word that the text says."""
    return Setting(parameter, "word", words=words)


def sample(parameter: str) -> Setting:
    """The name of the sample."""
    return Setting(parameter, "sample")


def series(parameter: str, unit: str, *numbers: str) -> Setting:
    """A quantity that differs from sample to sample."""
    return Setting(parameter, "series", unit, numbers)


def dilution(
    parameter: str,
    unit: str,
    other: str,
    stocks: Sequence[str],
    targets: Sequence[str],
    finals: Sequence[str],
) -> Setting:
    """The volume of a stock that gives a final volume at a target concentration."""
    return Setting(parameter, "dilution", unit, tuple(stocks), tuple(targets), tuple(finals), other)


def scaled(parameter: str, unit: str, amounts: Sequence[str], spare: Sequence[str]) -> Setting:
    """A total for all samples and a spare."""
    return Setting(parameter, "scaled", unit, tuple(amounts), tuple(spare))


def mass(parameter: str, millimolar: Sequence[str], volumes: Sequence[str], molar: Sequence[str]) -> Setting:
    """The mass of a solute, in mg."""
    return Setting(parameter, "mass", "mg", tuple(millimolar), tuple(volumes), tuple(molar))


def printed(value: Fraction) -> str:
    """A fraction as a plain decimal without trailing zeros; `ValueError` where it does not end."""
    sign, value = ("-", -value) if value < 0 else ("", value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
        if digits > 12:
            raise ValueError(f"{value} is no decimal number")
    whole = str(int(value * 10**digits)).rjust(digits + 1, "0")
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def computed(setting: Setting, values: Sequence[str], samples: int) -> Fraction:
    """The value of a computed setting from its two or three given numbers (see `Setting`)."""
    first, second, third = (*map(Fraction, values), Fraction(1))[:3]
    if setting.kind == "dilution":
        return second * third / first
    if setting.kind == "scaled":
        return first * (samples + second)
    return first * second * third / 1000
