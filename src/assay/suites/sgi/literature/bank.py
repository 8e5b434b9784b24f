"""Laws and sentences of the literature, from `laws.yaml` and `sentences.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assay.config import yaml
from assay.config.data import CLOSED, read
from assay.numbers.rng import Stream

ANY = "any"
"""The form of all values of a decision that have none of their own."""

_CHOICE = re.compile(r"\[([^\[\]]*)\]")

_SYLLABLES = (
    "ba",
    "bri",
    "ce",
    "cha",
    "dor",
    "du",
    "fen",
    "fro",
    "gal",
    "gri",
    "hu",
    "hes",
    "is",
    "jor",
    "ka",
    "kri",
    "lem",
    "lo",
    "mir",
    "mu",
    "no",
    "nef",
    "os",
    "pra",
    "pel",
    "qui",
    "ros",
    "sa",
    "ste",
    "tam",
    "tri",
    "ul",
    "va",
    "wes",
    "yor",
    "ze",
)
_ENDINGS = (
    "bert",
    "dan",
    "fall",
    "gor",
    "ite",
    "kin",
    "lor",
    "mund",
    "nis",
    "ra",
    "sk",
    "tov",
    "ulan",
    "wen",
    "yst",
    "zar",
)


@dataclass(frozen=True)
class Law:
    """A quantity of nature as it is drawn; see `laws.yaml`."""

    __pydantic_config__ = CLOSED

    kind: str
    disciplines: tuple[str, ...]
    scale: str
    low: float
    high: float
    spread: tuple[float, float]
    slope: tuple[float, float]
    units: tuple[tuple[str, float, float], ...]
    moderator: tuple[str, str, float, float]
    bridge: tuple[float, float]
    definitions: tuple[str, str, str]
    specimen: str

    @property
    def logarithmic(self) -> bool:
        """Whether studies are pooled on the scale of logarithms."""
        return self.scale == "log"


@dataclass(frozen=True)
class Kind:
    """A kind of decision about one study; see `sentences.yaml`."""

    __pydantic_config__ = CLOSED

    usual: str
    values: tuple[str, ...]
    shares: tuple[float, ...]
    sheet: dict[str, str]
    study: dict[str, str] = field(default_factory=dict)
    notes: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def draw(self, stream: Stream) -> str:
        """The value that is right in an item."""
        place = stream.uniform()
        for value, share in zip(self.values, self.shares, strict=True):
            place -= share
            if place < 0:
                return value
        return self.values[-1]


@cache
def laws() -> Mapping[str, Law]:
    """The quantities by name."""
    found: dict[str, Law] = read(Path(__file__).with_name("laws.yaml"), dict[str, Law])
    return found


@cache
def sentences() -> Mapping[str, Any]:
    """The file of sentences."""
    found: dict[str, Any] = yaml.read(Path(__file__).with_name("sentences.yaml"))
    return found


@cache
def kinds() -> Mapping[str, Kind]:
    """The kinds of decisions by name."""
    found: dict[str, Kind] = TypeAdapter(dict[str, Kind]).validate_python(sentences()["kinds"])
    return found


def form_of(forms: Mapping[str, Any], value: str) -> Any:
    """The form of a value, or that of any value; None where there is neither."""
    return forms.get(value, forms.get(ANY))


def say(stream: Stream, form: str, fields: Mapping[str, Any]) -> str:
    """One reading of a sentence form, with its fields filled in."""
    chosen = _CHOICE.sub(lambda match: stream.choice(match[1].split("|")), form)
    return " ".join(chosen.format(**fields).split())


def word(stream: Stream) -> str:
    """An invented name."""
    return ("".join(stream.choice(_SYLLABLES) for _ in range(3)) + stream.choice(_ENDINGS)).capitalize()
