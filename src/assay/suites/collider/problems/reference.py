"""The hidden half of a task: the yields that a submission is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.suites.collider.formats.histogram import Binning

Mode = Literal["shape_norm", "shape", "yield"]
MODES: tuple[Mode, ...] = ("shape_norm", "shape", "yield")


@dataclass(frozen=True)
class Reference:
    """The values that a submission is compared with: bins, yields (events per bin) and their known errors.

    `published` says whether the errors are those of the paper; otherwise they follow from its printed digits.
    `cross_section_error` is relative; None if it is not known, which counts as 0 in a distance.
    """

    binning: Binning
    yields: tuple[float, ...]
    errors: tuple[float, ...]
    published: bool = False
    cross_section_error: float | None = 0.0
    mode: Mode = "shape_norm"
