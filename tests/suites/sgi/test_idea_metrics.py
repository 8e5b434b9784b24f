"""Every rule of the four dimensions of an idea by itself, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.errors import TableError
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.embedding import Vector


def alike(text: str) -> Vector:
    """An embedder to which all texts are the same."""
    return {0: 1.0}


def placed(places: Mapping[str, Vector]) -> ideas.Embedder:
    """An embedder that knows a few texts; the vectors need not have length one."""
    return lambda text: places[text]


# ------------------------------------------------------------ replies and cells


@pytest.mark.parametrize(
    ("reply", "found", "issues"),
    [
        ("no object at all", None, ("no_json",)),
        ('{"other": 1}', None, ("no_json",)),
        ('<answer>{"Idea": "a"}</answer> {"Idea": "b"}', {"Idea": "a"}, ()),
        ('{"Idea": "b"} <answer>see above</answer>', {"Idea": "b"}, ()),
        (
            '{"Idea": "a", "ImplementationSteps": ["collect", 5]}',
            {"Idea": "a", "ImplementationSteps": {"1": "collect", "2": "5"}},
            ("list_steps",),
        ),
    ],
)
def test_the_idea_of_a_reply(reply: str, found: Any, issues: tuple[str, ...]) -> None:
    assert ideas.parse(reply) == (found, issues)


def test_cells_hold_literals_or_json() -> None:
    assert ideas.literal({"a": 1}) == {"a": 1}
    assert ideas.literal("{'a': None}") == {"a": None}
    assert ideas.literal('{"a": null}') == {"a": None}
    with pytest.raises(TableError) as raised:
        ideas.literal("x" * 61)
    assert raised.value.message == f"a cell is neither a literal nor JSON: '{'x' * 60}'"
    assert raised.value.remedy == "mend that cell of the data"


# ------------------------------------------------------------ effectiveness


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("foundations", "found"),
        ("foundation", "found"),
        ("stations", "station"),  # without `ations` two letters are left
        ("filtering", "filter"),
        ("modes", "mode"),  # four letters are enough
        ("cars", "cars"),  # three are not
        ("energies", "energ"),
        ("model", "model"),
    ],
)
def test_stems(word: str, stem: str) -> None:
    assert ideas.stem(word) == stem


def test_keywords_in_other_forms_and_in_no_words_at_all() -> None:
    text = "We filtered the sparse samples of a field of stars"
    assert ideas.effectiveness(text, [["filtering"], ["dense"]]) == (5.0, "")
    assert ideas.effectiveness(text, [["dense", "sparse sampling"]]) == (10.0, "")
    assert ideas.effectiveness(text, [["..."], ["sparse"]]) == (5.0, "")
    assert ideas.effectiveness("An idea of its own", []) == (0.0, "")
    assert ideas.effectiveness("", [["sparse"]]) == (0.0, "")


@pytest.mark.parametrize(
    ("others", "value", "flag"),
    [(7, 10.0, ""), (6, 5.0, "stuffed")],  # three words of ten are 30 %, and only more is too much
)
def test_an_idea_of_keywords_is_stuffed(others: int, value: float, flag: str) -> None:
    idea = " ".join(["sparse prior field", *["word"] * others])
    keywords = [["sparse"], ["prior"], ["field"]]
    assert ideas.effectiveness(idea, keywords) == (value, flag)
    assert ideas.effectiveness(idea, keywords, guarded=False) == (10.0, flag)


def test_a_word_of_two_keywords_is_covered_once() -> None:
    """Two words of eight are covered: 25 %."""
    found = ideas.effectiveness("one two sparse prior five six seven eight", [["sparse prior"], ["prior"]])
    assert found == (10.0, "")


def test_a_sentence_near_a_keyword_says_it() -> None:
    """The first sentence has the cosine 0.6 with the first keyword, which is enough."""
    near, far = "we look at what is rare", "and at nothing else"
    embedder = placed({near: {0: 0.6, 1: 0.8}, far: {2: 1.0}, "sparse": {0: 1.0}, "dense": {3: 1.0}})
    idea = f"{near}. {far}."
    assert ideas.effectiveness(idea, [["sparse"], ["dense"]], embedder) == (5.0, "")
    assert ideas.effectiveness(idea, [["sparse"], ["dense"]]) == (0.0, "")
    assert ideas.effectiveness(
        idea, [["sparse"]], placed({near: {0: 0.59}, far: {}, "sparse": {0: 1.0}})
    ) == (
        0.0,
        "",
    )


@pytest.mark.parametrize(("cosine", "value"), [(-0.5, 0.0), (0.25, 2.5), (1.5, 10.0)])
def test_the_released_effectiveness_is_a_cosine_within_its_bounds(cosine: float, value: float) -> None:
    embedder = placed({"a, b": {0: 1.0}, "idea": {0: cosine}})
    assert ideas.released_effectiveness("idea", ["a", "b"], embedder) == value


# ------------------------------------------------------------ novelty, detailedness


def test_without_anything_to_compare_with_nothing_is_new() -> None:
    assert ideas.dissimilarity([]) == 0.0
    assert ideas.released_novelty([], [0.5]) == 2.5
    assert ideas.nearest_novelty("idea", []) == 0.0
    assert ideas.nearest_novelty("idea", [0.5, 0.75]) == 2.5
    assert ideas.nearest_novelty("...", [0.5]) == 0.0


def test_sentences_have_more_than_ten_characters_and_end_with_the_200th() -> None:
    ten, eleven = "abcdefghij", "abcdefghijk"
    assert ideas.sentences(f"{ten}. {eleven}! {ten}? {eleven} ") == [eleven, eleven]
    assert ideas.sentences(f"{eleven}." * 201) == [eleven] * 200


def test_the_likeness_of_sentences_is_that_of_their_pairs() -> None:
    one, two, three = "the first one", "the second one", "the third one"
    embedder = placed({one: {0: 1.0}, two: {0: 0.5}, three: {1: 1.0}})
    assert ideas.sentence_similarity(f"{one}. {two}. {three}.", embedder) == pytest.approx(0.5 / 3)
    assert ideas.sentence_similarity(f"{one}.", embedder) is None


@pytest.mark.parametrize(
    ("length", "penalty"),
    [(1, 2.99), (299, 0.01), (300, 0), (700, 0), (701, 0.01), (1700, 10), (1701, 10), (1800, 10), (9000, 10)],
)
def test_the_penalty_of_length(length: int, penalty: float) -> None:
    assert ideas.length_penalty(length, released=False) == pytest.approx(penalty)
    assert ideas.length_penalty(length, released=True) == pytest.approx(penalty)


def test_the_parts_of_an_idea_that_are_there() -> None:
    """As released a part counts unless it is null, though it be missing."""
    idea = {"Idea": None, "Dataset": " ", "ImplementationSteps": {}, "ExpectedOutcome": "less noise"}
    assert ideas.present(idea, released=True) == 5
    assert ideas.present(idea, released=False) == 1


# ------------------------------------------------------------ feasibility


def test_the_released_graph_needs_all_four_parts() -> None:
    steps, order = {"1": "collect", "2": "train"}, ["1-2"]
    assert ideas.released_graph(steps, order, steps, order) == 10.0
    for empty in (({}, order, steps, order), (steps, [], steps, order)):
        assert ideas.released_graph(*empty) == 0.0
    for wrong in ((steps, order, [], order), (steps, order, steps, "1-2"), (steps, order, {}, order)):
        assert ideas.released_graph(*wrong) == 0.0


STEPS = {str(k): "w" for k in range(1, 11)}


@pytest.mark.parametrize(
    ("gold", "given", "shared"),
    [
        (["10", "9", "8"], ["8-9", "9-10"], 1.0),  # numbers alone are a chain in their order
        (["10", "09", "9"], ["09", "9", "10"], 1.0),
        (["1", "1-2"], ["1-2"], 1.0),  # one edge makes it a list of edges
        (["11-2", "2-11", "1-2"], ["1-2"], 1.0),  # to and from steps that are there
        (["1-2-3", "1-2"], ["1-2"], 1.0),
        (["1"], ["1"], 0.0),  # a chain of one step has no edges
        (["1-2"], ["1-2", "2-3", "3-4"], 1 / 3),
    ],
)
def test_the_edges_as_released(gold: list[str], given: list[str], shared: float) -> None:
    assert ideas.released_graph(STEPS, gold, STEPS, given) == pytest.approx(6 * shared + 4)


def test_a_released_plan_without_edges_is_the_chain_of_its_sorted_ids() -> None:
    steps = {"a": "w", "c": "w", "b": "w"}
    assert ideas.released_graph(steps, ["first", "last"], steps, ["a-b", "b-c"]) == 10.0


def test_edges_are_between_two_steps_and_read_within_bounds() -> None:
    steps = {"1": "", "2": ""}
    assert ideas.edges_of(steps, ["1 - 2", "2->1", "1→2", "1-1"]) == [("1", "2"), ("2", "1")]
    assert ideas.edges_of({"2": ""}, ["1-2", "2-1"]) == []
    assert ideas.edges_of(steps, "1-2") == []
    assert ideas.edges_of(steps, ["none"] * 1999 + ["1-2"]) == [("1", "2")]
    assert ideas.edges_of(steps, ["none"] * 2000 + ["1-2"]) == []
    assert ideas.edges_of(steps, [" " * 77 + "1-2"]) == [("1", "2")]
    assert ideas.edges_of(steps, [" " * 78 + "1-2"]) == []


@pytest.mark.parametrize(
    ("edges", "kept"),
    [
        ([("10", "2"), ("2", "10")], [("2", "10")]),  # 2 comes before 10
        ([("3", "1"), ("2", "3"), ("1", "2")], [("1", "2"), ("2", "3")]),  # closed only by way of two others
        ([("a", "5"), ("5", "a")], [("5", "a")]),  # numbers come before names
        ([("1234567890", "0a"), ("0a", "1234567890")], [("0a", "1234567890")]),  # ten digits are a name
        ([("123456789", "0a"), ("0a", "123456789")], [("123456789", "0a")]),
        ([("1", "1"), ("1", "2")], [("1", "2")]),
    ],
)
def test_edges_that_close_a_cycle_go_in_the_order_of_ids(
    edges: list[ideas.Edge], kept: list[ideas.Edge]
) -> None:
    assert ideas.acyclic(edges) == (kept, True)
    assert ideas.acyclic(kept) == (kept, False)


def test_the_type_of_a_step_is_that_of_its_first_word_of_a_type() -> None:
    assert ideas.step_type("then we Collected and modelled it") == "acquire"
    assert ideas.step_type("proceed as planned") == ""


def graph(
    gold: Mapping[str, str],
    given: Mapping[str, str],
    gold_types: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    embedder: ideas.Embedder = alike,
    edges: str = "",
    order: str = "",
    slots: Mapping[str, Any] | None = None,
) -> float:
    """Its value with edges written as `1-2 2-3`."""
    expected = ideas.edges_of(gold, edges.split())
    found, flag = ideas.objective_graph(
        gold, expected, gold_types or {}, slots or {}, given, order.split(), types, embedder
    )
    assert flag == ""
    return found


def test_a_graph_without_steps_is_worth_nothing() -> None:
    for gold, given in (({}, {"1": "a"}), ({"1": "a"}, {}), ({}, {})):
        assert ideas.objective_graph(gold, [], {}, {}, given, []) == (0.0, "")


def test_at_most_two_hundred_steps_are_read() -> None:
    """All are alike to the one that is wanted: M = 1, so that node F1 is 2 / (n + 1)."""
    for count, read in ((200, 200), (201, 200), (300, 200)):
        given = {str(k): "w" for k in range(count)}
        assert graph({"1": "w"}, given) == pytest.approx(4 * 2 / (read + 1))


@pytest.mark.parametrize(
    ("cosine", "kind", "aligned"),
    [
        (0.5, "acquire", True),
        (0.1, "acquire", True),
        (0.09, "acquire", False),
        (0.5, "model", False),
        (0.5, "", False),
        (0.9, "model", True),
        (0.89, "model", False),
        (0.9, "", True),
    ],
)
def test_steps_are_aligned_by_type_or_by_their_words(cosine: float, kind: str, aligned: bool) -> None:
    embedder = placed({"want": {0: 1.0}, "have": {0: cosine}})
    found = graph({"1": "want"}, {"1": "have"}, {"1": "acquire"}, {"1": kind}, embedder)
    assert found == (4.0 if aligned else 0.0)


def test_a_step_without_a_declared_type_has_that_of_its_words() -> None:
    embedder = placed({"want": {0: 1.0}, "gather it": {0: 0.5}})
    assert graph({"1": "want"}, {"1": "gather it"}, {"1": "acquire"}, None, embedder) == 4.0
    assert graph({"1": "want"}, {"1": "gather it"}, {"1": "acquire"}, {"1": "model"}, embedder) == 0.0


def test_likeness_in_words_counts_as_much_as_the_type() -> None:
    # one step is wanted: 0.5 + 0.1 of the same type against 0.475 of another
    one = placed({"want": {0: 1.0}, "typed": {0: 0.2}, "near": {0: 0.95}})
    steps, types = {"1": "near", "2": "typed"}, {"1": "model", "2": "acquire"}
    # the wanted slot is in the text of the step of the same type
    found = graph({"1": "want"}, steps, {"1": "acquire"}, types, one, slots={"1": [["typed"]]})
    assert found == pytest.approx(4 * 2 / 3 + 2)
    # two are: 0.55 and 0 in their order, 0.475 and 0.45 crosswise, which aligns both
    two = placed({"a": {0: 1.0}, "b": {1: 1.0}, "c": {0: 0.1, 1: 0.9}, "d": {0: 0.95}})
    gold, given = {"1": "a", "2": "b"}, {"1": "c", "2": "d"}
    kinds = {"1": "acquire", "2": "model"}, {"1": "acquire", "2": "optimise"}
    assert graph(gold, given, *kinds, two) == 4.0


def test_steps_that_are_alike_are_aligned_in_the_order_of_ids() -> None:
    """2 comes before 10; and weights (0.5 + half the likeness) within the same millionth are the same."""
    steps = {"10": "w", "2": "w"}
    assert graph(steps, steps, edges="2-10", order="2-10") == pytest.approx(8)
    less, more = 0.2 - 8e-7, 0.2 + 9e-7
    near = placed({"a": {0: 1.0}, "b": {1: 1.0}, "c": {0: less, 1: more}, "d": {0: more, 1: less}})
    gold, given, types = {"1": "a", "2": "b"}, {"1": "c", "2": "d"}, {"1": "model", "2": "model"}
    assert graph(gold, given, types, types, near, "1-2", "1-2") == pytest.approx(8)


def test_edges_count_by_precision_and_recall() -> None:
    """Of two edges one is a path of the reference, which has three: F1 of 1/2 and 1/3 is 0.4."""
    steps = {str(k): str(k) for k in range(1, 5)}
    embedder = placed({str(k): {k: 1.0} for k in range(1, 5)})
    found = graph(steps, steps, embedder=embedder, edges="1-2 2-3 2-4", order="1-2 3-4")
    assert found == pytest.approx(4 + 4 * 0.4)


def test_a_cycle_is_flagged_and_its_last_edge_does_not_count() -> None:
    steps = {str(k): str(k) for k in range(1, 4)}
    embedder = placed({str(k): {k: 1.0} for k in range(1, 4)})
    edges = ideas.edges_of(steps, ["1-2", "2-3"])
    found = ideas.objective_graph(steps, edges, {}, {}, steps, ["1-2", "2-3", "3-1"], None, embedder)
    assert found == (pytest.approx(8), "cycle")


@pytest.mark.parametrize(
    ("text", "slot", "filled"),
    [
        ("with a width of 5 nm.", ["5 nm"], True),
        ("with a width of 0.005 um, then", ["5 nm"], True),
        ("with a width of 6 nm", ["5 nm"], False),
        ("with a width of 5 nmX", ["5 nm"], False),
        ("with a width of 5", ["5 nm"], False),
        ("in 5 rounds of 40 stars", ["40 stars"], True),
        ("in 1e2000 rounds of 40 stars", ["40 stars"], True),  # a number out of all proportion is passed over
        ("1000000.5 nm", ["1000000 nm"], True),
        ("1000001.0000005 nm", ["1000000 nm"], False),  # more than a millionth of what is wanted
        ("with 12", ["12"], True),
        ("with a sparse prior", ["5 nm", "Sparse Prior"], True),
        ("with a prior", ["sparse prior"], False),
        (" " * 4996 + "5 nm", ["5 nm"], True),
        (" " * 4997 + "5 nm", ["5 nm"], False),  # cut after 5000 characters
    ],
)
def test_slots_are_filled_by_quantities_or_words(text: str, slot: list[str], filled: bool) -> None:
    assert graph({"1": "w"}, {"1": text}, slots={"1": [slot]}) == pytest.approx(6 if filled else 4)


def test_half_the_slots() -> None:
    found = graph({"1": "w", "2": "v"}, {"1": "5 nm"}, slots={"1": [["5 nm"], ["7 nm"]], "2": [["9 nm"]]})
    assert found == pytest.approx(4 * 2 / 3 + 2 / 2)
