"""Every suite keeps every promise of the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.suite import suite
from assay.task import Task
from tests.protocol import conformance
from tests.protocol.conformance import OF_SUITES, PROMISES, ROOT, Promise, Subject, asked


def through_a_call(tool: str, arguments: object) -> tuple[str, object]:
    """How an agent of pilab calls a tool behind the `code` door without code."""
    return "act", {"tool": tool, "arguments": arguments}


def through_a_program(tool: str, arguments: object) -> tuple[str, object]:
    """How an agent of the made-up suite calls a tool behind the `code` door."""
    return "run_code", {"program": [{"tool": tool, "arguments": arguments}]}


MADEUP = Subject(
    suite=suite("madeup", "tests.protocol.madeup"),
    folder=Path(__file__).parent / "tasks" / "madeup",
    task_set="madeup-v0",
    indices=tuple(range(7)),
    generated={"madeup-v0": tuple(range(7)), "madeup-many": (0, 1, 999), "madeup-early": (0, 1, 2)},
    wrap=through_a_program,
    spare=frozenset({"shake"}),
)

EARLY = replace(MADEUP, task_set="madeup-early", indices=(0, 1, 2), generated={})
"""An archived set: the tasks of a generator that is no more."""

PETRI = Subject(
    suite=suite("petri"),
    folder=ROOT / "tasks" / "petri",
    task_set="swarm-v0",
    indices=(0, 2, 4),  # one a tier
    generated={  # quick ones of each kind
        "swarm-v0": (3,),
        "pilot-v0": (2, 5),
        "core-v0": (2, 8),
        "l2-v0": (4,),
        "l3-v0": (8,),
        "paired-v0": (4,),
        "paired-v0b": (1,),
        "vector-v0": (1,),
        "blind-v0": (3,),
        "l4-v0": (7,),
        "core-v1": (0, 59),
        "core-v2": (1,),
        "l2-v1": (1,),
        "l3-v1": (2,),
        "wide-v1": (3,),
        "tight-v1": (4,),
        "vector-v1": (1,),
        "blind-v1": (2,),
        "l4-v1": (1,),
        "smoke-v0": (1,),
    },
    examples=60,
    settings={"calibration": {"seeds": 48, "subsamples": 100}, "validation": {"seeds": 12}},
)

# Where `generated` is empty below, the first subject of the suite has these tasks generated again.
WHOLE_PETRI = replace(
    PETRI,
    indices=tuple(range(6)),
    generated={
        **PETRI.generated,
        "swarm-v0": tuple(range(6)),
        "core-v0": tuple(range(10)),
        "l4-v0": tuple(range(8)),
    },
    settings={},
)

PAIRED, VECTOR, BLIND, BOUNDARY = (
    replace(
        PETRI,
        task_set=name,
        indices=(1,),
        generated={},
    )
    for name in ("paired-v0", "vector-v0", "blind-v0", "l4-v0")
)
"""Sets beyond the paper: other tools and other answers."""

CAUSALAB = Subject(
    suite=suite("causalab"),
    folder=ROOT / "tasks" / "causalab",
    task_set="main-v0",
    indices=(0, 1, 2),  # 3, 4 and 5 variables
    generated={
        "main-v0": (0, 3, 249),
        "embodied-v0": (4,),
        "scaling-v0": (4, 20),
        "variants-v0": (0, 2, 9, 11, 12, 13, 14),
        "conduct-v0": (1,),
        "sweep-v0": (0, 999_999),
        "beyond-v0": (2, 3, 4, 6),
        "smoke-v0": (0, 1),
        "main-v1": (0, 249),
        "scaling-v1": (7,),
        "variants-v1": (3, 9, 573),  # the last has a golden trace whose start was a cent off
        "embodied-v1": (1,),
        "prompts-v1": (0, 99),
        "beyond-v1": tuple(range(7)),
    },
    examples=60,
    settings={"calibration": {"env_seeds": 4}, "validation": {"graphs": 20}},
)

EMBODIED = replace(CAUSALAB, task_set="embodied-v0", indices=(0,), generated={})
"""The same laboratory behind another front."""


def texts_of_effects(task: Task) -> Iterator[str]:
    """What no state may show: a property without causes shows its base value, and all others hide theirs."""
    effects = {edge["to"] for edge in task.hidden["model"]["edges"]}
    crystals = task.hidden["crystals"]
    bases = {
        str(at): {name: value for name, value in crystal.items() if name in effects}
        for at, crystal in enumerate([crystals["manipulator"], crystals["reactor"], *crystals["records"]])
    }
    yield from conformance.long_texts(replace(task, hidden={**task.hidden, "crystals": bases}))


BEYOND = replace(
    CAUSALAB,
    task_set="beyond-v1",
    indices=(0, 1, 2),
    generated={},
    hidden_texts=texts_of_effects,
)
"""Noise, interventions that hold, and other families, behind the same tool."""

PILAB = Subject(
    suite=suite("pilab"),
    folder=ROOT / "tasks" / "pilab",
    task_set="reference-v0",
    indices=(2,),  # the baseline goes bankrupt there
    generated={
        "reference-v0": tuple(range(8)),
        "no-memory-v0": (1, 5),
        "many-v0": (0, 1, 999),
        "smoke-v0": (0,),
        "closed-v1": (0, 23),
        "as-published-v1": (3,),
    },
    examples=40,
    shrink=False,
    wrap=through_a_call,
    settings={"calibration": {"runs": ["baseline", "oracle", "no scooping"]}},
)

COLLIDER = Subject(
    suite=suite("collider"),
    folder=ROOT / "tasks" / "collider",
    task_set="mock-v0",
    indices=(0, 4),
    generated={
        "cms-v0": tuple(range(10)),
        "cms-shape-v0": (0, 9),
        "cms-yield-v0": (0, 6),
        "binning-v0": (0, 1),
        "smoke-v0": (0, 1),
        "atlas-v0": (0, 20, 33),
        "atlas-jets-v0": (0, 9),
        "mock-v0": tuple(range(6)),
        "objects-v1": (0, 1),
        "objects-alone-v1": (1,),
    },
    examples=60,
    settings={"validation": {"runs": 12}},
)

HIDDEN = replace(
    COLLIDER,
    task_set="hidden-v0",
    indices=(0, 1),
    generated={"hidden-v0": (0, 1)},
    settings={
        "validation": {
            "events": 100,
            "checks": (
                "chain-decays",
                "chain-cross-sections",
                "chain-efficiencies",
                "chain-filters",
                "chain-detector",
                "chain-cut-flow",
            ),
        }
    },
)
"""What takes the physics chain many events: with another seed, hidden points want references of their own."""

OBJECTS = replace(
    COLLIDER, task_set="objects-v1", indices=(0,), generated={"objects-v1": (0, 1)}, examples=20
)
"""Candidates of events in place of variables, a time limit, and a tool that reads them."""

CMS, ATLAS = (
    replace(COLLIDER, task_set=f"{name}-v0", indices=(0, 3), generated=generated)
    for name, generated in (("cms", {}), ("atlas", {"atlas-v0": (3,)}))
)
"""Published tasks: scripts of known conduct submit nothing there. The physics chain has only those of CMS."""


def computed_texts(task: Task) -> Iterator[str]:
    """Of a deep-research item the values that no document has."""
    for step in task.hidden["x_steps"]:
        if step["kind"] == "compute" and sum(c.isdigit() for c in str(step["value"])) >= 5:
            yield str(step["value"])


def pooled_texts(task: Task) -> Iterator[str]:
    """The numbers of an answer; names and values of studies stand in the documents."""
    for part in str(task.hidden["answer"]).partition("<answer>")[2].removesuffix("</answer>").split("; "):
        if part[-1:].isdigit():
            yield part


WET = Subject(
    suite=suite("sgi"),
    folder=ROOT / "tasks" / "sgi",
    task_set="wet-v0",
    indices=(0, 7, 13),
    generated={
        "wet-v0": tuple(range(0, 20, 3)),
        "dry-v0": (0, 5, 11),
        "smoke-v0": (0, 1, 2, 3),
        "wet-v1": (4, 8),
        "smoke-v1": (2, 5),
        "wet-v2": (4, 8),
        "ideas-v1": (0, 7),
        "dry-v1": (0, 8),
        "research-v1": (0, 9),
        "reasoning-v1": (0, 19, 39),
        "investigation-v1": (0, 4),
    },
    examples=60,
    unjudged=True,
)

DRY = replace(WET, task_set="dry-v0", indices=(1,), generated={}, unjudged=False)
BENCH = replace(WET, task_set="wet-v2", indices=(4,), generated={}, examples=10)
SYNTHESIS = replace(
    WET,
    task_set="research-v1",
    indices=(9,),
    generated={},
    examples=10,
    hidden_texts=pooled_texts,
)
PICTURES = replace(WET, task_set="reasoning-v1", indices=(4,), generated={}, examples=10)
RESEARCH = replace(
    WET,
    task_set="research-v0",
    indices=(0, 5),
    generated={"research-v0": (0, 5, 11), "research-closed-v0": (1,), "research-given-v0": (2,)},
    examples=20,
    hidden_texts=computed_texts,
    unjudged=False,
)
"""What documents say is not hidden: what has to be computed is."""
GIVEN, CLOSED = (
    replace(RESEARCH, task_set=f"research-{mode}-v0", indices=(0,), generated={f"research-{mode}-v0": (0, 3)})
    for mode in ("given", "closed")
)
IDEAS = replace(
    WET,
    task_set="ideas-v0",
    indices=(0, 9),
    generated={"ideas-v0": (0, 9, 15)},
    examples=20,
    unjudged=False,
)
SMOKE = replace(
    WET, task_set="smoke-v0", indices=(0, 1), generated={"smoke-v0": (0, 1, 2, 3)}, unjudged=False
)

REASONING = replace(
    WET,
    task_set="reasoning-v0",
    indices=(0, 13),
    generated={"reasoning-v0": (0, 7, 19), "reasoning-blind-v0": (3,), "reasoning-table-v0": (5,)},
    unjudged=False,
)
TABLES = replace(REASONING, task_set="reasoning-table-v0", indices=(2,), generated={})

pytestmark = pytest.mark.usefixtures("few_events")

SUBJECTS = [
    pytest.param(MADEUP, id="madeup"),
    pytest.param(EARLY, id="madeup, archived"),
    pytest.param(PETRI, id="petri"),
    pytest.param(PAIRED, id="petri, paired"),
    pytest.param(VECTOR, id="petri, vector"),
    pytest.param(BLIND, id="petri, blind"),
    pytest.param(BOUNDARY, id="petri at L4"),
    pytest.param(CAUSALAB, id="causalab"),
    pytest.param(EMBODIED, id="causalab, embodied"),
    pytest.param(BEYOND, id="causalab, beyond the paper"),
    pytest.param(PILAB, id="pilab"),
    pytest.param(COLLIDER, id="collider"),
    pytest.param(CMS, id="collider, cms"),
    pytest.param(OBJECTS, id="collider, objects", marks=pytest.mark.full),
    pytest.param(ATLAS, id="collider, atlas", marks=pytest.mark.full),
    pytest.param(HIDDEN, id="collider, hidden", marks=pytest.mark.full),
    pytest.param(WET, id="sgi, wet"),
    pytest.param(BENCH, id="sgi, wet of version 1"),
    pytest.param(SYNTHESIS, id="sgi, research of version 1"),
    pytest.param(PICTURES, id="sgi, reasoning of version 1"),
    pytest.param(DRY, id="sgi, dry"),
    pytest.param(RESEARCH, id="sgi, research"),
    pytest.param(IDEAS, id="sgi, ideas"),
    pytest.param(GIVEN, id="sgi, research given", marks=pytest.mark.full),
    pytest.param(CLOSED, id="sgi, research closed", marks=pytest.mark.full),
    pytest.param(REASONING, id="sgi, reasoning"),
    pytest.param(TABLES, id="sgi, reasoning by tables", marks=pytest.mark.full),
    pytest.param(SMOKE, id="sgi, smoke", marks=pytest.mark.full),
    pytest.param(WHOLE_PETRI, id="whole petri", marks=pytest.mark.soak),
]


PARAMETERS = {id(param.values[0]): param for param in SUBJECTS}


@pytest.mark.parametrize(
    ("subject", "promise"),
    [
        pytest.param(subject, check, id=f"{given.id}-{check.__name__}", marks=given.marks)
        for subject, check in asked(param.values[0] for param in SUBJECTS)
        for given in [PARAMETERS[id(subject)]]
    ],
)
def test_promise(subject: Subject, promise: Promise) -> None:
    promise(subject)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_frozen_set_is_forgotten(subject: Subject) -> None:
    # A folder with nothing but a commitment is no frozen set yet.
    folders = {path.parent.name for path in subject.folder.glob("*/00000.json")}
    of_suite = [param.values[0] for param in SUBJECTS if param.values[0].suite == subject.suite]
    assert folders <= {name for other in of_suite for name in other.generated}


def test_promises_of_suites_are_asked_of_every_suite() -> None:
    quick = [param.values[0] for param in SUBJECTS if not param.marks]
    for check in OF_SUITES:
        subjects = [subject for subject, each in asked(quick) if each is check]
        assert {subject.suite.name for subject in subjects} == {subject.suite.name for subject in quick}
        assert len(subjects) == len({subject.suite.name for subject in quick})


def test_no_promise_is_forgotten() -> None:
    written = [
        check
        for name, check in inspect.getmembers(conformance, inspect.isfunction)
        if list(inspect.signature(check).parameters) == ["subject"] and not name.startswith("_")
    ]
    assert set(written) == set(PROMISES)
