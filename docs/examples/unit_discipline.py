"""A metric of one's own: does the reply to a deep-research question name the unit that was asked for?

assay sgi evaluate "deep research" --agent reader --metrics docs/examples/unit_discipline.py --out evaluation
"""

from assay.suites.sgi.lab.evaluation.metric import MetricResult, metric


@metric(
    id="unit_discipline",
    title="share of quantities in the reply that have a unit",
    families=["deep_research"],
    scale=(0, 1),
    needs=["answer", "prediction"],
)
def unit_discipline(item, prediction, ctx):  # type: ignore[no-untyped-def]
    """Of the steps that give a value, the share that gives its unit, too."""
    from assay.suites.sgi.text.contracts import json_object

    block = json_object(prediction["raw"], ("steps", "answer")) or {}
    steps = [step for step in block.get("steps", []) if isinstance(step, dict) and step.get("value")]
    if not steps:
        return MetricResult(0.0, "no step has a value")
    named = [step for step in steps if step.get("unit")]
    return MetricResult(len(named) / len(steps), f"{len(named)} of {len(steps)} values")
