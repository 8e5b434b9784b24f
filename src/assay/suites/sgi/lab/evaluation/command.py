"""`assay sgi evaluate`: from a question in words to a report, in a folder that can be continued."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.config.option import add_config
from assay.errors import UnknownName

EXAMPLES = """examples:
  assay sgi evaluate "12 hard dry experiments, how well do they run?" --agent recall --out evaluation
  assay sgi evaluate "deep research in physics" --agent reader --metrics my_metric.py --out evaluation
  assay sgi evaluate "ideas" --predictions replies.jsonl --embedder minilm-l6-v2-int8 --out evaluation
  assay sgi evaluate "which protocols waste least?" --reader my-model --agent my-model --out evaluation

Answers that the folder has are taken up by the next run. --until select shows what would be asked.
A metric of your own is a function with a decorator (docs/sgi-evaluation.md).
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
    for name in ("family", "discipline", "type", "level"):
        parser.add_argument(f"--{name}", action="append", help=f"this {name}, whatever the query")
    parser.add_argument("--set", dest="sets", action="append", default=[], help="only items of this set")
    parser.add_argument(
        "--metrics", type=Path, action="append", default=[], help="a file of Python with metrics of yours"
    )
    parser.add_argument("--embedder", default="hash-tf-v1", help="of ideas (default: hash-tf-v1)")
    parser.add_argument("--reader", metavar="MODEL", help="a model that reads the query and chooses metrics")
    parser.add_argument("--until", choices=("select", "metrics", "evaluate", "report"), default="report")
    add_config(parser)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the stages; returns what is shown: the subset, and how far the run came."""
    from assay.agents.connection import disconnect
    from assay.config.loading import load, suite_of
    from assay.suites.sgi.embeddings.embedder import embedder
    from assay.suites.sgi.lab.evaluation.answering import Answerer, ModelReader, read_replies
    from assay.suites.sgi.lab.evaluation.metric import custom_metrics
    from assay.suites.sgi.lab.evaluation.pipeline import Evaluation
    from assay.suites.sgi.lab.evaluation.query import STRATA, open_tasks, select, understand

    for name, least in (("n", 1), ("seed", 0)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise UnknownName(f"--{name} {value} is below {least}", f"give {least} or a larger number")
    config = load(args.config)
    suite = suite_of(config, "sgi", args.config)
    replies = args.predictions and read_replies(args.predictions)
    answerer = Answerer(config, args.agent or args.predictions.stem, replies)
    custom = [spec for path in args.metrics for spec in custom_metrics(path)]
    given = {stratum: values for stratum in STRATA if (values := getattr(args, stratum))}
    try:
        read = ModelReader(config, args.reader) if args.reader else understand
        selection = select(args.query, open_tasks(suite, args.sets), read, given, args.n, args.seed)
        settings = {
            "query": args.query,
            "seed": args.seed,
            "answered by": answerer.name,
            "embedder": args.embedder,
        }
        evaluation = Evaluation(
            args.out, suite, selection, answerer, custom, embedder(args.embedder), settings
        )
        found = evaluation.run(args.until)
    finally:
        disconnect()
    shown: dict[str, Any] = {"subset": selection["rationale"], "items": ", ".join(selection["items"])}
    if "metrics" in found:
        shown["metrics"] = ", ".join(spec["id"] for spec in found["metrics"]["metrics"])
    if "report" in found:
        for row in found["report"]["metrics"]:
            shown[f"{row['family']} {row['metric']}"] = row["value"] and round(row["value"], 4)
        shown["report"] = str(args.out / "report.html")
    shown["answers taken up"] = evaluation.taken_up
    if evaluation.unanswered:
        shown["without an answer"] = f"{evaluation.unanswered}: run it again to ask for them"
    return shown
