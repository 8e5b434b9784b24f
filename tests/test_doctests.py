"""Every example in a docstring of the package runs, and says the truth."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BORDER = (
    "assay.canonical",
    "assay.episodes.harness",
    "assay.numbers.draws",
    "assay.numbers.portable",
    "assay.numbers.rng",
    "assay.numbers.stats",
    "assay.protocol",
    "assay.sessions.session",
    "assay.suite",
    "assay.tables.digest",
    "assay.tables.reader",
    "assay.tables.registry",
    "assay.tables.schema",
    "assay.tables.writer",
)
"""Modules for callers outside of their package; each has at least one example."""


def written(file: Path) -> int:
    """How many examples a source file has."""
    return len(re.findall(r"^ *>>> ", file.read_text(encoding="utf-8"), re.MULTILINE))


EXAMPLES = {
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"): count
    for file in sorted((ROOT / "src" / "assay").rglob("*.py"))
    if (count := written(file))
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_module_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # some open a task by the project's configuration
    failed, attempted = doctest.testmod(import_module(name))
    assert failed == 0, "the differences are printed above"
    assert attempted == EXAMPLES[name], "doctest does not find every example, e.g. one in a private docstring"


@pytest.mark.parametrize("name", BORDER)
def test_the_border_has_examples(name: str) -> None:
    assert name in EXAMPLES
