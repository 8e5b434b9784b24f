"""A body of evidence: studies of one quantity with difficulties, and what decisions make of them.

What is right follows from the printed numbers alone, so the truth is a programme over the documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.numbers import portable
from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.literature.bank import Kind, Law, kinds, laws, word
from assay.suites.sgi.literature.synthesis import NORMAL, Pooled, Record, pooled

World = Mapping[str, Any]
Choices = Mapping[str, Any]

PRIMARY = (
    "unit",
    "definition",
    "instrument",
    "cohort",
    "retracted",
    "correction",
    "chain",
    "version",
    "condition",
    "alias",
    "registered",
)
"""Kinds of decisions of which a study has at most one."""

WITH_SPREAD = ("unit", "definition", "instrument", "condition", "alias", "")
"""Kinds beside which what stands behind ± may be in doubt, too."""

EACH = 2
"""Studies with a difficulty of one kind, at most."""

STUDIES = (20, 24)
SPREADS = 5
KICK = (1.4, 2.8)
"""Distance between the numbers that a study may be credited with, in standard deviations of studies."""


def drawn(name: str, entity: str, stream: Stream) -> dict[str, Any]:
    """Draw a body of evidence: the studies of one quantity of one entity, with their difficulties.

    Args:
        name: The name of the quantity in `laws.yaml`.
        entity: The specimen whose quantity is studied.
        stream: The stream from which everything is drawn.

    Returns:
        The world: the drawn parameters, the studies, and which study each decision is about.

    Raises:
        Rejected: If a printed number is outside the range of its quantity.
    """
    law = laws()[name]
    spread = _between(stream, law.spread)
    middle = _middle(law, stream)
    slope = _between(stream, law.slope)
    low, high = law.moderator[2:]
    world: dict[str, Any] = {
        "law": name,
        "entity": entity,
        "at": rounded(low + (high - low) * (0.15 + 0.7 * stream.uniform()), 3),
        "slope": slope,
        "bridge": rounded(_between(stream, law.bridge), 3),
        "studies": [],
        "decisions": {},
    }
    primary = [kind for kind in PRIMARY for _ in range(EACH)]
    count = STUDIES[0] + stream.below(STUDIES[1] - STUDIES[0] + 1)
    primary = [*stream.sample(primary, count - 2), "", ""]
    numbers: dict[str, int] = {}
    spreads = 0
    for place, kind in enumerate(primary):
        x = rounded(low + (high - low) * stream.uniform(), 3)
        y = middle + slope * ((x - low) / (high - low) - 0.5) + spread * _normal(stream)
        y += (
            _kick(stream, spread)
            if kind in ("definition", "instrument", "retracted", "alias", "registered")
            else 0.0
        )
        study = _study(law, stream, x, spread)
        if kind:
            numbers[kind] = numbers.get(kind, 0) + 1
            _afflict(world, law, study, place, f"{kind} {numbers[kind]}", y, spread, stream)
        else:
            study["value"] = printed(law, y, study["unit"])
        if kind in WITH_SPREAD and spreads < SPREADS:
            spreads += 1
            _doubt(world, study, place, f"spread {spreads}", stream)
        study["error"] = _error(law, study)
        world["studies"].append(study)
        if kind == "cohort":
            world["studies"].append(_twin(law, study, y, spread, stream))
    for study in world["studies"]:
        _check(law, study)
    return world


def _between(stream: Stream, ends: tuple[float, float]) -> float:
    return ends[0] + (ends[1] - ends[0]) * stream.uniform()


def _normal(stream: Stream) -> float:
    return float(portable.norminv(stream.uniform()))


def _kick(stream: Stream, spread: float) -> float:
    """A distance that matters, up or down."""
    return spread * _between(stream, KICK) * (1 if stream.below(2) else -1)


def _middle(law: Law, stream: Stream) -> float:
    """The value in the middle of the moderator, on the scale of pooling, away from the ends of the range."""
    share = 0.12 + 0.76 * stream.uniform()
    if law.logarithmic:
        low, high = float(portable.log(law.low)), float(portable.log(law.high))
        return low + (high - low) * share
    return law.low + (law.high - law.low) * share


def rounded(value: float, digits: int) -> float:
    """A number with so many significant digits."""
    return float(f"{value:.{digits}g}")


def _study(law: Law, stream: Stream, x: float, spread: float) -> dict[str, Any]:
    people = f"{word(stream)} and {word(stream)}"
    n = 6 + stream.below(40)
    return {
        "people": people,
        "year": 1962 + stream.below(60),
        "x": x,
        "n": n,
        "se": spread * (0.45 + 0.95 * stream.uniform()),
        "unit": stream.below(3),
        "behind": "se",
        "key": stream.bits(),
        "traps": {},
    }


def natural(law: Law, y: float) -> float:
    """The value in the first unit."""
    return float(portable.exp(y)) if law.logarithmic else y


def printed(law: Law, y: float, unit: int) -> str:
    """A value as it is printed in a unit.

    Digits depend on quantity and unit alone: else they would tell a standard error from a scatter.
    """
    _, factor, shift = law.units[unit]
    value = (natural(law, y) - shift) / factor
    if law.logarithmic:
        return f"{value:.5g}"
    places = max(0, math.ceil(1.5 - math.log10(0.4 * law.spread[0] / abs(factor))))
    return f"{value:.{places}f}"


def _error(law: Law, study: Mapping[str, Any]) -> str:
    """What is printed behind ±: per cent of the value on logarithmic scales."""
    shown = {"se": 1.0, "sd": math.sqrt(study["n"]), "interval": NORMAL}[study["behind"]] * study["se"]
    if law.logarithmic:
        return f"{100 * shown:.3g} %"
    return f"{shown / abs(law.units[study['unit']][1]):.3g}"


def _afflict(
    world: dict[str, Any],
    law: Law,
    study: dict[str, Any],
    place: int,
    name: str,
    y: float,
    spread: float,
    stream: Stream,
) -> None:
    """Give a study a difficulty; its value is such that the right decision gives `y`, as far as it enters."""
    kind = name.split(" ")[0]
    right = kinds()[kind].draw(stream)
    here = len(world["studies"])
    trap: dict[str, Any] = {"right": right, "study": here}
    amount = 0.0
    if kind == "unit":
        study["unit"] = kinds()[kind].values.index(right)
        trap["lab"] = f"{word(stream)} laboratory"
    elif kind == "definition":
        amount = world["bridge"] if right == "bridged" else 0.0
    elif kind == "instrument":
        trap |= {"amount": rounded(_between(stream, law.bridge), 3), **_service(right, study["year"], stream)}
        amount = trap["amount"] if right == "corrected" else 0.0
    elif kind == "cohort":
        trap |= {"series": word(stream), "series2": word(stream)}
        study["n"] = 20 + (stream.below(2) or -1) * (4 + stream.below(8))
    elif kind == "condition":
        span = law.moderator[3] - law.moderator[2]
        offsets = [
            rounded(span * (0.18 + 0.14 * stream.uniform()), 2),
            rounded(span * (0.45 + 0.2 * stream.uniform()), 2),
        ]
        trap |= {"controller": f"{word(stream)} controller", "offsets": offsets}
        shift = {"dial": 0.0, "jacket": offsets[0], "outer": offsets[1]}[right]
        # The dial is drawn in the same range whichever sensor it shows, so its height tells nothing.
        trap["dial"] = rounded(law.moderator[2] + (span - offsets[1]) * stream.uniform(), 4)
        x = rounded(trap["dial"] + shift, 6)
        y += world["slope"] * (x - study["x"]) / span
        study["x"] = x
    elif kind == "alias":
        trap["old"] = word(stream)
    elif kind == "version":
        trap["n2"] = study["n"] + (-1 if right == "journal" else 1) * (2 + stream.below(4))
        if right == "both":
            trap["n2"] = study["n"] + (stream.below(2) or -1) * (2 + stream.below(4))
    if amount:
        y += float(portable.log(amount)) if law.logarithmic else amount
    numbers = [y]
    for _ in range(2):
        numbers.append(numbers[-1] + _kick(stream, spread))
    if kind in ("retracted", "correction", "chain", "version", "registered"):
        # What is right is `y`, whichever of the numbers it is.
        best = {
            "new": 1,
            "once": 1,
            "twice": 2,
            "review": 1,
            "deposit": 2,
            "preprint": 1,
            "posted": 1,
            "amended": 2,
        }.get(right, 0)
        numbers = [number - numbers[best] + y for number in numbers]
    study["value"] = printed(law, numbers[0], study["unit"])
    trap["others"] = [printed(law, number, study["unit"]) for number in numbers[1:]]
    study["traps"][name] = trap
    world["decisions"][name] = here


def _service(right: str, year: int, stream: Stream) -> dict[str, Any]:
    """Numbers of an instrument and of what is known of its kind, so that what is right holds."""
    first = 100 + 10 * stream.below(60)
    last = first + 20 + 10 * stream.below(5)
    inside = right == "corrected" or stream.below(2) == 0
    serial = first + stream.below(last - first) if inside else last + 1 + stream.below(40)
    until = year + 1 + stream.below(8) if right == "corrected" or not inside else year - 1 - stream.below(8)
    faulty = serial if right == "out" or stream.below(2) else serial + 1 + stream.below(9)
    off = faulty == serial and right != "out"
    return {
        "device": f"{word(stream)} {2 + stream.below(8)}",
        "serial": serial,
        "first": first,
        "last": last,
        "until": until,
        "faulty": faulty,
        "faulty_year": year + 2 + stream.below(5) if off else year,
    }


def _doubt(world: dict[str, Any], study: dict[str, Any], place: int, name: str, stream: Stream) -> None:
    """What stands behind ± is one of three things."""
    study["behind"] = kinds()["spread"].draw(stream)
    study["traps"][name] = {"right": study["behind"], "study": len(world["studies"])}
    world["decisions"][name] = len(world["studies"])


def _twin(law: Law, study: Mapping[str, Any], y: float, spread: float, stream: Stream) -> dict[str, Any]:
    """The other study of a pair that may share its specimens."""
    (name,) = (name for name in study["traps"] if name.startswith("cohort"))
    right = study["traps"][name]["right"]
    other = _study(law, stream, study["x"], spread)
    step = 3 + stream.below(9)
    other["n"] = study["n"] + (-step if right == "first" or (right == "both" and stream.below(2)) else step)
    other["n"] = max(other["n"], 5)
    other["twin"] = name
    other["value"] = printed(law, y + _kick(stream, spread), other["unit"])
    other["error"] = _error(law, other)
    return other


def _check(law: Law, study: Mapping[str, Any]) -> None:
    """Each printed number, read in the unit that is right, lies in the range of its quantity."""
    for trap in ({"others": []}, *study["traps"].values()):
        for text in (study["value"], *trap.get("others", ())):
            value = float(text) * law.units[study["unit"]][1] + law.units[study["unit"]][2]
            if not law.low <= value <= law.high:
                raise Rejected("a printed number is outside the range of its quantity")


def unit_of_study(study: Mapping[str, Any], choices: Choices, values: Sequence[str]) -> int:
    """The unit in which a study is read."""
    for name in study["traps"]:
        if name.startswith("unit"):
            return values.index(choices[name])
    return int(study["unit"])


def records(world: World, choices: Choices) -> list[Record]:
    """What enters the synthesis where decisions are as `choices` say."""
    law, found = laws()[world["law"]], []
    for place, study in enumerate(world["studies"]):
        chosen = {name.split(" ")[0]: (choices[name], trap) for name, trap in study["traps"].items()}
        text, x, extra = study["value"], float(study["x"]), None
        n, shift, enters = study["n"], 0.0, True
        behind = chosen["spread"][0] if "spread" in chosen else study["behind"]
        unit = unit_of_study(study, choices, kinds()["unit"].values)
        if "twin" in study:
            enters = choices[study["twin"]] != "first"
        for kind, (value, trap) in chosen.items():
            if value in ("out", "other") or (kind == "cohort" and value == "second"):
                enters = False
            elif value in ("new", "once", "review", "posted", "preprint"):
                text = trap["others"][0]
                n = trap["n2"] if value == "preprint" else n
            elif value in ("twice", "deposit", "amended"):
                text = trap["others"][1]
            elif kind == "version" and value == "both":
                extra = (trap["others"][0], trap["n2"])
            elif value in ("bridged", "corrected"):
                shift = world["bridge"] if value == "bridged" else trap["amount"]
            elif kind == "condition":
                x = (
                    trap["dial"]
                    + {"dial": 0.0, "jacket": trap["offsets"][0], "outer": trap["offsets"][1]}[value]
                )
        if enters:
            source = (
                f"{place} preprint"
                if ("version", "preprint") in {(k, v) for k, (v, _) in chosen.items()}
                else str(place)
            )
            found.append(_record(law, source, (text, study["error"], unit, behind, n), shift, x))
            if extra is not None:
                parts = (extra[0], study["error"], unit, behind, extra[1])
                found.append(_record(law, f"{place} preprint", parts, shift, x))
    return found


def _record(law: Law, source: str, parts: tuple[str, str, int, str, int], shift: float, x: float) -> Record:
    text, error, unit, behind, n = parts
    _, factor, zero = law.units[unit]
    value = float(text) * factor + zero
    spread = float(error.removesuffix(" %")) * (0.01 if law.logarithmic else abs(factor))
    se = spread / {"se": 1.0, "sd": math.sqrt(n), "interval": NORMAL}[behind]
    if not law.logarithmic:
        return Record(source, value - shift, se, x)
    y = float(portable.log(max(value, 1e-300)))
    return Record(source, y - (float(portable.log(shift)) if shift else 0.0), se, x)


def right_of(world: World) -> dict[str, str]:
    """The right decisions."""
    return {name: world["studies"][at]["traps"][name]["right"] for name, at in world["decisions"].items()}


def answer_of(world: World, choices: Choices) -> Pooled | None:
    """The synthesis; None where too little enters."""
    try:
        return pooled(records(world, choices), world["at"])
    except (ValueError, ZeroDivisionError):
        return None


def kind_of(name: str) -> Kind:
    """The kind of a decision: `unit 2` is a `unit`."""
    return kinds()[name.split(" ")[0]]
