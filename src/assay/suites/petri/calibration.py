"""Difficulty of a task: size of its effect, and power of an ideal sweep to find it (paper, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from assay.protocol import Materials, Measure
from assay.suites.petri import boundary
from assay.suites.petri.boundary import calibration as boundary_calibration
from assay.suites.petri.experiments.measured import measured
from assay.suites.petri.experiments.oracle import SAMPLE, Sample, band, power, relative_change
from assay.suites.petri.experiments.pairing import detected_paired
from assay.suites.petri.questions.acceptance import demands, draft_of, oracle_delta
from assay.suites.petri.questions.answers import PAIRED, asks_for_signature, variant_of
from assay.suites.petri.questions.signatures import confounds
from assay.suites.petri.v1 import calibration as held
from assay.suites.petri.v1.rules import is_held
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Measure how hard a task is, or return what the committed calibration of its archived set says.

    Args:
        task: The task.
        settings: `seeds`, the number of runs of every arm, and `subsamples`, the number of draws of 12 runs.
        materials: Not used by this suite.

    Yields:
        Cliff's delta of the driver with the smallest effect, oracle power and its band (with the default
        settings the band by which the task was selected), and the relative effect on the target. If
        experiments may be paired, also the power of the paired test. If a signature is asked for, also the
        number of wrong candidates that can imitate the hidden world on the target and on all metrics.
    """
    if is_held(task.public):
        yield from held.calibrate(task)
        return
    usual = dict(settings) == asdict(SAMPLE)
    yield from (measured(task) if usual else None) or simulated(task, settings)


def simulated(task: Task, settings: Mapping[str, Any]) -> Iterator[Measure]:
    """Measure how hard a task of the sets v0 or of tier L4 is, by simulation."""
    if task.public["tier"] == boundary.TIER:
        yield from boundary_calibration.calibrate(task, settings["seeds"])
        return
    sample = Sample(settings["seeds"], settings["subsamples"])
    draft = draft_of(task)
    share = power(demands(draft, draft.sign), sample)
    share_paired = share
    change = relative_change(draft.world, draft.metric, draft.hidden, sample)
    yield Measure("cliffs_delta", oracle_delta(draft, sample))
    yield Measure("oracle_power", share)
    if asks_for_signature(task.public):
        yield from confounds(draft)
    if variant_of(task.public) == PAIRED:
        share_paired = power(demands(draft, draft.sign), sample, detected_paired)
        yield Measure("oracle_power_paired", share_paired)
    yield Measure("band", label=band(share_paired if draft.paired else share))
    yield Measure("relative_change", change)
    yield Measure("tries", float(task.hidden["tries"]))
