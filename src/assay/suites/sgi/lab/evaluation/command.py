"""`assay sgi evaluate`: from a question in words to a report, in a folder that can be gone on with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.config.option import add_config
from assay.errors import UnknownName

EXAMPLES = """examples:
  assay sgi evaluate "wet protocols in chemistry" --agent planner --out evaluation
  assay sgi evaluate "12 hard dry experiments, how well do they run?" --agent recall --out evaluation
  assay sgi evaluate "deep research in physics" --agent reader --metrics my_metric.py --out evaluation
  assay sgi evaluate "ideas" --predictions replies.jsonl --embedder minilm-l6-v2-int8 --out evaluation
  assay sgi evaluate "protocols" --agent my-model --stand-in summary=my-model --out evaluation

Run it again to go on: stages and answers made from the same are taken up. --until select shows what would be
asked. A metric of your own is a function with a decorator (docs/sgi-evaluation.md), or a rubric in YAML for a
judge (--stand-in judge=MODEL). Without a model every stage works by rules.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay sgi evaluate`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("query", help="which items, and what about them, in words")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--agent", help="a solver or model of config/agents.yaml, or a solver's name")
    who.add_argument("--predictions", type=Path, help='replies made elsewhere, a line each: {"idx", "raw"}')
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--n", type=int, help="how many items (default: 8, or what the query says)")
    parser.add_argument("--seed", type=int, default=0, help="decides which of equals are taken (default: 0)")
    for name, what in (
        ("family", "family"),
        ("discipline", "discipline"),
        ("type", "type"),
        ("level", "level"),
    ):
        parser.add_argument(f"--{name}", action="append", default=[], help=f"this {what}, whatever the query")
    parser.add_argument("--set", dest="sets", action="append", default=[], help="only items of this set")
    parser.add_argument(
        "--new-items", type=int, metavar="SEED", help="new items of this seed, not frozen ones"
    )
    parser.add_argument(
        "--metrics",
        type=Path,
        action="append",
        default=[],
        help="a file with metrics of yours (.py or .yaml)",
    )
    parser.add_argument("--embedder", default="hash-tf-v1", help="of ideas (default: hash-tf-v1)")
    parser.add_argument(
        "--stand-in",
        action="append",
        default=[],
        metavar="STAGE=MODEL",
        help="a model for select, metrics, judge or summary",
    )
    parser.add_argument("--until", choices=("select", "metrics", "evaluate", "report"), default="report")
    add_config(parser)


def run(args: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Run the stages; returns what is shown."""
    from assay.agents.connection import disconnect
    from assay.config.loading import load, suite_of
    from assay.suites.sgi.embeddings.embedder import embedder
    from assay.suites.sgi.lab.evaluation.metric_plan import custom_metrics
    from assay.suites.sgi.lab.evaluation.pipeline import Evaluation
    from assay.suites.sgi.lab.evaluation.pool import open_pool
    from assay.suites.sgi.lab.evaluation.prediction import Answerer, read_replies
    from assay.suites.sgi.lab.evaluation.query import Query
    from assay.suites.sgi.lab.evaluation.standin import stand_in

    if args.n is not None and args.n < 1:
        raise UnknownName(f"--n {args.n} is no number of items", "ask for 1 item or more")
    for name in ("seed", "new_items"):
        if (value := getattr(args, name)) is not None and value < 0:
            raise UnknownName(f"--{name.replace('_', '-')} {value} is below 0", "give a seed of 0 or larger")
    config = load(args.config)
    chosen = {}
    for given in args.stand_in:
        stage, equals, name = given.partition("=")
        if not equals:
            raise UnknownName(f"--stand-in {given} names no model", "give STAGE=MODEL, e.g. select=my-model")
        chosen[stage] = stand_in(config, stage, name)
    query = Query(
        args.query,
        tuple(args.family),
        tuple(args.discipline),
        tuple(args.type),
        tuple(args.level),
        args.n,
        args.seed,
    )
    answerer = (
        Answerer(args.agent)
        if args.agent
        else Answerer(args.predictions.stem, read_replies(args.predictions))
    )
    evaluation = Evaluation(
        config,
        args.out,
        query,
        open_pool(suite_of(config, "sgi", args.config), args.sets, args.new_items),
        answerer,
        custom_metrics(args.metrics),
        embedder(args.embedder),
        chosen,
    )
    try:
        found = evaluation.run(args.until)
    finally:
        disconnect()
    return _shown(args, evaluation, found)


def _shown(args: argparse.Namespace, evaluation: Any, found: Any) -> dict[str, Any]:
    """What is printed: the subset, and how far the run came."""
    selection = found["select"]
    shown: dict[str, Any] = {"subset": selection["rationale"], "items": ", ".join(selection["items"])}
    if "metrics" in found:
        plan = found["metrics"]
        shown["metrics"] = ", ".join(spec["id"] for spec in (*plan["builtin"], *plan["custom"]))
    if "report" in found:
        for row in found["report"]["metrics"]:
            value = row["value"]
            shown[f"{row['family']} {row['metric']}"] = None if value is None else round(value, 4)
        shown["report"] = str(args.out / "report.html")
    shown["taken up"] = ", ".join(evaluation.taken_up) or None
    if evaluation.unanswered:
        shown["without an answer"] = f"{evaluation.unanswered}: run it again to ask for them"
    return shown
