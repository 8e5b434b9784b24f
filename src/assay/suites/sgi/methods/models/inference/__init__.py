"""Estimates and posterior quantities from data."""

from assay.suites.sgi.methods.models.inference import (
    deconvolution,
    dose_response,
    hidden_level,
    late_entry,
    line_strength,
    rival_risks,
    source_location,
    straight_line,
)

__all__ = [
    "deconvolution",
    "dose_response",
    "hidden_level",
    "late_entry",
    "line_strength",
    "rival_risks",
    "source_location",
    "straight_line",
]
