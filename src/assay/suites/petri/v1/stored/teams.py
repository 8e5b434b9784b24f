"""Teams: sets of candidates that could all have caused the same effect, with nearly the same spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from assay.suites.petri.questions.answers import DIRECTIONS
from assay.suites.petri.v1.stored.store import Curve, store

Key = str
"""What is wanted of a task: a band at L1, a size class at L2."""

BANDS: Mapping[str, tuple[float, float]] = {
    "easy": (0.85, 1.0),
    "moderate": (0.55, 0.85),
    "hard": (0.30, 0.55),
}
"""Bands of the power of one comparison of the control with the hidden world: bounds."""

MARGINS: Mapping[str, float] = {"swarm": 0.05, "market": 0.02, "origin": 0.05, "morph": 0.05}
"""Least distance of a stored power from a bound of its band, so that a rating is stable.

The curves of market rest on six times as many runs a value, so that its powers are 2.4 times as precise. Its
parameters differ so much in spread that with a margin of .05 it would have no team of four.
"""

SIZES: Mapping[str, tuple[float, float]] = {
    "small": (0.10, 0.20),
    "medium": (0.20, 0.35),
    "large": (0.35, 3.0),
}
"""Size classes of the relative change of the target's mean."""

OFF = 0.12
"""Least distance of an effect from the bounds of its class, of the width of the class."""

OFF_LARGE = 0.02
"""Least distance of an effect from the lower bound of the class `large`, which has no upper bound; as a share
of the width that the class has in `SIZES`."""

GRID = 0.005
"""Effects are multiples of this."""

SPREAD = 1.5
"""Largest ratio of the standard deviations of a team's members.

Means and Cliff's delta of one probe together tell the spread. At a ratio of 1.7 a reader of the curves named
the changed parameter of market in 37.5 % of 400 tasks; at 1.5 it names that of the other worlds in 28 to
32 %. A smaller ratio gains nothing more (swarm at 1.25: 31 % of 300), and takes teams from origin and morph.
"""

LEAST_KEYS = 2
"""A world takes part in a tier if it has teams for at least this many bands or size classes.

Where there is only one, nearly all tasks have the same candidates and the same effect.
"""


@dataclass(frozen=True)
class Place:
    """All teams that cause one effect: `teams` are sorted tuples of parameters, `size` is the effect's
    size."""

    band: str
    direction: str
    size: float
    teams: tuple[tuple[str, ...], ...]


def size_class(size: float) -> str | None:
    """Return the class of the absolute size of an effect, or None below the smallest class."""
    return next((name for name, (low, high) in SIZES.items() if low <= size < high), None)


def band_of(power: float, margin: float = 0.0) -> str | None:
    """Return the band of a power that lies at least `margin` within the band's bounds, or None."""
    for name, (low, high) in BANDS.items():
        if low + margin <= power and (power <= high - margin or high == 1.0):
            return name
    return None


def able(world: str, direction: str, size: float) -> dict[str, Curve]:
    """Return the parameters that have this effect at some value, with the curve of that side."""
    return {
        name: curve
        for (name, _), curve in store(world).curves.items()
        if curve.direction == direction and curve.value_at(size) is not None
    }


@cache
def places(world: str, tier: str, members: int) -> Mapping[Key, Mapping[str, tuple[Place, ...]]]:
    """Return the places that tasks are drawn from, by key and direction; keys without a place are missing.

    Args:
        world: The world.
        tier: L1 or L2.
        members: The number of candidates.
    """
    found: dict[Key, dict[str, list[Place]]] = {}
    for key in BANDS if tier == "L1" else SIZES:
        for direction in DIRECTIONS:
            for step in range(20, 601):
                size = step * GRID
                if tier == "L2" and not _inside(key, size):
                    continue
                for band in (key,) if tier == "L1" else BANDS:
                    teams = _teams(world, direction, size, band, members)
                    if teams:
                        place = Place(band, direction, size, teams)
                        found.setdefault(key, {}).setdefault(direction, []).append(place)
    return {key: {d: tuple(made) for d, made in ways.items()} for key, ways in found.items()}


def _inside(key: Key, size: float) -> bool:
    low, high = SIZES[key]
    off = OFF_LARGE if key == "large" else OFF * (high - low)
    return low + off <= size <= high - off


@cache
def _able_in_band(world: str, direction: str, size: float) -> dict[str, dict[str, float]]:
    """Return the standard deviation of each able parameter, by band."""
    members: dict[str, dict[str, float]] = {}
    for name, curve in able(world, direction, size).items():
        band = band_of(curve.power_at(size), MARGINS[world])
        if band:
            members.setdefault(band, {})[name] = curve.sd_at(size)
    return members


def _teams(world: str, direction: str, size: float, band: str, members: int) -> tuple[tuple[str, ...], ...]:
    sds = _able_in_band(world, direction, size).get(band, {})
    return tuple(
        team
        for team in combinations(sorted(sds), members)
        if max(sds[name] for name in team) <= SPREAD * min(sds[name] for name in team)
    )
