"""The settings of the suite, with one section for each stage."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from assay.config.settings import OneOf, Section
from assay.suites.pilab.analysis import TABLES
from assay.suites.pilab.checks import CHECKS
from assay.suites.pilab.figures import FIGURES

RunName = Literal[
    "baseline",
    "oracle",
    "steward",
    "learner",
    "ambitious",
    "hire-max",
    "no non-stationarity",
    "no scooping",
    "unlimited attention",
    "12 months",
    "30 months",
    "ambitious, unlimited",
]
"""Names of policies, and of the paper's ablations."""


class Calibration(Section):
    """How much there is to win in a world."""

    runs: tuple[RunName, ...] = Field(
        get_args(RunName), description="policies and ablations that play every world"
    )


class Validation(Section):
    """The world against the published runs."""

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

    calibration: Calibration = Field(Calibration(), description="how much there is to win in a world")
    validation: Validation = Field(Validation(), description="the world against the published runs")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
