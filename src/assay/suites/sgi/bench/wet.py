"""Wet experiments as a family of version 1: items, replies, scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import TaskError
from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import MOST_ATTEMPTS, Rejected
from assay.suites.sgi.bench import prompt, solver
from assay.suites.sgi.bench.decisions import decisions, matters, of_world
from assay.suites.sgi.bench.decisions import textbook as usual
from assay.suites.sgi.bench.evidence import measured, scattered
from assay.suites.sgi.bench.lookup import lookup as look_up
from assay.suites.sgi.bench.protocol import Steps, execute, read_steps, steps_of, text_of
from assay.suites.sgi.bench.score import Outcome, outcome, parts
from assay.suites.sgi.bench.score import raw as raw_score
from assay.suites.sgi.bench.search import good
from assay.suites.sgi.bench.world import draw, quiet
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.columns.wet_experiment import score as by_steps
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.families import item_name
from assay.suites.sgi.frame.anchors import (
    RANDOM_REPLIES,
    anchored,
    anchors,
    constant,
    frozen_house,
    inference,
)
from assay.suites.sgi.frame.family import (
    LEAST_INFERENCES,
    LEAST_ROOM,
    LEVELS,
    OPEN_INFERENCES,
    SLACK,
    VERSION,
    Choice,
    Choices,
    Row,
    stream_of,
)
from assay.suites.sgi.text.program import parse

NAME: FamilyName = "wet_experiment"
SHOWN: tuple[str, ...] = ("question", "action_pool")
TYPE = "direction"
HOUSE = Path(__file__).with_name("house.yaml")

LEAST_REFERENCE = 0.8
INFERABLE = 0.6
"""Anchored score that the prompt-only solver has to reach; half of the raw score would be less."""

WIDEST_LIMIT = 3.0
"""Limits are wider than the reference by a drawn factor of up to that, beside the slack of the level.

With the slack alone the limit of time told the reaction time to whoever knew all else, and that of cost the
amount of catalyst. With a factor of up to 1.5 they still did: 93 points, where constants in both places get
77. With 3 both get 77.
"""

SUBSETS = 8
"""Draws of open inferences that are tried for one world."""


def generate(root: int, index: int, level: int) -> Row:
    """An item; see `Family.generate`."""
    failed: dict[str, int] = {}
    for attempt in range(MOST_ATTEMPTS):
        stream = stream_of(root, NAME, level, index, attempt)
        try:
            return _item(stream, index, level)
        except Rejected as rejected:
            failed[str(rejected)] = failed.get(str(rejected), 0) + 1
    worst = max(failed, key=lambda rule: failed[rule])
    raise TaskError(
        f"no wet item of level {level} passes in {MOST_ATTEMPTS} draws; most broke: {worst}",
        "take another seed",
    )


def _item(stream: Stream, index: int, level: int) -> Row:
    world = draw(stream, level)
    right = good(quiet(world))
    reference = _outcome(world, steps_of(world, right))
    limits = {
        name: float(
            math.ceil(reference[name] * SLACK[level] * float(exp(log(WIDEST_LIMIT) * stream.uniform())))
        )
        for name in ("minutes", "cost")
    }

    def raw(choices: Choices) -> float:
        return raw_score(world, _outcome(world, steps_of(world, {**right, **choices})), reference, limits)

    whole = raw({})
    if whole < LEAST_REFERENCE:
        raise Rejected("the reference is not good itself")
    home = frozen_house(HOUSE)
    known = {name: home.get(name, usual(world)[name]) for name in of_world(world)}
    found: dict[str, dict[str, Any]] = {}
    for name, decision in of_world(world).items():
        if matters(name, right):
            one = inference(name, right[name], known[name], decision.wrong(right[name]), raw, right, whole)
            found |= {} if one is None else {name: one}
    wanted = OPEN_INFERENCES[level]
    if len(found) < (wanted or LEAST_INFERENCES):
        raise Rejected("there are too few inferences")
    data: dict[str, list[float]] = dict(measured(world, stream))
    data["stocks"] = [scattered(value, stream) for value in prompt.stock_numbers(world)]
    skin = stream.choice(prompt.manual()["skins"])
    chance = stream.child("random")
    for subset in range(SUBSETS):
        opened = sorted(found)
        if wanted is not None:
            opened = sorted(stream.child("open", subset).sample(opened, wanted))
        given = _given(right, opened, wanted is None)
        question = prompt.question(world, data, limits, given, skin, stream.child("texts", subset))

        def fair(choices: Choices, given: Choices = given) -> Choices:
            return {name: value for name, value in choices.items() if name not in given}

        uninferred = {"house": known, "textbook": usual(world)}
        for name, constant_values in list(uninferred.items()):
            for label, choices in look_up(question, {**known, **constant_values}).items():
                uninferred[f"{label} over {name}"] = choices
        try:
            set_by = anchors(
                raw,
                right,
                {name: fair(choices) for name, choices in uninferred.items()},
                (fair(_drawn(world, chance)) for _ in range(RANDOM_REPLIES)),
            )
            break
        except Rejected:
            if wanted is None or subset == SUBSETS - 1:
                raise
    solved = raw(solver.solve(question)[1])
    if anchored(solved, set_by) < INFERABLE:
        raise Rejected("the solver that reads the prompt alone stays below its share of the reference")
    answer = text_of(steps_of(world, right))
    return {
        "idx": item_name(NAME, index),
        "family": NAME,
        "discipline": skin["discipline"],
        "direction": skin["direction"],
        "question": question,
        "action_pool": prompt.pool(world, stream),
        "answer": answer,
        "x_level": level,
        "x_version": VERSION,
        "x_world": world,
        "x_type": f"{world['react']} {world['separate']}",
        "x_structure": structure(world),
        "x_right": right,
        "x_given": sorted(given),
        "x_free": [name for name in right if name not in given and name not in opened],
        "x_inferences": [found[name] for name in opened],
        "x_anchors": set_by,
        "x_limits": limits,
        "x_reference": reference,
        "x_digest": canonical.digest([data, answer]),
    }


def structure(world: Mapping[str, Any]) -> str:
    """Which modules a world has, in words."""
    lot = "lot" if world["lot_loss"] else "own"
    return " ".join(
        [world["react"], lot, world["separate"], world["assay"], f"{len(world['samples'])} samples"]
    )


def _given(right: Choices, opened: Sequence[str], every: bool) -> Choices:
    """What the batch sheet gives: all that is not open, unless it would betray an open decision."""
    if every:
        return {}
    return {
        name: value
        for name, value in right.items()
        if name not in opened and matters(name, right) and not set(decisions()[name].condition) & set(opened)
    }


def _drawn(world: Mapping[str, Any], stream: Stream) -> Choices:
    return {name: decision.at(stream.uniform()) for name, decision in of_world(world).items()}


def _outcome(world: Mapping[str, Any], steps: Steps) -> Outcome:
    return outcome(execute(world, steps))


def play(row: Row, choices: Choices) -> str:
    """See `Family.play`."""
    return text_of(steps_of(row["x_world"], {**row["x_right"], **choices}))


def _open(row: Row, choices: Choices) -> Choices:
    return {
        name: value
        for name, value in choices.items()
        if name in row["x_right"] and name not in row["x_given"]
    }


def constants() -> Choices:
    """See `Family.constants`."""
    return frozen_house(HOUSE)


def guess(stream: Stream) -> Choices:
    """See `Family.guess`."""
    return {name: decision.at(stream.uniform()) for name, decision in decisions().items()}


def write(shown: Sequence[str], choices: Choices) -> str:
    """See `Family.write`."""
    world = solver.read_structure(shown[0])
    wanted = {**usual(world), **choices, **solver.sheet(shown[0])}
    return text_of(steps_of(world, {name: wanted[name] for name in of_world(world)}))


def house(row: Row) -> Choices:
    """See `Family.house`."""
    return _open(row, {**usual(row["x_world"]), **frozen_house(HOUSE)})


def textbook(row: Row) -> Choices:
    """See `Family.textbook`."""
    return _open(row, usual(row["x_world"]))


def random(row: Row, stream: Stream) -> Choices:
    """See `Family.random`."""
    return _open(row, _drawn(row["x_world"], stream))


def solve(shown: Sequence[str]) -> str:
    """See `Family.solve`."""
    world, choices = solver.solve(shown[0])
    return text_of(steps_of(world, choices))


@lru_cache(maxsize=64)
def _executed(world: str, reply: str) -> Outcome:
    return _outcome(canonical.loads(world), read_steps(parse(reply)))


def _result(row: Row, reply: str) -> Outcome:
    return _executed(canonical.dumps(row["x_world"]), reply)


def lookup(shown: Sequence[str]) -> Choices:
    """See `Family.lookup`."""
    return look_up(shown[0], constants())["rows and limits"]


def raw(row: Row, reply: str) -> float:
    """See `Family.raw`."""
    return raw_score(row["x_world"], _result(row, reply), row["x_reference"], row["x_limits"])


def score(row: Row, reply: str, profile: Profile) -> Iterable[Value]:
    """Ours: the outcome, its components, and beside them SS and PA; other profiles: as in v0."""
    if profile != "objective":
        yield from by_steps(row, reply, profile)
        return
    result = _result(row, reply)
    yield Value("headline", anchored(raw(row, reply), row["x_anchors"]))
    yield Value("raw", raw(row, reply))
    for name, value in parts(row["x_world"], result, row["x_reference"]).items():
        yield Value(f"outcome_{name}", value)
    yield Value("accidents", float(len(result["accidents"])), ", ".join(result["accidents"]))
    yield from (value for value in by_steps(row, reply, profile) if value.metric != "headline")


def readable(reply: str) -> bool:
    """See `Family.readable`."""
    return bool(parse(reply).steps)


def audit(row: Row, reply: str) -> Mapping[str, bool]:
    """Flags of a reply: nothing that can be read, or steps of which none brings a sample anywhere."""
    steps = parse(reply).steps
    handed_in = any(of["y"] > 0 for of in _result(row, reply)["samples"].values()) if steps else False
    return {"no_answer": not steps, "answer_without_work": len(steps) > 1 and not handed_in}


def view(row: Row, reply: str) -> Iterator[Block]:
    """The outcome beside the reference's, and what could not be done."""
    got, best = _result(row, reply), row["x_reference"]
    heads = (
        "sample",
        "made (nmol)",
        "handed in (nmol)",
        "concentration (mM)",
        "purity",
        "error of the concentration",
    )
    rows = []
    for name, one in best["samples"].items():
        mine = got["samples"][name]
        rows.append([name, *(f"{mine[key]:.3g} ({one[key]:.3g})" for key in ("made", "y", "c", "u", "e"))])
    yield section("Outcome, in brackets that of the reference", table(heads, rows))
    facts = [
        ["minutes", f"{got['minutes']:.0f}", f"{row['x_limits']['minutes']:.0f}"],
        ["cost", f"{got['cost']:.0f}", f"{row['x_limits']['cost']:.0f}"],
    ]
    yield section("Time and money", table(("", "used", "limit"), facts))
    bench = execute(row["x_world"], read_steps(parse(reply)))
    if bench.notes:
        yield section("Steps that could not be done", table(("step",), [[note] for note in bench.notes[:40]]))


def features(row: Row) -> Sequence[float]:
    """See `Family.features`: logarithms of the numbers of the prompt, for one separation and reaction."""
    world = row["x_world"]
    numbers = [
        value for name in sorted(world) if isinstance(value := world[name], float) and name != "noise_key"
    ]
    first = next(iter(world["samples"].values()))
    return [math.log(max(abs(value), 1e-6)) for value in [*numbers, *first.values(), len(world["samples"])]]


def sheet(row: Row) -> Sequence[float]:
    """See `Family.sheet`: logarithms of numbers, places of words."""
    return [
        0.0 if name not in row["x_given"] else _number(name, row["x_right"][name])
        for name in of_world(row["x_world"])
    ]


def _number(name: str, value: Choice) -> float:
    return float(decisions()[name].values.index(value) + 1) if isinstance(value, str) else math.log(value)


def verify(row: Row) -> None:
    """See `Family.verify`: the reference gets what the anchors say, its decisions are the right ones."""
    result = raw(row, row["answer"])
    if abs(result - row["x_anchors"]["reference"]) > 1e-6:
        raise Rejected(f"the reference gets {result:.6f}, the anchors say {row['x_anchors']['reference']}")
    if row["x_anchors"]["reference"] - row["x_anchors"]["zero"] < LEAST_ROOM - 1e-6:
        raise Rejected("the anchors are too near to each other")
    for one in row["x_inferences"]:
        if row["x_right"][one["id"]] != one["right"]:
            raise Rejected(f"the inference {one['id']} is not that of the reference")


def fitted_house(root: int, items: int) -> Choices:
    """See `Family.fitted_house`."""
    seen: dict[str, list[Choice]] = {}
    for level in LEVELS:
        for index in range(items):
            world = draw(stream_of(root, NAME, level, index, 0), level)
            right = good(quiet(world))
            for name, value in right.items():
                if matters(name, right):
                    seen.setdefault(name, []).append(value)
    return {name: constant(values, even=decisions()[name].even) for name, values in seen.items()}
