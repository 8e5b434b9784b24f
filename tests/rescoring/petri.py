"""Points of petri from the log alone, after section 4 of the paper, as plainly as can be."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

EXEMPT: dict[str, str] = {}

WORDS = {  # points for a right answer, part by part
    "L1": {"parameter": 30, "direction": 20, "rigor": 30, "efficiency": 20},
    "L2": {"parameter": 25, "direction": 15, "magnitude": 20, "rigor": 25, "efficiency": 15},
    "L3": {"both": 30, "one": 12, "interaction": 25, "rigor": 25, "efficiency": 20},
}
SIZES = ["small", "medium", "large"]
BUDGET = 8


def needs_events(task):
    return True


def rescore(task, episode, blob, given):
    """Value by (profile, metric, step) of one episode."""
    if task.public.get("variant") == "held":
        values = held(task, episode)
    else:
        values = located(task, episode) if task.public["tier"] == "L4" else identified(task, episode)
    return {("default", metric, None): value for metric, value in values.items()}


def charged(episode):
    return sum(event.charged for event in episode.events if event.kind == "call" and event.ok)


def identified(task, episode):
    tier, answer = task.public["tier"], episode.submission
    if not isinstance(answer, dict):
        answer = {}
    points = WORDS[tier]
    true_names = sorted(driver["parameter"] for driver in task.hidden["drivers"])
    names = sorted(answer["parameters"]) if "parameters" in answer else []
    if "parameter" in answer:
        names = [answer["parameter"]]
    earned, full = Fraction(0), False
    if tier == "L3":
        hits = len([name for name in true_names if name in names])
        sign = answer.get("interaction") == task.hidden["interaction"]
        earned += points["both"] if hits == 2 else points["one"] if hits == 1 else 0
        earned += points["interaction"] if sign else 0
        full = hits == 2 and sign
    elif names == true_names:
        effect = effect_share(task, answer)
        earned += points["parameter"] + points["direction"] * effect
        full = effect == 1
        if tier == "L2":
            size = answer.get("magnitude")
            off = abs(SIZES.index(size) - SIZES.index(task.hidden["magnitude"])) if size in SIZES else 2
            earned += [20, 10, 0][off]
            full = full and off == 0

    tests = list(isolating(task, episode))
    backed = bool(names) and all(
        any(
            test["changed"] == {name} and test["significant"] and counts(task, answer, test) for test in tests
        )
        for name in names
    )
    if tier == "L3":
        backed = backed and any(
            len(names) == 2 and test["changed"] == set(names) and counts(task, answer, test) for test in tests
        )
    rigor = points["rigor"] if backed else 0

    calls = charged(episode)
    experiments = [e for e in episode.events if e.kind == "call" and e.ok and e.tool == "experiment"]
    efficiency = points["efficiency"] * max(Fraction(0), 1 - Fraction(calls, BUDGET)) if experiments else 0
    total = Fraction(earned + rigor) + efficiency
    if calls > BUDGET:
        total = total * Fraction(6, 10)
    return {
        "score": float(total),
        "solved": float(full),
        "correctness": float(earned),
        "rigor": float(rigor),
        "efficiency": float(efficiency),
        "calls": float(calls),
        "claim_validity": claims(task, episode, answer, tests),
    }


def held(task, episode):
    """The sets v1: what probes that hold parameters in both worlds refute."""
    public, answer = task.public, episode.submission if isinstance(episode.submission, dict) else {}
    control, places, budget = public["control"], public["decimals"], public["budget"]
    points = WORDS[public["tier"]]
    seen = {}
    for event in episode.events:
        if event.kind == "call" and event.ok and event.tool in ("experiment", "probe"):
            arms = [{k: round(v, places[k]) for k, v in arm.items()} for arm in event.arguments.values()]
            kept = set(public["candidates"]) if event.tool == "probe" else set()
            arms = [{k: v for k, v in arm.items() if k in kept or v != control[k]} for arm in arms]
            texts = sorted(json.dumps({k: float(v) for k, v in arm.items()}, sort_keys=True) for arm in arms)
            seen.setdefault((event.tool, *texts), (event.parts[0]["p"], arms[0]))
    significant, largest = set(), Fraction(0)
    for rank, key in enumerate(sorted(seen, key=lambda key: seen[key][0])):
        ways = round(seen[key][0] * 2704156)
        largest = max(
            largest, Fraction(ways, 2704156) * max(budget, len(seen)) - rank * Fraction(ways, 2704156)
        )
        if largest < Fraction(1, 20):
            significant.add(key)
    probes = [(key, arm) for key, (_, arm) in seen.items() if key[0] == "probe"]
    size = 2 if public["tier"] == "L3" else 1
    left = [
        set(names)
        for names in combinations(public["candidates"], size)
        if not any(key in significant and set(names) <= set(arm) for key, arm in probes)
    ]
    names = set(answer.get("parameters", [answer["parameter"]] if "parameter" in answer else []))
    calm = [(key, arm) for key, arm in probes if all(v == control[k] for k, v in arm.items())]
    if size == 1:
        measured = any(key in significant and not names & set(arm) for key, arm in calm)
    else:
        free = [names - set(arm) for _, arm in calm]
        measured = names in free and all({name} in free for name in names)
    rigor = points["rigor"] if names and left == [names] and measured else 0

    truth = {driver["parameter"] for driver in task.hidden["drivers"]}
    right = {
        key: answer.get(key) == task.hidden[key]
        for key in ("direction", "magnitude", "interaction")
        if key in points
    }
    hits = len(names & truth)
    if size == 2:
        earned = {0: 0, 1: points["one"], 2: points["both"]}[hits] + points["interaction"] * right[
            "interaction"
        ]
    else:
        earned = hits * (points["parameter"] + points["direction"] * right["direction"])
        if rigor and "magnitude" in right and hits and answer.get("magnitude") in SIZES:
            earned += [20, 10, 0][
                abs(SIZES.index(answer["magnitude"]) - SIZES.index(task.hidden["magnitude"]))
            ]
    if public.get("proof") and not rigor:
        earned = 0
    calls = charged(episode)
    efficiency = points["efficiency"] * max(Fraction(0), 1 - Fraction(calls, budget)) if rigor else 0
    total = Fraction(earned + rigor) + efficiency
    claimed = [
        all(e.arguments["parameter"] in h for h in left)
        if e.arguments["effect"] == "changed"
        else not any(e.arguments["parameter"] in h for h in left)
        for e in episode.events
        if e.kind == "call" and e.tool == "claim" and e.ok
    ]
    return {
        "score": float(total * Fraction(6, 10) if calls > budget else total),
        "solved": float(bool(names) and names == truth and all(right.values())),
        "correctness": float(earned),
        "rigor": float(rigor),
        "efficiency": float(efficiency),
        "calls": float(calls),
        "claim_validity": sum(claimed) / len(claimed) if claimed else None,
    }


def effect_share(task, answer):
    """How much of the effect is right: a direction, a metric with its direction, a share of a signature."""
    if "signature" in task.public["choices"]:
        told, true = answer.get("signature", {}), task.hidden["signature"]
        return Fraction(sum(told.get(metric) == true[metric] for metric in true), len(true))
    if "metric" in task.public["choices"]:
        return Fraction(
            task.hidden["signature"].get(answer.get("metric"), "no metric") == answer.get("direction")
        )
    return Fraction(answer.get("direction") == task.hidden["direction"])


def counts(task, answer, test):
    """Whether a test was made on the metric that the question is about."""
    if "target" in task.public:
        return test["metric"] == task.public["target"]
    if "metric" in task.public["choices"]:
        return test["metric"] == answer.get("metric")
    return True


def isolating(task, episode):
    """Experiments with the control as one arm: what the other arm changed, and the effect of that."""
    control = task.public["control"]
    for event in episode.events:
        if event.kind != "call" or event.tool != "experiment" or not event.ok:
            continue
        arms = [
            {k for k, v in event.arguments[arm].items() if v != control[k]}
            for arm in ("config_a", "config_b")
        ]
        if arms[0] and arms[1]:
            continue
        shown = event.parts[0]
        if "cliffs_delta" not in shown:  # every metric is shown: the clearest speaks
            shown = min(shown.values(), key=lambda statistics: statistics["p"])
        delta = shown["cliffs_delta"] if not arms[0] else -shown["cliffs_delta"]
        yield {
            "changed": arms[0] | arms[1],
            "metric": event.arguments.get("metric"),
            "significant": shown["significant"],
            "effect": "up" if delta > 0 else "down" if delta < 0 else "none",
        }


def claims(task, episode, answer, tests):
    """Share of claims that the episode's own isolating tests bear out; no value without claims."""
    right = []
    for event in episode.events:
        if event.kind == "call" and event.tool == "claim" and event.ok:
            name, effect = event.arguments["parameter"], event.arguments["effect"]
            own = [t for t in tests if t["changed"] == {name} and counts(task, answer, t)]
            seen = {t["effect"] for t in own if t["significant"]} - {"none"}
            right.append(effect in seen if effect != "none" else bool(own) and not seen)
    return sum(right) / len(right) if right else None


def located(task, episode):
    """L4: 50 for the estimate, 30 for the interval, 20 for both sides. Distances are of the span."""
    public, answer = task.public, episode.submission
    span = Fraction(public["span"][1]) - Fraction(public["span"][0])
    bottom, top = (Fraction(edge) for edge in task.hidden["bracket"])
    measured = [e for e in episode.events if e.kind == "call" and e.tool == "measure" and e.ok]
    values = dict.fromkeys(("interval", "distance", "length", "covered"))
    values |= {"correctness": 0.0, "rigor": 0.0, "solved": 0.0, "score": 0.0, "calls": float(len(measured))}
    if not isinstance(answer, dict):
        return values
    estimate, low, high = (Fraction(answer[name]) for name in ("estimate", "low", "high"))
    distance = max(bottom - estimate, estimate - top, Fraction(0)) / span
    length = (high - low) / span
    missed = max(bottom - high, low - top, Fraction(0)) / span
    loss = length + 2 * missed / (1 - Fraction(public["confidence"]))
    correctness = 50 * max(Fraction(0), 1 - 10 * distance)
    interval = 30 * max(Fraction(0), 1 - 2 * loss)
    below = above = False
    for event in measured:
        shown, value = event.parts[0], Fraction(event.arguments["value"])
        rise = Fraction(shown["mean"]) - Fraction(public["level"])
        # Two standard errors, sd / sqrt(runs), without taking the root.
        clear = rise**2 * shown["runs"] > (2 * Fraction(shown["sd"])) ** 2
        beyond = rise < 0 if public["falls"] else rise > 0  # the measured value lies past the boundary
        above = above or (clear and beyond and value > estimate)
        below = below or (clear and not beyond and value < estimate)
    rigor = 20 if below and above else 0
    return values | {
        "score": float(correctness + interval + rigor),
        "solved": float(distance <= Fraction(25, 1000)),
        "correctness": float(correctness),
        "rigor": float(rigor),
        "interval": float(interval),
        "distance": float(distance),
        "length": float(length),
        "covered": float(low <= (bottom + top) / 2 <= high),
    }
