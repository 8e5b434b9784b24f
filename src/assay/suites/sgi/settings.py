"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.config.settings import OneOf, Section
from assay.suites.sgi.analysis import TABLES
from assay.suites.sgi.checks import CHECKS
from assay.suites.sgi.figures import FIGURES


class Calibration(Section):
    """How hard each item is."""

    guesses: int = Field(20, ge=1, description="random answers an item, for the score of chance")


class Validation(Section):
    """Formulas against what is published."""

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

    calibration: Calibration = Field(Calibration(), description="how hard each item is")
    validation: Validation = Field(Validation(), description="formulas against what is published")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
