"""An idea that means nothing, in the form that the metrics of ideas reward."""

from __future__ import annotations

import json
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.sgi.solvers import family_of

CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"

SENTENCES, WORDS = 6, 9
"""About 400 characters, within what counts as detailed; no word comes twice."""

PLAN = (
    ("acquire", "Collect {} of {} for 48 h as raw records."),
    ("preprocess", "Clean the raw records in windows of 30 s into tidy segments."),
    ("represent", "Encode the tidy segments as {} of {}."),
    ("model", "Model the tidy segments as {} of {}."),
    ("optimise", "Optimise {} of {}."),
    ("calibrate", "Calibrate {} on held out cases of 5 h as stated confidence."),
    ("validate", "Validate {} on unseen cases of 11 h and note error rates."),
    ("analyse", "Analyse error rates in groups of 17 h and write the findings."),
)
"""Types and phrases of the template from which the plan of every reference is made; the rest is nonsense."""

ORDER = ("1-2", "2-3", "2-4", "3-5", "4-5", "5-6", "6-7", "7-8")


def idea(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Nonsense in all six parts; nothing in other families."""
    if family_of(brief) != "idea_generation":
        return
    words = _words(stream, SENTENCES * WORDS)
    lines = [" ".join(words[at : at + WORDS]).capitalize() + "." for at in range(0, len(words), WORDS)]
    steps = {str(at): text.format(*_words(stream, 2)) for at, (_, text) in enumerate(PLAN, 1)}
    reply = {
        "Idea": " ".join(lines),
        "ImplementationSteps": steps,
        "ImplementationOrder": list(ORDER),
        "Dataset": " ".join(_words(stream, 4)),
        "EvaluationMetrics": {_words(stream, 1)[0]: "high"},
        "ExpectedOutcome": " ".join(_words(stream, 4)),
        "StepTypes": {str(at): kind for at, (kind, _) in enumerate(PLAN, 1)},
    }
    call("answer", {"text": json.dumps(reply)})


def _words(stream: Stream, count: int) -> list[str]:
    """Different words of three syllables each."""
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(stream.choice(CONSONANTS) + stream.choice(VOWELS) for _ in range(3))] = None
    return list(made)
