"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.config.settings import OneOf, Section
from tests.protocol.madeup.analysis import TABLES
from tests.protocol.madeup.checks import CHECKS
from tests.protocol.madeup.figures import FIGURES


class Calibration(Section):
    """How hard each task is."""

    guesses: int = Field(20, ge=1, description="random answers a task, for the score of chance")


class Validation(Section):
    """Checks of the world."""

    checks: tuple[Annotated[str, OneOf(CHECKS)], ...] = tuple(CHECKS)
    urns: int = Field(40, ge=2, description="urns that are emptied to see whether draws are fair")


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[Annotated[str, OneOf(TABLES)], ...] = tuple(TABLES)


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[Annotated[str, OneOf(FIGURES)], ...] = tuple(FIGURES)


class Settings(Section):
    """All of it."""

    calibration: Calibration = Calibration()
    validation: Validation = Validation()
    analysis: Analysis = Analysis()
    figures: Figures = Figures()
