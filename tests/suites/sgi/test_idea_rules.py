"""The rules by which ideas are scored, one by one, each at its edges and worked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from assay.errors import TableError
from assay.suites.sgi.columns import idea_generation
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.embedding import Vector


def by_hand(vectors: Mapping[str, Vector]) -> Callable[[str], Vector]:
    """An embedder of these texts; every other has nothing in common with any."""
    return lambda text: vectors.get(text, {})


# ------------------------------------------------------------ replies and cells


@pytest.mark.parametrize(
    ("reply", "idea"),
    [
        ('{"Idea": "draft"} <answer>{"Idea": "final"}</answer> {"Idea": "afterthought"}', "final"),
        ('{"Idea": "draft"} <answer>as above</answer>', "draft"),
    ],
)
def test_the_tagged_idea_is_read_or_else_any(reply: str, idea: str) -> None:
    assert ideas.parse(reply) == ({"Idea": idea}, ())


def test_a_reply_without_an_idea() -> None:
    assert ideas.parse('no idea, {"Thought": "none"}') == (None, ("no_json",))


def test_a_list_of_steps_is_numbered_from_1() -> None:
    found, issues = ideas.parse('{"Idea": "i", "ImplementationSteps": ["collect", 7]}')
    assert found == {"Idea": "i", "ImplementationSteps": {"1": "collect", "2": "7"}}
    assert issues == ("list_steps",)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ({"1": "collect"}, {"1": "collect"}),
        ("{'1': None}", {"1": None}),
        ('{"1": null, "2": true}', {"1": None, "2": True}),
    ],
)
def test_a_cell_holds_a_value_or_a_literal_or_json(cell: Any, value: Any) -> None:
    assert ideas.literal(cell) == value


def test_a_cell_that_holds_neither() -> None:
    with pytest.raises(TableError) as caught:
        ideas.literal("{open " + "x" * 54 + "y")
    assert caught.value.message == f"a cell is neither a literal nor JSON: '{{open {'x' * 54}'"
    assert caught.value.remedy == "mend that cell of the data"


# ------------------------------------------------------------ effectiveness


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("simulations", "simul"),
        ("calibration", "calibr"),
        ("embeddings", "embedd"),
        ("testing", "test"),
        ("filtered", "filter"),
        ("searches", "search"),
        ("models", "model"),
        ("maps", "maps"),  # three letters would be left
        ("gas", "gas"),
        ("ings", "ings"),
        ("studies", "stud"),
        ("series", "seri"),  # `ies` would leave three letters, `es` leaves four
        ("spectrum", "spectrum"),
    ],
)
def test_a_stem_has_four_letters(word: str, left: str) -> None:
    assert ideas.stem(word) == left


TEN = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("idea", "keywords", "found"),
    [
        (TEN, [["three"], ["eleven"]], (5.0, "")),
        (TEN, [["three", "eleven"], ["twelve", "ten"]], (10.0, "")),
        (TEN, [["nine ten"]], (10.0, "")),
        (TEN, [["ten nine"]], (0.0, "")),
        (TEN, [["ten eleven"]], (0.0, "")),
        (TEN, [["?!", "..."]], (0.0, "")),
        (TEN, [], (0.0, "")),
        ("", [["three"]], (0.0, "")),
        # Three words of ten are not yet more than 30 %, four are.
        (TEN, [["one"], ["two"], ["three"]], (10.0, "")),
        (TEN, [["one"], ["two"], ["three"], ["four"]], (5.0, "stuffed")),
        # A word counts once, however many forms cover it: two of seven here.
        ("one two three four five six seven", [["four five"], ["five"], ["four"]], (10.0, "")),
    ],
)
def test_effectiveness(idea: str, keywords: list[list[str]], found: tuple[float, str]) -> None:
    assert ideas.effectiveness(idea, keywords) == found


def test_a_sentence_near_a_keyword_says_it_in_other_words() -> None:
    """At a cosine of 0.6, of any form with any sentence; without a semantic embedder never."""
    idea = "The lines are thinned out. Noise is left aside!"
    vectors = {
        "The lines are thinned out": {0: 0.6, 1: 0.8},
        "Noise is left aside": {2: 1.0},
        "sparse sampling": {0: 1.0},
        "undersampling": {3: 1.0},
        "denoising": {0: 0.8, 1: 0.13},  # 0.48 + 0.104
    }
    keywords = [["undersampling", "sparse sampling"], ["denoising"]]
    assert ideas.effectiveness(idea, keywords, by_hand(vectors)) == (5.0, "")
    assert ideas.effectiveness(idea, keywords) == (0.0, "")


@pytest.mark.parametrize(("cosine", "value"), [(-0.5, 0.0), (0.25, 2.5), (1.0, 10.0), (1.0 + 2**-52, 10.0)])
def test_released_effectiveness(cosine: float, value: float) -> None:
    """Of the keywords joined by commas; a cosine that rounding took beyond 1 is 1."""
    embedder = by_hand({"a prior, samples": {0: 1.0}, "the idea": {0: cosine}})
    assert ideas.released_effectiveness("the idea", ["a prior", "samples"], embedder) == value


# ------------------------------------------------------------ novelty and detailedness


def test_nothing_to_compare_with_is_nothing_new() -> None:
    assert ideas.dissimilarity([]) == 0
    assert ideas.nearest_novelty("an idea", []) == 0
    assert ideas.nearest_novelty("...", [0.5]) == 0


def test_sentences_of_more_than_ten_characters() -> None:
    assert ideas.sentences("Ten of her. Eleven here? A dozen. Short") == ["Eleven here"]
    assert ideas.sentences(" 1234567890 . 12345678901 。 next sentence ") == ["12345678901", "next sentence"]


def test_the_first_200_sentences() -> None:
    many = [f"sentence number {k}" for k in range(201)]
    assert ideas.sentences(". ".join(many)) == many[:200]


@pytest.mark.parametrize(
    ("length", "penalty"),
    [(1, 2.99), (299, 0.01), (300, 0), (301, 0), (700, 0), (701, 0.01), (1700, 10), (1750, 10), (9000, 10)],
)
def test_the_penalty_for_length(length: int, penalty: float) -> None:
    for released in (False, True):
        assert ideas.length_penalty(length, released) == pytest.approx(penalty, abs=1e-12)


def test_the_parts_that_are_there() -> None:
    """As released a missing part counts and one that is null does not; ours has to hold something."""
    idea: dict[str, Any] = {
        "Idea": " ",
        "ImplementationSteps": {},
        "Dataset": None,
        "ExpectedOutcome": "less noise",
    }
    assert ideas.present(idea, released=True) == 5
    assert ideas.present(idea, released=False) == 1


# ------------------------------------------------------------ the graph as released

WORD = {"1": "plan", "2": "plan", "10": "plan"}
"""Steps with the same words: their part is 4 of 10, and each edge shared of n makes 6 / n."""


@pytest.mark.parametrize(
    ("gold", "own", "edges_shared"),
    [
        # Ids alone are sorted as numbers and chained: 1-2, 2-10.
        (["1-2", "2-10"], ["10", "2", "1"], 1.0),
        (["1-2", "2-10"], ["010", "2", "1"], 1 / 3),
        # One that is no plain id makes edges of what is an edge: 1-2 alone of two.
        (["1-2", "2-10"], ["1-2", "10"], 1 / 2),
        # Both ends have to be there; three ends are none.
        (["1-2"], ["1-2", "9-2", "2-9", "1-2-10"], 1.0),
        # Without any edge the ids are chained as text: 1-10, 10-2.
        (["1-10", "10-2"], ["none"], 1.0),
        (["1-2"], ["2-1"], 0.0),
    ],
)
def test_released_edges(gold: list[str], own: list[str], edges_shared: float) -> None:
    found = ideas.graph_by_ids(WORD, gold, WORD, own)
    assert found == pytest.approx(6 * edges_shared + 4)


def test_ids_are_sorted_as_texts_as_released() -> None:
    """Ids alone: 1, 2, 10 by number make 1-2 and 2-10; as texts 1, 10, 2 make 1-10 and 10-2."""
    for gold, released in ((["1-2", "2-10"], False), (["1-10", "10-2"], True)):
        assert ideas.graph_by_ids(WORD, gold, WORD, ["10", "2", "1"], released) == pytest.approx(10)


def test_graphs_without_any_edge_share_none() -> None:
    single = ({"1": "plan"}, ["1"])
    assert ideas.graph_by_ids(*single, *single) == pytest.approx(4)
    assert ideas.graph_by_ids(*single, *single, released=True) == 0


@pytest.mark.parametrize(
    ("gold", "gold_order", "own", "order"),
    [
        (WORD, [], WORD, ["1-2"]),
        ({}, ["1-2"], WORD, ["1-2"]),
        (WORD, ["1-2"], {}, ["1-2"]),
        (WORD, ["1-2"], WORD, []),
        (WORD, ["1-2"], ["plan"], ["1-2"]),
        (WORD, ["1-2"], WORD, "1-2"),
    ],
)
def test_a_side_without_steps_or_order(gold: Any, gold_order: Any, own: Any, order: Any) -> None:
    assert ideas.graph_by_ids(gold, gold_order, own, order) == 0.0


# ------------------------------------------------------------ edges and their order


def test_edges_join_two_steps_that_there_are() -> None:
    order = [" 1 - 2 ", "1->10", "2→10", "1-2", "1-1", "9-1", "1-9", "1-2-10", "1", 12]
    assert ideas.edges_of(WORD, order) == [("1", "2"), ("1", "10"), ("2", "10")]
    assert ideas.edges_of(WORD, "1-2") == []


def test_so_much_of_an_order_is_read() -> None:
    """2000 edges, and 80 characters of each."""
    assert ideas.edges_of(WORD, ["1-2"] * 1999 + ["1-10", "2-10"]) == [("1", "2"), ("1", "10")]
    assert ideas.edges_of(WORD, ["1-2" + " " * 77 + "and more"]) == [("1", "2")]
    assert ideas.edges_of(WORD, ["1-2" + " " * 76 + "and more"]) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2", "10"),
        ("02", "3"),
        ("2", "a"),
        ("10", "a"),
        ("a", "b"),
        ("10", "2b"),
        ("999999999", "0000000002"),  # from ten digits on it is a name
    ],
)
def test_of_two_opposite_edges_the_one_from_the_lower_id_is_kept(first: str, second: str) -> None:
    """Numbers by their value, then names."""
    edges = [(second, first), (first, second)]
    assert ideas.acyclic(edges) == ([(first, second)], True)


def test_a_longer_cycle_is_broken_at_its_last_edge() -> None:
    for length in (3, 4, 5):
        chain = [(str(k), str(k + 1)) for k in range(1, length)]
        closing = (str(length), "1")
        assert ideas.acyclic([closing, *reversed(chain)]) == (chain, True)
    assert ideas.acyclic([("1", "2"), ("2", "3"), ("1", "3")])[1] is False


# ------------------------------------------------------------ the graph of the objective profile


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("First, training of a net", "model"),
        ("then test what was trained", "validate"),
        ("proceed as planned", ""),
        ("", ""),
    ],
)
def test_the_type_of_a_step(text: str, kind: str) -> None:
    assert ideas.step_type(text) == kind


def graph(
    gold: Mapping[str, str],
    own: Mapping[str, str],
    vectors: Mapping[str, Vector] | None = None,
    *,
    gold_edges: Sequence[tuple[str, str]] = (),
    order: Sequence[str] = (),
    gold_types: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    slots: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> tuple[float, str]:
    """The score with vectors by hand; by default two steps are as near as they are the same text."""
    texts = sorted({*gold.values(), *own.values()})
    told = {text: {at: 1.0} for at, text in enumerate(texts)} if vectors is None else vectors
    return ideas.objective_graph(
        gold, gold_edges, gold_types or {}, slots or {}, own, list(order), types, by_hand(told)
    )


@pytest.mark.parametrize(
    ("cosine", "kind", "aligned"),
    [
        (0.1, "model", True),
        (0.0999, "model", False),
        (0.2, "model", True),
        (0.2, "validate", False),
        (0.2, "", False),
        (0.9, "validate", True),
        (0.8999, "validate", False),
        (0.95, "", True),
    ],
)
def test_steps_that_are_aligned(cosine: float, kind: str, aligned: bool) -> None:
    """Of the same type from a cosine of 0.1 on, of another from 0.9 on; steps then make 4 of 10."""
    vectors = {"gold": {0: 1.0}, "own": {0: cosine}}
    found = graph({"1": "gold"}, {"1": "own"}, vectors, gold_types={"1": "model"}, types={"1": kind})
    assert found == pytest.approx((4.0 if aligned else 0.0, ""))


@pytest.mark.parametrize(
    ("text", "types", "aligned"),
    [
        ("train it", None, True),
        ("train it", {}, True),
        ("test it", None, False),
        ("test it", {"1": "model"}, True),
        ("proceed", {"1": "model"}, True),
        ("proceed", None, False),
        ("train it", {"1": "validate"}, False),
    ],
)
def test_a_stated_type_goes_before_the_word_that_names_one(
    text: str, types: dict[str, str] | None, aligned: bool
) -> None:
    vectors = {"gold": {0: 1.0}, text: {0: 0.5}}
    found = graph({"1": "gold"}, {"1": text}, vectors, gold_types={"1": "model"}, types=types)
    assert found == pytest.approx((4.0 if aligned else 0.0, ""))


def test_a_type_counts_as_much_as_a_whole_cosine() -> None:
    """0.5 + 0.1 of the same type is more than 0.475 of another; the slot shows which step was taken."""
    vectors = {"gold": {0: 1.0}, "alike 7": {0: 0.2}, "near": {0: 0.95}}
    own, types = {"1": "near", "2": "alike 7"}, {"1": "validate", "2": "model"}
    found = graph({"1": "gold"}, own, vectors, gold_types={"1": "model"}, types=types, slots={"1": [["7"]]})
    assert found == pytest.approx((4 * 2 / 3 + 2, ""))


def test_a_type_counts_no_more_than_that() -> None:
    """Two pairs of 0.45 each are more than one of the same type with nothing in common."""
    vectors = {"a": {0: 1.0}, "b": {1: 1.0}, "near a": {0: 0.9}, "near b": {1: 0.9}}
    found = graph(
        {"1": "a", "2": "b"},
        {"1": "near a", "2": "near b"},
        vectors,
        gold_types={"1": "model", "2": "validate"},
        types={"1": "ablate", "2": "model"},
    )
    assert found == pytest.approx((4.0, ""))


@pytest.mark.parametrize("cosine", [0.5, 0.4999992])
def test_of_own_steps_that_are_alike_the_first_by_id_is_taken(cosine: float) -> None:
    """Weights are whole millionths, so that the last bits of a cosine decide nothing."""
    vectors = {"gold": {0: 1.0}, "take 7": {0: cosine}, "take 8": {0: 0.5}}
    own = {"10": "take 8", "2": "take 7"}
    found = graph(
        {"1": "gold"},
        own,
        vectors,
        gold_types={"1": "model"},
        types=dict.fromkeys(own, "model"),
        slots={"1": [["7"]]},
    )
    assert found == pytest.approx((4 * 2 / 3 + 2, ""))


def test_of_reference_steps_that_are_alike_the_first_by_id_is_taken() -> None:
    slots = {"2": [["7"]], "10": [["8"]]}
    found = graph({"10": "take 7", "2": "take 7"}, {"1": "take 7"}, slots=slots)
    assert found == pytest.approx((4 * 2 / 3 + 2, ""))


def test_200_steps_are_read() -> None:
    own = {"1": "collect"} | {str(k): f"and {k}" for k in range(2, 202)}
    assert len(own) == 201
    assert graph({"1": "collect"}, own) == pytest.approx((4 * 2 / (200 + 1), ""))


def test_a_side_without_steps_is_worth_nothing() -> None:
    own = {"1": "collect", "2": "train"}
    assert graph({}, own, order=["1-2", "2-1"]) == (0.0, "")
    assert graph(own, {}, order=["1-2", "2-1"]) == (0.0, "")


FOUR = {"1": "collect", "2": "train", "3": "test", "4": "report"}


def test_precision_and_recall_of_edges() -> None:
    """One edge of two is right and one of four is found: F1 is 2 / 2 / 4 / (3 / 4) = 1 / 3."""
    gold_edges = [("1", "2"), ("1", "3"), ("1", "4"), ("2", "4")]
    found = graph(FOUR, FOUR, gold_edges=gold_edges, order=["1-2", "3-4"])
    assert found == pytest.approx((4 + 4 / 3, ""))


def test_a_cycle_is_told() -> None:
    """What closes it is dropped: 1-2 alone is left."""
    found = graph(FOUR, FOUR, gold_edges=[("1", "2")], order=["2-1", "1-2"])
    assert found == pytest.approx((8.0, "cycle"))


# ------------------------------------------------------------ slots


def filled(text: str, *slots: Sequence[str]) -> float:
    """The share of slots of a single step that are filled."""
    score, _ = graph({"1": text}, {"1": text}, slots={"1": list(slots)})
    return (score - 4) / 2


@pytest.mark.parametrize(
    ("text", "form", "is_filled"),
    [
        ("a width of 5 nm", "5 nm", True),
        ("a width of 0.005 um", "5 nm", True),
        ("a width of 5 um", "5 nm", False),
        ("a width of 7 nm", "5 nm", False),
        ("a width of 5", "5 nm", False),
        ("no width", "5 nm", False),
        # The full stop belongs to the sentence, the last letter to the unit.
        ("a width of 5 nm.", "5 nm", True),
        ("light of 300 LUX.", "300 LUX", True),
        ("in rounds of 40", "40", True),
        # Within a millionth of what the slot asks for.
        ("take 1.0000009", "1", True),
        ("take 1.0000010000005", "1", False),
        ("spectra of stars", "of stars", True),
        ("spectra of stars", "stars of", False),
    ],
)
def test_a_slot_is_a_quantity_or_words(text: str, form: str, is_filled: bool) -> None:
    assert filled(text, [form]) == pytest.approx(float(is_filled))


def test_any_form_fills_a_slot() -> None:
    text = "spectra of stars, 40"
    assert filled(text, ["moons", "41", "40"], ["planets", "39"]) == pytest.approx(1 / 2)


def test_quantities_are_sought_in_5000_characters() -> None:
    for fill, is_filled in ((4997, True), (4998, False), (4999, False)):
        text = "a" * fill + " 40"  # as many characters before the number, and one
        assert filled(text, ["40"]) == pytest.approx(float(is_filled))


# ------------------------------------------------------------ whole replies

ROW: dict[str, Any] = {
    "keywords": ["prior", "sampling"],
    "related_work": {"A": "known"},
    "existing_solutions": ["solved", "patched"],
    "related_work_test": {"D": "hidden"},
    "implementation_steps": {"1": "collect", "2": "train"},
    "implementation_order": ["1-2"],
}
REPLY: dict[str, Any] = {
    "Idea": TEN,
    "ImplementationSteps": {"1": "collect", "2": "train"},
    "ImplementationOrder": ["1-2"],
    "Dataset": "a survey",
    "EvaluationMetrics": {"error": "relative"},
    "ExpectedOutcome": "less noise",
}


class Recorder:
    """An embedder that keeps what it is asked: cosines with the idea by text, 0 for every other."""

    def __init__(self, cosines: Mapping[str, float] | None = None) -> None:
        self.asked: list[str] = []
        self._cosines = cosines or {}

    def named(self, semantic: bool = False) -> NamedEmbedder:
        return NamedEmbedder("by-hand", self, semantic)

    def __call__(self, text: str) -> Vector:
        self.asked.append(text)
        return {0: 1.0} if text == TEN else {0: self._cosines.get(text, 0.0)}


def told(
    row: Mapping[str, Any],
    reply: Mapping[str, Any] | str,
    profile: Profile = "objective",
    embedder: NamedEmbedder | None = None,
) -> dict[str, Value]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    given = Recorder().named() if embedder is None else embedder
    return {value.metric: value for value in idea_generation.score(row, text, profile, given)}


def test_a_reply_without_an_idea_has_nothing() -> None:
    found = told(ROW, "no idea")
    assert {metric for metric, value in found.items() if value.value != 0.0} == set()
    assert {value.label for value in found.values()} == {"by-hand, no_json"}
    assert set(found) == {"headline", "novelty_nn", *(f"{name}_objective" for name in ideas.DIMENSIONS)}


def test_an_idea_that_is_no_text_is_empty() -> None:
    """Completeness 6 of 6, nothing said twice, and the whole penalty for length: 2 + 4 + 0."""
    found = told(ROW, {**REPLY, "Idea": ["a list"]})
    assert found["detailedness_objective"].value == pytest.approx(0.6)
    assert found["novelty_objective"].value == 0


def test_an_idea_is_read_up_to_50_000_characters() -> None:
    recorder = Recorder()
    told(ROW, {**REPLY, "Idea": "a" * 50_000 + "b"}, embedder=recorder.named())
    assert max(recorder.asked, key=len) == "a" * 50_000


def test_the_texts_of_every_kind_of_cell() -> None:
    """Known work by its values, whatever holds it; hidden work with its names. Half of 10 words / 20."""
    cosines = {"known": 0.3, "solved": 0.2, "patched": 0.7, "D: hidden": 0.5}  # means 0.4 and 0.5
    for kind in (lambda cell: cell, repr, json.dumps):
        row = {name: kind(cell) if isinstance(cell, dict | list) else cell for name, cell in ROW.items()}
        row |= {name: ROW[name] for name in ("keywords", "implementation_order")}
        found = told(row, REPLY, embedder=Recorder(cosines).named())
        assert found["novelty_objective"].value == pytest.approx((0.6 + 0.5) / 2 / 2)
        assert found["novelty_nn"].value == pytest.approx(0.3)


def test_a_cell_of_one_text() -> None:
    row = {**ROW, "related_work": "'known'", "existing_solutions": ""}
    found = told(row, REPLY, embedder=Recorder({"known": 0.2}).named())
    assert found["novelty_objective"].value == pytest.approx((0.8 + 1) / 2 / 2)


def test_synonyms_stand_for_keywords_where_there_are_any() -> None:
    idea = {**REPLY, "Idea": "A prior on the few rows that a budget of time has left us."}
    assert told(ROW, idea)["effectiveness_objective"].value == 0.5
    row = {**ROW, "x_synonyms": [["prior"], ["sampling", "few rows"]]}
    assert told(row, idea)["effectiveness_objective"].value == 1.0
    assert told({**row, "x_synonyms": [["posterior"]]}, idea)["effectiveness_objective"].value == 0.0


def test_only_a_semantic_embedder_finds_keywords_in_other_words() -> None:
    recorder = Recorder({"prior": 0.7, "sampling": 0.5})
    by_meaning, by_words = (
        told(ROW, REPLY, embedder=recorder.named(semantic))["effectiveness_objective"].value
        for semantic in (True, False)
    )
    assert (by_meaning, by_words) == (0.5, 0.0)


def test_the_labels_say_which_graph_was_compared() -> None:
    types = {"x_step_types": {"1": "acquire", "2": "model"}}
    cyclic = {**REPLY, "ImplementationOrder": ["1-2", "2-1"]}
    for row, reply, profile, label in (
        (ROW, REPLY, "objective", "by-hand, graph as released"),
        (ROW, REPLY, "paper", "by-hand, graph as released"),
        (ROW, REPLY, "released", "by-hand"),
        (ROW | types, REPLY, "objective", "by-hand"),
        (ROW | types, cyclic, "objective", "by-hand, cycle"),
        (ROW | types, cyclic, "released", "by-hand"),
    ):
        assert told(row, reply, profile)["feasibility_objective"].label == label  # type: ignore[arg-type]


def test_stated_types_of_steps_are_used() -> None:
    """Texts with a cosine of 0.25 are aligned by their type alone: steps and edges make 8 of 10."""
    row = {**ROW, "x_step_types": {"1": "acquire", "2": "model"}}
    steps = {"1": "go out", "2": "sit down"}
    cosines = {"collect": 0.5, "train": 0.5, "go out": 0.5, "sit down": 0.5}
    for types, value in (
        ({"1": "acquire", "2": "model"}, 0.8),
        ({"1": "ablate", "2": "analyse"}, 0.0),
        (["acquire", "model"], 0.0),
    ):
        reply = {**REPLY, "ImplementationSteps": steps, "StepTypes": types}
        found = told(row, reply, embedder=Recorder(cosines).named())
        assert found["feasibility_objective"].value == pytest.approx(value)


def test_votes_of_judges_are_no_part_of_the_scores() -> None:
    for profile in ("paper", "released"):
        found = told(ROW, REPLY, profile)["headline"]  # type: ignore[arg-type]
        assert (found.value, found.label) == (None, "needs a judge")
