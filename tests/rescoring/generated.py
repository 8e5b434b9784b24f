"""Made-up episodes on frozen tasks: honest, careless, empty, extreme and impossible ones, from a seed."""

from __future__ import annotations

import itertools
import json
import random
from functools import cache
from pathlib import Path

from tests.rescoring.causalab import acyclic

from assay.episode import Episode, Event
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.suite import suite
from assay.task import read_frozen

ROOT = Path(__file__).parents[2]
WITHOUT_GATE_FILES = MemoryBlobs()
SETS = {
    "petri": ("core-v0", "l2-v0", "l3-v0", "l4-v0", "vector-v0", "blind-v0", "paired-v0"),
    "causalab": ("main-v0",),
    "collider": ("cms-v0", "cms-shape-v0", "cms-yield-v0", "atlas-v0", "mock-v0"),
    "sgi": ("wet-v0", "research-v0", "reasoning-v0", "ideas-v0"),
}
SHARES = {"petri": 5000, "causalab": 2000, "collider": 1000, "sgi": 2000}
"""Of ten thousand. pilab has no generated ones: its submission is the world's own record, not an agent's."""


@cache
def tasks(name):
    paths = [path for one in SETS[name] for path in sorted((ROOT / "tasks" / name / one).glob("*.json"))]
    found = [read_frozen(path) for path in paths]
    if name == "causalab":  # counting the graphs of seven variables takes seconds
        found = [task for task in found if len(task.public["variables"]) <= 5]
    return found


@cache
def materials(name):
    return materials_for(suite(name), WITHOUT_GATE_FILES)


def episodes(name, count, seed=14):
    """`count` pairs of task and episode."""
    rng = random.Random(f"{name} {seed}")
    make = {"petri": petri, "causalab": causalab, "collider": collider, "sgi": sgi}[name]
    for attempt in range(count):
        task = rng.choice(tasks(name))
        submission, events = make(task, rng)
        yield (
            task,
            Episode(
                suite=name,
                task_set=task.task_set,
                task_id=task.task_id,
                agent="generated",
                attempt=attempt,
                status="done" if submission is not None else "no_submission",
                reason="",
                submission=submission,
                counters={},
                events=tuple(events),
            ),
        )


def event(step, tool, arguments, shown, charged=0):
    return Event(step, None, "call", tool, arguments, (shown,), True, None, charged)


# ------------------------------------------------------------ petri


def petri(task, rng):
    public = task.public
    if public["tier"] == "L4":
        low, high = public["span"]
        events = []
        for step in range(rng.randint(0, 9)):
            shown = {
                "mean": rng.uniform(0, 2) * public["level"],
                "sd": rng.choice([0, rng.random()]),
                "runs": 12,
            }
            events.append(event(step, "measure", {"value": rng.uniform(low, high)}, shown, 1))
        ends = sorted(
            rng.choice([rng.uniform(low, high), low, high, *task.hidden["bracket"]]) for _ in range(3)
        )
        answer = {"low": ends[0], "estimate": ends[1], "high": ends[2]}
        return rng.choice([answer] * 6 + [None]), events
    drivers = [d["parameter"] for d in task.hidden["drivers"]]
    names, metrics = public["candidates"], public["metrics"]
    events = []
    for step in range(rng.randint(0, 11)):
        if rng.random() < 0.2:
            claim = {"parameter": rng.choice(names), "effect": rng.choice(["up", "down", "none"])}
            events.append(event(step, "claim", claim, "noted"))
            continue
        if rng.random() < 0.15:
            events.append(event(step, "probe", {"guess": {}, "metric": metrics[0]}, statistics(rng), 1))
            continue
        changed = rng.sample(names, rng.choice([0, 1, 1, 1, 1, 2, 2, 3]))
        arm = {name: public["control"][name] + rng.choice([0, 1, 1, 1, 2]) for name in changed}
        arms = [{}, arm] if rng.random() < 0.7 else [arm, {}] if rng.random() < 0.8 else [arm, dict(arm)]
        arguments = {"config_a": arms[0], "config_b": arms[1]}
        if public.get("variant") == "vector":
            shown = {metric: statistics(rng) for metric in metrics}
        else:
            arguments["metric"] = rng.choice([public.get("target", metrics[0]), rng.choice(metrics)])
            shown = statistics(rng)
        events.append(event(step, "experiment", arguments, shown, 1))
    answer = {key: pick(rng, words) for key, words in public["choices"].items()}
    if public["tier"] == "L3":
        answer["parameters"] = rng.choice([drivers, rng.sample(names, 2)])
    else:
        answer["parameter"] = rng.choice([drivers[0], rng.choice(names)])
    return rng.choice([answer] * 9 + [None]), events


def pick(rng, words):
    return {k: rng.choice(v) for k, v in words.items()} if isinstance(words, dict) else rng.choice(words)


def statistics(rng):
    """What an experiment shows; p is one that the exact test can have, significance follows from it."""
    p = rng.choice([rng.randint(1, 60_000), rng.randint(60_000, 2_704_156)]) / 2_704_156
    return {
        "cliffs_delta": rng.choice([-1, 1]) * rng.randint(1, 144) / 144,
        "mean_a": rng.random(),
        "mean_b": rng.random(),
        "p": p,
        "p_adjusted": min(1.0, 5 * p),
        "relative_change": 0.0,
        "significant": 5 * p < 0.05,
        "u": 0.0,
    }


# ------------------------------------------------------------ causalab


def causalab(task, rng):
    names = [name for name, _ in task.public["variables"]]
    hypothesis, events = {}, []
    for step in range(rng.randint(0, 4)):
        hypothesis = guess(task, names, rng)
        record = {"memory": "", "thought": "", "hypothesis": hypothesis, "experiment": {}}
        record["past_data"] = [
            {"id": "1", "props": {n: rng.randint(0, 99) for n in names[1:]}, "freq": rng.uniform(0, 500)}
            for _ in range(rng.randint(0, 2))
        ]
        if rng.random() < 0.8:
            name, value = (
                rng.choice(task.public["controllable"]),
                rng.choice([rng.randint(0, 100), -3.5, 1e6]),
            )
            record |= {"op": "intervene", "property": name, "value": value}
            shown = {
                "max": 12,
                "uses": step + 1,
                "values": {n: round(rng.uniform(-50, 900), 2) for n in names},
            }
        else:
            record |= {"op": "open_reactor"}
            shown = {"error": "the reactor is open"}
        events.append(event(step, "record", {"text": json.dumps(record)}, shown, 1))
    done = False
    if hypothesis and rng.random() < 0.7:
        done = rng.random() < 0.5
        record = {"memory": "", "thought": "", "past_data": [], "hypothesis": hypothesis, "experiment": {}}
        record |= {"op": "predict", "value": 5.0}
        events.append(
            event(len(events), "record", {"text": json.dumps(record)}, {"accepted": done, "remaining": 2}, 1)
        )
    submission = {"completed": done, "frequency": 1.0, "hypothesis": hypothesis, "submissions": 1}
    return submission if hypothesis else None, events


def guess(task, names, rng):
    """Some true edges, some turned, some made up; the equation and weights to match, or not."""
    model = task.hidden["model"]
    edges = [dict(edge) for edge in model["edges"] if rng.random() < 0.7]
    edges += [{"from": e["to"], "to": e["from"]} for e in model["edges"] if rng.random() < 0.15]
    edges = [e for e in edges if e["from"] != e["to"]]
    edges += [dict(zip(("from", "to"), rng.sample(names, 2), strict=True)) for _ in range(rng.randint(0, 2))]
    edges = [e for k, e in enumerate(edges) if e not in edges[:k]]
    while not acyclic({(e["from"], e["to"]) for e in edges}, names):  # the laboratory sends cycles back
        edges.pop()
    causes = sorted({e["from"] for e in edges if e["to"] == names[0]})
    equation = " + ".join(["base", *(f"c_{c} * {c}" for c in causes)])
    weights = {"base": rng.choice([20.0, model["params"]["base_freq"]])}
    for cause in causes:
        true = model["params"].get(f"coeff_{cause}_freq", 2)
        weights[f"c_{cause}"] = rng.choice([true, true, true + rng.choice([1e-7, 1e-3, 0.02, 1]), None])
    return rng.choice(
        [{"edges": edges, "freq_equation": "resonanceFreq = " + equation, "coefficients": weights}] * 9
        + [{"edges": [], "freq_equation": "", "coefficients": {}}]
    )


# ------------------------------------------------------------ collider


def collider(task, rng):
    histogram, truth = task.public["histogram"], task.hidden["yields"]
    values = [
        rng.choice([t, t * rng.lognormvariate(0, 0.4), 0.0, rng.expovariate(1), 10 ** rng.uniform(-8, 30)])
        for t in truth
    ]
    if rng.random() < 0.1:
        values = [0.0] * len(truth)
    if rng.random() < 0.3:
        values[rng.randrange(len(values))] = rng.choice(
            ["null", "-0.5", ".nan", ".inf", "1e400", "'3'", "true", "text", "[1]", "0x10", "1_000"]
        )
    edges = list(histogram["edges"])
    if rng.random() < 0.1:
        edges[rng.randrange(len(edges))] += rng.choice([1e-12, 5.0])
    if rng.random() < 0.05:
        values = values[1:]
    series = histogram["series"] if rng.random() < 0.95 else "another"
    lines = ["dependent_variables:", "- header:", f"    name: {series}", "  values:"]
    lines += [
        f"  - value: {value!r}" if isinstance(value, float) else f"  - value: {value}" for value in values
    ]
    if rng.random() < 0.8:
        lines += ["independent_variables:", "- header:", "    name: x", "  values:"]
        lines += [f"  - {{low: {a!r}, high: {b!r}}}" for a, b in itertools.pairwise(edges)]
    text = "\n".join(lines) + "\n"
    return rng.choice([text] * 18 + [None, "", "{", text[: len(text) // 2]]), []


# ------------------------------------------------------------ sgi


def sgi(task, rng):
    """The reference as a reply, cut, shuffled and altered."""
    hidden, family = task.hidden, task.public["family"]
    if family == "wet_experiment":
        steps = hidden["answer"].split("\n\n")
        for _ in range(rng.randint(0, 3)):
            a, b = rng.randrange(len(steps)), rng.randrange(len(steps))
            change = rng.choice(["swap", "drop", "repeat", "dose"])
            if change == "swap":
                steps[a], steps[b] = steps[b], steps[a]
            elif change == "drop" and len(steps) > 1:
                del steps[a]
            elif change == "repeat" and len(steps) < 20:
                steps.insert(a, steps[b].replace("out_", "more_", 1))
            else:
                steps[a] = steps[a].replace('="1', '="7').replace("=out_1", "=out_2")
        body = "\n\n".join(steps)
        return rng.choice([f"<answer>\n{body}\n</answer>"] * 6 + ["", "no protocol"]), []
    if family == "deep_research":
        steps = [
            {
                "kind": s["kind"],
                "claim": s["quantity"],
                "value": s["value"],
                "unit": s["unit"],
                "source": s["doc_id"],
            }
            for s in hidden["x_steps"]
            if rng.random() < 0.8
        ]
        for step in steps:
            if rng.random() < 0.15:
                step[rng.choice(["value", "source", "kind", "unit"])] = rng.choice(["7", "D0001", None])
        gold = hidden["answer"]
        answer = rng.choice([gold, f"{gold}.", f"about {gold}", f"~{gold}", gold + "0", "-" + gold, "17", ""])
        answer += rng.choice(["", "", " " + (hidden["x_response"][0]["unit"] or "")])
        tail = rng.choice([f"<answer>{answer}</answer>", f"<answer>{answer}", f"I say {answer}", ""])
        return json.dumps({"steps": steps, "answer": answer}) + "\n" + tail, []
    if family == "experimental_reasoning":
        readings = [
            {**{k: r[k] for k in ("panel", "quantity", "unit")}, "value": r["value"]}
            for r in hidden["x_readings"]
            if rng.random() < 0.9
        ]
        for one in readings:
            if rng.random() < 0.3 and not isinstance(one["value"], str):
                one["value"] *= rng.choice([1.001, 1.3, -1, 0])
        readings += [
            {"panel": "9", "quantity": f"spare {k}", "value": k, "unit": ""}
            for k in range(rng.choice([0, 0, 9]))
        ]
        letter = rng.choice("ABCDEFGHIJKL" + 8 * chr(65 + int(hidden["answer"])))
        box = rng.choice(
            [
                rf"\boxed{{{letter}}}",
                rf"\boxed{{\text{{{letter.lower()}}}}}",
                rf"\boxed{{3}} ({letter}.)",
                f"\n({letter})",
                "",
            ]
        )
        return json.dumps({"readings": readings, "answer": letter}) + "\n" + box, []
    text = hidden["core_idea"]
    sentences = text.split(". ")
    idea = rng.choice(
        [
            text,
            ". ".join(rng.sample(sentences, rng.randint(1, len(sentences)))),
            text + " " + text,
            "",
            hidden["challenge"],
        ]
    )
    return json.dumps({"Idea": idea, **({"Dataset": "rows"} if rng.random() < 0.5 else {})}), []
