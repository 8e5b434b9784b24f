"""Conducts that the benchmark's description names (SGI-Bench), without the audit's rules.

This module imports nothing of the audit, which a test checks. A flag is left open where the words do not
decide it. A disagreement with the audit is a result and is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.program import Step, parse_text
from assay.suites.sgi.v0 import replies
from assay.suites.sgi.v0.replies import SOLUTIONS
from assay.task import Task
from assay.validity.conduct import KnownConduct

Row = Mapping[str, Any]
Reply = tuple[str | None, frozenset[str]]
Said = Callable[[Row], Reply]
"""The reply to an item, None for no reply, and the flags that are due."""

NOTHING: frozenset[str] = frozenset()


def solved(row: Row) -> Reply:
    """The right reply, as an expert would give it."""
    return SOLUTIONS[row["family"]](row), NOTHING


def unanswered(row: Row) -> Reply:
    """No reply at all."""
    return None, frozenset({"no_answer"})


def talks(row: Row) -> Reply:
    """Apologises at length and answers nothing."""
    return "I would need more information to answer this. Please consult an expert.", frozenset({"no_answer"})


# Experimental reasoning: readings of a figure, and one option.


def guesses_option(row: Row) -> Reply:
    """Names the right letter without having read anything in the figure."""
    return f"\\boxed{{{letter(int(row['answer']))}}}", frozenset(
        {"answer_without_work", "right_answer_wrong_steps"}
    )


def misreads(row: Row) -> Reply:
    """Names the right letter though every reading is far off."""
    readings = [{**reading, "value": -1e6} for reading in row["x_readings"]]
    return replies.reasoning(readings, letter(int(row["answer"]))), frozenset({"right_answer_wrong_steps"})


def slips_at_the_end(row: Row) -> Reply:
    """Reads everything rightly and takes another option."""
    other = (int(row["answer"]) + 1) % len(row["x_option_labels"])
    return replies.reasoning(row["x_readings"], letter(other)), frozenset({"right_steps_wrong_answer"})


def reads_most(row: Row) -> Reply:
    """Leaves out one of its readings where there are more than two, and is right."""
    readings = row["x_readings"]
    return replies.reasoning(readings[: max(2, len(readings) - 1)], letter(int(row["answer"]))), NOTHING


# Wet experiments: a protocol whose steps use what earlier steps made.


def lists_actions(row: Row) -> Reply:
    """Lists the right actions without saying what any of them is done with."""
    steps = [Step(step.output, step.action, {}) for step in parse_text(row["answer"]).steps]
    return replies.wet(steps), frozenset({"answer_without_work"})


def takes_everything(row: Row) -> Reply:
    """Copies the decoys of the pool into the protocol, more of them than it has steps."""
    gold = list(parse_text(row["answer"]).steps)
    spare = [
        Step(f"out_9{at}", row["x_decoys"][at % len(row["x_decoys"])], {}) for at in range(len(gold) + 1)
    ]
    return replies.wet([*gold, *spare]), frozenset({"decoys_copied"})


def one_decoy(row: Row) -> Reply:
    """The right protocol after one action too many."""
    spare = Step("out_90", row["x_decoys"][0], {"note": "to be safe"})
    return replies.wet([spare, *parse_text(row["answer"]).steps]), NOTHING


# Ideas.


def stuffs(row: Row) -> Reply:
    """An idea that consists of its keywords, again and again."""
    idea = " ".join(", ".join(row["keywords"]) + "." for _ in range(4))
    return json.dumps({"Idea": idea}), frozenset({"keyword_stuffing"})


def copies(row: Row) -> Reply:
    """Offers an existing solution of the literature, word for word, as its own idea."""
    first = row["existing_solutions"]
    known = first if isinstance(first, str) and not first.startswith("{") else _first(first)
    return json.dumps({"Idea": known}), frozenset({"copied_idea"})


def names_keywords(row: Row) -> Reply:
    """An idea in sentences of its own that names each keyword once."""
    sentences = " ".join(
        f"We use {word} because the records are few and every case that is lost costs a year of waiting."
        for word in row["keywords"]
    )
    return json.dumps({"Idea": sentences}), NOTHING


# Deep research, without opening a document.


def knows_it(row: Row) -> Reply:
    """Gives the right answer and right steps from memory, and opens no document."""
    return replies.research(row["x_steps"], row["answer"]), frozenset({"answer_without_retrieval"})


def lucky_answer(row: Row) -> Reply:
    """Gives the right answer above steps that lead elsewhere."""
    steps = [{**step, "doc_id": "D9999", "value": "-1"} for step in row["x_steps"]]
    due = {"answer_without_retrieval", "right_answer_wrong_steps"}
    return replies.research(steps, row["answer"]), frozenset(due)


def wrong_conclusion(row: Row) -> Reply:
    """Takes every right step and concludes wrongly: high step accuracy, no exact match."""
    return replies.research(row["x_steps"], "none of them"), frozenset({"right_steps_wrong_answer"})


# Dry experiments: code that fills a hole in a program.


def constant(row: Row) -> Reply:
    """A function that returns a number without a look at its arguments."""
    names = row["incomplete_functions"]
    code = [f"def {name}(*arguments, **named):\n    return 1.0" for name in names]
    return replies.dry(code), frozenset({"answer_without_work"})


SAID: Mapping[Family, tuple[Said, ...]] = {
    "experimental_reasoning": (
        solved,
        reads_most,
        unanswered,
        talks,
        guesses_option,
        misreads,
        slips_at_the_end,
    ),
    "wet_experiment": (solved, one_decoy, unanswered, talks, lists_actions, takes_everything),
    "idea_generation": (solved, names_keywords, unanswered, talks, stuffs, copies),
    "deep_research": (unanswered, talks, knows_it, lucky_answer, wrong_conclusion),
    "dry_experiment": (solved, unanswered, talks, constant),
}
"""By family of items the conducts."""

NEAR_MISSES = (solved, reads_most, one_decoy, names_keywords)


def described(task: Task, stream: Stream) -> Iterable[KnownConduct]:
    """The conducts of the family of a task."""
    for said in SAID[task.public["family"]]:
        recipe = (said.__doc__ or "").strip().split("\n")[0]
        yield KnownConduct(
            said.__name__.replace("_", "-"), _act(said, task.public["family"]), recipe, said in NEAR_MISSES
        )


def _act(said: Said, family: Family) -> Callable[[Brief, Call, Stream, Any], Conduct]:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        text, due = said({**replies.row_of(family, brief.parts, hidden), "family": family})
        if text is not None:
            call("answer", {"text": text})
        return Conduct(due)

    return act


def _first(solutions: Any) -> str:
    """The first of the existing solutions, which the item holds as a mapping or as its text."""
    known: Mapping[str, str] = solutions if isinstance(solutions, dict) else literal(solutions)
    return next(iter(known.values()))
