"""The scores of an episode: IMPACT and measures of the run, from the submitted record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from assay.episode import Episode
from assay.numbers.portable import log
from assay.protocol import Materials, Metric, Score
from assay.suites.pilab.environment.parameters import PUBLISHED, Mode, Parameters
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.state import parameters_of
from assay.suites.pilab.measures.axes import AXES, hires
from assay.suites.pilab.measures.axes import METRICS as AXIS_METRICS
from assay.suites.pilab.measures.records import DIGITS
from assay.task import Task

LN_10 = 2.302585092994046

_SUMMARY: Mapping[str, Metric] = {
    "citations": Metric("citations up to the last month", "citations", 0, None),
    "projected": Metric("citations projected for the 36 months after it", "citations", 0, None),
    "h_index": Metric("papers with at least that many citations", "papers", 0, None),
    "publications": Metric("papers that came out", "papers", 0, None),
    "top_pubs": Metric("papers at NAIC", "papers", 0, None),
    "grants_won": Metric("awards", "awards", 0, None),
    "grant_dollars": Metric("their sum, paid or not", "$", 0, None),
    "students_graduated": Metric("PhD students who graduated", "people", 0, None),
    "students_quit": Metric("researchers who quit", "people", 0, None, "lower"),
    "months_survived": Metric("months until the end", "months", 0, None),
    "months_played": Metric("the month in which the agent made its last decision", "months", 0, None),
    "final_budget": Metric("money at the end", "$", None, None, "neither"),
    "final_reputation": Metric("reputation at the end", "", 0, 10),
}

METRICS: Mapping[str, Metric] = {
    "score": Metric("IMPACT", "citations", 0, None, headline=True),
    "solved": Metric("whether the lab survived with more IMPACT than the published baseline", "", 0, 1),
    "log_score": Metric("decimal logarithm of IMPACT, at least of 1", "", 0, None),
    "collapsed": Metric("whether the lab went bankrupt", "", 0, 1, "lower"),
    "hires": Metric("people who ever joined", "people", 0, None, "neither"),
    "turns": Metric("turns with code", "turns", 0, None, "neither"),
    "calls_of_the_lab": Metric("calls of the lab's interface", "calls", 0, None, "neither"),
    "failed_blocks": Metric("share of blocks of code that ended with an error", "", 0, 1, "lower"),
    "refused_share": Metric("share of these that were refused", "", 0, 1, "lower"),
    **_SUMMARY,
    **AXIS_METRICS,
}


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """Compute all metrics of one episode.

    Args:
        task: the task that was played.
        episode: its log, with the record of the run as its submission.
        materials: not used.

    Yields:
        A score of each metric in `METRICS`; its value is `None` if the metric does not apply to the run.
    """
    record = episode.submission
    if record is None:
        yield Score("score", 0.0, "no record")
        yield Score("solved", 0.0, "no record")
        yield from (Score(name, None) for name in METRICS if name not in ("score", "solved"))
        return
    summary = record["summary"]
    parameters = parameters_of(task)
    bar = baseline(task.hidden["lab_seed"], parameters, task.public["mode"])
    short = parameters != PUBLISHED
    yield Score("score", summary["impact"], f"of {parameters.months} months only" if short else "")
    yield Score("solved", float(not summary["collapsed"] and summary["impact"] > bar))
    yield Score("log_score", log(max(1.0, summary["impact"])) / LN_10)
    yield Score("collapsed", float(summary["collapsed"]))
    yield Score("hires", float(hires(record)))
    calls = [event for event in episode.events if event.kind == "code"]
    refusals = sum(not event.ok for event in calls)
    yield Score("turns", float(episode.counters.get("turn", 0)))
    yield Score("calls_of_the_lab", float(len(calls)))
    yield Score("failed_blocks", _failed_blocks(episode))
    yield Score("refused_share", refusals / len(calls) if calls else None)
    yield from (Score(name, float(summary[name])) for name in _SUMMARY)
    yield from (Score(name, axis(record)) for name, axis in AXES.items())


def _failed_blocks(episode: Episode) -> float | None:
    """Return the paper's error rate: errors of the interface, of Python and of the sandbox, and timeouts."""
    blocks = [event for event in episode.events if event.kind == "outside" and event.tool == "run_code"]
    failed = 0
    for event in blocks:
        outcome: Any = event.parts[0] if event.ok else None
        failed += outcome is None or bool(outcome["error"])
    return failed / len(blocks) if blocks else None


@lru_cache(maxsize=256)
def baseline(seed: int, parameters: Parameters, mode: Mode) -> float:
    """Return the IMPACT of the published baseline in the same world, rounded as in a record.

    Without rounding, a run of the baseline whose recorded IMPACT was rounded up would seem to beat the
    baseline.
    """
    return round(papers.impact(play(POLICIES["baseline"], seed, parameters, mode)), DIGITS)
