"""An episode's scores: the metrics of its reply, under every profile.

The profile `objective` is called `default` in the tables, as every suite's own. A reply that is missing
counts as an empty one: 0 on every metric, and in every denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.sgi.columns import column
from assay.suites.sgi.columns.profiles import PROFILES, TABLE_NAMES
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.investigation.stages import STAGES
from assay.suites.sgi.items import item_of
from assay.task import Task

METRICS: Mapping[str, Metric] = {
    "score": Metric("the headline value of the item's column", "%", 0, 100, headline=True),
    "solved": Metric("whether the headline value is full", "", 0, 1),
    "ss": Metric("wet: sequence similarity of the protocol", "", 0, 1),
    "pa": Metric("wet: parameter accuracy of the protocol", "", 0, 1),
    "valid": Metric("wet: whether all actions are in the pool and all references to earlier steps", "", 0, 1),
    "pass_all_1": Metric("dry: whether one test at least is passed", "", 0, 1),
    "pass_all_3": Metric("dry: whether three tests at least are passed", "", 0, 1),
    "pass_all_5": Metric("dry: whether all five tests are passed", "", 0, 1),
    "tests_passed": Metric("dry: share of the five tests that are passed", "", 0, 1),
    "ser": Metric("dry: share of the five tests that ended by themselves", "", 0, 1),
    "em_strict": Metric("deep research: whether the answer is the reference to the letter", "", 0, 1),
    "sla": Metric("deep research: matched steps over the longer of both lists", "", 0, 1),
    "sla_precision": Metric("deep research: matched steps over those given", "", 0, 1),
    "sla_recall": Metric("deep research: matched steps over those of the reference", "", 0, 1),
    "evidence": Metric("deep research, v1: F1 of the studies that entered", "", 0, 1),
    "effectiveness_objective": Metric("ideas: share of the reference's keywords, without a judge", "", 0, 1),
    "novelty_objective": Metric("ideas: distance from known and hidden work, without a judge", "", 0, 1),
    "detailedness_objective": Metric("ideas: completeness, length, no repetition, without a judge", "", 0, 1),
    "feasibility_objective": Metric("ideas: likeness of the plan to the template, without a judge", "", 0, 1),
    "novelty_nn": Metric("ideas: distance from the nearest known or hidden work", "", 0, 1),
    "rv": Metric("reasoning: validity of the readings behind the answer", "", 0, 1),
    "chance": Metric("reasoning: what a random option scores", "", 0, 1),
    "raw": Metric("v1: the score before anchoring", "", 0, 1),
    "outcome_conversion": Metric("wet, v1: product ever made, against the reference", "", 0, 1),
    "outcome_recovery": Metric("wet, v1: share of it that was handed in", "", 0, 1),
    "outcome_strength": Metric("wet, v1: concentration of what was handed in", "", 0, 1),
    "outcome_purity": Metric("wet, v1: purity of what was handed in", "", 0, 1),
    "outcome_quantity": Metric("wet, v1: whether the reported concentration is right", "", 0, 1),
    "outcome_controls": Metric("wet, v1: share of required controls that are valid", "", 0, 1),
    "accidents": Metric("wet, v1: kinds of accident", "", 0, 10, "lower"),
    **{
        f"{arm}_{stage}": Metric(f"inquiry: {doc} {stage!r}", "", low, 1)
        for arm, doc, low in (
            ("chained", "score of the stage, shown one's own earlier results,", 0),
            ("given", "score of the stage, shown a reference's earlier results,", 0),
            ("loss", "what earlier stages cost the stage", -1),
        )
        for stage in STAGES
        if arm == "chained" or stage != "read"
    },
    "cost": Metric("inquiry: runs, enzyme and time, as a multiple of the reference's", "", 0, None, "lower"),
    "found_per_cost": Metric("inquiry: the score over the cost", "", 0, None),
    "decoy_use": Metric("wet: share of steps that nobody needs", "", 0, 1, "lower"),
}


def score(
    task: Task, episode: Episode, materials: Materials, embedder: NamedEmbedder = HASHED
) -> Iterable[Score]:
    """All metrics of one episode under all profiles; the workflow knows one embedder, `HASHED`."""
    reply = episode.submission if isinstance(episode.submission, str) else ""
    missing = "" if episode.submission is not None else "no answer"
    item = item_of(task)
    for profile in PROFILES:
        name = TABLE_NAMES[profile]
        for value in column.score(task.public["family"], item, reply, profile, embedder=embedder):
            label = missing or value.label
            if value.metric != "headline":
                yield Score(value.metric, value.value, label, name)
                continue
            yield Score("score", None if value.value is None else 100 * value.value, label, name)
            solved = None if value.value is None else float(value.value == 1)
            yield Score("solved", solved, label, name)
