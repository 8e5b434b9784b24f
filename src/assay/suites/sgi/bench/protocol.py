"""A protocol from decisions, and the execution of a protocol on the bench.

Steps are `(output, action, arguments)`; numbers in arguments are in uL, min, degC and mM.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.suites.sgi.bench.actions import ACTIONS, HARMFUL, NEEDED
from assay.suites.sgi.bench.simulator.handling import Skipped, harm
from assay.suites.sgi.bench.simulator.state import Bench
from assay.suites.sgi.bench.world import bench_of
from assay.suites.sgi.frame.decision import Value, rounded
from assay.suites.sgi.text.program import Program, Step, written
from assay.suites.sgi.text.program import Value as Written
from assay.suites.sgi.text.quantities import plain, quantity

Steps = list[tuple[str, str, dict[str, Any]]]

UNITS: Mapping[str, str] = {
    "volume": " uL",
    "time": " min",
    "temperature": " degC",
    "concentration": " mM",
    "number": "",
}
"""The unit of each kind of number, as the manual asks for it."""

CUVETTE = 200.0


class Writer:
    """Collects steps and counts outputs."""

    def __init__(self) -> None:
        self.steps: Steps = []

    def add(self, action: str, /, **arguments: Any) -> str:
        """Add a step; returns the name of its output."""
        output = f"out_{len(self.steps) + 1}"
        self.steps.append((output, action, arguments))
        return output

    def vessel(self, kind: str) -> str:
        """Add a new vessel."""
        return self.add("New Vessel", kind=kind)

    def move(self, source: str, target: str, volume: float) -> None:
        """Add a transfer, unless there is nothing to move."""
        if volume > 0:
            self.add("Transfer", source=source, target=target, volume=rounded(volume), tip="new")


def steps_of(world: Mapping[str, Any], choices: Mapping[str, Value]) -> Steps:
    """The protocol that carries out decisions."""
    write = Writer()
    d: Mapping[str, Any] = choices
    write.add("Set Device", device="block A", temperature=d["temperature"])
    if d["stop"] == "heat":
        write.add("Set Device", device="block B", temperature=d["stop_temperature"])
    runs = [*world["samples"], "no enzyme", "no substrate"]
    tubes = {run: write.vessel("tube 1.5") for run in runs}
    for run, tube in tubes.items():
        write.move("buffer", tube, d["buffer_volume"] + (d["enzyme"] if run == "no enzyme" else 0))
        if "metal" in d:
            write.move("metal", tube, d["metal"])
        own = (
            "matrix" if run == "no substrate" else next(iter(world["samples"])) if run == "no enzyme" else run
        )
        write.move(own, tube, d["sample_volume"])
        if "ph" in d:
            write.add("Adjust pH", vessel=tube, ph=d["ph"])
    for run, tube in tubes.items():
        if run != "no enzyme":
            write.move("enzyme", tube, d["enzyme"])
    write.add("Incubate", vessels=list(tubes.values()), device="block A", duration=d["duration"])
    if d["stop"] == "heat":
        write.add("Incubate", vessels=list(tubes.values()), device="block B", duration=d["stop_time"])
    elif d["stop"] == "quench":
        for tube in tubes.values():
            write.move("quencher", tube, d["quencher"])
    made = {run: tubes[run] for run in world["samples"]}
    poured = ["buffer_volume", "metal", "sample_volume", "enzyme"] + ["quencher"] * (d["stop"] == "quench")
    volume = sum(float(d.get(name, 0)) for name in poured)
    ready = SEPARATE[world["separate"]](write, made, volume, {**d, "density": world["density"]})
    _assay(write, ready, d)
    _controls(write, tubes, d)
    for run, vessel in ready.items():
        write.add("Submit", sample=run, vessel=vessel, store=d["store"])
    return write.steps


def _column(write: Writer, tubes: Mapping[str, str], volume: float, d: Mapping[str, Any]) -> dict[str, str]:
    count = int(d["columns"])
    columns = {run: [write.vessel("column") for _ in range(count)] for run in tubes}
    every = [column for of_run in columns.values() for column in of_run]
    loads = math.ceil(volume * (1 + d["ratio"]) / count / 590)
    share = (volume - 1) / count / loads
    for _ in range(loads):
        for run, tube in tubes.items():
            for column in columns[run]:
                write.move(tube, column, share)
                write.move("binding buffer", column, share * d["ratio"])
        write.add("Spin", vessels=every, duration=1.0, balance=d["balance"])
    for _ in range(int(d["washes"])):
        for column in every:
            write.move("washing buffer", column, 300)
        write.add("Spin", vessels=every, duration=1.0, balance=d["balance"])
    if d["dry"] == "yes":
        write.add("Spin", vessels=every, duration=3.0, balance=d["balance"])
    out = {run: write.vessel("tube 1.5") for run in tubes}
    for run in tubes:
        for column in columns[run]:
            write.move("eluting buffer", column, d["elution_volume"] / count)
    write.add("Wait", duration=d["elution_wait"])
    into = [out[run] for run in tubes for _ in columns[run]]
    write.add("Spin", vessels=every, duration=1.0, into=into, balance=d["balance"])
    return out


def _extraction(
    write: Writer, tubes: Mapping[str, str], volume: float, d: Mapping[str, Any]
) -> dict[str, str]:
    solvent = f"solvent {d['solvent'].upper()}"
    organic, water = ("lower", "upper") if d["density"][d["solvent"]] > 1 else ("upper", "lower")
    first = {run: write.vessel("glass") for run in tubes}
    second = {run: write.vessel("glass") for run in tubes}
    for run, tube in tubes.items():
        write.move(tube, first[run], volume)
        write.add("Adjust pH", vessel=first[run], ph=d["extraction_ph"])
    for _ in range(int(d["extractions"])):
        for run in tubes:
            write.move(solvent, first[run], d["solvent_ratio"] * volume)
            write.add("Mix", vessel=first[run])
        write.add("Wait", duration=d["settle"])
        for run in tubes:
            write.add("Take Layer", vessel=first[run], layer=organic, into=second[run])
    for run in tubes:
        write.move("buffer", second[run], d["back_volume"])
        write.add("Adjust pH", vessel=second[run], ph=d["back_ph"])
        write.add("Mix", vessel=second[run])
    write.add("Wait", duration=d["settle"])
    out = {run: write.vessel("tube 1.5") for run in tubes}
    for run in tubes:
        write.add("Take Layer", vessel=second[run], layer=water, into=out[run])
    return out


def _precipitation(
    write: Writer, tubes: Mapping[str, str], volume: float, d: Mapping[str, Any]
) -> dict[str, str]:
    every = list(tubes.values())
    for tube in every:
        write.move("antisolvent", tube, volume * d["antisolvent"] / (1 - d["antisolvent"]))
    write.add("Incubate", vessels=every, device=d["chill"], duration=d["chill_time"])
    write.add("Spin", vessels=every, duration=d["spin_time"], balance=d["balance"])
    for tube in every:
        write.add("Decant", vessel=tube, leave=5.0)
        for _ in range(int(d["rinses"])):
            write.add("Rinse Pellet", vessel=tube)
        write.move("buffer", tube, d["redissolve_volume"])
    write.add("Dissolve", vessels=every, device="desk", duration=d["redissolve_wait"])
    return dict(tubes)


SEPARATE = {"column": _column, "extraction": _extraction, "precipitation": _precipitation}


def _assay(write: Writer, ready: Mapping[str, str], d: Mapping[str, Any]) -> None:
    def cuvette(source: str, volume: float) -> str:
        made = write.vessel("cuvette")
        write.move("buffer", made, CUVETTE - volume)
        write.move(source, made, volume)
        return write.add("Read", vessel=made, wavelength=d["wavelength"])

    blank = cuvette("buffer", 1.0)
    standard = cuvette("standard", CUVETTE * d["standard"] / 10.0)
    for vessel in ready.values():
        reading = cuvette(vessel, CUVETTE / d["dilution"])
        write.add(
            "Quantify",
            vessel=vessel,
            reading=reading,
            blank=blank,
            standards=standard,
            known=d["standard"],
            dilution=d["dilution"],
        )


def _controls(write: Writer, tubes: Mapping[str, str], d: Mapping[str, Any]) -> None:
    for kind in ("no enzyme", "no substrate"):
        made = write.vessel("cuvette")
        write.move("buffer", made, CUVETTE - 5)
        write.move(tubes[kind], made, 5)
        reading = write.add("Read", vessel=made, wavelength=d["wavelength"])
        write.add("Declare Control", kind=kind, vessel=tubes[kind], reading=reading)


def text_of(steps: Steps) -> str:
    """The protocol as text, in answer tags."""
    lines = []
    for output, action, arguments in steps:
        kinds = ACTIONS[action][1]
        shown: dict[str, Written] = {key: _shown(kinds[key], value) for key, value in arguments.items()}
        lines.append(written(Step(output, action, shown)))
    return "<answer>\n" + "\n".join(lines) + "\n</answer>"


def _shown(kind: str, value: Any) -> Written:
    if kind == "names":
        return tuple(value)
    return f"{value:g}{UNITS[kind]}" if kind in UNITS else str(value)


def read_steps(program: Program) -> Steps:
    """The steps of a program with their numbers read; a number that cannot be read is None."""
    steps: Steps = []
    for step in program.steps:
        found = next((name for name in (*ACTIONS, *HARMFUL) if _same(name, step.action)), step.action)
        kinds = ACTIONS[found][1] if found in ACTIONS else {"vessel": "name"}
        arguments = {_key(key, kinds): value for key, value in step.arguments.items()}
        known = {key: _read(kinds[key], value) for key, value in arguments.items() if key in kinds}
        steps.append((step.output, found, known))
    return steps


def _same(name: str, given: str) -> bool:
    return name.casefold().replace(" ", "") == given.casefold().replace(" ", "").replace("_", "")


def _key(key: str, kinds: Mapping[str, str]) -> str:
    key = key.casefold()
    if key in kinds:
        return key
    for other in (f"{key}s", key.removesuffix("s")):
        if other in kinds:
            return other
    return key


FACTORS: Mapping[str, tuple[str, float]] = {
    "volume": ("volume", 1e6),
    "time": ("time", 1 / 60),
    "concentration": ("concentration", 1e3),
}
"""Dimension of each kind, and its factor from the base unit of `text.quantities`."""


def _read(kind: str, value: Any) -> Any:
    if kind == "names":
        return [value] if isinstance(value, str) else list(value)
    text = value if isinstance(value, str) else " ".join(value)
    return text if kind in ("name", "word") else read_number(kind, text)


def read_number(kind: str, text: str) -> float | None:
    """A number in the unit of its kind (`UNITS`); None where it is none, or in a unit of another kind."""
    found = quantity(plain(text))
    if found is None:
        return None
    if not found.unit or kind == "number":
        return float(found.value) if not found.unit else None
    base = found.base()
    if kind == "temperature":
        if found.unit in ("C", "degC"):
            return float(found.value)
        return float(base[1]) - 273.15 if base is not None and base[0] == "temperature" else None
    dimension, factor = FACTORS[kind]
    return float(base[1]) * factor if base is not None and base[0] == dimension else None


def execute(world: Mapping[str, Any], steps: Sequence[tuple[str, str, Mapping[str, Any]]]) -> Bench:
    """Carry out steps on a new bench; a step that cannot be done is noted and left out."""
    bench = bench_of(world)
    for number, (output, action, arguments) in enumerate(steps, 1):
        try:
            _do(bench, output, action, arguments)
        except Skipped as skipped:
            bench.notes.append(f"step {number}, {action}: {skipped}")
    for vessel in bench.vessels.values():
        bench.settle(vessel)
    return bench


def _do(bench: Bench, output: str, action: str, arguments: Mapping[str, Any]) -> None:
    if action in HARMFUL:
        harm(bench, output, str(arguments.get("vessel", "")))
        return
    if action not in ACTIONS:
        raise Skipped("there is no such action")
    function, kinds = ACTIONS[action]
    needed = list(kinds)[: NEEDED.get(action, len(kinds))]
    for key in needed:
        value = arguments.get(key)
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            raise Skipped(f"{key} is missing or cannot be read")
    function(bench, output, **{key: value for key, value in arguments.items() if value is not None})
