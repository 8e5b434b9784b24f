"""User settings of the suite, with one section per stage."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.config.settings import OneOf, Section
from assay.suites.causalab.analysis import TABLES
from assay.suites.causalab.checks import CHECKS
from assay.suites.causalab.figures import FIGURES


class Calibration(Section):
    """How hard each task is."""

    env_seeds: int = Field(20, ge=2, description="reactor crystals tried for the share beyond range")


class Validation(Section):
    """Models and metrics against the paper."""

    graphs: int = Field(50, ge=10, description="graphs of every size")
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
    validation: Validation = Field(Validation(), description="models and metrics against the paper")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
