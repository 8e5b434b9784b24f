"""`assay run`: let an agent of one's own play a task set, and show its score, rank and flags at once.

A Python function takes an open session and makes its calls:

    def play(session):
        session.call("submit", {"parameter": "alignment", "direction": "up"})

A command reads the conversation from standard input and writes one reply, once for each reply.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.comparison.results import results
from assay.config.loading import load
from assay.config.option import add_config
from assay.console import report, say
from assay.errors import ConfigError, NotBuilt, UnknownName
from assay.sessions import uncovered
from assay.sessions.programs import trials
from assay.sessions.programs.catalogue import checked_set, size
from assay.sessions.programs.trials import Job, Score, Trial
from assay.tables.schemas.leaderboard import is_partial

RANKED = ("solver", "model")
"""The kinds of rows of the leaderboard among which a program would be ranked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `assay run`."""
    parser.add_argument(
        "program", help="file.py:function (`file.py` alone: its function `play`), or a command in quotes"
    )
    parser.add_argument("task_set", metavar="suite/set", help="the task set, e.g. petri/core-v1")
    parser.add_argument("--tasks", type=int, metavar="N", help="only the first N tasks")
    parser.add_argument("--attempts", type=int, default=1, metavar="N", help="episodes a task (default: 1)")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="episodes played at once (default: 1)"
    )
    parser.add_argument("--record", metavar="NAME", help="keep the sessions as recordings of this agent")
    parser.add_argument("--results", type=Path, default=Path("results"), help="where built results are")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_config(parser)


def main(args: argparse.Namespace) -> int:
    """Play the set; returns 0, 1 if an episode has no score, 130 after Ctrl-C."""
    for name in ("tasks", "attempts", "workers"):
        if (number := getattr(args, name)) is not None and number < 1:
            raise ConfigError(f"--{name} is {number}", "give a number of 1 or more")
    config = load(args.config)
    suite, task_set = checked_set(config, args.task_set, args.config)
    program = f"{args.program}:play" if args.program.endswith(".py") else args.program
    trials.check(program)
    count = min(size(suite, task_set), args.tasks or sys.maxsize)
    recordings = None if args.record is None else config.project.recordings
    jobs = [
        Job(
            program,
            suite.suite.name,
            task_set,
            index,
            attempt,
            args.record or "program",
            recordings,
            args.config,
        )
        for index in range(count)
        for attempt in range(args.attempts)
    ]
    tell = report if args.json else say
    played: list[Trial] = []
    interrupted = False
    try:
        for trial in trials.play_all(jobs, min(args.workers, len(jobs))):
            played.append(trial)
            tell(_line(len(played), len(jobs), trial))
            if trial.failure and sum(bool(each.failure) for each in played) == 1:
                report(trial.failure.rstrip())
    except KeyboardInterrupt:
        interrupted = True
        report(f"interrupted after {len(played)} of {len(jobs)} episodes")
    if not played:
        return 130
    played.sort(key=lambda trial: (trial.index, trial.attempt))
    score = trials.score_of(played)
    whole = len({trial.index for trial in played}) == size(suite, task_set)
    rank = standing(args.results, suite.suite.name, task_set, score.mean) if whole else None
    result = {
        "program": args.program,
        "suite": suite.suite.name,
        "task_set": task_set,
        "score": asdict(score),
        "rank": rank,
        "flags": dict(trials.flags_of(played)),
        "episodes": [asdict(trial) for trial in played],
    }
    if args.json:
        print(json.dumps(result, indent=1, ensure_ascii=False))
    else:
        print("\n".join(_closing(score, rank, whole, result["flags"], played)))
    if args.record is not None:
        for note in uncovered.notes(config, args.record):
            tell(f"note: {note}")
    return 130 if interrupted else int(score.unscored > 0)


def standing(folder: Path, suite: str, task_set: str, score: float) -> dict[str, Any] | None:
    """Return the place of a score among the ranked agents of a built leaderboard.

    Args:
        folder: The folder of results.
        suite: The suite.
        task_set: The set.
        score: The score.

    Returns:
        `place`, counted from 1, `of`, the number of agents with this one, and the agents next `above` and
        `below` with their scores; `None` where no leaderboard has been built or nobody is ranked.
    """
    try:
        frame = results(suite, folder).leaderboard(task_set)
    except (NotBuilt, UnknownName):
        return None
    records: list[dict[str, Any]] = json.loads(frame.to_json(orient="records"))
    rows = [
        row for row in records if row["kind"] in RANKED and row["score"] is not None and not is_partial(row)
    ]
    if not rows:
        return None
    better = sorted((row["score"], row["agent"]) for row in rows if row["score"] > score)
    others = sorted((row["score"], row["agent"]) for row in rows if row["score"] <= score)
    return {
        "place": len(better) + 1,
        "of": len(rows) + 1,
        "above": {"agent": better[0][1], "score": better[0][0]} if better else None,
        "below": {"agent": others[-1][1], "score": others[-1][0]} if others else None,
    }


def _line(number: int, of: int, trial: Trial) -> str:
    words = [f"{number} of {of}: {trial.task_id}.{trial.attempt}: {trial.status}"]
    if trial.reason:
        words[0] += f" ({trial.reason})"
    words.append("no score" if trial.score is None else f"score {trial.score:g}")
    words.append(f"{trial.calls} calls")
    if trial.raised:
        words.append(f"flags {', '.join(trial.raised)}")
    return "; ".join(words)


def _closing(
    score: Score, rank: dict[str, Any] | None, whole: bool, flags: dict[str, int], played: Sequence[Trial]
) -> list[str]:
    interval = "" if score.low is None else f", 95 % interval [{score.low:.4g}, {score.high:.4g}] over tasks"
    lines = [f"score {score.mean:.4g}{interval}; {score.episodes} episodes at {score.tasks} tasks"]
    if score.unscored:
        lines.append(f"{score.unscored} episodes have no score and count as zero")
    if rank is not None:
        neighbours = [
            f"{words} {rank[side]['agent']} ({rank[side]['score']:.4g})"
            for side, words in (("above", "behind"), ("below", "ahead of"))
            if rank[side]
        ]
        lines.append(f"rank {rank['place']} of {rank['of']}, {' and '.join(neighbours)}")
    elif not whole:
        lines.append("rank: none, because a part of the set was played")
    else:
        lines.append("rank: none, because no leaderboard with this set has been built")
    shares = ", ".join(f"{flag} {count} of {len(played)}" for flag, count in sorted(flags.items()))
    lines.append(f"flags: {shares or 'none raised'}")
    return lines
