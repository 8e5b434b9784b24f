"""Training of guessers: tasks of a recipe are generated and looked at, and a regression learns from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.config.sets import find_recipe
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import ConfigError
from assay.numbers import rng
from assay.protocol import Brief, Call
from assay.suite import Suite
from assay.validity.trained import SEED, Answers, Guesser, Questions, examples, trained

LARGEST_SEED = 1 << 31


def guessers(suite: Suite) -> dict[str, Guesser]:
    """Return the trained guessers of a suite by the names of their shortcuts."""
    if not suite.has("shortcuts"):
        return {}
    return dict(getattr(suite.room("shortcuts"), "GUESSERS", {}))


def train(suite: Suite, guesser: Guesser) -> str:
    """Train a guesser, and return the text of its file.

    The training set is made of copies of the whole set, so that its strata are those of the recipe. Each copy
    has a seed of its own, which follows from `SEED` and the names of suite and set.
    """
    pairs = list(_seen(suite, guesser))
    return trained(guesser, examples(pairs), len(pairs), SEED)


@dataclass
class _Onlooker:
    """An agent that looks as the guesser does, and keeps what it saw."""

    guesser: Guesser
    questions: Questions = field(default_factory=dict)

    def act(self, brief: Brief, call: Call, stream: rng.Stream) -> None:
        self.questions = self.guesser.look(brief, call)


def _seen(suite: Suite, guesser: Guesser) -> Iterator[tuple[Questions, Answers]]:
    room = suite.room("tasks")
    recipe = find_recipe(suite, guesser.task_set, SEED)
    for number in range(guesser.tasks):
        copy, index = divmod(number, recipe.size)
        seed = rng.stream(SEED, "trained", suite.name, guesser.task_set, copy).below(LARGEST_SEED - 1)
        blobs = MemoryBlobs()
        task = room.generate(recipe, guesser.task_set, index, seed, blobs)
        onlooker = _Onlooker(guesser)
        episode = play(suite, task, "onlooker", onlooker, 0, materials_for(suite, blobs))
        if episode.status == "crashed":
            raise ConfigError(
                f"a guesser of {suite.name} failed at {task.task_set}/{index} with the seed {seed}",
                "mend its function `look`; the traceback is above",
            )
        yield onlooker.questions, guesser.right(task)
