"""The table of the reference solver: errors from equal weights, intervals, and what stands beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest
from tests.suites.collider.mocks import task_of

from assay import canonical
from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.measures import metrics
from assay.suites.collider.tables import reproductions
from assay.suites.collider.tools.scripts import CUT_FLOW

PUBLISHED = {
    "agents": ["one", "two"],
    "yields": {
        "sus-16-046_sim-T5Wg": [[0.5, 0.1], [0.13, 0.08]],
        "sus-16-047_sim-T6gg_highHT": [[0.4, 0.1], None],
    },
    "shapes": {
        "sus-16-046_sim-T5Wg": [[0.5, 0.1], [0.13, 0.08]],
        "sus-16-047_sim-T6gg_highHT": [[0.4, 0.1], None],
    },
}


def tables(
    task_set: str, index: int, yields: list[float], selected: int, verdict: str = "PASSED"
) -> Mapping[str, Any]:
    """What the stages know of one episode of `physicist` with that submission."""
    task = task_of(task_set, index)
    at = {"task_set": task_set, "task_id": task.task_id, "agent": "physicist", "attempt": 0}
    r = task.hidden["yields"]
    total = sum(yields) or 1.0
    shape = metrics.distance([y / total for y in yields], [v / sum(r) for v in r])
    d = shape if task.public["mode"] == "shape" else metrics.distance(yields, r)
    values = {"d": d, "d_shape": shape, "solved": 1.0, "events": 2000.0, "selected": float(selected)}
    text = write(Binning.from_json(task.public["histogram"]), yields)
    flow = [
        {"cut": "generated", "events": 2000, "expected": 80.0},
        {"cut": "photon", "events": 500, "expected": 20.0},
        {"cut": "nothing passes", "events": 0, "expected": 0.0},
        {"cut": "nor this", "events": 0, "expected": 0.0},
    ]
    return {
        "tasks": pd.DataFrame(
            [{**at, "public": canonical.dumps(task.public), "hidden": canonical.dumps(task.hidden)}]
        ),
        "episodes": pd.DataFrame([{**at, "submission": canonical.dumps(text)}]),
        "scores": pd.DataFrame([{**at, "metric": name, "value": value} for name, value in values.items()]),
        "audit": pd.DataFrame([{**at, "flag": "verdict", "label": verdict}]),
        "events": pd.DataFrame(
            [
                {
                    **at,
                    "tool": "read_file",
                    "kind": "call",
                    "ok": True,
                    "arguments": canonical.dumps({"path": path}),
                    "parts": canonical.dumps([{"text": text}]),
                }
                for path, text in ((CUT_FLOW, canonical.dumps(flow)), ("report.md", "words"))
            ]
        ),
        "published": [PUBLISHED],
    }


def test_errors_follow_from_equal_weights() -> None:
    """100 events of weight 0.5: a bin of n events has the yield n / 2 and the error sqrt(n) / 2."""
    (row,) = reproductions.reproductions(tables("cms-v0", 1, [0.5, 2.0, 7.5, 40.0], 100)).itertuples()
    r = [0.49, 1.78, 6.10, 46.48]
    size = math.sqrt(sum(v * v for v in r))
    assert row.errors == "0.5 1 1.936 4.472"
    assert row.noise == pytest.approx(math.sqrt(0.25 * 100) / size)
    assert row.margin == pytest.approx((0.33 - row.d) / row.noise)
    assert row.norm == pytest.approx(50.0 / sum(r) - 1)
    assert row.d_low < row.d < row.d_high
    assert (row.best_agent, row.d_rate, row.suspect) == (None, 0.27, False)


def test_only_the_level_of_objects_stands_beside_the_paper() -> None:
    objects, cuts = (
        next(reproductions.reproductions(tables(name, index, [0.3, 0.4, 4.0], 100)).itertuples())
        for name, index in (("objects-v1", 0), ("cms-v0", 5))
    )
    assert (objects.best_agent, objects.best_d) == ("one", 0.4)
    assert cuts.best_agent is None and pd.isna(cuts.best_d)
    assert objects.d == cuts.d


def test_a_larger_sample_has_a_smaller_error_and_the_same_distance() -> None:
    few, many = (
        next(reproductions.reproductions(tables("cms-v0", 1, [0.5, 2.0, 7.5, 40.0], n)).itertuples())
        for n in (100, 10_000)
    )
    assert few.d == many.d
    assert many.noise == pytest.approx(few.noise / 10)
    assert many.d_high - many.d_low < (few.d_high - few.d_low) / 5


def test_a_doubtful_reference_is_called_so() -> None:
    (row,) = reproductions.reproductions(tables("cms-v0", 3, [7.0, 6.0, 5.0], 360)).itertuples()
    assert row.suspect and not row.solved and row.norm > 0.9


def test_in_the_mode_shape_the_total_does_not_count() -> None:
    (row,) = reproductions.reproductions(tables("cms-shape-v0", 1, [1.0, 4.0, 15.0, 80.0], 100)).itertuples()
    assert row.noise == pytest.approx(math.sqrt(100.0) / (100 / 54.85 * 46.917), rel=1e-3)
    assert row.d == row.d_shape and row.best_agent is None and row.d_rate == 0.0


def d_rate(task_set: str, index: int) -> float | None:
    bins = len(task_of(task_set, index).hidden["yields"])
    (row,) = reproductions.reproductions(tables(task_set, index, [1.0] * bins, 100)).itertuples()
    return None if pd.isna(row.d_rate) else row.d_rate


@pytest.mark.parametrize(("task_set", "index"), [("cms-v0", 5), ("cms-yield-v0", 6), ("binning-v0", 1)])
def test_an_error_that_was_found_after_the_set_was_frozen_is_taken_from_the_kept_table(
    task_set: str, index: int
) -> None:
    """The frozen tasks of T6gg hold 0: the error of squarks at 1750 GeV was not known then."""
    assert task_of(task_set, index).hidden["cross_section_error"] == 0.0
    assert d_rate(task_set, index) == 0.30


def test_an_unknown_error_of_the_rate_is_none_and_a_known_zero_is_zero() -> None:
    assert d_rate("atlas-v0", 4) is None  # no cross section is kept for stops of 1000 GeV there
    assert d_rate("atlas-v0", 0) == 0.281  # frozen before the cross sections of its points were kept
    assert d_rate("hidden-v0", 2) == 0.0  # reference and submission take one kept rate
    assert d_rate("mock-v0", 0) == 0.0  # the closed form


def test_fabricated_and_empty_episodes_have_no_row() -> None:
    assert not len(reproductions.reproductions(tables("cms-v0", 1, [1.0] * 4, 10, "FABRICATED")))
    assert not len(reproductions.reproductions(tables("cms-v0", 1, [0.0] * 4, 0)))


def test_a_cut_flow_is_what_the_solver_read() -> None:
    flow = reproductions.cut_flows(tables("cms-v0", 1, [1.0] * 4, 4))
    assert list(flow["events"]) == [2000, 500, 0, 0]
    assert list(flow["share"]) == [1.0, 0.25, 0.0, 0.0]
