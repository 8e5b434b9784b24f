"""`assay sgi`: items to files, and the scores of single replies.

assay sgi sample --family wet_experiment --level 3 --seed 7 --n 20 --out items/
assay sgi score items/SGX_WetExperiment_0003.json reply.txt --profile released --json
assay sgi score items/SGX_IdeaGeneration_0000.json reply.txt --embedder minilm-l6-v2-int8
assay sgi calibrate --family wet_experiment --seed 7 --n 60
assay sgi load wet_experiment copies/SGI-WetExperiment
assay sgi evaluate "wet protocols in chemistry" --agent planner --out evaluation
assay sgi learn --templates --out learned
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from assay import canonical
from assay.console import show
from assay.errors import NotBuilt, TableError, UnknownName
from assay.suites.sgi.embeddings.embedder import EMBEDDERS, HASHED, embedder
from assay.suites.sgi.families import FAMILIES, RELEASED_NAMES, Family
from assay.suites.sgi.frame.family import LEVELS
from assay.suites.sgi.frame.registry import MODULES, family_of
from assay.suites.sgi.lab.evaluation import command as evaluation
from assay.suites.sgi.lab.learning import command as learning


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay sgi`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    sample = actions.add_parser("sample", help="generate items into a folder, one JSON file each")
    sample.add_argument("--family", required=True, choices=tuple(MODULES))
    sample.add_argument("--seed", type=int, required=True, help="the root seed, 0 or larger")
    sample.add_argument("--n", type=int, default=10, help="how many items (default: 10)")
    sample.add_argument("--level", type=int, choices=LEVELS, help="of all items (default: balanced)")
    sample.add_argument("--out", type=Path, required=True, help="the folder; it is made where it is missing")
    score = actions.add_parser("score", help="score one reply to one item")
    score.add_argument("item", type=Path, help="an item's JSON file")
    score.add_argument("prediction", type=Path, help="a text file with the reply")
    score.add_argument("--profile", default="objective", choices=("objective", "paper", "released"))
    score.add_argument(
        "--embedder",
        default=HASHED.name,
        choices=tuple(EMBEDDERS),
        help=f"of ideas; rows with different ones do not compare (default: {HASHED.name})",
    )
    calibrate = actions.add_parser("calibrate", help="how hard the levels of a family of version 1 are")
    calibrate.add_argument("--family", required=True, choices=tuple(MODULES))
    calibrate.add_argument("--seed", type=int, default=0, help="the root seed of the items (default: 0)")
    calibrate.add_argument("--n", type=int, default=12, help="items a level (default: 12)")
    calibrate.add_argument("--level", type=int, choices=LEVELS, help="one level (default: all)")
    calibrate.add_argument("--solver", type=int, default=4, help="items a level for the solver (default: 4)")
    calibrate.add_argument("--house", action="store_true", help="fit and write constant decisions")
    load = actions.add_parser("load", help="read a local copy of released files and report on it")
    load.add_argument("family", choices=FAMILIES)
    load.add_argument("path", type=Path)
    load.add_argument("--lenient", action="store_true", help="leave faulty rows out and list them")
    load.add_argument("--side-data", type=Path, help="the folder of the files that three dry items need")
    evaluate = actions.add_parser("evaluate", help="from a question in words to a report")
    evaluation.add_arguments(evaluate)
    learn = actions.add_parser("learn", help="reinforcement learning at test time, without references")
    learning.add_arguments(learn)
    for action in (sample, score, calibrate, load, evaluate, learn):
        action.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    """Carry out one action and print what came of it; returns 0."""
    actions = {
        "sample": _sample,
        "score": _score,
        "calibrate": _calibrate,
        "load": _load,
        "evaluate": evaluation.run,
        "learn": learning.run,
    }
    shown = actions[args.action](args)
    show(shown, args.json)
    return 0


def _sample(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.sgi.frame.tasks import level_of
    from assay.writing import write_whole

    if args.seed < 0:
        raise UnknownName(f"--seed {args.seed} is below 0", "give a seed of 0 or larger")
    if args.n < 1:
        raise UnknownName(f"--n {args.n} is no number of items", "ask for 1 item or more")
    hashes = {}
    for index in range(args.n):
        family = family_of(args.family)
        row = family.generate(args.seed, index, args.level or level_of(index))
        for number, (data, media_type) in enumerate(family.evidence(row), 1):
            ending = "png" if media_type == "image/png" else "jsonl"
            write_whole(args.out / f"{row['idx']}_{number}.{ending}", data)
        hashes[row["idx"]] = canonical.digest(row)
        text = json.dumps(row, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
        write_whole(args.out / f"{row['idx']}.json", text)
    manifest = {"family": args.family, "seed": args.seed, "level": args.level, "rows": hashes}
    write_whole(args.out / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    return {"items": args.n, "folder": str(args.out), "sha256": canonical.digest(manifest)}


def _calibrate(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.sgi.frame import curves
    from assay.suites.sgi.frame.anchors import house_text
    from assay.writing import write_whole

    family = family_of(args.family)
    if args.house:
        decisions, references = family.fitted_house(args.seed, args.n), family.references(args.seed)
        write_whole(family.HOUSE, house_text(decisions, args.seed, references))
        return {"family": args.family, "written": str(family.HOUSE)}
    levels = [args.level] if args.level else list(LEVELS)
    rows = {level: [family.generate(args.seed, index, level) for index in range(args.n)] for level in LEVELS}
    shown: dict[str, Any] = {"family": args.family, "seed": args.seed, "abilities": list(curves.ABILITIES)}
    for level in levels:
        solved = [row for other in LEVELS if other != level for row in rows[other]]
        shown[f"level {level}"] = dict(curves.report(family, rows[level], solved, args.seed, args.solver))
    return shown


def _score(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.sgi.columns import column
    from assay.suites.sgi.columns.dry_experiment import mean_seconds

    family, item = _item(args.item)
    _check_item(args.item, family, item)
    reply = _read(args.prediction, "name a text file with the reply, in UTF-8")
    chosen = embedder(args.embedder)
    try:
        found = list(column.score(family, item, reply, args.profile, embedder=chosen))
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise TableError(
            f"{args.item}: a column of ours (x_...) is not as sampled: {problem!r}",
            "sample the item again with assay sgi sample",
        ) from problem
    scores: dict[str, Any] = {value.metric: value.value for value in found}
    labels = {value.metric: value.label for value in found if value.label}
    if family == "dry_experiment":
        scores["seconds"] = mean_seconds(item, reply)
    shown = labels if args.json else ", ".join(dict.fromkeys(labels.values())) or None
    return {"idx": item["idx"], "family": family, "profile": args.profile, **scores, "labels": shown}


def _read(path: Path, remedy: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as problem:
        raise TableError(f"{path} cannot be read ({problem.strerror})", remedy) from problem
    except UnicodeDecodeError as problem:
        raise TableError(f"{path} is no text (byte {problem.start} is not UTF-8)", remedy) from problem


def _item(path: Path) -> tuple[Family, dict[str, Any]]:
    """The item in a file, and its family."""
    remedy = "name the JSON file of one item, as assay sgi sample writes it"
    try:
        item = json.loads(_read(path, remedy))
    except (ValueError, RecursionError) as problem:
        raise TableError(f"{path} is no JSON ({problem})", remedy) from problem
    if not isinstance(item, dict):
        raise TableError(f"{path} holds no object", remedy)
    if not isinstance(item.get("idx"), str):
        raise TableError(f"{path}, column idx: is missing", remedy)
    for family, name in RELEASED_NAMES.items():
        if f"_{name}_" in item["idx"]:
            return family, item
    names = ", ".join(f"SGX_{name}_0000" for name in RELEASED_NAMES.values())
    raise TableError(f"{path}, column idx: {item['idx']} names no family", f"it looks like one of {names}")


def _check_item(path: Path, family: Family, item: dict[str, Any]) -> None:
    from assay.suites.sgi.released.loader import check, side_files

    check(str(path), family, item)
    if side_files(item["idx"]):
        raise NotBuilt(
            f"{path}: {item['idx']} needs files beside its columns, and these are not given to a test",
            "leave this item out: it is one of three",
        )


def _load(args: argparse.Namespace) -> dict[str, Any]:
    from assay.suites.sgi.released.loader import load

    rows, report = load(args.path, args.family, strict=not args.lenient, side_data_dir=args.side_data)
    return {**vars(report), "good": len(rows), "disciplines": dict(sorted(report.disciplines.items()))}
