"""Code that is wrong in one named way, each with the number of tests that it must pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.dry.bank import BY_NAME, SPECIFICATIONS
from assay.suites.sgi.dry.items import TESTS, reply
from assay.suites.sgi.dry.specification import Specification


@dataclass(frozen=True)
class Wrong:
    """A reply with the number of tests that it must pass."""

    reply: str
    passes: int


def _helper(row: Mapping[str, Any]) -> list[str]:
    helper = BY_NAME[row["x_spec"]].helper
    masked = helper is not None and helper.name in row["incomplete_functions"]
    return [helper.source({}, ())] if helper is not None and masked else []


def retrieved(question: str, incomplete: str) -> Specification:
    """The specification whose text shares most words with a prompt; needs no truth."""
    words = Counter((question + " " + incomplete).replace("_", " ").casefold().split())

    def shared(specification: Specification) -> float:
        own = Counter(f"{specification.name} {specification.target.doc}".replace("_", " ").casefold().split())
        return sum((own & words).values()) / sum(own.values())

    return max(SPECIFICATIONS, key=lambda s: (shared(s), s.name))


def textbook(row: Mapping[str, Any]) -> Wrong:
    """The nearest known function with the conventions of textbooks."""
    known = retrieved(row["question"], row["incomplete_main_code"])
    return Wrong(reply([*_helper(row), known.target.source(known.textbook, ())]), row["x_textbook"])


def mutant(row: Mapping[str, Any]) -> Wrong:
    """The reference with one mistake."""
    return Wrong(reply([*_helper(row), row["x_mutants"][0]]), TESTS - row["x_mutant_failures"][0])


def memoriser(row: Mapping[str, Any]) -> Wrong:
    """Knows the outputs of the tests and computes nothing."""
    specification = BY_NAME[row["x_spec"]]
    cases = {}
    for k in range(TESTS):
        names: dict[str, Any] = {}
        exec(row[f"unit_test_{k}_data"].partition("os.makedirs(")[0], names)  # our own script
        key = json.dumps(names["data"], sort_keys=True)
        cases[key] = row[f"unit_test_{k}_output"]
    parameters = [name.strip() for name in specification.target.parameters.split(",")]
    body = (
        f"    key = json.dumps({{{', '.join(f'{p!r}: {p}' for p in parameters)}}}, sort_keys=True)\n"
        f"    known = {cases!r}\n"
        f"    return json.loads(known.get(key, '{{}}')).get({specification.name!r}, 0.0)"
    )
    function = f"def {specification.name}({specification.target.parameters}):\n{body}"
    return Wrong(reply([*_helper(row), function]), TESTS)


def idle(row: Mapping[str, Any]) -> Wrong:
    """Returns one fixed value."""
    specification = BY_NAME[row["x_spec"]]
    function = f"def {specification.name}({specification.target.parameters}):\n    return -12345.678"
    return Wrong(reply([*_helper(row), function]), 0)


def unfilled(row: Mapping[str, Any]) -> Wrong:
    """Leaves the holes as they are."""
    return Wrong("<answer>\n# not done\n</answer>", 0)


WRONG: Mapping[str, Callable[[Mapping[str, Any]], Wrong]] = {
    "textbook": textbook,
    "mutant": mutant,
    "memoriser": memoriser,
    "idle": idle,
    "unfilled": unfilled,
}
