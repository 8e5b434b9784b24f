"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.config.settings import Section

RunName = Literal[
    "baseline",
    "oracle",
    "steward",
    "ambitious",
    "hire-max",
    "no non-stationarity",
    "no scooping",
    "unlimited attention",
    "12 months",
    "30 months",
    "ambitious, unlimited",
]
"""Policies, and ablations of the published ones."""

CheckName = Literal[
    "baseline",
    "oracle",
    "ablations",
    "grid",
    "no-grants",
    "field",
    "idle",
    "ties",
    "quoted-statistics",
]

TableName = Literal[
    "leaderboard",
    "axes",
    "census",
    "sweep",
    "contrasts",
    "legibility",
    "entry",
    "scoops",
    "variance",
    "detection",
    "pairs",
    "passes",
    "quoted",
    "correlations",
]

FigureName = Literal[
    "citations",
    "booms",
    "legibility",
    "census",
    "conduct",
    "entry",
    "axes",
    "correlations",
    "budgets",
    "sweep",
    "ablations",
]


class Calibration(Section):
    """How much there is to win in a world."""

    runs: tuple[RunName, ...] = Field(
        get_args(RunName), description="policies and ablations that play every world"
    )


class Validation(Section):
    """The world against the published runs."""

    checks: tuple[CheckName, ...] = Field(get_args(CheckName), description="which checks to run")


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[TableName, ...] = Field(get_args(TableName), description="which tables to make")


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[FigureName, ...] = Field(get_args(FigureName), description="which figures to draw")


class Settings(Section):
    """All of it."""

    calibration: Calibration = Field(Calibration(), description="how much there is to win in a world")
    validation: Validation = Field(Validation(), description="the world against the published runs")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
