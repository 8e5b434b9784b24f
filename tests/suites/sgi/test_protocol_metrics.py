"""Every rule of SS and PA by itself, worked out by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

import pytest

from assay.suites.sgi.metrics.protocols import (
    NO_LITERALS,
    Parameters,
    _assignment,
    paper_similarity,
    parameter_accuracy,
    references,
    released_accuracy,
    released_similarity,
    same_literal,
    sequence_similarity,
    tokens,
)
from assay.suites.sgi.text.program import Program, parse_released, parse_text


def program(*steps: str) -> Program:
    """Steps written as `a = Mix(x="1", y=b)`."""
    found = parse_text("\n".join(steps))
    assert len(found.steps) == len(steps)
    return found


def counts(gold: Program, given: Program, literals: Any = NO_LITERALS) -> tuple[int, int, int]:
    found = parameter_accuracy(gold, given, literals)
    return found.right, found.total, found.extra


# ------------------------------------------------------------ the order of steps


def test_a_step_is_an_action_and_the_number_of_its_occurrence() -> None:
    steps = program('a = Mix(x="1")', 'b = Heat(x="1")', 'c = <mix>(x="1")', 'd = MIX(x="1")')
    assert tokens(steps) == [("mix", 0), ("heat", 0), ("mix", 1), ("mix", 2)]


def test_programs_of_no_step_or_one() -> None:
    one, other = [("a", 0)], [("b", 0)]
    assert sequence_similarity([], []) == 1.0
    assert sequence_similarity(one, []) == sequence_similarity([], one) == 0.0
    assert paper_similarity([], []) == (1.0, "")
    assert paper_similarity(one, one) == (1.0, "")
    assert paper_similarity(one, other) == (0.0, "undefined")
    assert released_similarity("", "") == 1.0


def test_programs_of_two_steps() -> None:
    there, back = [("a", 0), ("b", 0)], [("b", 0), ("a", 0)]
    assert paper_similarity(there, back) == (0.0, "")
    assert paper_similarity([("a", 0), ("a", 1)], [("a", 0), ("a", 1)]) == (0.0, "undefined")
    assert released_similarity("AB", "BA") == 0.0
    assert released_similarity("AB", "AB") == 1.0


# ------------------------------------------------------------ the parameters of steps


@pytest.mark.parametrize(
    ("right", "total", "extra", "objective", "paper"),
    [
        (0, 0, 0, 1.0, 1.0),
        (0, 0, 1, 0.0, 1.0),
        (0, 0, 2, 0.0, 1.0),
        (0, 1, 0, 0.0, 0.0),
        (1, 1, 1, 0.5, 1.0),
    ],
)
def test_shares_of_parameters(right: int, total: int, extra: int, objective: float, paper: float) -> None:
    found = Parameters(right, total, extra)
    assert (found.objective, found.paper) == (objective, paper)


def test_a_list_refers_element_by_element() -> None:
    steps = ['a = Weigh(mass="5 g")', 'b = Mix(parts=["water", a, c])', "c = Heat(what=b)"]
    found, valid = references(program(*steps))
    assert found == [{"mass": None}, {"parts": (None, 0, None)}, {"what": 1}]
    assert not valid  # the third element is an output, but of a later step
    assert references(program(steps[0], 'b = Mix(parts=["water", a])'))[1]


@pytest.mark.parametrize(
    ("gold", "given", "same"),
    [
        ('["5 g"]', '"5 g"', True),
        ('"5 g"', '["5 g"]', True),
        ('["5 g"]', '"6 g"', False),
        ("[w]", "w", True),
        ("w", "[w]", True),
        ("[w]", '"w2"', False),
        ('["5 g", "6 g"]', '"5 g"', False),
        ('"5 g"', '["5 g", "6 g"]', False),
        ('"5"', '["5", "6"]', False),
        ('["5", "6"]', '"5"', False),
        ('["5 g", "6 g"]', '["5 g", "6 g", "7 g"]', False),
        ('["5 g", "6 g", "7 g"]', '["5 g", "6 g"]', False),
        ('["5 g", w]', '["5 g", w]', True),
        ('["5 g", w]', '["5 g", "6 g"]', False),
        ('["5 g", "6 g"]', '["5 g", w]', False),
        ('["5 g", "6 g"]', '["6 g", "5 g"]', False),
    ],
)
def test_a_list_of_one_is_its_element_and_others_are_compared_in_order(
    gold: str, given: str, same: bool
) -> None:
    ours, theirs = (program("w = Wash()", f"m = Mix(of={value})") for value in (gold, given))
    assert counts(ours, theirs) == (int(same), 1, 0)


def test_a_reference_is_right_where_it_leads_to_the_aligned_step() -> None:
    gold = program("a = Weigh()", "b = Wash()", "c = Mix(of=a)")
    assert counts(gold, program("x = Weigh()", "y = Wash()", "z = Mix(of=x)")) == (1, 1, 0)
    assert counts(gold, program("x = Weigh()", "y = Wash()", "z = Mix(of=y)")) == (0, 1, 0)
    assert counts(gold, program("y = Wash()", "z = Mix(of=y)")) == (0, 1, 0)
    assert counts(gold, program("x = Weigh()", 'z = Mix(of="x of it")')) == (0, 1, 0)


def test_the_best_of_two_repeats_counts() -> None:
    gold = program('a = Mix(x="1")', 'b = Mix(x="2")')
    assert counts(gold, program('a = Mix(x="2")')) == (1, 2, 0)
    assert counts(program('a = Mix(x="2")'), gold) == (1, 1, 1)  # the other's parameter is one too many


def test_repeats_of_an_action_that_nobody_asked_for_are_extra() -> None:
    gold = program('a = Mix(x="1", y="2")')
    given = program('r = Rinse(x="1")', 's = Rinse(x="1")', 'a = Mix(x="1", y="3")')
    assert counts(gold, given) == (1, 2, 2)
    assert counts(given, gold) == (1, 4, 0)


def test_parameters_given_again_are_extra() -> None:
    gold = program('a = Mix(x="1")')
    given = parse_text('a = Mix(x="1", x="2", x="3", y="4")')
    assert counts(gold, given) == (1, 1, 3)


def test_another_alignment_counts_only_where_it_is_better() -> None:
    """In order of appearance the two references are right, by their parameters the two literals: no gain, and
    the `z` of the second repeat, asked for in the second alone, would be too many.
    """
    gold = program('a = Weigh(x="1")', 'b = Weigh(x="2", z="3")', "m = Mix(first=a, second=b)")
    given = program('a = Weigh(x="2")', 'b = Weigh(x="1", z="4")', "m = Mix(first=a, second=b)")
    assert counts(gold, given) == (2, 5, 0)


def test_references_between_repeats_are_followed_until_all_are_right() -> None:
    """Two chains of three, the second written first: literals tell the first repeats apart, they the next."""
    chains = [
        [f'{name}0 = Take(x="{name}")', f"{name}1 = Heat(of={name}0)", f"{name}2 = Wash(of={name}1)"]
        for name in "ab"
    ]
    gold, given = program(*chains[0], *chains[1]), program(*chains[1], *chains[0])
    assert counts(gold, given) == (6, 6, 0)


def test_one_right_parameter_counts_more_than_any_distance() -> None:
    """Of 41 repeats 40 are right in their order and 41 with those that stand 20 further on, in a ring."""
    gold = program(*(f'a{k} = Mix(x="{k}", y="{k}")' for k in range(41)))
    given = program(*(f'a{k} = Mix(x="{k or "none"}", y="{(k + 20) % 41}")' for k in range(41)))
    assert counts(gold, given) == (41, 82, 0)


def test_repeats_are_matched_by_weight_then_near_the_diagonal_then_the_first() -> None:
    """Against every way to match up to four with up to four."""
    draw = random.Random(4)
    for _ in range(150):
        ours, theirs = draw.randint(1, 4), draw.randint(1, 4)
        weights = [[draw.randint(0, 2) for _ in range(theirs)] for _ in range(ours)]

        def worth(pairs: Iterable[tuple[int, int]], weights: list[list[int]] = weights) -> tuple[Any, ...]:
            column = dict(pairs)
            near = -sum(abs(i - j) for i, j in column.items())
            first = [-column.get(i, len(weights[0])) for i in range(len(weights))]
            return sum(weights[i][j] for i, j in column.items()), near, first

        if ours <= theirs:
            ways = [list(enumerate(chosen)) for chosen in permutations(range(theirs), ours)]
        else:
            ways = [[(i, j) for j, i in enumerate(chosen)] for chosen in permutations(range(ours), theirs)]
        assert _assignment(weights) == sorted(max(ways, key=worth))


# ------------------------------------------------------------ literals


@pytest.mark.parametrize(
    ("gold", "given", "how", "same"),
    [
        ("5 g", "5000 mg", {}, True),
        ("5 g", "5.1 g", {}, False),
        ("100 g", "101 g", {"tolerance": 0.01}, True),
        ("100 g", "102 g", {"tolerance": 0.01}, False),
        ("100 g", "100.005 g", {}, False),
        ("5 g", "five grams", {}, False),
        ("2-4 degC", "2 degC to 4 degC", {}, True),
        ("2-4 degC", "2-5 degC", {}, False),
        ("2-4 degC", "1-4 degC", {}, False),
        ("2-4 degC", "2 degC", {}, False),
        ("100-200 g", "101-200 g", {"tolerance": 0.01}, True),
        ("100-200 g", "101.005-200 g", {"tolerance": 0.01}, False),  # of what is wanted
        ("100 g", "101.005 g", {"tolerance": 0.01}, False),
        ("2-4 degC", "2 degC to 4 degC", {"kind": "word"}, False),
        ("5 g", "5000 mg", {"kind": "quantity"}, True),
        ("5 g", "5000 mg", {"kind": "word"}, False),
        ("Room  Temperature", "room temperature", {}, True),
        ("water", "ethanol", {}, False),
        ("water", "H2O", {"aliases": ["h2o"]}, True),
        ("H2O", "water", {"aliases": ["h2o"]}, False),
        ("5 g", "one spoon", {"kind": "word", "aliases": ["One Spoon"]}, True),
    ],
)
def test_literals_by_value_by_both_ends_or_by_words(
    gold: str, given: str, how: Mapping[str, Any], same: bool
) -> None:
    assert same_literal(gold, given, how) is same
    ours, theirs = program(f'a = Mix(of="{gold}")'), program(f'a = Mix(of="{given}")')
    assert counts(ours, theirs, [{"of": how}]) == (int(same), 1, 0)


def test_each_element_has_its_own_comparison() -> None:
    gold, given = program('a = Mix(of=["5 g", "7 g"])'), program('a = Mix(of=["5000 mg", "8 g"])')
    assert counts(gold, given) == (0, 1, 0)
    assert counts(gold, program('a = Mix(of=["5000 mg", "7000 mg"])')) == (1, 1, 0)


# ------------------------------------------------------------ as released


RELEASED = """a = <Weigh>(
    mass="5 g",
)
b = <Weigh>(
    mass="6 g",
)
c = <Mix>(
    of=a,
)"""


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (("", ""), 1.0),
        (("5 g", "9 g"), 1.0),  # literals are never compared
        (("b = ", "a = "), 2 / 3),  # the name leads to its last step
        (("of=a", "of=b"), 2 / 3),
        (("of=a", "of=z"), 2 / 3),
        (('"6 g"', "a"), 2 / 3),  # a reference for a literal
        (("mass=", "weight="), 1 / 3),  # what a step in error makes has no role
        (("Mix", "Heat"), 2 / 3),
    ],
)
def test_positions_in_error_as_released(change: tuple[str, str], value: float) -> None:
    gold, given = parse_released(RELEASED), parse_released(RELEASED.replace(*change, 1))
    assert released_accuracy(gold, given) == pytest.approx(value)


def test_names_of_outputs_are_free_as_released() -> None:
    gold = parse_released(RELEASED)
    renamed = RELEASED.replace("a =", "x =").replace("b =", "y =").replace("of=a", "of=x")
    assert released_accuracy(gold, parse_released(renamed)) == 1.0
    assert released_accuracy(gold, parse_released(renamed.replace("of=x", "of=y"))) == pytest.approx(2 / 3)


def test_steps_left_out_or_added_are_in_error_as_released() -> None:
    gold, empty = parse_released(RELEASED), parse_released("")
    assert released_accuracy(gold, empty) == released_accuracy(empty, gold) == 0.0
    assert released_accuracy(empty, empty) == 0.0
    alone = parse_released(RELEASED.partition("b =")[0])
    assert released_accuracy(alone, alone) == 1.0
    shorter = parse_released(RELEASED.partition("c =")[0])
    assert released_accuracy(gold, shorter) == pytest.approx(2 / 3)
    assert released_accuracy(shorter, gold) == pytest.approx(2 / 3)
