"""Inquiries as items: generated, played through both arms, and scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.protocol import Measure
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import MOST_ATTEMPTS, Rejected
from assay.suites.sgi.columns.profiles import Value
from assay.suites.sgi.families import INVESTIGATION, item_name
from assay.suites.sgi.frame.anchors import anchored, percentile95
from assay.suites.sgi.frame.family import VERSION, Row
from assay.suites.sgi.investigation import enzyme as lab
from assay.suites.sgi.investigation import stages
from assay.suites.sgi.investigation.documents import literature, pick
from assay.suites.sgi.investigation.enzyme import PAIRS
from assay.suites.sgi.investigation.stages import HOUSE, HOUSE_PROTOCOL, STAGES, Right, Shown, act
from assay.suites.sgi.seeding import ItemStream, item_seed
from assay.task import Task

NAME = INVESTIGATION
CODE = 6
LEAST_ROOM = 0.25
LEAST_WORTH, LEAST_DISTANCE = 0.4, 60.0
RANDOM_REPLIES = 20
GIVEN: Mapping[int, tuple[str, ...]] = {1: ("k", "tau"), 2: ("k", "tau"), 3: ("tau",), 4: ("tau",), 5: ()}
"""Constants that a data sheet states, by level."""

CHANCE = 1 / len(lab.DEVIATIONS)


def generate(root: int, index: int, level: int) -> Row:
    """An inquiry: the first draw that breaks no rule.

    Raises:
        TaskError: no draw passes.
    """
    failed: dict[str, int] = {}
    for attempt in range(MOST_ATTEMPTS):
        try:
            return _item(
                ItemStream([item_seed(root, NAME, index), CODE, level, index, VERSION, attempt]), index, level
            )
        except Rejected as rejected:
            failed[str(rejected)] = failed.get(str(rejected), 0) + 1
    worst = max(failed, key=lambda rule: failed[rule])
    raise TaskError(f"no inquiry of level {level} passes; most broke: {worst}", "take another seed")


def _item(stream: Stream, index: int, level: int) -> Row:
    world = lab.draw(stream)
    protocol = lab.best_protocol(world, world, world["law"])
    worth = float(lab.utility(world, world, world["law"], *protocol.values()))
    if worth < LEAST_WORTH:
        raise Rejected("no protocol is worth much")
    if lab.least_distance(world, protocol) < LEAST_DISTANCE:  # a rule about the options, whichever are true
        raise Rejected("two deviations look alike in the best protocol")
    run = stages.best_run(world["rivals"], world, world["soluble"])
    enzyme, documents = literature(world, level, stream)
    row: Row = {
        "idx": item_name(NAME, index),
        "family": NAME,
        "discipline": "life",
        "direction": "enzyme kinetics",
        "x_level": level,
        "x_version": VERSION,
        "x_world": world,
        "x_given": list(GIVEN[level]),
        "x_enzyme": enzyme,
        "x_documents": documents,
        "x_program": stages.program(world, stream.child("program")),
        "x_best": {
            "separation": round(lab.separation(world, world, [run] * lab.MOST_RUNS), 6),
            "utility": round(worth, 6),
        },
    }
    row["question"] = stages.question("read", row, {})
    row["x_zero"] = _zero(row, stream.child("random"))
    return row


def truth(row: Row) -> dict[str, Any]:
    """What a reader without fault finds in the documents."""
    return {name: row["x_world"][name] for name in (*stages.CONSTANTS, "rivals")}


def _zero(row: Row, stream: Stream) -> dict[str, float]:
    """Of each stage the best raw score without inference: constants, picked rows, random sound replies."""
    zero = {}
    given: dict[str, Any] = {name: row["x_world"][name] for name in row["x_given"]}
    values = ({**HOUSE, **given}, {**pick(row["question"]), **given})
    naive = [{**known, "rivals": sorted(pair)} for known in values for pair in PAIRS.values()]
    for stage in STAGES:
        found = [_uninformed(stage, row, known) for known in naive]
        if stage == "bench":
            found.append(stages.raw(stage, row, dict(HOUSE_PROTOCOL)))
        if stage not in ("compute", "interpret"):  # programs with random constants are right nowhere
            drawn = [stages.random_reply(stage, row, stream) for _ in range(RANDOM_REPLIES)]
            found.append(percentile95([stages.raw(stage, row, _said(row, stage, reply)) for reply in drawn]))
        zero[stage] = round(max(*found, CHANCE if stage == "interpret" else 0.0), 6)
        if 1.0 - zero[stage] < LEAST_ROOM:
            raise Rejected(f"in the stage {stage} constants are nearly as good as the reference")
    return zero


def _uninformed(stage: str, row: Row, known: Mapping[str, Any]) -> float:
    """What somebody gets who has these estimates, and makes the most of them under either rival."""
    world = row["x_world"]
    if stage == "compute":
        return max(stages.predicted(row, known, law) for law in known["rivals"])
    if stage in ("read", "propose"):
        reply = act(stage, row, {"estimates": dict(known)}, known)
        return stages.raw(stage, row, _said(row, stage, reply))
    protocols = {law: lab.best_protocol(world, known, law) for law in known["rivals"]}
    if stage == "bench":
        return max(stages.raw(stage, row, protocol) for protocol in protocols.values())
    return max(_recognised(world, known, law, protocol) for law, protocol in protocols.items())


def _recognised(world: lab.World, known: Mapping[str, Any], law: str, protocol: Mapping[str, float]) -> float:
    """The share of deviations that are recognised with these estimates, whichever of them is true."""
    every = range(len(lab.DEVIATIONS))
    seen = [lab.curves(world, world, world["law"], protocol, n) for n in every]
    found = lab.likeliest(world, known, law, protocol, seen)
    return sum(a == b for a, b in zip(found, every, strict=True)) / len(every)


def _said(row: Row, stage: str, reply: str) -> Any:
    return stages.parsed(stage, reply, row["x_world"]["soluble"])


def reference(row: Row) -> Shown:
    """What every stage gives if all of them are right."""
    world, shown = row["x_world"], Shown()
    for stage in ("read", "propose", "bench"):
        shown |= stages.passed_on(stage, world, _said(row, stage, act(stage, row, shown, truth(row))))
        if stage == "propose":  # enough is known of the law, however the readings fell
            shown["estimates"] = {**truth(row)}
    return shown


def texts_of(row: Row, replies: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The stages in the order in which they are played, each with its text; `replies` is read as it fills up.

    First the chained arm, then from the second stage on the same with the results of the reference.
    """
    shown = Shown()
    for stage in STAGES:
        yield f"chained {stage}", stages.question(stage, row, shown)
        shown |= stages.passed_on(
            stage, row["x_world"], _said(row, stage, replies.get(f"chained {stage}", ""))
        )
    best = reference(row)
    for stage in STAGES[1:]:
        yield f"given {stage}", stages.question(stage, row, best)


ORDER = (*(f"chained {stage}" for stage in STAGES), *(f"given {stage}" for stage in STAGES[1:]))


def score(row: Row, replies: Mapping[str, str]) -> Iterator[Value]:
    """`headline` (mean of the chained stages), both arms by stage, losses, cost, what was found per cost."""
    values = {}
    for name in ORDER:
        stage = name.partition(" ")[2]
        said = _said(row, stage, replies.get(name, ""))
        zero = {"zero": row["x_zero"][stage], "reference": 1.0}
        values[name] = anchored(stages.raw(stage, row, said), zero)
    chained = [values[f"chained {stage}"] for stage in STAGES]
    whole = math.fsum(chained) / len(chained)
    yield Value("headline", whole)
    for stage, value in zip(STAGES, chained, strict=True):
        yield Value(f"chained_{stage}", value)
        if stage != "read":
            given = values[f"given {stage}"]
            yield Value(f"given_{stage}", given)
            yield Value(f"loss_{stage}", given - value)
    spent = cost(row, replies)
    yield Value("cost", spent)
    yield Value("found_per_cost", whole / spent if spent else None)


def cost(row: Row, replies: Mapping[str, str]) -> float:
    """What was spent in the chained arm, as a multiple of the reference's cost: runs, enzyme and time."""
    price = row["x_world"]["price"]

    def of(runs: Sequence[Any] | None, protocol: Mapping[str, float] | None) -> float:
        bench = 0.0
        if protocol:
            bench = (
                price["enzyme"] * protocol["enzyme"] * protocol["dilution"]
                + price["minute"] * protocol["minutes"]
            )
        return len(runs or ()) / lab.MOST_RUNS + bench

    said = {stage: _said(row, stage, replies.get(f"chained {stage}", "")) for stage in ("propose", "bench")}
    best = reference(row)
    return round(of(said["propose"], said["bench"]) / of(best["runs"], best["protocol"]), 6)


def planted(row: Row, right: Right) -> dict[str, str]:
    """The replies of somebody of planted ability in both arms; the luck is the same in both."""
    replies: dict[str, str] = {}
    shown, best, known = Shown(), reference(row), truth(row)
    for stage in STAGES:
        of_stage = _of_stage(right, stage)
        replies[f"chained {stage}"] = act(stage, row, shown, known, of_stage)
        said = _said(row, stage, replies[f"chained {stage}"])
        shown |= stages.passed_on(stage, row["x_world"], said)
        if stage != "read":
            replies[f"given {stage}"] = act(stage, row, dict(best), known, of_stage)
    return replies


def _of_stage(right: Right, stage: str) -> Right:
    return lambda name: right(f"{stage} {name}")


def task_of(set_name: str, index: int, seed: int, level: int, generation: str) -> Task:
    """The task of an index: the documents are shown, all else is hidden."""
    row = generate(seed, index, level)
    return Task(
        suite="sgi",
        task_set=set_name,
        task_id=row["idx"].casefold(),
        seed=item_seed(seed, NAME, index),
        version=VERSION,
        strata={
            "family": NAME,
            "discipline": row["discipline"],
            "type": row["direction"],
            "level": str(level),
            "generation": generation,
        },
        public={"family": NAME, "columns": {"question": row["question"]}},
        hidden={name: value for name, value in row.items() if name != "question"},
    )


def is_inquiry(row: Mapping[str, Any]) -> bool:
    """Whether an item is an inquiry."""
    return row.get("family") == NAME


def audit(row: Row, replies: Mapping[str, str]) -> dict[str, bool]:
    """Flags: nothing that can be read in any stage of the chained arm."""
    said = [_said(row, stage, replies.get(f"chained {stage}", "")) for stage in STAGES]
    return {"no_answer": all(one is None for one in said)}


def measures(row: Row) -> Iterator[Measure]:
    """Documents, open constants and deviations; what constants alone would score."""
    yield Measure("units", float(len(STAGES)))
    yield Measure("details", float(len(row["x_documents"])))
    yield Measure("distractors", float(len(lab.DEVIATIONS)))
    yield Measure("chance", 100 * (1 / len(STAGES)) * CHANCE)
    yield Measure("reference", 100.0)


def view(row: Row, scores: Mapping[str, float | None]) -> Iterator[Block]:
    """The stages in both arms, and the truth."""
    rows = []
    for stage in STAGES:
        cells = (scores.get(f"{arm}_{stage}") for arm in ("chained", "given"))
        rows.append([stage, *("" if value is None else f"{100 * value:.0f}" for value in cells)])
    yield section("Stages", table(("stage", "own results", "results of the reference"), rows))
    constants = [[name, f"{row['x_world'][name]:g}"] for name in (*stages.CONSTANTS,)]
    yield section("Truth", table(("what", "value"), [*constants, ["law", row["x_world"]["law"]]]))


def verify(row: Row) -> None:
    """Check that the reference is full in every stage, and that the documents are those of the text.

    Raises:
        Rejected: a promise is broken.
    """
    if row["question"] != stages.question("read", row, {}):
        raise Rejected("the text is not that of the documents")
    replies = planted(row, stages.everything)
    for stage in ("read", "propose", "bench"):
        if (
            stages.raw(
                stage,
                row,
                _said(row, stage, replies[f"given {stage}" if stage != "read" else "chained read"]),
            )
            < 0.95
        ):
            raise Rejected(f"the reference is not right in the stage {stage}")
