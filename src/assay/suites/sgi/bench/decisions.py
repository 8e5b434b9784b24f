"""The decisions of a protocol, from `decisions.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.config.data import read
from assay.suites.sgi.frame.decision import Choices, Decision, Value


@cache
def decisions() -> Mapping[str, Decision]:
    """All decisions by name, in the order in which a protocol takes them."""
    found: dict[str, Decision] = read(Path(__file__).with_name("decisions.yaml"), dict[str, Decision])
    return found


def of_world(world: Mapping[str, Any]) -> dict[str, Decision]:
    """The decisions that a world has, by its variants of modules."""
    variants = {world["react"], world["separate"]}
    return {name: d for name, d in decisions().items() if not d.when or variants & set(d.when)}


def matters(name: str, choices: Mapping[str, Value]) -> bool:
    """Whether a decision has an effect under the others."""
    return all(choices.get(other) == value for other, value in decisions()[name].condition.items())


def textbook(world: Mapping[str, Any]) -> Choices:
    """The usual values."""
    return {name: d.textbook for name, d in of_world(world).items()}
