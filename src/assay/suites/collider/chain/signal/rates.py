"""Rates of signal points: the kept cross section, the share of it that a model has, and forced decays."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UnknownName
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.signal.points import Point
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.catalogue import NLO_NLL, NNLO_NNLL

SOURCE = {
    NLO_NLL: "LHC SUSY Cross Section Working Group, NLO+NLL",
    NNLO_NNLL: "LHC SUSY Cross Section Working Group, approximate NNLO+NNLL",
}


@dataclass(frozen=True)
class Rate:
    """`xsec_fb` of the point with its relative error (null where none is kept); `br` is the share of decays
    that is generated.
    """

    xsec_fb: float
    relative_error: float | None
    br: float
    states: str


def rate(point: Point) -> Rate:
    """The rate of a point at 13 TeV; `UnknownName` where no cross section is kept for it."""
    kept = catalogue.cross_section(point.process, point.mass)
    if kept is None:
        known = (c.mass for c in catalogue.cross_sections() if c.process == point.process)
        raise UnknownName(
            f"there is no cross section of {point.process} at {point.mass:g} GeV",
            f"choose a mass among {', '.join(f'{mass:g}' for mass in known)}, or keep one more",
        )
    return Rate(
        xsec_fb=kept.to(point.order).value * point.states,
        relative_error=kept.to(point.order).relative_error,
        br=parameters.value("generator", "z to electrons and muons") if point.leptonic_z else 1.0,
        states=kept.states,
    )
