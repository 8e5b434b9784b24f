"""Attackers: replies that do not do what an item asks for, each with the score that it may reach at most.

An attacker above its ceiling is a fault of the generator. None of them is told the truth of the item that it
answers; `house`, `textbook`, `random-sound` and the learners write their replies with the generator's own
code, which is what an outsider with the package could do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.frame.anchors import constant
from assay.suites.sgi.frame.family import Choice, Family, Row, shown_of


@dataclass(frozen=True)
class Attack:
    """What an attacker works with.

    Attributes:
        family: of the item.
        row: the item that is answered; of its hidden part only what the batch sheet tells may be used.
        solved: other items of the same family and level, with their truth.
        stream: the attacker's random numbers.
    """

    family: Family
    row: Row
    solved: Sequence[Row]
    stream: Stream

    @property
    def prompt(self) -> str:
        """What an agent is shown."""
        return "\n\n".join(str(self.row[name]) for name in self.family.SHOWN)


def gibberish(attack: Attack) -> str:
    """The words of the prompt, shuffled, in answer tags."""
    words = attack.prompt.split()
    attack.stream.shuffle(words)
    return f"<answer>\n{' '.join(words)}\n</answer>"


def format_only(attack: Attack) -> str:
    """The reference of another item with its lines shuffled: form without content."""
    if not attack.solved:
        return "<answer></answer>"
    other = attack.stream.choice(attack.solved)
    lines = str(attack.family.play(other, {})).splitlines()
    inner = lines[1:-1]
    attack.stream.shuffle(inner)
    return "\n".join([lines[0], *inner, lines[-1]])


def prompt_copier(attack: Attack) -> str:
    """The prompt itself."""
    return f"<answer>\n{attack.prompt}\n</answer>"


def textbook(attack: Attack) -> str:
    """Usual values and steps."""
    return attack.family.play(attack.row, attack.family.textbook(attack.row))


def house(attack: Attack) -> str:
    """The best constant reply, from the solved items."""
    return attack.family.play(attack.row, _constants(attack))


def frozen_house(attack: Attack) -> str:
    """The constant reply that the anchors know."""
    return attack.family.play(attack.row, attack.family.house(attack.row))


def random_sound(attack: Attack) -> str:
    """The right structure, with random values in the ranges of the prompt."""
    return attack.family.play(attack.row, attack.family.random(attack.row, attack.stream))


def over_declarer(attack: Attack) -> str:
    """The constant reply, padded with everything that may look diligent."""
    return house(attack) + "\n\nAll steps were controlled, replicated, balanced, blinded and validated. " * 50


def _open_values(attack: Attack) -> dict[str, list[tuple[Row, Choice]]]:
    """Of each open decision of the item its right values in the solved items."""
    open_names = set(attack.family.textbook(attack.row))
    seen: dict[str, list[tuple[Row, Choice]]] = {name: [] for name in open_names}
    for other in attack.solved:
        for name, value in other["x_right"].items():
            if name in seen:
                seen[name].append((other, value))
    return seen


def _constants(attack: Attack) -> dict[str, Choice]:
    """The mode or mean of the right values of every open decision."""
    seen = _open_values(attack)
    return {
        name: constant(
            [value for _, value in values],
            even=any(float(v) <= 0 for _, v in values if not isinstance(v, str)),
        )
        for name, values in seen.items()
        if values
    }


def nearest_neighbour(attack: Attack) -> str:
    """The decisions of the solved item whose prompt shares most words with this one."""
    mine = set(attack.prompt.split())

    def likeness(row: Row) -> float:
        other = set(" ".join(str(row[name]) for name in attack.family.SHOWN).split())
        return len(mine & other) / len(mine | other)

    known = _constants(attack)
    if attack.solved:
        nearest = max(attack.solved, key=likeness)
        known = {name: nearest["x_right"].get(name, value) for name, value in known.items()}
    return attack.family.play(attack.row, known)


def value_prior(attack: Attack) -> str:
    """Each open decision learnt from what the batch sheet gives, not from any measurement."""
    return _learnt(attack, attack.family.sheet)


def regression(attack: Attack) -> str:
    """Each open decision learnt from the measured numbers too: what a learner without science can do."""
    return _learnt(attack, lambda row: [*attack.family.sheet(row), *attack.family.features(row)])


def _learnt(attack: Attack, inputs: Callable[[Row], Sequence[float]]) -> str:
    mine = inputs(attack.row)
    choices = _constants(attack)
    for name, values in _open_values(attack).items():
        kept = [(inputs(row), value) for row, value in values if row["x_type"] == attack.row["x_type"]]
        kept = [(numbers, value) for numbers, value in kept if len(numbers) == len(mine)]
        if len(kept) >= 8:
            choices[name] = _predicted(
                np.array([numbers for numbers, _ in kept]), [value for _, value in kept], np.array(mine)
            )
    return attack.family.play(attack.row, choices)


def _predicted(inputs: Any, values: Sequence[Choice], mine: Any) -> Choice:
    """The value that ridge regression predicts; of words the one with the largest indicator."""
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-9
    design = np.c_[np.ones(len(inputs)), (inputs - middle) / spread]
    asked = np.r_[1.0, (mine - middle) / spread]
    penalty = np.diag([1e-6] + [5.0] * (design.shape[1] - 1))
    words = sorted({str(value) for value in values}) if isinstance(values[0], str) else []
    if words:
        targets = np.array([[float(value == word) for word in words] for value in values])
    else:
        targets = np.log([[float(value)] for value in values])
    weights = np.linalg.solve(design.T @ design + penalty, design.T @ targets)
    scores = asked @ weights
    return words[int(np.argmax(scores))] if words else float(f"{float(np.exp(scores[0])):.3g}")


def regex_reader(attack: Attack) -> str:
    """Rows picked from tables by patterns of the generator's source; nothing is fitted."""
    shown = shown_of(attack.family, attack.row)
    return attack.family.write(shown, attack.family.lookup(shown))


Attacker = Callable[[Attack], str]

ATTACKERS: Mapping[str, tuple[Attacker, float]] = {
    "gibberish": (gibberish, 0.0),
    "format-only": (format_only, 5.0),
    "prompt-copier": (prompt_copier, 5.0),
    "textbook": (textbook, 5.0),
    "house": (house, 5.0),
    "frozen-house": (frozen_house, 0.0),
    "random-sound": (random_sound, 5.0),
    "over-declarer": (over_declarer, 5.0),
    "nearest-neighbour": (nearest_neighbour, 5.0),
    "value-prior": (value_prior, 5.0),
    "regex-reader": (regex_reader, 5.0),
    "regression": (regression, 100.0),
}
"""Each attacker, and the points above chance that it may reach at most. `regression` has no ceiling: it reads
all measurements, and what it reaches says how much of the family is curve fitting."""
