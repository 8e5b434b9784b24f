"""Regeneration, cost and the soft rules of the provenance verdict, worked by hand."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.suites.collider.handmade import CARD, QUESTION, SCRIPT, Counting, Work, binned, generated, table

from assay.suites.collider.drills.forged import relined
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.provenance.case import Contradicted
from assay.suites.collider.provenance.examination import Check, examine
from assay.suites.collider.provenance.rules.hints import too_good

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
    parts["generated"]["seed"] = 51
    assert Work(**parts).check("regeneration") == (False, "shard 0 made again is another")
    parts["generated"]["shards"] = ["0" * 64]
    assert Work(**parts).check("regeneration") == (
        False,
        "shard 0 of the sample is not what the ledger says",
    )


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
    assert (finding.verdict, counting.made) == ("UNDECIDED", [])


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
    ("drawn", "efficiency", "passed"),
    [
        # Four events of eight that were drawn.
        ((2, 1, 3, 2), 0.5, True),
        ((2, 1, 3, 2), 0.4, False),
        # Three digits may be rounded away.
        ((2, 1, 3, 2), 0.50049, True),
        ((2, 1, 3, 2), 0.50051, False),
        # It was forgotten.
        ((2, 1, 3, 2), 1.0, True),
        ((1,), 0.5, False),
        ((1,), 1.0, True),
        # A column that tells nothing.
        ((0, 0, 0, 0), 0.5, True),
    ],
)
def test_the_efficiency_of_the_filter_is_that_of_the_sample(
    drawn: Sequence[float], efficiency: float, passed: bool
) -> None:
    sample = table("event_id,ptmiss,drawn", [(n, 150, count) for n, count in enumerate(drawn)])
    weight = 5 * efficiency / len(drawn)
    work = Work(
        sample=sample,
        generated={"n_generated": len(drawn)},
        rate={"filter_eff": efficiency, "n_generated": len(drawn)},
        rows=[(0, weight, 1, 150)],
    )
    assert work.check("weights")[0] is passed


def test_a_filter_that_was_forgotten_needs_a_judge() -> None:
    sample = table("event_id,ptmiss,drawn", [(n, 150, 2) for n in range(4)])
    told = (False, "the filter efficiency of 0.5 is missing in the weights")
    assert Work(sample=sample).check("rate") == told
    assert Work(sample=sample, rate={"filter_eff": 0.5}).check("rate") == (True, "")


def test_a_branching_fraction_is_one_of_the_card(counting: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = replace(counting.generator(), shares=lambda card: (0.8, 0.1))
    monkeypatch.setattr(generators, "GENERATORS", {"counting": generator})
    for share, passed in (
        (0.08, True),
        (0.0815, True),
        (0.0817, False),
        (0.1, True),
        (1.0, True),
        (0.5, False),
    ):
        assert Work(rate={"br": share}, **generated(CARD)).check("rate")[0] is passed, share


def test_a_rate_is_that_of_the_process_and_mass_of_the_card(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = replace(counting.generator(), rate_of=lambda card: ("pair", 700.0))
    monkeypatch.setattr(generators, "GENERATORS", {"counting": generator})
    for argv, passed in (({"process": "pair", "mass": 700}, True), ({"process": "pair", "mass": 650}, False)):
        run = Work(**generated(CARD)).run()
        looked_up = relined(run, lambda e, a=argv: e.update(argv=a) if e["tool"] == "cross_section" else None)
        assert examine(looked_up, QUESTION, regenerate=False).check("rate").passed is passed


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
    """The yields of n events of one weight in the first bin, and their statistical errors."""
    return {"yields": (n * weight, 0.0), "noise": (weight * math.sqrt(n), 0.0)}


def both(n: int) -> dict[str, Any]:
    """The yields of n events in each of two bins."""
    return {"yields": (float(n), float(n)), "noise": (math.sqrt(n), math.sqrt(n))}


@pytest.mark.parametrize(
    ("parts", "reference", "passed"),
    [
        # A thousand events: half an event is 0.016 statistical errors, which one run of eighty is near.
        (counted(1000), (1000.0, 1.0), True),
        (counted(1_000_000), (1_000_000.0, 1.0), True),
        # Both bins so near: one run of a million.
        (both(1_000_000), (1_000_000.0, 1_000_000.0), False),
        (both(1_000_000), (1_000_000.0, 1_000_300.0), True),
        # One event is never near.
        (counted(1, 200.0), (200.0, 0.5), True),
    ],
)
def test_yields_much_nearer_to_the_reference_than_their_statistics_allow(
    parts: dict[str, Any], reference: tuple[float, ...], passed: bool
) -> None:
    noise, yields = parts["noise"], parts["yields"]
    case: Any = SimpleNamespace(
        validity=SimpleNamespace(yields=yields),
        question=SimpleNamespace(reference=reference, shape=False, windows=None),
        events=None,
        monte_carlo=noise,
        outcome=lambda name: True,
    )
    try:
        too_good(case)
    except Contradicted:
        assert not passed
    else:
        assert passed


def test_without_a_reference_nothing_is_too_good() -> None:
    assert Work().check("too_good") == (True, "there are no confirmed events to compare with")
