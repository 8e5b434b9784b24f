"""Deep research: EM and SLA of a reply."""

from __future__ import annotations

from collections.abc import Iterable

from assay.suites.sgi.columns.profiles import Item, Profile, Value
from assay.suites.sgi.metrics.research import exact_match, step_accuracy
from assay.suites.sgi.text.contracts import json_object, tagged


def score(item: Item, reply: str, profile: Profile) -> Iterable[Value]:
    """`headline` (EM), `em_strict`, `sla`; under our profile also the precision and recall of steps.

    Under the others a judge would mark the steps: there SLA is null.
    """
    found = tagged(reply)
    block = json_object(reply, ("steps", "answer")) or {}
    answer = str(block["answer"]) if "no_tag" in found.issues and "answer" in block else found.text
    if profile == "released":
        # Only a last tag that is closed holds an answer; else the whole reply is compared.
        last = tagged(reply, released=True)
        answer = reply.strip() if last.issues else last.text
    gold = str(item["answer"])
    strict = answer == gold
    if profile == "objective":
        right = exact_match(gold, answer, item.get("x_response"))
        steps = block.get("steps")
        trap = "" if right else fallen_into(item, answer)
        yield Value("headline", float(right), ", ".join([*found.issues, *([f"trap {trap}"] if trap else [])]))
        yield Value("em_strict", float(strict))
        if "x_steps" not in item:
            yield Value("sla", None, "no structured reference")
            return
        accuracy = step_accuracy(item["x_steps"], steps if isinstance(steps, list) else [])
        yield Value("sla", accuracy.objective)
        yield Value("sla_precision", accuracy.paper)
        yield Value("sla_recall", accuracy.recall)
        return
    yield Value("headline", float(strict))
    yield Value("em_strict", float(strict))
    yield Value("sla", None, "needs a judge")


def fallen_into(item: Item, answer: str) -> str:
    """The trap that explains a wrong answer; empty where none does."""
    for trap in item.get("x_traps") or ():
        if trap["answer"] is not None and exact_match(trap["answer"], answer, item.get("x_response")):
            return str(trap["label"])
    return ""
