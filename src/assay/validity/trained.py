"""Trained guessers: how much of the answer can be learnt from other tasks of the same recipe?

A guesser looks at a new task without doing what the set measures, lists the options of each question with
features that anybody can see, and chooses by a logistic regression. The regression was trained on 500 tasks
of the same recipe from a seed of its own. Its coefficients are a committed file, with the digest of the
examples, that `assay train SUITE` writes and a long test makes again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from assay import canonical
from assay.errors import ConfigError
from assay.numbers.logistic import fit, log_odds
from assay.protocol import Brief, Call
from assay.task import Task

Features: TypeAlias = Mapping[str, float]
"""The features of an option, as numbers by name. A yes-or-no property is 1 if it holds, else absent."""

Questions: TypeAlias = Mapping[str, Mapping[str, Features]]
"""The features of each option, by question and then by option."""

Answers: TypeAlias = Mapping[str, Container[str]]
"""The right options of each question."""

TASKS = 500
"""The number of tasks in a training set."""

SEED = 25
"""Base seed of training sets; no set of a suite has it."""


@dataclass(frozen=True)
class Guesser:
    """A trained guesser.

    Attributes:
        task_set: The set whose recipe gives the training tasks.
        file: The committed coefficients; the module that declares the guesser names it in `DATA_FILES`.
        look: Lists questions and options from what an agent sees. It may call tools, and the same calls are
            made in training and in play.
        right: Says which options are right, from a training task; it is not called in play.
        tasks: How many tasks the training set has, at least; fewer than `TASKS` only where a task is dear.
    """

    task_set: str
    file: Path
    look: Callable[[Brief, Call], Questions]
    right: Callable[[Task], Answers]
    tasks: int = TASKS

    def odds(self, question: str, options: Mapping[str, Features]) -> dict[str, float]:
        """Return the log-odds of each option to be right.

        Raises:
            ConfigError: If the file of coefficients cannot be read, or does not know the question.
        """
        known = coefficients(self.file)
        if question not in known:
            raise ConfigError(
                f"{self.file}: no coefficients for the question {question!r}", "train again: assay train"
            )
        return {option: log_odds(known[question], features) for option, features in options.items()}

    def best(self, question: str, options: Mapping[str, Features]) -> str:
        """Return the option that is most probably right; of equal ones the first."""
        odds = self.odds(question, options)
        return max(odds, key=lambda option: odds[option])

    def likely(self, question: str, options: Mapping[str, Features]) -> list[str]:
        """Return the options that are right with a probability of more than one half, in their order."""
        return [option for option, odds in self.odds(question, options).items() if odds > 0.0]


Example: TypeAlias = tuple[Features, bool]


def examples(pairs: Iterable[tuple[Questions, Answers]]) -> dict[str, list[Example]]:
    """Return the examples of each question: the features of every option, and whether it is right.

    Args:
        pairs: Of each training task what was seen, and what is right.

    Raises:
        ValueError: If no answer is given for a question that was asked.
    """
    by_question: dict[str, list[Example]] = {}
    for questions, answers in pairs:
        for question, options in questions.items():
            if question not in answers:
                raise ValueError(f"`right` says nothing about the question {question!r}")
            by_question.setdefault(question, []).extend(
                (features, option in answers[question]) for option, features in options.items()
            )
    return by_question


def trained(guesser: Guesser, by_question: Mapping[str, Sequence[Example]], tasks: int, seed: int) -> str:
    """Return the text of the file of a guesser that was trained on these examples."""
    fitted = {
        question: fit([features for features, _ in rows], [label for _, label in rows])
        for question, rows in sorted(by_question.items())
    }
    head = {
        "task_set": guesser.task_set,
        "seed": seed,
        "tasks": tasks,
        "examples": {question: len(rows) for question, rows in sorted(by_question.items())},
        "sha256": canonical.digest({name: [list(row) for row in rows] for name, rows in by_question.items()}),
    }
    lines = [f"{canonical.dumps(name)}:{canonical.dumps(value)}" for name, value in head.items()]
    return "{" + ",\n".join([*lines, f'"coefficients":{{{_lines(fitted)}}}']) + "}\n"


def _lines(fitted: Mapping[str, Mapping[str, float]]) -> str:
    """The coefficients with one feature a line, so that a difference can be read."""
    return ",\n".join(
        f"{canonical.dumps(question)}:{{\n"
        + ",\n".join(
            f"{canonical.dumps(name)}:{canonical.dumps(value)}" for name, value in sorted(of.items())
        )
        + "}"
        for question, of in fitted.items()
    )


@cache
def coefficients(file: Path) -> Mapping[str, Mapping[str, float]]:
    """Return the coefficients of each question.

    Raises:
        ConfigError: If there is no such file, or it is no file of coefficients.
    """
    try:
        known: Mapping[str, Mapping[str, float]] = canonical.loads(file.read_bytes())["coefficients"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ConfigError(
            f"{file} is no file of a trained guesser ({type(problem).__name__})",
            "restore it from git, or write it: assay train SUITE",
        ) from problem
    return known
