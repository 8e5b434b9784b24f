"""Ordinary differential equations."""

from assay.suites.sgi.methods.models.dynamics import (
    batch_reactor,
    battery_cell,
    chemostat,
    drug_levels,
    epidemic,
    falling_sphere,
    heated_body,
    orbit,
    spiking_membrane,
    star,
)

__all__ = [
    "batch_reactor",
    "battery_cell",
    "chemostat",
    "drug_levels",
    "epidemic",
    "falling_sphere",
    "heated_body",
    "orbit",
    "spiking_membrane",
    "star",
]
