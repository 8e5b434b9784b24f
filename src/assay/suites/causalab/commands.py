"""`assay causalab`: commands for the suite's maintainers. A model is chosen by file and line.

    assay causalab simulate FILE --line 2 --base ph=10 --set ph=40 --json
    assay causalab describe FILE
    assay causalab records FILE --line 1 --count 3
    assay causalab score FILE --line 2 hypothesis.json --json
    assay causalab write quad_hard 4 --count 50 --seed 7 --out FILE
    assay causalab trajectory main-v0/2 --agent greedy --out PAGE.svg
    assay causalab released FOLDER --agent exact --setting main
    assay causalab logs FOLDER --graphs FOLDER

FILE holds one model per line, in the format released with the paper; lines are counted from 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.config.option import add_config
from assay.console import show
from assay.errors import AssayError, UnknownName

if TYPE_CHECKING:
    from assay.suites.causalab.dsl import Hypothesis
    from assay.suites.causalab.model.scm import Model


class IllegalValue(AssayError):
    """A value on the command line, or in a file named there, that cannot be used."""


_PUBLISHED = Path("config/published/causalab.yaml")

_EXAMPLE = "example: assay causalab"

_ACTIONS = {
    "describe": (
        "the statistics of the models in a file",
        "Edges, forks and colliders of the models in a file, one row a size.",
        "describe FILE --json",
    ),
    "records": (
        "the prior records of a model",
        "The records that an episode with this model begins with.",
        "records FILE --line 1 --count 3 --json",
    ),
    "simulate": (
        "a crystal, and what becomes of it",
        "The state of a crystal, and the state after each intervention.",
        "simulate FILE --line 2 --base ph=10 --set ph=40 --hidden 5 --json",
    ),
    "score": (
        "how much of a model a hypothesis recovers",
        "Every metric of one hypothesis, and of its frequency_formula, if it has one, what that says of a "
        "crystal.",
        "score FILE --line 2 hypothesis.json --base ph=10 --json",
    ),
    "write": (
        "sample models and write them",
        "Sample models of a family and write them one a line.",
        "write linear 7 --count 1000 --seed 7 --out FILE",
    ),
    "trajectory": (
        "draw an episode: truth, hypotheses, metrics",
        "Let a solver play a task, and draw the true graph, each hypothesis and their metrics.",
        "trajectory main-v0/2 --agent greedy --out page.svg",
    ),
    "released": (
        "play the paper's released files",
        "Let solvers play the released files in a folder under the paper's settings, and print the paper's "
        "metrics beside the rows that it prints for the same graphs.",
        "released FOLDER --agent exact --agent map --setting main --json",
    ),
    "logs": (
        "replay runs of the paper's own harness",
        "Read the logs of runs in a folder, write the agent's replies again in our laboratory, compare every "
        "screen, and print metrics and flags of each run. With --agent and --set the runs become recordings.",
        "logs FOLDER --graphs RELEASED --agent gpt-5-mini-logged --set their-runs --json",
    ),
}
"""Help, description and example of each action."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `assay causalab`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    describe, records, simulate, score, write, trajectory, released, logs = (
        actions.add_parser(name, help=words, description=description, epilog=f"{_EXAMPLE} {example}")
        for name, (words, description, example) in _ACTIONS.items()
    )
    trajectory.add_argument("task", help="set/index, set/task id, or the path of a task's file")
    trajectory.add_argument("--agent", required=True, help="a solver of the suite")
    trajectory.add_argument("--out", type=Path, required=True, help="the picture, .svg or .png")
    add_config(trajectory)
    for action in (describe, records, simulate, score):
        action.add_argument("file", type=Path, help="a file with one model a line")
    for action in (records, simulate, score):
        action.add_argument("--line", type=int, required=True, help="which model, counted from 1")
    records.add_argument("--count", type=_positive, default=2, help="how many (default: 2)")
    records.add_argument("--seed", type=int, default=42, help="of the bases (default: 42, as released)")
    pairs: dict[str, Any] = {"type": _pair, "action": "append", "default": [], "metavar": "X=V"}
    base = "a base of the crystal before; those not given are those of an episode's manipulator"
    simulate.add_argument("--base", help=base, **pairs)
    score.add_argument("--base", help=base, **pairs)
    simulate.add_argument("--set", help="an intervention; may be repeated, in their order", **pairs)
    simulate.add_argument("--hidden", type=_numbers, metavar="H1,H2", help="the disturbance after each")
    simulate.add_argument("--semantics", choices=("setpoint", "base"), default="setpoint")
    for action in (simulate, score):
        action.add_argument("--env-seed", type=int, default=1, help="of the crystals (default: 1)")
    score.add_argument("hypothesis", type=Path, help="a JSON file: a hypothesis, or a record that holds one")
    score.add_argument(
        "--strict", action="store_true", help="refuse what the strict parser refuses (default: compatible)"
    )
    write.add_argument("family", help="linear, quad, quad_hard or freqparent")
    write.add_argument("nodes", type=int, help="variables, the target included: 3 to 50")
    write.add_argument("--count", type=_positive, default=50)
    write.add_argument("--seed", type=int, default=0)
    write.add_argument("--hidden-variant", default="", help="e.g. hidden_n2")
    write.add_argument("--mended", action="store_true", help="only models that pass every check")
    write.add_argument("--out", type=Path, required=True)
    released.add_argument("folder", type=Path, help="the folder that holds 3nodes.jsonl and so on")
    released.add_argument("--agent", action="append", help="a solver; may be repeated (default: exact)")
    released.add_argument("--setting", action="append", help="a setting, e.g. main or 3o6i (default: all)")
    quoted = "the figures that the paper prints (default: config/published/causalab.yaml)"
    released.add_argument("--published", type=Path, default=_PUBLISHED, help=quoted)
    logs.add_argument("folder", type=Path, help="the folder that holds the folders of runs")
    logs.add_argument("--graphs", type=Path, help="the released files, one of which must have each graph")
    logs.add_argument("--agent", help="the agent whose recordings the runs become (default: none are kept)")
    logs.add_argument("--set", help="the set of the configuration that names FOLDER by path:")
    add_config(logs)
    for action in (describe, records, simulate, score, write, trajectory, released, logs):
        action.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Carry out one action, print its result and return the exit code 0."""
    actions: dict[str, Callable[[argparse.Namespace], Any]] = {
        "describe": _describe,
        "records": _records,
        "simulate": _simulate,
        "score": _score,
        "write": _write,
        "trajectory": _trajectory,
        "released": _released,
        "logs": _logs,
    }
    show(actions[args.action](args), args.json)
    return 0


def _describe(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the statistics of the paper's Table 1 for each size in the file."""
    from dataclasses import asdict

    from assay.suites.causalab.model.files import ModelError, read_models
    from assay.suites.causalab.model.topology import statistics

    models = read_models(args.file)
    if not models:
        raise ModelError(f"{args.file} holds no model", "give a file with one model a line")
    sizes = sorted({len(model.names) for model in models})
    return [asdict(statistics([m for m in models if len(m.names) == size])) for size in sizes]


def _records(args: argparse.Namespace) -> list[dict[str, Any]]:
    from assay.suites.causalab.model.files import read_model
    from assay.suites.causalab.simulation.instances import records

    states: list[dict[str, Any]] = list(records(read_model(args.file, args.line), args.count, args.seed))
    return states


def _bases(model: Model, args: argparse.Namespace, flags: Sequence[str]) -> dict[str, float]:
    """Return the bases of the manipulator crystal, changed as `--base` says.

    The names and values given by `flags` are checked first. Raises `UnknownName` if a variable cannot be set
    and `IllegalValue` if a value is not a finite number.
    """
    from assay.suites.causalab.simulation.instances import manipulator_bases
    from assay.suites.causalab.simulation.laboratory import Refusal, finite

    for flag in flags:
        for name, value in getattr(args, flag):
            if name not in model.controllable:
                raise UnknownName(
                    f"--{flag}: {name!r} cannot be set in this model",
                    f"choose one of {', '.join(model.controllable)}",
                )
            try:
                finite(value)
            except Refusal as refusal:
                raise IllegalValue(f"--{flag} {name}: {refusal}", "give a finite number") from refusal
    bases = {name: float(value) for name, value in manipulator_bases(model, args.env_seed).items()}
    return bases | dict(args.base)


def _simulate(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the initial state and the state after each intervention; H is 0 if no values are given."""
    from assay.suites.causalab.model.files import read_model
    from assay.suites.causalab.simulation.laboratory import Manipulator

    model = read_model(args.file, args.line)
    bases = _bases(model, args, ("base", "set"))
    hidden = args.hidden or []
    if hidden and model.disturbance is None:
        raise IllegalValue("--hidden: this model has no hidden disturbance", "leave it out")
    if hidden and len(hidden) != len(args.set):
        raise IllegalValue("--hidden: not one value for each --set", "give as many values as interventions")
    crystal = Manipulator(model, bases, args.semantics, iter(hidden) if hidden else None)
    states: list[dict[str, Any]] = [dict(crystal.shown)]
    for name, value in args.set:
        try:
            states.append(dict(crystal.intervene(name, value)))
        except ValueError as problem:
            raise IllegalValue(f"--set {name}={value:g}: {problem}", "give a smaller value") from problem
    return states


def _score(args: argparse.Namespace) -> dict[str, Any]:
    """Return all metrics of a hypothesis that can be computed without an episode."""
    from assay.suites.causalab.dsl import RecordError, compat_hypothesis, strict_hypothesis
    from assay.suites.causalab.metrics.imec import imec_targets
    from assay.suites.causalab.metrics.report import report
    from assay.suites.causalab.model.files import read_model

    model = read_model(args.file, args.line)
    try:
        value = json.loads(args.hypothesis.read_text(encoding="utf-8"))
    except OSError as problem:
        raise IllegalValue(
            f"{args.hypothesis} cannot be read ({problem.strerror})", "give the path of a JSON file"
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise IllegalValue(f"{args.hypothesis} is not JSON ({problem})", "give one JSON object") from problem
    record = value
    if isinstance(value, dict) and "hypothesis" in value:
        value = value["hypothesis"]
    if args.strict:
        try:
            hypothesis = strict_hypothesis(value, model.names)
        except RecordError as problem:
            raise IllegalValue(f"{args.hypothesis}: {problem}", "correct that field") from problem
    else:
        hypothesis = compat_hypothesis(value)
    left = {"imec_targets_prior": imec_targets(model.names, model.edges, ()).count}
    return report(model, hypothesis) | left | _formula(model, hypothesis, record, args)


def _formula(
    model: Model, hypothesis: Hypothesis, record: object, args: argparse.Namespace
) -> dict[str, Any]:
    """Check a record's `frequency_formula` on a crystal; returns an empty dict if the record has none."""
    from dataclasses import asdict

    from assay.suites.causalab.metrics.equation import check_formula
    from assay.suites.causalab.metrics.recovery import roots
    from assay.suites.causalab.model.variables import TARGET
    from assay.suites.causalab.simulation.laboratory import Manipulator

    bases = _bases(model, args, ("base",))
    formula = record.get("frequency_formula") if isinstance(record, dict) else None
    if not isinstance(formula, str):
        return {}
    state = Manipulator(model, bases, "setpoint", None).shown
    check = check_formula(formula, roots(hypothesis.edges), state, state[TARGET])
    return {f"formula_{name}": value for name, value in {**asdict(check), "hit": check.hit}.items()}


def _write(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.causalab.model.files import write_models
    from assay.suites.causalab.model.generator import LARGEST, model
    from assay.suites.causalab.simulation.acceptance import faults

    if not 3 <= args.nodes <= LARGEST:
        raise IllegalValue(f"a model of {args.nodes} variables", f"give a number from 3 to {LARGEST}")
    kept: list[Model] = []
    index = 0
    while len(kept) < args.count:
        sampled = model(args.family, args.nodes, index, args.seed, args.hidden_variant)
        if not args.mended or not faults(sampled):
            kept.append(sampled)
        index += 1
        if index > 100 * args.count + 100:
            raise IllegalValue(
                f"only {len(kept)} of {index} sampled models pass every check",
                "ask for fewer variables, or leave out --mended",
            )
    write_models(args.out, kept)
    return {"models": len(kept), "file": str(args.out)}


def _trajectory(args: argparse.Namespace) -> dict[str, Any]:
    """Draw the page of one episode."""
    from assay import plotting
    from assay.agents.solver import SolverAgent
    from assay.config.loading import load, suite_of
    from assay.episodes.artefacts import materials_for
    from assay.episodes.blobs import MemoryBlobs
    from assay.episodes.harness import play
    from assay.sessions.taskfiles import find_task
    from assay.suite import suite
    from assay.suites.causalab.drawings.trajectory_pages import draw

    config = suite_of(load(args.config), "causalab", args.config)
    blobs = MemoryBlobs()
    task = find_task(config, args.task, blobs)
    causalab = suite("causalab")
    solver = causalab.find("solvers", "SOLVERS", args.agent)
    materials = materials_for(causalab, blobs)
    episode = play(causalab, task, args.agent, SolverAgent(solver, task), 0, materials)
    with plotting.style():
        figure = draw(task, episode)
        if args.out.suffix == ".png":
            plotting.save_png(figure, args.out)
        else:
            words = f"An episode of {args.agent} at {task.task_set}/{task.task_id}."
            plotting.save_svg(figure, args.out, title=args.agent, description=words)
    return {"task": f"{task.task_set}/{task.task_id}", "status": episode.status, "picture": str(args.out)}


def _released(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Play the released files and return one row a setting and agent, after the paper's own."""
    from assay.suites.causalab.tables.released import rows

    return list(rows(args.folder, args.agent or ["exact"], args.setting or (), args.published))


def _logs(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Replay the runs in a folder and return one row a run."""
    from assay.suites.causalab.original.keeping import rows

    return list(rows(args.folder, args.graphs, args.config, args.agent, args.set))


def _pair(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form X=V")
    return name, _number(value)


def _numbers(text: str) -> list[float]:
    return [_number(part) for part in text.split(",")]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number
