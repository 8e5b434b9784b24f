"""`assay pilab`: single runs, replays of logs, and the hidden field, for maintainers of the suite.

    assay pilab run --policy baseline --seed 104 --json
    assay pilab run --policy oracle --seed 101 --log oracle.json
    assay pilab replay oracle.json --seed 101 --json
    assay pilab replay oracle.json --seed 101 --without 12
    assay pilab field --seed 101 --month 51 --json
    assay pilab experiment A.yaml B.yaml --policy learner --seeds 1-40 --figure out.svg
    assay pilab decisions --policy baseline --seed 104 --config A.yaml
    assay pilab parameters

A log is a JSON list of [month or null, "namespace.method", positional arguments, 1 or 0]; the last value says
whether the call was carried out. A replay without one of the calls shows the effect of that decision, because
each random number depends only on its key and stays the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assay.console import show
from assay.errors import AssayError, UnknownName, WriteError
from assay.suites.pilab.environment.parameters import ALIASES, RULES

MONTHS = 60


class IllegalValue(AssayError):
    """A value on the command line that is outside its range."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay pilab` to a parser."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run = actions.add_parser(
        "run",
        help="let a scripted policy run one lab",
        description="Run one lab with a scripted policy: IMPACT in full precision, and what was done.",
        epilog="example: assay pilab run --policy baseline --seed 104 --json",
    )
    run.add_argument("--policy", required=True, help="baseline, oracle, ambitious, steward, ...")
    run.add_argument("--log", type=Path, help="write the complete log of calls to this file")
    replay = actions.add_parser(
        "replay",
        help="carry out a log of calls again",
        description="Carry out a log of calls on a fresh lab, and say which went otherwise.",
        epilog="example: assay pilab replay log.json --seed 101 --json",
    )
    replay.add_argument("log", type=Path, help="the file with the log")
    replay.add_argument("--start-budget", type=float, help="money at the beginning (default: 600000)")
    replay.add_argument(
        "--without", type=int, metavar="N", help="leave out call number N, from 0: one decision changed"
    )
    field = actions.add_parser(
        "field",
        help="the hidden field in one month: for maintainers, never for agents",
        description="Hotness, crowding, climate and preferences of a world in one month.",
        epilog="example: assay pilab field --seed 101 --month 51 --json",
    )
    field.add_argument("--month", type=int, required=True, help="1 to 60")
    experiment = actions.add_parser(
        "experiment",
        help="compare two configurations of the world, or two policies, in the same worlds",
        description="Play a policy in the same worlds under two configurations: means, paired differences "
        "(B less A) and their 95 %% intervals. Random numbers are common and keyed by roles.",
        epilog="example: assay pilab experiment A.yaml B.yaml --policy learner --seeds 1-40 --figure out.svg",
    )
    experiment.add_argument(
        "a", type=Path, help="configuration of arm A (YAML; see `assay pilab parameters`)"
    )
    experiment.add_argument("b", type=Path, help="configuration of arm B")
    experiment.add_argument("--policy", required=True, help="baseline, learner, steward, ...")
    experiment.add_argument("--b-policy", help="another policy for arm B")
    experiment.add_argument("--seeds", default="1-40", help="the worlds: a range such as 1-40 (the default)")
    experiment.add_argument("--figure", type=Path, help="write a figure (SVG) to this file")
    decisions = actions.add_parser(
        "decisions",
        help="what each decision of a run was worth",
        description="Play one world, then play the log again without each decision in turn, with the luck of "
        "all else unchanged: IMPACT with the decision less IMPACT without it.",
        epilog="example: assay pilab decisions --policy baseline --seed 104 --method recruit.offer",
    )
    decisions.add_argument("--policy", required=True, help="baseline, learner, steward, ...")
    decisions.add_argument("--seed", type=int, required=True, help="the seed of the world")
    decisions.add_argument("--config", type=Path, help="configuration of the world (default: as published)")
    decisions.add_argument(
        "--method", action="append", default=[], help="only decisions by this method; can be repeated"
    )
    parameters = actions.add_parser(
        "parameters",
        help="list all names and values that a configuration can change",
        description="Print the published world in the form of a configuration.",
        epilog="example: assay pilab parameters --json",
    )
    for action in (experiment, decisions, parameters):
        action.add_argument("--json", action="store_true", help="print JSON")
    for action in (run, replay, field):
        action.add_argument("--seed", type=int, required=True, help="the seed of the world")
        action.add_argument(
            "--mode",
            choices=(*RULES, *ALIASES),
            default="closed" if action is field else "as-published",
            help="as-published (or released): with the loopholes of the published program; closed: without; "
            "mended: as in the sets named -v0",
        )
        action.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Carry out one action and print its result.

    Returns:
        1 if a replay of the complete log differs from the log, else 0.
    """
    if getattr(args, "seed", 0) < 0:
        raise IllegalValue(f"--seed {args.seed} is out of range", "give a whole number from 0 on")
    result = ACTIONS[args.action](args)
    show(result, args.json)
    return int(bool(result.get("different")) and args.without is None) if args.action == "replay" else 0


COUNTED = ("actions", "projects", "drafts", "submissions", "proposals", "events", "news")


def _outcome(lab: Any) -> dict[str, Any]:
    from assay.suites.pilab.measures.records import outcome

    return outcome(lab) | {name: len(getattr(lab, name)) for name in COUNTED}


def _policy(name: str) -> Any:
    """Return the maker of a policy."""
    from assay.suites.pilab.experiments.runs import POLICIES

    if name not in POLICIES:
        raise UnknownName(f"there is no policy {name!r}", f"choose one of {', '.join(POLICIES)}")
    return POLICIES[name]


def _run(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.pilab.environment.parameters import PUBLISHED
    from assay.suites.pilab.experiments.runs import POLICIES
    from assay.suites.pilab.interface.client import LoggedClient
    from assay.suites.pilab.lab.state import Lab

    _policy(args.policy)
    lab = Lab(args.seed, PUBLISHED, args.mode)
    client, act = LoggedClient(lab), POLICIES[args.policy](lab)
    while not lab.over:
        act(client)
        client.next_month()
    if args.log is not None:
        try:
            args.log.write_text(json.dumps(client.log) + "\n", encoding="utf-8")
        except OSError as problem:
            raise WriteError(
                f"{args.log} could not be written ({problem.strerror})", "give another place for --log"
            ) from problem
    return {"policy": args.policy, "seed": args.seed, "mode": lab.mode, **_outcome(lab)}


def _replay(args: argparse.Namespace) -> dict[str, Any]:
    from dataclasses import replace

    from assay.suites.pilab.environment.parameters import PUBLISHED
    from assay.suites.pilab.interface import replays
    from assay.suites.pilab.lab.state import Lab

    calls = replays.read_log(args.log)
    if args.without is not None:
        if not 0 <= args.without < len(calls):
            raise IllegalValue(
                f"--without {args.without}: the log has {len(calls)} calls", "give a number below that"
            )
        del calls[args.without]
    parameters = PUBLISHED
    if args.start_budget is not None:
        if not 0 <= args.start_budget < 1e12:
            raise IllegalValue(
                f"--start-budget {args.start_budget} is out of range", "give dollars from 0 to 1e12"
            )
        parameters = replace(PUBLISHED, start_budget=args.start_budget)
    lab = Lab(args.seed, parameters, args.mode)
    different = replays.replay(lab, calls)
    return {
        "seed": args.seed,
        "mode": lab.mode,
        "calls": len(calls),
        "different": [
            {"call": d.at, "method": d.method, "logged": int(d.logged), "replayed": int(d.replayed),
             "reason": d.reason}
            for d in different
        ],
        **_outcome(lab),
        "collapsed": lab.collapse_month is not None,
        "statistics_sha256": replays.statistics_digest(lab),
    }  # fmt: skip


def _field(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.pilab.environment.parameters import PUBLISHED, TOPICS
    from assay.suites.pilab.lab.state import Lab

    if not 1 <= args.month <= MONTHS:
        raise IllegalValue(f"--month {args.month} is out of range", f"give a month from 1 to {MONTHS}")
    lab = Lab(args.seed, PUBLISHED, args.mode)
    while lab.month < args.month:
        lab.close_month()
    return {
        "seed": args.seed,
        "month": args.month,
        "hotness": dict(zip(TOPICS, lab.field.hot, strict=True)),
        "crowding": dict(zip(TOPICS, lab.field.crowd, strict=True)),
        "climate": lab.field.climate,
        "phase": lab.field.phase,
        "price": lab.field.price,
        "preferences": {
            agency: dict(zip(TOPICS, values, strict=True)) for agency, values in lab.field.preferences.items()
        },
    }


MOST_WORLDS = 10_000


def _seeds(text: str) -> range:
    """Return the seeds of a range such as 1-40, both ends included."""
    first, _, last = text.partition("-")
    if not (first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise IllegalValue(f"--seeds {text} is no range", "give two whole numbers, such as 1-40")
    if int(last) - int(first) >= MOST_WORLDS:
        raise IllegalValue(f"--seeds {text} are too many", f"give at most {MOST_WORLDS} worlds")
    return range(int(first), int(last) + 1)


def _experiment(args: argparse.Namespace) -> dict[str, Any]:
    from assay import plotting
    from assay.suites.pilab.experiments import configurations, laboratory

    arms = [configurations.read(path) for path in (args.a, args.b)]
    policies = [_policy(name) for name in (args.policy, args.b_policy or args.policy)]
    seeds = _seeds(args.seeds)
    results = laboratory.experiment(arms[0], arms[1], policies[0], seeds, policies[1])
    if args.figure is not None:
        with plotting.style():
            plotting.save_svg(
                laboratory.draw(results[0]),
                args.figure,
                title=f"{args.a.name} and {args.b.name}",
                description=f"IMPACT in {len(seeds)} worlds under two configurations; the mean difference.",
            )
    return {"worlds": len(seeds), **{result.measure: result.to_json() for result in results}}


def _decisions(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.pilab.experiments import configurations, laboratory
    from assay.suites.pilab.interface.methods import METHODS

    for method in args.method:
        if method not in METHODS:
            raise UnknownName(f"there is no method {method!r}", "the system prompt lists the methods")
    arm = configurations.read(args.config) if args.config else configurations.Configuration()
    worths = laboratory.decisions(_policy(args.policy), args.seed, arm, args.method)
    return {
        "seed": args.seed,
        "decisions": [
            {"call": w.call, "month": w.month, "method": w.method, "arguments": w.arguments,
             "worth": w.worth, "refused": w.refused}
            for w in worths
        ],
    }  # fmt: skip


def _parameters(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.pilab.experiments.configurations import listed

    return listed()


ACTIONS = {
    "run": _run,
    "replay": _replay,
    "field": _field,
    "experiment": _experiment,
    "decisions": _decisions,
    "parameters": _parameters,
}
