"""`assay petri`: single experiments and single runs, for the suite's maintainers.

    assay petri experiment core-v0/0 --b noise=0.33 --metric polarization
    assay petri run swarm --set noise=0.22 --seed 7 --json
    assay petri pairing swarm
    assay petri mutants social --mutant one-sided
    assay petri accept core-v1 --agent controlled
    assay petri accepted l3-v1 --seed 920001

An experiment prints the statistics that an agent would be shown. A run prints the raw metrics, which agents
never see, and accepts any value that the engine can run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.config.option import add_config
from assay.console import show
from assay.errors import AssayError, UnknownName
from assay.writing import write_whole

Pair = tuple[str, float]
"""A parameter and its value."""

REPRODUCES = 2**53
"""Seeds below this are represented exactly by every JSON reader."""


class IllegalValue(AssayError):
    """A value on the command line that the world cannot take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `assay petri`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    experiment = actions.add_parser(
        "experiment",
        help="compare two configurations of a task, as its agents can",
        description="Compare two configurations on a task's seeds: the statistics that an agent is shown.",
        epilog="example: assay petri experiment core-v0/0 --b noise=0.33 --metric polarization --json",
    )
    experiment.add_argument("task", help="set/index, set/task id, or the path of a task's file")
    for arm in ("a", "b"):
        experiment.add_argument(
            f"--{arm}",
            type=_pair,
            action="append",
            default=[],
            metavar="P=V",
            help=f"a value in arm {arm.upper()}, in place of the control's; may be repeated",
        )
    experiment.add_argument("--metric", help="a metric of the world (default: the task's target)")
    add_config(experiment)
    run = actions.add_parser(
        "run",
        help="run a world once: its raw metrics",
        description="Run a world once and show its raw metrics.",
        epilog="example: assay petri run swarm --set noise=0.22 --set n_agents=80 --seed 7 --json",
    )
    run.add_argument("world", help="the world, e.g. swarm")
    run.add_argument(
        "--set",
        type=_pair,
        action="append",
        default=[],
        metavar="P=V",
        help="a value in place of the control's; may be repeated",
    )
    run.add_argument("--seed", type=int, default=0, help="the seed (default: 0)")
    pairing = actions.add_parser(
        "pairing",
        help="what paired experiments gain in a world",
        description="Power of the unpaired and of the paired test, over the steps of every driver at which "
        "the unpaired one is neither hopeless nor certain (.05 to .95). Takes minutes.",
        epilog="example: assay petri pairing swarm --json",
    )
    pairing.add_argument("world", help="the world, e.g. swarm")
    mutants = actions.add_parser(
        "mutants",
        help="which check notices which change of an engine",
        description="Change the engine of a world in one place, run the world's checks, and say which of "
        "them fail; for each mutant in data/mutants.yaml. Takes seconds for one, half an hour for all.",
        epilog="example: assay petri mutants social --mutant one-sided --json",
    )
    mutants.add_argument("worlds", nargs="*", metavar="WORLD", help="worlds (default: all)")
    mutants.add_argument("--mutant", help="only the mutant of this name")
    mutants.add_argument(
        "--page", type=Path, help="write the committed table as a page to this file, and stop"
    )
    mutants.add_argument("--write", type=Path, help="write the table as CSV to this file")
    accept = actions.add_parser(
        "accept",
        help="what agents and attackers score at fresh tasks of a set v1",
        description="Play fresh tasks of a set v1 and compare scores with what the set must keep: the honest "
        "design above its bound, every shortcut near chance, the changed parameter in no place, of no name. "
        "Takes minutes: an episode costs .2 to 2 s, a task without an episode a millisecond.",
        epilog="example: assay petri accept core-v1 --agent controlled --agent shortcut-tables --tasks 40",
    )
    accept.add_argument("set", help="a set v1, e.g. core-v1")
    accept.add_argument(
        "--agent", action="append", default=[], help="an agent to play; may be repeated (default: none)"
    )
    accept.add_argument("--seed", type=int, default=0, help="the seed of the tasks (default: 0)")
    accept.add_argument("--tasks", type=int, default=40, help="tasks that each agent plays (default: 40)")
    accept.add_argument(
        "--drawn", type=int, default=5000, help="tasks drawn to test uniformity (default: 5000)"
    )
    accept.add_argument(
        "--rated",
        type=int,
        default=0,
        help="tasks whose stored power is compared with 4,000 runs (default: 0)",
    )
    accept.add_argument(
        "--timed",
        type=int,
        default=0,
        help="tasks whose reply times are compared, on an idle machine (default: 0)",
    )
    accepted = actions.add_parser(
        "accepted",
        help="the committed table of acceptance of the sets v1",
        description="Measure what data/acceptance.yaml plans at fresh tasks of the sets v1, and put the rows "
        "into a table. Takes some ten minutes for a seed.",
        epilog="example: assay petri accepted l3-v1 --seed 920001 --only controlled shortcut-tables --json",
    )
    accepted.add_argument("sets", nargs="*", metavar="SET", help="sets (default: all that are planned)")
    accepted.add_argument("--seed", type=int, action="append", help="seeds (default: all that are planned)")
    accepted.add_argument("--only", nargs="+", default=[], help="agents and checks (default: all)")
    accepted.add_argument("--write", type=Path, help="merge the rows into this table (CSV)")
    accepted.add_argument(
        "--page", type=Path, help="write the committed table as a page to this file, and stop"
    )
    for action in (experiment, run, pairing, mutants, accept, accepted):
        action.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Carry out one action, print its result and return the exit code 0."""
    actions = {
        "experiment": _experiment,
        "run": _run,
        "pairing": _pairing,
        "mutants": _mutants,
        "accept": _accept,
        "accepted": _accepted,
    }
    result = actions[args.action](args)
    show(result, args.json)
    return 0


def _experiment(args: argparse.Namespace) -> dict[str, Any]:
    """Return the statistics of one experiment at a task."""
    from assay.config.loading import load, suite_of
    from assay.episodes.blobs import MemoryBlobs
    from assay.sessions.taskfiles import find_task
    from assay.suites.petri.questions.answers import TIERS, VECTOR, variant_of
    from assay.suites.petri.v1.rules import VARIANT as HELD
    from assay.suites.petri.v1.world import HeldWorld
    from assay.suites.petri.world import PetriWorld

    task = find_task(suite_of(load(args.config), "petri", args.config), args.task, MemoryBlobs())
    if task.public["tier"] not in TIERS:
        raise UnknownName(
            f"a task of tier {task.public['tier']} has no experiments",
            f"choose one of tier {', '.join(TIERS)}",
        )
    variant = variant_of(task.public)
    world: Any = (HeldWorld if variant == HELD else PetriWorld)(task)
    arguments: dict[str, Any] = {"config_a": dict(args.a), "config_b": dict(args.b)}
    if variant not in (VECTOR, HELD):  # `vector` shows all metrics, the sets v1 show the target only
        arguments["metric"] = args.metric or task.public.get("target")
    result = world.call("experiment", arguments, None)
    if not result.ok:
        message = str(result.error).replace("config_a", "--a").replace("config_b", "--b")
        raise IllegalValue(message, "change that argument; a value is given as P=V, e.g. --b noise=0.33")
    statistics: Any = result.parts[0]
    return {"task": f"{task.task_set}/{task.task_id}", **arguments, **statistics}


def _run(args: argparse.Namespace) -> dict[str, Any]:
    """Return the raw metrics of one run."""
    from assay.suites.petri.experiments.replicates import replicates
    from assay.suites.petri.worlds import WORLDS

    if args.world not in WORLDS:
        raise UnknownName(f"there is no world {args.world!r}", f"choose one of {', '.join(WORLDS)}")
    if not 0 <= args.seed < REPRODUCES:
        raise IllegalValue(f"--seed {args.seed} is out of range", "give a whole number from 0 to 2**53 - 1")
    world = WORLDS[args.world]
    overrides = dict(args.set)
    known = {parameter.name: parameter for parameter in world.parameters}
    for name, value in overrides.items():
        if name not in known:
            raise UnknownName(
                f"the world {world.name} has no parameter {name!r}", f"choose one of {', '.join(known)}"
            )
        low, high = known[name].domain
        if not low <= value <= high:
            raise IllegalValue(
                f"--set {name}={value:g}: the engine runs from {low:g} to {high:g}",
                f"give a value in that range; tasks use {known[name].legal[0]:g} to {known[name].legal[1]:g}",
            )
    config = world.resolved(overrides)
    metrics = replicates(world.name, config, [args.seed])[0]
    return {
        "world": world.name,
        "seed": args.seed,
        "parameters": config,
        "metrics": dict(zip(world.metrics, metrics.tolist(), strict=True)),
    }


def _pairing(args: argparse.Namespace) -> dict[str, Any]:
    """Return the mean power of the unpaired and the paired test in a world."""
    from assay.suites.petri.experiments.pairing import gain
    from assay.suites.petri.worlds import WORLDS

    if args.world not in WORLDS:
        raise UnknownName(f"there is no world {args.world!r}", f"choose one of {', '.join(WORLDS)}")
    steps, unpaired, paired = gain(args.world, WORLDS[args.world].targets["L1"])
    return {"world": args.world, "steps": steps, "power": unpaired, "power_paired": paired}


def _mutants(args: argparse.Namespace) -> dict[str, Any]:
    """Return the checks that fail for each mutant, by world and mutant."""
    from assay.suites.petri.checks import mutants
    from assay.suites.petri.worlds import WORLDS

    if args.page:
        write_whole(args.page, mutants.page(mutants.committed()))
        return {"page": str(args.page)}
    for world in args.worlds:
        if world not in WORLDS:
            raise UnknownName(f"there is no world {world!r}", f"choose one of {', '.join(WORLDS)}")
    chosen = {
        world: {name: m for name, m in of_world.items() if args.mutant in (None, name)}
        for world, of_world in mutants.MUTANTS.items()
        if not args.worlds or world in args.worlds
    }
    if not any(chosen.values()):
        raise UnknownName(
            f"there is no mutant {args.mutant!r}", "src/assay/suites/petri/data/mutants.yaml lists all"
        )
    results = list(mutants.run(chosen))
    if args.write:
        write_whole(args.write, mutants.table(results))
    return {f"{world} {name}": " ".join(checks) or "survives" for world, name, checks in results}


def _accept(args: argparse.Namespace) -> dict[str, Any]:
    """Return the acceptance of a set v1."""
    from assay.suites.petri.solvers import SOLVERS
    from assay.suites.petri.v1 import acceptance
    from assay.suites.petri.v1.sets import SETS
    from assay.suites.petri.validity.shortcuts import SHORTCUTS

    if args.set not in SETS:
        raise UnknownName(f"there is no set {args.set!r} of v1", f"choose one of {', '.join(SETS)}")
    unknown = [name for name in args.agent if name not in SOLVERS and name not in SHORTCUTS]
    if unknown:
        names = ", ".join([*SOLVERS, *SHORTCUTS])
        raise UnknownName(f"petri has no solver {unknown[0]!r}", f"choose one of {names}")
    if min(args.tasks, args.drawn) < 1:
        raise IllegalValue("--tasks and --drawn must be positive", "give a number of tasks, e.g. --tasks 40")
    rows = [
        row for name in args.agent for row in acceptance.agent_rows(args.set, name, args.seed, args.tasks)
    ]
    return {
        "set": args.set,
        "uniform": acceptance.posterior(args.set, args.seed, args.drawn),
        "null": acceptance.null(args.set, args.seed, args.tasks),
        "false backing": acceptance.false_backing(args.set, args.seed, args.tasks),
        **({"rating": acceptance.rating(args.set, args.seed, args.rated)} if args.rated else {}),
        **({"timing": acceptance.timing(args.set, args.seed, args.timed)} if args.timed else {}),
        "agents": rows,
    }


def _accepted(args: argparse.Namespace) -> dict[str, Any]:
    """Return rows of the table of acceptance, measured again."""
    from assay.suites.petri.v1 import accepted

    if args.page:
        write_whole(args.page, accepted.page(accepted.committed()))
        return {"page": str(args.page)}
    for name in args.sets:
        if name not in accepted.PLAN.sets:
            raise UnknownName(
                f"nothing is planned at {name!r}", f"choose from {', '.join(accepted.PLAN.sets)}"
            )
    rows = [
        row
        for name in args.sets or accepted.PLAN.sets
        for seed in args.seed or accepted.PLAN.seeds
        for row in accepted.measured(name, seed, args.only)
    ]
    if args.write:
        write_whole(args.write, accepted.merged(accepted.read(args.write), rows))
    return {"rows": rows}


def _pair(text: str) -> Pair:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not P=V with a number V, e.g. noise=0.33") from None
