"""The bank of masked functions: six types with eight specifications each, which cover ten disciplines."""

from __future__ import annotations

from assay.suites.sgi.dry import metric, numerical, predictive, processing, simulation, statistical
from assay.suites.sgi.dry.specification import Specification

SPECIFICATIONS: tuple[Specification, ...] = (
    *numerical.SPECIFICATIONS,
    *statistical.SPECIFICATIONS,
    *simulation.SPECIFICATIONS,
    *metric.SPECIFICATIONS,
    *processing.SPECIFICATIONS,
    *predictive.SPECIFICATIONS,
)

BY_NAME = {specification.name: specification for specification in SPECIFICATIONS}


def fitting(kind: str, discipline: str) -> list[Specification]:
    """The specifications of a type in a discipline; there is one at least."""
    return [s for s in SPECIFICATIONS if s.type == kind and discipline in s.disciplines]
