"""Whole replies under every profile: the hand-checked numbers of the columns that have no generator yet."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest

from assay.suites.sgi.columns import column, dry_experiment, idea_generation
from assay.suites.sgi.columns.deep_research import fallen_into
from assay.suites.sgi.columns.profiles import Value
from assay.suites.sgi.dry.patching import patch
from assay.suites.sgi.dry.runs import Patched, Run, answered_code
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.standings import interval
from assay.suites.sgi.text.quantities import quantity


def scores(family: Family, item: Any, reply: str, profile: Any = "objective") -> Any:
    return {value.metric: value for value in column.score(family, item, reply, profile)}


# ------------------------------------------------------------ deep research

GOLD_STEPS = [
    {"id": 1, "kind": "find", "doc_id": "d1"},
    {"id": 2, "kind": "read", "doc_id": "d1", "value": "4.70", "unit": "kOhm"},
    {"id": 3, "kind": "read", "doc_id": "d2", "value": "0.22", "unit": "uF"},
    {"id": 4, "kind": "compute", "value": "1034.00", "unit": "us"},
]
CIRCUIT = {"answer": "1034.00", "x_response": [{"kind": "number", "unit": "us"}], "x_steps": GOLD_STEPS}

RIGHT_STEPS = [
    {"kind": "find", "source": "d1"},
    {"kind": "read", "source": "d2", "value": "0.22"},
    {"kind": "compute", "value": "1.034", "unit": "ms"},
]
WRONG_STEPS = [
    {"kind": "read", "source": "d3", "value": "4.70"},
    {"kind": "compute", "value": "1034", "unit": "s"},
]


def test_the_worked_time_constant() -> None:
    found = [quantity(text) for text in ("4.7 kOhm", "0.22 uF", "1034 us")]
    (_, ohm), (_, farad), (_, second) = (one.base() for one in found if one is not None)  # type: ignore[misc]
    assert ohm * farad == second
    value = scores("deep_research", CIRCUIT, "<answer>1034.0 µs</answer>")
    assert (value["headline"].value, value["em_strict"].value) == (1, 0)


def test_the_worked_pooling() -> None:
    cells = [(Fraction("4.20"), "0.10"), (Fraction("4.50"), "0.20"), (Fraction("4.05"), "0.05")]
    weights = [1 / Fraction(error) ** 2 for _, error in cells]
    assert weights == [100, 25, 400]
    pooled = sum(w * value for w, (value, _) in zip(weights, cells, strict=True)) / sum(weights)
    error = 1 / math.sqrt(sum(weights))
    item = {"answer": "4.1000, 0.04364", "x_response": [{"kind": "number"}] * 2}
    given = f"<answer>{float(pooled):.6f}, {error:.6f}</answer>"
    assert scores("deep_research", item, given)["headline"].value == 1
    mean = math.fsum(float(value) for value, _ in cells) / 3  # forgets the weights
    assert scores("deep_research", item, f"<answer>{mean:.4f}, {error:.5f}</answer>")["headline"].value == 0


def test_steps_as_records() -> None:
    reply = json.dumps({"steps": RIGHT_STEPS + WRONG_STEPS, "answer": "1034.00"})
    found = scores("deep_research", CIRCUIT, reply)
    assert found["headline"].value == 1  # there is no tag, so the answer of the JSON block counts
    assert [found[m].value for m in ("sla", "sla_precision", "sla_recall")] == [0.6, 0.6, 0.75]
    one = scores("deep_research", CIRCUIT, json.dumps({"steps": RIGHT_STEPS[:1]}))
    assert [one[m].value for m in ("sla", "sla_precision")] == [0.25, 1.0]
    assert scores("deep_research", CIRCUIT, "<answer>1034</answer>")["sla"].value == 0


@pytest.mark.parametrize(
    ("profile", "reply", "right"),
    [
        ("objective", "<answer>a</answer> then <answer>b", 1),
        ("paper", "<answer>a</answer> then <answer>b", 1),
        ("released", "<answer>a</answer> then <answer>b", 0),
        ("objective", '{"answer": "a"}', 1),
        ("released", '{"answer": "a"}', 0),
        ("released", "<answer>b</answer> then <answer>a</answer>", 1),
        ("released", "<answer>b</answer> then <answer>a", 0),
        ("released", "<answer>a", 0),
        ("objective", "<answer>a", 1),
        ("released", "a", 1),
        ("objective", '<answer>b</answer> {"answer": "a"}', 0),
    ],
)
def test_where_the_answer_stands(profile: str, reply: str, right: int) -> None:
    assert scores("deep_research", {"answer": "a"}, reply, profile)["headline"].value == right


def test_without_structured_steps_there_is_no_sla() -> None:
    found = list(column.score("deep_research", {"answer": "a"}, "<answer>a</answer>"))
    assert found == [
        Value("headline", 1.0),
        Value("em_strict", 1.0),
        Value("sla", None, "no structured reference"),
    ]


TRAPPED = {
    "answer": "7.0",
    "x_response": [{"kind": "number", "unit": "us"}],
    "x_traps": [
        {"answer": None, "label": "alias"},
        {"answer": "4.1", "label": "unit"},
        {"answer": "5.13", "label": "rounding"},
    ],
}


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("<answer>4.13 us</answer>", "trap unit"),  # rounds to the trap, in the unit that is asked for
        ("<answer>5.1</answer>", ""),  # is coarser than the trap
        ("<answer>4.1", "unclosed, trap unit"),
        ("<answer>7 us</answer>", ""),
        ("7", "no_tag"),
    ],
)
def test_the_label_of_an_answer(reply: str, label: str) -> None:
    assert scores("deep_research", TRAPPED, reply)["headline"].label == label


def test_a_trap_explains_or_nothing_does() -> None:
    assert fallen_into(TRAPPED, "4.1") == "unit"
    assert fallen_into(TRAPPED, "9") == fallen_into({"answer": "7"}, "4.1") == ""


# ------------------------------------------------------------ dry experiments

CODE = {
    "incomplete_main_code": "def f():\n    pass\n",
    "incomplete_functions": ["f"],
    **{f"unit_test_{k}_output": f"loss {100 * k}" for k in range(5)},
}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """What the five tests of `CODE` do, in place of a sandbox, where the reply is `filled`."""
    found: list[Run] = []

    def patched(incomplete: str, names: tuple[str, ...], reply: str, released: bool) -> Patched:
        assert (incomplete, names) == (CODE["incomplete_main_code"], ("f",))
        return Patched("code", () if reply == "filled" else names, (), "")

    def run_tests(item: Any, code: str) -> list[Run]:
        assert (item, code) == (CODE, "code")
        return found

    monkeypatch.setattr(dry_experiment, "patched", patched)
    monkeypatch.setattr(dry_experiment, "run_tests", run_tests)
    return found


def test_the_time_of_an_item_is_that_of_its_clean_runs(runs: list[Run]) -> None:
    runs += [Run(True, "", "", seconds=1.0), Run(True, "", "", seconds=2.0), Run(True, "", "", seconds=6.0)]
    runs += [Run(False, "", "", seconds=30.0), Run(False, "", "", started=False)]
    assert dry_experiment.mean_seconds(CODE, "filled") == 3.0
    assert dry_experiment.mean_seconds(CODE, "empty") is None


def test_texts_that_are_compared_without_a_declaration(runs: list[Run]) -> None:
    """A loss may be off by 2 % of what is expected: 98 for 100, 204 for 200, but not 307 for 300."""
    runs += [Run(True, text, "") for text in ("loss 0", "loss 98", "loss 204", "loss 307")]
    runs += [Run(False, "loss 400", "")]
    found = scores("dry_experiment", CODE, "filled")
    assert {name: value.value for name, value in found.items()} == {
        "pass_all_1": 1,
        "pass_all_3": 1,
        "pass_all_5": 0,
        "headline": 0,
        "tests_passed": 0.6,
        "ser": 0.8,
    }
    assert {value.label for value in found.values()} == {"text_fallback"}
    assert {value.label for value in scores("dry_experiment", CODE, "empty").values()} == {"unfilled"}
    with_rule = {**CODE, "x_compare": {}}
    assert {value.label for value in scores("dry_experiment", with_rule, "empty", "paper").values()} == {
        "unfilled"
    }


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (Run(True, "loss 100", ""), True),
        (Run(False, "loss 100", ""), True),  # whatever the exit code
        (Run(True, "100", "loss"), None),  # a line break is another text
        (Run(True, "", "loss 100"), True),
        (Run(False, "loss 98", ""), False),
        (Run(True, "loss 98", ""), None),
        (Run(False, "loss 100", "", started=False), False),
    ],
)
def test_the_released_verdict_of_a_test(run: Run, verdict: bool | None) -> None:
    """Equal text passes; a clean run with another text is left to a judge."""
    assert dry_experiment.released_verdict(CODE, 1, run) is verdict


def test_open_holes_are_run_as_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program whose holes are still open may end by itself; what it prints is left to a judge."""
    left = Patched("program", ("f",), ("f",), "syntax")
    monkeypatch.setattr(dry_experiment, "patched", lambda *_: left)
    monkeypatch.setattr(dry_experiment, "run_tests", lambda *_: [Run(True, "other", "")] * 5)
    assert scores("dry_experiment", CODE, "words")["ser"].value == 0
    assert scores("dry_experiment", CODE, "words", "released")["ser"].value == 1
    assert scores("dry_experiment", CODE, " ", "released")["ser"].value == 0


HOLE = "import functools\n\n\ndef f(x):\n    pass\n"


@pytest.mark.parametrize(
    ("answer", "ours", "theirs"),
    [
        ("def f(x):\n    return x\n", "    return x", "    return x"),
        ("def f(x):\n\treturn '\t'\n", "    return '    '", "\treturn '\t'"),
        ("@functools.cache\ndef f(x):\n    return x\n", "@functools.cache", ""),
        ("def f(x):\n\tif x:\n        return x\n", "        return x", "    pass"),
    ],
)
def test_functions_as_released(answer: str, ours: str, theirs: str) -> None:
    """Decorators are dropped and tabs stay, so that tabs beside blanks are no Python."""
    for released, expected in ((False, ours), (True, theirs)):
        code = str(patch(HOLE, ["f"], answer, released)["code"])
        assert expected in code
        assert ("@" in code) == ("@" in answer and not released)


def test_fences_as_released() -> None:
    """A fence around the functions is taken off; one within a function is a part of it."""
    function = 'def f(x):\n    """As in\n    ```\n    f(1)\n    ```\n    """\n    return x'
    fenced = f"<answer>\n```python\n{function}\n```\n</answer>"
    assert answered_code(fenced, released=True) == function
    assert answered_code(f"<answer>{function}</answer>", released=True) == function
    assert answered_code(f"<answer>{function}</answer>") == "    f(1)"


# ------------------------------------------------------------ ideas

IDEA = {
    "keywords": ["spectral prior", "sparse sampling"],
    "related_work": repr({"A": "a known way to take few samples", "B": "a prior on spectra"}),
    "existing_solutions": repr({"C": "denser samples"}),
    "related_work_test": repr({"D": "learned sampling"}),
    "implementation_steps": repr({"1": "collect data", "2": "train model", "3": "evaluate"}),
    "implementation_order": ["1-2", "1-3", "2-3"],
}
GIVEN = {
    "Idea": "We join a spectral prior with sparse sampling of the field. " * 8,
    "ImplementationSteps": {"1": "collect samples", "2": "train model", "3": "validate"},
    "ImplementationOrder": ["1-2", "2-3"],
    "Dataset": "a survey",
    "EvaluationMetrics": {"error": "relative"},
    "ExpectedOutcome": "less noise",
}


def test_the_graph_of_a_whole_reply() -> None:
    found = scores("idea_generation", IDEA, json.dumps(GIVEN), "released")
    assert 100 * found["feasibility_objective"].value == pytest.approx(57.142857)
    assert found["headline"].value is None


@pytest.mark.parametrize(("profile", "value"), [("released", 10.0), ("objective", 5.666666667)])
def test_an_empty_idea(profile: str, value: float) -> None:
    found = scores("idea_generation", IDEA, json.dumps({**GIVEN, "Idea": ""}), profile)
    assert 10 * found["detailedness_objective"].value == pytest.approx(value)
    if profile == "objective":
        assert (found["novelty_objective"].value, found["novelty_nn"].value) == (0, 0)


def test_novelty_of_two_corpora() -> None:
    shadows = {"idea": (1.0, 0.0), "known": (0.42, 0.0), "hidden": (0.36, 0.0)}

    def embed(text: str) -> Any:
        return dict(enumerate(shadows[text]))

    known, hidden = (ideas.cosines("idea", [text], embed) for text in ("known", "hidden"))
    assert 10 * ideas.released_novelty(known, hidden) == pytest.approx(61.0)
    assert 10 * ideas.novelty("ten words " * 10, known, hidden) == pytest.approx(61.0)
    assert 10 * ideas.novelty("ten words " * 5, known, hidden) == pytest.approx(30.5)
    assert ideas.nearest_novelty("idea", [*known, *hidden]) == pytest.approx(5.8)


def test_a_copied_idea_is_not_new() -> None:
    copied = {**GIVEN, "Idea": "a known way to take few samples"}
    found, own = (scores("idea_generation", IDEA, json.dumps(given)) for given in (copied, GIVEN))
    assert found["novelty_nn"].value == pytest.approx(0, abs=1e-9)
    assert found["novelty_objective"].value < own["novelty_objective"].value


def test_the_worked_item(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = dict(zip(ideas.DIMENSIONS, (8.0, 6.1, 9.56, 5.7142857), strict=True))
    monkeypatch.setattr(idea_generation, "objective_parts", lambda *_: (parts, 0.0, ""))
    assert 100 * scores("idea_generation", IDEA, "")["headline"].value == pytest.approx(73.435714, abs=1e-6)
    for profile in ("paper", "released"):
        found = scores("idea_generation", IDEA, "", profile)["headline"]
        assert (found.value, found.label) == (None, "needs a judge")


def test_a_reply_without_an_idea_is_worth_nothing() -> None:
    for profile, reply in (("objective", "I have none"), ("paper", "I have none"), ("released", " ")):
        parts = idea_generation.objective_parts(IDEA, reply, profile)  # type: ignore[arg-type]
        assert parts == (dict.fromkeys(ideas.DIMENSIONS, 0.0), 0.0, "hash-tf-v1, no_json")


def test_a_reply_without_an_idea_is_new_and_detailed_as_released() -> None:
    """The released code goes on with empty parts."""
    parts, _, label = idea_generation.objective_parts(IDEA, "I have none", "released")
    assert tuple(parts.values()) == (0.0, 10.0, 10.0, 0.0)
    assert label == "hash-tf-v1, no_json"


@pytest.mark.parametrize(
    ("changes", "default", "released"),
    [
        ({}, 57.142857, 57.142857),
        ({"ImplementationOrder": [1, 2, 3]}, 57.142857, 0),
        ({"ImplementationOrder": ["1", "2", "3"]}, 57.142857, 57.142857),
        ({"ImplementationSteps": ["collect samples", "train model", "validate"]}, 57.142857, 0),
        ({"ImplementationSteps": {"1": "collect data", "2": {"do": "train model"}}}, None, 0),
        ({"ImplementationSteps": {"1": "collect data"}}, 16, 0),
        ({"ImplementationSteps": "collect data"}, 0, 0),
    ],
)
def test_graphs_of_unusual_replies(changes: Any, default: float | None, released: float) -> None:
    reply = json.dumps({**GIVEN, **changes})
    for profile, points in (("objective", default), ("released", released)):
        found = scores("idea_generation", IDEA, reply, profile)["feasibility_objective"].value  # type: ignore[arg-type]
        assert points is None or 100 * (found or 0) == pytest.approx(points)


def test_an_idea_that_is_no_text_is_empty() -> None:
    number, empty = (json.dumps({**GIVEN, "Idea": idea}) for idea in (5, ""))
    found, none = (scores("idea_generation", IDEA, reply) for reply in (number, empty))
    for metric in ("effectiveness", "novelty", "feasibility"):
        assert found[f"{metric}_objective"] == none[f"{metric}_objective"]
    # the part is there, but has no length: 0.2 * 10 + 0.4 * 10 + 0
    assert 10 * found["detailedness_objective"].value == pytest.approx(6.0)


@pytest.mark.parametrize(("blanks", "value"), [(49_994, 1.0), (49_995, 0.0)])
def test_fifty_thousand_characters_of_an_idea_are_read(blanks: int, value: float) -> None:
    item = {**IDEA, "keywords": ["quartz"]}
    reply = json.dumps({**GIVEN, "Idea": "some words before a".ljust(blanks) + "quartz"})
    assert scores("idea_generation", item, reply)["effectiveness_objective"].value == value


def test_keywords_have_synonyms() -> None:
    item = {**IDEA, "x_synonyms": [["spectral prior", "knowledge of spectra"], ["sparse sampling"]]}
    idea = "It is the knowledge of spectra that we bring to bear on all of this, and nothing else at all"
    reply = json.dumps({**GIVEN, "Idea": idea})
    assert scores("idea_generation", IDEA, reply)["effectiveness_objective"].value == 0
    assert scores("idea_generation", item, reply)["effectiveness_objective"].value == 0.5


@pytest.mark.parametrize("semantic", [True, False])
def test_only_a_semantic_embedder_finds_keywords_in_other_words(semantic: bool) -> None:
    embedder = NamedEmbedder("all the same", lambda text: {0: 1.0}, semantic)
    reply = json.dumps({**GIVEN, "Idea": "It is another thing."})
    found = {v.metric: v for v in column.score("idea_generation", IDEA, reply, embedder=embedder)}
    assert found["effectiveness_objective"].value == float(semantic)
    assert found["headline"].label == "all the same, graph as released"


def test_types_of_steps_may_be_declared() -> None:
    """The text of the only step is another one, and its type is told by the reply alone."""
    item = {**IDEA, "implementation_steps": {"1": "collect bright stars"}, "x_step_types": {"1": "acquire"}}
    step = {"ImplementationSteps": {"1": "take bright stars"}, "ImplementationOrder": []}
    undeclared = scores("idea_generation", item, json.dumps({**GIVEN, **step}))
    declared = scores("idea_generation", item, json.dumps({**GIVEN, **step, "StepTypes": {"1": "acquire"}}))
    wrong = scores("idea_generation", item, json.dumps({**GIVEN, **step, "StepTypes": ["acquire"]}))
    values = [found["feasibility_objective"].value for found in (undeclared, declared, wrong)]
    assert values == [0, pytest.approx(0.4), 0]
    assert declared["headline"].label == "hash-tf-v1, stuffed"


@pytest.mark.parametrize(
    "known",
    [
        {"A": "take few samples", "B": "a prior on spectra"},
        repr({"A": "take few samples", "B": "a prior on spectra"}),
        ["take few samples", "a prior on spectra"],
        "['take few samples', 'a prior on spectra']",
    ],
)
def test_known_work_is_a_text_each(known: Any) -> None:
    """The idea is one of two texts and has nothing of the other: mean cosine 1/2, so half of it is new."""
    item = {**IDEA, "related_work": known, "existing_solutions": None, "related_work_test": None}
    found = scores("idea_generation", item, json.dumps({**GIVEN, "Idea": "take few samples"}))
    assert found["novelty_objective"].value == pytest.approx(0.5 * 0.5 * 3 / 20)
    assert found["novelty_nn"].value == pytest.approx(0, abs=1e-9)


def test_known_work_may_be_one_text() -> None:
    item = {**IDEA, "related_work": "'take few samples'", "existing_solutions": "", "related_work_test": None}
    found = scores("idea_generation", item, json.dumps({**GIVEN, "Idea": "take few samples"}))
    assert found["novelty_nn"].value == pytest.approx(0, abs=1e-9)


# ------------------------------------------------------------ wet experiments

WET = {
    "answer": 'a = <Weigh>(\n    what="water",\n)\nb = <Mix>(\n    of=a,\n)',
    "action_pool": "<Weigh>(what)\n<Mix>(of)\n<Rinse>(what)",
}


def test_a_protocol_is_valid_where_all_its_actions_are_in_the_pool() -> None:
    for action, valid in (("Mix", 1), ("Rinse", 1), ("Burn", 0)):
        reply = f"<answer>{WET['answer'].replace('Mix', action)}</answer>"
        found = scores("wet_experiment", WET, reply)
        assert (found["valid"].value, found["valid"].label) == (valid, "")
        assert found["decoy_use"].value == (0.5 if action == "Rinse" else 0)
    assert scores("wet_experiment", WET, "")["valid"].value == 0


def test_what_could_not_be_read_is_told() -> None:
    found = scores("wet_experiment", WET, WET["answer"].replace('what="water"', '"water"'))
    assert found["valid"].label == "no_tag, positional_argument"


def test_parameters_may_have_other_names() -> None:
    """As the item says, from the reference's name to the reply's and not back."""
    aliases = {**WET, "x_params": [{"what": {"aliases": ["H2O"]}}, {}]}
    reply = WET["answer"].replace("water", "h2o")
    assert scores("wet_experiment", aliases, reply)["pa"].value == 1
    assert scores("wet_experiment", WET, reply)["pa"].value == 0.5


LATER = """a = <Weigh>(
    what="water",
)
b = <Weigh>(
    what=c,
)
c = <Mix>(
    of=b,
)"""


@pytest.mark.parametrize(
    ("change", "pa"),
    [
        (("", ""), 1 / 3),  # a later output has no role yet, so not even the reference is right
        (("what=c", 'what="5 g"'), 1 / 3),  # its name is a reference all the same, and a literal is none
        (("<Weigh>", "Weigh"), 0.0),  # an action without its signs is no step, and those behind it move up
    ],
)
def test_references_and_actions_as_released(change: tuple[str, str], pa: float) -> None:
    item = {**WET, "answer": LATER}
    assert scores("wet_experiment", item, LATER.replace(*change, 1), "released")["pa"].value == pytest.approx(
        pa
    )


def test_a_name_leads_to_its_last_step_as_released() -> None:
    steps = [f'{name} = <Weigh>(\n    what="water",\n)' for name in "ab"]
    item = {**WET, "answer": "\n".join([*steps, "c = <Mix>(\n    of=a,\n)"])}
    reply = item["answer"].replace("b =", "a =")
    assert scores("wet_experiment", item, reply, "released")["pa"].value == pytest.approx(2 / 3)


# ------------------------------------------------------------ experimental reasoning

PICTURES = {
    "answer": 2,
    "options": [f"option {k}" for k in range(10)],
    "x_readings": [
        {"panel": "a", "quantity": "peak", "value": "5.0", "unit": "ms", "tol": "0.1"},
        {"panel": "a", "quantity": "width", "value": "2", "unit": "ms", "tol": "0.1"},
        {"panel": "b", "quantity": "peak", "value": "7", "unit": "ms", "tol": "0.1"},
        {"panel": "b", "quantity": "colour", "value": "red", "unit": None},
    ],
}


@pytest.mark.parametrize(
    ("reply", "released", "objective"),
    [
        (r"\boxed{A} .. \boxed{C}", 0, 1),
        (r"\boxed{\text{c}}", 0, 1),
        (r"\boxed{C}", 1, 1),
        (r"\boxed{L}", 0, 0),
        ("", 0, 0),
    ],
)
def test_choices(reply: str, released: float, objective: float) -> None:
    assert scores("experimental_reasoning", PICTURES, reply, "released")["headline"].value == released
    found = scores("experimental_reasoning", PICTURES, reply)
    assert found["headline"].value == objective
    assert found["chance"].value == 0.1
    assert found["headline"].label == ("beyond the options" if "L" in reply else "")


@pytest.mark.parametrize(("spare", "value"), [(0, 0.825), (16, 0.330)])
def test_readings(spare: int, value: float) -> None:
    given = [
        {"panel": "A", "quantity": "Peak", "value": "0.00495", "unit": "s"},
        {"panel": "a", "quantity": "width", "value": 2.05, "unit": "ms"},
        {"panel": "b", "quantity": "peak", "value": "8", "unit": "ms"},
        {"panel": "b", "quantity": "colour", "value": "Red"},
        *({"panel": "c", "quantity": str(k), "value": k} for k in range(spare)),
    ]
    reply = json.dumps({"readings": given, "answer": "C"})

    from assay.suites.sgi.columns import experimental_reasoning

    found = list(experimental_reasoning.score(PICTURES, reply, "objective", formula=lambda readings: "C"))
    assert {v.metric: v.value for v in found}["rv"] == pytest.approx(value)


def test_marks_of_a_judge_are_empty() -> None:
    """The public profiles have no steps and no readings of their own: recorded judges are tabulated apart."""
    for profile in ("paper", "released"):
        assert scores("experimental_reasoning", PICTURES, "C", profile)["rv"] == Value(
            "rv", None, "needs a judge"
        )
        assert scores("deep_research", CIRCUIT, "1", profile)["sla"] == Value("sla", None, "needs a judge")


def test_without_readings_there_is_no_validity() -> None:
    found = list(column.score("experimental_reasoning", {"answer": 1, "options": ["a", "b"]}, "B"))
    assert found == [
        Value("chance", 0.5),
        Value("headline", 1.0),
        Value("rv", None, "no readings in the reference"),
    ]


def test_the_interval_of_a_column() -> None:
    """The published accuracy with the most items right: the bootstrap agrees with Wilson's interval."""
    mean, low, high = interval([100.0] * 122 + [0.0] * 169, "experimental_reasoning")
    assert mean == pytest.approx(41.92, abs=0.005)
    assert low == pytest.approx(36.40, abs=0.5)
    assert high == pytest.approx(47.66, abs=0.5)
