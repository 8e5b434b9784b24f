"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.config.settings import Section

CheckName = Literal["table-1", "access", "generator", "observation-only", "structures", "ceilings"]
"""The checks of the models and of the metrics."""

TableName = Literal[
    "commitment",
    "detection",
    "flags",
    "pairs",
    "paper",
    "passes",
    "recovery",
    "statistics",
    "structures",
    "trajectories",
    "verification",
]

FigureName = Literal[
    "early-commitment",
    "follow-ups",
    "frontier",
    "gap",
    "hidden",
    "recovery-by-size",
    "regimes",
    "scaling",
    "sizes-radar",
    "trajectory-committer",
    "trajectory-greedy",
]


class Calibration(Section):
    """How hard each task is."""

    env_seeds: int = Field(20, ge=2, description="reactor crystals tried for the share beyond range")


class Validation(Section):
    """Models and metrics against the paper."""

    graphs: int = Field(50, ge=10, description="graphs of every size")
    checks: tuple[CheckName, ...] = Field(get_args(CheckName), description="which checks to run")


class Analysis(Section):
    """The suite's own tables."""

    tables: tuple[TableName, ...] = Field(get_args(TableName), description="which tables to make")


class Figures(Section):
    """The suite's own figures."""

    figures: tuple[FigureName, ...] = Field(get_args(FigureName), description="which figures to draw")


class Settings(Section):
    """All of it."""

    calibration: Calibration = Field(Calibration(), description="how hard each task is")
    validation: Validation = Field(Validation(), description="models and metrics against the paper")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
