"""A guesser that has learnt from 500 items of experimental reasoning which options tend to be right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.v0.replies import options_shown, reasoning
from assay.task import Task
from assay.validity.trained import Answers, Features, Guesser, Questions

DATA_FILES = ("../trained_reasoning.json",)


def look(brief: Brief, call: Call) -> Questions:
    """The options of an item, with what they say and how many others say the same; no picture is read."""
    if prompts.family_of(brief.parts) != "experimental_reasoning":
        return {}
    options = options_shown(str(brief.parts[1]))
    clauses = [re.split("; ", option) for option in options]
    shared = Counter(clause for said in clauses for clause in said)
    lengths = sorted(len(option) for option in options)
    seen: dict[str, Features] = {}
    for at, said in enumerate(clauses):
        specimens = [clause.partition(": ")[2] for clause in said if ": " in clause]
        seen[letter(at)] = {
            **dict.fromkeys(said, 1.0),
            f"place {at}": 1.0,
            "agree": float(sum("they agree in" in clause for clause in said)),
            "same": float(len(specimens) == 2 and specimens[0] == specimens[1]),
            "shared": float(sum(shared[clause] for clause in said)) / len(said),
            "rank of the length": float(lengths.index(len(options[at]))),
        }
    return {"option": seen}


def right(task: Task) -> Answers:
    """The letter of the right option of a training item."""
    return {"option": {letter(int(task.hidden["answer"]))}}


GUESSER = Guesser("reasoning-v1", Path(__file__).parent / DATA_FILES[0], look, right)


def learnt(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answer with the option that was most often right; nothing in other families."""
    for question, options in look(brief, call).items():
        call("answer", {"text": reasoning([], GUESSER.best(question, options))})
