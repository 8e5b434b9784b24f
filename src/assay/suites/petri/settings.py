"""What a user may set, one section a stage."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.config.settings import Section

CheckName = Literal[
    "swarm-1",
    "swarm-2",
    "swarm-3",
    "swarm-4",
    "swarm-5",
    "market-1",
    "market-2",
    "market-3",
    "origin-1",
    "origin-2",
    "origin-3",
    "origin-4",
    "origin-5",
    "morph-1",
    "morph-2",
    "morph-3",
    "morph-4",
    "morph-5",
    "morph-6",
    "morph-7",
    "social-1",
    "social-2",
    "social-3",
    "social-4",
]
"""The checks of the worlds."""

TableName = Literal[
    "ablation",
    "conduct",
    "contests",
    "detection",
    "difficulty",
    "directions",
    "floor",
    "imitators",
    "intervals",
    "pairing",
    "pairs",
    "passes",
    "quoted",
    "taxonomy",
    "tiers",
    "tracking",
]

FigureName = Literal[
    "score-by-tier",
    "score-against-solved",
    "failures-by-difficulty",
    "taxonomy",
    "episode-ofat-l2",
    "episode-ofat-l3",
    "episode-ofat-rand-l3",
    "episode-fisher-l1",
    "episode-contradictor-l2",
    "episode-scripted-scientist-l2",
    "world-swarm",
    "world-market",
    "world-origin",
    "world-morph",
    "world-social",
]


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
    validation: Validation = Field(Validation(), description="the worlds against published results")
    analysis: Analysis = Field(Analysis(), description="the suite's own tables")
    figures: Figures = Field(Figures(), description="the suite's own figures")
