"""Configurations of the policy laboratory: a YAML file that names what differs from the published world.

mode: closed                # the rules of the game; closed by default
parameters:                 # fields of `Parameters`: money, attention, people, projects, review, ...
  graduation_papers: 1
agencies:                   # and venues, pools, tiers, by name: only the numbers that differ
  BSF: {bar: 1.0, award: 400000}
tiers:
  3: {work: 24}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.errors import ConfigError
from assay.suites.pilab.environment.parameters import (
    PUBLISHED,
    REPUTATION_START,
    Agency,
    Mode,
    Parameters,
    Pool,
    Venue,
    mode_of,
)

TABLES = ("venues", "agencies", "pools")
TIER = ("work", "dead_end", "quality")
SIGNED = frozenset({"letter_bias", "accept_slope", "reputation_declined", "reputation_decay"})
"""Numbers that may be negative."""


@dataclass(frozen=True)
class Configuration:
    """A world of the laboratory and the rules of its game."""

    parameters: Parameters = PUBLISHED
    mode: Mode = "closed"


def read(path: Path) -> Configuration:
    """Read a configuration.

    Args:
        path: a YAML file; an empty one is the published world in the mode `closed`.

    Raises:
        ConfigError: the file cannot be read, or names something that there is not, or a number is illegal.
    """
    try:
        given = yaml.read(path) or {}
    except yaml.Unreadable as problem:
        raise ConfigError(f"{path}: {problem}", "mend the file; docs/pilab.md has an example") from problem
    try:
        return configured(given)
    except ValueError as problem:
        raise ConfigError(
            f"{path}: {problem}", "mend the file; `assay pilab parameters` lists all names and values"
        ) from problem


def configured(given: Any) -> Configuration:
    """Return the configuration that differs from the published world as given.

    Raises:
        ValueError: something does not exist, or a number is illegal.

    >>> configured({"parameters": {"months": 24}}).parameters.months
    24
    """
    known = ("mode", "parameters", *TABLES, "tiers")
    sections = _section(given, "the file", known)
    try:
        mode = mode_of(sections.get("mode", "closed"))
    except (KeyError, TypeError) as problem:
        raise ValueError(f"mode: {problem.args[0]}") from problem
    changes: dict[str, Any] = {}
    scalars = {f.name: getattr(PUBLISHED, f.name) for f in fields(Parameters)}
    scalars = {name: value for name, value in scalars.items() if isinstance(value, int | float)}
    for name, value in _section(sections.get("parameters"), "parameters", scalars).items():
        changes[name] = _number(f"parameters.{name}", value, scalars[name])
    for table in TABLES:
        changes[table] = _rows(table, getattr(PUBLISHED, table), sections.get(table))
    tiers = [dict(zip(TIER, row, strict=True)) for row in PUBLISHED.tiers]
    for tier, row in _section(sections.get("tiers"), "tiers", (1, 2, 3)).items():
        for name, value in _section(row, f"tiers.{tier}", TIER).items():
            tiers[tier - 1][name] = _number(f"tiers.{tier}.{name}", value, 1.0)
    changes["tiers"] = tuple(tuple(row.values()) for row in tiers)
    parameters = replace(PUBLISHED, **changes)
    if not 2 <= parameters.months <= PUBLISHED.months:
        raise ValueError(f"parameters.months: a run takes 2 to {PUBLISHED.months} months")
    for tier, (work, _, _) in enumerate(parameters.tiers, start=1):
        if work <= 0:
            raise ValueError(f"tiers.{tier}.work must be above 0")
    return Configuration(parameters, mode)


def _rows(table: str, published: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """Return the rows of a table with their changes."""
    changes = _section(given, table, [row.name for row in published])
    rows = []
    for row in published:
        known = {f.name for f in fields(row)} - {"name", "kind"}
        changed = {}
        for name, value in _section(changes.get(row.name), f"{table}.{row.name}", known).items():
            place, old = f"{table}.{row.name}.{name}", getattr(row, name)
            if isinstance(old, tuple):
                if not isinstance(value, list) or not all(type(m) is int and 0 <= m <= 60 for m in value):
                    raise ValueError(f"{place} must be a list of months")
                changed[name] = tuple(value)
            else:
                changed[name] = _number(place, value, old)
        rows.append(replace(row, **changed))
    return tuple(rows)


def _section(value: Any, place: str, known: Any) -> Mapping[Any, Any]:
    """Return a mapping whose keys are known; a missing section is empty."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be a mapping of names")
    for name in value:
        if name not in known:
            raise ValueError(
                f"{place}: unknown name {name!r}; there are {', '.join(map(str, sorted(known)))}"
            )
    return value


def _number(place: str, value: Any, published: Any) -> Any:
    """Return a finite number of the kind of the published one."""
    if isinstance(published, bool):
        if not isinstance(value, bool):
            raise ValueError(f"{place} must be true or false")
        return value
    whole = isinstance(published, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise ValueError(f"{place} must be a {'whole ' if whole else ''}number")
    if not math.isfinite(value) or abs(value) > 1e9:
        raise ValueError(f"{place} is out of range")
    if value < 0 and place.rpartition(".")[2] not in SIGNED:
        raise ValueError(f"{place} must not be negative")
    return value if whole else float(value)


def listed() -> dict[str, Any]:
    """Return all names and values of the published world, in the form of a configuration."""
    scalars = {f.name: getattr(PUBLISHED, f.name) for f in fields(Parameters)}

    def row(entry: Venue | Agency | Pool) -> dict[str, Any]:
        values = {f.name: getattr(entry, f.name) for f in fields(entry) if f.name not in ("name", "kind")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    return {
        "mode": "closed",
        "parameters": {name: v for name, v in scalars.items() if isinstance(v, int | float)},
        **{table: {entry.name: row(entry) for entry in getattr(PUBLISHED, table)} for table in TABLES},
        "tiers": {tier: dict(zip(TIER, row, strict=True)) for tier, row in enumerate(PUBLISHED.tiers, 1)},
        "fixed": {"reputation at the start": REPUTATION_START},
    }
