"""A dry experiment in the released columns: code with holes, five tests, and what they must catch."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected, first_passing
from assay.suites.sgi.dry.bank import BY_NAME, fitting
from assay.suites.sgi.dry.mutation import mutants
from assay.suites.sgi.dry.specification import Choices, Specification
from assay.suites.sgi.dry.verdict import same_output
from assay.suites.sgi.families import DISCIPLINES, FUNCTION_TYPES, item_name
from assay.suites.sgi.seeding import VERSION, permuted

LEVELS = (1, 2, 3, 4)
CASES = ("typical", "large", "edge", "adversarial", "random")
TESTS = len(CASES)
MUTANTS = 5

DRAWS = """rng = random.Random(SEED)


def real(low, high):
    return round(low + (high - low) * rng.random(), 4)


def reals(count, low, high):
    return [real(low, high) for _ in range(count)]


def integer(low, high):
    return low + int(rng.random() * (high - low + 1))
"""

SHOW = '''def show(value):
    """Ten significant digits, so that the last bits of a library do not show."""
    if isinstance(value, (list, tuple)):
        return [show(part) for part in value]
    if isinstance(value, float):
        return 0.0 if abs(value) < 1e-12 else float(f"{value:.10g}")
    return value
'''

CONTRACT = """Write the completed functions, all that are listed, between <answer> and </answer>. Keep
their names and
parameters. Only Python's standard library, numpy, scipy and pandas can be imported."""


def cell(root: int, index: int) -> tuple[str, str, int]:
    """Type, discipline and level of an item: all 60 pairs in 60 items, all levels of each in 240."""
    types = permuted(root, "dry_experiment", "types", FUNCTION_TYPES)
    disciplines = permuted(root, "dry_experiment", "disciplines", DISCIPLINES)
    levels = permuted(root, "dry_experiment", "levels", LEVELS)
    row, block = index // 6, index // 60
    return types[index % 6], disciplines[(index + row) % 10], levels[(row + block) % 4]


def generate(root: int, index: int, level: int | None = None) -> dict[str, Any]:
    """The item of that index, as a row of the released columns and our own (`x_...`).

    `TaskError` where no draw passes the rules.
    """
    kind, discipline, own_level = cell(root, index)
    level = level or own_level

    def attempt(stream: Stream) -> dict[str, Any]:
        specification = stream.choice(fitting(kind, discipline))
        try:
            return draw(specification, discipline, level, index, stream)
        except Rejected as rejected:
            raise Rejected(f"{specification.name}: {rejected}") from rejected

    return first_passing(root, "dry_experiment", index, level, kind, attempt)


def draw(
    specification: Specification, discipline: str, level: int, index: int, stream: Stream
) -> dict[str, Any]:
    """An item of a specification; at least `level` conventions (or all) are not those of textbooks."""
    choices = _choices(specification, level, stream)
    helper_masked = specification.helper is not None and level >= 3
    seeds = _seeds(stream)
    scripts = [data_script(specification, case, seed) for case, seed in zip(CASES, seeds, strict=False)]
    data = [_data(specification, case, seed) for case, seed in zip(CASES, seeds, strict=False)]
    reference = outputs(specification, specification.target.source(choices, ()), data)
    if any(out is None for out in reference):
        raise Rejected("the reference raises an exception")
    if any(not _steady(json.loads(str(out))) for out in reference):
        raise Rejected("a value is noise around zero")
    compare = {specification.name: _comparison(json.loads(str(reference[0]))[specification.name])}
    expected = [str(out) for out in reference]
    caught, failing = _caught(specification, choices, data, expected, compare)
    textbook = outputs(specification, specification.target.source(specification.textbook, ()), data)
    passed = [_passes(e, out, compare) for e, out in zip(expected, textbook, strict=True)]
    if all(passed):
        raise Rejected("what textbooks do passes all tests")
    held_seed = seeds[TESTS]
    held = outputs(
        specification, specification.target.source(choices, ()), [_data(specification, "random", held_seed)]
    )[0]
    names = [
        specification.name,
        *([specification.helper.name] if helper_masked and specification.helper else []),
    ]
    incomplete = program(specification, choices, masked=names)
    row: dict[str, Any] = {
        "idx": item_name("dry_experiment", index),
        "question": _question(specification, discipline, names),
        "data_code": data_script(specification, "typical", seeds[TESTS + 1]),
        "main_code": program(specification, choices),
        "incomplete_main_code": incomplete,
        "incomplete_functions": names,
    }
    for k in range(TESTS):
        row[f"unit_test_{k}_data"], row[f"unit_test_{k}_output"] = scripts[k], expected[k]
    return row | {
        "function_type": specification.type,
        "runtime": 0.0,
        "discipline": discipline,
        "direction": specification.name.replace("_", " "),
        "x_level": level,
        "x_version": VERSION,
        "x_spec": specification.name,
        "x_conventions": dict(choices),
        "x_compare": compare,
        "x_mutants": caught,
        "x_mutant_failures": failing,
        "x_textbook": sum(passed),
        "x_held_out": {
            "data": data_script(specification, "random", held_seed),
            "output": held,
        },
    }


def _seeds(stream: Stream) -> list[int]:
    """Different seeds of the tests, the held-out test and the public data."""
    found: list[int] = []
    while len(found) < TESTS + 2:
        seed = 1 + stream.below(99_999)
        if seed not in found:
            found.append(seed)
    return found


def _choices(specification: Specification, level: int, stream: Stream) -> dict[str, str]:
    """Conventions at random; one that textbooks do not know for each level, as far as there are so many."""
    names = list(specification.conventions)
    odd = set(stream.sample(names, min(level, len(names))))
    found = {}
    for name, options in specification.conventions.items():
        codes = [code for code, _ in options]
        found[name] = stream.choice(codes[1:] if name in odd else codes)
    return found


def _caught(
    specification: Specification,
    choices: Choices,
    data: list[Any],
    expected: list[str],
    compare: Mapping[str, Any],
) -> tuple[list[str], list[int]]:
    """Five mutants that fail a test each, together at every test, and how many each fails."""
    spare: list[tuple[str, list[bool]]] = []
    kept: list[tuple[str, list[bool]]] = []
    open_tests = set(range(TESTS))
    for source in mutants(specification, choices):
        got = outputs(specification, source, data)
        fails = [not _passes(e, out, compare) for e, out in zip(expected, got, strict=True)]
        if not any(fails):
            continue
        covered = {k for k in range(TESTS) if fails[k]}
        if covered & open_tests and len(kept) < MUTANTS:
            kept.append((source, fails))
            open_tests -= covered
        else:
            spare.append((source, fails))
        if not open_tests and len(kept) + len(spare) >= MUTANTS:
            break
    kept += spare[: MUTANTS - len(kept)]
    if open_tests:
        raise Rejected(f"no mutant fails the test {CASES[min(open_tests)]}")
    if len(kept) < MUTANTS:
        raise Rejected("fewer than five mutants are caught")
    return [source for source, _ in kept], [sum(fails) for _, fails in kept]


def _passes(expected: str, got: str | None, compare: Mapping[str, Any]) -> bool:
    return got is not None and same_output(expected, got, compare)


# ------------------------------------------------------------ running our own code, in this process


@lru_cache(maxsize=64)
def _frame(name: str) -> CodeType:
    """The compiled rest of a program: everything but the target."""
    specification = BY_NAME[name]
    helper = specification.helper
    source = "import json\nimport math\n\n" + SHOW + ("\n" + helper.source({}, ()) if helper else "")
    return compile(source, f"<{name}>", "exec")


def outputs(specification: Specification, target: str, data: list[Any]) -> list[str | None]:
    """What the program with this target prints for each data set; null where it raises an exception.

    For our own sources only: nothing is confined here.
    """
    names: dict[str, Any] = {}
    exec(_frame(specification.name), names)
    exec(target, names)
    found: list[str | None] = []
    for one in data:
        try:
            value = names[specification.name](**copy.deepcopy(one))
            found.append(json.dumps({specification.name: names["show"](value)}))
        except Exception:
            found.append(None)
    return found


def _data(specification: Specification, case: str, seed: int) -> Any:
    """The arguments that a data script writes."""
    space: dict[str, Any] = {"random": random, "SEED": seed, "n": _size(specification, case, seed)}
    exec(_drawing(), space)
    return json.loads(json.dumps(eval(_expression(specification, case), space)))


@lru_cache(maxsize=1)
def _drawing() -> CodeType:
    return compile(DRAWS, "<draws>", "exec")


def _expression(specification: Specification, case: str) -> str:
    return {"edge": specification.edge, "adversarial": specification.hard}.get(case, specification.data)


def _size(specification: Specification, case: str, seed: int) -> int:
    typical, large = specification.sizes
    return {"large": large, "random": typical + seed % 3}.get(case, typical)


def _steady(value: Any) -> bool:
    """Whether no value is mere noise of rounding around zero."""
    if isinstance(value, dict):
        return all(map(_steady, value.values()))
    if isinstance(value, list):
        return all(map(_steady, value))
    return not (isinstance(value, float) and 0 < abs(value) < 1e-11)


def _comparison(value: Any) -> dict[str, Any]:
    kind = "array" if isinstance(value, list) else "int" if isinstance(value, int) else "float"
    return {"kind": kind, "rtol": 1e-6, "atol": 1e-9}


# ------------------------------------------------------------ texts


def data_script(specification: Specification, case: str, seed: int) -> str:
    """A script that writes data/input.json."""
    return (
        f'"""Data for {specification.name}."""\n\nimport json\nimport os\nimport random\n\n'
        f"SEED = {seed}\nn = {_size(specification, case, seed)}\n{DRAWS}\n\n"
        f"data = {_expression(specification, case)}\n"
        'os.makedirs("data", exist_ok=True)\n'
        'with open("data/input.json", "w", encoding="utf-8") as file:\n    json.dump(data, file)\n'
    )


def program(specification: Specification, choices: Choices, masked: list[str] | None = None) -> str:
    """The main program, the named functions with holes in place of bodies."""
    hidden = masked or []
    helper = specification.helper
    parts = ["import json\nimport math\n", SHOW]
    if helper is not None:
        parts.append(helper.source({}, (), masked=helper.name in hidden) + "\n")
    phrases = specification.phrases(choices)
    parts.append(specification.target.source(choices, phrases, masked=specification.name in hidden) + "\n")
    parts.append(
        "def main():\n"
        '    with open("data/input.json", encoding="utf-8") as file:\n'
        "        data = json.load(file)\n"
        f'    print(json.dumps({{"{specification.name}": show({specification.name}(**data))}}))\n'
    )
    parts.append('if __name__ == "__main__":\n    main()\n')
    return "\n\n".join(parts)


QUESTION = """Background
A program of {discipline} ({kind}) reads the data that the first script writes and prints one line of JSON.

Task
Complete {names} in the second script, as the docstrings say. Every convention that is stated there counts:
some are not the usual ones."""


def _question(specification: Specification, discipline: str, names: list[str]) -> str:
    told = QUESTION.format(discipline=discipline, kind=specification.type.lower(), names=" and ".join(names))
    return f"{told}\n\n{CONTRACT}"


def solve(row: Mapping[str, Any]) -> str:
    """The reply that is right: the functions of the reference."""
    specification = BY_NAME[row["x_spec"]]
    parts = [specification.target.source(row["x_conventions"], ())]
    if specification.helper and specification.helper.name in row["incomplete_functions"]:
        parts.insert(0, specification.helper.source({}, ()))
    return reply(parts)


def reply(functions: list[str]) -> str:
    """A reply that holds these functions."""
    return "<answer>\n```python\n" + "\n\n\n".join(functions) + "\n```\n</answer>"


def validate(row: Mapping[str, Any]) -> None:
    """Check what an item promises; `Rejected` names the rule that it breaks."""
    specification = BY_NAME[row["x_spec"]]
    data = [_script_data(row[f"unit_test_{k}_data"]) for k in range(TESTS)]
    expected = [row[f"unit_test_{k}_output"] for k in range(TESTS)]
    for _ in range(2):
        got = outputs(specification, specification.target.source(row["x_conventions"], ()), data)
        if got != expected:
            raise Rejected("the reference does not print what is expected")
    covered = set()
    for source in row["x_mutants"]:
        got = outputs(specification, source, data)
        fails = {k for k in range(TESTS) if not _passes(expected[k], got[k], row["x_compare"])}
        if not fails:
            raise Rejected("a mutant passes all tests")
        covered |= fails
    if len(row["x_mutants"]) < MUTANTS or covered != set(range(TESTS)):
        raise Rejected("a test catches no mutant")
    if row["data_code"] in [row[f"unit_test_{k}_data"] for k in range(TESTS)]:
        raise Rejected("the public data are those of a test")
    shown = row["question"] + row["data_code"] + row["incomplete_main_code"]
    if any(math.isfinite(v) and len(repr(v)) > 7 and repr(v) in shown for v in _floats(expected)):
        raise Rejected("an expected value is in the prompt")


def _floats(lines: list[str]) -> list[float]:
    found: list[float] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict | list):
            for inner in value.values() if isinstance(value, dict) else value:
                walk(inner)
        elif isinstance(value, float):
            found.append(value)

    for line in lines:
        walk(json.loads(line))
    return found


def _script_data(script: str) -> Any:
    """The data of one of our own scripts, without its last lines, which write a file."""
    names: dict[str, Any] = {}
    exec(script.partition("os.makedirs(")[0], names)
    return json.loads(json.dumps(names["data"]))
