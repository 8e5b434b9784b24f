"""Wet experiments: sequence similarity (SS) and parameter accuracy (PA) of a protocol, under three profiles.

`objective` compares the pairs of steps and every gold parameter. `paper` is the printed formula. `released`
repeats the public code: alphabetical order in place of the protocol's, positions in place of steps, and no
look at literals. The last is for comparison only: two protocols without a common action can score 1 there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.text.program import Program, Step, Value, same_action
from assay.suites.sgi.text.quantities import close, ends, folded, quantity

Token = tuple[str, int]
"""An action and the number of its occurrence, from 0."""

Literals = Sequence[Mapping[str, Mapping[str, Any]]]
"""Of each gold step how its literals are compared (`kind`, `tolerance`, `aliases`); may be empty."""

NO_LITERALS: Literals = ()


def tokens(program: Program) -> list[Token]:
    """The steps as tokens, in order of appearance."""
    seen: Counter[str] = Counter()
    found = []
    for step in program.steps:
        name = same_action(step.action)
        found.append((name, seen[name]))
        seen[name] += 1
    return found


# ------------------------------------------------------------ the order of steps


def sequence_similarity(reference: Sequence[Token], predicted: Sequence[Token]) -> float:
    """Share of the pairs of steps, of the longer program, that both have in the same order."""
    n = max(len(reference), len(predicted))
    if n == 0:
        return 1.0
    if not reference or not predicted:
        return 0.0
    if n == 1:
        return float(reference[0] == predicted[0])
    place = {token: at for at, token in enumerate(predicted)}
    order = [place[token] for token in reference if token in place]
    concordant = sum(a < b for i, a in enumerate(order) for b in order[i + 1 :])
    return concordant / (n * (n - 1) // 2)


def paper_similarity(reference: Sequence[Token], predicted: Sequence[Token]) -> tuple[float, str]:
    """1 less the share of discordant pairs; 0, `undefined`, unless both are one set of distinct actions."""
    distinct = all(number == 0 for _, number in (*reference, *predicted))
    if not distinct or sorted(reference) != sorted(predicted):
        return 0.0, "undefined"
    return sequence_similarity(reference, predicted), ""


def released_similarity(reference: Sequence[str], predicted: Sequence[str]) -> float:
    """As released: pairs of positions whose alphabetical order is opposite in the two lists of names."""
    n = len(reference)
    if n != len(predicted):
        return 0.0
    if n <= 1:
        return 1.0

    def order(names: Sequence[str], i: int, j: int) -> int:
        return (names[i] > names[j]) - (names[i] < names[j])

    opposite = sum(
        order(reference, i, j) * order(predicted, i, j) < 0 for i in range(n) for j in range(i + 1, n)
    )
    return 1.0 - opposite / (n * (n - 1) // 2)


# ------------------------------------------------------------ the parameters of steps


@dataclass(frozen=True)
class Parameters:
    """How many gold parameters are right, how many there are, and how many were given beyond them."""

    right: int
    total: int
    extra: int

    @property
    def objective(self) -> float:
        """right / (total + extra); without gold parameters 1 unless some were given."""
        if self.total == 0:
            return float(self.extra == 0)
        return self.right / (self.total + self.extra)

    @property
    def paper(self) -> float:
        """right / total: what is given beyond costs nothing."""
        return self.right / self.total if self.total else 1.0


def references(program: Program) -> tuple[list[dict[str, Any]], bool]:
    """Of each step the producers of its values (index of a step, null for a literal), and validity.

    A value refers to an output that an earlier step has assigned, the latest of that name. A program is
    invalid where a bare name is assigned only later. For a list there is one producer an element.
    """
    every = {step.output for step in program.steps}
    assigned: dict[str, int] = {}
    found = []
    valid = True
    for index, step in enumerate(program.steps):
        producers: dict[str, Any] = {}
        for key, value in step.arguments.items():
            parts = value if isinstance(value, tuple) else (value,)
            valid = valid and all(part in assigned or part not in every for part in parts)
            found_parts = tuple(assigned.get(part) for part in parts)
            producers[key] = found_parts if isinstance(value, tuple) else found_parts[0]
        found.append(producers)
        assigned[step.output] = index
    return found, valid


def parameter_accuracy(gold: Program, predicted: Program, literals: Literals = NO_LITERALS) -> Parameters:
    """Gold parameters of aligned steps that are right.

    Repeats of one action are aligned by the best match of their parameters, so that it costs nothing to
    swap two of them. Since references point to other repeats, that is done until nothing changes, as often as
    there are steps at most, starting from the order of appearance; the best counts, so that it never takes
    away.
    """
    comparison = _Comparison(gold, predicted, literals)
    alignment = comparison.by_occurrence()
    best = right = comparison.right(alignment)
    every = sum(len(step.arguments) for step in gold.steps)
    for _ in range(len(gold.steps) if right < every else 0):
        alignment, before = comparison.by_parameters(alignment), alignment
        if alignment == before:
            break
        right = comparison.right(alignment)
        if right > best:
            best, comparison.best = right, alignment
    return comparison.parameters(best)


class _Comparison:
    """Two programs, their references, and which of their steps can be aligned."""

    def __init__(self, gold: Program, predicted: Program, literals: Literals) -> None:
        self.gold, self.predicted, self.literals = gold, predicted, literals
        self.gold_from, _ = references(gold)
        self.predicted_from, _ = references(predicted)
        self.literal_keys: list[list[str]] = []  # of each gold step; only references depend on the alignment
        self.reference_keys: list[list[str]] = []
        for producers in self.gold_from:
            refers = {
                key: any(part is not None for part in (found if isinstance(found, tuple) else (found,)))
                for key, found in producers.items()
            }
            self.literal_keys.append([key for key in refers if not refers[key]])
            self.reference_keys.append([key for key in refers if refers[key]])
        self.groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, program in enumerate((gold, predicted)):
            for index, step in enumerate(program.steps):
                self.groups[same_action(step.action)][side].append(index)
        self.best = self.by_occurrence()
        self._same: dict[tuple[int, str, int, str], bool] = {}
        self._literals_right: dict[tuple[int, int], int] = {}

    def by_occurrence(self) -> dict[int, int]:
        """Gold step -> predicted step, by order of appearance."""
        return {g: p for ours, theirs in self.groups.values() for g, p in zip(ours, theirs, strict=False)}

    def by_parameters(self, alignment: dict[int, int]) -> dict[int, int]:
        """The alignment with most right parameters, references judged by the one before; ties in order."""
        found: dict[int, int] = {}
        for ours, theirs in self.groups.values():
            if len(ours) <= 1 and len(theirs) <= 1:
                found.update(zip(ours, theirs, strict=False))
                continue
            weights = [[self.right_of(g, p, alignment) for p in theirs] for g in ours]
            found.update({ours[i]: theirs[j] for i, j in _assignment(weights)})
        return found

    def right(self, alignment: dict[int, int]) -> int:
        return sum(self.right_of(g, p, alignment) for g, p in alignment.items())

    def right_of(self, g: int, p: int, alignment: dict[int, int]) -> int:
        """How many parameters of a gold step an aligned step has right."""
        if (g, p) not in self._literals_right:
            self._literals_right[g, p] = self._right_among(self.literal_keys[g], g, p, alignment)
        return self._literals_right[g, p] + self._right_among(self.reference_keys[g], g, p, alignment)

    def _right_among(self, keys: list[str], g: int, p: int, alignment: dict[int, int]) -> int:
        gold, given = self.gold.steps[g].arguments, self.predicted.steps[p].arguments
        return sum(key in given and self.same(g, p, key, gold[key], given[key], alignment) for key in keys)

    def same(self, g: int, p: int, key: str, gold: Value, given: Value, alignment: dict[int, int]) -> bool:
        producers, theirs = self.gold_from[g][key], self.predicted_from[p][key]
        if isinstance(gold, tuple) != isinstance(given, tuple):
            # A list of one and its only element say the same.
            if isinstance(gold, tuple) and len(gold) == 1:
                gold, producers = gold[0], producers[0]
            elif isinstance(given, tuple) and len(given) == 1:
                given, theirs = given[0], theirs[0]
            else:
                return False
        if not isinstance(gold, tuple):
            gold, given, producers, theirs = (gold,), (given,), (producers,), (theirs,)  # type: ignore[assignment]
        if len(gold) != len(given):
            return False
        for at, (a, b) in enumerate(zip(gold, given, strict=True)):
            if producers[at] is not None:
                if theirs[at] is None or alignment.get(producers[at]) != theirs[at]:
                    return False
            elif theirs[at] is not None or not self.literal(g, key, a, b, at):
                return False
        return True

    def literal(self, g: int, key: str, gold: str, given: str, at: int) -> bool:
        known = (g, key, at, given)
        if known not in self._same:
            how = self.literals[g].get(key, {}) if self.literals else {}
            self._same[known] = same_literal(gold, given, how)
        return self._same[known]

    def parameters(self, right: int) -> Parameters:
        total = sum(len(step.arguments) for step in self.gold.steps)
        partner = {p: g for g, p in self.best.items()}
        extra = 0
        for p, step in enumerate(self.predicted.steps):
            expected = self.gold.steps[partner[p]].arguments if p in partner else {}
            extra += sum(key not in expected for key in step.arguments) + step.repeats
        return Parameters(right, total, extra)


def _assignment(weights: list[list[int]]) -> list[tuple[int, int]]:
    """The matching with the highest sum of whole weights; among equals, the one nearest to the diagonal.

    Of several as near the first counts: whose first row has the lowest column (none is the highest), then
    whose second row. In doubles that is exact for the few repeats of a protocol; of hundreds the first rows
    decide.
    """
    from scipy.optimize import linear_sum_assignment

    width = len(weights[0]) if weights else 0
    if not width:
        return []
    scale = 4 * (len(weights) + width) ** 2
    bits = width.bit_length()
    # A fraction in which each row has the bits of its column: all rows together are less than one step.
    costs = [
        [abs(i - j) - scale * weight - (width - j) * 2.0 ** (-bits * (i + 1)) for j, weight in enumerate(row)]
        for i, row in enumerate(weights)
    ]
    rows, columns = linear_sum_assignment(costs)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def same_literal(gold: str, given: str, how: Mapping[str, Any]) -> bool:
    """Whether two literals say the same: quantities by value, ranges by both ends, words casefolded."""
    if gold == given:
        return True
    tolerance = how.get("tolerance", 1e-6)
    if how.get("kind", "range") == "range" and (wanted := ends(gold)) is not None:
        found = ends(given)
        return found is not None and all(close(b, a, tolerance) for a, b in zip(wanted, found, strict=True))
    if how.get("kind", "quantity") == "quantity" and (amount := quantity(gold)) is not None:
        other = quantity(given)
        return other is not None and close(other, amount, tolerance)
    words = {_word(gold), *(_word(alias) for alias in how.get("aliases", ()))}
    return _word(given) in words


def _word(text: str) -> str:
    return " ".join(folded(text).split()).casefold()


def released_accuracy(gold: Program, predicted: Program) -> float:
    """As released: 1 less the share of positions in error; literals are never compared.

    A step is in error where its action or its keys differ or a reference does not lead to a step of the
    same role; what a step in error makes has no role, so one error drags the next with it. The name of any
    output is a reference, also that of a later step.
    """
    n = max(len(gold.steps), len(predicted.steps))
    if n == 0:
        return 0.0
    roles: dict[str, str] = {}
    outputs = ({step.output for step in gold.steps}, {step.output for step in predicted.steps})
    errors = abs(len(gold.steps) - len(predicted.steps))
    for ours, theirs in zip(gold.steps, predicted.steps, strict=False):
        if _released_match(ours, theirs, outputs, roles):
            roles[theirs.output] = ours.output
        else:
            errors += 1
    return 1.0 - errors / n


def _released_match(
    gold: Step, given: Step, outputs: tuple[set[str], set[str]], roles: dict[str, str]
) -> bool:
    if gold.action != given.action or gold.arguments.keys() != given.arguments.keys():
        return False
    for key, value in gold.arguments.items():
        other = given.arguments[key]
        refers = (value in outputs[0], other in outputs[1])
        if refers[0] != refers[1] or (refers[0] and roles.get(str(other)) != value):
            return False
    return True
