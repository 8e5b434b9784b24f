"""Dry experiments as a family of version 1: holes in a program, for physics that records decide."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns import dry_experiment as column
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.dry.runs import answered_code, patched
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import (
    LEAST_INFERENCES,
    OPEN_INFERENCES,
    Choice,
    Choices,
    Row,
)
from assay.suites.sgi.methods import compose, render
from assay.suites.sgi.methods.bank import KINDS, PLAUSIBLE, REGIMES, everything, options
from assay.suites.sgi.methods.compose import STAGES, Bench
from assay.suites.sgi.methods.run import runs_of
from assay.suites.sgi.metrics.dry_runs import TESTS

AGREEMENT = 0.1
"""Share of the tolerance within which the independent method has to confirm each value."""

LEAST_FAILED = 2
"""Instances that a plausible method has to fail."""

LEAST_PLAUSIBLE = 4
"""Plausible methods of an item that do so; each replaces the method of one stage."""

DIGITS = 7
"""Significant digits of expected values, so that last bits of a library do not show."""


class Dry(Base):
    """Programs that simulate what records decide, run on hidden data; see `frame.family.Family`."""

    NAME: ClassVar[FamilyName] = "dry_experiment"
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question", "data_code", "incomplete_main_code", "incomplete_functions")
    TYPE = "function_type"
    GUESSES = 2  # each of them is run in the sandbox

    def stream(self, root: int, level: int, index: int, attempt: int) -> Stream:
        """See `Base.stream`; its children depend on the attempt, too."""
        return Stream(super().stream(root, level, index, attempt).bits())

    def decision(self, name: str) -> Decision:
        """See `Base.decision`; the first value is the usual one."""
        values = tuple(options(name))
        return Decision(values[0], {}, values)

    def names(self, world: Mapping[str, Any]) -> Sequence[str]:
        """See `Base.names`."""
        return sorted(compose.decisions(world["stages"]))

    def every_name(self) -> Sequence[str]:
        """See `Base.every_name`."""
        return [name for _, part in sorted(everything().items()) for name in part.names()]

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """See `Base.rights`."""
        stages, _ = compose.draw_stages(stream.child("stages"))
        yield from compose.draw_right(stages, stream.child("right")).items()

    def text(self, world: Mapping[str, Any], choices: Choices) -> str:
        """See `Base.text`."""
        return render.reply(render.functions(world["stages"], choices))

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """See `Base.item`."""
        stages, layout = compose.draw_stages(stream.child("stages"))
        right = compose.draw_right(stages, stream.child("right"))
        instances = compose.draw_instances(stages, stream.child("instances"))
        bench = Bench(stages, layout, instances)
        truth = [bench.read(at, right, ["right"] * STAGES) for at in range(TESTS)]
        if max(value for read in truth for values in read.values() for value in values) > 1e6:
            raise Rejected("a reading is beyond any instrument")
        house = self.known({"stages": stages})
        inferences = {
            one["id"]: one
            for name in right
            if (one := _inference(bench, truth, right, name, house[name])) is not None
        }
        wanted = OPEN_INFERENCES[level]
        if len(inferences) < (wanted or LEAST_INFERENCES):
            raise Rejected("there are too few inferences")
        opened = _opened(sorted(inferences), wanted, stream.child("open", level))
        if all(bench.passed(truth, {**right, **{name: house[name] for name in opened}}, ["right"] * STAGES)):
            raise Rejected("the constant decisions pass")
        plausible = _plausible(bench, truth, right)
        if len(plausible) < LEAST_PLAUSIBLE:
            raise Rejected("too few plausible methods fail")
        known = {
            part.name: compose.records(part, right, stream.child(part.name))
            for _, part in compose.named(stages)
        }
        given = {name: value for name, value in right.items() if name not in opened}
        if not all(bench.passed(truth, right, ["second"] * STAGES, AGREEMENT)):
            raise Rejected("the independent method does not confirm the truth")
        models = [everything()[stage["model"]] for stage in stages]
        code = render.functions(stages, right)
        row: Row = {
            **self.head(index, level, right, given, opened),
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
                {
                    name: [float(f"{value:.{DIGITS}g}") for value in values]
                    for name, values in truth[k].items()
                }
            )
        answer = render.reply(code)
        return row | {
            "answer": answer,
            "x_compare": {
                name: {"kind": "array", "rtol": compose.RELATIVE, "atol": compose.ABSOLUTE}
                for name in truth[0]
            },
            "x_world": {
                "stages": [dict(stage) for stage in stages],
                "layout": layout,
                "instances": instances,
            },
            "x_type": models[0].entry.type,
            "x_structure": f"{layout} {' '.join(model.name for model in models)}",
            "x_inferences": [inferences[name] for name in opened],
            "x_plausible": plausible,
            "x_anchors": {"zero": 0.0, "reference": 1.0, "set_by": "none"},
            "x_digest": canonical.digest([[row[f"unit_test_{k}_output"] for k in range(TESTS)], answer]),
        }

    def write(self, shown: Sequence[str], choices: Choices) -> str:
        """See `Family.write`."""
        stages, given, _ = render.read(shown[0])
        return self.text({"stages": stages}, {**choices, **given})

    def solve(self, shown: Sequence[str], method: str = "right") -> str:
        """See `Family.solve`: each combination of a part's decisions is run on its records, the best is kept.

        Args:
            shown: the columns that an agent is shown; only the question is read.
            method: `second` decides and writes with the independent methods instead of the reference's.
        """
        stages, given, known = render.read(shown[0])
        choices: dict[str, Choice] = {"method": method}
        for _, part in compose.named(stages):
            choices |= compose.decided(part, given, known[part.name], method)
        return self.text({"stages": stages}, choices)

    def lookup(self, shown: Sequence[str]) -> Choices:
        """See `Family.lookup`: laws and instruments by the form that fits their records, models as usual.

        Many rival forms of laws and instruments need no more than + - * /; no model does.
        """
        stages, given, known = render.read(shown[0])
        choices: dict[str, Choice] = dict(self.constants())
        for _, part in compose.named(stages):
            if part.kind not in KINDS:
                choices |= compose.decided(part, given, known[part.name])
        return choices

    def raw(self, row: Row, reply: str) -> float:
        """See `Family.raw`: the share of instances that are passed."""
        runs, _ = runs_of(row, reply)
        return sum(column.passes(row, k, run) for k, run in enumerate(runs)) / TESTS

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """The metrics of v0, of runs in which no script sees the names of another; a judge is never asked."""
        runs, program = runs_of(row, reply, profile == "released")
        return column.of_runs(row, profile, runs, program.unfilled)

    def readable(self, reply: str) -> bool:
        """See `Family.readable`."""
        return bool(answered_code(reply).strip())

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """Flags of a reply: no code, or a hole that is left open or looks at no parameter."""
        if not self.readable(reply):
            return {"no_answer": True, "answer_without_work": False}
        program = patched(row["incomplete_main_code"], tuple(row["incomplete_functions"]), reply, False)
        return {"no_answer": False, "answer_without_work": bool(program.idle)}

    def view(self, row: Row, reply: str) -> Iterator[Block]:
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

    def features(self, row: Row) -> Sequence[float]:
        """The first recorded result of every part, in the order of the prompt."""
        _, _, known = render.read(row["question"])
        return [float(records[0]["out"][0]) for records in known.values()]

    def verify(self, row: Row) -> None:
        """Check that the reference prints what is expected and that each inference costs an instance.

        Raises:
            Rejected: a promise is broken.
        """
        world = row["x_world"]
        bench = Bench(world["stages"], world["layout"], world["instances"])
        truth = [json.loads(row[f"unit_test_{k}_output"]) for k in range(TESTS)]
        if not all(bench.passed(truth, row["x_right"], ["right"] * STAGES, AGREEMENT)):
            raise Rejected("the reference does not print what is expected")
        for k in range(TESTS):
            if row[f"unit_test_{k}_data"] != render.data_script(world["instances"][k]):
                raise Rejected(f"the data of instance {k} are not those of its script")
        self.verify_inferences(row)
        for one in row["x_inferences"]:
            wrong = {**row["x_right"], one["id"]: one["fallacies"][0]["value"]}
            if all(bench.passed(truth, wrong, ["right"] * STAGES)):
                raise Rejected(f"the inference {one['id']} costs nothing")


def _inference(
    bench: Bench, truth: Sequence[Mapping[str, Any]], right: Mapping[str, str], name: str, house: Choice
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


FAMILY = Dry()
