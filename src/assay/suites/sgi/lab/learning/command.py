"""`assay sgi learn`: test-time reinforcement learning of a model in a local folder."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from assay.config import yaml as strict_yaml
from assay.errors import ConfigError
from assay.suites.sgi.lab.learning.configuration import DEFAULT, Learning, read

RUNS = 20
"""Of ready-made replies, each with another seed: what is learned depends on what happens to be drawn."""

EXAMPLES = """examples:
  assay sgi learn --model models/Qwen3-8B --out learned
  assay sgi learn --model models/Qwen3-8B --out learned --set rewarding.objective=feasible
  assay sgi learn --templates --out shown

--templates needs no model and no extra: a policy over 32 ready-made replies learns under both objectives and
shows what each of them optimises. A model needs `make setup EXTRAS=ttrl`, and EXTRAS=embeddings for the
published embedder (or --set rewarding.embedder=hash-tf-v1).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay sgi learn`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--model", type=Path, help="a local folder with a model; it is not changed")
    what.add_argument("--templates", action="store_true", help="ready-made replies instead of a model")
    parser.add_argument("--out", type=Path, required=True, help="the folder for curve, figure and summary")
    parser.add_argument("--config", type=Path, default=DEFAULT, help="hyperparameters")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="SECTION.NAME=VALUE",
        help="another value",
    )
    parser.add_argument("--save", action="store_true", help="keep the trained model in OUT/model")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Train, measure, write; returns what is shown."""
    changes = {}
    for given in args.changes:
        name, _, value = given.partition("=")
        try:
            changes[name] = strict_yaml.loads(value)
        except strict_yaml.Unreadable as problem:
            raise ConfigError(f"--set {given}: {problem}", "write section.name=value") from problem
    settings = read(args.config, changes)
    return _templates(args, settings) if args.templates else _model(args, settings)


def _templates(args: argparse.Namespace, settings: Learning) -> dict[str, Any]:
    """The policy over ready-made replies, under each objective, in runs of consecutive seeds."""
    from assay.suites.sgi.lab.learning import outcome
    from assay.suites.sgi.lab.learning.prompts import prompts
    from assay.suites.sgi.lab.learning.rewards import OBJECTIVES
    from assay.suites.sgi.lab.learning.template_policy import learn

    (prompt,), _ = prompts(settings.items.seed, 1, settings.rewarding.related_works)
    return outcome.of_templates(
        args.out, {name: [learn(prompt, name, seed=seed) for seed in range(RUNS)] for name in OBJECTIVES}
    )


def _model(args: argparse.Namespace, settings: Learning) -> dict[str, Any]:
    from assay.suites.sgi.embeddings.embedder import embedder
    from assay.suites.sgi.lab.learning import model_training, outcome
    from assay.suites.sgi.lab.learning.prompts import prompts

    asked = settings.items
    chosen = embedder(settings.rewarding.embedder)
    found, corpus_sha256 = prompts(
        asked.seed, asked.count + asked.held_out, settings.rewarding.related_works, asked.prompt_characters
    )
    with tempfile.TemporaryDirectory(prefix="assay-learn-") as scratch:
        trained = model_training.train(
            args.model, Path(scratch), settings, found[: asked.count], found[asked.count :], chosen
        )
    if args.save:
        trained.model.save_pretrained(args.out / "model")
        trained.tokenizer.save_pretrained(args.out / "model")
    return outcome.of_model(args.out, settings, trained, chosen, corpus_sha256)
