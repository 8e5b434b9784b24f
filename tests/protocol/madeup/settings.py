"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.config.settings import Section

TableName = Literal["answers", "opinions-and-answers", "tiers"]


class Calibration(Section):
    """How hard each task is."""

    guesses: int = Field(20, ge=1, description="random answers a task, for the score of chance")


class Validation(Section):
    """Checks of the world."""

    checks: tuple[Literal["draws", "scale"], ...] = ("draws", "scale")
    urns: int = Field(40, ge=2, description="urns that are emptied to see whether draws are fair")


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[TableName, ...] = get_args(TableName)


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[Literal["scores"], ...] = ("scores",)


class Settings(Section):
    """All of it."""

    calibration: Calibration = Calibration()
    validation: Validation = Validation()
    analysis: Analysis = Analysis()
    figures: Figures = Figures()
