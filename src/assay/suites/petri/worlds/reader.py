"""Reads what is known of each world from `data/worlds/WORLD.yaml`, and checks the form of every entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from assay.config import yaml
from assay.errors import ConfigError
from assay.suites.petri.worlds.model import SIDES, Parameter, Role, Side, World

DATA_FILES = (
    "../data/worlds/market.yaml",
    "../data/worlds/morph.yaml",
    "../data/worlds/origin.yaml",
    "../data/worlds/social.yaml",
    "../data/worlds/swarm.yaml",
)
FOLDER = Path(__file__).parents[1] / "data" / "worlds"

WORLD_KEYS = frozenset({"metrics", "targets", "parameters"})
PARAMETER_KEYS = frozenset({"control", "legal", "domain", "decimals"})
ROLE_KEYS = frozenset({"tests", "decoys", "blind"})


class _Malformed(ValueError):
    """An entry does not have its form; the message says which and why."""


def read(name: str, folder: Path = FOLDER) -> World:
    """The world of that name.

    Raises:
        ConfigError: the file cannot be read, or an entry does not have its form.
    """
    path = folder / f"{name}.yaml"
    try:
        return _world(name, yaml.read(path))
    except (yaml.Unreadable, _Malformed) as problem:
        raise ConfigError(f"{path}: {problem}", "restore the file, or correct that entry") from problem


def _world(name: str, value: Any) -> World:
    entries = _mapping("the file", value, WORLD_KEYS, frozenset({"roles"}))
    parameters = _mapping("parameters", entries["parameters"])
    roles = _mapping("roles", entries.get("roles", {}))
    return World(
        name=name,
        metrics=tuple(_text("metrics", metric) for metric in _sequence("metrics", entries["metrics"])),
        targets={
            tier: _text(f"targets: {tier}", metric)
            for tier, metric in _mapping("targets", entries["targets"]).items()
        },
        parameters=tuple(_parameter(key, entry) for key, entry in parameters.items()),
        roles={
            metric: {
                key: _role(f"roles: {metric}: {key}", entry) for key, entry in _mapping(metric, of).items()
            }
            for metric, of in roles.items()
        },
    )


def _parameter(name: str, value: Any) -> Parameter:
    entry = _mapping(name, value, PARAMETER_KEYS, ROLE_KEYS)
    decimals = entry["decimals"]
    if type(decimals) is not int or decimals < 0:
        raise _Malformed(f"{name}: decimals: {decimals!r} is not a count")
    role = _role(name, {key: entry[key] for key in ROLE_KEYS & entry.keys()})
    return Parameter(
        name=name,
        control=_number(f"{name}: control", entry["control"]),
        legal=_range(f"{name}: legal", entry["legal"]),
        domain=_range(f"{name}: domain", entry["domain"]),
        decimals=decimals,
        tests=role.tests,
        decoys=role.decoys,
        blind=role.blind,
    )


def _role(place: str, value: Any) -> Role:
    entry = _mapping(place, value, frozenset(), ROLE_KEYS)
    tests = _mapping(f"{place}: tests", entry.get("tests", {}), frozenset(), frozenset(SIDES))
    return Role(
        tests={cast(Side, side): _number(f"{place}: tests: {side}", tests[side]) for side in tests},
        decoys=tuple(
            _number(f"{place}: decoys", number)
            for number in _sequence(f"{place}: decoys", entry.get("decoys", []))
        ),
        blind=_number(f"{place}: blind", entry["blind"]) if "blind" in entry else None,
    )


def _mapping(
    place: str, value: Any, required: frozenset[str] | None = None, optional: frozenset[str] = frozenset()
) -> Mapping[str, Any]:
    """A mapping with names as keys; where `required` is given, with these and perhaps `optional` ones."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise _Malformed(f"{place}: not a mapping of names")
    if required is not None:
        missing, unknown = required - value.keys(), value.keys() - required - optional
        if missing or unknown:
            wrong = [f"without {key}" for key in sorted(missing)] + [
                f"unknown: {key}" for key in sorted(unknown)
            ]
            raise _Malformed(f"{place}: {', '.join(wrong)}")
    return value


def _sequence(place: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _Malformed(f"{place}: not a list")
    return value


def _range(place: str, value: Any) -> tuple[float, float]:
    numbers = [_number(place, number) for number in _sequence(place, value)]
    if len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise _Malformed(f"{place}: {value!r} is not a smaller and a larger number")
    return numbers[0], numbers[1]


def _number(place: str, value: Any) -> float:
    """A whole number stays an `int`: the engines tell them apart."""
    if type(value) not in (int, float) or not math.isfinite(value):
        raise _Malformed(f"{place}: {value!r} is not a finite number")
    return cast(float, value)


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _Malformed(f"{place}: {value!r} is not a name")
    return value
