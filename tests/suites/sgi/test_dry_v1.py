"""Dry experiments of version 1: items, replies in all honest forms, and replies that must not pass."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from assay.numbers import rng
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns.profiles import Value
from assay.suites.sgi.dry import runs
from assay.suites.sgi.dry.runs import answered_code
from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.attackers import ATTACKERS, Attack
from assay.suites.sgi.frame.family import LEVELS, OPEN_INFERENCES, Row
from assay.suites.sgi.methods import compose, render
from assay.suites.sgi.methods.compose import STAGES, Bench
from assay.suites.sgi.methods.dry import Dry
from assay.suites.sgi.methods.run import runs_of
from assay.suites.sgi.metrics.dry_runs import TESTS

dry = Dry()
SEED, EACH = 100, 12


@cache
def drawn(level: int) -> Row:
    """An item of a level."""
    return dry.generate(SEED, level, level)


def item() -> Row:
    """The item of most tests."""
    return drawn(2)


def points(reply: str) -> float:
    """Points for instances passed, of the item."""
    return 100 * dry.raw(item(), reply)


def code() -> str:
    """The code of the reference."""
    return answered_code(item()["answer"])


@pytest.mark.parametrize("level", LEVELS)
def test_an_item_keeps_what_the_generator_promises(level: int) -> None:
    row = drawn(level)
    dry.verify(row)
    assert len(row["x_inferences"]) >= (OPEN_INFERENCES[level] or 16)
    assert len(row["x_plausible"]) >= 4
    assert len(row["incomplete_functions"]) == STAGES
    shown = "".join(str(row[name]) for name in dry.SHOWN)
    stages, given, known = render.read(row["question"])
    assert stages == row["x_world"]["stages"]
    assert given == {name: row["x_right"][name] for name in row["x_given"]}
    assert all(len(records) == compose.RECORDS for records in known.values())
    for k in range(TESTS):
        assert row[f"unit_test_{k}_data"] not in shown
        for values in json.loads(row[f"unit_test_{k}_output"]).values():
            assert not [value for value in values if len(repr(value)) > 6 and repr(value) in shown]


def test_a_broken_promise_is_found() -> None:
    row = item()
    truth = json.loads(row["unit_test_1_output"])
    name = next(iter(truth))
    truth[name][0] *= 1.01
    with pytest.raises(Rejected, match="does not print"):
        dry.verify({**row, "unit_test_1_output": json.dumps(truth)})
    wrong = [{**row["x_inferences"][0], "right": "another"}]
    with pytest.raises(Rejected, match="not that of the reference"):
        dry.verify({**row, "x_inferences": wrong})


def test_attempts_and_levels_have_draws_of_their_own() -> None:
    seen = {
        dry.stream(SEED, level, 0, attempt).child("stages").bits() for level in LEVELS for attempt in (0, 1)
    }
    assert len(seen) == 2 * len(LEVELS)


def test_the_same_item_comes_again() -> None:
    assert dry.generate(SEED, 2, 2) == item()


def test_the_sandbox_and_this_process_agree() -> None:
    row = item()
    world = row["x_world"]
    bench = Bench(world["stages"], world["layout"], world["instances"])
    truth = [json.loads(row[f"unit_test_{k}_output"]) for k in range(TESTS)]
    for choices in (
        {},
        dry.house(row),
        {row["x_inferences"][0]["id"]: row["x_inferences"][0]["fallacies"][0]["value"]},
    ):
        passed = bench.passed(truth, {**row["x_right"], **choices}, ["right"] * STAGES)
        assert dry.raw(row, dry.play(row, choices)) == pytest.approx(sum(passed) / TESTS)


def test_the_prompt_is_enough() -> None:
    for level in (2, 5):
        row = drawn(level)
        assert dry.raw(row, dry.solve([row[name] for name in dry.SHOWN])) == 1


def test_plausible_methods_throughout_fail() -> None:
    for method in ("naive", "rough"):
        assert points(dry.play(item(), {"method": method})) < 100


# ------------------------------------------------------------ honest forms


def indented(text: str) -> str:
    """The code with tabs."""
    return "\n".join(
        "\t" * ((len(line) - len(line.lstrip())) // 4)
        + " " * ((len(line) - len(line.lstrip())) % 4)
        + line.lstrip()
        for line in text.splitlines()
    )


def last_hole(text: str, decorator: str) -> str:
    """The code with a decorator above the last hole."""
    name = item()["incomplete_functions"][-1]
    return text.replace(f"def {name}(", f"{decorator}\ndef {name}(")


def whole_program(text: str) -> str:
    """The program with the code in place of its holes."""
    world = item()["x_world"]
    return render.program(world["stages"], world["layout"], text)


def results(text: str, form: str) -> str:
    """The code with the last hole's result in another form."""
    name = item()["incomplete_functions"][-1]
    inner = text.replace(f"def {name}(", "def inner(")
    return f"{inner}\n\n\ndef {name}(p):\n    result = inner(p)\n    return {form}\n"


FORMS = {
    "fences without a language": lambda text: f"<answer>\n```\n{text}\n```\n</answer>",
    "no fences": lambda text: f"<answer>\n{text}\n</answer>",
    "no tags": lambda text: f"Here it is.\n\n```python\n{text}\n```\n",
    "two fences": lambda text: (
        "<answer>\n```python\n" + text.replace("\n\n\n", "\n```\nand\n```python\n", 1) + "\n```\n</answer>"
    ),
    "thoughts with another answer": lambda text: (
        f"<answer>def x(): pass</answer>\nNo:\n<answer>\n{text}\n</answer>"
    ),
    "tabs": lambda text: f"<answer>\n{indented(text)}\n</answer>",
    "carriage returns": lambda text: "<answer>\n" + text.replace("\n", "\r\n") + "\n</answer>",
    "decorator": lambda text: f"<answer>\n{last_hole(text, '@(lambda f: f)')}\n</answer>",
    "imports": lambda text: (
        f"<answer>\nimport numpy as np\nfrom scipy.integrate import quad\n\n{text}\n</answer>"
    ),
    "constants with a type": lambda text: (
        f"<answer>\nSCALE: float = 1.0\n\n{results(text, '[SCALE * r for r in result]')}\n</answer>"
    ),
    "the whole program": lambda text: f"<answer>\n{whole_program(text)}\n</answer>",
    "another order": lambda text: (
        "<answer>\n" + "\n\n\n".join(reversed(text.split("\n\n\n"))) + "\n</answer>"
    ),
    "type hints": lambda text: "<answer>\n" + text.replace("(p):", "(p: dict) -> list:") + "\n</answer>",
    "a tuple": lambda text: f"<answer>\n{results(text, 'tuple(result)')}\n</answer>",
    "an array": lambda text: f"<answer>\n{results(text, 'np.array(result)')}\n</answer>",
    "numpy scalars": lambda text: f"<answer>\n{results(text, '[np.float64(r) for r in result]')}\n</answer>",
    "numbers as text": lambda text: f"<answer>\n{results(text, '[repr(r) for r in result]')}\n</answer>",
    "more printed": lambda text: f"<answer>\n{results(text, '(print(1, result), result)[1]')}\n</answer>",
    "warnings": lambda text: f"<answer>\n{results(text, '(np.log(np.zeros(1)), result)[1]')}\n</answer>",
    "a class": lambda text: (
        "<answer>\nclass Kept:\n    value = 1\n\n\n"
        + results(text, "[r * Kept.value for r in result]")
        + "\n</answer>"
    ),
    "a mutated argument": lambda text: f"<answer>\n{results(text, '(p.clear(), result)[1]')}\n</answer>",
}
"""The right functions in other forms that an honest agent may write."""


@pytest.mark.parametrize("form", sorted(FORMS))
def test_honest_forms_are_worth_the_same(form: str) -> None:
    assert points(FORMS[form](code())) == 100


@pytest.mark.parametrize(
    "form",
    [
        "[r * 1.001 for r in result]",
        "result[:-1]",
        "[*result, 0.0]",
        "result[::-1]",
        "[-r for r in result]",
        "[float('nan') for r in result]",
        "None",
        "DATA",
        "json.load(open('data/output.json'))",
        "(_ for _ in ()).throw(SystemExit)",
    ],
)
def test_near_misses_do_not_pass(form: str) -> None:
    assert points(f"<answer>\n{results(code(), form)}\n</answer>") == 0


def test_an_unfilled_hole_is_told_and_no_answer_runs_nothing() -> None:
    name = item()["incomplete_functions"][0]
    partly = code().replace(f"def {name}(", "def another(")
    found = {value.metric: value for value in dry.score(item(), f"<answer>{partly}</answer>", "objective")}
    assert (found["headline"].value, found["headline"].label) == (0, "unfilled")
    assert dry.audit(item(), f"<answer>{partly}</answer>")["answer_without_work"]
    for reply in ("", "<answer></answer>", "def (", "x" * 300_000):
        done, _ = runs_of(item(), reply)
        assert not any(run.started for run in done)


def test_released_and_paper_say_what_they_can() -> None:
    paper = {value.metric: value.value for value in dry.score(item(), item()["answer"], "paper")}
    assert paper["headline"] == 1
    released = {value.metric: value for value in dry.score(item(), item()["answer"], "released")}
    assert released["ser"].value == 1
    assert released["headline"].value in (None, 1.0)


def test_a_program_sees_no_names_of_its_data_script() -> None:
    code = "print('value' in globals(), open('data/a.txt').read())"
    script = "import os\nvalue = 1\nos.makedirs('data')\nopen('data/a.txt', 'w').write('kept')"
    assert runs.run(code, script).stdout.strip() == "False kept"


def test_the_sandbox_offers_the_extra_packages_that_are_installed() -> None:
    offered = runs.POLICY.distributions
    assert offered[:3] == ("numpy", "scipy", "pandas")
    for name, module in (("scikit-learn", "sklearn"), ("rdkit", "rdkit"), ("xgboost-cpu", "xgboost")):
        assert runs.run(f"import {module}", "").exit_zero == (name in offered)


def test_a_table_of_the_shown_data_passes_nothing_hidden() -> None:
    """`special-caser`: right where the data are those of the shown script, else nothing."""
    row = item()
    names = row["incomplete_functions"]
    table = "\n\n".join(
        f"def {name}(p):\n    known = {{}}\n    return known[repr(sorted(p['model'].items()))]"
        for name in names
    )
    assert points(f"<answer>\n{table}\n</answer>") == 0


def test_a_program_that_ends_the_interpreter_costs_no_more_than_its_own_runs() -> None:
    name = item()["incomplete_functions"][0]
    killer = code().replace(f"def {name}(p):", f"def {name}(p):\n    import os\n    os._exit(0)")
    done, _ = runs_of(item(), f"<answer>\n{killer}\n</answer>")
    assert [run.started for run in done] == [True] * TESTS
    assert not any(run.exit_zero for run in done)


# ------------------------------------------------------------ acceptance


class Direct:
    """The family, with decisions in place of texts: instances are run without the sandbox."""

    SHOWN = dry.SHOWN

    def __init__(self) -> None:
        self._benches: dict[str, Bench] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(dry, name)

    def play(self, row: Row, choices: Any) -> str:
        return json.dumps(dict(choices))

    def write(self, shown: Any, choices: Any) -> str:
        return json.dumps({**choices, **render.read(shown[0])[1]})

    def score(self, row: Row, reply: str, profile: Any) -> list[Value]:
        world = row["x_world"]
        if row["idx"] not in self._benches:
            self._benches[row["idx"]] = Bench(world["stages"], world["layout"], world["instances"])
        truth = [json.loads(row[f"unit_test_{k}_output"]) for k in range(TESTS)]
        choices = {name: value for name, value in json.loads(reply).items() if name in row["x_right"]}
        passed = self._benches[row["idx"]].passed(truth, {**row["x_right"], **choices}, ["right"] * STAGES)
        return [Value("headline", float(all(passed)))]


DIRECT: Any = Direct()


@cache
def items() -> dict[int, list[Row]]:
    """Items of all levels."""
    rows = [dry.generate(SEED, at, LEVELS[at % len(LEVELS)]) for at in range(EACH * len(LEVELS))]
    return {level: [row for row in rows if row["x_level"] == level] for level in LEVELS}


@pytest.mark.full
def test_scores_rise_with_ability_and_levels_are_a_dial() -> None:
    means = {}
    # A wrong value nearly always fails an instance, so weak agents need many replies to pass once.
    for line, draws in (("fallback", curves.DRAWS), ("fallacy", range(1, 41))):
        curves_of = {level: curves.curve(DIRECT, rows, line, draws) for level, rows in items().items()}
        means[line] = [curves.mean([curves_of[level][at] for level in LEVELS]) for at in range(11)]
        assert means[line][-1] == 100
    assert curves_of[1][8] - curves_of[5][8] >= 15
    fallback = means["fallback"]
    assert fallback[0] <= 10
    assert 10 <= fallback[5] <= 50
    assert fallback[9] >= 60
    assert curves.rank_correlation(fallback) >= 0.98
    assert curves.rank_correlation(means["fallacy"]) >= 0.98


@pytest.mark.full
@pytest.mark.parametrize("attacker", sorted({*ATTACKERS} - {"over-declarer"}))
def test_attackers_stay_below_their_ceilings(attacker: str) -> None:
    attack, ceiling = ATTACKERS[attacker]
    reached = []
    for level, rows in items().items():
        solved = [row for other in LEVELS if other != level for row in items()[other]]
        for row in rows:
            reply = attack(Attack(DIRECT, row, solved, rng.stream(9, attacker, row["idx"])))
            family: Any = DIRECT if reply.startswith('{"') or reply == "{}" else dry
            reached.append(curves.points(family, row, reply))
    assert curves.mean(reached) <= max(ceiling, 0.0)


@pytest.mark.full
def test_a_second_program_solves_twenty_items() -> None:
    """Decides by the independent methods alone, and its replies are run like any other."""
    for at in range(20):
        row = dry.generate(90210, at, LEVELS[at % len(LEVELS)])
        reply = dry.solve([row[name] for name in dry.SHOWN], "second")
        assert dry.raw(row, reply) == 1, row["direction"]
