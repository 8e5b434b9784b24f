"""Ideas as a family of version 1: plans of an investigation that are carried out in a hidden world."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.bench.world import widening
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.frame.anchors import RANDOM_REPLIES, anchors, inference
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import (
    LEAST_INFERENCES,
    LEVELS,
    OPEN_INFERENCES,
    Choice,
    Choices,
    Row,
)
from assay.suites.sgi.plans import laboratory, literature, prompt, solver, surface
from assay.suites.sgi.plans.choices import good, kind_of, kinds, names_of, object_of, plan_of, textbook
from assay.suites.sgi.plans.plan import Plan, read_plan, to_text
from assay.suites.sgi.plans.questions import KINDS
from assay.suites.sgi.plans.score import LEAST_STEP, dimensions

LEAST_REFERENCE = 0.5

LEAST_USUAL = 0.05
"""Signal of the usual setting, as a share of the largest."""

LEAST_ASKED = 0.15
"""The same share in worlds with a question of their own, where published runs must show that effect too."""

SEARCH_KEY = 1_000_003
"""The reference is searched under other noise than it is scored under, so it does not fit the noise."""

INFERABLE = 0.2
"""Share of the way from the knee to the reference that the prompt-only solver has to come, and at least to
half of the reference."""

LEAST_OF_QUESTIONS = 12
"""Inferences at level 5 in worlds with a question of their own, whose plans have no second stage."""


COMMON: Sequence[tuple[str, Choice, float]] = (
    ("vary", "no", 0.85),
    ("layout", "grid", 0.65),
    ("replicates", "1", 0.4),
    ("levels", "3", 0.5),
    ("randomise", "no", 0.7),
    ("adjust", "no", 0.5),
    ("model", "parabola", 0.7),
    ("second", "no", 0.3),
    ("span", 0.31, 0.5),
    ("span", 0.5, 0.4),
)
"""Right values that many worlds share (of numbers those within a quarter), and the share of these worlds that
leaves the decision open; the batch sheet gives it in the others. So no constant is right in most of the items
in which a decision is open."""

DEAR = 0.1
"""Inferences that cost that much are opened first: cheap ones alone leave a lucky guess most of the score."""

SUBSETS = 12

MOST_FACTORS = 9


class Ideas(Base):
    """Plans of an investigation that are carried out in a hidden world; see `frame.family.Family`."""

    NAME: ClassVar[FamilyName] = "idea_generation"
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question",)
    TYPE = "direction"
    KNEE = "knee"
    ROOM = 0.3

    def decision(self, name: str) -> Decision:
        """See `Base.decision`."""
        return kind_of(name)

    def names(self, world: Mapping[str, Any]) -> Sequence[str]:
        """See `Base.names`."""
        return names_of(world)

    def every_name(self) -> Sequence[str]:
        """See `Base.every_name`."""
        factors = [f"{kind} {at}" for kind in ("vary", "place") for at in range(1, MOST_FACTORS + 1)]
        return [*factors, *(name for name in kinds() if name not in ("vary", "place"))]

    def usual(self, world: Mapping[str, Any]) -> Choices:
        """See `Base.usual`; all factors around their usual values."""
        return textbook(world)

    def known(self, world: Mapping[str, Any]) -> Choices:
        """See `Base.known`."""
        return {**self.usual(world), **_of_kind(world, self.constants())}

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """See `Base.rights`; in worlds with a question only decisions that no factor has are constants."""
        world, _ = _drawn_world(stream, level, KINDS[index % len(KINDS)])
        right = _reference(world)
        for name, value in right.items():
            if self.matters(name, right) and (not world["asked"] or " " not in name):
                yield f"{world['kind']}: {name}" if world["asked"] else name, value

    def text(self, world: Mapping[str, Any], choices: Choices) -> str:
        """See `Base.text`."""
        return to_text(object_of(world, choices))

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """See `Base.item`; kinds go round whatever is rejected, else those easily accepted would prevail."""
        kind = kind_at(index)
        world, skin = _drawn_world(stream, level, kind)
        right = _reference(world)

        def raw_of(choices: Choices) -> float:
            return max(laboratory.execute(world, plan_of(world, {**right, **choices})).value, 0.0)

        whole = raw_of({})
        if whole < LEAST_REFERENCE:
            raise Rejected("the reference is not good itself")
        studies = literature.published(world, stream)
        best_published = max(laboratory.execute(world, plan).value for plan in literature.plans(studies))
        if whole - best_published < self.ROOM:
            raise Rejected("a published plan is as good as the reference")
        known = self.known(world)
        found: dict[str, dict[str, Any]] = {}
        for name in names_of(world):
            if self.matters(name, right):
                wrong = kind_of(name).wrong(right[name])
                one = inference(name, right[name], known[name], wrong, raw_of, right, whole)
                found |= {} if one is None else {name: one}
        common = [name for name in found if not _left_open(name, right[name], stream.child("common", name))]
        found = {name: one for name, one in found.items() if name not in common}
        wanted = OPEN_INFERENCES[level]
        if wanted is not None and kind != "surface":
            wanted = min(wanted, LEAST_OF_QUESTIONS)
        if len(found) < (wanted or (LEAST_INFERENCES if kind == "surface" else LEAST_OF_QUESTIONS)):
            raise Rejected("there are too few inferences")
        chance = stream.child("random", level)
        for subset in range(SUBSETS):
            opened = sorted(found)
            if wanted is not None:
                draw = stream.child("open", level, subset)
                dear = [name for name in opened if found[name]["cost"] >= DEAR]
                rest = [name for name in opened if name not in dear]
                picked = draw.sample(dear, min(wanted, len(dear)))
                opened = sorted([*picked, *draw.sample(rest, wanted - len(picked))])
            given = self.given(right, opened)
            if wanted is None:
                given = {name: given[name] for name in common}

            def fair(choices: Choices, given: Choices = given) -> Choices:
                return {name: value for name, value in choices.items() if name not in given}

            try:
                set_by = anchors(
                    raw_of,
                    right,
                    {"house": fair(known), "textbook": fair(self.usual(world))},
                    (fair(self.drawn(world, chance)) for _ in range(RANDOM_REPLIES)),
                    self.ROOM,
                )
                at_best = raw_of(fair({**known, **_at_best_reading(world, studies)}))
                knee = round(max(set_by["zero"], best_published, at_best, LEAST_STEP), 6)
                if whole - knee < self.ROOM:
                    raise Rejected("a published plan is as good as the reference")
                break
            except Rejected:
                if wanted is None or subset == SUBSETS - 1:
                    raise
        question = prompt.question(world, studies, given, skin["aim"], stream)
        told = solver.solve(question)[1]
        solved = raw_of({name: value for name, value in told.items() if name in right})
        if solved < max(whole / 2, knee + INFERABLE * (whole - knee)):
            raise Rejected("the solver that reads the prompt alone stays below its share of the reference")
        answer = to_text(object_of(world, right))
        return {
            **self.head(index, level, right, given, opened),
            "discipline": skin["discipline"],
            "direction": skin["direction"],
            "question": question,
            "answer": answer,
            "x_world": world,
            "x_type": f"{world['kind']} {len(world['factors'])} factors",
            "x_structure": structure(world, skin["direction"], len(studies)),
            "x_inferences": [found[name] for name in opened],
            "x_anchors": {**set_by, "zero": 0.0, "knee": knee, "published": round(best_published, 6)},
            "x_published": [study["plan"] for study in studies],
            "x_digest": canonical.digest([[study["runs"] for study in studies], answer]),
        }

    def write(self, shown: Sequence[str], choices: Choices) -> str:
        """See `Family.write`."""
        world = prompt.read_structure(shown[0])
        names = names_of(world)
        wanted = {**self.usual(world), **_of_kind(world, choices), **prompt.sheet(world, shown[0], names)}
        return self.text(world, {name: wanted[name] for name in names})

    def solve(self, shown: Sequence[str]) -> str:
        """See `Family.solve`."""
        world, choices = solver.solve(shown[0])
        return self.text(world, choices)

    def lookup(self, shown: Sequence[str]) -> Choices:
        """See `Family.lookup`: all factors held where the best published run has them."""
        world = prompt.read_structure(shown[0])
        runs = []
        for _, settings, _, seen in solver.read_studies(world, shown[0]):
            strength = seen.max(axis=1) if seen.ndim > 1 else seen
            runs.append((strength.max(), settings[strength.argmax()]))
        best = max(runs, key=lambda run: run[0])[1]
        held = [at for at in range(len(best)) if at not in world["asked"]]
        places = {f"place {at + 1}": float(best[at]) for at in held}
        return {**_of_kind(world, self.constants()), **places, **{f"vary {at + 1}": "no" for at in held}}

    def raw(self, row: Row, reply: str) -> float:
        """See `Family.raw`: the value of the plan's decision less what it costs, not below 0."""
        plan = read_plan(reply)
        return max(laboratory.execute(row["x_world"], plan).value, 0.0) if plan is not None else 0.0

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """Ours: the four dimensions and their mean. The others need a judge, which is not asked here."""
        if profile != "objective":
            yield Value("headline", None, "needs a judge")
            return
        plan = read_plan(reply)
        found = dict.fromkeys(("effectiveness", "novelty", "detailedness", "feasibility"), 0.0)
        if plan is not None:
            outcome = laboratory.execute(row["x_world"], plan)
            found = dimensions(plan, outcome, row["x_anchors"], published(row))
        yield Value("headline", math.fsum(found.values()) / len(found), "" if plan is not None else "no plan")
        yield Value("raw", self.raw(row, reply))
        for name, value in found.items():
            yield Value(f"{name}_objective", value)

    def readable(self, reply: str) -> bool:
        """See `Family.readable`."""
        return read_plan(reply) is not None

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """Flags of a reply: no plan that can be read, or a plan that is a published one."""
        plan = read_plan(reply)
        if plan is None:
            return {"no_answer": True, "copied_idea": False}
        places, _ = laboratory.layout(row["x_world"], plan)
        same = any(
            len(places) == len(where) and len(places) and float(abs(places - where).max()) < 0.01
            for _, where in published(row)
        )
        return {"no_answer": False, "copied_idea": bool(same)}

    def view(self, row: Row, reply: str) -> Iterator[Block]:
        """What came of the plan, and where its factors lie beside the best setting."""
        world, plan = row["x_world"], read_plan(reply)
        if plan is None:
            return
        outcome = laboratory.execute(world, plan)
        rows = [
            ["value of the decision", f"{outcome.value:.3f}", f"{row['x_anchors']['reference']:.3f}"],
            ["planned runs", str(outcome.runs), ""],
            ["allowed and paid for", f"{outcome.done:.2f}", ""],
            ["cost", f"{outcome.cost:.4g}", f"{world['budget']:.4g}"],
            ["days", str(outcome.days), ""],
        ]
        yield section("Outcome", table(("", "plan", "reference or limit"), rows))
        lines: list[list[str]] = []
        named: dict[str, Any] = {**plan.held, **plan.varied}
        for at, factor in enumerate(world["factors"]):
            best = (
                f"{surface.natural(world, at, world['top'][at]):g}"
                if at in world["active"]
                else "does not matter"
            )
            lines.append([factor["name"], str(named.get(factor["name"], "usual")), best])
        yield section("Factors", table(("factor", "plan", "best setting"), lines))

    def features(self, row: Row) -> Sequence[float]:
        """The usual settings (0 to 1), the size of day effects, the saturation and the budget."""
        world = row["x_world"]
        return [*world["usual"], world["day_effect"], world["saturation"], world["budget"]]


def kind_at(index: int) -> str:
    """The kind of world of an item; every level gets several kinds."""
    return KINDS[(index // len(LEVELS) + index % len(LEVELS)) % len(KINDS)]


def _drawn_world(stream: Stream, level: int, kind: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """A world whose usual setting gives a signal, so that published runs around it tell something."""
    skin = stream.choice(prompt.manual()["skins"])
    asked = [] if kind == "surface" else prompt.manual()["questions"][kind]["factors"]
    while True:
        world = surface.draw(stream, widening(level), skin["factors"], kind, asked)
        if surface.usual_value(world) >= (LEAST_ASKED if asked else LEAST_USUAL):
            return world, skin


def _reference(world: Mapping[str, Any]) -> Choices:
    """Good decisions; factors that do not matter are held where a factor that matters could be.

    Otherwise a place that the batch sheet gives would tell whether its factor matters.
    """
    right = good({**world, "key": world["key"] % SEARCH_KEY + SEARCH_KEY})
    for at, usual_place in enumerate(world["usual"]):
        if at not in world["active"] and at not in world["asked"]:
            grid = [float(value) for value in kinds()["place"].grid()]
            far = [value for value in grid if abs(value - usual_place) >= 0.1]
            right[f"place {at + 1}"] = rng.stream(world["key"], "held", at).choice(far)
    return right


def _left_open(name: str, right: Choice, chance: Stream) -> bool:
    """Whether a decision may be an inference: always, unless its right value is a common one."""
    for kind, value, share in COMMON:
        if name.split(" ")[0] == kind:
            near = right == value if isinstance(value, str) else abs(float(right) - value) <= 0.25 * value
            if near:
                return chance.uniform() < share
    return True


def structure(world: Mapping[str, Any], direction: str, studies: int) -> str:
    """What an item is made of, in words and counts."""
    form = world["parameters"].get("form", 0)
    return f"{world['kind']} {form:g} {direction} {len(world['factors'])} {len(world['active'])} {studies}"


def _at_best_reading(world: Mapping[str, Any], studies: Sequence[Mapping[str, Any]]) -> Choices:
    """Decisions to hold all factors where the best published reading was."""
    runs = [run for study in studies for run in study["runs"]]
    best = max(runs, key=lambda run: float(run["reading"]))["setting"]
    held = [at for at in range(len(best)) if at not in world["asked"]]
    places = {f"place {at + 1}": surface.scaled(world, at, best[at]) for at in held}
    return {**places, **{f"vary {at + 1}": "no" for at in held}}


def _of_kind(world: Mapping[str, Any], choices: Choices) -> Choices:
    """Those of decisions that a world has; `rivals: layout` is that of worlds of the kind `rivals` alone.

    In worlds with a question its factors are varied and conditions are held.
    """
    names = names_of(world)
    found = {name: value for name, value in choices.items() if name in names}
    if world["asked"] and any(":" in name for name in choices):
        found = {
            f"vary {at + 1}": "yes" if at in world["asked"] else "no" for at in range(len(world["factors"]))
        }
    mine = f"{world['kind']}: "
    return found | {name.removeprefix(mine): v for name, v in choices.items() if name.startswith(mine)}


def published(row: Row) -> list[tuple[Plan, Any]]:
    """The published plans of an item, each with where its runs lie."""
    plans = literature.plans([{"plan": plan} for plan in row["x_published"]])
    return [(plan, laboratory.layout(row["x_world"], plan)[0]) for plan in plans]


FAMILY = Ideas()
