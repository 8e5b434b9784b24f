"""Figures of docs/causalab.md are those of a build (`ASSAY_BUILD=FOLDER make soak ARGS="-k documented"`)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def tables() -> Any:
    build = os.environ.get("ASSAY_BUILD")
    if not build:
        pytest.skip("ASSAY_BUILD names no folder of a build")
    folder = Path(build) / "results" / "causalab" / "tables"
    return {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}


@pytest.fixture(scope="module")
def stated() -> str:
    """The section with results, in one line."""
    text = (ROOT / "docs/causalab.md").read_text("utf-8")
    return " ".join(text.partition("## Results of the default build")[2].partition("\n## ")[0].split())


def rows(tables: Any, agent: str, setting: str) -> Any:
    """The rows of an agent in the settings that match a pattern, by number of variables."""
    result = tables["recovery"]
    there = result["setting"].map(lambda name: re.fullmatch(setting, name) is not None)
    return result[(result["agent"] == agent) & there].sort_values("nodes")


def f1(value: float) -> str:
    """As the page writes it: two digits, and no zero before the point."""
    return f"{value:.2f}".removeprefix("0")


def test_documented_numbers_of_graphs(tables: Any, stated: str) -> None:
    results = [set(rows(tables, "exact", s)["rows"]) for s in ("main", r"\d+o\d+i", "hidden_.*|golden")]
    assert results == [{50}, {5}, {10}]
    assert "50 graphs of each size in `main-v0`, five of each regime in `scaling-v0`, ten of each" in stated


def test_documented_results_of_exact(tables: Any, stated: str) -> None:
    main = rows(tables, "exact", "main")
    assert (set(main["edge_f1"]), set(main["shd"]), set(main["solved_solvable"])) == ({1}, {0}, {100})
    assert list(main["interventions"]) == list(main["nodes"] - 1)
    assert f"all {main['rows'].sum()} graphs with k - 1 interventions; accuracy 100 % over solvable" in stated
    assert f"{', '.join(f'{value:g}' for value in main['solved'])} for 3 to 7 variables" in stated


def test_documented_results_without_interventions(tables: Any, stated: str) -> None:
    seen = rows(tables, "exact", r"\d+o0i")
    assert set(seen["edge_precision"]) == set(seen["freq_edge_f1"]) == set(seen["freq_weight_f1"]) == {1}
    four, six = (set(seen[seen["nodes"] == nodes]["edge_f1"].map(f1)) for nodes in (4, 6))
    assert f"F1 {four.pop()} and {six.pop()} (4 and 6 variables), all of it precision 1" in stated
    assert not four | six, "one figure for all numbers of records"
    prior = rows(tables, "map", "main")
    assert set(prior["interventions"]) == {0}
    assert f"`map` reaches {f1(min(prior['edge_f1']))} to {max(prior['edge_f1']):g} from two" in stated


def test_documented_results_of_variants(tables: Any, stated: str) -> None:
    caused = rows(tables, "exact", "freqparent")
    assert set(caused["freq_weight_f1"]) == {1}
    assert f"equation is exact, F1 {' and '.join(map(f1, caused['edge_f1']))}." in stated
    near = rows(tables, "exact", "hidden_.*").set_index("setting")["edge_f1"]
    assert (near.idxmin(), near.idxmax()) == ("hidden_n3", "hidden_freqnode_n1")
    assert f"`exact` falls to {f1(near.min())} (three properties) and keeps {f1(near.max())} at" in stated
    far = rows(tables, "exact-far", "hidden_.*")
    assert (len(far), set(far["shd"])) == (9, {0})
    assert f"`exact-far` keeps {f1(min(far['edge_f1']))} in all nine" in stated
    flags = tables["flags"]
    raised = flags[(flags["agent"] == "exact-far") & (flags["flag"] == "out_of_range")]
    raised = raised[raised["setting"].str.startswith("hidden_")]
    assert len(raised) == 9 and list(raised["raised"]) == list(raised["decided"]) == list(far["rows"])
    (hard,) = rows(tables, "exact", "quad-hard").itertuples()
    result = (hard.edge_f1, hard.solved, hard.freq_weight_quad, hard.freq_weight_f1)
    assert result == (1, 100, 1, 0), "every graph and prediction, weights within a per cent, none within 1e-6"


def test_documented_worth_of_a_check_and_of_the_audit(tables: Any, stated: str) -> None:
    gain = tables["verification"].set_index("agent")["gain"]
    assert f"`committer` gains {gain['committer']:g} points" in stated
    assert f"the paper's model {gain['GPT-5-mini']:g} points" in stated
    assert set(tables["detection"]["sensitivity"]) == set(tables["detection"]["specificity"]) == {1}
