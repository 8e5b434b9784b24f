"""User settings of the suite, with one section per stage."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.config.settings import OneOf, Section
from assay.suites.petri.analysis import TABLES
from assay.suites.petri.checks import CHECKS
from assay.suites.petri.figures import FIGURES


class Calibration(Section):
    """How hard each task is: power over many seeds."""

    seeds: int = Field(
        96,
        ge=48,
        le=200,
        description="runs of every arm; the bands of frozen tasks are those of 96",
    )
    subsamples: int = Field(2000, ge=100, description="draws of 12 of these runs, without replacement")


class Validation(Section):
    """The worlds against published results."""

    seeds: int = Field(
        48,
        ge=12,
        description="runs of every setting that a check looks at; morph takes a quarter, but no less than 12",
    )
    checks: tuple[Annotated[str, OneOf(CHECKS)], ...] = Field(
        tuple(CHECKS), description="which checks to run"
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


class Settings(Section):
    """All of it."""

    calibration: Calibration = Field(Calibration(), description="how hard each task is")
    validation: Validation = Field(Validation(), description="the worlds against published results")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
