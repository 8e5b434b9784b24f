"""`assay collider`: scores and verdicts of single submissions, run folders, tasks in the published layout.

    assay collider score results/TChiWZ.yaml shared/CMS-SUS-16-034/reference/TChiWZ.yaml --json
    assay collider gate runs/mine/sus-16-034_sim-TChiWZ --task cms-v0/0 --json
    assay collider run mock-v0/0 runs/mine --agent mock-honest
    assay collider manual run_analysis
    assay collider solve cms-v0/2 --events 2000 --seed 1 --out runs/mine
    assay collider references
    assay collider samples
    assay collider limits --out exports
    assay collider drill --honest 20 --composed 40
    assay collider export cms-v0 out
    assay collider load out/tasks/sus-16-034_sim-TChiWZ

A score says nothing about the origin of the numbers, and a verdict nothing about how good they are.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config.option import add_config
from assay.console import show
from assay.errors import AssayError, UnknownName


class IllegalInput(AssayError):
    """An argument or a file of the command line cannot be used."""


Action = Callable[[argparse.Namespace], "dict[str, Any] | str"]

MOST_RUNS = 10_000
"""Largest number of runs of a drill; a run takes a tenth of a second."""

MOST_EVENTS = 1_000_000
"""Largest number of events of one run; provenance examination does not read larger samples."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of `assay collider` and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(act: Action, name: str, example: str) -> argparse.ArgumentParser:
        summary, description = (act.__doc__ or "").strip().split("\n\n")
        parser = actions.add_parser(
            name,
            help=summary[0].lower() + summary[1:].rstrip("."),
            description=" ".join(description.split()),
            epilog=f"example: assay collider {name} {example}",
        )
        parser.set_defaults(act=act)
        if act is not _manual:
            parser.add_argument("--json", action="store_true", help="print JSON")
        return parser

    score = action(_score, "score", "results/TChiWZ.yaml reference/TChiWZ.yaml --json")
    score.add_argument("submission", type=Path, metavar="SUBMISSION.yaml")
    score.add_argument("reference", type=Path, metavar="REFERENCE.yaml")
    score.add_argument("--mode", choices=["shape_norm", "shape", "yield"], help="default: as the file says")
    score.add_argument("--rate-error", type=float, default=0.0, help="relative error of the cross section")
    score.add_argument("--toys", type=int, default=0, help="toys for the published p values (1000000 there)")
    gate = action(_provenance, "gate", "runs/mine --task cms-v0/0 --opinion judge.json --json")
    gate.add_argument("folder", type=Path, metavar="RUN_FOLDER")
    gate.add_argument("--task", help="set/index, set/task id (default: the task_id of run_info.json)")
    gate.add_argument(
        "--salt",
        default="",
        help="a text that the author of the run does not know; it decides with the ledger what is made again",
    )
    gate.add_argument("--opinion", type=Path, help="a judge's opinion as JSON; it cannot overrule the gate")
    run = action(_run, "run", "mock-v0/0 runs/mine --agent mock-honest")
    run.add_argument("source", metavar="TASK|RECORDING", help="set/index, set/task id, or a .jsonl file")
    run.add_argument("folder", type=Path, metavar="RUN_FOLDER", help="a folder that is not there yet")
    run.add_argument("--agent", help="the solver that plays the task, e.g. mock-honest")
    run.add_argument("--attempt", type=int, default=0, help="which attempt of it (default: 0)")
    run.add_argument("--price-as", default="", metavar="MODEL", help="price the tokens as this model's")
    manual = action(_manual, "manual", "run_analysis")
    manual.add_argument("tool", nargs="?", help="the name of a tool")
    solve = action(_solve, "solve", "cms-v0/2 --events 2000 --seed 1 --out runs/mine")
    solve.add_argument("task", metavar="TASK", help="set/index or set/task id, e.g. cms-v0/2")
    solve.add_argument("--events", type=int, default=2000, help="events that pass the filter (default: 2000)")
    solve.add_argument("--seed", type=int, default=1, help="the same seed gives the same yields (default: 1)")
    out = "a folder that is not there yet"
    solve.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=out)
    references = action(_references, "references", "--events 20000 --json")
    references.add_argument("--events", type=int, default=None, help="of each point (default: as kept)")
    samples = action(_samples, "samples", "--point TChiWg_700 --json")
    samples.add_argument("--point", help="only the sample of this signal point, e.g. TChiWg_700")
    samples.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the samples there as they are kept"
    )
    drill = action(_drill, "drill", "--honest 20 --composed 40")
    drill.add_argument(
        "--level",
        choices=("mock", "objects"),
        default="mock",
        help="level of the tasks (default: mock signals)",
    )
    drill.add_argument("--honest", type=int, default=20, help="honest runs (default: 20)")
    drill.add_argument("--composed", type=int, default=40, help="forgeries (default: 40)")
    drill.add_argument("--out", type=Path, metavar="FILE.csv", help="write one row a run")
    drill.add_argument("--commit", default="", help="the commit to note in each row")
    export = action(_export, "export", "cms-v0 out")
    export.add_argument("task_set", metavar="SET", help="the set, e.g. cms-v0")
    export.add_argument("folder", type=Path, metavar="FOLDER")
    limits = action(_limits, "limits", "--out exports --json")
    limits.add_argument("--paper", help="only the points of this search, e.g. CMS-SUS-16-046")
    limits.add_argument("--remake", type=int, metavar="EVENTS", help="select from EVENTS new events a point")
    limits.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write workspaces and efficiency maps there"
    )
    load = action(_load, "load", "tasks/sus-16-034_sim-TChiWZ --json")
    load.add_argument("folder", type=Path, metavar="TASK_FOLDER")
    for configured in (gate, run, solve, export):
        add_config(configured)


def main(args: argparse.Namespace) -> int:
    """Run one action.

    Returns:
        The exit code: 0 also for an invalid or fabricated submission, which is a result.
    """
    result = args.act(args)
    if isinstance(result, str):
        print(result)
    else:
        show(result, args.json)
    return 0


def _score(args: argparse.Namespace) -> dict[str, Any]:
    """Score one submission against one reference.

    Print whether the submission is valid, with the reason, and every metric. The reference serves as the
    template.
    """
    from dataclasses import replace

    from assay.suites.collider.measures import scorecard, toys
    from assay.suites.collider.problems.taskfolders import read_reference

    reference = read_reference(args.reference, args.mode)
    if not 0 <= args.rate_error < 10 or not 0 <= args.toys <= 10_000_000:
        raise IllegalInput("--rate-error or --toys is out of range", "give 0 to 10, and 0 to 10000000")
    reference = replace(reference, cross_section_error=args.rate_error)
    try:
        data = args.submission.read_bytes() if args.submission.exists() else None
    except OSError as problem:
        raise IllegalInput(f"{args.submission}: {problem.strerror}", "name a file that can be read") from None
    card = scorecard.score(data, reference)
    digest = hashlib.sha256(args.reference.read_bytes()).hexdigest()
    scores = scorecard.to_json(card, data, reference, {"reference_sha256": digest})
    if args.toys and card.validity.yields is not None:
        p = toys.p_values(card.validity.yields, reference.yields, toys=args.toys)
        shape, norm = (None, None) if p is None else (round(value, scorecard.DIGITS) for value in p)
        scores["toys"] = {"n": args.toys, "p_shape": shape, "p_norm": norm}
    return scores


def _provenance(args: argparse.Namespace) -> dict[str, Any]:
    """Examine the provenance of one run folder.

    Print the verdict on a run folder with workspace/, ledger.jsonl and run_info.json.
    """
    from assay.suites.collider.problems.hidden import question_of
    from assay.suites.collider.provenance import second_opinion
    from assay.suites.collider.provenance.examination import examine
    from assay.suites.collider.provenance.runs import of_folder

    run = of_folder(args.folder)
    task = _task(args, run.info)
    question = question_of(task)
    finding = examine(run, question, salt=args.salt)
    opinion = None
    if args.opinion is not None:
        try:
            opinion = canonical.loads(args.opinion.read_bytes())
        except (OSError, ValueError, RecursionError) as problem:
            raise IllegalInput(f"{args.opinion} is no JSON ({problem})", "name a judge's opinion") from None
        wrong = second_opinion.problem(opinion)
        if wrong is not None:
            raise IllegalInput(f"{args.opinion} is no opinion: {wrong}", "write it as docs/collider.md says")
    ruling = second_opinion.rule(finding, question.binning.series, opinion)
    corrected = None if ruling.corrected is None else list(ruling.corrected)
    return {
        "task": f"{task.task_set}/{task.task_id}",
        **finding.to_json(),
        "ruling": {"verdict": ruling.verdict, "by": ruling.by, "corrected": corrected},
    }


def _run(args: argparse.Namespace) -> dict[str, Any]:
    """Write the run folder of a solver's episode, or of a recorded one.

    Play a task with a solver, or replay a recording, and write the run folder with its trace (session.jsonl)
    and its calls, events and tokens (run_info.json).
    """
    from assay.episodes.artefacts import materials_for
    from assay.episodes.blobs import MemoryBlobs
    from assay.sessions.taskfiles import find_task
    from assay.suites.collider.provenance import sessions

    config = _suite(args)
    blobs = MemoryBlobs()
    materials = materials_for(config.suite, blobs)
    if args.source.endswith(".jsonl"):
        from assay.episodes.identity import Identity
        from assay.sessions.replay import replay

        path = Path(args.source)
        if not path.is_file():
            raise IllegalInput(f"there is no file {path}", "name a recording, e.g. one below recordings/")
        identity = Identity.of(path)
        if identity.suite != config.suite.name:
            raise IllegalInput(f"{path} is a recording of {identity.suite}", "name one of collider")
        task = find_task(config, f"{identity.task_set}/{identity.task_id}", blobs)
        episode = replay(config.suite, task, path, materials)
    else:
        from assay.agents.solver import SolverAgent
        from assay.episodes.harness import play

        if args.agent is None:
            raise IllegalInput("a task needs an agent that plays it", "give one, e.g. --agent mock-honest")
        task = find_task(config, args.source, blobs)
        solver = SolverAgent(config.suite.find("solvers", "SOLVERS", args.agent), task)
        episode = play(config.suite, task, args.agent, solver, args.attempt, materials)
    return {"folder": str(args.folder), **sessions.save(episode, blobs, args.folder, args.price_as)}


def _solve(args: argparse.Namespace) -> dict[str, Any]:
    """Solve a task with the physics chain.

    Generate events, simulate the detector, select, and write a run folder with events, yields, cut-flow and
    ledger. This needs the packages of `make setup EXTRAS=collider`.
    """
    from assay.episodes.blobs import MemoryBlobs
    from assay.sessions.taskfiles import find_task
    from assay.suites.collider.chain import runfolder

    if not 1 <= args.events <= MOST_EVENTS or not 0 <= args.seed < 2**53:
        raise IllegalInput(
            "--events or --seed is out of range", f"give 1 to {MOST_EVENTS}, and 0 to 9007199254740991"
        )
    task = find_task(_suite(args), args.task, MemoryBlobs())
    return runfolder.solve(task, args.events, args.seed, args.out)


def _references(args: argparse.Namespace) -> dict[str, Any]:
    """Compute the references of the set hidden-v0 again.

    Generate events at the hidden points and print their reference yields. This takes some minutes.
    """
    from assay.suites.collider.chain import generation
    from assay.suites.collider.problems import hidden_points
    from assay.suites.collider.problems.sets import SETS
    from assay.suites.collider.tasks import seed_of

    generation.library()
    events = hidden_points.EVENTS if args.events is None else args.events
    if not 1 <= events <= MOST_EVENTS:
        raise IllegalInput("--events is out of range", f"give 1 to {MOST_EVENTS}")
    task_set = SETS["hidden-v0"]
    seeds = [seed_of("hidden-v0", index, task_set.seed) for index in range(task_set.size)]
    return {"references": [hidden_points.remade(*place, events) for place in enumerate(seeds)]}


def _limits(args: argparse.Namespace) -> dict[str, Any]:
    """Compute limits at signal points of the searches.

    Print observed and expected 95 % CL upper limits on the signal strength at points on published contours;
    with --out, also write pyhf workspaces and efficiency maps for SModelS.
    """
    from dataclasses import replace

    from assay.suites.collider.limits import counting, exports, points
    from assay.writing import write_whole

    if args.paper is not None and args.paper not in counting.PAPERS:
        raise UnknownName(
            f"the counts of {args.paper!r} are not known", f"choose one of {', '.join(counting.PAPERS)}"
        )
    if args.remake is not None and not 1 <= args.remake <= MOST_EVENTS:
        raise IllegalInput("--remake is out of range", f"give 1 to {MOST_EVENTS}")
    if args.out is not None and args.out.exists():
        raise IllegalInput(f"{args.out} is there already", "name a folder that is not")
    rows = []
    for point in points.signal_points():
        if args.paper not in (None, point.paper):
            continue
        if args.remake is not None:
            point = replace(point, **points.remade(point, args.remake))
        result = points.limit(point)
        strength = {"observed": result.limit.observed, "expected": result.limit.expected}
        rows.append(
            {
                "paper": point.paper,
                "point": point.point,
                "bins": result.group,
                **strength,
                "excluded_gev": round(points.excluded_mass(point, result.limit.observed)),
                "published_gev": point.mass,
                **({"selected": dict(point.selected), "drawn": point.drawn} if args.remake else {}),
            }
        )
    written = 0
    if args.out is not None:
        for name, text in exports.files():
            write_whole(args.out / name, text)
            written += 1
    return {"limits": rows, "files": written}


def _samples(args: argparse.Namespace) -> dict[str, Any]:
    """Make the kept samples again and compare them.

    The samples of data/samples are made from card and seed, and their lines compared with the kept digest.
    This takes ten minutes of a core for all, half a minute for the smallest.
    """
    from assay.suites.collider.chain import generation
    from assay.suites.collider.generators import registry as generators
    from assay.suites.collider.problems import kept

    generation.library()
    chosen = [sample for sample in kept.SAMPLES if args.point in (None, sample.card["point"])]
    if not chosen:
        points = ", ".join(sample.card["point"] for sample in kept.SAMPLES)
        raise UnknownName(f"no sample of {args.point!r} is kept", f"choose one of {points}")
    rows = []
    for sample in chosen:
        made = generators.generate(dict(sample.card), sample.seed, sample.events)
        text = made.data.decode("ascii").partition("\n")[2]
        digest = hashlib.sha256(text.encode("ascii")).hexdigest()
        if args.out is not None:
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / sample.file).write_bytes(kept.compressed(text))
        rows.append(
            {"file": sample.file, "events": sample.events, "sha256": digest, "same": digest == sample.sha256}
        )
    return {"samples": rows, "same": all(row["same"] for row in rows)}


def _drill(args: argparse.Namespace) -> dict[str, Any]:
    """Measure the error rates of the provenance examination.

    Examine honest runs and randomly composed forgeries, and print how many got each verdict. At the level
    `objects` it needs the physics chain, and a few minutes for its events.
    """
    from collections import Counter

    from assay.episodes.blobs import MemoryBlobs
    from assay.suites.collider.drills import campaign, levels
    from assay.suites.collider.problems.sets import SETS
    from assay.suites.collider.tasks import generate
    from assay.writing import write_whole

    if not 0 <= args.honest <= MOST_RUNS or not 0 <= args.composed <= MOST_RUNS:
        raise IllegalInput("--honest or --composed is out of range", f"give 0 to {MOST_RUNS}")
    level = levels.objects() if args.level == "objects" else levels.MOCK
    recipe = SETS[level.task_set]
    tasks = [generate(recipe, level.task_set, n, recipe.seed, MemoryBlobs()) for n in range(recipe.size)]
    rows = list(campaign.played(tasks, args.honest, args.composed))
    if args.out is not None:
        write_whole(args.out, campaign.text(rows, args.commit))
    kinds = {"honest": [row for row in rows if row.conduct == campaign.HONEST]}
    kinds["forged"] = [row for row in rows if row.conduct != campaign.HONEST]
    return {kind: dict(sorted(Counter(row.verdict for row in of).items())) for kind, of in kinds.items()}


def _manual(args: argparse.Namespace) -> str:
    """Print the manual of the tools that agents have.

    Print the page of one tool, or one line for each tool.
    """
    from assay.suites.collider.tools import manual

    tools = {tool.name: tool for tool in (*manual.EVERYWHERE, manual.GENERATE)}
    if args.tool is None:
        return manual.reference(tuple(tools.values())).rstrip()
    if args.tool not in tools:
        raise UnknownName(f"there is no tool {args.tool!r}", f"choose one of {', '.join(tools)}")
    return manual.page(tools[args.tool])


def _task(args: argparse.Namespace, info: Mapping[str, Any]) -> Any:
    """Return the task of `--task`, or the one that `run_info.json` names by its name or published id."""
    from assay.episodes.blobs import MemoryBlobs
    from assay.sessions.taskfiles import find_task

    config = _suite(args)
    published = str(info.get("task_id", ""))
    name = args.task or info.get("task")
    if name is not None:
        return find_task(config, str(name), MemoryBlobs())
    for task_set in config.file.sets:
        for path in sorted((config.entry.tasks / "collider" / task_set).glob("*.json")):
            task = find_task(config, str(path), MemoryBlobs())
            if task.public["id"] == published:
                return task
    raise UnknownName(
        f"{args.folder}: its run_info.json names the task {published!r}, which is in no set",
        "name the task with --task SET/INDEX",
    )


def _suite(args: argparse.Namespace) -> Any:
    from assay.config.loading import load, suite_of

    return suite_of(load(args.config), "collider", args.config)


def _export(args: argparse.Namespace) -> dict[str, Any]:
    """Write the tasks of a set as folders in the published layout.

    Write the task folders, and separately from them the hidden references.
    """
    from assay.suites.collider.problems.taskfolders import save
    from assay.task import read_frozen

    config = _suite(args)
    files = sorted((config.entry.tasks / "collider" / args.task_set).glob("*.json"))
    if args.task_set not in config.file.sets or not files:
        raise UnknownName(
            f"there are no files of a set {args.task_set!r}", f"choose one of {', '.join(config.file.sets)}"
        )
    written = [save(read_frozen(file), args.folder) for file in files]
    return {"tasks": len(written), "folder": str(args.folder / "tasks")}


def _load(args: argparse.Namespace) -> dict[str, Any]:
    """Check a task folder in the published layout.

    Read a task folder and print what it asks for, or what is wrong with it.
    """
    from assay.suites.collider.problems.taskfolders import load

    task = load(args.folder.resolve())
    return {
        **{name: getattr(task, name) for name in ("id", "paper", "target", "mode", "tolerance")},
        "series": task.binning.series,
        "bins": len(task.binning.bins),
        "reference": task.reference is not None,
        "template": task.template,
    }
