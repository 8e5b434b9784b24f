"""The five stages: what each shows, what a reply says and is worth, and what the next one gets from it."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.investigation import enzyme as lab
from assay.suites.sgi.investigation.documents import texts
from assay.suites.sgi.investigation.enzyme import DEVIATIONS, MOST_RUNS, PAIRS, RANGES, World
from assay.suites.sgi.methods.run import runs_of
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.plans.plan import number, read_plan
from assay.suites.sgi.plans.questions.rivals import LAWS
from assay.suites.sgi.text.contracts import json_object
from assay.suites.sgi.text.program import parse, same_action

STAGES = ("read", "propose", "compute", "bench", "interpret")
CONSTANTS = tuple(RANGES)
Shown = dict[str, Any]
"""What earlier stages gave: `estimates`, `runs`, `readings`, `protocol`, `curves`; absent without them."""

CLOSE, FAR = 0.1, 0.6
"""Errors of a constant, as logarithms, that cost nothing and everything."""

PROGRAM = '''import json


def product(substrate, inhibitor, enzyme, minutes):
    """The product in mM after some minutes, of concentrations in mM and enzyme in U/mL."""
    pass


if __name__ == "__main__":
    with open("data/conditions.json") as file:
        conditions = json.load(file)
    values = [float("%.6g" % product(**condition)) for condition in conditions]
    print(json.dumps({"product": values}))
'''
LEAST, MOST = 1e-4, 1e3
"""mM of substrate and inhibitor in a run; no more substrate is taken than dissolves."""

TOLERANCE, OFF = 0.08, 0.5
"""Errors of a prediction, as logarithms, that cost nothing and everything."""

MOST_LOST = 0.12
"""Utility of a protocol below that of the best one, at which nothing is left of the score."""


def question(stage: str, row: Mapping[str, Any], shown: Shown) -> str:
    """The text of a stage."""
    world, own = row["x_world"], texts()
    prices = {f"{name}_price": value for name, value in world["price"].items()}
    fill = {
        "enzyme": row["x_enzyme"],
        "most": MOST_RUNS,
        "noise": world["noise"],
        "soluble": world["soluble"],
        **world["sample"],
        **prices,
    }
    parts = [own[stage].format(**fill).strip()]
    if stage == "read":
        given = ", ".join(f"{name} = {world[name]:g}" for name in row["x_given"])
        sheet = [own["sheet"].format(enzyme=row["x_enzyme"], facts=given)] if given else []
        return "\n\n".join([*parts, own["laws"].strip(), *sheet, *row["x_documents"]])
    known = shown.get("estimates")
    facts = own["nothing"].format(what="estimate")
    if known:
        values = [f"{name} = {known[name]:.4g}" for name in CONSTANTS if name in known]
        rivals = known.get("rivals", [])
        facts = own["known"].format(
            enzyme=row["x_enzyme"], facts=", ".join([*values, f"rivals: {' and '.join(rivals)}"])
        )
    parts += [own["laws"].strip(), facts]
    if stage == "compute":
        parts.append(PROGRAM)
    if stage in ("compute", "bench", "interpret"):
        lines = [
            f"{s:g} | {i:g} | {y:g}"
            for (s, i), y in zip(shown.get("runs", ()), shown.get("readings", ()), strict=False)
        ]
        head = "substrate (mM) | inhibitor (mM) | rate as a share of k E"
        parts.append("\n".join([head, *lines]) if lines else own["nothing"].format(what="measurement"))
    if stage == "interpret":
        protocol = shown.get("protocol")
        if not protocol:
            parts.append(own["nothing"].format(what="batch"))
        else:
            parts.append("Protocol: " + ", ".join(f"{name} {value:g}" for name, value in protocol.items()))
            for n, batch in enumerate(shown["curves"], 1):
                times = [protocol["minutes"] * (at + 1) / lab.POINTS for at in range(lab.POINTS)]
                rows = [f"{t:.4g} | {a:g} | {b:g}" for t, a, b in zip(times, *batch, strict=True)]
                parts.append("\n".join([f"Batch {n}", "minutes | batch | twin", *rows]))
        parts.append("\n".join(f"{letter(n)}. {text}" for n, text in enumerate(DEVIATIONS)))
    return "\n\n".join(parts)


def parsed(stage: str, reply: str, soluble: float = MOST) -> Any:
    """What a reply says; None where it says nothing that can be used."""
    if stage == "compute":
        return reply if reply.strip() else None
    if stage == "read":
        found = json_object(reply, (*CONSTANTS, "rivals")) or {}
        known: dict[str, Any] = {}
        for name in CONSTANTS:
            value = number(found.get(name))
            if value is not None and 1e-6 < value < 1e6:
                known[name] = value
        laws = found.get("rivals")
        known["rivals"] = (
            sorted({str(law) for law in laws if law in LAWS})[:2] if isinstance(laws, list) else []
        )
        return known if len(known) > 1 or known["rivals"] else None
    if stage == "propose":
        plan = read_plan(reply)
        runs = (
            [
                (min(r["substrate"], soluble), r["inhibitor"])
                for r in plan.listed
                if {"substrate", "inhibitor"} <= r.keys()
            ]
            if plan
            else []
        )
        kept = [run for run in runs if all(LEAST <= x <= MOST for x in run)][:MOST_RUNS]
        return kept or None
    if stage == "bench":
        return _protocol(reply)
    letters = (json_object(reply, ("batches",)) or {}).get("batches")
    if not isinstance(letters, list):
        return None
    return [
        ord(str(one).strip().upper()[0]) - ord("A") if str(one).strip() else -1
        for one in letters[: lab.BATCHES]
    ]


def _protocol(reply: str) -> dict[str, float] | None:
    steps = {same_action(step.action): step for step in parse(reply).steps}
    wanted = {
        "dilution": ("Dilute", "factor"),
        "enzyme": ("Add Enzyme", "amount"),
        "minutes": ("Incubate", "duration"),
    }
    found = {}
    for name, (action, key) in wanted.items():
        step = steps.get(same_action(action))
        value = number(str(step.arguments.get(key, "")).replace("U/mL", "").strip()) if step else None
        if value is None:
            return None
        found[name] = value
    found = {
        "dilution": min(max(found["dilution"], 1.0), 100.0),
        "enzyme": min(max(found["enzyme"], 0.0), 1e4),
        "minutes": min(max(found["minutes"], 0.1), 1e4),
    }
    return {name: float(f"{value:.4g}") for name, value in found.items()}


def passed_on(stage: str, world: World, said: Any) -> Shown:
    """What the next stages are shown of a reply, once the world has answered it."""
    if said is None or stage in ("compute", "interpret"):
        return {}
    if stage == "read":
        return {"estimates": said}
    if stage == "propose":
        return {"runs": said, "readings": lab.readings(world, said)}
    return {"protocol": said, "curves": lab.measured(world, said)}


def raw(stage: str, row: Mapping[str, Any], said: Any) -> float:
    """What a reply to a stage is worth before anchoring, 0 .. 1."""
    return 0.0 if said is None else float(_raw(stage, row, said))


def _raw(stage: str, row: Mapping[str, Any], said: Any) -> Any:
    world = row["x_world"]
    if stage == "read":
        names = [name for name in CONSTANTS if name not in row["x_given"]]
        errors = [abs(math.log(said[name] / world[name])) if name in said else FAR for name in names]
        parts = [min(max((FAR - error) / (FAR - CLOSE), 0.0), 1.0) for error in errors]
        return 0.8 * math.fsum(parts) / len(parts) + 0.2 * (said["rivals"] == world["rivals"])
    if stage == "propose":
        return min(lab.separation(world, world, said) / row["x_best"]["separation"], 1.0)
    if stage == "compute":
        runs, _ = runs_of(row["x_program"], said)
        return _agreement(row, [_values(run.stdout) if run.exit_zero else [] for run in runs])
    if stage == "bench":
        lost = row["x_best"]["utility"] - float(lab.utility(world, world, world["law"], *said.values()))
        return min(max(1.0 - lost / MOST_LOST, 0.0), 1.0)
    return sum(a == b for a, b in zip(said, world["deviations"], strict=False)) / len(world["deviations"])


def program(world: World, stream: Stream) -> dict[str, Any]:
    """Stage 3 in the columns of a dry experiment: a program with a hole, five tests and their outputs."""
    row: dict[str, Any] = {"incomplete_main_code": PROGRAM, "incomplete_functions": ["product"]}
    for test in range(5):
        conditions = []
        for _ in range(3):
            s = world["K"] * lab.log_uniform(stream, 0.2, 20)
            one = {"substrate": s, "inhibitor": world["Ki"] * lab.log_uniform(stream, 0.3, 6)}
            enzyme = lab.log_uniform(stream, 0.1, 2)
            time = (s + world["K"]) / world["k"] / enzyme * lab.log_uniform(stream, 0.4, 3)
            one |= {"enzyme": enzyme, "minutes": min(time, 2.5 * world["tau"])}
            conditions.append({name: float(f"{value:.4g}") for name, value in one.items()})
        values = [float(lab.product(world, world["law"], *one.values())) for one in conditions]
        script = (
            "import json, os\nos.makedirs('data', exist_ok=True)\n"
            f"json.dump({conditions!r}, open('data/conditions.json', 'w'))\n"
        )
        row |= {
            f"unit_test_{test}_data": script,
            f"unit_test_{test}_output": json.dumps({"product": [float(f"{value:.6g}") for value in values]}),
        }
    return row


def _values(text: str) -> list[float]:
    """The numbers that a program printed; empty where it printed something else."""
    found = (json_object(text, ("product",)) or {}).get("product")
    if not isinstance(found, list) or any(
        isinstance(x, bool) or not isinstance(x, int | float) for x in found
    ):
        return []
    return [float(value) for value in found]


def _agreement(row: Mapping[str, Any], outputs: Sequence[Sequence[float]]) -> float:
    """The mean over conditions of how near values are to the truth, full within `TOLERANCE`."""
    marks = []
    for test, values in enumerate(outputs):
        truth = json.loads(row["x_program"][f"unit_test_{test}_output"])["product"]
        for n, right in enumerate(truth):
            value = values[n] if len(values) == len(truth) else -1.0
            off = abs(math.log(value / right)) if 0 < value < math.inf else OFF
            marks.append(min(max((OFF - off) / (OFF - TOLERANCE), 0.0), 1.0))
    return math.fsum(marks) / len(marks)


def predicted(row: Mapping[str, Any], known: Mapping[str, Any], law: str) -> float:
    """What stage 3 is worth for a right program with these constants and this law."""
    outputs = []
    for test in range(5):
        script = row["x_program"][f"unit_test_{test}_data"]
        conditions = ast.literal_eval(script.partition("json.dump(")[2].rpartition(", open(")[0])
        outputs.append([float(lab.product(known, law, *one.values())) for one in conditions])
    return _agreement(row, outputs)


CODE = """def product(substrate, inhibitor, enzyme, minutes):
    import math
    K, Ki, k, tau = {K}, {Ki}, {k}, {tau}
    bound = inhibitor / Ki

    def rate(s):
        return {rate}

    whole = k * enzyme * {effective}
    n, s = 2000, substrate
    for _ in range(n):
        h = whole / n
        middle = max(s - 0.5 * h * rate(s), 0.0)
        s = max(s - h * rate(middle), 0.0)
    return substrate - s
"""
RATES: Mapping[str, str] = {
    "competitive": "s / (K * (1 + bound) + s)",
    "uncompetitive": "s / (K + s * (1 + bound))",
    "noncompetitive": "s / (K + s) / (1 + bound)",
    "cooperative": "s / (K + s) / (1 + bound * bound)",
}

Right = Callable[[str], bool]
"""Whether an inference of that name is right."""

HOUSE: Mapping[str, Any] = {
    "K": 0.3162,
    "Ki": 0.3162,
    "k": 0.2,
    "tau": 45.0,
    "rivals": ["competitive", "noncompetitive"],
}
HOUSE_PROTOCOL: Mapping[str, float] = {"dilution": 1.5, "enzyme": 1.0, "minutes": 20.0}


def everything(name: str) -> bool:
    """All inferences are right."""
    return True


def act(
    stage: str, row: Mapping[str, Any], shown: Shown, estimates: Mapping[str, Any], right: Right = everything
) -> str:
    """The reply of somebody who makes those inferences right, and takes constants elsewhere.

    Args:
        stage: which one.
        row: the item, of which only what every agent is told is used: sample, prices, scatter.
        shown: what the stage shows.
        estimates: what somebody who reads rightly finds in the documents.
        right: whether an inference is right.
    """
    world = row["x_world"]
    if stage == "read":
        said = {name: estimates[name] if right(name) else HOUSE[name] for name in (*CONSTANTS, "rivals")}
        said |= {name: world[name] for name in row["x_given"]}
        if not right("rivals"):
            said["rivals"] = sorted(
                next(pair for pair in PAIRS.values() if sorted(pair) != estimates["rivals"])
            )
        return json.dumps(said)
    known = {**HOUSE, **(shown.get("estimates") or {})}
    rivals = known["rivals"] if len(known["rivals"]) == 2 else HOUSE["rivals"]
    runs, seen = shown.get("runs", []), shown.get("readings", [])
    if stage == "propose":
        s, i = best_run(rivals, known, world["soluble"])
        s, i = (s, i) if right("place") else (HOUSE["K"], HOUSE["Ki"])
        listed = [{"substrate": s, "inhibitor": i}] * MOST_RUNS
        return json.dumps(
            {"factors": {"substrate": [s], "inhibitor": [i]}, "layout": "listed", "runs": listed}
        )
    law = lab.better_law(rivals, runs, seen, known)
    if stage == "compute":
        if not right("law"):
            law = next(rival for rival in (*rivals, "cooperative") if rival != law)
        constants = {name: known[name] for name in CONSTANTS}
        effective = "tau / math.log(2) * (1 - 0.5 ** (minutes / tau))" if right("activity") else "minutes"
        return f"<answer>\n{CODE.format(**constants, rate=RATES[law], effective=effective)}</answer>"
    if stage == "bench":
        best = lab.best_protocol(world, known, law)
        return written({name: best[name] if right(name) else HOUSE_PROTOCOL[name] for name in HOUSE_PROTOCOL})
    guesses = [0] * lab.BATCHES
    if shown.get("protocol"):
        guesses = lab.likeliest(world, known, law, shown["protocol"], shown["curves"])
    chosen = [
        guess if right(f"batch {n}") else (guess + 1 + n) % len(DEVIATIONS) for n, guess in enumerate(guesses)
    ]
    return json.dumps({"batches": [letter(n) for n in chosen]})


def best_run(rivals: Sequence[str], known: Mapping[str, Any], soluble: float) -> tuple[float, float]:
    """The run in which two rivals differ most."""
    grid = [10 ** (n / 5) for n in range(-10, 16)]
    pairs = [(float(f"{known['K'] * a:.4g}"), float(f"{known['Ki'] * b:.4g}")) for a in grid for b in grid]
    pairs = [(min(s, soluble), i) for s, i in pairs]
    allowed = [pair for pair in pairs if all(LEAST <= x <= MOST for x in pair)] or [(soluble, 1.0)]
    s, i = (np.array(values) for values in zip(*allowed, strict=True))
    apart = np.abs(lab.share(rivals[0], s, i, known) - lab.share(rivals[1], s, i, known))
    return allowed[int(np.argmax(np.round(apart, 9)))]


def written(protocol: Mapping[str, float]) -> str:
    """A protocol as a reply."""
    return (
        f'<answer>\ndiluted = <Dilute>(factor="{protocol["dilution"]:g}")\n'
        f'batch = <Add Enzyme>(to=diluted, amount="{protocol["enzyme"]:g} U/mL")\n'
        f'done = <Incubate>(batch=batch, duration="{protocol["minutes"]:g} min")\n</answer>'
    )


def random_reply(stage: str, row: Mapping[str, Any], stream: Stream) -> str:
    """A sound reply with random values in the stated ranges."""
    if stage == "read":
        known = {name: lab.log_uniform(stream, *ends) for name, ends in RANGES.items()}
        known |= {name: row["x_world"][name] for name in row["x_given"]}
        return json.dumps({**known, "rivals": sorted(PAIRS[stream.choice(sorted(PAIRS))])})
    if stage == "propose":
        ends = {"substrate": (LEAST, row["x_world"]["soluble"]), "inhibitor": (0.01, 100.0)}
        runs = [{n: lab.log_uniform(stream, *ends[n]) for n in ends} for _ in range(MOST_RUNS)]
        return json.dumps({"factors": {"substrate": [1], "inhibitor": [1]}, "layout": "listed", "runs": runs})
    if stage == "compute":
        known = {name: lab.log_uniform(stream, *ends) for name, ends in RANGES.items()}
        law = stream.choice(sorted(RATES))
        return f"<answer>\n{CODE.format(**known, rate=RATES[law], effective='minutes')}</answer>"
    if stage == "bench":
        return written({name: stream.choice(values) for name, values in lab.GRID.items()})
    return json.dumps({"batches": [letter(stream.below(len(DEVIATIONS))) for _ in range(lab.BATCHES)]})
