"""Shortcuts: solvers that score without finding out what was changed. None of them is told the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.petri.boundary import TIER
from assay.suites.petri.solvers.client import Client
from assay.suites.petri.v1.solvers import shortcuts as held
from assay.suites.petri.v1.solvers.acts import is_held
from assay.suites.petri.v1.solvers.client import Act
from assay.suites.petri.v1.solvers.client import Client as HeldClient
from assay.suites.petri.v1.solvers.simulator import simulator
from assay.suites.petri.validity.shortcuts import boundaries, edges, guessing, passing, tables

Play = Callable[[Brief, Call, Stream, Any], None]


BOUNDARIES: Mapping[Act, Play] = {held.form: boundaries.form, held.dummy: boundaries.dummy}
"""Shortcuts at tier L4, by those of the same name at other tiers."""


def _of_both(v0: Play | None, v1: Act, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play a task of the sets v0 or v1; a shortcut without a part in v0 or at L4 makes no call there."""
    if is_held(brief):
        v1(HeldClient(brief, call), stream, hidden)
    elif Client(brief, call).tier == TIER:
        at_boundaries = BOUNDARIES.get(v1)
        if at_boundaries is not None:
            at_boundaries(brief, call, stream, hidden)
    elif v0 is not None:
        v0(brief, call, stream, hidden)


def _at_boundaries(act: Play, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play a task of tier L4, and make no call at others."""
    if not is_held(brief) and Client(brief, call).tier == TIER:
        act(brief, call, stream, hidden)


SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        partial(_of_both, guessing.form, held.form),
        "Submits the first candidate and the first words, without an experiment.",
        exploits="An answer in the right form earns points where it happens to be right.",
    ),
    "shortcut-dummy": Solver(
        partial(_of_both, guessing.dummy, held.dummy),
        "Makes one experiment with a candidate, whatever it shows, and guesses the rest.",
        exploits="A guess that is right by chance earns the points for rigor and efficiency, too.",
    ),
    "shortcut-tables": Solver(
        partial(_of_both, tables.read, held.reader),
        "Reads in the tables of the package which candidate can be the driver, and stages the experiment.",
        exploits=(
            "The package says which parameters drive a target, with which value, and which serve as decoys; "
            "a candidate that never serves as a decoy is a driver."
        ),
    ),
    "shortcut-middle": Solver(
        partial(_at_boundaries, boundaries.middle),
        "Measures on both sides of the middle of the range and answers the middle.",
        exploits="Two measurements for show support an answer that happens to be near.",
    ),
    "shortcut-prior": Solver(
        partial(_at_boundaries, boundaries.prior),
        "Answers where most boundaries of the public simulation lie, after a measurement on each side.",
        exploits="The ranges of the hidden parameters are in the package, and so is the simulation.",
    ),
    "shortcut-glance": Solver(
        partial(_of_both, None, held.glance),
        "Probes the control once and guesses the parameter.",
        exploits="One probe shows direction and size, which earn points with a lucky parameter.",
    ),
    "shortcut-edges": Solver(
        partial(_of_both, edges.play, held.edges),
        "Tests both ends of the ranges in the open world; in v1 after one probe of the control.",
        exploits="Refusals give the ranges away (v0), and only some candidates may reach the hidden effect.",
    ),
    "shortcut-learned": Solver(
        partial(_of_both, None, held.learned),
        "Learns from public tasks which candidate is changed most often, given world and effect.",
        exploits="A generator may prefer some parameters.",
    ),
    "shortcut-simulator": Solver(
        partial(_of_both, None, simulator),
        "Probes the control and three other backgrounds, and simulates there what each candidate would show.",
        exploits="The simulation is public, and candidates that act alike at control differ elsewhere.",
    ),
    "shortcut-copier": Solver(
        partial(_of_both, None, passing.copier),
        "Submits what the numbers of the prompt suggest: the candidate with the most room in its range.",
        exploits="A change must fit into the range of a parameter, so ranges may tell what can be changed.",
    ),
    "shortcut-free": Solver(
        partial(_of_both, None, passing.free),
        "Makes every call that costs nothing, and submits the candidate whose replies stand out.",
        exploits="Refusals and claims cost no experiment.",
    ),
    "shortcut-reopen": Solver(
        partial(_of_both, None, passing.reopen),
        "Opens the task anew at each attempt, and answers in another way.",
        exploits="A task can be opened again until a guess is lucky.",
    ),
}
"""All shortcuts by name; those that begin with a probe have no part in the sets v0."""
