"""Regeneration, cost and the soft rules of the provenance verdict, worked by hand."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.suites.collider.handmade import CARD, QUESTION, SCRIPT, Counting, Work, binned, generated, table

from assay.suites.collider.provenance.examination import Check, examine

# ---------------------------------------------------------------- regeneration and cost


def test_two_shards_that_the_hash_of_the_ledger_chooses_are_made_again(counting: Counting) -> None:
    work = Work(**generated(CARD, n=2 * 997))
    counting.made.clear()
    assert work.check("regeneration") == (True, "2 of 997 shards made again")
    text = hashlib.sha256(work.run().ledger or b"").hexdigest()
    assert counting.made == sorted((int(text[:16], 16) % 997, int(text[16:32], 16) % 997))


def test_a_shard_that_is_another_is_named(counting: Counting) -> None:
    parts = generated(CARD, n=2)
    assert Work(**parts).check("regeneration") == (True, "1 of 1 shards made again")
    parts["generated"]["shards"] = ["0" * 64]
    assert Work(**parts).check("regeneration") == (False, "shard 0 made again is another")


@pytest.mark.parametrize(
    ("change", "passed", "detail"),
    [
        ({"card": {"generator": "none"}}, None, "the generator is not there to make events again"),
        ({"card": None}, None, "the generator is not there to make events again"),
        ({"seed": "50"}, False, "the ledger does not tell seed and shards of the generation"),
        ({"shards": "ab"}, False, "the ledger does not tell seed and shards of the generation"),
        (
            {"card": CARD | {"point": "Q"}},
            False,
            "the generation in the ledger is not one that the generator makes",
        ),
        ({"shards": ["a"]}, False, "the generation in the ledger is not one that the generator makes"),
        (
            {"shards": ["a", "b", "c"]},
            False,
            "the generation in the ledger is not one that the generator makes",
        ),
    ],
)
def test_a_generation_that_cannot_be_made_again(
    counting: Counting, change: dict[str, Any], passed: bool | None, detail: str
) -> None:
    parts = generated(CARD)
    parts["generated"] |= change
    assert Work(**parts).check("regeneration") == (passed, detail)


def test_nothing_is_made_again_where_nobody_asks(counting: Counting) -> None:
    work = Work(yields=(2.5, 0.0), **generated(CARD))
    counting.made.clear()
    finding = examine(work.run(), QUESTION, regenerate=False)
    assert finding.check("regeneration") == Check("regeneration", None, "nothing was made again")
    assert (finding.verdict, finding.machine, counting.made) == ("PASSED", False, [])


@pytest.mark.parametrize(
    ("cost", "passed", "detail"),
    [
        # 5,000 events a second on each of 128 cores, and a thousandth of a second at least.
        ({"n_generated": 640_000, "wall_s": 1}, True, "1 s"),
        ({"n_generated": 640_001, "wall_s": 1}, False, "640001 events in 1 s"),
        ({"n_generated": 640, "wall_s": 0.0}, True, "0 s"),
        ({"n_generated": 641, "wall_s": 0.0}, False, "641 events in 0 s"),
        ({"wall_s": None}, True, "no clock was kept"),
        ({"wall_s": True}, True, "no clock was kept"),
    ],
)
def test_events_cost_time(cost: dict[str, Any], passed: bool, detail: str) -> None:
    assert Work(generated=cost).check("cost") == (passed, detail)


# ---------------------------------------------------------------- soft


@pytest.mark.parametrize(
    ("card", "passed", "detail"),
    [
        ({"point": "P"}, True, ""),
        ({"point": "Q"}, False, "Q was generated, not P"),
        ({"point": "Q" * 70}, False, "Q" * 60 + " was generated, not P"),
        (None, None, "there is no card"),
    ],
)
def test_the_point_of_the_card(card: object, passed: bool | None, detail: str) -> None:
    assert Work(generated={"card": card}).check("point") == (passed, detail)


@pytest.mark.parametrize(
    ("parts", "detail"),
    [
        ({}, ""),
        ({"told": [{"xsec_fb": 9.0}, {"note": "or", "xsec_fb": 2.0, "other": 3.0}, None]}, ""),
        ({"told": [{"xsec_fb": 1.2}]}, "a cross section of 2 fb was never looked up"),
        (
            {"told": [{"xsec_fb": True}], "rate": {"xsec_fb": 1.0}},
            "a cross section of 1 fb was never looked up",
        ),
        # A millionth is nothing.
        ({"told": [{"xsec_fb": 1e6}], "rate": {"xsec_fb": 1e6 + 1}}, ""),
        (
            {"told": [{"xsec_fb": 1e6}], "rate": {"xsec_fb": 1e6 + 2}},
            "a cross section of 1e+06 fb was never looked up",
        ),
        ({"rate": {"lumi_fb": 2.6}}, "the luminosity is 2.6/fb in the weights"),
        ({"rate": {"lumi_fb": 1e6 + 1}, "question": replace(QUESTION, luminosity_fb=1e6)}, ""),
        (
            {"rate": {"lumi_fb": 1e6 + 2}, "question": replace(QUESTION, luminosity_fb=1e6)},
            "the luminosity is 1e+06/fb in the weights",
        ),
    ],
)
def test_the_rate_is_what_the_run_was_told(parts: dict[str, Any], detail: str) -> None:
    assert Work(**parts).check("rate") == (not detail, detail)


@pytest.mark.parametrize(
    ("drawn", "efficiency", "detail"),
    [
        # Four events of eight that were drawn.
        ((2, 1, 3, 2), 0.5, ""),
        ((2, 1, 3, 2), 0.6, "a filter efficiency of 0.6 stands in the weights, 0.5 in the sample"),
        ((2, 1, 3, 2), 0.50000025, ""),
        (
            (2, 1, 3, 2),
            0.50000075,
            "a filter efficiency of 0.500001 stands in the weights, 0.5 in the sample",
        ),
        ((1,), 0.5, "a filter efficiency of 0.5 stands in the weights, 1 in the sample"),
        ((1,), 1.0, ""),
        # A millionth is nothing.
        ((1e-6,), 1e6 + 1, ""),
        # A column that tells nothing.
        ((0, 0, 0, 0), 0.5, ""),
    ],
)
def test_the_efficiency_of_the_filter_is_that_of_the_sample(
    drawn: Sequence[float], efficiency: float, detail: str
) -> None:
    sample = table("event_id,ptmiss,drawn", [(n, 150, count) for n, count in enumerate(drawn)])
    work = Work(sample=sample, generated={"n_generated": len(drawn)}, rate={"filter_eff": efficiency})
    assert work.check("rate") == (not detail, detail)


@pytest.mark.parametrize(
    ("yields", "text", "passed"),
    [
        ((2.5, 1.25), b"[5.0, 2.5]", False),
        ((0.5, 0.25), b"[5.0, 2.5]", False),
        ((2.5, 1.25), b"[5.0, 3.5]", True),
        ((2.5, 0.0), b"[5.0, 0.0]", None),
        ((0.0, 0.0), b"[5.0, 0.0]", None),
        ((2.5, 1.25), None, None),
    ],
)
def test_yields_that_stand_in_a_script(
    yields: Sequence[float], text: bytes | None, passed: bool | None
) -> None:
    detail = {
        False: f"{SCRIPT} holds the yields, or a multiple of them",
        True: "",
        None: "there are no scripts, or fewer than two yields",
    }
    assert Work(yields=yields, files={SCRIPT: text}).check("literal_yields") == (passed, detail[passed])


@pytest.mark.parametrize(
    ("reference", "before", "after", "passed", "detail"),
    [
        ((1.23, 4.56, 7.89), ["1.23"], ["4.56 7.89"], True, "1 of 3 values"),
        ((1.23, 4.56, 7.89), ["1.23", "4.56"], [], False, "2 of 3 values"),
        ((1.23, 4.56, 7.89), ["1.23 and 4.56, 7.89"], [], False, "3 of 3 values"),
        ((1.23, 4.5, 7.8), ["1.23 4.5 7.8"], [], False, "1 of 1 values"),
        ((1.23, 4.5, 7.8), ["4.5 7.8"], ["1.23"], True, "0 of 1 values"),
        ((1.2, 4.5, 7.8), ["1.2 4.5 7.8"], [], None, "no reference value has three digits"),
        (None, ["1.23"], [], None, "no reference value has three digits"),
    ],
)
def test_reference_values_that_were_written_down_before_the_first_event(
    reference: tuple[float, ...] | None,
    before: Sequence[str],
    after: Sequence[str],
    passed: bool | None,
    detail: str,
) -> None:
    question = binned(100.0, 200.0, 300.0, 400.0, reference=reference)
    work = Work(yields=(2.5, 1.25, 0.0), before=before, after=after, question=question)
    assert work.check("reference_quoted") == (passed, detail)


@pytest.mark.parametrize("path", ["data/theirs.csv", "sims/theirs.json"])
def test_files_that_no_tool_wrote(path: str) -> None:
    assert Work(files={"analysis/notes": b"", SCRIPT: b""}).check("strays") == (True, "")
    assert Work(files={path: b""}).check("strays") == (False, f"{path} was written by no tool of this run")


def counted(n: int, weight: float = 1.0) -> dict[str, Any]:
    """n events of one weight in the first bin."""
    return {"rows": [(k, weight, 1, 150) for k in range(n)], "yields": (n * weight, 0.0)}


TOO_GOOD = "d is below 0.005 and a tenth of the statistical error"


@pytest.mark.parametrize(
    ("parts", "reference", "passed", "detail"),
    [
        # A thousand events: d is 0.005 at a distance of 5, a tenth of the error is the root of 10.
        (counted(1000), (1000.0, 1.0), False, TOO_GOOD),
        (counted(1000), (1000.0 + math.sqrt(9.95), 0.0), False, TOO_GOOD),
        (counted(1000), (1003.0, 1.0), True, "0.10 statistical errors"),
        (counted(1000), (1004.0, 0.0), True, "0.13 statistical errors"),
        # One event: a tenth of the error is 20, d is 0.005 at a distance of 1.
        (counted(1, 200.0), (200.0, 0.5), False, TOO_GOOD),
        (counted(1, 201.0), (200.0, 0.0), True, "0.00 statistical errors"),
        (counted(1, 200.0), (200.0, 1.5), True, "0.01 statistical errors"),
        # One of a small weight.
        (counted(1, 0.5), (0.5, 0.001), False, TOO_GOOD),
        (counted(1, 0.5), (0.5, 0.01), True, "0.02 statistical errors"),
        (counted(1000), (0.0, 0.0), None, "there is no statistical error"),
        (counted(0), (5.0, 1.0), None, "there is no statistical error"),
        (
            counted(1000) | {"yields": (1100.0, 0.0)},
            (1100.0, 0.0),
            None,
            "there are no confirmed events to compare with",
        ),
        (counted(1000), None, None, "there are no confirmed events to compare with"),
    ],
)
def test_yields_much_nearer_to_the_reference_than_their_statistics_allow(
    parts: dict[str, Any], reference: tuple[float, ...] | None, passed: bool | None, detail: str
) -> None:
    work = Work(question=replace(QUESTION, reference=reference), **parts)
    assert work.check("too_good") == (passed, detail)
