"""Dry experiments as a family of version 1: holes in a program, for physics that records decide."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import MOST_ATTEMPTS, Rejected
from assay.suites.sgi.columns import dry_experiment as column
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.dry.runs import answered_code, patched
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.families import item_name
from assay.suites.sgi.frame.anchors import constant, frozen_house
from assay.suites.sgi.frame.family import (
    LEAST_INFERENCES,
    LEVELS,
    OPEN_INFERENCES,
    VERSION,
    Choice,
    Choices,
    Row,
    stream_of,
)
from assay.suites.sgi.methods import compose, render
from assay.suites.sgi.methods.bank import KINDS, PLAUSIBLE, REGIMES, everything, options
from assay.suites.sgi.methods.compose import STAGES, Bench, Failed
from assay.suites.sgi.methods.run import runs_of
from assay.suites.sgi.metrics.dry_runs import TESTS

NAME: FamilyName = "dry_experiment"
SHOWN: tuple[str, ...] = ("question", "data_code", "incomplete_main_code", "incomplete_functions")
TYPE = "function_type"
HOUSE = Path(__file__).with_name("house.yaml")

AGREEMENT = 0.1
"""Share of the tolerance within which the independent method has to confirm each value."""

LEAST_FAILED = 2
"""Instances that a plausible method has to fail."""

LEAST_PLAUSIBLE = 4
"""Plausible methods of an item that do so; each replaces the method of one stage."""

GUESSES = 2
"""Number of random replies per item in the calibration. It replaces the suite's larger setting, because each
reply is run in the sandbox."""

DIGITS = 7
"""Significant digits of expected values, so that last bits of a library do not show."""


def generate(root: int, index: int, level: int) -> Row:
    """An item; see `Family.generate`."""
    failed: dict[str, int] = {}
    for attempt in range(MOST_ATTEMPTS):
        try:
            return _item(_stream(root, level, index, attempt), index, level)
        except (Rejected, Failed) as rejected:
            failed[str(rejected)] = failed.get(str(rejected), 0) + 1
    worst = max(failed, key=lambda rule: failed[rule])
    raise TaskError(
        f"no dry experiment of level {level} passes in {MOST_ATTEMPTS} draws; most broke: {worst}",
        "take another seed",
    )


def _stream(root: int, level: int, index: int, attempt: int) -> Stream:
    """The stream of an attempt, of which the children depend on the attempt, too."""
    return Stream(stream_of(root, NAME, level, index, attempt).bits())


def _item(stream: Stream, index: int, level: int) -> Row:
    stages, layout = compose.draw_stages(stream.child("stages"))
    right = compose.draw_right(stages, stream.child("right"))
    instances = compose.draw_instances(stages, stream.child("instances"))
    bench = Bench(stages, layout, instances)
    truth = [bench.read(at, right, ["right"] * STAGES) for at in range(TESTS)]
    if max(value for read in truth for values in read.values() for value in values) > 1e6:
        raise Rejected("a reading is beyond any instrument")
    inferences = {
        one["id"]: one for name in right if (one := _inference(bench, truth, right, name)) is not None
    }
    wanted = OPEN_INFERENCES[level]
    if len(inferences) < (wanted or LEAST_INFERENCES):
        raise Rejected("there are too few inferences")
    opened = _opened(sorted(inferences), wanted, stream.child("open", level))
    known_house = {name: constants().get(name, next(iter(options(name)))) for name in opened}
    if all(bench.passed(truth, {**right, **known_house}, ["right"] * STAGES)):
        raise Rejected("the constant decisions pass")
    plausible = _plausible(bench, truth, right)
    if len(plausible) < LEAST_PLAUSIBLE:
        raise Rejected("too few plausible methods fail")
    known = {
        part.name: compose.records(part, right, stream.child(part.name)) for _, part in compose.named(stages)
    }
    given = {name: value for name, value in right.items() if name not in opened}
    if not all(bench.passed(truth, right, ["second"] * STAGES, AGREEMENT)):
        raise Rejected("the independent method does not confirm the truth")
    models = [everything()[stage["model"]] for stage in stages]
    code = render.functions(stages, right)
    row: Row = {
        "idx": item_name(NAME, index),
        "family": NAME,
        "discipline": stream.child("discipline").choice(models[0].entry.disciplines),
        "direction": " and ".join(model.name.replace("_", " ") for model in models),
        "function_type": models[0].entry.type,
        "question": render.question(stages, layout, given, known, stream.child("text")),
        "data_code": render.data_script(compose.draw_instance(stages, REGIMES[0], stream.child("shown"))),
        "main_code": render.program(stages, layout, code),
        "incomplete_main_code": render.program(stages, layout),
        "incomplete_functions": [render.hole(stage) for stage in stages],
        "runtime": 0.0,
    }
    for k in range(TESTS):
        row[f"unit_test_{k}_data"] = render.data_script(instances[k])
        row[f"unit_test_{k}_output"] = json.dumps(
            {name: [float(f"{value:.{DIGITS}g}") for value in values] for name, values in truth[k].items()}
        )
    answer = render.reply(code)
    return row | {
        "answer": answer,
        "x_level": level,
        "x_version": VERSION,
        "x_compare": {
            name: {"kind": "array", "rtol": compose.RELATIVE, "atol": compose.ABSOLUTE} for name in truth[0]
        },
        "x_world": {"stages": [dict(stage) for stage in stages], "layout": layout, "instances": instances},
        "x_type": models[0].entry.type,
        "x_structure": f"{layout} {' '.join(model.name for model in models)}",
        "x_right": right,
        "x_given": sorted(given),
        "x_free": [],
        "x_inferences": [inferences[name] for name in opened],
        "x_plausible": plausible,
        "x_anchors": {"zero": 0.0, "reference": 1.0, "set_by": "none"},
        "x_digest": canonical.digest([[row[f"unit_test_{k}_output"] for k in range(TESTS)], answer]),
    }


def _inference(
    bench: Bench, truth: Sequence[Mapping[str, Any]], right: Mapping[str, str], name: str
) -> dict[str, Any] | None:
    """A decision as an inference; None where no wrong value fails an instance."""
    fallacies, costs = [], []
    for value in options(name):
        if value != right[name]:
            passed = bench.passed(truth, {**right, name: value}, ["right"] * STAGES)
            if not all(passed):
                fallacies.append({"label": value, "value": value})
                costs.append(1 - sum(passed) / TESTS)
    if not fallacies:
        return None
    house = constants().get(name, next(iter(options(name))))
    cost = round(math.fsum(costs) / len(costs), 6)
    return {"id": name, "right": right[name], "house": house, "fallacies": fallacies, "cost": cost}


def _opened(names: Sequence[str], wanted: int | None, stream: Stream) -> list[str]:
    """The decisions that are left open: all, or those of models first.

    Laws and instruments can be told from their records by simple arithmetic, models only by running them.
    """
    if wanted is None:
        return list(names)
    of_models = [name for name in names if everything()[name.partition(".")[0]].kind in KINDS]
    others = [name for name in names if name not in of_models]
    count = min(wanted, len(of_models))
    return sorted([*stream.sample(of_models, count), *stream.sample(others, wanted - count)])


def _plausible(bench: Bench, truth: Sequence[Mapping[str, Any]], right: Mapping[str, str]) -> dict[str, int]:
    """Of plausible methods, each in one stage, the instances that they fail, where those are enough."""
    found = {}
    for number, stage in enumerate(bench.stages):
        for method in PLAUSIBLE:
            methods = ["right"] * STAGES
            methods[number] = method
            failed = TESTS - sum(bench.passed(truth, right, methods))
            if failed >= LEAST_FAILED:
                found[f"{stage['model']}: {method}"] = failed
    return found


def play(row: Row, choices: Choices) -> str:
    """See `Family.play`."""
    return render.reply(render.functions(row["x_world"]["stages"], {**row["x_right"], **choices}))


def constants() -> Choices:
    """See `Family.constants`."""
    return frozen_house(HOUSE)


def guess(stream: Stream) -> Choices:
    """See `Family.guess`."""
    return {name: stream.choice(list(options(name))) for name in _all_names()}


def _all_names() -> list[str]:
    return [name for _, part in sorted(everything().items()) for name in part.names()]


def write(shown: Sequence[str], choices: Choices) -> str:
    """See `Family.write`."""
    stages, given, _ = render.read(shown[0])
    return render.reply(render.functions(stages, {**choices, **given}))


def _open(row: Row, choices: Choices) -> Choices:
    opened = set(row["x_right"]) - set(row["x_given"])
    return {name: value for name, value in choices.items() if name in opened}


def house(row: Row) -> Choices:
    """See `Family.house`."""
    return _open(row, constants())


def textbook(row: Row) -> Choices:
    """See `Family.textbook`: the first value of each decision is the usual one."""
    return _open(row, {name: next(iter(options(name))) for name in row["x_right"]})


def random(row: Row, stream: Stream) -> Choices:
    """See `Family.random`."""
    return _open(row, {name: stream.choice(list(options(name))) for name in row["x_right"]})


def solve(shown: Sequence[str], method: str = "right") -> str:
    """See `Family.solve`: every combination of a part's decisions is run on its records, the best is kept.

    Args:
        shown: the columns that an agent is shown; only the question is read.
        method: `second` decides and writes with the independent methods instead of those of the reference.
    """
    stages, given, known = render.read(shown[0])
    choices: dict[str, Choice] = {"method": method}
    for _, part in compose.named(stages):
        choices |= compose.decided(part, given, known[part.name], method)
    return render.reply(render.functions(stages, choices))


def lookup(shown: Sequence[str]) -> Choices:
    """See `Family.lookup`: laws and instruments by the form that fits their records, models as usual.

    Many rival forms of laws and instruments need no more than + - * /; no model does.
    """
    stages, given, known = render.read(shown[0])
    choices: dict[str, Choice] = dict(constants())
    for _, part in compose.named(stages):
        if part.kind not in KINDS:
            choices |= compose.decided(part, given, known[part.name])
    return choices


def raw(row: Row, reply: str) -> float:
    """See `Family.raw`: the share of instances that are passed."""
    runs, _ = runs_of(row, reply)
    return sum(column.passes(row, k, run) for k, run in enumerate(runs)) / TESTS


def score(row: Row, reply: str, profile: Profile) -> Iterable[Value]:
    """The metrics of v0, of runs in which no script sees the names of another; a judge is never asked."""
    runs, program = runs_of(row, reply, profile == "released")
    return column.of_runs(row, reply, profile, runs, program.unfilled)


def readable(reply: str) -> bool:
    """See `Family.readable`."""
    return bool(answered_code(reply).strip())


def audit(row: Row, reply: str) -> Mapping[str, bool]:
    """Flags of a reply: no code, or a hole that is left open or looks at no parameter."""
    if not readable(reply):
        return {"no_answer": True, "answer_without_work": False}
    program = patched(row["incomplete_main_code"], tuple(row["incomplete_functions"]), reply, False)
    return {"no_answer": False, "answer_without_work": bool(program.idle)}


def view(row: Row, reply: str) -> Iterator[Block]:
    """Of each instance whether it was passed, and the decisions that were open."""
    runs, program = runs_of(row, reply)
    lines = [
        [
            regime,
            "passed" if column.passes(row, k, run) else "failed" if run.started else "not run",
            run.stdout.strip()[:300],
            row[f"unit_test_{k}_output"],
        ]
        for k, (regime, run) in enumerate(zip(REGIMES, runs, strict=True))
    ]
    yield section("Instances", table(("regime", "result", "printed", "expected"), lines))
    if program.unfilled:
        yield section("Open holes", table(("function",), [[name] for name in program.unfilled]))
    open_lines = [[one["id"], one["right"], f"{one['cost']:.2f}"] for one in row["x_inferences"]]
    yield section("Open decisions", table(("decision", "right", "cost"), open_lines))


def features(row: Row) -> Sequence[float]:
    """See `Family.features`: the first recorded result of every part."""
    _, _, known = render.read(row["question"])
    return [float(records[0]["out"][0]) for records in known.values()]


def sheet(row: Row) -> Sequence[float]:
    """See `Family.sheet`: the place of each given value among its decision's values, from 1."""
    return [
        float(list(options(name)).index(value) + 1) if name in row["x_given"] else 0.0
        for name, value in row["x_right"].items()
    ]


def verify(row: Row) -> None:
    """See `Family.verify`: the reference prints what is expected, and each inference costs an instance."""
    world = row["x_world"]
    bench = Bench(world["stages"], world["layout"], world["instances"])
    truth = [json.loads(row[f"unit_test_{k}_output"]) for k in range(TESTS)]
    if not all(bench.passed(truth, row["x_right"], ["right"] * STAGES, AGREEMENT)):
        raise Rejected("the reference does not print what is expected")
    for k in range(TESTS):
        if row[f"unit_test_{k}_data"] != render.data_script(world["instances"][k]):
            raise Rejected(f"the data of instance {k} are not those of its script")
    for one in row["x_inferences"]:
        if row["x_right"][one["id"]] != one["right"]:
            raise Rejected(f"the inference {one['id']} is not that of the reference")
        wrong = {**row["x_right"], one["id"]: one["fallacies"][0]["value"]}
        if all(bench.passed(truth, wrong, ["right"] * STAGES)):
            raise Rejected(f"the inference {one['id']} costs nothing")


def fitted_house(root: int, items: int) -> Choices:
    """See `Family.fitted_house`."""
    seen: dict[str, list[Choice]] = {}
    for level in LEVELS:
        for index in range(items):
            stream = _stream(root, level, index, 0)
            stages, _ = compose.draw_stages(stream.child("stages"))
            for name, value in compose.draw_right(stages, stream.child("right")).items():
                seen.setdefault(name, []).append(value)
    return {name: constant(values, even=False) for name, values in seen.items()}
