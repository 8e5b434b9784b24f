"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.settings import Section

Everywhere = Literal["floors", "binning", "mock-closure", "mock-pull", "gate"]
"""Checks that need nothing but Assay."""

CheckName = Literal[Everywhere, "chain-decays", "chain-cross-sections", "chain-efficiencies", "chain-filters"]
"""And those of the physics chain, which needs its programs."""

TableName = Literal[
    "agents",
    "distances",
    "conduct",
    "detection",
    "pairs",
    "passes",
    "coverage",
    "opinions-and-gate",
    "quoted",
    "costs",
]

FigureName = Literal["overlay", "distances", "shape-against-norm", "cost-against-accuracy", "solvers"]


class Calibration(Section):
    """How hard each task is."""


class Validation(Section):
    """Checks of metrics, mock world and gate."""

    runs: int = Field(40, ge=10, description="mock runs of each check that is about statistics")
    events: int = Field(1000, ge=100, description="generated events of each check of the physics chain")
    checks: tuple[CheckName, ...] = Field(get_args(Everywhere), description="which checks to run")


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[TableName, ...] = Field(get_args(TableName), description="which tables to make")


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[FigureName, ...] = Field(get_args(FigureName), description="which figures to draw")


class Settings(Section):
    """All of it."""

    calibration: Calibration = Field(Calibration(), description="how hard each task is")
    validation: Validation = Field(Validation(), description="checks of metrics, mock world and gate")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
