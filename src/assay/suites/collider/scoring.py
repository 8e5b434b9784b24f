"""The distance of the submitted yields from the reference (section 3.3 of the paper), and its errors.

`score` is 1 - d, and 0 if d is 1 (an empty answer) or larger; `d` is a metric as well. `solved` is the
paper's Acc at the threshold 0.33. The d of an invalid submission is 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.collider.measures import scorecard
from assay.suites.collider.problems.hidden import reference_of
from assay.suites.collider.provenance.evidence import finding_of
from assay.task import Task

METRICS: Mapping[str, Metric] = {
    "score": Metric("1 - d, and 0 from d = 1 on", "", 0, 1, headline=True),
    "solved": Metric("Acc: whether d lies below 0.33, strictly", "", 0, 1),
    "d": Metric(
        "relative L2 distance to the reference yields (of shapes in the mode shape)", "", 0, None, "lower"
    ),
    "d_shape": Metric("relative L2 distance of the shapes", "", 0, None, "lower"),
    "delta_norm": Metric("error of the total yield, relative", "", 0, None, "lower"),
    "mean_abs_frac_error_pct": Metric("mean relative error of the shape's bins", "%", 0, None, "lower"),
    "rmsle": Metric("root mean squared error of ln(1 + yield)", "", 0, None, "lower"),
    "d_bar": Metric("total variation of the shapes", "", 0, 1, "lower"),
    "d_max": Metric("largest difference of the shapes in a bin", "", 0, 1, "lower"),
    "dmax_dbar_ratio": Metric("the last two divided: how concentrated a misfit is", "", 0, 1, "neither"),
    "jensen_shannon": Metric("Jensen-Shannon divergence of the shapes", "bit", 0, 1, "lower"),
    "jensen_shannon_dist": Metric("its square root", "", 0, 1, "lower"),
    "lambda_shape": Metric("likelihood ratio of the shapes (Baker and Cousins)", "", 0, None, "lower"),
    "lambda_norm": Metric("likelihood ratio of the totals (Baker and Cousins)", "", 0, None, "lower"),
    "pull": Metric("root of chi squared a bin, with all uncertainties that are known", "", 0, None, "lower"),
    "d_floor": Metric("the d that these uncertainties alone would give", "", 0, None, "neither"),
    "d_low": Metric("lower end of a 95 % bootstrap interval of d", "", 0, None, "neither"),
    "d_high": Metric("upper end of it", "", 0, None, "neither"),
    "valid": Metric("whether the submission is a histogram in the bins asked for", "", 0, 1),
    "events": Metric("events that were generated", "events", 0, None, "neither"),
    "selected": Metric(
        "generated events that the yields rest on, as the gate confirmed", "events", 0, None, "neither"
    ),
}


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """Yield all metrics of one episode.

    Args:
        task: the task with its hidden part.
        episode: the episode that was played.
        materials: the contents of files.

    Yields:
        A score for each of `METRICS`; its value is None if the mode or an invalid submission does not define
            it.
    """
    reference = reference_of(task)
    text = episode.submission
    data = text.encode() if isinstance(text, str) else None
    # Scores only need the numbers of events; the audit checks whether events can be made again.
    finding = finding_of(task, episode, materials, regenerate=False)
    card = scorecard.score(data, reference, finding.monte_carlo, task.seed)
    label: str = "no submission" if data is None else card.validity.reason or ""
    yield Score("score", max(0.0, 1.0 - card.d), label)
    yield Score("solved", float(card.acc), label)
    yield Score("d", card.d, label)
    yield Score("valid", float(card.validity.valid), label)
    yield Score("events", float(episode.counters.get("event", 0)))
    yield Score("selected", None if finding.selected is None else float(finding.selected))
    special = {"score", "solved", "d", "valid", "events", "selected"}
    for name in METRICS:
        if name not in special:
            yield Score(name, card.values.get(name), "" if card.validity.valid else label)
