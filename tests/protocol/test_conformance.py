"""Every suite keeps every promise of the protocol."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from assay.suite import suite
from tests.protocol import conformance
from tests.protocol.conformance import PROMISES, ROOT, Promise, Subject


def through_a_program(tool: str, arguments: object) -> tuple[str, object]:
    """How an agent of the made-up suite calls a tool behind the `code` door."""
    return "run_code", {"program": [{"tool": tool, "arguments": arguments}]}


MADEUP = Subject(
    suite=suite("madeup", "tests.protocol.madeup"),
    folder=Path(__file__).parent / "tasks" / "madeup",
    task_set="madeup-v0",
    indices=tuple(range(7)),
    generated={"madeup-v0": tuple(range(7)), "madeup-many": (0, 1, 999)},
    wrap=through_a_program,
    spare=frozenset({"shake"}),
)

PETRI = Subject(
    suite=suite("petri"),
    folder=ROOT / "tasks" / "petri",
    task_set="swarm-v0",
    indices=(0, 2, 4),  # one a tier
    generated={  # quick ones of each kind
        "swarm-v0": (3,),
        "core-v0": (2, 8),
        "l2-v0": (4,),
        "l3-v0": (8,),
        "paired-v0": (4,),
        "vector-v0": (1,),
        "blind-v0": (3,),
        "l4-v0": (7,),
    },
    examples=60,
    settings={"calibration": {"seeds": 48, "subsamples": 100}, "validation": {"seeds": 12}},
)

WHOLE_PETRI = replace(
    PETRI,
    indices=tuple(range(6)),
    generated={"swarm-v0": tuple(range(6)), "core-v0": tuple(range(10)), "l4-v0": tuple(range(8))},
    settings={},
)

PAIRED, VECTOR, BLIND, BOUNDARY = (
    replace(PETRI, task_set=f"{name}-v0", indices=(1,)) for name in ("paired", "vector", "blind", "l4")
)
"""Sets beyond the paper: other tools and other answers."""

WET = Subject(
    suite=suite("sgi"),
    folder=ROOT / "tasks" / "sgi",
    task_set="wet-v0",
    indices=(0, 7, 13),
    generated={"wet-v0": tuple(range(0, 20, 3)), "dry-v0": (0, 5, 11)},
    examples=60,
    settings={"validation": {"items": 12}},
)

DRY = replace(WET, task_set="dry-v0", indices=(1,))

SUBJECTS = [
    pytest.param(MADEUP, id="madeup"),
    pytest.param(PETRI, id="petri"),
    pytest.param(PAIRED, id="petri, paired"),
    pytest.param(VECTOR, id="petri, vector"),
    pytest.param(BLIND, id="petri, blind"),
    pytest.param(BOUNDARY, id="petri at L4"),
    pytest.param(WET, id="sgi, wet"),
    pytest.param(DRY, id="sgi, dry"),
    pytest.param(WHOLE_PETRI, id="whole petri", marks=pytest.mark.full),
]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_promise(subject: Subject, promise: Promise) -> None:
    promise(subject)


def test_no_promise_is_forgotten() -> None:
    written = [
        check
        for name, check in inspect.getmembers(conformance, inspect.isfunction)
        if list(inspect.signature(check).parameters) == ["subject"] and not name.startswith("_")
    ]
    assert set(written) == set(PROMISES)
