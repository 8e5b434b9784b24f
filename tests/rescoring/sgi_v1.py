"""Version 1 of sgi: what follows from the reply, or from values of a simulator that are taken as logged.

A second rule for a simulator would be the simulator again. Independent programs that solve items of each
family (`tests/suites/sgi`) check the simulators; here the formulas are checked that make scores of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from tests.rescoring import sgi_functions, sgi_protocols, sgi_reasoning
from tests.rescoring.comparing import UNCOUNTED
from tests.rescoring.replies import decimal, last_object, tagged, tagged_as_released
from tests.rescoring.sgi_research import normal

MOST_REPEATS = 7
"""Repeats of one action whose pairings can all be tried."""


def judged(public, hidden, reply, given):
    logged = {metric: value for (profile, metric, _), value in given.items() if profile == "default"}
    rule = {
        "wet_experiment": wet,
        "deep_research": research,
        "idea_generation": idea,
        "experimental_reasoning": reasoning,
        "investigation": inquiry,
    }.get(public["family"])
    if rule is None:
        return sgi_functions.judged(public, hidden, reply, given)
    return rule(public, hidden, reply, logged)


def anchored(raw, anchors):
    """The share of the way from what needs no inference to the reference."""
    share = (raw - anchors["zero"]) / (anchors["reference"] - anchors["zero"])
    return min(1.0, max(0.0, share))


# ------------------------------------------------------------ wet experiments


def wet(public, hidden, reply, logged):
    """The outcome by its anchors; steps as in version 0, but no literal declares its form."""
    gold, found = sgi_protocols.calls(hidden["answer"]), sgi_protocols.calls(tagged(reply)[0])
    names = [[sgi_protocols.plain(step["action"]) for step in steps] for steps in (gold, found)]
    pool = {
        sgi_protocols.plain(name)
        for name in re.findall(r"^<(.+?)>\(", public["columns"]["action_pool"], re.MULTILINE)
    }
    legal = bool(found) and set(names[1]) <= pool and not sgi_protocols.misplaced(found)
    decoys = pool - set(names[0])
    ours = {
        "raw": UNCOUNTED,
        "ss": sgi_protocols.similarity(gold, found),
        "pa": UNCOUNTED,
        "valid": float(legal),
        "decoy_use": sum(name in decoys for name in names[1]) / len(found) if found else None,
    }
    printed = {"ss": sgi_protocols.inversions(gold, found), "pa": UNCOUNTED}
    if max([0, *Counter(names[0]).values(), *Counter(names[1]).values()]) <= MOST_REPEATS:
        shares = sgi_protocols.accuracy(gold, found, [{}] * len(gold))
        ours["pa"], printed["pa"] = shares["share"], shares["of_gold"]
    old_gold = sgi_protocols.visible(hidden["answer"])
    old = sgi_protocols.visible(tagged_as_released(reply))
    released = {"ss": sgi_protocols.alphabetical(old_gold, old), "pa": sgi_protocols.stepwise(old_gold, old)}
    return {
        "default": (anchored(logged["raw"], hidden["x_anchors"]), ours),
        "paper": (half(printed), printed),
        "released": (half(released), released),
    }


def half(values):
    return UNCOUNTED if UNCOUNTED in values.values() else (values["ss"] + values["pa"]) / 2


# ------------------------------------------------------------ ideas


def idea(public, hidden, reply, logged):
    """Effectiveness by its anchors. The other dimensions are shares of it that the laboratory tells."""
    anchors, raw = hidden["x_anchors"], logged["raw"]
    low, knee, high = anchors["zero"], anchors["knee"], 0.97 * anchors["reference"]
    if raw <= knee:
        whole = 0.05 * max(0.0, (raw - low) / (knee - low))
    else:
        whole = 0.05 + 0.95 * min(1.0, (raw - knee) / (high - knee))
    parts = {
        f"{name}_objective": logged[f"{name}_objective"]
        for name in ("novelty", "detailedness", "feasibility")
    }
    mean = (whole + sum(parts.values())) / 4
    told = {
        name: UNCOUNTED if 0 <= value <= whole else "beyond effectiveness" for name, value in parts.items()
    }
    ours = {"raw": UNCOUNTED, "effectiveness_objective": whole, **told}
    return {"default": (mean, ours), "paper": (None, {}), "released": (None, {})}


# ------------------------------------------------------------ deep research


def research(public, hidden, reply, logged):
    """Whether value and limits are within the tolerance; how many of the listed studies entered."""
    answer, reference = tagged(reply)[0], tagged(hidden["answer"])[0]
    right, strict = float(same_synthesis(answer, hidden)), float(answer == reference)
    gold = {one["document"] for one in last_object(hidden["answer"], ("studies",))["studies"]}
    listed = last_object(reply, ("studies",)).get("studies")
    listed = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    reports = set(hidden["x_world"]["sources"].values())
    told = {one.get("document") for one in listed if isinstance(one.get("document"), str)} & reports
    # How near the value of a study has to be is the world's; the other two shares follow from this one.
    matched = round(logged["sla_recall"] * len(gold))
    ours = {
        "em_strict": strict,
        "raw": right,
        "sla": matched / max(len(told), len(gold)) if told else 0.0,
        "sla_precision": matched / len(told) if told else 0.0,
        "sla_recall": UNCOUNTED if matched <= len(told & gold) else "more than were listed",
        "evidence": 2 * len(told & gold) / (len(told) + len(gold)),
    }
    unjudged = {"em_strict": strict, "sla": None}
    return {"default": (right, ours), "paper": (right, unjudged), "released": (right, unjudged)}


def same_synthesis(answer, hidden):
    """The middle of the reference's limits is its value on the scale of pooling, so they tell the scale."""
    mine, true = (parts_of(text, hidden) for text in (answer, tagged(hidden["answer"])[0]))
    if mine is None or mine[0].casefold() != true[0].casefold():
        return False
    value, error = hidden["x_truth"]
    linear = math.isclose(true[1][0], value, rel_tol=1e-6, abs_tol=1e-9)
    numbers = mine[1]
    if linear:
        digits = 4
        while (abs(value) or 1.0) * 10.0 ** (1 - digits) > 0.01 * error and digits < 9:
            digits += 1
        allowed = max(0.02 * error, 0.5 * 10.0 ** (1 - digits) * abs(value))
    else:
        if min(numbers) <= 0:
            return False
        numbers = [math.log(number) for number in numbers]
        allowed = max(0.02 * error, 0.0005)
    wanted = (value, value - 1.959963984540054 * error, value + 1.959963984540054 * error)
    return all(abs(a - b) <= allowed * (1 + 1e-9) for a, b in zip(numbers, wanted, strict=True))


def parts_of(text, hidden):
    """The name that is asked for, or none, and three numbers; nothing where they are not three."""
    parts = [one.strip(" []()*`.") for one in re.split(r"[;\n]" if ";" in text else r",\s+|\s+to\s+", text)]
    parts = [one for one in parts if one]
    name = parts.pop(0) if hidden["x_world"]["positions"] and parts else ""
    numbers = [decimal(re.sub(r"(?<=\d)\s*[A-Za-z/%].*$", "", normal(one))) for one in parts]
    return (name, list(map(float, numbers))) if len(numbers) == 3 and None not in numbers else None


# ------------------------------------------------------------ reasoning


def reasoning(public, hidden, reply, logged):
    """The chosen option. Whether a reading refutes an option is the simulator's, unless there is none."""
    block = last_object(reply, ("readings", "answer"))
    gold, count = int(hidden["answer"]), len(public["columns"]["options"])
    right = float(sgi_reasoning.letter(reply, block) == gold)
    boxes = re.findall(r"\\boxed\{([A-Z])\}", reply)
    old = float(bool(boxes) and ord(boxes[0]) - 65 == gold)
    readings = last_object(reply, ("readings",)).get("readings")
    shown = [one for one in readings if isinstance(one, dict)] if isinstance(readings, list) else []
    ours = {"chance": 1 / count, "raw": right, "rv": UNCOUNTED if shown else 0.0}
    unjudged = {"chance": 1 / count, "rv": None}
    return {"default": (right, ours), "paper": (right, unjudged), "released": (old, unjudged)}


# ------------------------------------------------------------ the inquiry

STAGES = ("read", "propose", "compute", "bench", "interpret")


def inquiry(public, hidden, reply, logged):
    """The mean of the chained stages by its anchors, what earlier stages cost, what was found per cost."""
    raw = round(sum(logged[f"chained_{stage}"] for stage in STAGES) / 5, 6)
    whole = anchored(raw, hidden["x_anchors"])
    ours = {f"loss_{stage}": logged[f"given_{stage}"] - logged[f"chained_{stage}"] for stage in STAGES[1:]}
    ours |= {"raw": raw, "found_per_cost": whole / logged["cost"] if logged["cost"] else None}
    return {"default": (whole, ours)}
