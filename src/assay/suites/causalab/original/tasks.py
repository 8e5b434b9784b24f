"""Make a task from each run of the paper's harness.

The crystals of a run follow from Python's unfixed `hash` there, so they are read from the screens that the
run shows, by inverting the equations of its model; so is the sequence of a hidden disturbance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.suites.causalab.model.files import read_models
from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.original.reading import GRAPH, BadLog, Run, folders, read_run
from assay.suites.causalab.simulation import instances, released
from assay.suites.causalab.simulation.conditions import Conditions, step_cap
from assay.suites.causalab.simulation.embodied import as_float, as_integer
from assay.suites.causalab.simulation.laboratory import Manipulator
from assay.task import Task

PREFIX = "logged-"
"""Beginning of the names of the settings in tables."""

VERSION = 1
"""Version of the tasks of runs."""

CLOSE = 1e-9
"""Largest difference between numbers that count as equal."""

REMEDY = "leave the run out: it was edited, or is of another version of the harness"


def task_of(run: Run, set_name: str, index: int, kind: str = "") -> Task:
    """Return the task of a run.

    Args:
        run: The run.
        set_name: The name of the set that the task belongs to.
        index: The place of the run in its set.
        kind: What the name of the paper's file says of the graph, e.g. `hidden_n1`; empty for the main files,
            or if the file is not at hand.

    Raises:
        BadLog: The screens of the run contradict its model.
    """
    model = run.model
    first = next((n for n, screen in enumerate(run.screens) if screen.uses is not None), None)
    uses = None if first is None else run.screens[first].uses
    budget = int(model.raw.get("budget", 0)) if uses is None else uses[1]
    stated = run.stated_records
    count = 2 if stated is None else len(stated)
    bases = [bases for bases, _ in zip(instances.record_bases(model), range(count), strict=False)]
    _compare_records(run, stated or (), bases)
    crystals: dict[str, Any] = {
        "logged": run.sha256,
        "records": bases,
        "manipulator": _manipulator(run, first),
        "reactor": _reactor(run),
        "disturbances": [],
    }
    if model.disturbance is not None:
        crystals["disturbances"] = _disturbances(run, crystals["manipulator"])
    conditions = Conditions(
        records=count,
        budget=budget,
        steps=max(len(run.texts), step_cap(len(model.names), budget, flat=True)),
        front="embodied",
        initial_state=False,
        profile="paper",
    )
    setting = f"{PREFIX}{_setting(model, conditions, kind)}"
    return Task(
        suite="causalab",
        task_set=set_name,
        task_id=f"{index:05d}-k{len(model.names)}-{setting.replace('_', '-')}",
        seed=index,
        version=VERSION,
        strata={"nodes": str(len(model.names)), "setting": setting, "family": model.family},
        public={
            "family": model.family,
            "variables": [[variable.name, variable.display] for variable in model.variables],
            "controllable": list(model.controllable),
            "conditions": conditions.to_json(),
        },
        hidden={"model": dict(model.raw), "crystals": crystals},
    )


def _setting(model: Model, conditions: Conditions, kind: str) -> str:
    """Return the name of the paper's setting that a run is of, as far as it can be told."""
    features = {
        "golden": "bootstrap_past_data" in model.raw,
        "freqparent": model.target_is_parent,
        "quad-hard": model.quadratic,
        "hidden": model.disturbance is not None,
    }
    kind = kind or next((name for name, holds in features.items() if holds), "")
    if kind:
        return kind.replace("quad_hard", "quad-hard")
    main = conditions.records == 2 and conditions.budget == 4 * len(model.properties)
    return "main" if main else f"{conditions.records}o{conditions.budget}i"


def _manipulator(run: Run, first: int | None) -> Values:
    """Return the bases of the manipulator's crystal from its first screen, or ours if the run shows none."""
    if first is None:
        return {name: float(base) for name, base in instances.manipulator_bases(run.model).items()}
    screen = run.screens[first]
    if screen.uses is not None and screen.uses[0]:
        raise BadLog(
            f"{run.place(first)}: the manipulator's first screen shows {screen.uses[0]} uses, not 0",
            "restore the first steps of the run",
        )
    return _bases(run, first, screen.values, run.model.names)


def _reactor(run: Run) -> Values:
    """Return the bases of the reactor's crystal from its first screen, or ours if the run shows none."""
    first = next((n for n, screen in enumerate(run.screens) if screen.reactor), None)
    if first is None:
        return {name: float(base) for name, base in instances.reactor_bases(run.model).items()}
    return _bases(run, first, run.screens[first].reactor, run.model.properties)


def _bases(run: Run, row: int, shown: Values, names: Sequence[str]) -> Values:
    """Return the bases that give a shown state."""
    model, values = run.model, dict(shown)
    if lacking := [name for name in names if name not in values]:
        raise BadLog(f"{run.place(row)}: the screen does not show {', '.join(lacking)}", REMEDY)
    if TARGET not in values:  # a cause of other variables that the reactor does not list
        values[TARGET] = round(model.own_value(TARGET, None, values), 2)
    bases = model.inferred_bases(values)
    again = model.evaluate(bases)
    for name in names:
        if abs(again[name] - values[name]) > CLOSE:
            raise BadLog(
                f"{run.place(row)}: {name} is {values[name]:g}, by the equations of {GRAPH} {again[name]:g}",
                REMEDY,
            )
    return bases


def _compare_records(
    run: Run, stated: Sequence[Mapping[str, Any]], bases: Sequence[Mapping[str, float]]
) -> None:
    """Raise `BadLog` if the first prompt shows other records than the released seed gives."""
    names = {variable.display: variable.name for variable in run.model.variables}
    for n, (record, base) in enumerate(zip(stated, bases, strict=False), 1):
        values = run.model.evaluate(base)
        for label, number in record.items():
            name = names.get(label, label)
            if name in values and abs(values[name] - number) > CLOSE:
                raise BadLog(
                    f"{run.folder / 'raw_io.jsonl'}, first prompt, observation {n}: {label} is {number:g}, "
                    f"by the equations of {GRAPH} {values[name]:g}",
                    "leave the run out: it is of another graph, or of other records",
                )


# ------------------------------------------------------------ hidden disturbances


def _disturbances(run: Run, bases: Values) -> list[float]:
    """Return the value of H after each intervention, found from what the screens show."""
    model, disturbance = run.model, run.model.disturbance
    assert disturbance is not None
    crystal = Manipulator(model, bases)
    values = []
    for uses, (name, value, shown) in enumerate(_interventions(run), 1):
        crystal.intervene(name, value)
        for drawn in disturbance.values:
            state = model.evaluate_shifted(crystal.bases, disturbance.weight * drawn)
            if all(abs(state[known] - number) <= CLOSE for known, number in shown.items()):
                values.append(float(drawn))
                break
        else:
            raise BadLog(
                f"{run.folder / run.tracked}: no value of the hidden disturbance explains the state after "
                f"intervention {uses}",
                REMEDY,
            )
    return values


def _interventions(run: Run) -> Iterator[tuple[str, float, Values]]:
    """Yield property, value and resulting state of each intervention.

    It lies between the last screen with one use less and the first one with its use: the last value that was
    sent there, and the last option that was chosen before it.
    """
    uses = [None if screen.uses is None else screen.uses[0] for screen in run.screens]
    actions = [*run.actions, {}]
    for count in range(1, max((n for n in uses if n is not None), default=0) + 1):
        if count not in uses or count - 1 not in uses:
            raise BadLog(f"{run.folder / run.tracked}: no screen shows {count} uses", REMEDY)
        end = uses.index(count)
        start = max(n for n in range(end) if uses[n] == count - 1)
        between = actions[start : end + 1]
        at = max((n for n, action in enumerate(between) if "value" in action), default=0)
        options = [as_integer(action.get("chosen_dialog_option_int")) for action in between[:at]]
        option = next((option for option in reversed(options) if option is not None), 0)
        number = as_float(between[at].get("value"))
        if number is None or not 1 <= option <= len(run.model.controllable):
            raise BadLog(f"{run.place(end)}: no action explains use {count}", REMEDY)
        yield run.model.controllable[option - 1], number, run.screens[end].values


# ------------------------------------------------------------ folders

Kinds = Mapping[str, Mapping[str, Model]]
"""The models of released files, by what the name of the file says of them and by their `graph_id`."""


def read_logs(folder: Path, set_name: str, graphs: Path | None = None) -> Iterator[tuple[Run, Task]]:
    """Yield every run in a folder or below it with its task.

    Args:
        folder: The folder of the runs.
        set_name: The name of the set that the tasks belong to.
        graphs: A folder with released files. Where it has any, the graph of each run must be one of theirs.

    Raises:
        BadLog: A run is damaged, or has another graph.
        ModelError: A model breaks a rule of the released schema.
    """
    kinds = _kinds(graphs or folder)
    for index, place in enumerate(folders(folder)):
        run = read_run(place)
        yield run, task_of(run, set_name, index, kind_of(run, kinds) if kinds else "")


def _kinds(folder: Path) -> Kinds:
    return {
        stem: {model.graph_id: model for model in read_models(path)}
        for stem, path in released.files(folder).items()
    }


def kind_of(run: Run, kinds: Kinds) -> str:
    """Find the graph of a run among the released files, and return the setting that its file's name states.

    It is empty for the main files.

    Raises:
        BadLog: None of the files has it.
    """
    place = f"{run.folder / GRAPH}: {run.model.graph_id}"
    alike: Model | None = None
    for stem, models in kinds.items():
        model = models.get(run.model.graph_id)
        if model is not None and model.raw == run.model.raw:
            return stem.partition("_")[2]
        alike = alike or model
    if alike is None:
        raise BadLog(f"{place} is in none of the released files", "add its file, or leave the run out")
    changed = next((name for name in alike.raw if alike.raw[name] != run.model.raw.get(name)), "a field")
    raise BadLog(
        f"{place} is not the graph of that name in the released files: {changed} differs",
        "leave the run out: it is of another graph",
    )
