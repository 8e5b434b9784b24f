"""A guesser that has learnt in 500 worlds which topic becomes the hottest, and does nothing else well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.experiments.booms import boom
from assay.suites.pilab.solvers import HarnessClient
from assay.suites.pilab.validity.shortcuts.passing import work
from assay.task import Task
from assay.validity.trained import Answers, Guesser, Questions

DATA_FILES = ("../../data/trained_closed.json",)


def look(brief: Brief, call: Call) -> Questions:
    """List the topics with the preprints and news of month 1."""
    client = HarnessClient(brief, call)
    preprints = {row["topic"]: row["preprint_count"] for row in client.call("field.preprints", 1)}
    news = {item["topic"]: item["text"] for item in client.call("field.news", 20) if item["kind"] == "field"}
    return {
        "boom": {
            topic: {
                f"topic {topic}": 1.0,
                "preprints": float(preprints[topic]),
                f"news {news[topic].rpartition(': ')[2] if topic in news else 'none'}": 1.0,
            }
            for topic in TOPICS
        }
    }


def right(task: Task) -> Answers:
    """The topic of the largest boom of a training world."""
    return {"boom": {boom(task.hidden["lab_seed"], task.public["months"]).topic}}


GUESSER = Guesser("closed-v1", Path(__file__).parent / DATA_FILES[0], look, right)


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Put everybody on easy projects about the topic that is most likely to boom."""
    topic = GUESSER.best("boom", look(brief, call)["boom"])
    client = HarnessClient(brief, call)
    client.play(lambda: work(client, lambda: topic))
