"""Mutants of the engines: sound, and each killed by a check or explained."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from tests.suites.petri.playing import ROOT

from assay.suites.petri.checks import CHECKS, mutants
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.worlds import WORLDS

ALL = [(world, name) for world, of_world in mutants.MUTANTS.items() for name in of_world]
COMMITTED = {
    (row["world"], row["mutant"]): row["killed_by"].split()
    for row in csv.DictReader(io.StringIO(mutants.committed()))
}


def test_every_engine_has_mutants():
    assert list(mutants.MUTANTS) == list(WORLDS)
    assert min(len(of_world) for of_world in mutants.MUTANTS.values()) >= 25


@pytest.mark.parametrize(("world", "name"), ALL, ids=lambda part: part)
def test_a_mutant_changes_its_engine_in_one_place(world, name):
    compile(mutants.source(world, name), name, "exec")
    assert mutants.source(world, name) != (mutants.ENGINES / f"{world}.py").read_text(encoding="utf-8")


def test_a_text_that_is_not_unique_is_refused(monkeypatch):
    unsound = mutants.Mutant("np.float32", "np.float64", "everything")
    monkeypatch.setattr(mutants, "MUTANTS", {"morph": {"vague": unsound}})
    with pytest.raises(mutants.UnsoundMutant, match="occurs"):
        mutants.source("morph", "vague")


def test_a_survivor_is_explained_and_no_other_mutant_is():
    assert list(COMMITTED) == ALL, "run: assay petri mutants --write src/assay/suites/petri/data/kills.csv"
    for (world, name), killers in COMMITTED.items():
        explained = bool(mutants.MUTANTS[world][name].survives)
        assert explained == (not killers), f"{world} {name}"
        assert all(check in CHECKS and check.startswith(world) for check in killers)


def test_every_check_kills_some_mutant():
    assert {check for killers in COMMITTED.values() for check in killers} == set(CHECKS)


@pytest.mark.parametrize(("world", "name"), [("social", "mu-halved"), ("social", "stubborn-centre")])
def test_killers_are_those_of_the_committed_table(world, name):
    before = replicates(world, WORLDS[world].control, [1]).copy()
    assert mutants.killers(world, name, mutants.SEEDS) == COMMITTED[world, name]
    assert np.array_equal(replicates(world, WORLDS[world].control, [1]), before), "the engine is back"


def test_the_page_shows_the_committed_table():
    page = ROOT / "docs" / "petri-mutants.md"
    assert page.read_text(encoding="utf-8") == mutants.page(mutants.committed()), (
        "run: assay petri mutants --page docs/petri-mutants.md"
    )


@pytest.mark.full
def test_the_committed_table_is_what_the_command_writes():
    assert mutants.table(mutants.run(mutants.MUTANTS)) == mutants.committed()
