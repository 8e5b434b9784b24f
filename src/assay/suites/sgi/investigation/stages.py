"""The five stages: what each shows, what a reply says and is worth, and what the next one gets from it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.numbers.rng import Stream
from assay.sandbox import Box
from assay.suites.sgi.dry.runs import MOST_CODE, answered_code
from assay.suites.sgi.investigation import enzyme as lab
from assay.suites.sgi.investigation.documents import texts
from assay.suites.sgi.investigation.enzyme import CONSTANTS, DEVIATIONS, FORMS, MOST_RUNS, PAIRS, World
from assay.suites.sgi.methods.run import POLICY
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.plans.plan import number, read_plan
from assay.suites.sgi.text.contracts import json_object
from assay.suites.sgi.text.program import parse, same_action

STAGES = ("read", "propose", "compute", "bench", "interpret")
Shown = dict[str, Any]
"""What earlier stages gave: `estimates`, `runs`, `readings`, `protocol`, `curves`; absent without them."""

CLOSE, FAR = 0.1, 0.6
"""Errors of a number, as logarithms, that cost nothing and everything: 10 %, and a factor of 1.8."""

MOST_LOST = 0.25
"""Share of the worth of the best protocol at whose loss nothing is left of the score."""

TESTS = ("short",) * 4 + ("long",) * 4 + ("inhibited",) * 8


def question(row: Mapping[str, Any]) -> str:
    """The text of an inquiry: all stages, the laws, the batch sheet, the documents."""
    own = texts()
    tasks = "\n".join(instruction(stage, row) for stage in STAGES)
    return "\n\n".join(
        [
            own["overview"].format(enzyme=row["x_enzyme"]).strip(),
            tasks,
            own["laws"].strip(),
            *sheet(row),
            *row["x_documents"],
            instruction("read", row),
        ]
    )


def instruction(stage: str, row: Mapping[str, Any]) -> str:
    """What a stage asks for."""
    world = row["x_world"]
    options = "\n  ".join(f"{letter(n)}. {text}" for n, text in enumerate(DEVIATIONS))
    fill = {f"{name}_price": value for name, value in world["price"].items()} | world["sample"]
    fill |= {"enzyme": row["x_enzyme"], "most": MOST_RUNS, "options": options}
    text: str = texts()[stage].format(**fill, noise=world["noise"], soluble=world["soluble"])
    return text.strip()


def sheet(row: Mapping[str, Any]) -> list[str]:
    """What the batch sheet gives away, one paragraph or none."""
    lines = []
    for name in row["x_given"]:
        value = row["x_right"][name]
        shown = f"{value:g}" if isinstance(value, float) else value
        if name == "rivals":
            shown = " and ".join(PAIRS[value])
        elif name in RELATIVE:  # as a number it would tell the constant
            shown = f"{value / row['x_right'][RELATIVE[name]]:.3g} times {RELATIVE[name]}"
            shown = DISSOLVED if name == "substrate" and value == row["x_world"]["soluble"] else shown
        lines.append("- " + texts()["lines"][name].format(enzyme=row["x_enzyme"], value=shown))
    return ["\n".join([texts()["sheet"], *lines])] if lines else []


RELATIVE: Mapping[str, str] = {"substrate": "K", "inhibitor": "Ki"}
"""Decisions that a batch sheet states as multiples of a constant."""

DISSOLVED = "as much as dissolves"


def message(stage: str, row: Mapping[str, Any], shown: Shown) -> str:
    """The text of a stage after the first: what it asks for, and what earlier ones gave."""
    own, known = texts(), shown.get("estimates")
    facts = own["nothing"].format(what="estimate")
    if known:
        values = [f"{name} = {known[name]:.4g}" for name in CONSTANTS if name in known]
        rivals = " and ".join(PAIRS[known["rivals"]]) if known.get("rivals") else "not said"
        facts = own["known"].format(enzyme=row["x_enzyme"], facts=", ".join([*values, f"rivals: {rivals}"]))
    parts = [instruction(stage, row), *sheet(row), facts]
    if stage != "propose":
        pairs = zip(shown.get("runs", ()), shown.get("readings", ()), strict=True)
        lines = [f"{s:g} | {i:g} | {y:g}" for (s, i), y in pairs]
        head = "substrate (mM) | inhibitor (mM) | rate as a share of k E"
        parts.append("\n".join([head, *lines]) if lines else own["nothing"].format(what="measurement"))
    if stage == "interpret":
        protocol = shown.get("protocol")
        if not protocol:
            return "\n\n".join([*parts, own["nothing"].format(what="batch")])
        parts.append("Protocol: " + ", ".join(f"{name} {value:g}" for name, value in protocol.items()))
        times = [protocol["minutes"] * (at + 1) / lab.POINTS for at in range(lab.POINTS)]
        for n, batch in enumerate(shown["curves"]):
            rows = [f"{t:.4g} | {a:g} | {b:g}" for t, a, b in zip(times, *batch, strict=True)]
            parts.append("\n".join([f"Batch {n}" if n else "Control", "minutes | batch | twin", *rows]))
    return "\n\n".join(parts)


def parsed(stage: str, reply: str, soluble: float = lab.MOST) -> Any:
    """What a reply says; None where it says nothing that can be used."""
    if stage == "compute":
        return reply if reply.strip() else None
    if stage == "read":
        return _estimates(json_object(reply, (*CONSTANTS, "rivals")) or {})
    if stage == "propose":
        plan = read_plan(reply)
        wanted = [r for r in (plan.listed if plan else ()) if {"substrate", "inhibitor"} <= r.keys()]
        runs = [(min(r["substrate"], soluble), r["inhibitor"]) for r in wanted]
        return [run for run in runs if all(lab.LEAST <= x <= lab.MOST for x in run)][:MOST_RUNS] or None
    if stage == "bench":
        return _protocol(reply)
    letters = (json_object(reply, ("batches",)) or {}).get("batches")
    if not isinstance(letters, list):
        return None
    return [
        ord(str(one).strip().upper()[0]) - ord("A") if str(one).strip() else -1
        for one in letters[: lab.BATCHES]
    ]


def _estimates(said: Mapping[str, Any]) -> dict[str, Any] | None:
    values = {name: number(said.get(name)) for name in CONSTANTS}
    known: dict[str, Any] = {name: v for name, v in values.items() if v is not None and 1e-6 < v < 1e6}
    laws = said.get("rivals")
    if isinstance(laws, list):
        names = tuple(sorted({str(law).strip().casefold() for law in laws}))
        sides = [side for side, pair in PAIRS.items() if pair == names]
        known |= {"rivals": sides[0]} if sides else {}
    return known or None


def _protocol(reply: str) -> dict[str, float] | None:
    steps = {same_action(step.action): step for step in parse(reply).steps}
    bounds = {
        "dilution": ("Dilute", "factor", 1.0, 100.0),
        "enzyme": ("Add Enzyme", "amount", 0.0, 1e4),
        "minutes": ("Incubate", "duration", 0.1, 1e4),
    }
    found = {}
    for name, (action, key, low, high) in bounds.items():
        step = steps.get(same_action(action))
        said = str(step.arguments.get(key, "")) if step else ""
        value = number(re.sub(r"(?i)\s*(U|units?)\s*/\s*mL", "", said))
        if value is None:
            return None
        found[name] = float(f"{min(max(value, low), high):.4g}")
    return found


def passed_on(stage: str, world: World, said: Any) -> Shown:
    """What the next stages are shown of a reply, once the world has answered it."""
    if said is None or stage in ("compute", "interpret"):
        return {}
    if stage == "read":
        return {"estimates": said}
    if stage == "propose":
        return {"runs": said, "readings": lab.readings(world, said)}
    return {"protocol": said, "curves": lab.measured(world, said)}


def near(value: float, truth: float) -> float:
    """What a number is worth beside the true one, 0 .. 1."""
    error = abs(math.log(value / truth)) if 0 < value < math.inf else FAR
    return min(max((FAR - error) / (FAR - CLOSE), 0.0), 1.0)


def worth(stage: str, row: Mapping[str, Any], said: Any, shown: Shown) -> float:
    """What a reply to a stage is worth, 0 .. 1; 0 where the stage could not be carried out."""
    if said is None:
        return 0.0
    world, best = row["x_world"], row["x_best"]
    if stage == "read":
        parts = [near(said[name], world[name]) if name in said else 0.0 for name in CONSTANTS]
        return math.fsum([*parts, said.get("rivals") == world["side"]]) / (len(parts) + 1)
    if stage == "propose":
        return min(round(lab.separation(world, said), 6) / float(best["separation"]), 1.0)
    if stage == "compute":
        values = predictions(said, tuple(map(tuple, row["x_tests"])))
        return math.fsum(map(near, values, best["products"])) / len(TESTS)
    if stage == "bench":
        share = round(float(lab.utility(world, world, world["law"], *said.values())), 6) / float(
            best["utility"]
        )
        return min(max(1.0 - (1.0 - share) / MOST_LOST, 0.0), 1.0)
    if "curves" not in shown:
        return 0.0
    right = zip(said, world["deviations"], strict=False)
    return sum(bool(a == b) for a, b in right) / lab.BATCHES


def tests(world: World, stream: Stream) -> list[list[float]]:
    """Conditions of batches: without inhibitor for a short and a long time, and with it.

    Products are a few per cent to a half of the substrate, so that none can be guessed from the substrate.
    """
    found = []
    for n, kind in enumerate(TESTS):
        # With inhibitor the substrate is such that the rivals differ.
        ample = world["side"] == "low" if kind == "inhibited" else n % 2 == 0
        s = world["K"] * lab.log_uniform(stream, *((10, 100) if ample else (0.01, 0.1)))
        i = world["Ki"] * lab.log_uniform(stream, 2, 20) if kind == "inhibited" else 0.0
        span = (1.5, 6) if kind == "long" else (0.01, 0.3)
        time = world["tau"] * lab.log_uniform(stream, *span)
        a, b = (float(x) for x in lab.form(world["law"], i, world))
        active = min(time, world["tau"] / lab.HALF)
        enzyme = lab.log_uniform(stream, 0.01, 0.5) * (a + b * s) / (world["k"] * active)
        found.append([float(f"{x:.4g}") for x in (s, i, enzyme, time)])
    return found


CODE = """def product(substrate, inhibitor, enzyme, minutes):
    import math
    K, Ki, k, tau = {K}, {Ki}, {k}, {tau}
    i = inhibitor / Ki
    a, b = {a}, {b}
    whole = k * enzyme * tau / math.log(2) * (1 - 0.5 ** (minutes / tau))
    x = 0.0
    for _ in range(100):
        left = substrate * math.exp(-x)
        x += (whole - a * x - b * (substrate - left)) / (a + b * left)
    return substrate * (1 - math.exp(-x))
"""
NUMBER = r"([\d.]+(?:e[+-]?\d+)?)"
OURS = re.compile(rf"    K, Ki, k, tau = {NUMBER}, {NUMBER}, {NUMBER}, {NUMBER}\n.*\n    a, b = (.*)\n")


def code(known: Mapping[str, Any], law: str) -> str:
    """A program with these constants and this law."""
    a, b = FORMS[law]
    return CODE.format(**{name: known[name] for name in CONSTANTS}, a=a, b=b)


@lru_cache(maxsize=256)
def predictions(reply: str, conditions: tuple[tuple[float, ...], ...]) -> list[float]:
    """What the function of a reply returns, with six digits; 0 where it fails.

    It runs in the sandbox. A program that is ours but for its constants is not run: `enzyme.product` gives
    the same, so that planted agents and shortcuts cost no box each.
    """
    text = answered_code(reply)
    if (ours := OURS.search(text)) is not None:
        known = dict(zip(CONSTANTS, map(float, ours.groups()[:4]), strict=True))
        laws = [law for law, forms in FORMS.items() if ", ".join(forms) == ours[5]]
        if laws and code(known, laws[0]).strip() == text.strip():
            columns = zip(*conditions, strict=True)
            return [float(f"{x:.6g}") for x in lab.product(known, laws[0], *map(list, columns))]
    if len(text) > MOST_CODE or not text.strip():
        return [0.0] * len(TESTS)
    with Box(POLICY) as box:
        found = box.run(f"{text}\n[float(product(*one)) for one in {conditions!r}]").value
    if not isinstance(found, list) or len(found) != len(conditions):
        return [0.0] * len(TESTS)
    return [float(f"{x:.6g}") if isinstance(x, float) and x > 0 else 0.0 for x in found]


def written(stage: str, values: Mapping[str, Any]) -> str:
    """The reply to a stage that says these values of decisions."""
    if stage == "read":
        return json.dumps({name: values[name] for name in CONSTANTS} | {"rivals": PAIRS[values["rivals"]]})
    if stage == "propose":
        run = {name: values[name] for name in ("substrate", "inhibitor")}
        factors = {name: [value] for name, value in run.items()}
        return json.dumps({"factors": factors, "layout": "listed", "runs": [run] * MOST_RUNS})
    if stage == "compute":
        return f"<answer>\n{code(values, values['law'])}</answer>"
    if stage == "bench":
        return (
            f'<answer>\ndiluted = <Dilute>(factor="{values["dilution"]:g}")\n'
            f'batch = <Add Enzyme>(to=diluted, amount="{values["enzyme"]:g} U/mL")\n'
            f'done = <Incubate>(batch=batch, duration="{values["minutes"]:g} min")\n</answer>'
        )
    return json.dumps({"batches": [values[f"batch {n}"] for n in range(1, lab.BATCHES + 1)]})


def decided(
    stage: str, facts: World, shown: Shown, usual: Mapping[str, Any], law: Any = None
) -> dict[str, Any]:
    """The values that follow from what a stage shows.

    Args:
        stage: one that is neither the first nor the last.
        facts: sample, prices and solubility, as the text states them.
        shown: what the stage shows of earlier ones.
        usual: a value for every decision, where an estimate is missing.
        law: the law that is decided for; None for the one that the readings speak for.
    """
    known = {**usual, **(shown.get("estimates") or {})}
    if stage == "propose":
        s, i = lab.best_run(known["rivals"], known["K"], known["Ki"], facts["soluble"])
        return {"substrate": s, "inhibitor": i}
    law = law or lab.better_law(known["rivals"], shown.get("runs", ()), shown.get("readings", ()), known)
    if stage == "compute":
        return {**{name: known[name] for name in CONSTANTS}, "law": law}
    return lab.best_protocol(facts, known, law)
