"""`assay play`: play one episode and print its log, metrics and flags."""

from __future__ import annotations

import argparse
import json
from typing import Any

from assay.agents.solver import SolverAgent
from assay.config.loading import load, suite_of
from assay.config.option import add_config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import UnknownName
from assay.protocol import NEVER_SCORED
from assay.sessions.assessment import assess
from assay.sessions.programs.catalogue import reference
from assay.sessions.taskfiles import find_task


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, e.g. petri")
    parser.add_argument("task", help="set/index, set/task id, or the path of a task's file")
    parser.add_argument(
        "--agent",
        help="an agent of config/agents.yaml, or a solver's name (default: the set's first reference solver)",
    )
    parser.add_argument("--attempt", type=int, default=0, help="which attempt (default: 0)")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="print log, metrics and flags as JSON")


def main(args: argparse.Namespace) -> int:
    """Play, score and audit one episode; returns 0 if the episode was scored, else 1."""
    config = load(args.config)
    of_suite = suite_of(config, args.suite, args.config)
    blobs = MemoryBlobs()
    task = find_task(of_suite, args.task, blobs)
    agent = args.agent or reference(config, args.suite, task.task_set)
    entry = config.agents.get(agent)
    if entry is not None and entry.kind == "model":
        raise UnknownName(f"{agent} is a model", f"record it: assay record {agent} --suite {args.suite}")
    name = (entry.solver if entry else None) or agent
    solver = of_suite.suite.solver(name)
    materials = materials_for(of_suite.suite, blobs)
    episode = play(of_suite.suite, task, agent, SolverAgent(solver, task), args.attempt, materials)
    report = assess(of_suite.suite, task, episode, materials).to_json()
    if args.agent is None and not args.json:
        print(f"played by {agent}")
    print(json.dumps(report, indent=1, ensure_ascii=False) if args.json else _text(report))
    return int(episode.status in NEVER_SCORED)


def _text(report: dict[str, Any]) -> str:
    """Return the report as text: two lines for each call, then the status, metrics and raised flags."""
    lines = []
    for event in report["events"]:
        result = event["error"] or " ".join(str(next(iter(part.values()))) for part in event["parts"])
        indent = "  " if event["parent"] is not None else ""
        arguments = json.dumps(event["arguments"], ensure_ascii=False)
        lines.append(f"{event['step']:>4} {indent}{event['tool']} {arguments}")
        lines.append(f"     {indent}-> {result if len(result) <= 200 else result[:197] + '...'}")
    row = report["episode"]
    lines.append(
        f"{row['status']}{': ' + row['reason'] if row['reason'] else ''}; submitted {row['submission']}"
    )
    for s in report["metrics"]:
        if s["step"] is None:
            lines.append(
                f"  {s['metric']:<24} {s['label'] or '' if s['value'] is None else format(s['value'], 'g')}"
            )
    raised = [f["flag"] for f in report["flags"] if f["raised"]]
    lines.append(f"flags: {', '.join(raised) or 'none raised'}")
    return "\n".join(lines)
