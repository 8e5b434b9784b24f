"""The settings of the suite, one section for each stage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from assay.config.settings import OneOf, Section
from assay.suites.collider.analysis import TABLES
from assay.suites.collider.checks import CHAIN, CHECKS, KEPT
from assay.suites.collider.figures import FIGURES

DEFAULT_CHECKS = tuple(name for name in CHECKS if not name.startswith((CHAIN, KEPT)))
"""Checks that do not need the programs of the physics chain."""


class Calibration(Section):
    """The difficulty of each task."""


class Validation(Section):
    """Checks of metrics, mock world and provenance examination."""

    runs: int = Field(40, ge=10, description="mock runs of each check that is about statistics")
    events: int = Field(1000, ge=100, description="generated events of each check of the physics chain")
    checks: tuple[Annotated[str, OneOf(CHECKS)], ...] = Field(
        DEFAULT_CHECKS, description="which checks to run"
    )


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[Annotated[str, OneOf(TABLES)], ...] = Field(
        tuple(TABLES), description="which tables to make"
    )


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[Annotated[str, OneOf(FIGURES)], ...] = Field(
        tuple(FIGURES), description="which figures to draw"
    )


class Scan(Section):
    """A grid of points for `snakemake collider_scan`: the acceptance of a search at each of them."""

    paper: str = Field("CMS-SUS-16-046", description="a search that the chain has")
    region: str = Field("signal", description="one of its regions")
    filter: str = Field("none", description="a filter of the generator that no selected event fails")
    model: Literal["T5Wg", "T6gg", "TChiWZ", "T2tt"] = Field("T5Wg", description="a model with two masses")
    heavy: tuple[int, ...] = Field(
        (1750,), description="masses of what is produced, GeV; a rate is kept for each"
    )
    light: tuple[int, ...] = Field(
        (1000,), description="masses of what it decays to, GeV; smaller ones are taken"
    )
    events: int = Field(1000, ge=1, description="behind the filter, of each point")
    seed: int = Field(1, ge=0, description="of each point's sample")


class Settings(Section):
    """All settings of the suite."""

    calibration: Calibration = Field(Calibration(), description="how hard each task is")
    validation: Validation = Field(Validation(), description="checks of metrics, mock world and gate")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
    scan: Scan = Field(Scan(), description="a grid of points, by `snakemake collider_scan`")
